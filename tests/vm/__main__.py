"""Runs scenarios: all of them, or those that are named.

python -m tests.vm [NAME...]     life@trixie, or life for each system that has it
python -m tests.vm --cuts=200 power-cuts     more power cuts than usual of each system
python -m tests.vm --ready     whether the share of the checks (tests/vm/test_share.py) can be run here, and why not
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from tests.vm.images import ImageError, captures, installed, kernel_without_building
from tests.vm.machine import MachineError, MachineHungError, run_to_end
from tests.vm.power_cuts import power_cuts, unsafe_cuts
from tests.vm.scenarios import BOTH, NEW, OLD, SCENARIOS, Outcome

CUTS: Final = {NEW: 30, OLD: 15}
"""Of each system, unless more are asked for: in the older one only Python and SQLite are others."""
UNSAFE_CUTS: Final = 4
MACHINES: Final = 2
"""At once (ours), each on a core: of three on two cores, one kernel in four scenarios hung (docs/vm.md)."""
ATTEMPTS: Final = 3
"""At a scenario whose machine stands still."""


def scenarios(cuts: Mapping[str, int]) -> dict[str, Callable[[], Outcome]]:
    """All of them, with so many power cuts of each system."""
    return {
        **{f"power-cuts@{suite}": partial(power_cuts, cuts[suite], suite=suite) for suite in BOTH},
        **SCENARIOS,
        f"power-cuts-unsafe@{NEW}": partial(unsafe_cuts, UNSAFE_CUTS, suite=NEW),
    }


ALL: Final = scenarios(CUTS)


def run(scenario: Callable[[], Outcome]) -> Outcome:
    """Runs one; a machine whose kernel stood still shows nothing of the product, so it is run again."""
    for _ in range(ATTEMPTS - 1):
        try:
            return scenario()
        except MachineHungError as error:
            print(f"   the machine's kernel was still ({error}); once more", flush=True)
    return scenario()


def ready() -> int:
    """Boots a machine from this computer's own root; 1 where that cannot be done."""
    try:
        kernel_without_building()
        captures()
        levels = [one for one in run_to_end(None, run="ready") if one["kind"] == "level"]
    except (ImageError, MachineError) as error:
        print(f"no machine can be run here: {error}")
        return 1
    if len(levels) != 2 or any(one["found"] != one["wanted"] for one in levels):
        print(f"a machine boots here, but its simulated lines do not follow: {levels}")
        return 1
    print("a machine boots here, and its simulated lines follow")
    return 0


def chosen(names: list[str]) -> list[str]:
    """The scenarios of these names; all without any.

    Raises:
        ValueError: one of them is not a scenario's.
    """
    found = [one for name in names for one in ALL if name in (one, one.partition("@")[0])]
    unknown = [name for name in names if not any(name in (one, one.partition("@")[0]) for one in ALL)]
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: no such scenario; there are {', '.join(ALL)}")
    return found or list(ALL)


def shown(name: str, scenario: Callable[[], Outcome]) -> bool:
    """Runs one and shows, in one piece, what came of it; whether all was as it should be."""
    begun = time.monotonic()
    try:
        outcome = run(scenario)
    except MachineError as error:
        outcome = Outcome(wrong=[str(error)])
    lines = [f"== {name}", *(f"   {figure}: {value}" for figure, value in outcome.figures.items())]
    lines += [f"   WRONG {wrong}" for wrong in outcome.wrong]
    lines.append(f"   {outcome.passed} checks, {len(outcome.wrong)} wrong, {time.monotonic() - begun:.0f} s")
    print("\n".join(lines), flush=True)
    return bool(outcome.passed) and not outcome.wrong


def main(arguments: list[str]) -> int:
    """Runs them, some at a time; 1 if any is not as it should be."""
    made = argparse.ArgumentParser(prog="python -m tests.vm", description="Runs scenarios: all, or those named.")
    made.add_argument("names", nargs="*", metavar="NAME", help="life@trixie, or life for each system that has it")
    made.add_argument("--cuts", type=int, metavar="N", help="as many power cuts of each system, not the usual number")
    made.add_argument("--ready", action="store_true", help="whether the share of the checks can be run here")
    given = made.parse_args(arguments)
    if given.ready:
        return ready()
    known = scenarios(CUTS if given.cuts is None else dict.fromkeys(BOTH, given.cuts))
    try:
        wanted = chosen(given.names)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    begun = time.monotonic()
    try:
        for suite in sorted({name.partition("@")[2] for name in wanted}):
            installed(suite)
        with ThreadPoolExecutor(MACHINES) as pool:
            right = list(pool.map(shown, wanted, [known[name] for name in wanted]))
    except ImageError as error:
        print(f"cannot be run here: {error}", file=sys.stderr)
        return 1
    failed = [name for name, good in zip(wanted, right, strict=True) if not good]
    print(f"{len(wanted)} scenarios, {(time.monotonic() - begun) / 60:.1f} minutes")
    print(f"failed: {', '.join(failed)}" if failed else "all as it should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
