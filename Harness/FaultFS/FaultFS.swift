// The module FaultFS.
