"""The rules profiles of the games: cited data, and the bets that win by it."""
