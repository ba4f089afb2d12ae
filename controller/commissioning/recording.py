"""Records the lines of a table into captures that `replay` takes: bounded files, the oldest removed, each complete.

out.vcd (a while) ─► out.2.vcd ─► out.3.vcd …       each begins with the levels found, and ends where the next begins
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from controller.commissioning.listening import open_lines
from controller.configuration.values import TableConfig
from controller.live.line_memory import LineMemory
from controller.live.live_table import NotifyingSink
from hal.capture.vcd_writer import CaptureLines, VcdWriter, writing_capture
from hal.clock import NS_PER_S, Clock
from hal.lines import LineError, LineSource
from hal.loop import sleep_ns
from hal.merge import Merge
from hal.values import Batch, EdgesLost, Loss, Reading

VALUES_A_FILE: Final = 2_000_000
"""Values of one file (ours): some 30 MB, an hour of a roulette table that is played without a pause."""
FILES: Final = 8
"""Files that are kept (ours)."""


class RotatingCapture:
    """A capture over several files. What is written is on the disk once its file is complete, which `close` is too."""

    def __init__(
        self, path: Path, lines: CaptureLines, *, values_a_file: int = VALUES_A_FILE, files: int = FILES
    ) -> None:
        """Nothing is written yet. Batches come with their secret frames sealed."""
        self._path = path
        self._lines = lines
        self._most = values_a_file
        self._keep = files
        self._open: ExitStack | None = None
        self._writer: VcdWriter | None = None
        self._in_file = 0
        self._number = 0
        """Of the file that is written, from 1."""
        self._levels: dict[str, int] = {}
        self._readings: dict[str, float] = {}
        self.values = 0
        """Values written up to now."""
        self.paths: list[Path] = []
        """The files that are kept, oldest first; the last one is written now."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, batch: Batch) -> None:
        """Writes a batch; batches come in order of time."""
        if self._writer is None or self._in_file >= self._most:
            self._next(batch)
        if self._writer is not None:
            self._writer.write(batch)
        count = len(batch.edges) + len(batch.rare)
        self._in_file += count
        self.values += count
        self._note(batch)

    def close(self) -> None:
        """Ends the file that is written; it is complete and on the disk then."""
        writer, self._writer = self._writer, None
        opened, self._open = self._open, None
        if writer is not None and opened is not None:
            opened.close()

    def _next(self, batch: Batch) -> None:
        """Begins the next file with the levels that are known, and removes the oldest one beyond the bound."""
        self.close()
        number = self._number = self._number + 1
        path = self._path if number == 1 else self._path.with_suffix(f".{number}{self._path.suffix}")
        opened = ExitStack()
        writer = opened.enter_context(writing_capture(path, self._lines))
        first = [values[0].t_ns for values in (batch.edges, batch.rare) if values]
        writer.begin(min(first, default=batch.until_ns), self._levels, self._readings)
        self._open, self._writer, self._in_file = opened, writer, 0
        self.paths.append(path)
        while len(self.paths) > self._keep:
            self.paths.pop(0).unlink(missing_ok=True)

    def _note(self, batch: Batch) -> None:
        """The levels at the end of a batch: the next file begins with them."""
        unplugged: dict[str, int] = {}
        for value in batch.rare:
            if isinstance(value, Reading):
                self._readings[value.line] = value.value
            elif isinstance(value, EdgesLost) and value.cause is Loss.UNPLUGGED:
                unplugged[value.line] = value.t_ns
                self._levels.pop(value.line, None)
        for line, level, t_ns in batch.edges:
            if t_ns > unplugged.get(line, -1):
                self._levels[line] = level


# --- the lines ---

STEP_NS: Final = NS_PER_S // 50
"""How often what came is written (ours)."""

Progress = Callable[[RotatingCapture], None]


async def record(
    config: TableConfig,
    path: Path,
    clock: Clock,
    stop: asyncio.Event,
    *,
    values_a_file: int = VALUES_A_FILE,
    files: int = FILES,
    progress: Progress = lambda capture: None,
) -> RotatingCapture:
    """Records the lines of a table until it is stopped. `progress` is called some times a second.

    Raises:
        LineError: a line cannot be opened, or all that were opened have failed; what came before is on the disk.
        OSError: a file cannot be written.
    """
    merge = Merge()
    sink = NotifyingSink(merge, lambda: None)

    def prepare(source: LineSource) -> None:
        merge.add(source.name, source.max_lateness_ns, source.lines)

    async with open_lines(config, clock, sink=sink, prepare=prepare) as opened:
        for name, why in opened.boards_down.items():
            raise LineError(f"board {name}: {why}")
        sources = list(opened.wiring.sources)
        lines = [line for source in sources for line in source.lines]
        memory = LineMemory(config, lines, all(source.detects_loss for source in sources))
        with RotatingCapture(path, memory.capture_lines("record"), values_a_file=values_a_file, files=files) as capture:
            while True:
                stopping = stop.is_set()
                now_ns = clock.now_ns()
                for source in [*sources]:
                    if source.failed is not None:
                        sources.remove(source)
                        merge.remove(source.name, now_ns)
                        continue
                    merge.until(source.name, source.delivered_until(now_ns))
                batch = merge.take()
                if batch is not None:
                    capture.write(memory.sealed(batch))
                progress(capture)
                if stopping:
                    return capture
                if not sources:
                    raise LineError("; ".join(map(str, opened.failures())))
                await sleep_ns(STEP_NS)
