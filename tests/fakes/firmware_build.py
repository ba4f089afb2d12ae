"""Firmware builds that are complete, with images that no chip could run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from controller.boards.firmware_image import BUILD_MARK
from hal.board.firmware import VERSION
from hal.board.messages import DICTIONARY, KINDS, PROTOCOL


def record(kind: int, address: int, data: bytes) -> str:
    """One record of Intel HEX."""
    body = bytes((len(data), address >> 8, address & 0xFF, kind)) + data
    return f":{(body + bytes((-sum(body) & 0xFF,))).hex().upper()}\n"


def image(data: bytes) -> str:
    """A file whose image is these bytes."""
    pieces = (record(0, at, data[at : at + 16]) for at in range(0, len(data), 16))
    return "".join(pieces) + record(1, 0, b"")


def program(kind: str) -> bytes:
    """What stands for the program of a kind, with its hash."""
    begin = f"the {kind} firmware ".encode() * 20 + BUILD_MARK
    return begin + hashlib.sha256(begin + bytes(32)).digest()


def image_of(kind: str) -> bytes:
    """The hash of a kind's image."""
    return program(kind)[-32:]


IMAGE = image_of("wheel")
BUILD = int.from_bytes(IMAGE[:4], "big")
"""Its number."""


def make_build(folder: Path, **changed: Any) -> Path:
    """A build of all kinds in a folder, as `make firmware` leaves it; returns its manifest. `changed` are its keys."""
    boards = {}
    for kind in KINDS:
        content = image(program(kind)).encode()
        (folder / f"{kind}.hex").write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        boards[kind] = {
            "hex": f"{kind}.hex",
            "sha256": digest,
            "build": image_of(kind).hex().upper(),
            "oldest": KINDS[kind].oldest,
            "flash": 400,
            "ram": 100,
        }
    manifest = {
        "version": ".".join(map(str, VERSION)),
        "protocol": PROTOCOL,
        "dictionary": f"{DICTIONARY:08X}",
        "toolchain": {"gcc": "0"},
        "boards": boards,
        **changed,
    }
    path = folder / "manifest.json"
    path.write_text(json.dumps(manifest))
    return path
