"""Captures: reading and writing VCD, and the last minutes of a live table in memory."""
