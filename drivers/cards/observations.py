"""What card equipment does, as its drivers report it."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from drivers.base.driver import Observation
from drivers.cards.hidden_card import HiddenCard

ShoeTrouble: TypeAlias = Literal["jam", "empty", "lid"]
"""Why a shoe gives no card: it is jammed, it is empty, or its lid is open."""


class CardDealt(Observation, frozen=True, kw_only=True):
    """A card has left the shoe for good."""

    card: HiddenCard | None
    """Its face, for whom the rules let expose it; None where nobody read it."""
    left_ns: int
    """When it left the mouth, or was read where no barrier saw it."""
    doubt: str = ""
    """A reason code where it is not proven that this one card left: `card_unread`, `card_unseen`."""
    detail: str = ""


class CardPushedBack(Observation, frozen=True, kw_only=True):
    """A card was drawn to the mouth, or out of it, and pushed back into the shoe."""

    was_out: bool
    """Whether it had been out of the shoe; otherwise it only covered the first barrier, or both, and went back."""


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


class StackDealt(Observation, frozen=True, kw_only=True):
    """An automated shoe has given a stack, and no card has followed."""

    cards: int
    """How many cards left."""
    wanted: int
    """How many a stack has."""


class CompartmentsOpen(Observation, frozen=True, kw_only=True):
    """Which compartments of a double shoe are open, after one was opened or closed."""

    sides: tuple[int, ...]
    """1, 2, both or none."""


class ShoeRestarted(Observation, frozen=True, kw_only=True):
    """The shoe counts its cards from the beginning: it was switched off and on."""


class LineGarbled(Observation, frozen=True, kw_only=True):
    """A frame on the link of a shoe, a shuffler or a card reader is not a line of its protocol."""

    cause: str
    """What was expected; the frame itself is never repeated."""
    device: str = "shoe"


class CardInserted(Observation, frozen=True, kw_only=True):
    """A card was put back into a continuous shuffling shoe."""


class InsertsLost(Observation, frozen=True, kw_only=True):
    """Cards may have been put back that the shoe did not count."""

    detail: str


class CardDiscarded(Observation, frozen=True, kw_only=True):
    """A card was put into the discard rack."""


class DiscardsLost(Observation, frozen=True, kw_only=True):
    """Cards may have been put into the discard rack that it did not count."""

    detail: str


# --- shufflers --------------------------------------------------------------------------------------------------------

CardBatch: TypeAlias = Literal[1, 2]
"""One of the two batches of cards that a shuffler alternates."""
BATCHES: Final[tuple[CardBatch, ...]] = (1, 2)
ShufflerTrouble: TypeAlias = Literal["jam", "door"]


class ShuffleBegan(Observation, frozen=True, kw_only=True):
    """A shuffler has begun a cycle."""

    batch: CardBatch | None
    """The batch that it shuffles; None where its wires do not report it."""


class ShuffleEnded(Observation, frozen=True, kw_only=True):
    """A cycle is over: complete, or failed."""

    batch: CardBatch | None
    failure: str = ""
    """A reason code: `shuffler_jam`, `shuffle_incomplete`; empty where the shuffler completed the cycle."""
    count: int | None = None
    """The cards that it counted; None where the count is not known."""
    detail: str = ""


class ShufflerTroubled(Observation, frozen=True, kw_only=True):
    """The shuffler cannot shuffle from now on: it is jammed, or its door is open."""

    trouble: ShufflerTrouble
    detail: str


class ShufflerUntroubled(Observation, frozen=True, kw_only=True):
    """That trouble is over."""

    trouble: ShufflerTrouble


class ShufflerPresent(Observation, frozen=True, kw_only=True):
    """Whether the shuffler is at the table, by its sensor."""

    present: bool


class OrderSealed(Observation, frozen=True, kw_only=True):
    """A reading shuffler has committed itself to the order that it made of a batch."""

    batch: CardBatch
    count: int
    root: str
    """SHA-256 over the commitments of all cards, in the order in which they will be dealt, as hexadecimal digits."""


class OrderCardOpened(Observation, frozen=True, kw_only=True):
    """A reading shuffler has opened one card more of an order; which one, is reported with the whole order."""

    batch: CardBatch
    place: int
    """From 1, in the order of the deal."""


class OrderWithheld(Observation, frozen=True, kw_only=True):
    """A reading shuffler was asked for an order, and did not open it whole."""

    batch: CardBatch
    place: int
    """The first place that it did not open."""


class OrderOpened(Observation, frozen=True, kw_only=True):
    """A reading shuffler has opened the order of a batch, after the stack was broken up."""

    batch: CardBatch
    cards: tuple[str, ...]
    salts: tuple[str, ...]
    """Of each card, as 32 hexadecimal digits."""


# --- hole cards -------------------------------------------------------------------------------------------------------

Blackjack: TypeAlias = Literal["yes", "no", "unreadable"]
"""All that a card reader gives: whether the dealer has blackjack, or that it could not read; never the card."""


class HoleCardRead(Observation, frozen=True, kw_only=True):
    """The card reader has looked at the dealer's hole card."""

    blackjack: Blackjack


# --- progressive wagers -----------------------------------------------------------------------------------------------


class WagerSeen(Observation, frozen=True, kw_only=True):
    """A progressive wager is in the acceptor of a position, or is there no more."""

    position: int
    lies: bool
    since_ns: int


class AcceptorFailed(Observation, frozen=True, kw_only=True):
    """Whether a wager is in the acceptor of a position is not known."""

    position: int
