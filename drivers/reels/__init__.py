"""Reels of a skill-stop machine: their home sensors, their stop buttons, and the board that steps them."""
