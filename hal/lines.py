"""Input lines: what a table asks of a backend, and the rules that hold for all of them.

A backend watches wires and hands what it saw to a `LineTracker`, one for each line, which makes the values of
`hal.values` out of it. So inversion, the first level and the finding of lost edges are written once, here.

Timing of an opening, on every backend that has real wires:

    opened_ns       read_ns
       │ lines claimed │ levels read
    ───┼───────────────┼──────────────────► time
       └─ first Edge   └─ from here on every change is an Edge of its own

The first `Edge` of a line is dated `opened_ns`, so that no change can be older. A change between the two instants may
already be in the level that was read. Edges alternate, so it is: when its level is the one that was read. Then it is
that reading's own cause, and not a second, equal level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

from hal.values import Edge, EdgesLost, Loss, Rare

Pull: TypeAlias = Literal["up", "down", "none"]

NOT_YET_NS = -(1 << 63)
"""What a source that was never opened has delivered until."""

_SEQNO_RANGE = 1 << 32
"""The kernel counts events in 32 bits."""


class LineError(Exception):
    """Something is wrong with a line, its chip or its backend.

    The message names the line, what was expected, what was seen and what to do.
    """


@dataclass(frozen=True, slots=True)
class LineSpec:
    """One input line as the configuration describes it."""

    name: str
    """The line's name in the table: `rotor_a`."""
    gpio: int | str | None = None
    """The GPIO number (BCM on a Pi), or the kernel's name for the line (`"GPIO17"`); None where there is no wire.

    On a board it is the number of the input, from 1.
    """
    chip: str | None = None
    """The label of the chip (`"pinctrl-rp1"`); None means the chip of the Pi's header."""
    pull: Pull = "none"
    """The resistor inside the chip."""
    inverted: bool = False
    """Whether a low wire is level 1."""
    debounce_ns: int = 0
    """A debounce by the kernel, off by default: drivers debounce, and this one dates an edge at the period's end."""
    board: str | None = None
    """The name of the board whose input it is; None for a pin of this computer."""

    @property
    def wire(self) -> str:
        """The wire for people: `GPIO17`, or `input 3` of a board."""
        if self.board is not None:
            return f"input {self.gpio}"
        return f"GPIO{self.gpio}" if isinstance(self.gpio, int) else str(self.gpio)


class Sink(Protocol):
    """Where sources deliver: the merge, or a test's list."""

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Takes what the source of that name has seen; the changes of one line come in their order."""


class LineSource(Protocol):
    """Lines that one backend watches.

    All methods are called on the event loop's thread, and `deliver` is called there.
    """

    name: str
    """The source's name in the merge; two sources of a table have different ones."""

    lines: frozenset[str]
    """The names of its lines."""

    detects_loss: bool
    """Whether a lost edge is always told. Where it is not, a verdict needs other proof of the count."""

    kernel_time: bool
    """Whether times are taken by the kernel or the hardware at the edge, rather than by a program afterwards."""

    max_lateness_ns: int
    """The longest time from a change to its delivery, in nanoseconds."""

    @property
    def failed(self) -> LineError | None:
        """Why the source can deliver no more; None while it can."""

    def open(self, sink: Sink) -> None:
        """Claims the lines and delivers one `Edge` a line with the level found. Delivers to `sink` until `close`.

        Raises:
            LineError: a line or chip cannot be had.
        """

    def close(self) -> None:
        """Lets the lines go and delivers nothing any more. Calling it again does nothing."""

    def delivered_until(self, now_ns: int) -> int:
        """The time up to which everything has been delivered; nothing at or before it is still to come.

        `now_ns` is the clock read before the call. What is at hand but not yet delivered is delivered first.
        """


def check_wires(specs: Iterable[LineSpec], board: str | None = None) -> list[LineSpec]:
    """The lines as a list, when each has a wire of its own, and all are on one chip, or on `board`.

    Raises:
        LineError: two lines share a name or a wire, a line has no wire or an unknown pull, or the lines are on
            several chips or elsewhere.
    """
    lines = list(specs)
    if not lines:
        raise LineError("lines: expected at least one line, got none; name the lines under [pins]")
    names: set[str] = set()
    wires: dict[int | str, str] = {}
    for spec in lines:
        if spec.gpio is None:
            raise LineError(f"line {spec.name!r}: expected a GPIO number or name, got none; add gpio = … under [pins]")
        if spec.pull not in get_args(Pull):
            raise LineError(f"line {spec.name!r}: expected pull = up, down or none, got {spec.pull!r}; correct it")
        if spec.name in names:
            raise LineError(f"line {spec.name!r}: it is given twice; remove one of the two under [pins]")
        if spec.board != board:
            raise LineError(
                f"line {spec.name!r}: expected {place_words(board)}, got {place_words(spec.board)}; correct it"
            )
        if spec.chip != lines[0].chip:
            raise LineError(
                f"line {spec.name!r}: it is on chip {spec.chip!r}, and line {lines[0].name!r} on {lines[0].chip!r}; "
                "make one source for each chip"
            )
        if spec.gpio in wires:
            raise LineError(
                f"line {spec.name!r}: {spec.wire} is already the wire of line {wires[spec.gpio]!r}; "
                "give each line a wire of its own under [pins]"
            )
        names.add(spec.name)
        wires[spec.gpio] = spec.name
    return lines


def place_words(board: str | None) -> str:
    """Where a line or an output is, for people."""
    return "a pin of this computer" if board is None else f"a terminal of board {board!r}"


def by_chip(specs: Iterable[LineSpec]) -> dict[str | None, list[LineSpec]]:
    """The lines of each chip, by its label: one source is made for each."""
    chips: dict[str | None, list[LineSpec]] = {}
    for spec in specs:
        chips.setdefault(spec.chip, []).append(spec)
    return chips


class LineTracker:
    """What one line was last seen at. Turns what a backend saw into an `Edge`, and what is missing into a loss.

    | seen                                        | told                                                  |
    |---------------------------------------------|-------------------------------------------------------|
    | the other level, next sequence number       | `Edge`                                                |
    | the same level, next sequence number        | `EdgesLost(REPEATED_LEVEL)`, `Edge`                   |
    | any level, n sequence numbers missing       | `EdgesLost(OVERFLOW, n)`, `Edge`                      |
    | as above, but the parity of n does not fit  | `EdgesLost(OVERFLOW, None)`: more is missing than n   |
    | the level just read, within the opening     | nothing: the reading's own cause                      |

    A loss is dated one nanosecond before the edge that shows it, because of things at one time the edge comes first.
    """

    __slots__ = ("_flip", "_level", "_line", "_read_ns", "_seqno")

    def __init__(self, line: str, inverted: bool = False) -> None:
        self._line = line
        self._flip = 1 if inverted else 0
        self._level: int | None = None
        self._read_ns: int | None = None
        self._seqno = 0

    def found(self, wire_level: int, opened_ns: int, read_ns: int) -> Edge:
        """The first edge: the wire was found at `wire_level` between `opened_ns` and `read_ns`."""
        self._level = wire_level ^ self._flip
        self._read_ns = read_ns
        return Edge(self._line, self._level, opened_ns)

    def changed(self, wire_level: int, t_ns: int, rare: list[Rare], seqno: int | None = None) -> Edge | None:
        """The edge that a change of the wire to `wire_level` makes; what it shows to be lost is added to `rare`.

        `seqno` is the number of the change on this line, counted from 1, where the backend has one.
        """
        level = wire_level ^ self._flip
        before, opening = self._level, self._read_ns is not None and t_ns <= self._read_ns
        self._level = level
        self._read_ns = None
        missed = 0
        if seqno is not None:
            # The binding hands the kernel's unsigned number over as a signed one, hence the modulus.
            missed = (seqno - self._seqno - 1) % _SEQNO_RANGE
            self._seqno = seqno
        if missed:
            # Changes alternate, so n missing ones before this one leave only one level for it.
            fits = before is None or level == before ^ ((missed + 1) & 1)
            rare.append(EdgesLost(self._line, Loss.OVERFLOW, t_ns - 1, missed if fits else None))
        elif level == before:
            if opening:
                return None
            rare.append(EdgesLost(self._line, Loss.REPEATED_LEVEL, t_ns - 1))
        return Edge(self._line, level, t_ns)

    def lost(self) -> None:
        """A loss was told by other means: the level is unknown until the next edge."""
        self._level = None
