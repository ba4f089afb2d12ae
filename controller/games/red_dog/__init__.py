"""Red dog."""
