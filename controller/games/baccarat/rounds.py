"""Rounds of baccarat, from the order in which the cards leave a reading shoe.

    bets open ── "No more bets" ──► cards, one by one ──► both hands complete: outcome ──► settled
                                          │                       └── a card more ──► a person decides on it
                                          └── a card not read, or not proven ──► unresolved, the dealer calls it

Whose a card is follows from those before it, and from nothing else. So one card that nobody read, or that may have left
unseen, leaves the round to the dealer; and a card that leaves when both hands are complete belongs to neither: a person
decides whether it is discarded, or is the first of the next round.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from controller.games.baccarat.hands import Hands, Undecided, hands_dealt, total
from controller.games.baccarat.rules import BaccaratRules
from controller.games.cards.ledger import CardLedger
from controller.games.cards.shuffling import ShufflerProcedure, ShufflerTerms
from controller.table.faults import CauseGone, Fault
from controller.table.game import Game, GameContext, Terms
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING, SHUT
from controller.table.wording import counted
from drivers.base.driver import NEVER_NS, Observation
from drivers.cards.card_wire import DECK
from drivers.cards.observations import (
    CardDealt,
    CardPushedBack,
    CardsLost,
    CuttingCardSeen,
    LineGarbled,
    ShoeRestarted,
    ShoeTroubled,
    ShoeUntroubled,
)
from drivers.cards.shuffler import ShufflerConfig
from feed import events
from feed.data import DealtCard
from feed.events import Evidence, WinningBet
from feed.state import SETTLED, TableState
from feed.state import SETTLING as SETTLING_STILL

SHOE: Final = "shoe"
Use: TypeAlias = Literal["discard", "next_round"]
"""What becomes of a card that belongs to neither hand."""
RESHUFFLE: Final = "reshuffle_due"
TROUBLES: Final = {"jam": "shoe_jam", "empty": "shoe_empty", "lid": "shoe_open"}
"""The faults of a shoe that gives no card."""
QUIET_NS: Final = 5_000_000_000
"""After a void round, or cards dealt at a table that was shut, so long without a card before the next round opens
(ours): the dealer collects the cards."""


class BaccaratOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of rounds of baccarat under `[game]`."""

    settle_after_s: Annotated[
        float,
        Meta(
            ge=0,
            le=600,
            description="without a settle button, a round settles so long after its outcome (ours); an unresolved one "
            "waits for a person",
        ),
    ] = 3.0
    decks: Annotated[int, Meta(ge=1, le=12, description="decks in the shoe: at least as many as the text wants")] = 8
    third_card_table: Annotated[
        bool,
        Meta(
            description="whether a bank of three to six draws by the table of punto banco where the text is silent "
            "(ours); without it such a round is unresolved"
        ),
    ] = True


class BaccaratGame(Game):
    """The rounds of one baccarat table."""

    names_result_by = "cards"

    def __init__(
        self,
        context: GameContext,
        rules: BaccaratRules,
        options: BaccaratOptions,
        *,
        shuffler: ShufflerConfig | None = None,
    ) -> None:
        """`shuffler` is the automated shuffling device, if the table has one."""
        terms = Terms(rules.no_more_bets, rules.reasons, rules.result_read.cite, options.settle_after_s, "Round void")
        super().__init__(context, terms)
        self.device = SHOE
        self._rules = rules
        self._drawing = rules.drawing(table=options.third_card_table)
        self._quiet = True
        """Whether the cards that belong to no round have been collected, as far as the shoe can tell."""
        self._doubt: tuple[str, str] | None = None
        """Why cards may have left unseen since the last round, and in words what was seen."""
        self._reshuffle = False
        """Whether the cutting card has come in this shoe."""
        self._excess: list[CardDealt] = []
        """Cards that left after both hands were complete: a person decides what becomes of them."""
        self._kept: list[CardDealt] = []
        """Those that begin the next round."""
        self.stack = options.decks * len(DECK)
        """Cards in a whole stack."""
        self.procedure = rules.procedure
        self.ledger = CardLedger(self)
        self.shuffler: ShufflerProcedure | None = None
        if shuffler is not None:
            procedure = rules.procedure
            of_shuffler = ShufflerTerms(self.stack, procedure.shuffler_removed.cite, procedure.batches_alternate.cite)
            self.shuffler = ShufflerProcedure(self, of_shuffler, self.ledger, sensed=shuffler.present_sensor)
        self.reset()

    # --- what every game has -------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        self._hands = Hands()
        self._dealt: list[DealtCard] = []
        self._excess = []

    def restore(self, state: TableState) -> None:
        """As every game; cards may have left since the last event, and been laid to hands that nobody counted.

        With a button for the call the round that follows is void if such cards go on, and only one that was kept after
        a verdict goes unseen. Without one, the first round is always the dealer's.
        """
        super().restore(state)
        by_button = self.context.call_by == "button"
        if state.phase == SETTLING_STILL if by_button else state.phase not in ("", SETTLED):
            self._doubt = ("power_loss", "cards may have left while the controller was off")
        self._reshuffle = any(fault.fault == RESHUFFLE for fault in state.faults)

    def begin(self, t_ns: int) -> None:
        """The table begins: where the cards were to be shuffled, they still are."""
        if self._reshuffle:
            self.events.append(_reshuffle(t_ns))

    def quiet(self) -> bool:
        """Whether no cards are dealt that belong to no round."""
        return self._quiet

    def void(self, t_ns: int, reason: str, evidence: Evidence, *, ours: bool = False) -> None:
        """As every game; the next round opens once no card has left for a while."""
        self._quiet = False
        self._forget_doubt()
        super().void(t_ns, reason, evidence, ours=ours)
        self._await_quiet(t_ns)

    def shut(self, t_ns: int, reason: str, detail: str) -> None:
        """As every game; where cards were being dealt, the next round waits until they are collected."""
        dealing = self.phase in (RUNNING, RUNNING_OUT)
        super().shut(t_ns, reason, detail)
        if dealing:
            self._await_quiet(t_ns)

    def reopen(self, t_ns: int) -> None:
        """As every game: who cleared the shoe has seen which cards lie on the table."""
        if self.phase is SHUT:
            self._forget_doubt()
        super().reopen(t_ns)

    def run_due(self, t_ns: int) -> None:
        """No card has left for as long as it takes to collect those of a void round."""
        self._quiet = True
        self.over_if_quiet(t_ns)

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """Cards that a person kept for this round begin it."""
        if self._kept:
            self._start(t_ns)

    def unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        """As every game, but nobody's bets are settled before a person has called the round."""
        super().unresolved(t_ns, reason, evidence, candidates)
        self._settle_due_ns = NEVER_NS

    @property
    def uncalled(self) -> int | None:
        """An unresolved round is called before the next one opens: only then does the next card begin a hand."""
        last = self.recent.last
        mine = last is not None and last.round == self.round and last.stands.verdict == "unresolved"
        return self.round if mine and self.phase is SETTLING else None

    @property
    def settle_refused(self) -> str | None:
        """Why the round may not be settled yet."""
        if self.uncalled is not None:
            return f"round {self.round} is unresolved: call it first, with confirm, void or correct"
        if self.excess:
            cards = counted(self.excess, "card")
            return f"{cards} left the shoe when both hands were complete: decide on them with excess_card"
        return None

    def settle(self, t_ns: int, by: str) -> None:
        """The bets are settled, unless a person must decide something first."""
        against = self.settle_refused
        if against is not None:
            self._settle_due_ns = NEVER_NS
            self.warn(t_ns, "dealer", "not_settled", against)
            return
        super().settle(t_ns, by)

    def recovery(self) -> list[tuple[str, dict[str, str]]]:
        """The orders with which simulated staff bring the table back."""
        if self.uncalled is not None:
            return [("void", {"round": str(self.uncalled), "why": "nobody looks at cards on the bench"})]
        if self.excess:
            return [("excess_card", {"use": "discard"})]
        return [("new_shoe", {})] if self._reshuffle and self.phase is SHUT else super().recovery()

    # --- results -------------------------------------------------------------------------------------------------

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of cards in the order in which they were dealt: `9s-6h-Kd-2c`."""
        cards = name.split("-")
        unknown = [card for card in cards if card not in DECK]
        if unknown:
            raise ValueError(
                f"cards {name!r}: {unknown[0]!r} is no card; give them in the order in which they were dealt, such as "
                "9s-6h-Kd-2c, with ranks A 2 to 9 T J Q K and suits s h d c"
            )
        hands = hands_dealt(cards, self._drawing)
        if hands is None:
            raise ValueError(f"cards {name!r}: two complete hands are not dealt so by the drawing rules")
        return result_of(hands)

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return "-".join(cards_in_order(result))

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win, and the commission that is due."""
        commission = self._rules.commission_on_all
        notice = f"a commission of {commission.value} percent is due on every winning wager ({commission.cite})"
        return self._rules.winning(result["winner"]), [notice]

    # --- observations --------------------------------------------------------------------------------------------

    def handle(self, seen: Observation) -> None:
        """Takes an observation of the shoe."""
        t_ns = seen.t_ns
        if isinstance(seen, CardDealt):
            self.ledger.left(seen)
            self._card(seen)
        elif self.shuffler is not None and self.shuffler.handle(seen):
            return
        elif isinstance(seen, CardsLost):
            self.ledger.doubtful()
            self._doubtful(t_ns, seen.reason, seen.detail)
        elif isinstance(seen, ShoeRestarted):
            self.ledger.doubtful()
            self._doubtful(t_ns, "card_count", "the count of the shoe went back: it was off, or is another one")
        elif isinstance(seen, CardPushedBack):
            self._pushed_back(seen)
        elif isinstance(seen, CuttingCardSeen):
            self._cutting_card(t_ns)
        elif isinstance(seen, ShoeTroubled):
            self.events.append(Fault(t_ns, TROUBLES[seen.trouble], seen.detail, cause=seen.trouble, device=SHOE))
        elif isinstance(seen, ShoeUntroubled):
            self.events.append(CauseGone(t_ns, seen.trouble, SHOE))
        elif isinstance(seen, LineGarbled):
            self.warn(t_ns, SHOE, "line_garbled", seen.cause)

    def _card(self, seen: CardDealt) -> None:
        if self.phase is OPEN:
            self._begin(seen)
        if self.phase is RUNNING:
            self._place(seen, seen.t_ns)
            return
        # What follows belongs to no hand: nothing of it is published but a commitment.
        self.ledger.seal(seen, seen.t_ns)
        if self.phase is SETTLING and self.uncalled is None:
            self._exceed(seen)
        elif self.phase in (RUNNING_OUT, SHUT):
            self._await_quiet(seen.t_ns)

    def _begin(self, seen: CardDealt) -> None:
        """The first card of the round has left; without a call before it, the round is void."""
        t_ns = seen.t_ns
        if self.context.call_by == "auto":
            self.close_bets(t_ns, seen.left_ns, "auto")
        if self.phase is OPEN:
            self._start(t_ns)
        if self.phase is RUNNING and (self.called_ns is None or self.called_ns > seen.left_ns):
            late = "never" if self.called_ns is None else "late"
            self.void(t_ns, "dealt_before_no_more_bets", Evidence(no_more_bets=late))

    def _start(self, t_ns: int) -> None:
        """The deal begins, with the cards that a person kept for it."""
        self.phase = RUNNING
        self.report(events.RoundStarted, t_ns)
        kept, self._kept = self._kept, []
        for seen in kept:
            if self.phase is RUNNING:
                self._place(seen, t_ns)
            else:
                self._exceed(seen)

    def _place(self, seen: CardDealt, t_ns: int) -> None:
        """A card of the round goes to its hand."""
        side = self._hands.next(self._drawing)
        if self._doubt is not None:
            self.ledger.seal(seen, t_ns)
            self._leave(t_ns, *self._doubt)
        elif seen.card is None or seen.doubt or not isinstance(side, str):
            self.ledger.seal(seen, t_ns)
            self._leave(t_ns, seen.doubt or "card_unread", seen.detail)
        else:
            place = self.ledger.place_of(seen.card)
            card = self.ledger.expose(seen.card, t_ns)
            if card not in DECK:
                self._leave(t_ns, "foreign_card", "a card left the shoe that baccarat does not have")
                return
            self._dealt.append(DealtCard(card=card, to=side, left_ns=seen.left_ns, place=place))
            self._hands = self._hands.with_card(card, side)
            self._dealt_to(t_ns)

    def _dealt_to(self, t_ns: int) -> None:
        """Publishes the hands as they stand; decides the round where they are complete."""
        after = self._hands.next(self._drawing)
        self.report(
            events.RoundProgress,
            t_ns,
            player_cards=list(self._hands.player),
            banker_cards=list(self._hands.banker),
            next_card=after if isinstance(after, str) else None,
        )
        if after is Undecided.NO_TEXT:
            points = total(self._hands.banker)
            self._leave(t_ns, "no_text", f"the text does not say whether a bank of {points} draws here")
        elif after is Undecided.COMPLETE:
            result = result_of(self._hands)
            winning, notices = self.pays(result)
            self.outcome(t_ns, result, winning, self._evidence(), notices)

    def _leave(self, t_ns: int, reason: str, detail: str) -> None:
        """The round is left to the dealer."""
        self._forget_doubt()
        self.unresolved(t_ns, reason, self._evidence(detail), [])

    def _forget_doubt(self) -> None:
        """Whatever left the shoe before is seen to by a person: no card of it is counted into a round."""
        self._doubt = None
        self._kept = []

    def _doubtful(self, t_ns: int, reason: str, detail: str) -> None:
        """Cards may have left unseen: in this round, or, after its outcome, as the first of the next."""
        if self.phase is RUNNING:
            self._leave(t_ns, reason, detail)
        elif self.phase is OPEN or (self.phase is SETTLING and self.uncalled is None):
            self._doubt = (reason, detail)

    def _pushed_back(self, seen: CardPushedBack) -> None:
        detail = "a card was pushed into the shoe" if seen.was_out else "a card was drawn to the mouth and pushed back"
        if seen.was_out:
            self.ledger.returned()
            self._doubtful(seen.t_ns, "card_returned", detail)
        self.warn(seen.t_ns, SHOE, "card_pushed_back", detail)

    def _exceed(self, seen: CardDealt) -> None:
        """A card left though both hands were complete: a person decides what becomes of it."""
        self._excess.append(seen)
        self._settle_due_ns = NEVER_NS
        hands = self._hands
        detail = (
            f"player {total(hands.player)} in {counted(len(hands.player), 'card')} and bank {total(hands.banker)} in "
            f"{counted(len(hands.banker), 'card')} were complete: the card belongs to neither; leave it face down, and "
            "decide on it with excess_card"
        )
        self.violation(seen.t_ns, "card_out_of_turn", self._reasons["card_out_of_turn"].rule, detail)

    def use_excess(self, t_ns: int, use: Use) -> int:
        """A person decides on the cards that left after the hands were complete; returns how many there are."""
        cards, self._excess = self._excess, []
        if use == "next_round":
            self._kept += cards
        if not self.context.settle_by_button:
            self._settle_due_ns = t_ns + self._settle_ns
        return len(cards)

    @property
    def excess(self) -> int:
        """Cards that left after the hands were complete, and on which nobody has decided."""
        return len(self._excess) if self.phase is SETTLING else 0

    # --- the shoe ------------------------------------------------------------------------------------------------

    def _cutting_card(self, t_ns: int) -> None:
        """The cutting card has come: the round is played to its end, then the cards are shuffled."""
        if not self._reshuffle:
            self._reshuffle = True
            self.warn(t_ns, SHOE, "cutting_card", "the cutting card has come: the cards are shuffled after this round")
            self.stop(_reshuffle(t_ns))

    def new_shoe(self, t_ns: int, **how: object) -> bool:
        """A person has loaded shuffled cards, as the fields of `StackLoaded` have it. Returns whether they were due."""
        due, self._reshuffle = self._reshuffle, False
        self._forget_doubt()
        self.ledger.loaded(t_ns, **how)
        if due:
            self.cause_gone(t_ns, RESHUFFLE, SHOE)
        return due

    def break_up(self, t_ns: int) -> int:
        """A supervisor has the stack broken up: no card of it is dealt any more. Returns how many were opened."""
        if not self._reshuffle:
            self._reshuffle = True
            self.stop(Fault(t_ns, RESHUFFLE, "the stack was broken up: load the shoe, then new_shoe", RESHUFFLE, SHOE))
        return self.ledger.break_up(t_ns)

    def _await_quiet(self, t_ns: int) -> None:
        """A card that belongs to no round has left; where a round is open meanwhile, it is that round's."""
        if self.phase in (RUNNING_OUT, SHUT):
            self._quiet = False
            self.run_due_ns = t_ns + QUIET_NS

    def _evidence(self, detail: str = "") -> Evidence:
        return Evidence(cards=list(self._dealt) or None, detail=detail)


def result_of(hands: Hands) -> dict[str, Any]:
    """The result of two complete hands."""
    return {
        "player": {"cards": list(hands.player), "total": total(hands.player)},
        "banker": {"cards": list(hands.banker), "total": total(hands.banker)},
        "winner": hands.winner,
    }


def cards_in_order(result: Mapping[str, Any]) -> tuple[str, ...]:
    """The cards of both hands in the order in which they were dealt."""
    player, banker = result["player"]["cards"], result["banker"]["cards"]
    return (player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:])


def _reshuffle(t_ns: int) -> Fault:
    detail = "the cutting card has come: shuffle, load the shoe, then new_shoe"
    return Fault(t_ns, "reshuffle_due", detail, cause=RESHUFFLE, device=SHOE)
