"""Writes `manifest.json`, against which a file is checked before it is flashed to a board.

python firmware/manifest.py build/wheel.elf ... > build/manifest.json
python firmware/manifest.py --chip rp2040 --tools arm-none-eabi- build/rp2040/wheel.elf ... > build/rp2040/manifest.json

The manifest of Picos names their chip (rp2350: of a Pico 2), and .uf2 files; where none is named the chip is an
ATmega328P.
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

PICOS = ("rp2040", "rp2040_usb", "rp2350")
CHIPS = ("atmega328p", *PICOS)


def toolchain(tools: str, chip: str) -> dict[str, str]:
    """The versions of what an image was made with: the same make the same image from the same sources."""
    gcc = subprocess.run([f"{tools}gcc", "-dumpversion"], check=True, capture_output=True, text=True).stdout.strip()
    linker = subprocess.run([f"{tools}ld", "--version"], check=True, capture_output=True, text=True).stdout.split("\n")[
        0
    ]
    if chip in PICOS:
        return {"gcc": gcc, "binutils": linker.split()[-1]}
    query = [f"{tools}gcc", "-mmcu=atmega328p", "-E", "-dM", "-include", "avr/version.h", "-x", "c", "/dev/null"]
    macros = subprocess.run(query, check=True, capture_output=True, text=True).stdout
    library = re.search(r'__AVR_LIBC_VERSION_STRING__ "([^"]+)"', macros)
    return {
        "gcc": gcc,
        "binutils": linker.split()[-1],
        "avr-libc": library[1] if library else "unknown",
    }


def _sizes(elf: Path, tools: str, chip: str) -> dict[str, int]:
    if chip in PICOS:  # the program runs in RAM; the linker bounds the rest
        program = Program(elf)
        return {"flash": len(program.flash()), "ram": program.section_size(".program") + program.section_size(".bss")}
    measured = sizes(elf, tools)
    return {"flash": measured.flash, "ram": measured.ram + measured.stack}


def manifest(elves: list[Path], tools: str, chip: str = CHIPS[0]) -> dict[str, object]:
    """Version, protocol, dictionary and tools of all boards, and file, hash, build and sizes of each."""
    table = tomllib.loads((FIRMWARE / "wire/messages.toml").read_text(encoding="utf-8"))
    made = (FIRMWARE / "core/messages.h").read_text(encoding="utf-8")
    dictionary = re.search(r"#define WIRE_DICTIONARY UINT32_C\(0x([0-9A-F]{8})\)", made)
    if dictionary is None:
        raise SystemExit("core/messages.h has no WIRE_DICTIONARY; run: python firmware/wire/generate.py")
    boards = {}
    for elf in elves:
        image = Program(elf).flash()
        at = place(image)
        digest = hash_of(image)
        if image[at : at + SIZE] != digest:
            raise SystemExit(f"{elf}: its build's hash is not that of its image; build it again")
        file = elf.with_suffix(".uf2" if chip in PICOS else ".hex")
        boards[elf.stem] = {
            "hex": file.name,
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            "build": digest.hex().upper(),
            "oldest": table["kind"][elf.stem]["oldest"],
            **_sizes(elf, tools, chip),
        }
    return {
        "version": ".".join(map(str, version())),
        "protocol": table["protocol"],
        "dictionary": dictionary[1],
        "toolchain": toolchain(tools, chip),
        **({"chip": chip} if chip != CHIPS[0] else {}),
        "boards": boards,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("elf", nargs="+", type=Path)
    parser.add_argument("--tools", default="avr-", help="what the names of the tools begin with")
    parser.add_argument("--chip", choices=CHIPS, default=CHIPS[0])
    given = parser.parse_args()
    print(json.dumps(manifest(given.elf, given.tools, given.chip), indent=2))
