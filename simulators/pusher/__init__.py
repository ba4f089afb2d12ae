"""A simulated token pusher: its bed of tokens, its chute, its sensors, and what players do to it."""
