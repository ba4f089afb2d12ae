"""Whether a game keeps what every game must keep: the author of a package runs it over a table of the game."""
