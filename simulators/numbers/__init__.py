"""Simulated generators that draw numbers."""
