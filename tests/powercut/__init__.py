"""Cutting the power of a journal: what it wrote is recorded, and played back up to any moment."""
