"""Blackjack and multi-action blackjack."""
