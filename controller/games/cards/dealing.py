"""How a round of cards is dealt: from the first card that leaves the shoe to the verdict of the hands.

    bets open ── "No more bets" ──► cards, one by one ──► complete: outcome ──► settled
                                          │                  └── a card more ──► a person decides on it
                                          └── a card not proven ──► unresolved, the dealer calls it

Which place a card is for follows from those before it. So one card that may have left unseen leaves the round to the
dealer; and a card that leaves when the round is complete belongs to nothing: a person decides on it. No card is named
in an event before the hands lay it open.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from controller.games.cards.carried import CardCarrying
from controller.games.cards.hands import (
    CardDesk,
    CardHands,
    HandsDecided,
    HandsUnproven,
    HandsVerdict,
    RetractableHands,
    StagedHands,
)
from controller.games.cards.on_table import CardUse
from controller.games.cards.reshuffle import Reshuffle
from controller.games.cards.rules import CardRules
from controller.games.cards.shoe_book import ShoeDoubt
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING, SHUT
from drivers.cards.observations import CardDealt
from feed import events
from hal.wording import counted, noun_for

QUIET_NS: Final = 5_000_000_000
"""After a void round, or cards dealt at a table that was shut, this long without a card before the next round opens
(ours): the dealer collects the cards."""


class DealTerms(NamedTuple):
    """What differs from game to game in how cards are dealt."""

    burns_after_call: bool = False
    """Whether the card that is due to be burned is the first one after the call, too."""
    must_be_read: bool = True
    """Whether a card that was seen to leave, and that nobody read, leaves the round to the dealer."""
    most_hands: int = 0
    """How many hands can be dealt to players; 0 where that means nothing."""


class Ending(NamedTuple):
    """How a round was when it ended without a result, or the table when it was shut."""

    reason: str = ""
    dealt: bool = False
    """Whether the round was being dealt."""
    lies: bool = False
    """Whether cards were on the table that were not collected."""


class CardDealing:
    """The deal of one table, round after round."""

    def __init__(
        self,
        desk: CardDesk,
        hands: CardHands,
        rules: CardRules,
        terms: DealTerms,
        reshuffle: Reshuffle,
        carrying: CardCarrying,
    ) -> None:
        """`carrying` publishes that a card was burned."""
        self._desk = desk
        self._rounds = desk.rounds
        self._shoe = desk.shoe
        self._cards = desk.cards
        self._hands = hands
        self._staged = hands if isinstance(hands, StagedHands) else None
        self._retractable = hands if isinstance(hands, RetractableHands) else None
        self._rules = rules
        self._terms = terms
        self._reshuffle = reshuffle
        self._carrying = carrying
        self.quiet = True
        """Whether the cards that belong to no round have been collected, as far as the shoe shows."""
        self._ending = Ending()
        self._doubt: ShoeDoubt | None = None
        """Why cards may have left unseen since the last round."""

    def reset(self) -> None:
        """A new round begins; where the table was shut, whoever cleared the shoe has seen which cards are there."""
        if self._rounds.phase is RUNNING_OUT:
            self.forget_doubt()
        if self._shoe.stock is not None:
            self._shoe.stock.opens()
        self._cards.reset()
        self._hands.reset()

    # --- a card ------------------------------------------------------------------------------------------------

    def card(self, dealt: CardDealt) -> None:
        """A card has left the shoe."""
        rounds, book = self._rounds, self._shoe.book
        if rounds.phase is OPEN and not self._reshuffle.shuffled:
            book.shuffled(0)  # whoever dealt them did not report it, and the round stands
        seen = self._shoe.left(dealt, booked=rounds.phase is not SHUT or bool(book.burn_due))
        if book.burn_due and self._burns(seen):
            self._shoe.ledger.seal(seen, seen.t_ns)
            return
        if rounds.phase is OPEN:
            self._begin(seen)
        if rounds.phase is RUNNING:
            self._place(seen, seen.t_ns)
            return
        # What follows belongs to no hand: nothing of it is published but a commitment.
        self._shoe.ledger.seal(seen, seen.t_ns)
        if rounds.phase is SETTLING and rounds.uncalled is None:
            self._exceed(seen)
        elif rounds.phase in (RUNNING_OUT, SHUT):
            self._await_quiet(seen.t_ns)

    def _burns(self, seen: CardDealt) -> bool:
        """Whether the card is one that is burned of shuffled cards, and laid to nothing."""
        phase, called_ns, after_call = self._rounds.phase, self._rounds.called_ns, self._terms.burns_after_call
        by_button = self._desk.call_by == "button"
        called = called_ns is not None and called_ns <= seen.left_ns
        dealing = phase is RUNNING or (phase is OPEN and called)
        if phase is SETTLING or (dealing and not after_call):
            return False
        if phase is OPEN and not called and after_call and by_button:
            self._reshuffle.burned_early(seen.t_ns)
        self._shoe.book.burn_due -= 1
        self._carrying.changed(seen.t_ns, "burned")
        return True

    def _begin(self, seen: CardDealt) -> None:
        """The first card of the round has left; without a call before it, the round is void."""
        t_ns, rounds = seen.t_ns, self._rounds
        if self._desk.call_by == "auto":
            rounds.close_bets(t_ns, seen.left_ns, "auto")
        if rounds.phase is OPEN:
            self._start(t_ns)
        if rounds.phase is RUNNING:
            rounds.begun_before_call(t_ns, seen.left_ns, "dealt_before_no_more_bets")

    def bets_closed(self, t_ns: int) -> None:
        """ "No more bets": cards that a person kept for this round begin it."""
        if self._shoe.stock is not None:
            self._shoe.stock.called(t_ns)
        if self._cards.kept:
            self._start(t_ns)

    def _start(self, t_ns: int) -> None:
        """The deal begins, with the cards that a person kept for it."""
        self._rounds.begin_run()
        self._desk.report.event(events.RoundStarted, t_ns)
        self._reshuffle.dealt(t_ns, burn_is_over=not self._terms.burns_after_call)
        kept, self._cards.kept = self._cards.kept, []
        for seen in kept:
            if self._rounds.phase is RUNNING:
                self._place(seen, t_ns)
            else:
                self._exceed(seen)

    def _place(self, seen: CardDealt, t_ns: int) -> None:
        """A card of the round goes to its place, if it is proven."""
        cards, doubt = self._cards, self._doubt
        if doubt is None and seen.doubt and (seen.doubt != "card_unread" or self._terms.must_be_read):
            doubt = ShoeDoubt(seen.doubt, seen.detail)
        if doubt is not None:
            cards.hide(seen, t_ns)
            self._leave_to_dealer(t_ns, *doubt)
        elif cards.face_up_due:
            cards.face_up_due -= 1  # it goes to the discard rack
            cards.hide(seen, t_ns)
        elif cards.held is not None or cards.next_card is not None:
            cards.hide(seen, t_ns)
            detail = "another card left before a person decided on the one that had left before its turn"
            self._leave_to_dealer(t_ns, "card_out_of_turn", detail)
        else:
            self.follow(t_ns, self._hands.deal(seen, t_ns))

    def follow(self, t_ns: int, verdict: HandsVerdict) -> None:
        """The hands have a verdict, or the round continues."""
        if isinstance(verdict, HandsUnproven):
            self._leave_to_dealer(t_ns, verdict.reason, verdict.detail)
        elif isinstance(verdict, HandsDecided):
            winning, notices = self._hands.pays(verdict.result)
            notices = [*notices, *verdict.notices]
            self._rounds.outcome(t_ns, verdict.result, winning, self._hands.evidence(), notices, rule=verdict.rule)

    # --- doubt -------------------------------------------------------------------------------------------------

    def doubtful(self, t_ns: int, doubt: ShoeDoubt) -> None:
        """Cards may have left unseen: in this round, or, after its outcome, as the first of the next."""
        rounds = self._rounds
        if rounds.phase is RUNNING:
            self._leave_to_dealer(t_ns, *doubt)
        elif rounds.phase is OPEN or (rounds.phase is SETTLING and rounds.uncalled is None):
            self._doubt = doubt

    def doubtful_at_start(self) -> None:
        """Cards may have left while the controller was off: the first of the next round may be others."""
        self._doubt = ShoeDoubt("power_loss", "cards may have left while the controller was off")

    def forget_doubt(self) -> None:
        """Whatever left the shoe before is seen to by a person: no card of it is counted into a round."""
        self._doubt = None
        self._cards.kept = []

    def _leave_to_dealer(self, t_ns: int, reason: str, detail: str) -> None:
        self.forget_doubt()
        self._rounds.unresolved(t_ns, reason, self._hands.evidence(detail), [])

    # --- a round that is not played to its end ------------------------------------------------------------------

    def run_ends(self, reason: str) -> None:
        """The round is about to be void, or the table to be shut, for that reason."""
        phase = self._rounds.phase
        self._ending = Ending(reason, dealt=phase is RUNNING, lies=phase in (RUNNING, RUNNING_OUT) or not self.quiet)
        self.quiet = False

    def run_ended(self, t_ns: int) -> None:
        """It is void, or shut: for some reasons its cards are shuffled, and those that are there are collected."""
        void, ending = self._rounds.phase is RUNNING_OUT, self._ending
        if void or ending.dealt:
            self._reshuffle.after_void(t_ns, ending.reason)
        if void:
            self.forget_doubt()
        if void or ending.lies:
            self._await_quiet(t_ns)
        else:
            self.quiet = True

    def _await_quiet(self, t_ns: int) -> None:
        """A card that belongs to no round has left: the next round opens once no card has left for a while."""
        self.quiet = False
        self._rounds.set_run_due(t_ns + QUIET_NS)

    def collected(self, t_ns: int) -> None:
        """No card has left for as long as it takes to collect those of a void round."""
        self.quiet = True
        self._rounds.over_if_quiet(t_ns)

    # --- what the dealer announces and decides -------------------------------------------------------------------

    @property
    def stage(self) -> str | None:
        """What the dealer announces next in this round, in words; None where there is nothing to announce."""
        if self._staged is None or self._rounds.phase is not RUNNING:
            return None
        return self._staged.stage

    def announce(self, t_ns: int, by: str) -> None:
        """The dealer announces the next stage."""
        if self._staged is not None:
            self.follow(t_ns, self._staged.next_stage(t_ns, by))

    def take_back(self) -> bool:
        """The last card of the round was face up in the shoe: it is used for nothing. False where there is none."""
        return self._retractable is not None and self._retractable.take_back()

    def found_face_up(self, t_ns: int, *, next_card: bool) -> str:
        """The dealer found a card face up: the next one that leaves, or the last one that left; what becomes of it."""
        cards = self._cards
        cards.face_up += 1
        if next_card:
            cards.face_up_due += 1
        most = self._rules.most_face_up
        if most is not None and cards.face_up > most.value:
            found = f"{counted(cards.face_up, 'card')} {noun_for(cards.face_up, 'was', 'were')} found face up"
            self._rounds.void(t_ns, "face_up_cards", self._hands.evidence(found))
            return "every hand is void, and the cards are shuffled"
        return "the card is used for nothing: put it into the discard rack"

    # --- a card in excess ----------------------------------------------------------------------------------------

    def _exceed(self, seen: CardDealt) -> None:
        """A card left though the round was complete: a person decides what becomes of it."""
        self._cards.excess.append(seen)
        self._rounds.settle_by_hand()
        complete = self._hands.complete_words()
        detail = f"a card left {complete}: leave it face down, and decide on it with excess_card"
        self._cards.out_of_turn(seen.t_ns, "card_out_of_turn", detail)

    @property
    def _holding(self) -> bool:
        return self._cards.held is not None and self._rounds.phase is RUNNING

    @property
    def uses(self) -> tuple[CardUse, ...]:
        """What may become of the cards in excess."""
        held = self._cards.held
        return held.uses if held is not None and self._holding else ("discard", "next_round")

    @property
    def excess(self) -> int:
        """Cards that belong to nothing, and on which nobody has decided."""
        if self._holding:
            return 1
        return len(self._cards.excess) if self._rounds.phase is SETTLING else 0

    @property
    def excess_words(self) -> str | None:
        """That a person must decide on cards in excess; None where there is none."""
        if not self.excess:
            return None
        return f"{counted(self.excess, 'card')} left the shoe {self._hands.complete_words()}: decide with excess_card"

    def use_excess(self, t_ns: int, use: CardUse) -> str:
        """A person decides on the cards that belong to nothing, or not yet; returns what becomes of them."""
        held = self._cards.held
        if held is not None and self._holding:
            self._cards.held = None
            if use == "discard":
                return held.discarded()
            self._cards.next_card = held.seen
            return "the card is the next one, in its turn"
        excess, self._cards.excess = self._cards.excess, []
        if use == "next_round":
            self._cards.kept += excess
        self._rounds.settle_in_time(t_ns)
        return f"{counted(len(excess), 'card')} {'discarded' if use == 'discard' else 'for the next round'}"
