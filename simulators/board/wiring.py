"""What the inputs of the carrier boards read.

Made from their netlists by `python -m firmware.hardware --figures`. Do not edit: change the circuit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Line(NamedTuple):
    """The levels of an input at the chip, with the sensors' feed on and off, and its pin of the chip."""

    pin: str
    rest: tuple[int, int]
    open: tuple[int, int]
    shorted: tuple[int, int]

    @property
    def is_fed(self) -> bool:
        """Whether a sensor at rest pulls it low only while it is fed."""
        return self.rest == (0, 1)


LINES: Final[Mapping[str, Mapping[str, Line]]] = {
    "wheel": {
        "in_1": Line("D2", (0, 0), (1, 1), (0, 0)),
        "in_2": Line("D3", (0, 0), (1, 1), (0, 0)),
        "in_3": Line("D4", (0, 0), (1, 1), (0, 0)),
        "in_4": Line("D5", (0, 0), (1, 1), (0, 0)),
        "in_5": Line("D6", (0, 0), (1, 1), (0, 0)),
        "in_6": Line("D7", (0, 0), (1, 1), (0, 0)),
        "in_7": Line("C0", (0, 0), (1, 1), (0, 0)),
        "in_8": Line("C1", (0, 0), (1, 1), (0, 0)),
    },
    "table": {
        "shaft": Line("D2", (0, 0), (1, 1), (0, 0)),
        "home": Line("D3", (0, 0), (1, 1), (0, 0)),
        "beam_1": Line("D4", (0, 0), (1, 1), (0, 0)),
        "beam_2": Line("D5", (0, 0), (1, 1), (0, 0)),
        "beam_3": Line("D6", (0, 0), (1, 1), (0, 0)),
        "beam_4": Line("D7", (0, 0), (1, 1), (0, 0)),
        "shake": Line("C0", (0, 0), (1, 1), (0, 0)),
        "turn": Line("C1", (0, 0), (1, 1), (0, 0)),
    },
    "reel": {
        "home_1": Line("D2", (0, 1), (1, 1), (0, 0)),
        "home_2": Line("D3", (0, 1), (1, 1), (0, 0)),
        "home_3": Line("D4", (0, 1), (1, 1), (0, 0)),
        "stop_1": Line("D5", (0, 1), (1, 1), (0, 0)),
        "stop_2": Line("D6", (0, 1), (1, 1), (0, 0)),
        "stop_3": Line("D7", (0, 1), (1, 1), (0, 0)),
        "token": Line("C0", (0, 1), (1, 1), (0, 0)),
        "power_fail": Line("C1", (0, 0), (0, 0), (0, 0)),
    },
    "pusher": {
        "token": Line("D2", (0, 1), (1, 1), (0, 0)),
        "win_a": Line("D3", (0, 1), (1, 1), (0, 0)),
        "win_b": Line("D4", (0, 1), (1, 1), (0, 0)),
        "shaft": Line("D5", (0, 1), (1, 1), (0, 0)),
        "tilt": Line("D6", (0, 1), (1, 1), (0, 0)),
        "hopper_coin": Line("D7", (0, 1), (1, 1), (0, 0)),
        "home": Line("C0", (0, 1), (1, 1), (0, 0)),
        "power_fail": Line("C1", (0, 0), (0, 0), (0, 0)),
    },
}
"""By kind of board and input."""
