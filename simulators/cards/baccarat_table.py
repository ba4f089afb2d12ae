"""A simulated baccarat table: a dealer who calls, draws the cards of both hands from a reading shoe, and settles.

    call ──► player, banker, player, banker ──► third cards ──► settled
                                    └── the cutting card: the cards are shuffled after the round

Which hand draws is decided here once more, from the words of 13:47-20.20(e) and the table of punto banco: the truth
owes nothing to the controller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from drivers.cards.card_wire import CUTTING_CARD, JOKER, UNREAD
from hal.clock import NS_PER_S
from hal.values import Batch, Command, Edge, Rare
from simulators.base.faults import SimulatedFault, fault_named
from simulators.base.geometry import Geometry, at_least
from simulators.base.hand import Hand
from simulators.base.sensors import press, settle_order
from simulators.base.truth import SimRound, Truth
from simulators.cards.shoe import EMPTY, JAM, LID, OUTSIDE, ShoeSimulator

GAMES: Final = ("baccarat", "mini_baccarat")
CALL: Final = "dealer_no_more_bets"
SETTLED: Final = "dealer_settled"
DEALER: Final = "simulated-dealer"
BETWEEN_S: Final = (0.7, 1.5)
"""From one card to the next (ours)."""
AFTER_S: Final = 8.0
"""From the last card to the end of a round, beyond what the table waits: the cards are collected."""
SILENT_S: Final = 6.0
"""So long the link is silent: longer than the controller lets it be."""
UNPLUGGED_S: Final = 2.5


def _no_barriers(geometry: Geometry) -> str | None:
    return None if isinstance(geometry, BaccaratGeometry) and geometry.barriers else "light barriers"


def _no_button(geometry: Geometry) -> str | None:
    return None if geometry.no_more_bets_button else "a button for the call"


def _anything(geometry: Geometry) -> str | None:
    return None


def _fault(
    name: str,
    physical: bool,
    explanation: str,
    expected: str,
    lacking: Callable[[Geometry], str | None] = _anything,
) -> SimulatedFault:
    return SimulatedFault(name, GAMES, physical, explanation, expected, lacking)


FAULTS: Final = (
    _fault("none", True, "Nothing goes wrong.", "The outcome."),
    _fault("misread", False, "The shoe cannot read a card.", "Unresolved: card_unread."),
    _fault("line_lost", False, "The line of a card is lost.", "Unresolved: card_count, or card_unread."),
    _fault(
        "line_corrupted",
        False,
        "A bit of the line of a card is turned over.",
        "Unresolved: card_count, or card_unread; a warning: line_garbled.",
    ),
    _fault("line_repeated", False, "The line of a card is sent twice.", "The outcome."),
    _fault(
        "card_pushed_back",
        True,
        "A card is drawn to the mouth, pushed back, and drawn again.",
        "The outcome; a warning: card_pushed_back.",
        _no_barriers,
    ),
    _fault(
        "card_returned",
        True,
        "A card that was out is pushed into the shoe, and drawn again.",
        "Unresolved: card_returned.",
        _no_barriers,
    ),
    _fault(
        "excess_card",
        True,
        "The dealer draws a card when both hands are complete, and discards it.",
        "The outcome; a violation: card_out_of_turn.",
    ),
    _fault(
        "two_cards_at_once",
        True,
        "A card follows while the one before it still covers the barriers.",
        "Unresolved: card_unseen.",
        _no_barriers,
    ),
    _fault("dead_barrier", False, "The outer light barrier sees nothing.", "Unresolved: card_unseen.", _no_barriers),
    _fault("jam", True, "A card sticks in the mouth of the shoe.", "Void: shoe_jam; a fault."),
    _fault("lid_opened", True, "The lid is opened while cards are dealt.", "Void: shoe_open; a fault."),
    _fault("shoe_empty", True, "The shoe is empty before the hands are complete.", "Void: shoe_empty; a fault."),
    _fault(
        "cut_card_early",
        True,
        "The cutting card stands near the front.",
        "The outcome; then reshuffle_due, until there is a new shoe.",
    ),
    _fault(
        "dealt_before_no_more_bets",
        True,
        "The dealer draws cards before the call.",
        "Void: dealt_before_no_more_bets.",
        _no_button,
    ),
    _fault(
        "cable_pulled", False, "The shoe's cable comes out and is put back.", "Unresolved: sensor_missing; a fault."
    ),
    _fault("silent_link", False, "The shoe sends nothing for a while.", "Unresolved: card_unread; a fault."),
    _fault("shoe_restarted", False, "The shoe loses its power for a moment.", "Unresolved: card_count."),
    _fault("foreign_card", True, "There is a joker in the shoe.", "Unresolved: foreign_card."),
)
"""What can go wrong at the table: its dealer, its shoe, its cards."""

_ENDS_THE_DEAL: Final = {"jam": "shoe_jam", "lid_opened": "shoe_open", "shoe_empty": "shoe_empty"}
"""Faults after which no card of the round is dealt, and the reason of each."""
_REASONS: Final[dict[str, tuple[str, ...]]] = {
    "misread": ("card_unread",),
    "line_lost": ("card_count", "card_unread"),
    "line_corrupted": ("card_count", "card_unread"),
    "card_returned": ("card_returned",),
    "two_cards_at_once": ("card_unseen",),
    "dead_barrier": ("card_unseen",),
    "dealt_before_no_more_bets": ("dealt_before_no_more_bets",),
    "cable_pulled": ("sensor_missing", "edges_lost", "card_count", "card_unread", "card_unseen"),
    "silent_link": ("sensor_missing", "card_count", "card_unread"),
    "shoe_restarted": ("card_count",),
    "foreign_card": ("foreign_card",),
    **{fault: (reason,) for fault, reason in _ENDS_THE_DEAL.items()},
}
_INVALID: Final = ("dealt_before_no_more_bets", "foreign_card", *_ENDS_THE_DEAL)
"""Faults after which there is no result that any rule supports."""
_NOTICES: Final = ("device.warning", "device.fault", "procedure.violation")


@dataclass(frozen=True, slots=True, kw_only=True)
class BaccaratGeometry:
    """A baccarat table and its shoe."""

    game: str
    no_more_bets_button: bool = True
    settled_button: bool = False
    decks: int = 8
    barriers: bool = True
    body: bool = True
    link: str = "shoe"
    read_wait_s: float = 1.0
    """How long the controller waits for the line of a card."""
    jam_s: float = 3.0
    """How long a barrier is covered before the controller reports a jam."""
    settle_after_s: float = 3.0
    third_card_table: bool = True
    """Whether the controller plays by the table of punto banco; the simulated dealer always does."""

    def __post_init__(self) -> None:
        at_least("decks", self.decks, 1)

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault, `none` first."""
        return FAULTS

    def simulator(self, seed: int) -> BaccaratSimulator:
        """A table that plays it. Equal seeds give equal rounds."""
        return BaccaratSimulator(self, seed)

    def hand(self, seed: int) -> Hand:
        """A hand that draws a card as a calibration asks."""
        from simulators.cards.hand import CardHand

        return CardHand(seed)


class Dealt(NamedTuple):
    """The cards of a round in the order of the deal, and when the last was out."""

    cards: tuple[str, ...]
    end_s: float


class BaccaratSimulator:
    """One table in virtual time; see `simulators.base.truth.TableSimulator`."""

    def __init__(self, geometry: BaccaratGeometry, seed: int) -> None:
        self.geometry = geometry
        self._seed = seed
        self._number = 0
        self._now_s = 0.0
        self._shoe = ShoeSimulator(
            seed, geometry.decks, barriers=geometry.barriers, body=geometry.body, link=geometry.link
        )
        self._shoe.load()
        has = ((CALL, geometry.no_more_bets_button), (SETTLED, geometry.settled_button))
        self._buttons = tuple(line for line, there in has if there)
        self._shuffle_due = False

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines and links that its batches may name."""
        return (*self._buttons, *self._shoe.lines)

    def start(self) -> Batch:
        """Every line at rest at time 0, and a second of quiet."""
        self._now_s = 1.0
        self._shoe.start()
        edges, rare = self._shoe.take(self._now_s)
        return Batch([*(Edge(line, 0, 0) for line in self._buttons), *edges], rare, _ns(self._now_s))

    def wait(self, seconds: float) -> Batch:
        """Nobody deals; the shoe reports its state."""
        self._now_s += seconds
        edges, rare = self._shoe.take(self._now_s)
        return Batch(edges, rare, _ns(self._now_s))

    def round(self, fault: str | None = None) -> SimRound:
        """The next round, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        name = fault_named(fault or "none", self.geometry).name
        self._number += 1
        rng = Random(f"{self._seed}/baccarat/{self._number}")
        from_s, geometry = self._now_s, self.geometry
        # A round that a person had to call at the end of the last one is settled by then.
        call_s = from_s + geometry.settle_after_s + rng.uniform(2.0, 4.0)
        rare: list[Rare] = []
        dealt = self._deal(name, call_s + rng.uniform(0.8, 2.0), rng)
        end_s = dealt.end_s
        if name == "excess_card":
            end_s = self._draw(end_s + rng.uniform(*BETWEEN_S))[1]
            rare.append(_order("excess_card", end_s + 1.5, ("use", "discard")))
        edges = []
        if geometry.no_more_bets_button:
            edges += press(CALL, dealt.end_s + 0.5 if name == "dealt_before_no_more_bets" else call_s, 0.2)
        self._now_s = end_s + geometry.settle_after_s + geometry.read_wait_s + AFTER_S
        if geometry.settled_button:
            edges += press(SETTLED, self._now_s - 2.0, 0.2)
        if self._shuffle_due or len(self._shoe.cards) < 7:
            self._shuffle_due = False
            self._shoe.load()
            rare.append(_order("new_shoe", self._now_s - 0.5))
        shown, sent = self._shoe.take(self._now_s)
        edges += shown
        rare += sent
        settle_order(edges, _ns(from_s), _ns(self._now_s))
        rare.sort(key=lambda value: value.t_ns)
        return SimRound(Batch(edges, rare, _ns(self._now_s)), self._truth(name, dealt), self._number, fault)

    # --- the deal ------------------------------------------------------------------------------------------------

    def _deal(self, name: str, at_s: float, rng: Random) -> Dealt:
        """Both hands are dealt, and something goes wrong with one of the first three cards."""
        shoe = self._shoe
        if name == "cut_card_early":
            if CUTTING_CARD in shoe.cards:
                shoe.cards.remove(CUTTING_CARD)
            shoe.cards.insert(len(shoe.cards) - rng.randrange(4), CUTTING_CARD)
        # Never with the fourth, which may be the last.
        wrong, cards, end_s = rng.randrange(3), list[str](), at_s
        dead = (OUTSIDE,) if name == "dead_barrier" else ()
        while draws(cards):
            here = len(cards) == wrong
            if here and name in _ENDS_THE_DEAL:
                return Dealt(tuple(cards), self._end_deal(name, at_s))
            if here and name == "foreign_card":
                shoe.cards.append(JOKER)
            if here and name == "two_cards_at_once":
                first, second = self._take(at_s), self._take(at_s)
                end_s = shoe.out(first, at_s, beside=0.5)
                shoe.name(second, end_s + 0.05)
                cards += [first, second]
            else:
                card, end_s = self._draw(at_s, name if here else "none", dead)
                cards.append(card)
                if card == JOKER:
                    return Dealt(tuple(cards), end_s)
            if here:
                self._disturb(name, end_s)
            at_s = end_s + rng.uniform(*BETWEEN_S)
        return Dealt(tuple(cards), end_s)

    def _draw(self, at_s: float, how: str = "none", dead: tuple[str, ...] = ()) -> tuple[str, float]:
        """A card is drawn, the cutting card before it if it is there; returns it, and when it is out."""
        shoe = self._shoe
        if shoe.cards[-1] == CUTTING_CARD:
            shoe.at_mouth(at_s - 0.3, at_s)
            at_s = shoe.out(shoe.cards.pop(), at_s, dead=dead) + 0.3
            self._shuffle_due = True
        if how == "card_pushed_back":
            at_s = shoe.pushed_back(at_s) + 0.2
        card = shoe.cards.pop()
        if how == "line_lost":
            return card, shoe.lost_line(card, at_s)
        if how == "line_corrupted":
            return card, shoe.corrupted_line(card, at_s)
        if how == "line_repeated":
            return card, shoe.repeated_line(card, at_s)
        if how == "card_returned":
            out_s = shoe.out(card, at_s)
            at_s = shoe.returned(out_s + 0.4) + 0.4
        return card, shoe.out(card, at_s, line=UNREAD if how == "misread" else None, dead=dead)

    def _take(self, at_s: float) -> str:
        """The next card, for a dealer who draws it together with another; a cutting card is laid aside before."""
        if self._shoe.cards[-1] == CUTTING_CARD:
            self._shoe.at_mouth(at_s - 0.3, at_s - 0.1)
            self._shoe.cards.pop()
            self._shuffle_due = True
        return self._shoe.cards.pop()

    def _disturb(self, name: str, end_s: float) -> None:
        """What goes wrong beside the cards, once one of them is out."""
        if name == "shoe_restarted":
            self._shoe.restarted(end_s + 0.1)
        elif name == "cable_pulled":
            self._shoe.unplugged(end_s + 0.1, end_s + UNPLUGGED_S)
        elif name == "silent_link":
            self._shoe.silent_link(end_s + 0.1, end_s + SILENT_S)

    def _end_deal(self, name: str, at_s: float) -> float:
        """The shoe gives no card any more; returns when it would again."""
        shoe, geometry = self._shoe, self.geometry
        end_s = at_s + 4.0
        if name == "jam":
            end_s += geometry.jam_s
            self._take(at_s)
            shoe.stuck(at_s, end_s)
            shoe.trouble(JAM, at_s + 1.0, end_s + 0.1)
        elif name == "lid_opened":
            shoe.trouble(LID, at_s, end_s)
        else:
            shoe.cards.clear()
            shoe.trouble(EMPTY, at_s, end_s)
        return end_s + 0.1

    # --- the truth -----------------------------------------------------------------------------------------------

    def _truth(self, name: str, dealt: Dealt) -> Truth:
        valid = name not in _INVALID
        reasons = _REASONS.get(name, ())
        if valid and not self.geometry.third_card_table and is_silent(dealt.cards):
            reasons = (*reasons, "no_text")
        detail = f"the cards were {' '.join(dealt.cards) or 'none'}" + (f"; {name}" if name != "none" else "")
        return Truth(valid, dealt.cards if valid else None, 0.0, 0.0, reasons, detail, _NOTICES, _ns(dealt.end_s))


# --- which hand draws, by the words of the text ---------------------------------------------------------------------


def points(*cards: str) -> int:
    """The point count of some cards."""
    worth = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}
    return sum(worth[card[0]] if card[0] in worth else int(card[0]) for card in cards) % 10


def draws(cards: list[str]) -> bool:
    """Whether another card is dealt after these, which are in the order of the deal."""
    if len(cards) < 4:
        return True
    player, bank = points(cards[0], cards[2]), points(cards[1], cards[3])
    if player >= 8 or bank >= 8:
        return False
    if len(cards) == 4:
        return player <= 5 or bank <= 5
    if len(cards) > 5 or player > 5:
        return False
    return bank_draws(bank, points(cards[4]))


def bank_draws(bank: int, third: int) -> bool:
    """Whether a bank of these points draws after the player drew a third card of this value."""
    if bank <= 2:
        return True
    if bank == 3:
        return third != 8
    first = {4: 2, 5: 4, 6: 6}.get(bank)
    return first is not None and first <= third <= 7


def is_silent(cards: tuple[str, ...]) -> bool:
    """Whether the text does not say if the bank draws: a bank of three to six after the player drew."""
    player, bank = points(cards[0], cards[2]), points(cards[1], cards[3])
    return player <= 5 and 3 <= bank <= 6


def _order(verb: str, at_s: float, *given: tuple[str, str]) -> Command:
    return Command(verb, (*given, ("by", DEALER)), _ns(at_s))


def _ns(t_s: float) -> int:
    return int(t_s * NS_PER_S)
