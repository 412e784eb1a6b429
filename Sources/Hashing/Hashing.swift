// The module Hashing.
