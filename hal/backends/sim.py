"""Input lines in memory, driven by a simulated device or a test.

Levels are those of the line, as drivers see them: there is no wire, so there is no inversion. The caller advances the
time, by driving lines and by `passed`; no clock is read here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hal.lines import NOT_YET_NS, LineError, Sink, lost_ns
from hal.values import Command, Edge, EdgesLost, Frame, Loss, Rare, Reading


class SimLines:
    """Lines that change by method calls.

    Before `open`, driving a line only sets its level, which `open` then finds, as on a real wire. Time must not go
    back.
    """

    detects_loss = True
    kernel_time = True
    max_lateness_ns = 0

    def __init__(
        self,
        lines: Iterable[str],
        *,
        readings: Iterable[str] = (),
        name: str = "sim",
        levels: Mapping[str, int] | None = None,
        start_ns: int = 0,
    ) -> None:
        """`lines` are the digital lines, `readings` the analogue ones.

        `levels` are the levels of digital lines at `start_ns`, where they are not 0.

        Raises:
            LineError: a level is given for an unknown line.
        """
        self.name = name
        self._levels: dict[str, int | None] = dict.fromkeys(sorted(lines), 0)
        self._readings = frozenset(readings)
        self.lines = frozenset(self._levels) | self._readings
        self._sink: Sink | None = None
        self._opened = False
        self._now_ns = start_ns
        self._edge_ns = NOT_YET_NS
        self._until_ns = NOT_YET_NS
        for line, level in (levels or {}).items():
            self._levels[self._known(line)] = level

    @property
    def failed(self) -> LineError | None:
        """Always None: memory does not fail."""
        return None

    def open(self, sink: Sink) -> None:
        """Delivers the level of each line, at the current simulated time.

        Raises:
            LineError: it is open already.
        """
        if self._sink is not None:
            raise LineError(f"source {self.name!r}: it is open already; close it first")
        self._sink, self._opened = sink, True
        found = [Edge(line, level, self._now_ns) for line, level in self._levels.items() if level is not None]
        sink.deliver(self.name, found, [])

    def close(self) -> None:
        """Stops delivering."""
        self._sink = None

    def delivered_until(self, now_ns: int) -> int:
        """The simulated time, but not beyond `now_ns`."""
        if self._sink is None:
            return now_ns if self._opened else NOT_YET_NS
        return min(now_ns, self._until_ns)

    def drive(self, line: str, level: int, t_ns: int) -> None:
        """Drives a line to a level. If the line has it already, a lost edge is reported (`REPEATED_LEVEL`).

        Raises:
            LineError: there is no such line.
            ValueError: the level is not 0 or 1, or time went back.
        """
        self.play([Edge(line, level, t_ns)])

    def read(self, line: str, value: float, t_ns: int) -> None:
        """Delivers an analogue reading.

        Raises:
            LineError: there is no such analogue line.
            ValueError: time went back.
        """
        if line not in self._readings:
            raise self._unknown(line, self._readings)
        self.play([], [Reading(line, value, t_ns)])

    def frame(self, link: str, data: bytes, t_ns: int) -> None:
        """Delivers a frame of a serial link."""
        self.play([], [Frame(link, data, t_ns)])

    def command(self, command: Command) -> None:
        """Delivers a command that a person sends."""
        self.play([], [command])

    def lose(self, line: str, cause: Loss, t_ns: int, missing: int | None = None) -> None:
        """Reports lost changes of a line; its level is unknown until it is driven again."""
        self.play([], [EdgesLost(self._known(line), cause, t_ns, missing)])

    def passed(self, until_ns: int) -> None:
        """Advances the time: nothing at or before `until_ns` follows."""
        self.play([], [], until_ns)

    def play(self, edges: Sequence[Edge], rare: Sequence[Rare] = (), until_ns: int | None = None) -> None:
        """Delivers many values, each sequence in order of time, and advances the time to `until_ns`.

        Raises:
            LineError: there is no such line.
            ValueError: a level is not 0 or 1, or time went back.
        """
        edges, values = list(edges), list(rare)
        levels, last_ns, before_ns = self._levels, self._now_ns, self._edge_ns
        unknown_after = _losses(values)
        lost: list[Rare] = []
        for line, level, t_ns in edges:
            if t_ns < last_ns:
                raise ValueError(
                    f"source {self.name!r}: time went backwards from {last_ns} to {t_ns} ns at line {line!r}"
                )
            if line not in levels:
                self._known(line)
            if level not in (0, 1):
                raise ValueError(f"line {line!r}: expected level 0 or 1, got {level!r}")
            while unknown_after and unknown_after[0].t_ns < t_ns:
                self._forget(unknown_after.pop(0))
            if levels[line] == level:
                # What is played in order is known up to the edge before; nothing is dated before what was delivered.
                lost_at_ns = max(lost_ns(before_ns, self._until_ns, t_ns), self._until_ns + 1)
                lost.append(EdgesLost(line, Loss.REPEATED_LEVEL, lost_at_ns))
            levels[line] = level
            last_ns = before_ns = t_ns
        self._edge_ns = before_ns
        for loss in unknown_after:
            self._forget(loss)
        if values:
            if values[0].t_ns < self._now_ns:
                raise ValueError(
                    f"source {self.name!r}: time went backwards from {self._now_ns} to {values[0].t_ns} ns"
                )
            last_ns = max(last_ns, values[-1].t_ns)
        if until_ns is None:
            # More may follow at the same time, and a loss that it reveals is dated before it.
            until_ns = last_ns - 2
        self._until_ns = max(self._until_ns, until_ns)
        self._now_ns = max(last_ns, until_ns + 1)
        if self._sink is not None and (edges or values):
            values.extend(lost)
            self._sink.deliver(self.name, edges, values)

    def _forget(self, loss: EdgesLost) -> None:
        if loss.line in self._levels:
            self._levels[loss.line] = None

    def _known(self, line: str) -> str:
        if line not in self._levels:
            raise self._unknown(line, self._levels)
        return line

    def _unknown(self, line: str, there: Iterable[str]) -> LineError:
        has = ", ".join(sorted(there)) or "none"
        return LineError(f"line {line!r}: not among the lines of source {self.name!r} ({has}); add it to the source")


def _losses(rare: Sequence[Rare]) -> list[EdgesLost]:
    return [value for value in rare if isinstance(value, EdgesLost)]
