"""A table without wires: simulated devices in virtual time, and the replay of captures."""
