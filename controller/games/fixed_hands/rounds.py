"""Rounds of games whose hands have a fixed number of cards: every card has its place by its number in the deal.

    Caribbean stud   five times: hand 1 … hand n, dealer; the dealer's last one face up ──► the dealer turns the others
    let it ride      three times: hand 1 … hand n, community ──► one community card is turned, then another
    joker seven      seven times: hand 1 … hand n, all face up
    automated shoe   a stack of so many cards for hand 1, then for hand 2 …, the dealer or the community last (ours)

Cards that lie face down are in no event before they are turned. What players hold nobody reads, where it is not dealt
face up, and no wager of theirs is judged: of these games joker seven alone has hands that lie open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from controller.games.cards.game import CardEquipment, CardGame, CardTerms
from controller.games.cards.progressive import (
    NotPayableError,
    PayableRound,
    Payment,
    ProgressiveProcedure,
    ProgressiveRules,
    ProgressiveTerms,
)
from controller.games.cards.words import numbers, paid_words
from controller.games.fixed_hands.layouts import HandLayout
from controller.games.fixed_hands.rules import FixedHandsRules
from controller.rules.cited import HOUSE_RULE, OURS
from controller.table.game import GameContext
from controller.table.phase import OPEN, RUNNING, SETTLING
from controller.table.recent import Ruling
from drivers.base.driver import Observation
from drivers.cards.card_wire import DECK
from drivers.cards.observations import CardDealt
from drivers.cards.progressive import AcceptorActuator
from feed import events
from feed.data import DealtCard
from feed.events import Evidence, Verdict, WinningBet
from feed.state import TableState


class FixedHandsOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of such rounds under `[game]`."""

    settle_after_s: Annotated[
        float,
        Meta(
            ge=0,
            le=600,
            description="without a settle button, a round settles so long after its outcome (ours); an unresolved one "
            "waits for a person",
        ),
    ] = 3.0
    reads: Annotated[
        bool, Meta(description="whether exposed cards are published; without it cards are counted only")
    ] = True


class CaribbeanStudOptions(FixedHandsOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of Caribbean stud, with those of its progressive wager."""

    progressive_wager: Annotated[
        float, Meta(gt=0, le=1000, description="one progressive wager, in units of money (ours)")
    ] = 1.0
    progressive_rate: Annotated[
        int, Meta(ge=0, le=100, description="how much of each such wager goes to the meter, in percent")
    ] = 70
    progressive_start: Annotated[
        float, Meta(ge=0, le=10_000_000, description="the meter at first and after a royal flush, in units (ours)")
    ] = 10_000.0
    straight_flush_fixed: Annotated[
        bool, Meta(description="whether a straight flush is paid the fixed amount, not a part of the meter")
    ] = False


class Progressive(NamedTuple):
    """The progressive wager of a table: its rules, what its file fixes, and its acceptors."""

    rules: ProgressiveRules
    terms: ProgressiveTerms
    acceptors: AcceptorActuator


class FixedHandsGame(CardGame):
    """The rounds of one such table."""

    carries = True
    must_be_read = False

    def __init__(
        self,
        context: GameContext,
        rules: FixedHandsRules,
        options: FixedHandsOptions,
        layout: HandLayout,
        *,
        deck: Sequence[str] = DECK,
        equipment: CardEquipment,
        stacks: bool = False,
        progressive: Progressive | None = None,
    ) -> None:
        """`layout` is how the cards of the game lie, `deck` are those of the deck, `equipment` is beside the shoe.

        `stacks` is whether an automated shoe deals each hand as a stack: then hand comes after hand (ours).
        `progressive` is the progressive wager, where the table has one.
        """
        self._layout = layout
        self.shared = layout.shared
        self.progressive: ProgressiveProcedure | None = None
        if progressive is not None:
            self.progressive = ProgressiveProcedure(self, *progressive)
        self.rules = rules
        self._stacks = stacks
        self.reads = options.reads
        terms = CardTerms(options.settle_after_s, 1, deck, fresh_each_round=True, equipment=equipment)
        super().__init__(context, rules, terms)
        self.most_hands = rules.most_hands.value

    def reset(self) -> None:
        """A new round begins."""
        super().reset()
        self._plan: list[str] = []
        """Where each card goes, in the order of the deal."""
        self._dealt: list[CardDealt] = []
        """The cards that went there."""
        self._exposed: dict[int, DealtCard] = {}
        """The cards that are exposed, by their numbers in the deal."""
        self._turned = 0
        """How many cards that lay face down were turned."""
        self._void_hands: list[int] = []

    # --- the deal ------------------------------------------------------------------------------------------------

    def deal(self, seen: CardDealt, t_ns: int) -> None:
        """A card goes to its place, which follows from its number."""
        if self.hands is None:
            self.hide(seen, t_ns)
            self.leave_to_dealer(t_ns, "hands_unknown", "nobody has declared how many hands are dealt: hands count=…")
            return
        if not self._plan:
            once = [f"hand {number}" for number in range(1, self.hands + 1)] + ([self.shared] if self.shared else [])
            each = self.rules.cards_each.value
            if self.progressive is not None:
                self.progressive.dealt(self.hands, t_ns)
            self._plan = [to for to in once for _ in range(each)] if self._stacks else once * each
        number = len(self._dealt)
        if number == len(self._plan):
            self.hold(seen, t_ns, "card_out_of_turn", f"a card left when all {number} were dealt")
            return
        self._dealt.append(seen)
        if self._layout.faces_up(self._plan, number):
            self._expose(number, t_ns)
        else:
            self.hide(seen, t_ns)
        self._progress(t_ns)
        self._judge(t_ns)

    def _expose(self, number: int, t_ns: int) -> None:
        dealt = self.lay_open(self._dealt[number], self._plan[number], t_ns)
        if dealt is not None:
            self._exposed[number] = dealt

    @property
    def _all_dealt(self) -> bool:
        return bool(self._plan) and len(self._dealt) == len(self._plan)

    @property
    def stage(self) -> str | None:
        """A card that lies face down is turned: once all are dealt, or a hand was dealt wrongly."""
        ready = self._all_dealt or bool(self._void_hands)
        if not ready or self.holds:
            return None
        turns = self._layout.turned(self._plan) if self._all_dealt else [[]]
        return "cards are turned face up" if self._turned < len(turns) else None

    def next_stage(self, t_ns: int, by: str) -> None:
        """The dealer turns the next cards."""
        if self._void_hands:
            detail = f"hand {self._void_hands[0]} had a wrong number of cards: which card went where is not proven"
            self.leave_to_dealer(t_ns, "hand_misdealt", detail)
            return
        for number in self._layout.turned(self._plan)[self._turned]:
            self._expose(number, t_ns)
        self._turned += 1
        self._progress(t_ns)
        self._judge(t_ns)

    def _judge(self, t_ns: int) -> None:
        """Decides the round where all cards are dealt, and those that are turned are turned."""
        if not self._all_dealt or self._turned < len(self._layout.turned(self._plan)) or self._void_hands:
            return
        if not self.reads:
            self._decide(t_ns, {})
            return
        turned = {number for numbers in self._layout.turned(self._plan) for number in numbers}
        shown = [
            number for number in range(len(self._plan)) if number in turned or self._layout.faces_up(self._plan, number)
        ]
        if any(number not in self._exposed for number in shown):
            self.leave_to_dealer(t_ns, "card_unread", "a card that is face up was not read")
            return
        faces = {number: self._exposed[number].card for number in shown}
        self._decide(t_ns, self._layout.result_of(self._plan, faces))

    def _decide(self, t_ns: int, result: dict[str, Any]) -> None:
        winning, notices = self.pays(result)
        self.outcome(t_ns, result, winning, self.evidence(), notices)

    # --- irregularities ------------------------------------------------------------------------------------------

    def misdealt(self, t_ns: int, hand: int) -> None:
        """A hand was dealt a wrong number of cards: it is void, and which card went where is not proven any more."""
        self._void_hands = sorted({*self._void_hands, hand})
        if self.progressive is not None:
            self._report_paid(t_ns, f"hand {hand} of round {self.round}", self.progressive.paid_in(self.round, hand))
        if self.holds:
            self.use_excess(t_ns, "discard")

    @property
    def uses(self) -> tuple[Any, ...]:
        """A card beyond the last one is of no use in the round."""
        return ("discard",) if self.holds and self.phase is RUNNING else ("discard", "next_round")

    def take_back(self) -> bool:
        """The last card was face up among those to be dealt."""
        if not self._dealt or self.holds or self._turned:
            return False
        self._dealt.pop()
        self._exposed.pop(len(self._dealt), None)
        return True

    # --- results -------------------------------------------------------------------------------------------------

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The wagers that win with the hands that are laid open, and the notices that go with them.

        Which card is whose may rest on our own order.
        """
        winning, notices = self._layout.pays(result)
        return winning, [*notices, *([f"{HOUSE_RULE}: {self.rules.stacks.value}"] if self._stacks else [])]

    @property
    def outcome_rule(self) -> str:
        """As every game; an outcome that rests on the order in which a shoe deals stacks is the house's."""
        return OURS if self._stacks else super().outcome_rule

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of the cards that are named, in the order of the deal, or `none`."""
        return self.result_in(self.round, name)

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """As `result_named`, with the hands that are void in that round."""
        result, void = self._layout.result_named(name), self._void_hands
        if number != self.round:
            ruling = self.recent.of(number)
            void = _void_in(None if ruling is None else ruling.stands)
        return {**result, "void_hands": void} if result and void else result

    @property
    def _unnamed(self) -> bool:
        """Whether a hand was found to be misdealt after the outcome, and nobody has named the dealer's cards since."""
        last = self.recent.last
        stands = None if last is None or self.phase is not SETTLING else last.stands
        return stands is not None and bool(stands.result) and _void_in(stands) != self._void_hands

    @property
    def settle_refused(self) -> str | None:
        """As every game of cards; and where the outcome is not what people see on the table."""
        if not self._unnamed:
            return super().settle_refused
        void = numbers(self._void_hands)
        return f"hand {void} is void: name the dealer's cards as they lie, with correct round={self.round} cards=…"

    def recovery(self) -> list[tuple[str, dict[str, str]]]:
        """As every game of cards; on the bench nobody sees what lies there."""
        if not self._unnamed:
            return super().recovery()
        why = "nobody looks at cards on the bench"
        return [("correct", {"round": str(self.round), "reason": "dealer_call", "why": why})]

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return self._layout.name_of(result)

    def call_refused(self, reason: str, position: str) -> str | None:
        """A hole card that is exposed voids the hands only before the call."""
        if reason == "hole_card_exposed" and self.called_ns is not None:
            return f'"No more bets" was called: {self._reasons[reason].rule} voids the hands only before it'
        return None

    def seat(self, hands: int, positions: Sequence[int] | None) -> None:
        """As every game of cards; acceptors have positions."""
        if self.progressive is None:
            super().seat(hands, positions)
        else:
            self.progressive.seat(hands, positions)

    # --- the progressive wager -----------------------------------------------------------------------------------

    def open(self, t_ns: int) -> None:
        """As every game; the acceptors take wagers."""
        super().open(t_ns)
        if self.progressive is not None:
            self.progressive.opened(t_ns)

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """As every game; the acceptors take none any more, and the meter grows."""
        if self.progressive is not None and self.progressive.closed(t_ns):
            self.carry(t_ns, "progressive_wagers")
        super().bets_closed(t_ns, called_ns)

    def shut(self, t_ns: int, reason: str, detail: str) -> None:
        """As every game; the acceptors take no wager of a round that is not played."""
        super().shut(t_ns, reason, detail)
        if self.progressive is not None:
            self.progressive.locked(t_ns)

    def handle(self, seen: Observation) -> None:
        """As every game; and what the acceptors see."""
        if self.progressive is None or not self.progressive.handle(seen):
            super().handle(seen)

    @property
    def carried_state(self) -> dict[str, Any] | None:
        """As every game, with the meter in cents, and the last payment."""
        carried = super().carried_state
        if carried is None or self.progressive is None:
            return carried
        return carried | self.progressive.carried

    def restore(self, state: TableState) -> None:
        """As every game; the meter is what the journal holds of it."""
        super().restore(state)
        carried = state.course if state.course is not None else state.rounds[-1].course if state.rounds else None
        if self.progressive is not None and carried is not None:
            self.progressive.restore(carried)

    @property
    def settled_by_person(self) -> bool:
        """As every game; where a progressive wager is in, people look at the hands first, however long it takes."""
        return super().settled_by_person or (self.progressive is not None and bool(self.progressive.accepted))

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """As every game; that a round is void of which a progressive payout was paid is reported."""
        super().ruled(t_ns, ruling)
        if self.progressive is not None and ruling.stands.verdict == "void":
            self._report_paid(t_ns, f"round {ruling.round}", self.progressive.paid_in(ruling.round))

    def _report_paid(self, t_ns: int, void: str, payments: Sequence[Payment]) -> None:
        """Reports what was paid before it was found to be void: people settle that."""
        if payments:
            paid = "; ".join(paid_words(msgspec.structs.asdict(one)) for one in payments)
            detail = f"{void} is void, and what was paid of the progressive wager stays paid: {paid}"
            self.warn(t_ns, "progressive", "void_hand_paid", f"{detail}; the meter stays as it is")

    def pay_progressive(self, t_ns: int, hand: str, positions: Collection[int], by: str, why: str = "") -> Payment:
        """A supervisor has validated a progressive payout; `why` is the reason for one out of turn.

        Raises:
            NotPayableError: it may not be paid, and why.
        """
        if self.progressive is None:
            raise NotPayableError("this table has no progressive wager")
        against = self._unpayable(self.progressive)
        if against is not None:
            raise NotPayableError(against)
        rule = "" if self.rules.misdeal is None else self.rules.misdeal.cite
        payment = self.progressive.pay(hand, positions, by, PayableRound(self.hands, self._void_hands, rule), why)
        self.carry(t_ns, "progressive_paid", by)
        return payment

    def _unpayable(self, progressive: ProgressiveProcedure) -> str | None:
        """Why no hand of the round is paid now: it has none that is shown, or every one is void."""
        if self.phase is OPEN:
            called = self.called_ns is not None
            return f"no card of round {self.round} has been dealt" if called else "bets are still open"
        if self.phase is RUNNING:
            return f"round {self.round} is being dealt: its hands are not shown yet"
        if self.uncalled is not None:
            return f"round {self.round} is unresolved: call it first, with confirm, void or correct"
        last = self.recent.last
        if last is not None and last.round == self.round and last.stands.verdict == "void":
            known = self._reasons.get(last.stands.reason or "")
            cites = progressive.void_cites(last.stands.reason or "", OURS if known is None else known.rule)
            return f"round {self.round} is void, and every hand of it ({cites})"
        return None if self.phase is SETTLING else "no round is being settled: its cards are collected"

    # --- what is published ---------------------------------------------------------------------------------------

    def _progress(self, t_ns: int) -> None:
        cards = [self._exposed[number].card for number in sorted(self._exposed)] if self.shared else None
        key = "dealer_cards" if self.shared == "dealer" else "cards"
        self.report(events.RoundProgress, t_ns, cards_dealt=len(self._dealt), **{key: cards or None})

    def evidence(self, detail: str = "") -> Evidence:
        """The cards that are exposed, and how many were dealt to each place."""
        counts = Counter(self._plan[: len(self._dealt)])
        cards = [self._exposed[number] for number in sorted(self._exposed)]
        return Evidence(cards=cards or None, card_counts=dict(counts) or None, detail=detail)

    def complete_words(self) -> str:
        """How many cards the round had."""
        return f"when all {len(self._dealt)} cards were dealt"


def _void_in(verdict: Verdict | None) -> list[int]:
    """The hands that are void in a round, as its result has them."""
    void: list[int] = (verdict.result or {}).get("void_hands", []) if verdict is not None else []
    return void
