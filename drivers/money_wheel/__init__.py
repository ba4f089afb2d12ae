"""The money wheel (big six), sensed by an encoder or by its pegs."""
