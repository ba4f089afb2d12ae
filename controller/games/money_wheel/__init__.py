"""The money wheel (big six), 13:47-20.29."""
