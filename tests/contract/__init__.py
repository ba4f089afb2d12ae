"""One suite for all that offer the same capability."""
