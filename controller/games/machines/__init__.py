"""What every machine has: its account of tokens and meters, its door, its test mode, and the law of its plays."""
