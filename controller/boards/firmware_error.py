"""The error of firmware that must not or cannot be flashed."""

from __future__ import annotations


class FirmwareError(Exception):
    """Firmware must not or cannot be flashed: with the file, what was expected, what was found, and the fix."""
