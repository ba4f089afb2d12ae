"""What card equipment does, as its drivers report it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from drivers.base.driver import Observation

ShoeTrouble: TypeAlias = Literal["jam", "empty", "lid"]
"""Why a shoe gives no card: it is jammed, it is empty, or its lid is open."""


class CardDealt(Observation, frozen=True, kw_only=True):
    """A card has left the shoe for good."""

    card: str | None
    """Rank and suit; None where nobody read it."""
    left_ns: int
    """When it left the mouth, or was read where no barrier saw it."""
    doubt: str = ""
    """A reason code where it is not proven that this one card left: `card_unread`, `card_unseen`."""
    detail: str = ""


class CardPushedBack(Observation, frozen=True, kw_only=True):
    """A card was drawn to the mouth, or out of it, and pushed back into the shoe."""

    was_out: bool
    """Whether it had been out of the shoe; else it only covered the first barrier, or both, and went back."""


class CardsLost(Observation, frozen=True, kw_only=True):
    """Cards may have left that were not reported one by one."""

    reason: str
    """A reason code: `edges_lost`, `card_count`."""
    detail: str


class CuttingCardSeen(Observation, frozen=True, kw_only=True):
    """The cutting card has come to the mouth of the shoe, or out of it."""


class ShoeTroubled(Observation, frozen=True, kw_only=True):
    """The shoe cannot give a card from now on."""

    trouble: ShoeTrouble
    detail: str


class ShoeUntroubled(Observation, frozen=True, kw_only=True):
    """That trouble is over."""

    trouble: ShoeTrouble


class ShoeRestarted(Observation, frozen=True, kw_only=True):
    """The shoe counts its cards from the beginning: it was switched off and on."""


class LineGarbled(Observation, frozen=True, kw_only=True):
    """A frame on the link of the shoe is no line of its protocol."""

    cause: str
    """What was expected; the frame itself is never repeated."""
