"""Checks that a board is the expected one: its kind, a protocol that both sides know, its image where that matters."""

from __future__ import annotations

from typing import NamedTuple

from hal.board.message import BoardKind
from hal.board.messages import KINDS, PROTOCOL, IdentityAnswer

_NAMES = {kind.id: name for name, kind in KINDS.items()}
_OLDEST_FIELD = 2
"""The protocol that brought the field `oldest`."""
_IMAGE_FIELD = 3
"""The protocol that brought the field `image`."""
_NUMBER_BYTES = 4
"""Of an image's hash, those by which people name a build."""


class ExpectedBoard(NamedTuple):
    """What a board must be. None is not checked."""

    kind: BoardKind | None
    version: tuple[int, int, int] | None = None
    """The firmware's version: major, minor, patch. Any of a known protocol works; a new image must have its own."""
    image: bytes | None = None
    """The SHA-256 of its image, or how that begins: a new image must have its own, and a table that was approved with
    one names it."""
    serial: int | None = None
    """The serial number that a technician gave it; distinguishes boards of one kind."""


def refusal(wanted: ExpectedBoard, found: IdentityAnswer) -> str | None:
    """Why the board is not the expected one, for people; None if it is."""
    version = (found.major, found.minor, found.patch)
    kind = next((kind for kind in KINDS.values() if kind.id == found.kind), None)
    strange = protocol_refusal(kind, found.protocol, found.oldest)
    if strange is not None:
        return _flash(wanted, *strange)
    if wanted.kind is not None and found.kind != wanted.kind.id:
        name = _NAMES.get(found.kind)
        theirs = f"unknown kind {found.kind}" if name is None else f"kind {name!r}"
        return (
            f"expected a board of kind {wanted.kind.name!r}, found {theirs}; plug in the right board, correct its "
            f"port, or flash it with: feltwire boards flash {wanted.kind.name} PORT"
        )
    if wanted.version is not None and version != wanted.version:
        return _flash(wanted, f"firmware {_dotted(wanted.version)}", f"firmware {_dotted(version)}")
    if wanted.image is not None and not image_hash(found).startswith(wanted.image):
        return _flash(wanted, *_builds(wanted.image, found))
    if wanted.serial is not None and found.serial != wanted.serial:
        theirs = f"serial {found.serial}" if found.serial else "a board without a serial number"
        return (
            f"expected serial {wanted.serial}, found {theirs}; plug in the right board, correct its port, or give it "
            f"this number with: feltwire boards name PORT {wanted.serial}"
        )
    return None


def image_hash(found: IdentityAnswer) -> bytes:
    """The SHA-256 over the image in a board's flash; of a board before protocol 3 its first 32 bits: it has no more."""
    build = found.build.to_bytes(_NUMBER_BYTES, "big")
    return build + found.image if found.protocol >= _IMAGE_FIELD else build


def protocol_refusal(kind: BoardKind | None, protocol: int, oldest: int) -> tuple[str, str] | None:
    """What was expected and found, where firmware of this protocol does not work with this software; else None.

    `oldest` is the oldest protocol whose hosts it works with, as it reports itself. A kind that this software does not
    know is judged by that alone.
    """
    least = 1 if kind is None else kind.oldest
    ours = f"protocol {least} to {PROTOCOL}" if least < PROTOCOL else f"protocol {PROTOCOL}"
    # Before there was the field, a board worked with its own protocol.
    accepts = oldest if protocol >= _OLDEST_FIELD else protocol
    if protocol < least:
        return ours, f"protocol {protocol}"
    if protocol > PROTOCOL and accepts > PROTOCOL:
        return ours, f"protocol {protocol}, which works with hosts of protocol {accepts} and later"
    return None


def strange(wanted: ExpectedBoard, fields: bytes) -> str:
    """Why a board whose `identity` has another layout is refused: it speaks another protocol."""
    ours = f"protocol {PROTOCOL} with an identity of {IdentityAnswer.layout.size} bytes"
    theirs = f"protocol {int.from_bytes(fields[:2], 'little')} with one of {len(fields)} bytes"
    return _flash(wanted, ours, theirs)


def _flash(wanted: ExpectedBoard, expected: str, found: str) -> str:
    kind = "KIND" if wanted.kind is None else wanted.kind.name
    return f"expected {expected}, found {found}; flash its firmware with: feltwire boards flash {kind} PORT"


def _builds(wanted: bytes, found: IdentityAnswer) -> tuple[str, str]:
    """Both builds by their numbers; by as much of their hashes as is known, where the numbers are equal."""
    theirs = image_hash(found)
    digits = _NUMBER_BYTES if wanted[:_NUMBER_BYTES] != theirs[:_NUMBER_BYTES] else len(wanted)
    less = f" and no more of its hash: its protocol is {found.protocol}" if len(theirs) < digits else ""
    return f"build {wanted[:digits].hex().upper()}", f"build {theirs[:digits].hex().upper()}{less}"


def _dotted(version: tuple[int, int, int]) -> str:
    return ".".join(map(str, version))
