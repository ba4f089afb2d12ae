"""`firmware/uf2.py`, which is a script of its own folder, for tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

_FOLDER = str(Path(__file__).resolve().parents[2] / "firmware")


def _script() -> object:
    sys.path.insert(0, _FOLDER)
    try:
        return import_module("uf2")
    finally:
        sys.path.remove(_FOLDER)


_UF2 = _script()


def blocks(image: bytes, chip: str = "rp2040") -> Iterator[bytes]:
    """The blocks of an image."""
    made: Iterator[bytes] = _UF2.blocks(image, chip)  # type: ignore[attr-defined]
    return made


def checksum(data: bytes) -> int:
    """The checksum of a second stage."""
    made: int = _UF2.checksum(data)  # type: ignore[attr-defined]
    return made
