"""What a game of cards decides: whose each card is, when the hands are complete, and what they result in.

The hands of a game get proven cards one by one. They expose them or leave them face down, report how far the deal is,
and return a verdict once there is one. They know no shoe and no procedure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

from controller.games.cards.on_table import CardsOnTable
from controller.games.cards.progressive import ProgressiveProcedure
from controller.games.cards.shoe import CardShoe
from controller.table.capabilities import members_of
from controller.table.report import Report
from controller.table.rounds import RoundLifecycle
from drivers.cards.observations import CardDealt
from feed.events import Evidence, WinningBet


class CardDesk(NamedTuple):
    """What the hands of a game work with."""

    report: Report
    rounds: RoundLifecycle
    cards: CardsOnTable
    shoe: CardShoe
    progressive: ProgressiveProcedure | None
    """The progressive wager, where the table has one."""
    call_by: str
    """`button` or `auto`."""


class HandsDecided(NamedTuple):
    """The hands are complete."""

    result: dict[str, Any]
    notices: Sequence[str] = ()
    """Notices that go with this round, beside those of the result."""
    rule: str = ""
    """The rule that the outcome cites; empty: the one by which results are read."""


class HandsUnproven(NamedTuple):
    """The round is left to the dealer."""

    reason: str
    detail: str


HandsVerdict: TypeAlias = HandsDecided | HandsUnproven | None
"""None while the round continues."""


class CardHands(Protocol):
    """The hands of one game of cards."""

    def reset(self) -> None:
        """A new round begins."""

    def deal(self, seen: CardDealt, t_ns: int) -> HandsVerdict:
        """A card of the round has left, alone and in its turn."""

    def evidence(self, detail: str = "") -> Evidence:
        """The cards of the round, as far as they are exposed."""

    def complete_words(self) -> str:
        """Why a card that leaves now belongs to nothing: what was complete."""

    def result_named(self, name: str) -> dict[str, Any]:
        """The result that a person names by cards.

        Raises:
            ValueError: the game has no such result; the message states which it has.
        """

    def name_of(self, result: Mapping[str, Any]) -> str:
        """How a person names a result: what `result_named` reads."""

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with a result, as far as the hands are read, and the notices that go with it."""


@runtime_checkable
class StagedHands(Protocol):
    """Hands of a round in which the dealer announces something, or turns cards."""

    @property
    def stage(self) -> str | None:
        """What the dealer announces next in this round, in words; None where there is nothing to announce."""

    def next_stage(self, t_ns: int, by: str) -> HandsVerdict:
        """The dealer announces it."""


@runtime_checkable
class RetractableHands(Protocol):
    """Hands that can do without their last card."""

    def take_back(self) -> bool:
        """The last card of the round was face up in the shoe: it is used for nothing. False where there is none."""


@runtime_checkable
class CorrectableHands(Protocol):
    """Hands of which one can be found to be void, after the round has its outcome too."""

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result that a person names for a round, with the hands that are void in it. Raises `ValueError`."""

    @property
    def unnamed(self) -> str | None:
        """Why the outcome is not what people see on the table, in words; None where it is."""

    def call_refused(self, reason: str) -> str | None:
        """Why a person may not call the round void for that reason now; None where the rules allow it."""


HAND_PROTOCOLS: Final = members_of((StagedHands, RetractableHands, CorrectableHands))
"""The members of each protocol that only some hands have."""
