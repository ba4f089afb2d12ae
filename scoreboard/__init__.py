"""The board that spectators see: a subscriber of the feed, served as a page to browsers."""
