"""Tables for tests: the lines of a scripted wheel, and a bench that hears what the table says of them."""
