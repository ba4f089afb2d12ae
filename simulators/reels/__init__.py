"""A simulated skill-stop machine: its reels, the board that steps them, and a player of a given skill."""
