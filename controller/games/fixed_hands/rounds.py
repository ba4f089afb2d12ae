"""Rounds of games whose hands have a fixed number of cards: every card has its place by its number in the deal.

    Caribbean stud   five times: hand 1 … hand n, dealer; the dealer's last one face up ──► the dealer turns the others
    let it ride      three times: hand 1 … hand n, community ──► one community card is turned, then another
    joker seven      seven times: hand 1 … hand n, all face up
    automated shoe   a stack of this many cards for hand 1, then for hand 2 …, the dealer or the community last (ours)

Cards that are face down are in no event before they are turned. What players hold nobody reads, where it is not dealt
face up, and no wager of theirs is judged: of these games joker seven alone has hands that are open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Annotated, Any

from msgspec import Meta

from controller.games.base.options import RoundOptions
from controller.games.cards.hands import CardDesk, HandsDecided, HandsUnproven, HandsVerdict
from controller.games.cards.progressive import (
    NotPayableError,
    PayableRound,
    Payment,
    ProgressiveProcedure,
)
from controller.games.cards.words import numbers
from controller.games.fixed_hands.layouts import HandLayout
from controller.games.fixed_hands.rules import FixedHandsRules
from controller.rules.cited import HOUSE_RULE, OURS
from controller.table.phase import OPEN, RUNNING, SETTLING
from drivers.cards.observations import CardDealt
from feed import events
from feed.data import DealtCard
from feed.events import Evidence, Verdict, WinningBet


class FixedHandsOptions(RoundOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of such rounds under `[game]`."""

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


class FixedHands:
    """The hands of one such table."""

    def __init__(
        self,
        desk: CardDesk,
        rules: FixedHandsRules,
        options: FixedHandsOptions,
        layout: HandLayout,
        *,
        stacks: bool = False,
    ) -> None:
        """`layout` is how the cards of the game lie.

        `stacks` is whether an automated shoe deals each hand as a stack: then hand comes after hand (ours).
        """
        self._desk = desk
        self._layout = layout
        self._progressive = desk.progressive
        self.rules = rules
        self._stacks = stacks
        self._reads = options.reads
        self.reset()

    def reset(self) -> None:
        """A new round begins."""
        self._plan: list[str] = []
        """Where each card goes, in the order of the deal."""
        self._dealt: list[CardDealt] = []
        """The cards that went there."""
        self._exposed: dict[int, DealtCard] = {}
        """The cards that are exposed, by their numbers in the deal."""
        self._turned = 0
        """How many cards that were face down were turned."""
        self._void_hands: list[int] = []

    # --- the deal ------------------------------------------------------------------------------------------------

    def deal(self, seen: CardDealt, t_ns: int) -> HandsVerdict:
        """A card goes to its place, which follows from its number."""
        cards, hands = self._desk.cards, self._desk.cards.declared_hands
        if hands is None:
            cards.hide(seen, t_ns)
            return HandsUnproven("hands_unknown", "nobody has declared how many hands are dealt: hands count=…")
        if not self._plan:
            shared, each = self._layout.shared, self.rules.cards_each.value
            once = [f"hand {number}" for number in range(1, hands + 1)] + ([shared] if shared else [])
            if self._progressive is not None:
                self._progressive.dealt(hands, t_ns)
            self._plan = [to for to in once for _ in range(each)] if self._stacks else once * each
        number = len(self._dealt)
        if number == len(self._plan):
            detail = f"a card left when all {number} were dealt"
            cards.hold(seen, t_ns, "card_out_of_turn", detail, uses=("discard",))
            return None
        self._dealt.append(seen)
        if self._layout.faces_up(self._plan, number):
            self._expose(number, t_ns)
        else:
            cards.hide(seen, t_ns)
        self._progress(t_ns)
        return self._judged()

    def _expose(self, number: int, t_ns: int) -> None:
        dealt = self._desk.cards.lay_open(self._dealt[number], self._plan[number], t_ns)
        if dealt is not None:
            self._exposed[number] = dealt

    @property
    def _all_dealt(self) -> bool:
        return bool(self._plan) and len(self._dealt) == len(self._plan)

    @property
    def stage(self) -> str | None:
        """A card that is face down is turned: once all are dealt, or a hand was dealt wrongly."""
        ready = self._all_dealt or bool(self._void_hands)
        if not ready or self._desk.cards.held is not None:
            return None
        turns = self._layout.turned(self._plan) if self._all_dealt else [[]]
        return "cards are turned face up" if self._turned < len(turns) else None

    def next_stage(self, t_ns: int, by: str) -> HandsVerdict:
        """The dealer turns the next cards."""
        if self._void_hands:
            detail = f"hand {self._void_hands[0]} had a wrong number of cards: which card went where is not proven"
            return HandsUnproven("hand_misdealt", detail)
        for number in self._layout.turned(self._plan)[self._turned]:
            self._expose(number, t_ns)
        self._turned += 1
        self._progress(t_ns)
        return self._judged()

    def _judged(self) -> HandsVerdict:
        """The verdict, where all cards are dealt, and those that are turned are turned."""
        if not self._all_dealt or self._turned < len(self._layout.turned(self._plan)) or self._void_hands:
            return None
        # Which card is whose rests on our order where a shoe deals stacks: then the outcome is the house's.
        rule = OURS if self._stacks else ""
        if not self._reads:
            return HandsDecided({}, rule=rule)
        turned = {number for numbers in self._layout.turned(self._plan) for number in numbers}
        shown = [
            number for number in range(len(self._plan)) if number in turned or self._layout.faces_up(self._plan, number)
        ]
        if any(number not in self._exposed for number in shown):
            return HandsUnproven("card_unread", "a card that is face up was not read")
        faces = {number: self._exposed[number].card for number in shown}
        return HandsDecided(self._layout.result_of(self._plan, faces), rule=rule)

    # --- irregularities ------------------------------------------------------------------------------------------

    def misdealt(self, t_ns: int, hand: int) -> None:
        """A hand was dealt a wrong number of cards: it is void, and which card went where is not proven any more."""
        self._void_hands = sorted({*self._void_hands, hand})
        if self._progressive is not None:
            number = self._desk.rounds.number
            void = f"hand {hand} of round {number}"
            self._progressive.found_void(t_ns, void, self._progressive.paid_in(number, hand))
        self._desk.cards.held = None

    def take_back(self) -> bool:
        """The last card was face up among those to be dealt."""
        if not self._dealt or self._desk.cards.held is not None or self._turned:
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

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of the cards that are named, in the order of the deal, or `none`."""
        return self.result_in(self._desk.rounds.number, name)

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """As `result_named`, with the hands that are void in that round."""
        rounds = self._desk.rounds
        result, void = self._layout.result_named(name), self._void_hands
        if number != rounds.number:
            ruling = rounds.recent.of(number)
            void = _void_in(None if ruling is None else ruling.stands)
        return {**result, "void_hands": void} if result and void else result

    @property
    def unnamed(self) -> str | None:
        """That a hand was found to be misdealt after the outcome, and nobody has named the dealer's cards since."""
        rounds = self._desk.rounds
        last = rounds.recent.last
        stands = None if last is None or rounds.phase is not SETTLING else last.stands
        if stands is None or not stands.result or _void_in(stands) == self._void_hands:
            return None
        void = numbers(self._void_hands)
        return f"hand {void} is void: name the dealer's cards as they lie, with correct round={rounds.number} cards=…"

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return self._layout.name_of(result)

    def call_refused(self, reason: str) -> str | None:
        """A hole card that is exposed voids the hands only before the call."""
        if reason == "hole_card_exposed" and self._desk.rounds.called_ns is not None:
            return f'"No more bets" was called: {self.rules.reasons[reason].rule} voids the hands only before it'
        return None

    # --- the progressive wager -----------------------------------------------------------------------------------

    def pay_progressive(self, hand: str, positions: Collection[int], by: str, why: str = "") -> Payment:
        """A supervisor has validated a progressive payout; `why` is the reason for one out of turn.

        Raises:
            NotPayableError: it may not be paid, and why.
        """
        if self._progressive is None:
            raise NotPayableError("this table has no progressive wager")
        against = self._unpayable(self._progressive)
        if against is not None:
            raise NotPayableError(against)
        rule = "" if self.rules.misdeal is None else self.rules.misdeal.cite
        payable = PayableRound(self._desk.cards.declared_hands, self._void_hands, rule)
        return self._progressive.pay(hand, positions, by, payable, why)

    def _unpayable(self, progressive: ProgressiveProcedure) -> str | None:
        """Why no hand of the round is paid now: it has none that is shown, or every one is void."""
        rounds = self._desk.rounds
        number = rounds.number
        if rounds.phase is OPEN:
            called = rounds.called_ns is not None
            return f"no card of round {number} has been dealt" if called else "bets are still open"
        if rounds.phase is RUNNING:
            return f"round {number} is being dealt: its hands are not shown yet"
        if rounds.uncalled is not None:
            return f"round {number} is unresolved: call it first, with confirm, void or correct"
        last = rounds.recent.last
        if last is not None and last.round == number and last.stands.verdict == "void":
            known = self.rules.reasons.get(last.stands.reason or "")
            cites = progressive.void_cites(last.stands.reason or "", OURS if known is None else known.rule)
            return f"round {number} is void, and every hand of it ({cites})"
        return None if rounds.phase is SETTLING else "no round is being settled: its cards are collected"

    # --- what is published ---------------------------------------------------------------------------------------

    def _progress(self, t_ns: int) -> None:
        shared = self._layout.shared
        cards = [self._exposed[number].card for number in sorted(self._exposed)] if shared else None
        key = "dealer_cards" if shared == "dealer" else "cards"
        self._desk.report.event(events.RoundProgress, t_ns, cards_dealt=len(self._dealt), **{key: cards or None})

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
