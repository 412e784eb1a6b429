// The module Subjects.
