"""Input lines: the interface of all backends, and the rules common to them.

A backend watches wires and passes each change to the line's `LineTracker`, which turns it into the values of
`hal.values`. So inversion, the first level and the detection of lost edges are implemented once, here.

Timing of an opening, on every backend with real wires:

    opened_ns       read_ns
       │ lines claimed │ levels read
    ───┼───────────────┼──────────────────► time
       └─ first Edge   └─ from here on every change is an Edge of its own

The first `Edge` of a line is dated `opened_ns`, so that no change can be older. A change between the two instants may
be included in the level that was read. Because edges alternate, it is included exactly if its level equals the one
read; then it is dropped, and does not count as a second edge to the same level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

from hal.values import Edge, EdgesLost, Loss, Rare

Pull: TypeAlias = Literal["up", "down", "none"]

HEADER_CHIP_LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""Labels of the GPIO chip behind the Pi's 40-pin header: Pi 5; Pi 4; Pi 3 and older.

A label is stable; the number is not: the header of a Pi 5 was gpiochip4 and became gpiochip0 at kernel 6.6.45.
On each of these chips a line's offset is its GPIO (BCM) number.
"""

NOT_YET_NS = -(1 << 63)
"""The `delivered_until` of a source that was never opened."""

_SEQNO_RANGE = 1 << 32
"""The kernel's event numbers have 32 bits."""


class LineError(Exception):
    """A line, its chip or its backend is wrong or unusable.

    The message names the line, what was expected, what was found and what to do.
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
    """Debouncing by the kernel, off by default: drivers debounce, and the kernel dates an edge at the period's end."""
    board: str | None = None
    """The name of the board whose input it is; None for a pin of this computer."""

    @property
    def wire(self) -> str:
        """The wire for people: `GPIO17`, or `input 3` of a board."""
        if self.board is not None:
            return f"input {self.gpio}"
        return f"GPIO{self.gpio}" if isinstance(self.gpio, int) else str(self.gpio)


class Sink(Protocol):
    """The destination of a source: the merge, or a list in a test."""

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Receives the values of the source of that name; the changes of one line come in their order."""


class LineSource(Protocol):
    """The lines that one backend watches.

    All methods are called on the event loop's thread, and `deliver` is called there.
    """

    name: str
    """The source's name in the merge; two sources of a table have different ones."""

    lines: frozenset[str]
    """The names of its lines."""

    detects_loss: bool
    """Whether every lost edge is reported. If not, a verdict needs other proof of the count."""

    kernel_time: bool
    """Whether times are taken by the kernel or the hardware at the edge, rather than by a program afterwards."""

    max_lateness_ns: int
    """The longest time from a change to its delivery, in nanoseconds."""

    @property
    def failed(self) -> LineError | None:
        """Why the source has stopped delivering; None while it works."""

    def open(self, sink: Sink) -> None:
        """Claims the lines, delivers one `Edge` per line with the level found, and then every change until `close`.

        Raises:
            LineError: a line or chip is not available.
        """

    def close(self) -> None:
        """Releases the lines and stops delivering. Calling it again does nothing."""

    def delivered_until(self, now_ns: int) -> int:
        """The time up to which everything has been delivered; nothing at or before it follows.

        `now_ns` is the clock, read before the call. Pending values are delivered first.
        """


def check_wires(specs: Iterable[LineSpec], board: str | None = None) -> list[LineSpec]:
    """Checks that each line has a wire of its own, and that all are on one chip or on `board`; returns them as a list.

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
    """The place of a line or an output, for people."""
    return "a pin of this computer" if board is None else f"a terminal of board {board!r}"


def by_chip(specs: Iterable[LineSpec]) -> dict[str | None, list[LineSpec]]:
    """The lines grouped by the label of their chip: each chip gets one source."""
    chips: dict[str | None, list[LineSpec]] = {}
    for spec in specs:
        chips.setdefault(spec.chip, []).append(spec)
    return chips


def lost_ns(known_ns: int, until_ns: int, next_ns: int) -> int:
    """The time of a loss after an edge at `known_ns`, on a source that has delivered everything up to `until_ns`, and
    before what reveals it at `next_ns`: where the line is no longer known."""
    return min(max(known_ns, until_ns) + 1, next_ns - 1)


class LineTracker:
    """Tracks the level of one line. Turns each change into an `Edge`, and detects changes that are missing.

    | change                                      | result                                                |
    |---------------------------------------------|-------------------------------------------------------|
    | the other level, next sequence number       | `Edge`                                                |
    | the same level, next sequence number        | `EdgesLost(REPEATED_LEVEL)`, `Edge`                   |
    | any level, n sequence numbers missing       | `EdgesLost(OVERFLOW, n)`, `Edge`                      |
    | as above, but the parity of n does not fit  | `EdgesLost(OVERFLOW, None)`: more is missing than n   |
    | the level just read, within the opening     | nothing: it is the change that was read               |

    A loss is dated where the line is no longer known: one nanosecond after its last edge, or after the time up to which
    the source has delivered everything if that is later. So no time passes in which a level seems to have held while
    changes of it were lost. It is before the edge that reveals it.
    """

    __slots__ = ("_flip", "_known_ns", "_level", "_line", "_read_ns", "_seqno")

    def __init__(self, line: str, inverted: bool = False) -> None:
        self._line = line
        self._flip = 1 if inverted else 0
        self._level: int | None = None
        self._known_ns = NOT_YET_NS
        self._read_ns: int | None = None
        self._seqno = 0

    def found(self, wire_level: int, opened_ns: int, read_ns: int) -> Edge:
        """The first edge: the wire was found at `wire_level` between `opened_ns` and `read_ns`."""
        self._level = wire_level ^ self._flip
        self._known_ns = opened_ns
        self._read_ns = read_ns
        return Edge(self._line, self._level, opened_ns)

    def changed(
        self, wire_level: int, t_ns: int, rare: list[Rare], until_ns: int, seqno: int | None = None
    ) -> Edge | None:
        """The edge for a change of the wire to `wire_level`; a loss that it reveals is appended to `rare`.

        `until_ns` is the time up to which the source has delivered everything: at most `t_ns - 2`. `seqno` is the
        number of the change on this line, from 1, if the backend has one.
        """
        level = wire_level ^ self._flip
        before, opening = self._level, self._read_ns is not None and t_ns <= self._read_ns
        known_ns, self._known_ns = self._known_ns, t_ns
        self._level = level
        self._read_ns = None
        missed = 0
        if seqno is not None:
            # The binding returns the kernel's unsigned number as a signed one, hence the modulus.
            missed = (seqno - self._seqno - 1) % _SEQNO_RANGE
            self._seqno = seqno
        if missed:
            # Changes alternate, so n missing ones before this one determine its level.
            fits = before is None or level == before ^ ((missed + 1) & 1)
            rare.append(
                EdgesLost(self._line, Loss.OVERFLOW, lost_ns(known_ns, until_ns, t_ns), missed if fits else None)
            )
        elif level == before:
            if opening:
                return None
            rare.append(EdgesLost(self._line, Loss.REPEATED_LEVEL, lost_ns(known_ns, until_ns, t_ns)))
        return Edge(self._line, level, t_ns)

    def unplugged(self, until_ns: int) -> EdgesLost:
        """The loss of a line that is no longer read, by a source that has delivered everything up to `until_ns`."""
        return EdgesLost(self._line, Loss.UNPLUGGED, max(self._known_ns, until_ns) + 1)

    def lost(self) -> None:
        """A loss was reported by other means: the level is unknown until the next edge."""
        self._level = None
