"""Boards as people handle them: their firmware, its flashing, what goes over their wire, and their state."""
