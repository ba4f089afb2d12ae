"""Writes `manifest.json`, against which a file is checked before it is flashed to a board.

python firmware/manifest.py build/wheel.elf ... > build/manifest.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tomllib
from pathlib import Path

from build_hash import FIRMWARE, build_hash, version
from sizes import sizes


def manifest(elves: list[Path], tools: str) -> dict[str, object]:
    """Version, protocol, dictionary and build of all boards, and file, hash and sizes of each."""
    table = tomllib.loads((FIRMWARE / "wire/messages.toml").read_text(encoding="utf-8"))
    made = (FIRMWARE / "core/messages.h").read_text(encoding="utf-8")
    dictionary = re.search(r"#define WIRE_DICTIONARY UINT32_C\(0x([0-9A-F]{8})\)", made)
    if dictionary is None:
        raise SystemExit("core/messages.h has no WIRE_DICTIONARY; run: python firmware/wire/generate.py")
    boards = {}
    for elf in elves:
        measured = sizes(elf, tools)
        file = elf.with_suffix(".hex")
        boards[elf.stem] = {
            "hex": file.name,
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            "flash": measured.flash,
            "ram": measured.ram + measured.stack,
        }
    return {
        "version": ".".join(map(str, version())),
        "protocol": table["protocol"],
        "dictionary": dictionary[1],
        "build": f"{build_hash():08X}",
        "boards": boards,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("elf", nargs="+", type=Path)
    parser.add_argument("--tools", default="avr-", help="what the names of the tools begin with")
    given = parser.parse_args()
    print(json.dumps(manifest(given.elf, given.tools), indent=2))
