"""What the rounds of every game of cards have in common: the shoe, its cards in order, and what people do with them.

    bets open ── "No more bets" ──► cards, one by one ──► complete: outcome ──► settled
                                          │                  └── a card more ──► a person decides on it
                                          └── a card not proven ──► unresolved, the dealer calls it

Which place a card is for follows from those before it. So one card that may have left unseen leaves the round to the
dealer; and a card that leaves when the round is complete belongs to nothing: a person decides on it. No card is named
in an event before the game lays it open.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from controller.games.cards.discards import Discards
from controller.games.cards.ledger import CardLedger
from controller.games.cards.rules import CardRules
from controller.games.cards.shoe_book import Doubt, ShoeBook
from controller.games.cards.shuffling import ShufflerProcedure, ShufflerTerms
from controller.games.cards.stock import ContinuousStock
from controller.rules.cited import OURS
from controller.table.faults import CauseGone, Fault
from controller.table.game import Game, GameContext, Terms
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING, SHUT
from controller.table.wording import counted
from drivers.base.driver import NEVER_NS, Observation
from drivers.cards.observations import (
    CardDealt,
    CardPushedBack,
    CardsLost,
    CompartmentsOpen,
    CuttingCardSeen,
    LineGarbled,
    ShoeRestarted,
    ShoeTroubled,
    ShoeUntroubled,
    StackDealt,
)
from drivers.cards.shuffler import ShufflerConfig
from drivers.cards.shuffler_actuator import ShufflerActuator
from drivers.dealer.buttons import ButtonPressed
from feed import events
from feed.data import DealtCard
from feed.events import Evidence
from feed.state import SETTLED, TableState
from feed.state import SETTLING as SETTLING_STILL

SHOE: Final = "shoe"
RESHUFFLE: Final = "reshuffle_due"
TROUBLES: Final = {"jam": "shoe_jam", "empty": "shoe_empty", "lid": "shoe_open"}
"""The faults of a shoe that gives no card."""
QUIET_NS: Final = 5_000_000_000
"""After a void round, or cards dealt at a table that was shut, so long without a card before the next round opens
(ours): the dealer collects the cards."""
CHANGES_KEPT: Final = 256
"""Changes of the compartments of a double shoe that are kept (ours): a card is reported seconds after it left."""
CALL_BUTTON: Final = "dealer_no_more_bets"

Use: TypeAlias = Literal["discard", "next_round", "next_card"]
"""What becomes of a card that was drawn in error: laid aside, the first of the next round, or the next of this one."""
USES: Final[dict[str, Use]] = {use: use for use in get_args(Use)}


class CardEquipment(NamedTuple):
    """What a table of cards has beside its shoe."""

    shuffler: ShufflerConfig | None = None
    """Its automated shuffling device."""
    discard_rack: bool = False
    """Whether its discard rack counts."""
    asked: ShufflerActuator | None = None
    """What asks the shuffler for orders, where it is on a link."""


class CardTerms(NamedTuple):
    """What the configuration and the equipment fix for every round of a game of cards."""

    settle_after_s: float
    decks: int
    deck: Sequence[str]
    """The cards of one deck."""
    fresh_each_round: bool = False
    """Whether each round is dealt from newly shuffled cards."""
    equipment: CardEquipment = CardEquipment()
    continuous: bool = False
    """Whether the shoe shuffles all the time, and knows its cards by count alone."""


class CarriedCards(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What of the cards a restart must not lose beside rounds and faults."""

    hands: int | None = None
    """How many hands are dealt to players; None where nobody has declared it, or where it means nothing."""
    deck: str = ""
    """The deck in use, by the name that the dealer gives it; empty where nobody has named it."""
    burn_due: int = 0
    """Cards to burn before any is dealt."""
    shuffled: bool | None = None
    """Whether the cards that are dealt next were shuffled; None where each shoe is dealt to its cutting card."""


class CardGame(Game):
    """The rounds of a table of cards."""

    names_result_by: ClassVar[str] = "cards"
    most_hands: int = 0
    """How many hands can be dealt to players; 0 where that means nothing."""
    carries: ClassVar[bool] = False
    """Whether a restart must not lose its `CarriedCards`."""
    burns_after_call: ClassVar[bool] = False
    """Whether the card that is due to be burned is the first one after the call, too."""
    must_be_read: ClassVar[bool] = True
    """Whether a card that was seen to leave, and that nobody read, leaves the round to the dealer."""

    def __init__(self, context: GameContext, rules: CardRules, terms: CardTerms) -> None:
        call = "Round void"
        result_rule = rules.result_read.cite
        super().__init__(context, Terms(rules.no_more_bets, rules.reasons, result_rule, terms.settle_after_s, call))
        self.device = SHOE
        self.card_rules = rules
        self.book = ShoeBook(terms.deck, terms.decks)
        self.fresh_each_round = terms.fresh_each_round
        self.hands: int | None = None
        """How many hands are dealt to players, as the dealer has declared it."""
        self.deck_in_use = ""
        """As the dealer names it; empty where nobody has."""
        self.stack = terms.decks * len(terms.deck)
        """Cards in a whole stack."""
        self.procedure = rules.procedure
        self.ledger = CardLedger(self)
        self.shuffler: ShufflerProcedure | None = None
        if terms.equipment.shuffler is not None:
            removed, alternates = rules.procedure.shuffler_removed.cite, rules.procedure.batches_alternate.cite
            stack = list(terms.deck) * terms.decks
            of_shuffler = ShufflerTerms(stack, removed, alternates)
            sensed = terms.equipment.shuffler.present_sensor
            self.shuffler = ShufflerProcedure(
                self,
                of_shuffler,
                self.ledger,
                over=lambda: self.stack_over,
                sensed=sensed,
                asked=terms.equipment.asked,
            )
        self.stock = ContinuousStock(self, self.stack, SHOE) if terms.continuous else None
        """What is inside a continuous shuffling shoe."""
        self._compartment_changes: deque[CompartmentsOpen] = deque(maxlen=CHANGES_KEPT)
        """The last changes of the compartments of a double shoe, oldest first."""
        one_batch = rules.procedure.one_batch_discarded
        self.discards = Discards(self, self.stack, one_batch) if terms.equipment.discard_rack else None
        self._shuffled = not terms.fresh_each_round
        """Whether the cards that are dealt next were shuffled."""
        self._quiet = True
        """Whether the cards that belong to no round have been collected, as far as the shoe can tell."""
        self._doubt: Doubt | None = None
        """Why cards may have left unseen since the last round."""
        self._reshuffle = ""
        """Why the cards are to be shuffled before the next round, in words; empty where they are not."""
        self._excess: list[CardDealt] = []
        """Cards that left after the round was complete: a person decides what becomes of them."""
        self._kept: list[CardDealt] = []
        """Those that begin the next round."""
        self.reset()

    # --- what a game of cards implements ---------------------------------------------------------------------------

    @abstractmethod
    def deal(self, seen: CardDealt, t_ns: int) -> None:
        """A card of the round has left, alone and in its turn."""

    @abstractmethod
    def evidence(self, detail: str = "") -> Evidence:
        """The cards of the round, as far as they are exposed."""

    @abstractmethod
    def complete_words(self) -> str:
        """Why a card that leaves now belongs to nothing: what was complete."""

    @property
    def stage(self) -> str | None:
        """What the dealer announces next in this round, in words; None where there is nothing to announce."""
        return None

    def next_stage(self, t_ns: int, by: str) -> None:
        """The dealer announces it."""

    def seat(self, hands: int, positions: Sequence[int] | None) -> None:
        """So many hands are dealt from now on, at these positions of the layout; None where they were not named.

        Raises:
            ValueError: the table does not have them.
        """
        if positions is not None:
            raise ValueError("this table has no acceptors of progressive wagers, and so no positions")

    def take_back(self) -> bool:
        """The last card of the round was face up in the shoe: it is used for nothing. False where there is none."""
        return False

    # --- what every game has -------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        if self.stock is not None:
            self.stock.opens()
        self._excess = []
        self._held: CardDealt | None = None
        """A card of this round that left before its turn, and on which nobody has decided."""
        self.next_card: CardDealt | None = None
        """One of those that is the next card, once its turn has come."""
        self._face_up = self._face_up_due = 0
        """Cards of this round that were found face up, and those of them that have not left yet."""

    def restore(self, state: TableState) -> None:
        """As every game; cards may have left since the last event, and been laid to hands that nobody counted.

        With a button for the call the round that follows is void if such cards go on, and only one that was kept after
        a verdict goes unseen. Without one, the first round is always the dealer's.
        """
        super().restore(state)
        by_button = self.context.call_by == "button"
        if state.phase == SETTLING_STILL if by_button else state.phase not in ("", SETTLED):
            self._doubt = Doubt("power_loss", "cards may have left while the controller was off")
        if self.stock is not None:
            self.stock.restore(state)
        if state.stack is not None:
            self.ledger.restore(state.stack)
        if self.shuffler is not None:
            self.shuffler.restore(state)
        due = [fault for fault in state.faults if fault.fault == RESHUFFLE]
        self._reshuffle = due[0].detail if due else ""
        carried = _carried_last(state) if self.carries else None
        if carried is not None:
            self.hands, self.deck_in_use = carried.hands, carried.deck
            self.book.burn_due = carried.burn_due
            if carried.shuffled is not None:
                self._shuffled = carried.shuffled

    def begin(self, t_ns: int) -> None:
        """The table begins: where the cards were to be shuffled, they still are; a shoe that counts has lost count."""
        if self.stock is not None:
            self.stock.begin(t_ns)
        if self.shuffler is not None:
            self.shuffler.begin(t_ns)
        if self._reshuffle:
            self.events.append(self._reshuffle_fault(t_ns))

    @property
    def carried_state(self) -> dict[str, Any] | None:
        """What a restart must not lose."""
        if not self.carries:
            return None
        shuffled = self._shuffled if self.fresh_each_round else None
        carried = CarriedCards(hands=self.hands, deck=self.deck_in_use, burn_due=self.book.burn_due, shuffled=shuffled)
        values: dict[str, Any] = msgspec.to_builtins(carried)
        return values

    def carry(self, t_ns: int, act: str, by: str = "") -> None:
        """Publishes that what a restart must not lose has changed, and by whose act."""
        if self.carries:
            self.report(events.CourseChanged, t_ns, act=act, course=self.carried_state, by=by)

    def press(self, press: ButtonPressed) -> None:
        """As every game; the button of the call announces each further stage of a round, too (ours)."""
        if press.button == CALL_BUTTON and self.phase is RUNNING and self.called_ns is not None:
            if self.stage is not None:
                self.next_stage(press.t_ns, "dealer")
        else:
            super().press(press)

    def quiet(self) -> bool:
        """Whether no cards are dealt that belong to no round."""
        return self._quiet

    def void(self, t_ns: int, reason: str, evidence: Evidence, *, ours: bool = False) -> None:
        """As every game; the next round opens once no card has left for a while."""
        self._quiet = False
        self.forget_doubt()
        self._shuffle_after(t_ns, reason)
        super().void(t_ns, reason, evidence, ours=ours)
        self._await_quiet(t_ns)

    def shut(self, t_ns: int, reason: str, detail: str) -> None:
        """As every game; where cards were being dealt, the next round waits until they are collected."""
        # Also where cards left at the shut table a moment ago: a second fault must not end the wait for ever.
        dealing = self.phase in (RUNNING, RUNNING_OUT) or not self._quiet
        if self.phase is RUNNING:
            self._shuffle_after(t_ns, reason)
        super().shut(t_ns, reason, detail)
        if dealing:
            self._await_quiet(t_ns)

    def reopen(self, t_ns: int) -> None:
        """As every game: who cleared the shoe has seen which cards lie on the table."""
        if self.phase is SHUT:
            self.forget_doubt()
        super().reopen(t_ns)
        if not self._quiet and self.run_due_ns == NEVER_NS:
            self._await_quiet(t_ns)

    def run_due(self, t_ns: int) -> None:
        """No card has left for as long as it takes to collect those of a void round."""
        self._quiet = True
        self.over_if_quiet(t_ns)

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """Cards that a person kept for this round begin it."""
        if self.stock is not None:
            self.stock.called(t_ns)
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
            return f"{counted(self.excess, 'card')} left the shoe {self.complete_words()}: decide with excess_card"
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
        to_load = self._reshuffle or (self.stock is not None and self.stock.wrong)
        return [("new_shoe", {})] if to_load and self.phase is SHUT else super().recovery()

    # --- observations --------------------------------------------------------------------------------------------

    def handle(self, seen: Observation) -> None:
        """Takes an observation of the shoe."""
        t_ns = seen.t_ns
        if isinstance(seen, CardDealt):
            self.ledger.left(seen)
            self._card(seen if self.stock is None else self.stock.left(seen))
        elif any(part.handle(seen) for part in (self.stock, self.discards, self.shuffler) if part is not None):
            return
        elif isinstance(seen, CardsLost):
            self.ledger.doubtful()
            if self.stock is not None:
                self.stock.lost()
            self.doubtful(t_ns, seen.reason, seen.detail)
        elif isinstance(seen, ShoeRestarted):
            self.book.forget()
            self.ledger.doubtful()
            self.doubtful(t_ns, "card_count", "the count of the shoe went back: it was off, or is another one")
        elif isinstance(seen, CardPushedBack):
            self._pushed_back(seen)
        elif isinstance(seen, CuttingCardSeen):
            self._cutting_card(t_ns)
        elif isinstance(seen, ShoeTroubled):
            self.events.append(Fault(t_ns, TROUBLES[seen.trouble], seen.detail, cause=seen.trouble, device=SHOE))
        elif isinstance(seen, ShoeUntroubled):
            self.events.append(CauseGone(t_ns, seen.trouble, SHOE))
        elif isinstance(seen, StackDealt):
            self._stack_dealt(seen)
        elif isinstance(seen, CompartmentsOpen):
            self._compartments(seen)
        elif isinstance(seen, LineGarbled):
            self.warn(t_ns, seen.device, "line_garbled", seen.cause)

    def _card(self, seen: CardDealt) -> None:
        if self.phase is OPEN and not self._shuffled:
            self.book.shuffled(0)  # whoever dealt them did not report it, and the round stands
        if self.phase is not SHUT or self.book.burn_due:
            seen = self._booked(seen)
        if self.book.burn_due and self._burns(seen):
            self.ledger.seal(seen, seen.t_ns)
            return
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

    def _stack_dealt(self, seen: StackDealt) -> None:
        """An automated shoe has given a stack; one with too few cards is a shoe that failed to deal all of them."""
        if seen.cards == seen.wanted:
            return
        detail = f"the shoe gave {counted(seen.cards, 'card')} of {seen.wanted}: take the cards out, reshuffle them all"
        if self.phase in (OPEN, RUNNING):
            self.events.append(Fault(seen.t_ns, "shoe_short_deal", detail, device=SHOE))
        else:
            self.stop(Fault(seen.t_ns, "shoe_short_deal", detail, device=SHOE))
        self.shuffle_due(seen.t_ns, "the shoe failed to deal all cards")

    def _compartments(self, seen: CompartmentsOpen) -> None:
        """A double shoe: one compartment is open at a time."""
        self._compartment_changes.append(seen)
        both = len(seen.sides) > 1
        if both:
            detail = "both compartments of the double shoe are open"
            self.events.append(Fault(seen.t_ns, "two_compartments_open", detail, cause="compartments", device=SHOE))
        else:
            self.events.append(CauseGone(seen.t_ns, "compartments", SHOE))

    def compartments_open(self, t_ns: int) -> tuple[int, ...] | None:
        """The compartments of a double shoe that were open at a time; None where that is not known (any more)."""
        return next((seen.sides for seen in reversed(self._compartment_changes) if seen.t_ns <= t_ns), None)

    def _booked(self, seen: CardDealt) -> CardDealt:
        """The card in the books: doubted where it cannot be of these decks."""
        if self.stock is not None:
            return seen
        doubt = self.book.take(None if seen.card is None else seen.card.expose())
        if doubt is None or seen.doubt:
            return seen
        return msgspec.structs.replace(seen, doubt=doubt.reason, detail=doubt.detail)

    def _burns(self, seen: CardDealt) -> bool:
        """Whether the card is one that is burned of shuffled cards, and laid to nothing."""
        called = self.called_ns is not None and self.called_ns <= seen.left_ns
        dealing = self.phase is RUNNING or (self.phase is OPEN and called)
        if self.phase is SETTLING or (dealing and not self.burns_after_call):
            return False
        if self.phase is OPEN and called and self.context.call_by == "button" and not self.burns_after_call:
            return False
        if self.phase is OPEN and not called and self.burns_after_call and self.context.call_by == "button":
            detail = "a card was burned before the bets were closed"
            self.violation(seen.t_ns, "burned_before_call", self._burn_rule, detail)
        self.book.burn_due -= 1
        self.carry(seen.t_ns, "burned")
        return True

    @property
    def _burn_rule(self) -> str:
        burn = self.card_rules.burn
        return OURS if burn is None else burn.cite

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
        self._owed_before(t_ns)
        kept, self._kept = self._kept, []
        for seen in kept:
            if self.phase is RUNNING:
                self._place(seen, t_ns)
            else:
                self._exceed(seen)

    def _owed_before(self, t_ns: int) -> None:
        """What is to be done with the cards before a round is dealt, and was not."""
        if self.book.burn_due and not self.burns_after_call:
            self.book.burn_due = 0
            detail = "cards are dealt, and none of the shuffled cards was burned"
            self.violation(t_ns, "not_burned", self._burn_rule, detail)
        if self.fresh_each_round:
            if not self._shuffled:
                rule = self._reasons["not_shuffled"].rule
                detail = "cards are dealt that nobody reported as shuffled since the last round: new_shoe reports it"
                self.violation(t_ns, "not_shuffled", rule, detail)
            self._shuffled = False

    def _place(self, seen: CardDealt, t_ns: int) -> None:
        """A card of the round goes to its place, if it is proven."""
        if self._doubt is not None:
            self.hide(seen, t_ns)
            self.leave_to_dealer(t_ns, *self._doubt)
        elif seen.doubt and (seen.doubt != "card_unread" or self.must_be_read):
            self.hide(seen, t_ns)
            self.leave_to_dealer(t_ns, seen.doubt, seen.detail)
        elif self._face_up_due:
            self._face_up_due -= 1  # it goes to the discard rack
            self.hide(seen, t_ns)
        elif self._held is not None or self.next_card is not None:
            self.hide(seen, t_ns)
            detail = "another card left while one lay there that had left before its turn"
            self.leave_to_dealer(t_ns, "card_out_of_turn", detail)
        else:
            self.deal(seen, t_ns)

    def hide(self, seen: CardDealt, t_ns: int) -> None:
        """A card of the round is not exposed: a commitment to it is published, unless there is one.

        That a card is none of this game is published as the reason of the verdict, so the capture may show it too.
        """
        if seen.card is not None and not self.ledger.is_sealed(seen.card):
            self.ledger.seal(seen, t_ns)
            if seen.doubt == "foreign_card":
                self.shown.append(seen.card.frame)

    def lay_open(self, seen: CardDealt, to: str, t_ns: int) -> DealtCard | None:
        """A card of the round is exposed where it lies; None where nobody read it."""
        if seen.card is None:
            return None
        place = self.ledger.place_of(seen.card)
        face = self.ledger.expose(seen.card, t_ns)
        return DealtCard(card=face, to=to, left_ns=seen.left_ns, place=place)

    def leave_to_dealer(self, t_ns: int, reason: str, detail: str) -> None:
        """The round is left to the dealer."""
        self.forget_doubt()
        self.unresolved(t_ns, reason, self.evidence(detail), [])

    def forget_doubt(self) -> None:
        """Whatever left the shoe before is seen to by a person: no card of it is counted into a round."""
        self._doubt = None
        self._kept = []

    def doubtful(self, t_ns: int, reason: str, detail: str) -> None:
        """Cards may have left unseen: in this round, or, after its outcome, as the first of the next."""
        if self.phase is RUNNING:
            self.leave_to_dealer(t_ns, reason, detail)
        elif self.phase is OPEN or (self.phase is SETTLING and self.uncalled is None):
            self._doubt = Doubt(reason, detail)

    def _pushed_back(self, seen: CardPushedBack) -> None:
        detail = "a card was pushed into the shoe" if seen.was_out else "a card was drawn to the mouth and pushed back"
        if seen.was_out:
            if self.stock is not None:
                self.stock.put_back(seen.t_ns)
            self.book.forget()
            self.ledger.returned()
            self.doubtful(seen.t_ns, "card_returned", detail)
        self.warn(seen.t_ns, SHOE, "card_pushed_back", detail)

    # --- a card in excess ----------------------------------------------------------------------------------------

    def _exceed(self, seen: CardDealt) -> None:
        """A card left though the round was complete: a person decides what becomes of it."""
        self._excess.append(seen)
        self._settle_due_ns = NEVER_NS
        self.out_of_turn(
            seen.t_ns, f"a card left {self.complete_words()}: leave it face down, and decide on it with excess_card"
        )

    def out_of_turn(self, t_ns: int, detail: str) -> None:
        """Reports a card that was drawn out of its turn. It is not named: it may not be exposed."""
        self.violation(t_ns, "card_out_of_turn", self._reasons["card_out_of_turn"].rule, detail)

    def hold(self, seen: CardDealt, t_ns: int, reason: str, detail: str) -> None:
        """A card of the round left before its turn: a person decides what becomes of it."""
        self._held = seen
        self.hide(seen, t_ns)
        self.violation(t_ns, reason, self._reasons[reason].rule, f"{detail}: decide on it with excess_card")

    @property
    def holds(self) -> bool:
        """Whether a card of the round has left before its turn, and nobody has decided on it."""
        return self._held is not None

    def discarded(self, t_ns: int) -> str:
        """The card that left before its turn is discarded; returns what follows for the people at the table."""
        return "1 card discarded"

    @property
    def uses(self) -> tuple[Use, ...]:
        """What may become of the cards in excess."""
        return ("discard", "next_card") if self._holding else ("discard", "next_round")

    @property
    def _holding(self) -> bool:
        return self._held is not None and self.phase is RUNNING

    def use_excess(self, t_ns: int, use: Use) -> str:
        """A person decides on the cards that belong to nothing, or not yet; returns what becomes of them."""
        if self._holding:
            seen, self._held = self._held, None
            if use == "discard":
                return self.discarded(t_ns)
            self.next_card = seen
            return "the card is the next one, in its turn"
        cards, self._excess = self._excess, []
        if use == "next_round":
            self._kept += cards
        if not self.settled_by_person:
            self._settle_due_ns = t_ns + self._settle_ns
        return f"{counted(len(cards), 'card')} {'discarded' if use == 'discard' else 'for the next round'}"

    @property
    def excess(self) -> int:
        """Cards that belong to nothing, and on which nobody has decided."""
        if self._holding:
            return 1
        return len(self._excess) if self.phase is SETTLING else 0

    def found_face_up(self, t_ns: int, *, next_card: bool) -> str:
        """The dealer found a card face up: the next one that leaves, or the last one that left; what becomes of it."""
        self._face_up += 1
        if next_card:
            self._face_up_due += 1
        most = self.card_rules.most_face_up
        if most is not None and self._face_up > most.value:
            self.void(t_ns, "face_up_cards", self.evidence(f"{self._face_up} cards were found face up"))
            return "every hand is void, and the cards are shuffled"
        return "the card is used for nothing: lay it into the discard rack"

    # --- the shuffle ---------------------------------------------------------------------------------------------

    def _cutting_card(self, t_ns: int) -> None:
        """The cutting card has come: the round is played to its end, then the cards are shuffled."""
        if not self._reshuffle:
            self.warn(t_ns, SHOE, "cutting_card", "the cutting card has come: the cards are shuffled after this round")
            self.shuffle_due(t_ns, "the cutting card has come")

    def shuffle_due(self, t_ns: int, why: str, *, at_once: bool = False) -> bool:
        """The cards are to be shuffled before another round, or, `at_once`, before this one where none of it is dealt.

        Returns whether that is news. Cards that are shuffled for each round anyway shut no table.
        """
        if self.fresh_each_round:
            self._shuffled = False
            return False
        if self._reshuffle:
            return False
        self._reshuffle = f"{why}: shuffle, load the shoe, then new_shoe"
        (self.stop_bets if at_once else self.stop)(self._reshuffle_fault(t_ns))
        return True

    def _shuffle_after(self, t_ns: int, reason: str) -> None:
        """The round is void for a reason for which the text has its cards shuffled."""
        for rule in self.card_rules.reshuffles:
            if rule.value == reason:
                self.shuffle_due(t_ns, f"the round is void for {reason} ({rule.cite})")

    def new_shoe(self, t_ns: int, by: str, deck: str = "", **how: object) -> bool:
        """A person has loaded shuffled cards; `how` are fields of `StackLoaded`. Returns whether they were due."""
        due, self._reshuffle = bool(self._reshuffle), ""
        self.forget_doubt()
        again = bool(deck) and deck == self.deck_in_use
        rule = self._reasons.get("deck_not_alternated")
        if again and rule is not None:
            detail = f"deck {deck} was in use in the last round too"
            self.violation(t_ns, "deck_not_alternated", rule.rule, detail)
        self.deck_in_use = deck
        if self.discards is not None:
            self.discards.emptied(t_ns, self.ledger.place)
        self.ledger.loaded(t_ns, by=by, **how)
        if self.stock is not None:
            self.stock.loaded(t_ns)
            self.ledger.doubtful()  # a place says nothing of a card that is shuffled with others all the time
        burn = self.card_rules.burn
        self.book.shuffled(0 if burn is None else burn.value)
        self._shuffled = True
        self.carry(t_ns, "new_shoe", by)
        if due:
            self.cause_gone(t_ns, RESHUFFLE, SHOE)
        return due

    def break_up(self, t_ns: int) -> int:
        """A supervisor has the stack broken up: no card of it is dealt any more. Returns how many were opened."""
        self.shuffle_due(t_ns, "the stack was broken up", at_once=True)
        if self.shuffler is not None:
            self.shuffler.await_order(t_ns)
        return self.ledger.break_up(t_ns)

    @property
    def stack_over(self) -> bool:
        """Whether no card of the stack is dealt any more: it is broken up or to be shuffled, and no round goes on."""
        return self.phase is not RUNNING and (not self._shuffled or (bool(self._reshuffle) and not self.undecided))

    def _reshuffle_fault(self, t_ns: int) -> Fault:
        return Fault(t_ns, "reshuffle_due", self._reshuffle, cause=RESHUFFLE, device=SHOE)

    def _await_quiet(self, t_ns: int) -> None:
        """A card that belongs to no round has left; where a round is open meanwhile, it is that round's."""
        if self.phase in (RUNNING_OUT, SHUT):
            self._quiet = False
            self.run_due_ns = t_ns + QUIET_NS


def _carried_last(state: TableState) -> CarriedCards | None:
    """What was carried last before a restart; None where nothing was that this version reads."""
    carried = state.course if state.course is not None else state.rounds[-1].course if state.rounds else None
    if carried is None:
        return None
    try:
        return msgspec.convert(carried, CarriedCards)
    except msgspec.ValidationError:
        return None
