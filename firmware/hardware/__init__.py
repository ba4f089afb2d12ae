"""The carrier boards: circuits as data, and what is derived from them (drawings, netlists, bills, decks)."""
