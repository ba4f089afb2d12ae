"""Prints the figures as one table that a person reads, 100 columns wide."""

from __future__ import annotations

import os
import platform
import resource
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.text import Text

from benchmarks.figures import RateFigure, ReportLine, Section

WIDTH = 100
"""Columns."""

_COLUMNS = "  {:<23} {:>7}  {:<24} {:>7} {:>8} {:>7} "
"""Measured, rate, next to, its rate, ratio, target; the mark and the memory follow."""

_TAIL = "{:<6} {:>7}"
"""The mark and the memory."""


def print_report(console: Console, sections: Sequence[Section], repeats: int, seconds: float) -> None:
    """Prints where it was measured, the table, and how to read it."""
    for line in report(sections, repeats, seconds):
        console.print(line, highlight=False, markup=False)


def report(sections: Sequence[Section], repeats: int, seconds: float) -> Iterator[Text]:
    """The report, a paragraph or a line of the table at a time."""
    yield Text(_machine())
    yield Text()
    yield Text(_COLUMNS.format("measured", "rate", "next to", "rate", "ratio", "target") + _TAIL.format("", "memory"))
    yield Text("─" * WIDTH)
    for section in sections:
        yield Text(f"{section.title}, {section.unit}", style="bold")
        yield Text(f"  {section.note}", style="dim")
        for figure in section.figures:
            yield _line(figure)
        yield Text()
    yield Text(
        f"Rates and ratios are medians of {repeats} runs, taken in turns with the peer; a ratio is that of two runs of "
        "the same turn, and a target is the least ratio. Time is this thread's on its core, so that what else the "
        "machine does counts as little as it can. Memory is the most that Python allocated during a run, beyond its "
        "input (tracemalloc, in an untimed run of its own). "
        f"This whole process held at most {_process_mb():.0f} MB (getrusage) and took {seconds:.0f} s."
    )


def _line(figure: RateFigure) -> Text:
    target = "" if figure.target is None else f"{figure.target:,g} x"
    line = Text(
        _COLUMNS.format(
            figure.name, scaled(figure.rate), figure.peer, scaled(figure.peer_rate), times(figure.ratio), target
        )
    )
    mark = "" if figure.target is None else "met" if figure.met else "MISSED"
    line.append(_TAIL.format(mark, _size(figure.peak_bytes) if figure.peak_bytes else ""))
    line.highlight_words(["met"], "green")
    line.highlight_words(["MISSED"], "bold red")
    return line


def print_lines(console: Console, title: str, lines: Iterable[ReportLine]) -> list[ReportLine]:
    """Prints each line as it is measured; returns them."""
    console.print(f"\n{title}", style="bold", highlight=False)
    printed = []
    for line in lines:
        console.print(shown(line), highlight=False, markup=False, soft_wrap=True)
        printed.append(line)
    return printed


def shown(line: ReportLine) -> str:
    """A line as the report prints it."""
    value = ", ".join(map(str, line.value)) if isinstance(line.value, tuple) else str(line.value)
    ratio = "" if line.ratio is None else f"{line.ratio:.2f} x"
    goal = "" if line.goal is None else f"{'<=' if line.least is None else '>='} {line.goal:g} x"
    mark = "" if line.goal is None else "met" if line.met else "MISSED"
    return f"  {line.name:<40} {value:<28} {line.beside!s:<36} {ratio:>7} {goal:>9} {mark}".rstrip()


def scaled(rate: float) -> str:
    """A rate with three figures: `4.63 M`, `121 k`, `0.0167`."""
    for unit, least in ((" M", 1e6), (" k", 1e3)):
        if rate >= least:
            return f"{_three(rate / least)}{unit}"
    return _three(rate)


def times(ratio: float) -> str:
    """A ratio: `0.51 x`, `38.2 x`, `7,260 x`."""
    return f"{_three(ratio)} x"


def _three(number: float) -> str:
    digits = 0 if number >= 100 else 1 if number >= 10 else 2 if number >= 1 else 3 if number >= 0.1 else 4
    return f"{number:,.{digits}f}"


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"


def _machine() -> str:
    """What was measured, and on what. The load shows how much else ran."""
    # Not above: `compare` runs this module on commits that have no such module.
    from controller.packages.compiled import code

    return (
        f"{code()}, Python {platform.python_version()} ({platform.python_implementation()}), {processor()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, gpiozero {version('gpiozero')}"
    )


def processor() -> str:
    """The board's name on a Pi, the processor's where Linux reports it."""
    board, processors = Path("/proc/device-tree/model"), Path("/proc/cpuinfo")
    if board.exists():
        return board.read_text(errors="replace").strip(" \0\n")
    if processors.exists():
        for line in processors.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _process_mb() -> float:
    """The most memory that this process held, in MB. Linux counts in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
