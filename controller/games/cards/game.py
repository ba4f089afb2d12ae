"""The rounds of a table of cards: its shoe, its cards and its hands, and the procedure around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from controller.games.cards.carried import CardCarrying
from controller.games.cards.dealing import CardDealing, DealTerms
from controller.games.cards.discards import Discards
from controller.games.cards.hands import HAND_PROTOCOLS, CardDesk, CardHands, CorrectableHands
from controller.games.cards.ledger import CardLedger
from controller.games.cards.on_table import CardsOnTable
from controller.games.cards.progressive import ProgressiveProcedure, ProgressiveRules, ProgressiveTerms
from controller.games.cards.reshuffle import RESHUFFLE, Reshuffle
from controller.games.cards.rules import CardRules
from controller.games.cards.shoe import SHOE, CardShoe
from controller.games.cards.shoe_book import ShoeBook
from controller.games.cards.shuffling import ShufflerProcedure, ShufflerTerms
from controller.games.cards.stock import ContinuousStock
from controller.table.capabilities import refuse_halves
from controller.table.context import GameContext
from controller.table.faults import Fault
from controller.table.phase import RUNNING, SETTLING, SHUT
from controller.table.recent import Ruling
from controller.table.report import AFTER_VERDICT, NOW
from controller.table.rounds import RoundLifecycle
from controller.table.terms import Terms, Uncalled
from drivers.base.driver import Observation
from drivers.cards.observations import CardDealt, CuttingCardSeen, StackDealt
from drivers.cards.progressive import AcceptorActuator
from drivers.cards.shuffler import ShufflerConfig
from drivers.cards.shuffler_actuator import ShufflerActuator
from drivers.dealer.buttons import CALL_BUTTON, ButtonPressed
from feed.events import WinningBet
from feed.state import SETTLED, TableState
from feed.state import SETTLING as SETTLING_STILL
from hal.wording import counted


class ProgressiveEquipment(NamedTuple):
    """The progressive wager of a table: its rules, what its file fixes, and its acceptors."""

    rules: ProgressiveRules
    terms: ProgressiveTerms
    acceptors: AcceptorActuator


class CardEquipment(NamedTuple):
    """What a table of cards has beside its shoe."""

    shuffler: ShufflerConfig | None = None
    """Its automated shuffling device."""
    discard_rack: bool = False
    """Whether its discard rack counts."""
    asked: ShufflerActuator | None = None
    """What asks the shuffler for orders, where it is on a link."""
    progressive: ProgressiveEquipment | None = None


class CardTerms(NamedTuple):
    """What the configuration and the equipment fix for every deal of a game of cards."""

    decks: int
    deck: Sequence[str]
    """The cards of one deck."""
    equipment: CardEquipment = CardEquipment()
    deal: DealTerms = DealTerms()
    fresh_each_round: bool = False
    """Whether each round is dealt from newly shuffled cards."""
    continuous: bool = False
    """Whether the shoe shuffles all the time, and knows its cards by count alone."""
    carries: bool = True
    """Whether a restart must not lose what it carries of the cards."""


def card_rounds(context: GameContext, rules: CardRules, settle_after_s: float) -> RoundLifecycle:
    """The rounds of a game of cards: an unresolved one waits for its call before its bets are settled."""
    call = "Round void"
    read = rules.result_read.cite
    terms = Terms(rules.no_more_bets, rules.reasons, read, settle_after_s, call, uncalled=Uncalled.SETTLING)
    return RoundLifecycle(context, terms)


@runtime_checkable
class CardDevice(Protocol):
    """What takes the observations of a device beside the shoe."""

    def handle(self, seen: Observation) -> bool:
        """Takes an observation; returns whether it was one of that device's."""


class CardGame:
    """The rounds of a table of cards."""

    device = SHOE
    names_result_by = "cards"

    def __init__(
        self, rounds: RoundLifecycle, rules: CardRules, terms: CardTerms, hands: Callable[[CardDesk], CardHands]
    ) -> None:
        """`hands` makes what is dealt to at this game; `rounds` are `card_rounds`.

        Raises:
            IncompleteGameError: the hands have a part of what only some hands have, which would never be asked for.
        """
        self.rounds = rounds
        report, equipment, fresh = rounds.report, terms.equipment, terms.fresh_each_round
        self.rules = rules
        self.terms = terms
        self.stack = [*terms.deck] * terms.decks
        """The cards of a whole stack, unshuffled."""
        ledger, book = CardLedger(report, rounds.context.salts), ShoeBook(terms.deck, terms.decks)
        stock = ContinuousStock(report, len(self.stack), SHOE) if terms.continuous else None
        self.shoe = CardShoe(report, ledger, book, stock)
        self.cards = CardsOnTable(report, ledger, rules.reasons)
        self.reshuffle = Reshuffle(report, rules, book, fresh_each_round=fresh)
        self.shuffler = self._shuffler(equipment)
        one_batch = rules.procedure.one_batch_discarded
        self.discards = Discards(report, len(self.stack), one_batch) if equipment.discard_rack else None
        self.progressive = (
            None if equipment.progressive is None else ProgressiveProcedure(report, *equipment.progressive)
        )
        self.carrying = CardCarrying(
            report,
            self.cards,
            self.reshuffle,
            book,
            self.progressive,
            self.shuffler,
            fresh_each_round=fresh,
            carries=terms.carries,
        )
        desk = CardDesk(report, rounds, self.cards, self.shoe, self.progressive, rounds.context.call_by)
        self.hands = hands(desk)
        refuse_halves(self.hands, HAND_PROTOCOLS)
        self._correctable = self.hands if isinstance(self.hands, CorrectableHands) else None
        self.dealing = CardDealing(desk, self.hands, rules, terms.deal, self.reshuffle, self.carrying)
        beside = (stock, self.discards, self.shuffler, self.progressive, self.hands)
        self._beside = tuple(part for part in beside if isinstance(part, CardDevice))
        """What takes the observations of devices beside the shoe."""

    def _shuffler(self, equipment: CardEquipment) -> ShufflerProcedure | None:
        config, procedure = equipment.shuffler, self.rules.procedure
        if config is None:
            return None
        terms = ShufflerTerms(
            self.stack,
            procedure.shuffler_removed.cite,
            procedure.batches_alternate.cite,
            counts=config.counter or config.control == "serial",
        )
        return ShufflerProcedure(
            self.rounds.report,
            terms,
            self.shoe.ledger,
            over=lambda: self.stack_over,
            sensed=config.present_sensor,
            asked=equipment.asked,
        )

    def reset(self) -> None:
        """A new round begins."""
        self.dealing.reset()

    def quiet(self) -> bool:
        """Whether the cards that belong to no round have been collected, as far as the shoe shows."""
        return self.dealing.quiet

    # --- start and restart -----------------------------------------------------------------------------------------

    def restore(self, state: TableState) -> None:
        """Goes on: cards may have left since the last event, and been laid to hands that nobody counted.

        With a button for the call the round that follows is void if such cards go on, and only one that was kept after
        a verdict goes unseen. Without one, the first round is always the dealer's.
        """
        by_button = self.rounds.context.call_by == "button"
        if state.phase == SETTLING_STILL if by_button else state.phase not in ("", SETTLED):
            self.dealing.doubtful_at_start()
        self.shoe.restore(state)
        if self.shuffler is not None:
            self.shuffler.restore(state)
        self.reshuffle.restore(state)
        self.carrying.restore(state)

    def begin(self, t_ns: int) -> None:
        """The table begins: where the cards were to be shuffled, they still are; a wrong count still is."""
        if self.shoe.stock is not None:
            self.shoe.stock.begin(t_ns)
        if self.shuffler is not None:
            self.shuffler.begin(t_ns)
        self.reshuffle.begin(t_ns)

    @property
    def carried_state(self) -> dict[str, Any] | None:
        """What a restart must not lose."""
        return self.carrying.state

    # --- observations ----------------------------------------------------------------------------------------------

    def handle(self, seen: Observation) -> None:
        """Takes an observation of the shoe, or of what is beside it."""
        t_ns = seen.t_ns
        if isinstance(seen, CardDealt):
            self.dealing.card(seen)
        elif any(part.handle(seen) for part in self._beside):
            return
        elif isinstance(seen, CuttingCardSeen):
            self.reshuffle.cutting_card(t_ns)
        elif isinstance(seen, StackDealt):
            self._stack_dealt(seen)
        else:
            doubt = self.shoe.doubt_of(seen)
            if doubt is not None:
                self.dealing.doubtful(t_ns, doubt)
            self.shoe.watch(seen)

    def _stack_dealt(self, seen: StackDealt) -> None:
        """An automated shoe has given a stack; one with too few cards is a shoe that failed to deal all of them."""
        if seen.cards == seen.wanted:
            return
        detail = f"the shoe gave {counted(seen.cards, 'card')} of {seen.wanted}: take the cards out, reshuffle them all"
        shuts = NOW if self.rounds.undecided else AFTER_VERDICT
        self.rounds.report.fault(Fault(seen.t_ns, "shoe_short_deal", detail, device=SHOE), shuts)
        self.reshuffle.order(seen.t_ns, "the shoe failed to deal all cards")

    # --- the course of a round -------------------------------------------------------------------------------------

    def opened(self, t_ns: int) -> None:
        """The round is open: the acceptors take wagers; a shoe that counts may have lost count."""
        if self.shoe.stock is not None:
            self.shoe.stock.opened(t_ns)
        if self.progressive is not None:
            self.progressive.opened(t_ns)

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The acceptors take no wager any more, and the meter grows; cards that a person kept begin the round."""
        if self.progressive is not None and self.progressive.closed(t_ns):
            self.carrying.changed(t_ns, "progressive_wagers")
        self.dealing.bets_closed(t_ns)

    def run_due(self, t_ns: int) -> None:
        """No card has left for as long as it takes to collect those of a void round."""
        self.dealing.collected(t_ns)

    def shutting(self, t_ns: int, reason: str) -> None:
        """Where a round is settled first, its acceptors take no wager of the next one meanwhile."""
        if self.progressive is not None and self.rounds.phase is SETTLING:
            self.progressive.locked(t_ns)

    def run_ends(self, t_ns: int, reason: str) -> None:
        """The round is about to be void, or the table to be shut."""
        self.dealing.run_ends(reason)

    def run_ended(self, t_ns: int) -> None:
        """It is void, or shut: then the acceptors take no wager of a round that is not played."""
        self.dealing.run_ended(t_ns)
        if self.progressive is not None and self.rounds.phase is SHUT:
            self.progressive.locked(t_ns)

    @property
    def stack_over(self) -> bool:
        """Whether no card of the stack is dealt any more: it is broken up or to be shuffled, and no round continues."""
        rounds, reshuffle = self.rounds, self.reshuffle
        return rounds.phase is not RUNNING and (
            not reshuffle.shuffled or (bool(reshuffle.due) and not rounds.undecided)
        )

    # --- people ----------------------------------------------------------------------------------------------------

    def pressed(self, press: ButtonPressed) -> bool:
        """The button of the call announces each further stage of a round, too (ours)."""
        rounds = self.rounds
        if rounds.phase is SETTLING and self.settle_refused is not None:
            rounds.settle(press.t_ns, "dealer")  # whichever button it is, the warning is the same
            return True
        if press.button != CALL_BUTTON or rounds.phase is not RUNNING or rounds.called_ns is None:
            return False
        if self.dealing.stage is not None:
            self.dealing.announce(press.t_ns, "dealer")
        return True

    @property
    def settle_refused(self) -> str | None:
        """Why the round may not be settled yet: its outcome is not what people see, it waits for its call, or cards
        in excess wait for a decision."""
        if self._correctable is not None and self._correctable.unnamed is not None:
            return self._correctable.unnamed
        if self.rounds.uncalled is not None:
            return f"round {self.rounds.number} is unresolved: call it first, with confirm, void or correct"
        return self.dealing.excess_words

    @property
    def settled_by_person(self) -> bool:
        """Where a progressive wager is in, people look at the hands first, however long it takes."""
        return self.progressive is not None and bool(self.progressive.accepted)

    def call_refused(self, reason: str, position: str) -> str | None:
        """Why a person may not call a round void for that reason; None where the rules allow it."""
        return None if self._correctable is None else self._correctable.call_refused(reason)

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """That a round is void of which a progressive payout was paid is reported."""
        if self.progressive is not None and ruling.stands.verdict == "void":
            self.progressive.found_void(t_ns, f"round {ruling.round}", self.progressive.paid_in(ruling.round))

    def recovery(self) -> list[tuple[str, dict[str, str]]]:
        """The orders with which simulated staff bring the table back: on the bench nobody looks at cards."""
        rounds, why = self.rounds, "nobody looks at cards on the bench"
        if self._correctable is not None and self._correctable.unnamed is not None:
            return [("correct", {"round": str(rounds.number), "reason": "dealer_call", "why": why})]
        if rounds.uncalled is not None:
            return [("void", {"round": str(rounds.uncalled), "why": why})]
        if self.dealing.excess:
            return [("excess_card", {"use": "discard"})]
        to_load = self.reshuffle.due or (self.shoe.stock is not None and self.shoe.stock.wrong)
        return [("new_shoe", {})] if to_load and rounds.phase is SHUT else rounds.recovery()

    def new_shoe(self, t_ns: int, by: str, deck: str = "", **how: object) -> bool:
        """A person has loaded shuffled cards; `how` are fields of `StackLoaded`. Returns whether they were due."""
        due = self.reshuffle.loaded(t_ns, deck)
        self.dealing.forget_doubt()
        if self.discards is not None:
            self.discards.emptied(t_ns, self.shoe.ledger.place)
        self.shoe.loaded(t_ns, by=by, deck=deck, **how)
        self.carrying.changed(t_ns, "new_shoe", by)
        if due:
            self.rounds.report.cause_gone(t_ns, RESHUFFLE, SHOE)
        return due

    def break_up(self, t_ns: int) -> int:
        """A supervisor has the stack broken up: no card of it is dealt any more. Returns how many were opened."""
        self.reshuffle.order(t_ns, "the stack was broken up", at_once=True)
        if self.shuffler is not None:
            self.shuffler.await_order(t_ns)
        return self.shoe.ledger.break_up(t_ns)

    # --- results ---------------------------------------------------------------------------------------------------

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result that a person names for a round. Raises `ValueError` where the game has no such result."""
        if self._correctable is not None:
            return self._correctable.result_in(number, name)
        return self.hands.result_named(name)

    def name_of(self, result: Mapping[str, Any]) -> str:
        """How a person names a result: what `result_in` reads."""
        return self.hands.name_of(result)

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with a result, and the notices that go with it."""
        return self.hands.pays(result)
