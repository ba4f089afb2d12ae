"""A roulette table with an automatic wheel, whose lines are given to it."""

from __future__ import annotations

from typing import Final

LINK: Final = "wheel_serial"
TABLE: Final = f"""
[table]
id = "roulette-3"
game = "roulette"
no_more_bets = "auto"
[lines]
backend = "capture"
[device.wheel]
driver = "star_x"
[links]
{LINK} = {{ port = "/dev/null" }}
[game]
trust_wheel = true
"""
