"""`python -m firmware.hardware`: writes the drawings, netlists, pages and test sheets of the carrier boards."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from firmware.hardware import kicad
from firmware.hardware.boards import NAMES, circuit
from firmware.hardware.erc import findings
from firmware.hardware.kicad import LIBRARIES
from firmware.hardware.publish import stale, write


def main() -> int:
    """Exit status 1 when an electrical rule is broken, or with --check a file is not up to date."""
    parser = argparse.ArgumentParser(prog="python -m firmware.hardware", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, and name the files that differ")
    pages = "docs/boards-carrier.md and docs/boards-pico.md (needs ngspice)"
    parser.add_argument("--figures", action="store_true", help=f"simulate too, for the figures of {pages}")
    parser.add_argument("--kicad", metavar="FOLDER", type=Path, help="only write a project of KiCad 9 for each circuit")
    parser.add_argument(
        "--footprints",
        metavar="FOLDER",
        type=Path,
        default=LIBRARIES,
        help=f"where those of KiCad are, for --kicad ({LIBRARIES})",
    )
    given = parser.parse_args()
    check: bool = given.check
    wrong = [f"{name}: {finding}" for name in NAMES for finding in findings(circuit(name))]
    for finding in wrong:
        print(finding, file=sys.stderr)
    if wrong:
        return 1
    if given.kicad is not None:
        return _projects(given.kicad, given.footprints)
    if given.figures:
        from firmware.hardware.publish import write_figures

        write_figures()
    changed = stale() if check else write()
    for path in changed:
        print(f"{path}: {'differs from the circuits; run python -m firmware.hardware' if check else 'written'}")
    return 1 if check and changed else 0


def _projects(folder: Path, libraries: Path) -> int:
    try:
        new = kicad.write([circuit(name) for name in NAMES], folder, libraries)
    except (kicad.KicadError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    for path in new:
        print(f"{path}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
