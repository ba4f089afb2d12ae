"""The number of a build: the first 32 bits of a SHA-256 over the firmware's sources.

    python firmware/build_hash.py           prints it
    python firmware/build_hash.py --header  prints build.h

Every board of one version has one build. Line ends, generated files and the host port do not count. Needs only
Python 3.11.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parent
FOLDERS = ("core", "kinds", "ports/avr")
MADE = {"core/messages.h"}
"""Generated from the table, which is hashed itself."""


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


def sources() -> list[Path]:
    """The source files of a board's firmware, sorted by name."""
    found = [path for folder in FOLDERS for path in (FIRMWARE / folder).rglob("*") if path.suffix in (".c", ".h")]
    named = {path.relative_to(FIRMWARE).as_posix(): path for path in found}
    return [named[name] for name in sorted(named) if name not in MADE] + [FIRMWARE / "wire/messages.toml"]


def build_hash() -> int:
    """The build number."""
    whole = hashlib.sha256()
    for path in sources():
        lines = path.read_bytes().replace(b"\r\n", b"\n")
        whole.update(b"%s\0%d\0%s" % (path.relative_to(FIRMWARE).as_posix().encode(), len(lines), lines))
    return int.from_bytes(whole.digest()[:4], "big")


def header() -> str:
    """`build.h`."""
    major, minor, patch = version()
    return "\n".join(
        [
            "/* Made by build_hash.py. */",
            f"#define BUILD_MAJOR {major}U",
            f"#define BUILD_MINOR {minor}U",
            f"#define BUILD_PATCH {patch}U",
            f"#define BUILD_HASH 0x{build_hash():08X}UL",
            "",
        ]
    )


if __name__ == "__main__":
    sys.stdout.write(header() if "--header" in sys.argv[1:] else f"{build_hash():08X}\n")
