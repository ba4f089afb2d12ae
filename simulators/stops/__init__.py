"""What simulated machines have alike whose reels a player stops, whatever turns the reels."""
