"""Writes `manifest.json`, against which a file is checked before it is flashed to a board.

python firmware/manifest.py build/wheel.elf ... > build/manifest.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import tomllib
from pathlib import Path

from build_id import FIRMWARE, SIZE, hash_of, place, version
from elf import Program
from sizes import sizes


def toolchain(tools: str) -> dict[str, str]:
    """The versions of what an image was made with: the same make the same image from the same sources."""
    gcc = subprocess.run([f"{tools}gcc", "-dumpversion"], check=True, capture_output=True, text=True).stdout.strip()
    linker = subprocess.run([f"{tools}ld", "--version"], check=True, capture_output=True, text=True).stdout.split("\n")[
        0
    ]
    query = [f"{tools}gcc", "-mmcu=atmega328p", "-E", "-dM", "-include", "avr/version.h", "-x", "c", "/dev/null"]
    macros = subprocess.run(query, check=True, capture_output=True, text=True).stdout
    library = re.search(r'__AVR_LIBC_VERSION_STRING__ "([^"]+)"', macros)
    return {
        "gcc": gcc,
        "binutils": linker.split()[-1],
        "avr-libc": library[1] if library else "unknown",
    }


def manifest(elves: list[Path], tools: str) -> dict[str, object]:
    """Version, protocol, dictionary and tools of all boards, and file, hash, build and sizes of each."""
    table = tomllib.loads((FIRMWARE / "wire/messages.toml").read_text(encoding="utf-8"))
    made = (FIRMWARE / "core/messages.h").read_text(encoding="utf-8")
    dictionary = re.search(r"#define WIRE_DICTIONARY UINT32_C\(0x([0-9A-F]{8})\)", made)
    if dictionary is None:
        raise SystemExit("core/messages.h has no WIRE_DICTIONARY; run: python firmware/wire/generate.py")
    boards = {}
    for elf in elves:
        measured = sizes(elf, tools)
        image = Program(elf).flash()
        at = place(image)
        digest = hash_of(image)
        if image[at : at + SIZE] != digest:
            raise SystemExit(f"{elf}: its build's hash is not that of its image; build it again")
        file = elf.with_suffix(".hex")
        boards[elf.stem] = {
            "hex": file.name,
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            "build": digest.hex().upper(),
            "oldest": table["kind"][elf.stem]["oldest"],
            "flash": measured.flash,
            "ram": measured.ram + measured.stack,
        }
    return {
        "version": ".".join(map(str, version())),
        "protocol": table["protocol"],
        "dictionary": dictionary[1],
        "toolchain": toolchain(tools),
        "boards": boards,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("elf", nargs="+", type=Path)
    parser.add_argument("--tools", default="avr-", help="what the names of the tools begin with")
    given = parser.parse_args()
    print(json.dumps(manifest(given.elf, given.tools), indent=2))
