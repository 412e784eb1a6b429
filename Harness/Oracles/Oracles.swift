// The module Oracles.
