"""What every game of cards shares: the shoe, its books, the shuffler, a card in excess, and the shuffle that is due."""
