"""What people send to a table: one module a group of orders, and one book that holds them all."""
