"""The screen of a machine: what it shows, what was lit when, and where it was touched."""
