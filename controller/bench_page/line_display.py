"""What the lines of a table did since the last update, as a browser draws it: bounded, whatever a line does.

A line with few changes is given edge by edge. One with more than `MOST_EDGES` since the last update (a chattering
contact, 10 kHz of noise) is given as `BINS` spans, each with its number of changes: it was high and low in all of it.
Nothing is dropped in silence: a span that represents several edges is marked as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from drivers.base.device_spec import Kind
from hal.capture.secret import PublicPart
from hal.plain_text import plain
from hal.values import Batch, Command, Edge, EdgesLost, Frame, Output, Rare, Reading, RunMotor, SendFrame, SetLine

MOST_EDGES: Final = 96
"""Edges of one line in one update that are given one by one (ours): 25 updates a second make 2400 a second."""
BINS: Final = 32
"""Spans of one line in one update (ours): about a pixel each."""
MOST_FRAMES: Final = 12
"""Frames of one link in one update that are shown; of more, the number is given (ours)."""
MOST_TEXT: Final = 96
"""Characters of a frame that are shown (ours)."""
FOLD_AT: Final = 20_000
"""Values of one line that are kept for an update; beyond that they are binned at once (ours)."""
SEALED_TEXT: Final = "sealed"
SENT: Final = "→ "
"""Before a frame that was sent to a device."""
_NO_SECRETS: Final[Mapping[str, PublicPart]] = {}
COMMANDS: Final = "command"
"""The row of what people ordered."""


class LinePart(msgspec.Struct, omit_defaults=True):
    """What one line did. Times are nanoseconds since the origin."""

    edges: list[tuple[int, int]] = []
    """Time and level."""
    busy: list[tuple[int, int, int, int]] = []
    """From, to, number of changes, level at the end: the line was high and low in between."""
    values: list[tuple[int, float]] = []
    """Readings of an analogue line."""
    ranges: list[tuple[int, int, float, float, float]] = []
    """From, to, least, greatest and last of several readings."""
    frames: list[tuple[int, str]] = []
    """Frames of a link, as text."""
    more: int = 0
    """Frames that are not shown."""
    lost: list[tuple[int, str]] = []
    """Losses of edges, and by what they were detected."""


class Measure(msgspec.Struct):
    """Numbers of one line, from every one of its edges."""

    level: int | None = None
    """None before its first value, and while it is unplugged."""
    value: float | None = None
    """The last reading of an analogue line."""
    high_ns: int | None = None
    """Width of the last complete high pulse."""
    low_ns: int | None = None
    period_ns: int | None = None
    """Between its last two rising edges."""
    rate_hz: float = 0.0
    """Changes a second, over the last second or more."""
    total: int = 0
    """Changes, readings or frames since the beginning."""
    changed_ns: int | None = None
    """When it last changed."""


class _Line:
    """One line: its numbers, and what is not yet given."""

    __slots__ = ("counted", "counted_ns", "measure", "part", "pending", "readings", "rise_ns")

    def __init__(self) -> None:
        self.measure = Measure()
        self.part = LinePart()
        self.pending: list[tuple[int, int]] = []
        self.readings: list[tuple[int, float]] = []
        self.rise_ns: int | None = None
        self.counted = 0
        self.counted_ns: int | None = None


class LineDisplay:
    """The lines of one table."""

    def __init__(
        self,
        lines: Mapping[str, Kind],
        sealed: Mapping[str, PublicPart] = _NO_SECRETS,
        *,
        origin_ns: int = 0,
        most_edges: int = MOST_EDGES,
        bins: int = BINS,
        most_frames: int = MOST_FRAMES,
    ) -> None:
        """`sealed` gives of each secret link what of a frame anybody may see; the rest is shown as sealed. `origin_ns`
        is the time that is called 0.
        """
        self._lines = {line: _Line() for line in [*lines, COMMANDS]}
        self._sealed = sealed
        self._origin_ns = origin_ns
        self._most_edges, self._bins, self._most_frames = most_edges, bins, most_frames

    def take(self, batch: Batch) -> None:
        """Takes what the lines did. A line that is not known is passed over: the table warns of it."""
        lines, origin_ns = self._lines, self._origin_ns
        for name, level, t_ns in batch.edges:
            line = lines.get(name)
            if line is not None:
                self._edge(line, level, t_ns - origin_ns)
        for rare in batch.rare:
            self._rare(rare)

    def output(self, command: Output) -> None:
        """Takes what is done at an output: a level, the speed of a motor, or what is sent."""
        if isinstance(command, SetLine):
            self.take(Batch([Edge(command.line, int(command.on), command.t_ns)], [], command.t_ns))
        elif isinstance(command, RunMotor):
            self.take(Batch([Edge(command.motor, int(command.speed != 0), command.t_ns)], [], command.t_ns))
        elif isinstance(command, SendFrame):
            self._sent(command.link, self._shown(command.link, command.data), command.t_ns)
        else:
            self._sent(command.chain, f"{len(command.lit)} lit", command.t_ns)

    def _shown(self, link: str, data: bytes) -> str:
        """A frame as text, as far as anybody may see it."""
        public = self._sealed.get(link)
        part = None if public is None else public(data)
        if part is None:
            return frame_text(data)
        return f"{frame_text(part)} {SEALED_TEXT}" if part else SEALED_TEXT

    def _sent(self, link: str, text: str, t_ns: int) -> None:
        line = self._lines.get(link)
        if line is None:
            return
        if len(line.part.frames) >= self._most_frames:
            line.part.more += 1
        else:
            line.part.frames.append((t_ns - self._origin_ns, f"{SENT}{text}"))

    def update(self) -> dict[str, LinePart]:
        """What the lines did since the last update; those that did nothing are left out."""
        found: dict[str, LinePart] = {}
        for name, line in self._lines.items():
            if line.pending:
                self._fold(line, self._most_edges)
            if line.readings:
                self._fold_readings(line)
            if line.part != _NOTHING:
                found[name], line.part = line.part, LinePart()
        return found

    def measures(self, now_ns: int) -> dict[str, Measure]:
        """The numbers of every line; `now_ns` is a time of the table."""
        now_ns -= self._origin_ns
        for line in self._lines.values():
            began_ns = line.counted_ns
            if began_ns is None or now_ns - began_ns >= _RATE_NS:
                seconds = 0.0 if began_ns is None else (now_ns - began_ns) / 1e9
                line.measure.rate_hz = round((line.measure.total - line.counted) / seconds, 2) if seconds else 0.0
                line.counted, line.counted_ns = line.measure.total, now_ns
        return {name: line.measure for name, line in self._lines.items()}

    def _edge(self, line: _Line, level: int, t_ns: int) -> None:
        measure = line.measure
        before, since_ns = measure.level, measure.changed_ns
        if before is not None and since_ns is not None and level != before:
            if level:
                measure.low_ns = t_ns - since_ns
                if line.rise_ns is not None:
                    measure.period_ns = t_ns - line.rise_ns
            else:
                measure.high_ns = t_ns - since_ns
        if level and level != before:
            line.rise_ns = t_ns
        measure.level, measure.changed_ns = level, t_ns
        measure.total += before is not None
        line.pending.append((t_ns, level))
        if len(line.pending) >= FOLD_AT:
            self._fold(line, 0)

    def _rare(self, rare: Rare) -> None:
        name = COMMANDS if isinstance(rare, Command) else rare.link if isinstance(rare, Frame) else rare.line
        line = self._lines.get(name)
        if line is None:
            return
        t_ns = rare.t_ns - self._origin_ns
        measure = line.measure
        if isinstance(rare, EdgesLost):
            if len(line.part.lost) < self._most_frames:
                line.part.lost.append((t_ns, str(rare.cause)))
            measure.level = measure.changed_ns = line.rise_ns = None
            return
        measure.total += 1
        measure.changed_ns = t_ns
        if isinstance(rare, Reading):
            measure.value = rare.value
            line.readings.append((t_ns, rare.value))
            if len(line.readings) >= FOLD_AT:
                self._fold_readings(line)
        elif len(line.part.frames) >= self._most_frames:
            line.part.more += 1
        elif isinstance(rare, Command):
            words = " ".join([rare.verb or rare.text, *(f"{key}={value}" for key, value in rare.given)])
            line.part.frames.append((t_ns, plain(words)[:MOST_TEXT]))
        else:
            line.part.frames.append((t_ns, self._shown(rare.link, rare.data)))

    def _fold(self, line: _Line, most: int) -> None:
        pending, line.pending = line.pending, []
        if len(pending) <= most:
            line.part.edges += pending
        else:
            line.part.busy += binned(pending, self._bins)

    def _fold_readings(self, line: _Line) -> None:
        readings, line.readings = line.readings, []
        if len(readings) <= self._bins * 2:
            line.part.values += readings
            return
        size = -(-len(readings) // self._bins)
        for at in range(0, len(readings), size):
            some = readings[at : at + size]
            values = [value for _, value in some]
            line.part.ranges.append((some[0][0], some[-1][0], min(values), max(values), values[-1]))


_NOTHING: Final = LinePart()
_RATE_NS: Final = 1_000_000_000


def binned(edges: Sequence[tuple[int, int]], bins: int) -> list[tuple[int, int, int, int]]:
    """Edges as spans of equal length: from the first edge in it to the last, how many, and the last level."""
    first_ns = edges[0][0]
    width_ns = max(1, -(-(edges[-1][0] - first_ns + 1) // bins))
    found: list[tuple[int, int, int, int]] = []
    place = -1
    for t_ns, level in edges:
        here = (t_ns - first_ns) // width_ns
        if here == place:
            from_ns, _, count, _ = found[-1]
            found[-1] = (from_ns, t_ns, count + 1, level)
        else:
            place = here
            found.append((t_ns, t_ns, 1, level))
    return found


def frame_text(data: bytes) -> str:
    """A frame as short text: printable ASCII as it is, anything else as hexadecimal digits."""
    if data and all(0x20 <= byte < 0x7F for byte in data):
        return data.decode("ascii")[:MOST_TEXT]
    return data.hex(" ")[:MOST_TEXT]
