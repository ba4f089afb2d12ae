"""The rules of the games as cited data, one profile for each regulation."""
