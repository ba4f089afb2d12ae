"""What is kept of runs of `make bench`: one line of JSON a run, in `benchmarks/history.jsonl`.

    {"commit": "51995d68…", "dirty": false, "date": "2026-11-29T00:09:12Z", "machine": {…}, "load": 0.02,
     "figures": [{"section": "Money wheel, edges to verdict", "name": "prebuilt edges", "value": 1200000, …}]}

Values are those of one machine: over machines only ratios are compared.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from math import inf, isfinite
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from benchmarks.figures import Quantity, RateFigure, ReportLine, Section
from benchmarks.report import processor

FILE: Final = Path(__file__).with_name("history.jsonl")
GOVERNOR: Final = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
ENDLESS: Final = 1e9
"""What is kept as the ratio to a goal where something never came."""
MARKS: Final = {True: "met", False: "MISSED"}

Mark = Literal["met", "MISSED"]
Better = Literal["more", "less"]


class RecordError(ValueError):
    """A history cannot be read or written; the message names the file, the line and what to do."""


class BenchMachine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run ran on, without its name."""

    processor: str
    cores: Annotated[int, msgspec.Meta(ge=1)]
    kernel: str
    python: str
    governor: str | None
    """Of the first core; None where the kernel has none to report, as in most virtual machines."""

    @property
    def key(self) -> str:
        """Runs with the same key are runs of one machine: a kernel is updated, and is stated by each run."""
        minor = self.python.rpartition(".")[0]
        governed = "" if self.governor is None else f", governor {self.governor}"
        return f"{self.processor}, {self.cores} cores{governed}, Python {minor}"


class KeptFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One number of a run."""

    section: str
    name: str
    unit: str
    """Of the value and of the peer's."""
    better: Better
    """Which ratio is better; which value, where there is no ratio."""
    value: float | None = None
    peer: str = ""
    """What it is next to: a name, or `limit`."""
    peer_value: float | None = None
    ratio: float | None = None
    goal: float | None = None
    """The least ratio where more is better, and the greatest where less is."""
    mark: Mark | None = None

    def __post_init__(self) -> None:
        """Raises: ValueError: there is no number, or an endless one, or the mark is not that of ratio and goal."""
        if self.value is None and self.ratio is None:
            raise ValueError(f"{self.name}: neither a value nor a ratio")
        for number in (self.value, self.peer_value, self.ratio, self.goal):
            if number is not None and not isfinite(number):
                raise ValueError(f"{self.name}: {number} is no figure")
        if self.mark != self._judged():
            raise ValueError(
                f"{self.name}: mark {self.mark} beside ratio {self.ratio} and goal {self.goal} ({self.better})"
            )

    def _judged(self) -> str | None:
        if self.goal is None or self.ratio is None:
            return None
        return MARKS[self.ratio >= self.goal if self.better == "more" else self.ratio <= self.goal]

    @property
    def key(self) -> str:
        """What a run has once: `section: name / peer`."""
        return f"{self.section}: {self.name}" + (f" / {self.peer}" if self.peer else "")

    @property
    def subject(self) -> str:
        """What was measured, whatever it is next to."""
        return f"{self.section}: {self.name}"

    @property
    def compared(self) -> float:
        """What is compared with other runs of a machine: the ratio where there is one."""
        return self.ratio if self.ratio is not None else self.value or 0.0


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One run."""

    commit: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{40}$")]
    dirty: bool
    """Whether the code differed from the commit."""
    date: Annotated[datetime, msgspec.Meta(tz=True)]
    """When it began, UTC."""
    machine: BenchMachine
    load: Annotated[float, msgspec.Meta(ge=0)]
    """The machine's load over the minute before it began: what else ran."""
    figures: tuple[KeptFigure, ...]
    code: str = "plain"
    """What was measured: plain Python, or modules compiled by which mypyc."""

    def __post_init__(self) -> None:
        """Raises: ValueError: two figures have the same key."""
        keys = [figure.key for figure in self.figures]
        if len({*keys}) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"two figures are {twice!r}: give each a name of its own")

    @property
    def key(self) -> str:
        """Runs with the same key are compared: of one machine, all plain or all compiled."""
        return f"{self.machine.key}, {self.code.partition(' ')[0]}"

    @property
    def shown_commit(self) -> str:
        """Its first digits; a plus follows where the code differed."""
        return self.commit[:8] + ("+" if self.dirty else "")


# --- what was measured ------------------------------------------------------------------------------------------------


def of_section(section: Section) -> list[KeptFigure]:
    """The figures of what computes."""
    return [_of_rate(section, figure) for figure in section.figures]


def _of_rate(section: Section, figure: RateFigure) -> KeptFigure:
    return KeptFigure(
        section=section.title,
        name=figure.name,
        unit=section.unit,
        better="more",
        value=figure.rate,
        peer=figure.peer,
        peer_value=figure.peer_rate,
        ratio=figure.ratio,
        goal=figure.target,
        mark=None if figure.target is None else _mark(figure.met),
    )


def of_lines(section: str, lines: Iterable[ReportLine]) -> list[KeptFigure]:
    """The figures of what waits; a line that has no number is not kept."""
    return [figure for line in lines for figure in _of_line(section, line)]


def _of_line(section: str, line: ReportLine) -> list[KeptFigure]:
    name = line.name.strip()
    better: Better = "more" if line.more_is_better else "less"
    values: tuple[Quantity, ...] = ()
    if not isinstance(line.value, str):
        values = line.value if isinstance(line.value, tuple) else (line.value,)
    if len(values) > 1:
        return [KeptFigure(section, f"{name}, {one.label}", one.unit, better, one.number) for one in values]
    if not values and line.ratio is None:
        return []
    beside = line.beside if isinstance(line.beside, Quantity) else None
    is_goal = line.goal is not None and line.ratio is not None
    ratio = ENDLESS if line.ratio == inf else line.ratio
    if values and values[0].number == inf:
        # What never came has no time.
        values = ()
    return [
        KeptFigure(
            section=section,
            name=name,
            unit=values[0].unit if values else "",
            better=better,
            value=values[0].number if values else None,
            peer="" if beside is None else beside.label or "limit",
            peer_value=None if beside is None else beside.number,
            ratio=ratio,
            goal=line.goal if is_goal else None,
            mark=_mark(line.met) if is_goal else None,
        )
    ]


def _mark(met: bool) -> Mark:
    return "met" if met else "MISSED"


def missed(figures: Iterable[KeptFigure]) -> list[str]:
    """A line for each figure that misses its goal."""
    return [
        f"{figure.key}: {figure.ratio:,.3g} x, the goal is {'at least' if figure.better == 'more' else 'at most'} "
        f"{figure.goal:,g} x"
        for figure in figures
        if figure.mark == "MISSED"
    ]


def this_machine() -> BenchMachine:
    """This machine."""
    governor = GOVERNOR.read_text().strip() if GOVERNOR.exists() else None
    return BenchMachine(processor(), os.cpu_count() or 1, platform.release(), platform.python_version(), governor)


class Begun(msgspec.Struct, frozen=True):
    """What is known of a run before it measures."""

    commit: str
    dirty: bool
    date: datetime
    load: float

    def ended(self, figures: Iterable[KeptFigure]) -> Run:
        """The run with its figures."""
        # Not above: `compare` runs this module on commits that have no such module.
        from controller.packages.compiled import code

        return Run(self.commit, self.dirty, self.date, this_machine(), self.load, tuple(figures), code())


def begin(commit: str, changed: str) -> Begun:
    """A run that begins now, of what `tests.soak.source.commit` returns, with its word for changed code.

    Raises:
        RecordError: the commit is unknown.
    """
    if not re.fullmatch("[0-9a-f]{40}", commit.removesuffix(changed)):
        raise RecordError("this folder is no checkout of git, and a run is kept by its commit; measure without --json")
    date = datetime.now(UTC).replace(microsecond=0)
    return Begun(commit.removesuffix(changed), commit.endswith(changed), date, round(os.getloadavg()[0], 2))


# --- the file ---------------------------------------------------------------------------------------------------------


def read(path: Path = FILE) -> list[Run]:
    """All runs, oldest first; none where there is no file.

    Raises:
        RecordError: the file cannot be read, or a line is no run.
    """
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from error
    decoder, runs = msgspec.json.Decoder(Run), []
    for number, line in enumerate(lines, 1):
        try:
            runs.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RecordError(f"{path}:{number}: {error}; fix the line, or take it from the last commit") from error
    return sorted(runs, key=lambda run: run.date)


def append(run: Run, path: Path = FILE) -> None:
    """Adds a line.

    Raises:
        RecordError: the file cannot be written, or what is in it is no history.
    """
    read(path)
    try:
        with path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - 1))
            gap = b"\n" if end and file.read() != b"\n" else b""
            file.write(gap + msgspec.json.encode(run) + b"\n")
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from error
