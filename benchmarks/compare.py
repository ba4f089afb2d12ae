"""`python -m benchmarks compare A B`: two commits in turns on this machine, and whether B is better than A.

    block 1   A B B A      ratio of block 1 = √(B·B / A·A): what drifts evenly hits both alike
    block 2   B A A B      ratio of block 2
    ...                    median of the ratios; its interval by order statistics

Each run is a process of its own, in a checkout of its own, with the packages of this .venv. What is measured, and how,
is this tree's `benchmarks` for both. The interval is exact and assumes no distribution: the median of all ratios is
between the k-th and the k-th last of those measured with a probability that the binomial distribution gives, at least
95 %. B is `better` or `worse` where 1 is outside of it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import comb, prod
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import msgspec

from benchmarks.parts import PARTS, ROOT, BenchPart, without_python_settings
from benchmarks.records import KeptFigure
from benchmarks.report import scaled

LOCK: Final = "requirements/dev.lock"
ORDERS: Final = ("ABBA", "BAAB")
LEAST_BLOCKS: Final = 6
"""With fewer there is no interval of 95 %."""
CONFIDENCE: Final = 0.95
ENDS_WITHIN_S: Final = 10
"""An interrupted run ends its own processes within this time, or is killed."""
PINNED: Final = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)", re.MULTILINE)


class CompareError(Exception):
    """Two commits cannot be compared; the message has the fix."""


class Interval(NamedTuple):
    """Of the median of all ratios."""

    low: float
    high: float
    confidence: float

    @classmethod
    def of(cls, ratios: Sequence[float]) -> Interval:
        """The narrowest between two of the ratios, as many of them above it as below, with at least `CONFIDENCE`."""
        ordered, count = sorted(ratios), len(ratios)

        def outside(k: int) -> float:
            """How probable it is that the median is below the k-th of them (from 0), or above the k-th last."""
            return float(sum(comb(count, i) for i in range(k + 1)) / 2 ** (count - 1))

        k = max((k for k in range(count // 2) if outside(k) <= 1 - CONFIDENCE), default=None)
        if k is None:
            raise CompareError(f"{count} blocks give no interval of {CONFIDENCE:.0%}; run {LEAST_BLOCKS} or more")
        return cls(ordered[k], ordered[-1 - k], 1 - outside(k))


class Compared(NamedTuple):
    """One figure of both commits."""

    key: str
    unit: str
    a: float
    """Median."""
    b: float
    ratio: float
    interval: Interval

    @property
    def verdict(self) -> str:
        """What the interval says."""
        if self.interval.low <= 1 <= self.interval.high:
            return "no difference seen"
        return "better" if (self.ratio > 1) == more_is_better(self.unit) else "worse"


def more_is_better(unit: str) -> bool:
    """Of values in this unit: rates, and factors of real time."""
    return unit.endswith("/s") or unit == "x"


# --- what is compared -------------------------------------------------------------------------------------------------


def commit_of(name: str) -> str:
    """The full name of a commit.

    Raises:
        CompareError: there is none.
    """
    found = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found.returncode:
        raise CompareError(f"{name!r} is no commit of this repository; `git log` has them, `git fetch` brings others")
    return found.stdout.strip()


def dirt() -> str:
    """What is to be said of changes that are not committed; nothing where there are none."""
    files = [line[3:] for line in _git("status", "--porcelain").stdout.splitlines()]
    if not files:
        return ""
    more = ", …" if len(files) > 3 else ""
    return (
        f"This tree has changes that are not committed ({', '.join(files[:3])}{more}): they are in neither commit, and "
        "are not compared; commit them first if they should be. Only benchmarks/ is taken from this tree, for both."
    )


def other_packages(commit: str) -> list[str]:
    """How the packages that a commit is locked to differ from this tree's, which are those of the .venv.

    Raises:
        CompareError: it has no lock.
    """
    shown = _git("show", f"{commit}:{LOCK}")
    if shown.returncode:
        raise CompareError(f"{commit[:8]} has no {LOCK}: nobody knows which packages it needs")
    there, here = dict(PINNED.findall(shown.stdout)), dict(PINNED.findall((ROOT / LOCK).read_text()))
    return [
        f"{name} {there.get(name, 'not there')} (here {here.get(name, 'not there')})"
        for name in sorted({*there, *here})
        if there.get(name) != here.get(name)
    ]


def chosen_parts(figure: str | None) -> dict[str, BenchPart]:
    """The parts that may have a figure; without one, the quick ones."""
    if figure is None:
        return {name: part for name, part in PARTS.items() if part.is_quick}
    text = figure.lower()
    found = {
        name: part
        for name, part in PARTS.items()
        if text in name or any(text in title.lower() or title.lower() in text for title in part.sections)
    }
    return found or dict(PARTS)


def is_chosen(figure: KeptFigure, name: str, text: str | None) -> bool:
    """Whether a figure of a part is asked for."""
    return text is None or text.lower() in figure.key.lower() or text.lower() in name


# --- runs -------------------------------------------------------------------------------------------------------------


@contextmanager
def checkouts(a: str, b: str) -> Iterator[dict[str, Path]]:
    """Both commits in a temporary folder, with this tree's `benchmarks`; nothing is left of them afterwards.

    Raises:
        CompareError: git cannot check them out.
    """
    folder = Path(tempfile.mkdtemp(prefix="feltwire-compare-"))
    paths = {"A": folder / "A", "B": folder / "B"}
    try:
        for side, commit in (("A", a), ("B", b)):
            made = _git("worktree", "add", "--quiet", "--detach", str(paths[side]), commit)
            if made.returncode:
                raise CompareError(f"{commit[:8]} cannot be checked out: {made.stderr.strip()}")
            shutil.rmtree(paths[side] / "benchmarks", ignore_errors=True)
            shutil.copytree(
                ROOT / "benchmarks", paths[side] / "benchmarks", ignore=shutil.ignore_patterns("__pycache__")
            )
        yield paths
    finally:
        for path in paths.values():
            _git("worktree", "remove", "--force", str(path))
        shutil.rmtree(folder, ignore_errors=True)
        _git("worktree", "prune")


def run_part(checkout: Path, name: str) -> list[KeptFigure]:
    """Measures a part once, in a process of its own.

    Raises:
        CompareError: it cannot be measured there.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.parts", name],
        cwd=checkout,
        env={**without_python_settings(), "PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Ctrl-C is for this process, which ends that one and what it started.
        start_new_session=True,
    ) as process:
        try:
            printed, errors = process.communicate()
        except BaseException:
            end(process)
            raise
    if process.returncode:
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or [f"it ended with {process.returncode}"]
        raise CompareError(f"{name} cannot be measured in {checkout.name}: {last[0]}")
    return msgspec.json.decode(printed, type=list[KeptFigure])


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a run, and what it started."""
    for one in (signal.SIGINT, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, one)
        with suppress(subprocess.TimeoutExpired):
            process.wait(ENDS_WITHIN_S)
            return


Measure = Callable[[str, str], list[KeptFigure]]
"""Measures a part (the second) of `A` or `B` (the first)."""


def compared(
    parts: Sequence[str], text: str | None, blocks: int, measure: Measure, said: Callable[[str], None]
) -> list[Compared]:
    """Measures parts in turns, and compares their figures.

    Raises:
        CompareError: a part cannot be measured, or no figure is the one that is asked for.
    """
    chosen: dict[str, set[str]] = {}
    for name in parts:
        # Fills caches, and shows what there is.
        first = {side: {one.subject for one in measure(side, name) if is_chosen(one, name, text)} for side in "AB"}
        for side, other in (("A", "B"), ("B", "A")):
            for key in sorted(first[side] - first[other]):
                said(f"{key}: only {side} has it")
        if both := first["A"] & first["B"]:
            chosen[name] = both
    if not chosen:
        raise CompareError(f"no figure that both have has {text!r} in its name; `history` shows names")
    found: list[Compared] = []
    for name, keys in chosen.items():
        runs: dict[str, list[dict[str, KeptFigure]]] = {"A": [], "B": []}
        for block in range(blocks):
            said(f"{name}: block {block + 1} of {blocks}, {ORDERS[block % 2]}")
            for side in ORDERS[block % 2]:
                runs[side].append({one.subject: one for one in measure(side, name) if one.subject in keys})
        found += _of_runs(runs)
    return found


def _of_runs(runs: Mapping[str, Sequence[Mapping[str, KeptFigure]]]) -> Iterator[Compared]:
    for key, figure in runs["A"][0].items():
        values = {side: [one[key].value for one in its if key in one] for side, its in runs.items()}
        a, b = ([value for value in values[side] if value is not None and value > 0] for side in "AB")
        if len(a) < len(runs["A"]) or len(b) < len(runs["B"]):
            continue  # it has no value, or not always
        ratios = [(prod(b[i : i + 2]) / prod(a[i : i + 2])) ** 0.5 for i in range(0, len(a), 2)]
        yield Compared(key, figure.unit, median(a), median(b), median(ratios), Interval.of(ratios))


def table(found: Sequence[Compared], a: str, b: str, blocks: int) -> Iterator[str]:
    """The report."""
    yield f"A {a[:8]}, B {b[:8]}; {blocks} blocks of four runs; the ratio is B/A"
    yield f"  {'':<78} {'A':>9} {'B':>9} {'ratio':>7}  interval"
    for one in found:
        interval = f"{one.interval.low:.3f}-{one.interval.high:.3f}"
        yield (
            f"  {one.key + ', ' + one.unit:<78} {scaled(one.a):>9} {scaled(one.b):>9} {one.ratio:>7.3f}  "
            f"{interval:<13} {one.verdict}"
        )
    if found:
        confidence = found[0].interval.confidence
        yield (
            f"Medians; intervals of the median ratio by order statistics, {confidence:.1%} each: of {len(found)} "
            f"figures without a difference some {len(found) * (1 - confidence):.1f} show one by chance."
        )


def compare(a: str, b: str, figure: str | None, blocks: int) -> list[str]:
    """Compares two commits; returns the report. The progress goes to standard error.

    Raises:
        CompareError: they cannot be compared.
    """
    if blocks < LEAST_BLOCKS:
        raise CompareError(f"--blocks {blocks}: {LEAST_BLOCKS} or more are needed for an interval of {CONFIDENCE:.0%}")
    commits = {side: commit_of(name) for side, name in (("A", a), ("B", b))}
    for commit in commits.values():
        if others := other_packages(commit):
            raise CompareError(
                f"{commit[:8]} is locked to other packages than the .venv here: {', '.join(others)}; both commits are "
                f"run with this .venv, so compare commits whose {LOCK} is this tree's"
            )
    _say(dirt())
    with checkouts(commits["A"], commits["B"]) as paths:
        parts = [*chosen_parts(figure)]
        _say(f"measuring {', '.join(parts)}, {4 * blocks + 2} runs each; let nothing else run; Ctrl-C ends it")
        found = compared(parts, figure, blocks, lambda side, name: run_part(paths[side], name), _say)
    return [*table(found, commits["A"], commits["B"], blocks)]


def _say(text: str) -> None:
    if text:
        print(text, file=sys.stderr, flush=True)


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
