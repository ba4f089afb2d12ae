"""The movements that prove the dealer's buttons: each is pressed alone."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from drivers.base.movement import Movement, press
from drivers.dealer.buttons import BUTTONS, ButtonsConfig

_INSTRUCTIONS: Final = {
    "dealer_no_more_bets": 'Press and let go of the dealer\'s button "No more bets"',
    "dealer_settled": "Press and let go of the dealer's button for a settled round",
    "dealer_void": "Press and let go of the dealer's button for a void round",
    "supervisor_key": "Turn the supervisor's key, and turn it back",
}


def buttons_movements(config: ButtonsConfig, wired: Collection[str]) -> list[Movement]:
    """The movements of the buttons that are wired."""
    del config  # the wires determine which buttons there are
    there = [line for line in BUTTONS if line in wired]
    return [press(line, _INSTRUCTIONS[line], there) for line in there]
