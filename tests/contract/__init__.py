"""One test suite for all implementations of a capability."""
