"""One table: its life cycle, its events and their numbers, faults, inspections, orders, authority, bias."""
