"""The identity of a board in words, and as the facts of `table.opened`."""

from __future__ import annotations

from typing import Final

from hal.board import down_reasons as reasons
from hal.board.identity import ExpectedBoard, image_hash, refusal
from hal.board.messages import KINDS, IdentityAnswer
from hal.wording import times

_KIND_NAMES: Final = {kind.id: kind.name for kind in KINDS.values()}


def kind_name(identity: IdentityAnswer) -> str:
    """The name of the board's kind."""
    return _KIND_NAMES.get(identity.kind, f"unknown kind {identity.kind}")


def version(identity: IdentityAnswer) -> str:
    """The version of its firmware: `1.0.0`."""
    return f"{identity.major}.{identity.minor}.{identity.patch}"


def build(identity: IdentityAnswer) -> str:
    """The number of the image in its flash, as 8 digits: how its SHA-256 begins."""
    return f"{identity.build:08X}"


def who(identity: IdentityAnswer) -> str:
    """The kind and serial number of a board: `wheel board, serial 7`."""
    serial = f", serial {identity.serial}" if identity.serial else ""
    return f"{kind_name(identity)} board{serial}"


def words(identity: IdentityAnswer) -> str:
    """The identity, the firmware and the last reset of a board in one line."""
    firmware = f"firmware {version(identity)}, build {build(identity)}"
    last = "" if identity.boots == 1 else ", the last time"
    begun = f"begun {times(identity.boots)}{last}: {reasons.causes(identity.cause, identity.hung_at)}"
    return f"{who(identity)}, {firmware}, {begun}"


def misfit(identity: IdentityAnswer, kind: str | None = None) -> str | None:
    """Why this software does not work with the board, with both values and the fix; None if it does.

    `kind` is the kind that the board must have, where that matters.
    """
    wanted = KINDS.get(kind_name(identity) if kind is None else kind)
    return refusal(ExpectedBoard(wanted), identity)


def not_written(identity: IdentityAnswer, kind: str, version: tuple[int, int, int], image: bytes) -> str | None:
    """Why the board is not the one with the image of this SHA-256, with both values and the fix; None if it is."""
    return refusal(ExpectedBoard(KINDS[kind], version, image), identity)


def facts(device: str, kind: str, identity: IdentityAnswer | None) -> dict[str, str]:
    """A board as an entry of the devices of `table.opened`, with its identity if that is known."""
    known = {"device": device, "driver": "board", "kind": kind}
    if identity is None:
        return known
    return known | {
        "identity": who(identity),
        "firmware": version(identity),
        "hash": image_hash(identity).hex().upper(),
    }
