"""The commands that a table takes: a module for each group, and `book`, which carries them out."""
