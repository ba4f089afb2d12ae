"""Tries the project on clean systems: everything, or what is named (make systems).

python -m tests.systems [NAME...]
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from systemd.package.systems import MACHINES, SYSTEMS, BuildError
from tests.systems.container import container
from tests.systems.kicad import kicad
from tests.systems.packages import same_bytes
from tests.systems.report import Report
from tests.systems.roots import RootError
from tests.systems.scenarios import all_tests, dist_upgrade, other_architecture, whole

DEFAULT: Final[dict[str, Callable[[Report], None]]] = {
    "same-bytes": same_bytes,
    **{f"{suite}-amd64": partial(whole, suite=suite) for suite in SYSTEMS},
    **{f"{suite}-arm64": partial(other_architecture, suite=suite) for suite in SYSTEMS},
    "dist-upgrade": dist_upgrade,
    "kicad": kicad,
    **{f"container-{arch}": partial(container, arch=arch) for arch in MACHINES},
}
LONG: Final[dict[str, Callable[[Report], None]]] = {
    f"{suite}-tests": partial(all_tests, suite=suite) for suite in SYSTEMS
}
"""Only where they are named."""
NOT_RUN: Final = (
    "systemd as the first process, devices and power cuts (make vm-test, on amd64)",
    "the kernel and the pins of a Raspberry Pi; a real processor of arm64: its programs are emulated",
    "make test on Debian 12 and 13 (make systems SYSTEMS='bookworm-tests trixie-tests')",
    "an engine of containers: the steps of the Dockerfile are run in a clean root",
)
ALONE: Final = "FELTWIRE_SYSTEMS_ALONE"


def alone(names: list[str]) -> None:
    """Goes on in a name space of mounts and processes: whatever happens, none of either is left.

    Raises:
        RootError: not run as root.
    """
    if os.geteuid() != 0:
        raise RootError("roots are made and entered by root: sudo make systems")
    if ALONE not in os.environ:
        os.environ[ALONE] = "yes"
        space = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"]
        os.execvp(space[0], [*space, sys.executable, "-m", "tests.systems", *names])


def main(names: list[str]) -> int:
    """Runs scenarios one after the other; 1 if any is not as it should be."""
    every = {**DEFAULT, **LONG}
    unknown = [name for name in names if name not in every]
    if unknown:
        print(f"{', '.join(unknown)}: no such scenario; there are {', '.join(every)}", file=sys.stderr)
        return 2
    failed = []
    for name in names or DEFAULT:
        begun = time.monotonic()
        print(f"== {name}", flush=True)
        report = Report()
        try:
            every[name](report)
        except (RootError, BuildError) as error:
            report.check("it comes to its end", False, error)
        print(f"   {report.passed} checks, {len(report.wrong)} wrong, {time.monotonic() - begun:.0f} s", flush=True)
        if report.wrong or not report.passed:
            failed.append(name)
    for what in NOT_RUN:
        print(f"not run here: {what}")
    print(f"failed: {', '.join(failed)}" if failed else "all as it should be")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        alone(sys.argv[1:])
    except RootError as error:
        sys.exit(f"systems: {error}")
    sys.exit(main(sys.argv[1:]))
