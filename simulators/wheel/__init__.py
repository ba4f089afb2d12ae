"""What every simulated wheel has in common: the named faults of its lines."""
