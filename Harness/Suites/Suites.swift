// The module Suites.
