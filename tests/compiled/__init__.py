"""Compiled modules do what plain Python does."""
