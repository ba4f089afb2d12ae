"""Captures of tables of cards."""
