"""The simulated lamp chain."""
