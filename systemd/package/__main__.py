"""The command that builds the packages (make deb)."""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

from systemd.package.build import build
from systemd.package.systems import MACHINES, ROOT, SYSTEMS, BuildError
from systemd.package.version import version
from systemd.package.wheels import can_compile


def main() -> int:
    """Builds what the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m systemd.package",
        description="Builds the Debian packages: one for each system and architecture.",
    )
    parser.add_argument("--system", action="append", choices=[*SYSTEMS], help="all without it")
    parser.add_argument("--arch", action="append", choices=[*MACHINES], help="both without it")
    parser.add_argument("--out", type=Path, help="build/deb without it; of compiled modules build/deb-compiled")
    parser.add_argument("--level", type=int, default=6, help="of compression, 0 to 9; tests want it fast")
    parser.add_argument("--wheels", type=Path, help="where wheels are kept; without it, beside the packages")
    parser.add_argument("--version", action="append", help="other version numbers, for tests of upgrades; repeat")
    parser.add_argument("--compiled", action="store_true", help="hot modules compiled, for this computer's kind alone")
    given = parser.parse_args()
    if given.version and len(given.system or SYSTEMS) != 1:
        parser.error("--version needs one --system: the packages of two would have the same name")
    plain = ROOT / "build" / "deb"
    # Two packages of one name have one content.
    out = (given.out or (plain.with_name("deb-compiled") if given.compiled else plain)).resolve()
    out.mkdir(parents=True, exist_ok=True)
    try:
        made = version()
        targets = [*product(given.system or SYSTEMS, given.arch or MACHINES)]
        for name, arch in targets if given.compiled else ():
            can_compile(SYSTEMS[name], arch)
        for name, arch in targets:
            ending = SYSTEMS[name].ending
            versions = [made._replace(text=number) for number in given.version or [made.text + ending]]
            for built in build(
                name, arch, versions, out, (given.wheels or out).resolve(), given.level, compiled=given.compiled
            ):
                print(f"{built.deb} ({built.deb.stat().st_size / 1e6:.1f} MB)")
    except BuildError as error:
        print(f"package: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
