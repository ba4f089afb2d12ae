"""The values that sources deliver to the drivers, and the outputs that the drivers return.

Each is a tuple, because a roulette table makes fifty of them a second for years and a capture a million
at once: unpacking a tuple is the cheapest thing Python can do with an edge.

Times are nanoseconds of one clock (`CLOCK_MONOTONIC` on a live table), taken by the kernel or a board when
the wire changed, never when Python woke up.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, TypeAlias


class Edge(NamedTuple):
    """A digital line took a level.

    The first edge of a line after its source opened is the level found at that time, not a change. Two equal levels in
    a row mean that a change between them was missed.
    """

    line: str
    level: int
    t_ns: int


class Reading(NamedTuple):
    """An analogue line had a value, in the unit of its device (level: degrees)."""

    line: str
    value: float
    t_ns: int


class Frame(NamedTuple):
    """One frame of a serial link, as received, without its terminator."""

    link: str
    data: bytes
    t_ns: int


class Command(NamedTuple):
    """A command that a person sends to the table."""

    verb: str
    given: tuple[tuple[str, str], ...]
    """Its keys and values, in the order in which they were sent."""
    t_ns: int
    id: str = ""
    """Under which it is carried out once; empty where it has none."""
    text: str = ""
    """The text of a capture, where it is not as `hal.capture.command_text` writes it: quoted and written as it was."""
    problem: str = ""
    """Why such a text is not a command; it then has no verb."""


class Loss(StrEnum):
    """How a loss of edges was detected."""

    OVERFLOW = "overflow"
    """The kernel's or board's buffer overflowed: sequence numbers have a gap."""
    REPEATED_LEVEL = "repeated_level"
    """Two edges to the same level: one between them was merged away."""
    LATE = "late"
    """An edge was delivered later than its source's stated lateness, after the watermark had passed it."""
    UNPLUGGED = "unplugged"
    """The line is no longer driven (`x` or `z` in a capture), or its chip or link was lost."""


class EdgesLost(NamedTuple):
    """At least one change of a line was not delivered.

    `t_ns` is where the line is no longer known: every change before it was delivered, so a level that held until then
    has held. From there its level is unknown until its next `Edge`. `missing` is how many changes were lost where the
    backend knows, else None.
    """

    line: str
    cause: Loss
    t_ns: int
    missing: int | None = None


Rare: TypeAlias = Reading | Frame | Command | EdgesLost
"""The values of a batch other than edges."""


class Batch(NamedTuple):
    """The values that all sources of a table delivered up to `until_ns`, in order of time.

    `edges` and `rare` are each sorted by `t_ns`; where an edge and a rare value have the same time, the edge is
    first. Nothing at or before `until_ns` follows: the reader may advance its time to there.
    """

    edges: list[Edge]
    rare: list[Rare]
    until_ns: int


# Outputs: what is to be done on a wire, as values. A live table executes them, simulated devices react to them, and a
# replay ignores them, because its capture holds the devices' reactions.


class SetLine(NamedTuple):
    """Set an output line."""

    line: str
    on: bool
    t_ns: int


class SendFrame(NamedTuple):
    """Send bytes on a link."""

    link: str
    data: bytes
    t_ns: int


class LightLamps(NamedTuple):
    """Light exactly these lamps of a chain, and read them back."""

    chain: str
    lit: frozenset[int]
    """Their places on the chain, from 1."""
    t_ns: int


class RunMotor(NamedTuple):
    """Run or stop a motor."""

    motor: str
    speed: float
    """-1 to 1 of its full speed; 0 stops it."""
    t_ns: int


Output: TypeAlias = SetLine | SendFrame | LightLamps | RunMotor
"""One command to an output."""
