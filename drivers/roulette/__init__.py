"""The roulette wheel: with sensors of our own, or an automatic wheel that reports its own state."""
