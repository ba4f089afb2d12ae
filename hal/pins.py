"""What hal knows of the Pi's 40-pin header."""

from __future__ import annotations

HEADER_CHIP_LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""Labels of the GPIO chip behind the header: Pi 5; Pi 4; Pi 3 and older.

A label is stable where the number is not: the header of a Pi 5 was gpiochip4 and became gpiochip0 at kernel 6.6.45.
On each of these chips a line's offset is its GPIO (BCM) number.
"""
