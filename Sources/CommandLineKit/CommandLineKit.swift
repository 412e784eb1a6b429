// The module CommandLineKit.
