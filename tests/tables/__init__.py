"""Tables for tests: scripted lines of wheels and dice devices, and benches that collect a table's events."""
