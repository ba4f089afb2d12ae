"""The ways in which lines reach a table: one module for each, and none replaces another."""
