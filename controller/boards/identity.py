"""The identity of a board in words, and as the facts of `table.opened`."""

from __future__ import annotations

from typing import Final

from controller.table.wording import times
from hal.board import down_reasons as reasons
from hal.board.firmware import BUILD, VERSION
from hal.board.identity import ExpectedBoard, refusal
from hal.board.messages import KINDS, IdentityAnswer

_KIND_NAMES: Final = {kind.id: kind.name for kind in KINDS.values()}


def kind_name(identity: IdentityAnswer) -> str:
    """The name of the board's kind."""
    return _KIND_NAMES.get(identity.kind, f"unknown kind {identity.kind}")


def version(identity: IdentityAnswer) -> str:
    """The version of its firmware: `1.0.0`."""
    return f"{identity.major}.{identity.minor}.{identity.patch}"


def build(identity: IdentityAnswer) -> str:
    """The first 32 bits of the hash over the firmware's sources, as 8 digits."""
    return f"{identity.build:08X}"


def who(identity: IdentityAnswer) -> str:
    """The kind and serial number of a board: `wheel board, serial 7`."""
    serial = f", serial {identity.serial}" if identity.serial else ""
    return f"{kind_name(identity)} board{serial}"


def words(identity: IdentityAnswer) -> str:
    """The identity, the firmware and the last reset of a board in one line."""
    firmware = f"firmware {version(identity)}, build {build(identity)}"
    last = "" if identity.boots == 1 else ", the last time"
    return f"{who(identity)}, {firmware}, begun {times(identity.boots)}{last}: {reasons.causes(identity.cause)}"


def misfit(identity: IdentityAnswer, kind: str | None = None) -> str | None:
    """What does not match this software, with both values and the fix; None if everything matches.

    `kind` is the kind that the board must have, where that matters.
    """
    wanted = KINDS.get(kind_name(identity) if kind is None else kind)
    return refusal(ExpectedBoard(wanted, VERSION, BUILD), identity)


def facts(device: str, kind: str, identity: IdentityAnswer | None) -> dict[str, str]:
    """A board as an entry of the devices of `table.opened`, with its identity if that is known."""
    known = {"device": device, "driver": "board", "kind": kind}
    if identity is None:
        return known
    return known | {"identity": who(identity), "firmware": version(identity), "hash": build(identity)}
