"""Checks that a board is the expected one: its kind, and exactly the firmware that this software was built with."""

from __future__ import annotations

from typing import NamedTuple

from hal.board.message import BoardKind
from hal.board.messages import DICTIONARY, KINDS, PROTOCOL, IdentityAnswer

_NAMES = {kind.id: name for name, kind in KINDS.items()}


class ExpectedBoard(NamedTuple):
    """What a board must be. None is not checked."""

    kind: BoardKind | None
    version: tuple[int, int, int] | None
    """The firmware's version: major, minor, patch."""
    build: int | None
    """First 32 bits of the SHA-256 over the firmware's sources."""
    serial: int | None = None
    """The serial number that a technician gave it; tells boards of one kind apart."""


def refusal(wanted: ExpectedBoard, found: IdentityAnswer) -> str | None:
    """Why the board is not the expected one, for people; None if it is."""
    version = (found.major, found.minor, found.patch)
    if found.protocol != PROTOCOL:
        return _flash(wanted, f"protocol {PROTOCOL}", f"protocol {found.protocol}")
    if found.dictionary != DICTIONARY:
        return _flash(wanted, f"dictionary {DICTIONARY:08X}", f"dictionary {found.dictionary:08X}")
    if wanted.kind is not None and found.kind != wanted.kind.id:
        name = _NAMES.get(found.kind)
        theirs = f"unknown kind {found.kind}" if name is None else f"kind {name!r}"
        return (
            f"expected a board of kind {wanted.kind.name!r}, found {theirs}; plug in the right board, correct its "
            f"port, or flash it with: feltwire boards flash {wanted.kind.name} PORT"
        )
    if wanted.version is not None and version != wanted.version:
        return _flash(wanted, f"firmware {_dotted(wanted.version)}", f"firmware {_dotted(version)}")
    if wanted.build is not None and found.build != wanted.build:
        return _flash(wanted, f"build {wanted.build:08X}", f"build {found.build:08X}")
    if wanted.serial is not None and found.serial != wanted.serial:
        theirs = f"serial {found.serial}" if found.serial else "a board without a serial number"
        return (
            f"expected serial {wanted.serial}, found {theirs}; plug in the right board, correct its port, or give it "
            f"this number with: feltwire boards name PORT {wanted.serial}"
        )
    return None


def strange(wanted: ExpectedBoard, fields: bytes) -> str:
    """Why a board whose `identity` has another layout is refused: it speaks another protocol."""
    ours = f"protocol {PROTOCOL} with an identity of {IdentityAnswer.layout.size} bytes"
    theirs = f"protocol {int.from_bytes(fields[:2], 'little')} with one of {len(fields)} bytes"
    return _flash(wanted, ours, theirs)


def _flash(wanted: ExpectedBoard, expected: str, found: str) -> str:
    kind = "KIND" if wanted.kind is None else wanted.kind.name
    return f"expected {expected}, found {found}; flash its firmware with: feltwire boards flash {kind} PORT"


def _dotted(version: tuple[int, int, int]) -> str:
    return ".".join(map(str, version))
