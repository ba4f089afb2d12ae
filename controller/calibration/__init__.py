"""Calibrations: the signed proof that a table's wires and geometry are as its file has them."""
