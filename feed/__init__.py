"""What a table says to the world: event types. Knows no device."""
