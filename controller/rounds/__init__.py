"""The games as state machines: observations in, events out. Each cites the rule that it applies."""
