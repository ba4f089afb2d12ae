"""A table's TOML file: read, checked as a whole, and turned into frozen values."""
