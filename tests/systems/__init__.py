"""The project on clean systems: Debian 12 and 13, as whoever downloads it has them (make systems)."""
