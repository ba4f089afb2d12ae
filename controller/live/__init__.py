"""A table on open wires: its sources, its outputs, and what becomes of both."""
