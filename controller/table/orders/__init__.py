"""What people order at a table: each group of orders is a module, and one book carries them all out."""
