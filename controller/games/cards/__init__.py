"""What games of cards share: the ledger of cards that left the shoe, and the procedure of a shuffler."""
