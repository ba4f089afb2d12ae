"""What the games of dice have in common: the rules of every dice game, and the values of dice at rest."""
