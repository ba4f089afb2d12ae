"""A capture as a source of lines: replays what was recorded.

There are two ways to use it. `batches()` reads the whole file, for replay. Or it is a `LineSource` like any other, on a
clock that runs with the capture's own time: `open` delivers the values at the capture's first time, and `play_until(t)`
or `delivered_until(t)` those up to `t`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from operator import attrgetter
from pathlib import Path

from hal.capture.errors import CaptureError
from hal.capture.header import COMMAND, LOST, CaptureHeader, VariableKind, resolve
from hal.capture.vcd_reader import capture_header, open_capture
from hal.lines import NOT_YET_NS, LineError, Sink
from hal.values import Batch, Edge, Rare

DETECTS_LOSS = "detects_loss"
"""The metadata key by which a recorder states, with `yes`, that its source reported every loss."""

_T_NS = attrgetter("t_ns")


class CaptureSource:
    """The lines of one VCD file.

    `names` maps names in the file to lines; None selects every line under its own name. Its times are those of the
    recorder (`kernel_time`). A file alone cannot show that two edges were merged, so `detects_loss` is False
    unless its header states that the recorder reported every loss. Raises `CaptureError` if the file is invalid.
    """

    kernel_time = True
    max_lateness_ns = 0

    def __init__(self, path: str | Path, names: Mapping[str, str] | None = None, *, name: str = "capture") -> None:
        self.name = name
        self.path = Path(path)
        self.header: CaptureHeader = capture_header(path)
        self._names = names
        wanted = resolve(self.header, names, str(path))
        self.lines = frozenset(
            line for line, variable in wanted if not (variable.kind is VariableKind.STRING and line in (COMMAND, LOST))
        )
        self.failed: LineError | None = None
        """The error in the file, once it was reached."""
        self.detects_loss = self.header.metadata.get(DETECTS_LOSS) == "yes"
        self._file = ExitStack()
        self._sink: Sink | None = None
        self._batches: Iterator[Batch] = iter(())
        self._held = Batch([], [], -1)
        self._ended = False
        self._played_ns = NOT_YET_NS

    def batches(self) -> Iterator[Batch]:
        """The whole capture, from its beginning, regardless of `open`."""
        with open_capture(self.path) as capture:
            yield from capture.batches(self._names)

    def open(self, sink: Sink) -> None:
        """Starts playing into `sink`, with the values at the capture's first time.

        Raises:
            LineError: it is open already.
            CaptureError: the file is invalid.
        """
        if self._sink is not None:
            raise LineError(f"source {self.name!r}: it is open already; close it first")
        self._batches = self._file.enter_context(open_capture(self.path)).batches(self._names)
        self._held = Batch([], [], -1)
        self._ended = False
        self._played_ns = NOT_YET_NS
        self.failed = None
        self._sink = sink
        try:
            self._load()
            firsts = [values[0].t_ns for values in (self._held.edges, self._held.rare) if values]
            self.play_until(min(firsts, default=self._held.until_ns))
        except CaptureError:
            self.close()
            raise

    def play_until(self, t_ns: int) -> None:
        """Delivers everything up to `t_ns` that has not been delivered yet.

        Raises:
            LineError: the source is not open.
            CaptureError: the file is invalid from here on; `failed` has the error too.
        """
        sink = self._sink
        if sink is None:
            raise LineError(f"source {self.name!r}: it is not open; open it before playing")
        while True:
            self._deliver(sink, t_ns)
            if self._ended or self._held.until_ns > t_ns:
                break
            self._load()
        self._played_ns = max(self._played_ns, t_ns)

    def play(self) -> int:
        """Delivers the rest of the capture; returns its last time."""
        while not self._ended:
            self.play_until(self._held.until_ns)
        return self._held.until_ns

    def delivered_until(self, now_ns: int) -> int:
        """Plays until `now_ns` and returns it; earlier if the source is not open or the file is invalid before that."""
        if self._sink is not None and self.failed is None:
            with suppress(CaptureError):  # reported by `failed`
                self.play_until(now_ns)
        return min(self._played_ns, now_ns)

    def close(self) -> None:
        """Stops playing and closes the file."""
        self._sink = None
        self._batches = iter(())
        self._held = Batch([], [], -1)
        self._ended = True
        self._file.close()

    def _load(self) -> None:
        try:
            batch = next(self._batches, None)
        except CaptureError as error:
            self.failed = LineError(f"source {self.name!r}: {error}")
            raise
        if batch is None:
            self._ended = True
        else:
            self._held = batch

    def _deliver(self, sink: Sink, t_ns: int) -> None:
        edges, rare, until_ns = self._held
        edge, other = bisect_right(edges, t_ns, key=_T_NS), bisect_right(rare, t_ns, key=_T_NS)
        now: tuple[list[Edge], list[Rare]] = (edges[:edge], rare[:other])
        if edge or other:
            self._held = Batch(edges[edge:], rare[other:], until_ns)
            sink.deliver(self.name, *now)
