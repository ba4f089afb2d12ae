"""Firmware builds that are complete, with images that no chip could run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from hal.board.firmware import BUILD, VERSION
from hal.board.messages import DICTIONARY, KINDS, PROTOCOL


def record(kind: int, address: int, data: bytes) -> str:
    """One record of Intel HEX."""
    body = bytes((len(data), address >> 8, address & 0xFF, kind)) + data
    return f":{(body + bytes((-sum(body) & 0xFF,))).hex().upper()}\n"


def image(data: bytes) -> str:
    """A file whose image is these bytes."""
    pieces = (record(0, at, data[at : at + 16]) for at in range(0, len(data), 16))
    return "".join(pieces) + record(1, 0, b"")


def make_build(folder: Path, **changed: Any) -> Path:
    """A build of all kinds in a folder, as `make firmware` leaves it; returns its manifest. `changed` are its keys."""
    boards = {}
    for kind in KINDS:
        content = image(f"the {kind} firmware ".encode() * 20).encode()
        (folder / f"{kind}.hex").write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        boards[kind] = {"hex": f"{kind}.hex", "sha256": digest, "flash": 400, "ram": 100}
    manifest = {
        "version": ".".join(map(str, VERSION)),
        "protocol": PROTOCOL,
        "dictionary": f"{DICTIONARY:08X}",
        "build": f"{BUILD:08X}",
        "boards": boards,
        **changed,
    }
    path = folder / "manifest.json"
    path.write_text(json.dumps(manifest))
    return path
