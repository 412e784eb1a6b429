// The module FaultModel.
