"""Lamps that show the state of a game: the areas of a layout, the puck and the markers."""
