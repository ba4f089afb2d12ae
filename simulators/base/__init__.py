"""What every simulated table is made of: motion, sensors, faults, and the truth of a round."""
