"""The other end of the hal's wires: physics, sensors and faults. Imported only when a configuration asks for it."""
