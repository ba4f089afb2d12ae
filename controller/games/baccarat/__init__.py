"""Baccarat and mini-baccarat."""
