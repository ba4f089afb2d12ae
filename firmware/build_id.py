"""The version of the firmware, and the hash of a build, which names the image in a board's flash.

    python firmware/build_id.py --header          prints build.h
    python firmware/build_id.py stamp X.elf       writes the hash of its image into it

The hash is the SHA-256 over the image, from address 0, with the hash itself taken as 0. It is in the image behind
`MARK`, so that it can be found and checked in a file and in a chip. Its first 32 bits are the build's number, by which
people name it. Needs only Python 3.11.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from elf import ElfError, Program

FIRMWARE = Path(__file__).resolve().parent
MARK = b"FWBUILD\x02"
"""Precedes the hash (ports/avr/build_note.c)."""
SIZE = 32


def version() -> tuple[int, int, int]:
    """The version in VERSION.

    Raises:
        SystemExit: it is not three numbers of at most 255.
    """
    text = (FIRMWARE / "VERSION").read_text(encoding="utf-8").strip()
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isdecimal() and int(part) < 256 for part in parts):
        raise SystemExit(f"VERSION: expected three numbers of at most 255 such as 1.0.0, got {text!r}")
    major, minor, patch = map(int, parts)
    return major, minor, patch


def place(image: bytes) -> int:
    """Where the hash is in an image.

    Raises:
        ElfError: nowhere, or in more than one place.
    """
    if image.count(MARK) != 1:
        raise ElfError(f"it has the mark of a build's hash {image.count(MARK)} times; expected once")
    return image.index(MARK) + len(MARK)


def hash_of(image: bytes) -> bytes:
    """The hash that an image must have.

    Raises:
        ElfError: it has no place for one.
    """
    at = place(image)
    return hashlib.sha256(image[:at] + bytes(SIZE) + image[at + SIZE :]).digest()


def stamp(path: Path) -> bytes:
    """Writes the hash of a program's image into the file, and returns it.

    Raises:
        ElfError: the file is not a program of a board.
    """
    program = Program(path)
    image = program.flash()
    found = hash_of(image)
    at = program.file_offset(place(image))
    content = bytearray(program.content)
    content[at : at + SIZE] = found
    path.write_bytes(content)
    return found


def header() -> str:
    """`build.h`."""
    major, minor, patch = version()
    return "\n".join(
        [
            "/* Made by build_id.py. */",
            f"#define BUILD_MAJOR {major}U",
            f"#define BUILD_MINOR {minor}U",
            f"#define BUILD_PATCH {patch}U",
            "",
        ]
    )


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    if arguments == ["--header"]:
        sys.stdout.write(header())
        return 0
    if len(arguments) == 2 and arguments[0] == "stamp":
        try:
            stamp(Path(arguments[1]))
        except ElfError as error:
            print(f"{arguments[1]}: {error}", file=sys.stderr)
            return 1
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
