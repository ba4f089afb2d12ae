"""The last minutes of a live table, in memory, so that a refused spin can be written to disk afterwards.

Bounded by time and by the number of values, because noise on one wire makes more of them in a second than play does in
an hour. The ring keeps the level of every line at its oldest end, so a capture cut from it begins with the right
levels.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter

from hal.capture.command_text import command_text
from hal.capture.secret import FrameSealer
from hal.capture.vcd_writer import VcdWriter
from hal.values import Batch, Command, Edge, EdgesLost, Frame, Loss, Rare, Reading

KEEP_NS = 5 * 60 * 1_000_000_000
"""The time that the ring covers (ours): a spin takes two minutes at most."""

MAX_VALUES = 100_000
"""The most values it holds (ours): some 12 MB of edges; four minutes of a money wheel that never rests."""

_PIECE_VALUES = 4096
_BYTES_OF_A_VALUE = 64
_T_NS = attrgetter("t_ns")


@dataclass(frozen=True, slots=True)
class RingCut:
    """A section of the ring: the levels and readings at `start_ns`, and all values from there to `batch.until_ns`.

    `complete` is False if the ring no longer, or not yet, held the whole section requested.
    """

    start_ns: int
    levels: dict[str, int]
    readings: dict[str, float]
    batch: Batch
    complete: bool

    def write(self, writer: VcdWriter) -> None:
        """Writes the section as a capture, except for the writer's `finish`."""
        writer.begin(self.start_ns, self.levels, self.readings)
        writer.write(self.batch)


class _LineStates:
    """The level or reading of each line; a line that is not known has no entry."""

    def __init__(self, levels: dict[str, int], readings: dict[str, float]) -> None:
        self.levels = levels
        self.readings = readings

    def copy(self) -> _LineStates:
        return _LineStates(dict(self.levels), dict(self.readings))

    def update(self, edges: Iterable[Edge], rare: Iterable[Rare]) -> None:
        unplugged: dict[str, int] = {}
        for value in rare:
            match value:
                case Reading(line, number, _):
                    self.readings[line] = number
                case EdgesLost(line, Loss.UNPLUGGED, t_ns, _):
                    unplugged[line] = t_ns
                    self.levels.pop(line, None)
        for line, level, t_ns in edges:
            if t_ns > unplugged.get(line, -1):
                self.levels[line] = level


class Ring:
    """Stores every batch of a table, and returns the section requested.

    `begin_ns` is when the table's lines were opened: there is nothing before it. With a `sealer`, frames of its secret
    links are stored as commitments only.
    """

    def __init__(
        self,
        begin_ns: int = 0,
        *,
        keep_ns: int = KEEP_NS,
        max_values: int = MAX_VALUES,
        sealer: FrameSealer | None = None,
    ) -> None:
        if keep_ns <= 0 or max_values <= 0:
            raise ValueError(f"a ring keeps some time and values, got {keep_ns} ns and {max_values} values")
        self._keep_ns = keep_ns
        self._max_values = max_values
        self._piece_values = max(1, min(_PIECE_VALUES, max_values // 8))
        self._sealer = sealer
        self._pieces: deque[Batch] = deque()
        self._weights: deque[int] = deque()
        self._weight = 0
        self._found = _LineStates({}, {})
        self._after_ns = begin_ns - 1
        self._until_ns = begin_ns - 1

    @property
    def start_ns(self) -> int:
        """The time from which the ring holds everything."""
        return self._after_ns + 1

    @property
    def until_ns(self) -> int:
        """The time up to which the ring holds everything."""
        return self._until_ns

    def __len__(self) -> int:
        """How many values the ring holds; a long frame counts as several."""
        return self._weight

    def append(self, batch: Batch) -> None:
        """Adds the next batch in order of time, and drops the oldest values beyond the bounds."""
        if batch.until_ns < self._until_ns:
            raise ValueError(f"a ring goes forward: a batch until {batch.until_ns} after one until {self._until_ns}")
        sealer = self._sealer
        if sealer is not None:
            batch = sealer.batch(batch)
        for piece in _pieces(batch, self._piece_values):
            weight = _weight(piece)
            self._pieces.append(piece)
            self._weights.append(weight)
            self._weight += weight
        self._until_ns = batch.until_ns
        while self._pieces and (
            self._weight > self._max_values or self._pieces[0].until_ns < self._until_ns - self._keep_ns
        ):
            self._drop_oldest()

    def show(self, frames: Iterable[Frame]) -> None:
        """Puts secret frames in the place of their commitments: what they show is exposed now.

        A frame whose commitment the ring does not hold any more changes nothing.
        """
        if self._sealer is None:
            return
        for frame in frames:
            sealed = self._sealer.seal(frame)
            for piece in reversed(self._pieces):
                if sealed in piece.rare:
                    piece.rare[piece.rare.index(sealed)] = frame
                    break

    def cut(self, from_ns: int, to_ns: int) -> RingCut:
        """All values with `from_ns <= t_ns <= to_ns` that the ring holds, and the levels at `from_ns`."""
        start_ns = max(from_ns, self.start_ns)
        end_ns = max(min(to_ns, self._until_ns), start_ns)
        found = self._found.copy()
        edges: list[Edge] = []
        rare: list[Rare] = []
        for piece in self._pieces:
            before, within = _split(piece, start_ns, end_ns)
            found.update(before.edges, before.rare)
            edges += within.edges
            rare += within.rare
            if piece.until_ns >= end_ns:
                break
        return RingCut(
            start_ns=start_ns,
            levels=found.levels,
            readings=found.readings,
            batch=Batch(edges, rare, end_ns),
            complete=self.start_ns <= from_ns and to_ns <= self._until_ns,
        )

    def _drop_oldest(self) -> None:
        piece = self._pieces.popleft()
        self._weight -= self._weights.popleft()
        self._found.update(piece.edges, piece.rare)
        self._after_ns = piece.until_ns


def _weight(batch: Batch) -> int:
    return len(batch.edges) + sum(1 + _bytes(value) // _BYTES_OF_A_VALUE for value in batch.rare)


def _bytes(value: Rare) -> int:
    match value:
        case Frame(_, data, _):
            return len(data)
        case Command():
            return len(command_text(value))
    return 0


def _split(batch: Batch, start_ns: int, end_ns: int) -> tuple[Batch, Batch]:
    """The values before `start_ns`, and those from there to `end_ns`."""
    edges, rare, _ = batch
    edge, edge_end = bisect_left(edges, start_ns, key=_T_NS), bisect_right(edges, end_ns, key=_T_NS)
    other, other_end = bisect_left(rare, start_ns, key=_T_NS), bisect_right(rare, end_ns, key=_T_NS)
    return (
        Batch(edges[:edge], rare[:other], start_ns - 1),
        Batch(edges[edge:edge_end], rare[other:other_end], end_ns),
    )


def _pieces(batch: Batch, values: int) -> Iterable[Batch]:
    """The batch in pieces of about this many values, none of which splits values of one time."""
    if len(batch.edges) + len(batch.rare) <= values:
        yield batch
        return
    times = sorted([*map(_T_NS, batch.edges), *map(_T_NS, batch.rare)])
    start_ns = times[0]
    for end_ns in sorted({*islice(times, values - 1, None, values), batch.until_ns}):
        yield _split(batch, start_ns, end_ns)[1]
        start_ns = end_ns + 1
