"""The screen of a machine and its player, simulated."""
