"""Tables' files for tests of tables on boards."""

from __future__ import annotations

MONEY_ON_A_BOARD = """\
[table]
id = "wheel-2"
game = "money_wheel"
no_more_bets = "button"
opens = "at_start"
[lines]
backend = "board"
[board.wheel]
kind = "wheel"
port = "wire://wheel"
[device.lamp]
[pins]
wheel_a = { input = 1 }
wheel_b = { input = 2, inverted = true }
wheel_index = { input = 3 }
dealer_no_more_bets = { input = 4, inverted = true }
no_more_bets_lamp = { output = 2 }
"""
