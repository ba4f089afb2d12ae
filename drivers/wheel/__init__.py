"""What every wheel with an encoder has in common: counts, their index, and doubts about them."""
