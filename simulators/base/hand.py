"""A person's hand at a simulated device: the guided movements of a calibration, and wiring mistakes to find with them.

A hand moves the device as it is built; a `WiringMistake` is between the device and the lines that are seen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple, Protocol, runtime_checkable

from hal.clock import NS_PER_S
from hal.values import Batch, Edge, Rare, Reading

SETTLE_S: Final = 0.5
"""Before and after a movement nothing happens for this long."""
PRESS_S: Final = 0.4
BOUNCES: Final = 3
BOUNCE_NS: Final = 700_000


class HandMovementError(ValueError):
    """The hand has no such movement."""


class SimulatedHand(Protocol):
    """Moves a device in the ways that a person is asked for."""

    def move(self, movement: str, lines: Sequence[str], asked: int) -> Batch:
        """What the lines do, from time 0 on; the first edge of each line is the level found.

        Raises:
            HandMovementError: the device has no such movement.
        """


@runtime_checkable
class HandMoved(Protocol):
    """A geometry whose devices a hand can move."""

    def hand(self, seed: int) -> SimulatedHand:
        """A hand; equal seeds move equally."""


class WiringMistake(NamedTuple):
    """What is wrong between the devices and the lines that are seen."""

    exchanged: Mapping[str, str] = {}
    """The line that is seen for each line of the device that goes elsewhere."""
    inverted: Collection[str] = ()
    dead: Collection[str] = ()
    reversed_readings: Collection[str] = ()

    def lines(self, batch: Batch) -> Batch:
        """The batch as it is seen through the mistake."""
        edges: list[Edge] = []
        for edge in batch.edges:
            line = self.exchanged.get(edge.line, edge.line)
            if line in self.dead:
                if all(one.line != line for one in edges):
                    edges.append(Edge(line, 0, edge.t_ns))
                continue
            edges.append(Edge(line, edge.level ^ (line in self.inverted), edge.t_ns))
        return batch._replace(edges=edges, rare=[self._rare(value) for value in batch.rare])

    def _rare(self, value: Rare) -> Rare:
        if not isinstance(value, Reading):
            return value
        line = self.exchanged.get(value.line, value.line)
        return Reading(line, -value.value if line in self.reversed_readings else value.value, value.t_ns)


def parse_mistake(text: str) -> WiringMistake:
    """`exchange:LINE,LINE`, `invert:LINE`, `dead:LINE` or `reverse:LINE` (an analogue one).

    Raises:
        ValueError: it is none of these.
    """
    kind, _, names = text.partition(":")
    lines = [name for name in names.split(",") if name]
    if kind == "exchange" and len(lines) == 2 and lines[0] != lines[1]:
        return WiringMistake(exchanged={lines[0]: lines[1], lines[1]: lines[0]})
    if kind == "invert" and lines:
        return WiringMistake(inverted=tuple(lines))
    if kind == "dead" and lines:
        return WiringMistake(dead=tuple(lines))
    if kind == "reverse" and lines:
        return WiringMistake(reversed_readings=tuple(lines))
    raise ValueError(f'"{text}": expected exchange:LINE,LINE, invert:LINE, dead:LINE or reverse:LINE')


def found_low(lines: Collection[str]) -> list[Edge]:
    """The levels at the start, all 0."""
    return [Edge(line, 0, 0) for line in lines]


def pressed(line: str, lines: Collection[str], random: Random, at_s: float = SETTLE_S) -> Batch:
    """A contact that is closed and opened, and bounces at both."""
    begin_ns = round(at_s * NS_PER_S)
    end_ns = begin_ns + round(PRESS_S * NS_PER_S)
    edges = [Edge(line, 0, 0), *found_low([other for other in lines if other != line])]
    for t_ns, level in ((begin_ns, 1), (end_ns, 0)):
        edges.append(Edge(line, level, t_ns))
        for _ in range(random.randrange(BOUNCES)):
            t_ns += random.randrange(50_000, BOUNCE_NS)
            edges += [Edge(line, 1 - level, t_ns), Edge(line, level, t_ns + random.randrange(20_000, 40_000))]
            t_ns += 40_000
    return Batch(edges, [], end_ns + round(SETTLE_S * NS_PER_S))


def passed(lines: Sequence[str], gap_s: float, pulse_s: float) -> Batch:
    """Something that passes sensors one after the other."""
    edges = found_low(lines)
    for number, line in enumerate(lines):
        begin_ns = round((SETTLE_S + number * gap_s) * NS_PER_S)
        edges += [Edge(line, 1, begin_ns), Edge(line, 0, begin_ns + round(pulse_s * NS_PER_S))]
    edges.sort(key=lambda edge: edge.t_ns)
    return Batch(edges, [], round((2 * SETTLE_S + len(lines) * gap_s) * NS_PER_S))


class ContactHand:
    """The movements that every table has: contacts that are pressed, beams that are passed in order."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def move(self, movement: str, lines: Sequence[str], asked: int) -> Batch:
        """Presses the first line of a movement `press_…`; lets a die fall past all lines of `drop_die`.

        Raises:
            HandMovementError: it is another movement.
        """
        del asked  # a contact has no places
        if movement.startswith("press_"):
            return pressed(lines[0], lines, self.random)
        if movement == "drop_die":
            return passed(lines, 0.09, 0.03)
        raise HandMovementError(f"no simulated hand makes the movement {movement}")
