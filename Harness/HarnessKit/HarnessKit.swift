// The module HarnessKit.
