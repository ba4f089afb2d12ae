"""A capture of every refusal of craps, with the verdicts that are expected of it."""
