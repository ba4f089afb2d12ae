"""The bed of a token pusher: its shelf, its edges, and its tilt bob."""
