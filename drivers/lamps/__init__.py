"""Lamps that show how a game stands: the areas of a layout, the puck and the markers."""
