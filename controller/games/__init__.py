"""The games: one room for each family, the parts that they share, and the catalogue of them all."""
