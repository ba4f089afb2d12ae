"""The cards of one round that are out of the shoe: exposed, face down, out of turn, or beyond the last one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from controller.games.cards.ledger import CardLedger
from controller.rules.cited import Reason
from controller.table.report import Report
from drivers.cards.observations import CardDealt
from feed.data import DealtCard

CardUse: TypeAlias = Literal["discard", "next_round", "next_card"]
"""What becomes of a card that was drawn in error: laid aside, the first of the next round, or the next of this one."""
USES: Final[dict[str, CardUse]] = {use: use for use in get_args(CardUse)}


class HeldCard(NamedTuple):
    """A card that left before its turn, and on which nobody has decided."""

    seen: CardDealt
    uses: tuple[CardUse, ...]
    """What may become of it."""
    discarded: Callable[[], str]
    """What follows for the people at the table if it is discarded, in words."""


class CardsOnTable:
    """The cards on one table."""

    def __init__(self, report: Report, ledger: CardLedger, reasons: Mapping[str, Reason]) -> None:
        self._report = report
        self._ledger = ledger
        self._reasons = reasons
        self.declared_hands: int | None = None
        """How many hands are dealt to players, as the dealer has declared it."""
        self.kept: list[CardDealt] = []
        """Cards in excess that begin the next round."""
        self.reset()

    def reset(self) -> None:
        """A new round begins."""
        self.excess: list[CardDealt] = []
        """Cards that left after the round was complete: a person decides what becomes of them."""
        self.held: HeldCard | None = None
        self.next_card: CardDealt | None = None
        """A card that was held and is the next one, once its turn has come."""
        self.face_up = self.face_up_due = 0
        """Cards of this round that were found face up, and those of them that have not left yet."""

    def hide(self, seen: CardDealt, t_ns: int) -> None:
        """A card of the round is not exposed: a commitment to it is published, unless there is one.

        That a card is none of this game is published as the reason of the verdict, so the capture may show it too.
        """
        if seen.card is not None and not self._ledger.is_sealed(seen.card):
            self._ledger.seal(seen, t_ns)
            if seen.doubt == "foreign_card":
                self._report.expose(seen.card.frame)

    def lay_open(self, seen: CardDealt, to: str, t_ns: int) -> DealtCard | None:
        """A card of the round is exposed where it lies; None where nobody read it."""
        if seen.card is None:
            return None
        place = self._ledger.place_of(seen.card)
        face = self._ledger.expose(seen.card, t_ns)
        return DealtCard(card=face, to=to, left_ns=seen.left_ns, place=place)

    def hold(
        self,
        seen: CardDealt,
        t_ns: int,
        reason: str,
        detail: str,
        *,
        uses: tuple[CardUse, ...] = ("discard", "next_card"),
        discarded: Callable[[], str] = lambda: "1 card discarded",
    ) -> None:
        """A card of the round left before its turn: a person decides what becomes of it."""
        self.held = HeldCard(seen, uses, discarded)
        self.hide(seen, t_ns)
        self.out_of_turn(t_ns, reason, f"{detail}: decide on it with excess_card")

    def out_of_turn(self, t_ns: int, reason: str, detail: str) -> None:
        """Reports a card that was drawn out of its turn. It is not named: it may not be exposed."""
        self._report.violation(t_ns, reason, self._reasons[reason].rule, detail)

    def take_next(self) -> CardDealt | None:
        """The card that was held and is the next one, where there is one: its turn has come."""
        seen, self.next_card = self.next_card, None
        return seen
