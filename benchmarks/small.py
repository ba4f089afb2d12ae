"""`python -m benchmarks small`: what a table costs at a part of one core, and how many of them fit a small Pi.

    this computer's core ──► a tenth of it, by a quota ──► a service at rest, 1 and 8 tables: processor, memory
                                                      └──► a money wheel spun: the busiest two seconds of the process
    its speed ÷ that of a Pi's core, both by 7-zip     ──► the same on the Pi ──► tables that fit

Nothing here was measured on a Pi: what the last step assumes is stated with the table. `--write` puts the table into
docs/measurements.md, from an idle computer alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import connect
from time import perf_counter, sleep
from typing import Final, NamedTuple

from benchmarks.figures import Quantity, ReportLine
from benchmarks.measure import WrongWorkError
from benchmarks.records import BenchMachine
from benchmarks.service_bench import IDLE, cpu_s, service_process, watched_cost
from benchmarks.small_core import SmallCore

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "measurements.md"
BEGIN, END = "<!-- bench-small: begin -->", "<!-- bench-small: end -->"
SPUN: Final = (sys.executable, "-m", "benchmarks.spun_service")
STEP_S: Final = 0.25
BUSY_S: Final = 2.0
"""The busiest time of a spin is this long."""

SOURCE: Final = "https://github.com/ThomasKaiser/sbc-bench/blob/53f795176f2876cffac8cfd93395ee01e031f6ee/Results.md"
"""Of the Pis' figures: 7-zip with one thread, MIPS."""
SYSTEM_MB: Final = 200
"""For Raspberry Pi OS Lite, graphics and caches (ours)."""
GATEWAY_MB: Final = 60
"""Of the scoreboard's gateway, which is promised; its browser runs on another computer."""
RING_MB: Final = 12
"""Of the last minutes of a table's lines, at most: `hal.capture.ring.MAX_VALUES`."""
KEPT_FREE: Final = 0.5
"""Of the core that a service works on (ours): one process of Python works on one core at a time."""


class SmallPi(NamedTuple):
    """A small computer, and its public figures."""

    name: str
    memory_mb: int
    mips: int
    """Of one thread of 7-zip."""
    run: str
    """Of `SOURCE`, with what it says of it."""


PIS: Final = (
    SmallPi("Pi Zero 2 W", 512, 838, "3E85: 1,000 MHz, 32 bits"),
    SmallPi("Pi 3 B", 1024, 977, "4hOP: 1,200 MHz, 32 bits"),
)


@dataclass(frozen=True, slots=True)
class SmallSizes:
    """How much is measured."""

    share: float = 0.1
    """Of one core."""
    seconds: float = 20.0
    """Over which a service at rest is watched."""
    settle: float = 10.0
    """Before that, for what is done once: at a tenth of a core it takes ten times as long."""
    tables: int = 8
    spin: float | None = None
    """Seconds of a spun wheel that are watched; None for a whole round."""


SMALL_SMALLEST = SmallSizes(share=1.0, seconds=0.5, settle=0.0, tables=2, spin=13.0)
"""Shows that everything works; its figures mean nothing."""


class SmallCosts(NamedTuple):
    """What was measured, in shares of this computer's whole core, and MB."""

    idle_one: float
    idle_many: float
    tables: int
    spin: float
    """In the busiest two seconds."""
    edges_s: int
    """The highest rate of the spin."""
    memory_one: float
    memory_many: float
    throttled: float
    """Share of the quota's periods in which something waited, of all that ran."""

    @property
    def idle_table(self) -> float:
        """What a further table at rest costs."""
        return max(0.0, (self.idle_many - self.idle_one) / (self.tables - 1))

    @property
    def spin_table(self) -> float:
        """What a further table in its spin costs."""
        return self.spin - self.service

    @property
    def service(self) -> float:
        """What the service costs without a table."""
        return max(0.0, self.idle_one - self.idle_table)

    @property
    def memory_table(self) -> float:
        """MB of a further table at rest."""
        return max(0.0, (self.memory_many - self.memory_one) / (self.tables - 1))


class SmallFit(NamedTuple):
    """How many tables fit a computer."""

    pi: SmallPi
    slower: float
    """How many times as long its core takes."""
    idle: float
    """Share of its core, one table at rest."""
    spin: float
    by_processor: int
    """Where all of them spin at once at the highest rate, with `KEPT_FREE` of the core."""
    by_memory: int

    @property
    def tables(self) -> int:
        return min(self.by_processor, self.by_memory)


def fit(costs: SmallCosts, pi: SmallPi, mips: float) -> SmallFit:
    """What was measured on a core of these MIPS, on a Pi's core."""
    slower = mips / pi.mips
    room = 1 - KEPT_FREE - costs.service * slower
    free_mb = pi.memory_mb - SYSTEM_MB - GATEWAY_MB - (costs.memory_one - costs.memory_table)
    table_mb = costs.memory_table + RING_MB
    return SmallFit(
        pi,
        slower,
        costs.idle_one * slower,
        costs.spin * slower,
        max(0, int(room / (costs.spin_table * slower))),
        max(0, int(free_mb / table_mb)),
    )


# --- what is measured -------------------------------------------------------------------------------------------------


def measured(core: SmallCore, sizes: SmallSizes) -> SmallCosts:
    """Measures on a small core.

    Raises:
        WrongWorkError: the wheel was not spun.
    """
    from benchmarks.spun_service import highest_rate, seconds
    from benchmarks.tables import simulated_table
    from benchmarks.verdicts import simulated_rounds

    idle = [*core.prefix, *IDLE]
    one = watched_cost(idle, 1, sizes.seconds, sizes.settle)
    many = watched_cost(idle, sizes.tables, sizes.seconds, sizes.settle)
    batches = simulated_rounds(simulated_table("money_wheel"), 1)
    spin = _spun(core, sizes.spin or seconds(batches))
    return SmallCosts(one[0], many[0], sizes.tables, spin, highest_rate(batches), one[1], many[1], core.throttled())


def _spun(core: SmallCore, watched_s: float) -> float:
    """The share of a core in the busiest `BUSY_S` of a spin."""
    with service_process([*core.prefix, *SPUN], 1) as (_, ready, pid):
        ready.recv(100)
        spent, begin = [(0.0, cpu_s(pid))], perf_counter()
        while perf_counter() - begin < watched_s:
            sleep(STEP_S)
            spent.append((perf_counter() - begin, cpu_s(pid)))
        if not _round_started(pid):
            raise WrongWorkError("small: no round started while the wheel was spun; its cost means nothing")
    return busiest(spent, BUSY_S)


def _round_started(pid: int) -> bool:
    """Whether the journal of a service's process has a round that started."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    # Simulated tables have a folder of their own below it.
    (journal,) = Path(words[words.index("--state") + 1]).rglob("journal.sqlite")
    with closing(connect(f"file:{journal}?mode=ro", uri=True)) as connection:
        kinds = {kind for (kind,) in connection.execute("SELECT kind FROM record")}
    return "round.started" in kinds


def busiest(spent: Sequence[tuple[float, float]], window_s: float) -> float:
    """The greatest share of a core over at least `window_s`, of times and what was spent until then."""
    shares = [
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for number, earlier in enumerate(spent)
        for later in spent[number + 1 :]
        if window_s <= later[0] - earlier[0] < window_s + 2 * STEP_S
    ]
    return max(shares, default=(spent[-1][1] - spent[0][1]) / (spent[-1][0] - spent[0][0]))


def mips_of_this_core() -> float | None:
    """By 7-zip with one thread, as the Pis' figures; None where it is not installed. Takes half a minute."""
    program = shutil.which("7zz") or shutil.which("7z")
    if program is None:
        return None
    core = str(max(os.sched_getaffinity(0)))
    words = ["taskset", "--cpu-list", core, program, "b", "-mmt1"]
    return mips_of(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def mips_of(printed: str) -> float:
    """What 7-zip prints as its total for a core that is all its own: busy ones spoil its rating alone.

    Raises:
        WrongWorkError: there is none.
    """
    found = re.search(r"^Tot:.*?(\d+)\s+\d+\s*$", printed, re.MULTILINE)
    if found is None:
        raise WrongWorkError("small: 7-zip printed no total; give the rating with --mips")
    return float(found[1])


# --- the report -------------------------------------------------------------------------------------------------------


def small_lines(costs: SmallCosts, share: float) -> list[ReportLine]:
    """What was measured, as shares of the small core."""
    beside = f"{costs.throttled:.0%} of the quota's periods had to wait"
    return [
        ReportLine("idle, 1 table", _of_small(costs.idle_one, share), Quantity(costs.memory_one, "MB")),
        ReportLine(
            f"idle, {costs.tables} tables", _of_small(costs.idle_many, share), Quantity(costs.memory_many, "MB")
        ),
        ReportLine(
            f"money wheel spun, {costs.edges_s} edges/s at most",
            _of_small(costs.spin, share),
            "" if costs.throttled != costs.throttled else beside,
        ),
    ]


def _of_small(cpu: float, share: float) -> Quantity:
    return Quantity(cpu / share * 100, "% of the small core", ".1f")


def fit_table(costs: SmallCosts, mips: float, share: float, machine: BenchMachine, commit: str) -> str:
    """The section of the page, with what each number assumes."""
    rows = [
        f"| {one.pi.name} | {one.pi.memory_mb} MB | {one.slower:.1f} times | {one.idle:.1%} | {one.spin:.1%} "
        f"| {one.by_processor} | {one.by_memory} | **{one.tables}** |"
        for one in (fit(costs, pi, mips) for pi in PIS)
    ]
    sources = "; ".join(f"{pi.name} {pi.mips:,} MIPS ({pi.run})" for pi in PIS)
    return "\n".join(
        [
            f"Measured at {share:.0%} of one core of {machine.key}, commit {commit[:8]}: a table at rest "
            f"{costs.idle_one:.2%} of the whole core and {costs.memory_one:.0f} MB, {costs.tables} tables "
            f"{costs.idle_many:.2%} and {costs.memory_many:.0f} MB; a money wheel in the busiest {BUSY_S:g} s of its "
            f"spin, up to {costs.edges_s} edges/s, {costs.spin:.2%}.",
            "",
            "| computer | memory | its core takes | one table at rest | one in its spin | tables by processor "
            "| by memory | fit |",
            "|---|---|---|---|---|---|---|---|",
            *rows,
            "",
            "None of it was measured on a Pi. The shares are of one core of the Pi, and assume:",
            "",
            f"- *speed*: Python is as much slower there as 7-zip with one thread: {mips:,.0f} MIPS here; {sources}, of "
            f"[sbc-bench]({SOURCE}), with another version of 7-zip. A system of 64 bits and a warm Pi that throttles "
            "differ from it;",
            f"- *processor*: all tables spin at once at the highest rate, in one service, which works on one core, of "
            f"which {KEPT_FREE:.0%} stays free; the gateway and the system have the other three;",
            f"- *memory*: {SYSTEM_MB} MB for system, graphics and caches, {GATEWAY_MB} MB for the scoreboard's gateway "
            f"and none for a browser; a further table takes {costs.memory_table:.1f} MB at rest, and {RING_MB} MB for "
            "the last minutes of its lines where they never rest;",
            "- *lines*: GPIO costs what lines in memory cost: the kernel's work for an edge is not in it.",
        ]
    )


def written(page: str, section: str) -> str:
    """The page with its section in place of the one before.

    Raises:
        WrongWorkError: the page has no place for it.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise WrongWorkError(f"{PAGE}: {BEGIN} and {END} are not there; put them back where the table belongs")
    return f"{before}{BEGIN}\n{section}\n{END}{after}"
