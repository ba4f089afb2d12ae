"""The cabinet of a machine: its door."""
