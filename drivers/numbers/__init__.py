"""Devices that state a number that they drew."""
