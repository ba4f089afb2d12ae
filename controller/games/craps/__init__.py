"""Craps and mini-craps, 13:47-20.25, 19:47-1 and 13:69F-1A."""
