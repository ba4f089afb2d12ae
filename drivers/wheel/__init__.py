"""Incremental encoders with an index: counts, their proof by the index, and lost edges."""
