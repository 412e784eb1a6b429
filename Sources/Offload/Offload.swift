// The module Offload.
