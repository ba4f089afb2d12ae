"""Guided movements: what a person does with a device, and what its lines must do then.

No software can see that two equal sensors are exchanged, or that the indicator is over another space than the
count says. A person who moves the device in a known way can. A movement is judged by a pure function of what the
lines did, so that a live table, a capture and a test are judged by the same code.

    instruction ─► a person moves the device ─► Recording ─► judge ─► MovementResult
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from drivers.base.driver import Driver, Observation
from hal.values import Edge, EdgesLost, Frame, Rare, Reading

OTHER_LEVEL: Final = (
    'write inverted the other way; with pull = "down" and inverted = true, an open collector (NPN) needs pull = "up"'
)
"""What to do with a line that is 1 at rest, where the movement does not know how it is wired."""
BOUNCE_NS: Final = 20_000_000
"""Changes of a contact closer than this are its bounce (ours)."""


class Recording(NamedTuple):
    """What the lines did while a person moved something: edges and other values, each in the order of time.

    The first edge of a line is the level that was found at the start, not a change.
    """

    edges: Sequence[Edge]
    rare: Sequence[Rare]
    until_ns: int

    @property
    def found(self) -> dict[str, int]:
        """The level of each line at the start."""
        levels: dict[str, int] = {}
        for line, level, _ in self.edges:
            levels.setdefault(line, level)
        return levels

    def changes(self, line: str) -> list[Edge]:
        """The changes of a line, without the level at the start."""
        return [edge for edge in self.edges if edge.line == line][1:]

    @property
    def moved(self) -> list[str]:
        """The lines that changed, by the time of their first change."""
        seen: set[str] = set()
        order: dict[str, None] = {}
        for line, _, _ in self.edges:
            if line in seen:
                order.setdefault(line)
            seen.add(line)
        return list(order)

    def frames(self, link: str) -> list[bytes]:
        """The frames of a serial link."""
        return [value.data for value in self.rare if isinstance(value, Frame) and value.link == link]

    def readings(self, line: str) -> list[float]:
        """The readings of an analogue line."""
        return [value.value for value in self.rare if isinstance(value, Reading) and value.line == line]

    def losses(self, lines: Collection[str]) -> list[EdgesLost]:
        """What was lost of these lines."""
        return [value for value in self.rare if isinstance(value, EdgesLost) and value.line in lines]


class PlotRow(NamedTuple):
    """One row of a small plot: a value that was measured, and what the file has."""

    label: str
    value: float
    expected: float | None
    unit: str


class MovementResult(NamedTuple):
    """What a movement has shown."""

    passed: bool
    found: str
    """What the lines did, in words."""
    fix: str = ""
    """What to do, where it has not passed."""
    measured: Mapping[str, Any] = {}
    """Values that the calibration keeps, by their names."""
    plot: tuple[PlotRow, ...] = ()


Judge: TypeAlias = Callable[[Recording], MovementResult]


class Movement(NamedTuple):
    """One movement that a person makes."""

    name: str
    """`turn_rotor`; unique in its device."""
    instruction: str
    """What to do, for a person beside the device."""
    lines: tuple[str, ...]
    """The lines that it concerns."""
    judge: Judge
    asked: int = 0
    """The space, pocket or value that the person is asked for, where there is one."""
    after: tuple[str, ...] = ()
    """Movements that must have passed before: without them its advice would mislead."""


def failed(found: str, fix: str, plot: tuple[PlotRow, ...] = ()) -> MovementResult:
    """A movement that did not show what it should."""
    return MovementResult(False, found, fix, plot=plot)


def dead_lines(recording: Recording, lines: Collection[str]) -> list[str]:
    """Those of the lines that did not change."""
    moved = {*recording.moved}
    return [line for line in lines if line not in moved]


def mostly_high(recording: Recording, lines: Collection[str]) -> list[str]:
    """Those of the lines that were 1 for most of the time between their first change and their last: something passed
    each and was gone again, so an upright line is 0 for most of it.
    """
    found: list[str] = []
    for line in lines:
        changes = recording.changes(line)
        high_ns = sum(after.t_ns - before.t_ns for before, after in pairwise(changes) if before.level)
        if changes and 2 * high_ns > changes[-1].t_ns - changes[0].t_ns:
            found.append(line)
    return found


def inverted_lines(lines: Collection[str]) -> MovementResult:
    """What is found of lines that are 1 for most of a movement in which something passes them."""
    return failed(
        f"{', '.join(lines)}: 1 while nothing is there, and 0 while something passes",
        f"for {', '.join(lines)} {OTHER_LEVEL}",
    )


def unusable(recording: Recording, lines: Collection[str]) -> MovementResult | None:
    """Why a recording proves nothing: lines that were still, or edges that were lost. None where it can be judged."""
    dead = dead_lines(recording, lines)
    if dead:
        found = f"{', '.join(dead)} did not change"
        fix = "check its wire, its supply and the gap of its sensor; feltwire pins shows where it goes"
        instead = [line for line in recording.moved if line not in lines]
        if len(instead) == len(dead):
            found += f", and {', '.join(instead)} did, which this movement does not touch"
            fix = f"exchange the wires of {dead[0]} and {instead[0]}, or their pins in the file; else {fix}"
        return failed(found, fix)
    lost = recording.losses(lines)
    if lost:
        found = f"changes of {', '.join(sorted({loss.line for loss in lost}))} were lost ({lost[0].cause})"
        return failed(found, "move more slowly; if it happens again, look for noise and a loose contact")
    return None


def press(line: str, instruction: str, siblings: Collection[str] = ()) -> Movement:
    """A contact that is closed once: its line, and none of its siblings, goes to 1 and back to 0."""
    others = [other for other in siblings if other != line]

    def judge(recording: Recording) -> MovementResult:
        return _judge_press(recording, line, others)

    return Movement(f"press_{line}", instruction, (line, *others), judge)


def _judge_press(recording: Recording, line: str, others: Sequence[str]) -> MovementResult:
    moved = [other for other in recording.moved if other in others]
    changes = recording.changes(line)
    if not changes:
        if moved:
            found = f"{line} did not change, and {', '.join(moved)} did"
            return failed(found, f"exchange the wires of {line} and {moved[0]}, or their pins in the file")
        return failed(f"{line} did not change", "check its wire and its contact; feltwire pins shows where it goes")
    if recording.found.get(line):
        fix = f"let it go before you begin; if it was free, for {line} {OTHER_LEVEL}"
        return failed(f"{line} is 1 at rest", fix)
    if moved:
        found = f"{', '.join(moved)} changed with {line}"
        return failed(found, f"the wires of {line} and {moved[0]} touch, or share a ground that is open: part them")
    if changes[-1].level:
        return failed(f"{line} stayed 1", "let it go before you press ENTER; if you did, the contact sticks")
    bounce = [b.t_ns - a.t_ns for a, b in pairwise(changes) if b.t_ns - a.t_ns < BOUNCE_NS]
    words = f", bouncing for {sum(bounce) / 1e6:.1f} ms" if bounce else ""
    return MovementResult(True, f"{line} alone went to 1 and back{words}")


def in_order(name: str, instruction: str, lines: Sequence[str]) -> Movement:
    """Something that passes sensors one after the other: their lines first rise in this order."""

    def judge(recording: Recording) -> MovementResult:
        wrong = unusable(recording, lines)
        if wrong is not None:
            return wrong
        high = [line for line in lines if recording.found.get(line)]
        if high:
            return failed(f"{', '.join(high)} is 1 at rest", f"clear what is there; else {OTHER_LEVEL}")
        rises: dict[str, int] = {}
        for line, level, t_ns in recording.edges:
            if level and line in lines:
                rises.setdefault(line, t_ns)
        order = sorted(rises, key=lambda line: rises[line])
        if order == [*lines]:
            return MovementResult(
                True, f"{' → '.join(order)}, over {(rises[order[-1]] - rises[order[0]]) / 1e6:.0f} ms"
            )
        exchanged = [line for line, there in zip(lines, order, strict=True) if line != there]
        return failed(
            f"the order was {' → '.join(order)}, not {' → '.join(lines)}",
            f"exchange the wires of {' and '.join(exchanged)}, or their pins in the file",
        )

    return Movement(name, instruction, tuple(lines), judge)


def observe(driver: Driver, recording: Recording) -> list[Observation]:
    """What a device's own driver makes of a recording: the proof goes through the code that judges play."""
    lines = driver.lines
    links = [value for value in recording.rare if _place(value) in lines]
    found: list[Observation] = []
    start, count = 0, len(recording.edges)
    for value in links:
        end = start
        while end < count and recording.edges[end].t_ns <= value.t_ns:
            end += 1
        found += driver.edges(recording.edges[start:end])
        start = end
        match value:
            case Reading():
                found += driver.reading(value)
            case Frame():
                found += driver.frame(value)
            case EdgesLost():
                found += driver.lost(value)
    found += driver.edges(recording.edges[start:])
    found += driver.due(recording.until_ns)
    return found


def _place(value: Rare) -> str:
    match value:
        case Reading() | EdgesLost():
            return value.line
        case Frame():
            return value.link
    return ""


class LineBounds(NamedTuple):
    """What a line of a device can do: faster edges are noise, and what the controller reads must keep up with."""

    most_hz: float
    """The greatest number of edges a second in play."""
    least_pulse_us: float
    """The shortest pulse, of either level, in play."""
    why: str
    """What gives the bounds, in words: `100 slots at 90 rpm`."""
