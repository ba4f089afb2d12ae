"""What goes wrong when a board is handled."""

from __future__ import annotations


class FirmwareError(Exception):
    """Firmware that must not be flashed, or cannot be: names the file, what was expected, what was seen, what to do."""
