"""What every game's room exports, and what builds its table."""
