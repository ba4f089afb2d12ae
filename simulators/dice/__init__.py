"""Simulated dice tables: dice as bodies, their tumblers, and the people at them."""
