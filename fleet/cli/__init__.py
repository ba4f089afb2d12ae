"""The commands of a fleet: `feltwire relay` and `feltwire fleet`."""
