"""A wheel of 24 spaces at a fair, for Feltwire."""
