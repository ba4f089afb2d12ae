"""The parts of the benchmarks, each by itself and short, for a comparison of two commits.

python -m benchmarks.parts PART      prints its figures as JSON; modules that are not of this checkout end it
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from benchmarks.records import KeptFigure, of_lines, of_section

ROOT: Final = Path(__file__).resolve().parents[1]


def without_python_settings() -> dict[str, str]:
    """The environment of a process that runs plain Python, whatever this one runs: without what changes where Python
    finds its modules."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


class BenchPart(NamedTuple):
    """Some figures that are measured together."""

    sections: tuple[str, ...]
    """With what the names of its figures begin."""
    is_quick: bool
    """Whether a run takes seconds: the others are compared where they are asked for."""
    measure: Callable[[], list[KeptFigure]]


def _section(number: int) -> list[KeptFigure]:
    from benchmarks.suite import SECTIONS, SuiteSizes

    return of_section(SECTIONS[number](SuiteSizes(turns=50, rounds=10, repeats=3)))


def _boards() -> list[KeptFigure]:
    from benchmarks.boards import BoardSizes, board_lines

    return of_lines("Boards", board_lines(BoardSizes(seconds=5, try_seconds=1, edges=500, bursts=5, idle_seconds=200)))


def _service() -> list[KeptFigure]:
    from benchmarks.service_bench import ServiceSizes, service_lines

    return of_lines("Service", service_lines(ServiceSizes(turns=100, events=2_000, starts=1, seconds=3, tables=(1, 8))))


def _scoreboard() -> list[KeptFigure]:
    from benchmarks.scoreboard_bench import ScoreboardSizes, scoreboard_lines

    sizes = ScoreboardSizes(turns=20, rounds=5, events=5_000, hall_events=200, viewers=100)
    return of_lines("Scoreboard", scoreboard_lines(sizes))


def _statistics() -> list[KeptFigure]:
    from benchmarks.statistics_bench import StatisticsSizes, statistics_lines

    return of_lines("Statistics", statistics_lines(StatisticsSizes(events=50_000)))


PARTS: Final = {
    "decoding": BenchPart(("Quadrature decoding in batches",), True, lambda: _section(0)),
    "money-wheel": BenchPart(("Money wheel, edges to verdict",), True, lambda: _section(1)),
    "roulette": BenchPart(("Roulette, edges to verdict",), True, lambda: _section(2)),
    "simulation": BenchPart(("Simulated roulette",), True, lambda: _section(3)),
    "baccarat": BenchPart(("Simulated baccarat",), True, lambda: _section(4)),
    "watch": BenchPart(("Watch over cards",), True, lambda: _section(5)),
    "reading": BenchPart(("Reading a VCD capture",), True, lambda: _section(6)),
    "merging": BenchPart(("Merging two sources by time",), True, lambda: _section(7)),
    "bench-page": BenchPart(("Bench page, from a line to a browser",), True, lambda: _section(8)),
    "boards": BenchPart(("Boards",), False, _boards),
    "service": BenchPart(("Service",), False, _service),
    "scoreboard": BenchPart(("Scoreboard",), False, _scoreboard),
    "statistics": BenchPart(("Statistics",), False, _statistics),
}
"""By name."""


def strangers() -> list[str]:
    """Modules that are of no package, of no Python and not of this checkout: of the tree whose .venv this is."""
    known = (ROOT, Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve())
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    return sorted(
        name
        for name, file in files.items()
        # By the folder where it was found: the sitecustomize of Debian's Python is there, and a link to a file in /etc.
        if file is not None and not any(Path(file).parent.resolve().is_relative_to(folder) for folder in known)
    )


def main() -> None:
    """Prints the figures of one part."""
    figures = PARTS[sys.argv[1]].measure()
    if others := strangers():
        sys.exit(f"{', '.join(others[:5])}: this commit has no such module, and another tree's was imported")
    sys.stdout.buffer.write(msgspec.json.encode(figures))


if __name__ == "__main__":
    main()
