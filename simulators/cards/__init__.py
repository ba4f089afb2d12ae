"""Simulated card equipment, and the tables that play with it."""
