"""Core figures are those of compiled modules where a compiler is there; plain Python is measured beside them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from benchmarks.compare import run_part
from benchmarks.figures import RateFigure, Section
from benchmarks.parts import PARTS, ROOT
from controller.packages.compiled import PLAIN, code
from controller.packages.files import ROOT as RUNS
from systemd.package.systems import BuildError

BESIDE: Final = ("money-wheel", "roulette", "simulation")
"""Parts of which plain Python is measured too: shorter, in a process of its own."""


def start_again() -> None:
    """Starts this program again on compiled modules; returns where they are running or cannot be made, and states why.

    Raises:
        BuildError: what compiles them is there, and fails; or compiled modules run that are not of these sources.
    """
    from systemd.package import wheels
    from systemd.package.compiled import missing_tools

    if wheels.runs_compiled():
        return
    missing = missing_tools()
    if missing is not None and code() != PLAIN:
        raise BuildError(f"{RUNS}: it is not compiled of these sources, and to compile them there is no {missing}")
    if missing is not None:
        print(f"benchmarks: plain Python is measured, because there is no {missing}", file=sys.stderr)
        return
    print("benchmarks: compiling the hot modules, where a source has changed ...", file=sys.stderr)
    wheels.start_on_compiled("benchmarks", sys.argv[1:])


def with_plain(section: Section) -> Section:
    """A section of compiled modules with a row of plain Python; others are as they were."""
    part = next((name for name in BESIDE if section.title in PARTS[name].sections), None)
    return section if part is None or code() == PLAIN else replace(section, figures=(*section.figures, *_plain(part)))


def _plain(part: str) -> Iterator[RateFigure]:
    """The first figure of a part, on the sources of this checkout."""
    first = run_part(ROOT, part)[0]
    if first.value is not None and first.peer_value is not None and first.ratio is not None:
        yield RateFigure("plain Python", first.value, first.peer, first.peer_value, first.ratio, None, 0)
