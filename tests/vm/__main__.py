"""Runs scenarios: all of them, or those that are named.

python -m tests.vm [NAME...]
python -m tests.vm --ready      whether the share of the checks (tests/vm/test_share.py) can be run here, and why not
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from tests.vm.images import ImageError, captures, kernel_without_building
from tests.vm.machine import MachineError, MachineHungError, run_to_end
from tests.vm.power_cuts import power_cuts, unsafe_cuts
from tests.vm.scenarios import SCENARIOS, Outcome

CUTS: Final = 200
UNSAFE_CUTS: Final = 4
ATTEMPTS: Final = 3
"""At a scenario whose machine stands still."""
ALL: Final[dict[str, Callable[[], Outcome]]] = {
    **SCENARIOS,
    "power-cuts": partial(power_cuts, CUTS),
    "power-cuts-unsafe": partial(unsafe_cuts, UNSAFE_CUTS),
}


def run(name: str) -> Outcome:
    """Runs one; a machine whose kernel stood still shows nothing of the product, so it is run again."""
    for _ in range(ATTEMPTS - 1):
        try:
            return ALL[name]()
        except MachineHungError as error:
            print(f"   the machine's kernel stood still ({error}); once more", flush=True)
    return ALL[name]()


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


def main(names: list[str]) -> int:
    """Runs them one after the other; 1 if any is not as it should be."""
    if names == ["--ready"]:
        return ready()
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"{', '.join(unknown)}: no such scenario; there are {', '.join(ALL)}", file=sys.stderr)
        return 2
    failed = []
    for name in names or ALL:
        begun = time.monotonic()
        print(f"== {name}", flush=True)
        try:
            outcome = run(name)
        except ImageError as error:
            print(f"cannot be run here: {error}", file=sys.stderr)
            return 1
        except MachineError as error:
            print(f"   WRONG {error}", flush=True)
            failed.append(name)
            continue
        for figure, value in outcome.figures.items():
            print(f"   {figure}: {value}")
        for wrong in outcome.wrong:
            print(f"   WRONG {wrong}")
        if outcome.wrong or not outcome.passed:
            failed.append(name)
        print(f"   {outcome.passed} checks, {len(outcome.wrong)} wrong, {time.monotonic() - begun:.0f} s", flush=True)
    print(f"failed: {', '.join(failed)}" if failed else "all as it should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
