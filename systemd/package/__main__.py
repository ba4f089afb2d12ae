"""The command that builds the packages (make deb)."""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

from systemd.package.build import build
from systemd.package.systems import MACHINES, ROOT, SYSTEMS, BuildError
from systemd.package.version import version


def main() -> int:
    """Builds what the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m systemd.package",
        description="Builds the Debian packages: one for each system and architecture.",
    )
    parser.add_argument("--system", action="append", choices=[*SYSTEMS], help="all without it")
    parser.add_argument("--arch", action="append", choices=[*MACHINES], help="both without it")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "deb")
    parser.add_argument("--level", type=int, default=6, help="of compression, 0 to 9; tests want it fast")
    parser.add_argument("--wheels", type=Path, help="where wheels are kept; without it, beside the packages")
    parser.add_argument("--version", action="append", help="other version numbers, for tests of upgrades; repeat")
    given = parser.parse_args()
    if given.version and len(given.system or SYSTEMS) != 1:
        parser.error("--version needs one --system: the packages of two would have the same name")
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    try:
        made = version()
        for name, arch in product(given.system or SYSTEMS, given.arch or MACHINES):
            ending = SYSTEMS[name].ending
            versions = [made._replace(text=number) for number in given.version or [made.text + ending]]
            for built in build(name, arch, versions, out, (given.wheels or out).resolve(), given.level):
                print(f"{built.deb} ({built.deb.stat().st_size / 1e6:.1f} MB)")
    except BuildError as error:
        print(f"package: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
