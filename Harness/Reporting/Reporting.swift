// The module Reporting.
