"""Captures of rounds that somebody will ask about: refused, left to the dealer, corrected, or stopped by a fault."""
