"""Captures of sic bo tables, one for each refusal, and what a table says of each."""
