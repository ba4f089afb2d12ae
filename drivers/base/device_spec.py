"""What a device wants of a line: which wire goes where, and what its levels mean."""

from __future__ import annotations

from typing import Literal, NamedTuple

from hal.outputs import BoardOutputKind

Kind = Literal["input", "output", "analogue", "link"]
"""What carries it: a wire that is read or driven, an analogue converter, or a serial port."""


class BoardPlace(NamedTuple):
    """The one terminal where a board works with a line by itself: drives it, watches it, or scans it."""

    kind: str
    """Of the board, such as `table`."""
    name: str
    """Of the terminal, as that kind of board calls it: `motor`, `key 1`."""
    active_low: bool = False
    """Whether the board takes a low wire as active, so that the line must be inverted."""


class LineUse(NamedTuple):
    """One line of a device, as the wiring table shows it."""

    purpose: str
    """What it is for: `quadrature channel A of the rotor`."""
    high: str
    """What level 1 means: `the beam is broken`; of an analogue line its unit, of a link its settings."""
    wire: str
    """Which wire of which part goes there: `output of channel A`."""
    kind: Kind = "input"
    required: bool = True
    """Whether the device cannot work without it."""
    drives: BoardOutputKind = "lamp"
    """What hangs on an output."""
    wire_inverted: str = ""
    """The same where the pin is inverted, if that is another wire."""
    at: BoardPlace | None = None
    """Where it must be if it is on a board; None if any terminal of its side will do."""
