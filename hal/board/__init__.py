"""Boards with firmware of their own: their wire, their clock, their sessions."""
