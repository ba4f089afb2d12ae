"""A simulated table of cards: a dealer who calls, draws cards from a shoe, announces, settles, and shuffles.

    new_shoe ──► burn ──► call ──► cards and announcements, as the game's `Deal` has them ──► settled
                                      └── the cutting card: the cards are shuffled after the round

What is dealt, and what it results in, is decided by the `Deal` of each game from the words of the rules: the truth owes
nothing to the controller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple, Protocol, TypeAlias

from drivers.cards.card_wire import CUTTING_CARD, DECK, JOKER
from hal.clock import NS_PER_S
from hal.values import Batch, Command, Edge, Rare
from simulators.base.faults import SimulatedFault, fault_named
from simulators.base.geometry import CALL, SETTLED, Geometry, at_least, buttons_of
from simulators.base.hand import SimulatedHand
from simulators.base.sensors import press, settle_order
from simulators.base.truth import SimRound, Truth
from simulators.cards.faults import CardFault, shared_faults
from simulators.cards.mishaps import BESIDE, DEAD, DRAWS, ENDS, LAST, LEAVES, STACKED, UNPLUGGED_S
from simulators.cards.shoe import ShoeSimulator, TokenFormat
from simulators.cards.shuffler import FAULTS as SHUFFLER_FAULTS
from simulators.cards.shuffler import ShufflerSimulator

ACCEPTOR: Final = "acceptor_"
DISCARD: Final = "discard_card"
DEALER: Final = "simulated-dealer"
BETWEEN_S: Final = (0.7, 1.5)
"""From one act to the next (ours)."""
AFTER_S: Final = 8.0
"""From the last card to the end of a round, beyond what the table waits: the cards are collected."""
FIRST_CYCLE_S: Final = 2.0
"""The shuffler begins this long after the lines are open: a table on boards looks at them a little later (ours)."""

Given: TypeAlias = tuple[tuple[str, str], ...]


class Order(NamedTuple):
    """The dealer sends an order."""

    verb: str
    given: Given = ()


class Draw(NamedTuple):
    """The dealer draws a card."""


class Announce(NamedTuple):
    """The dealer announces the next stage, with the button of the call where there is one."""


Step: TypeAlias = Order | Draw | Announce
DRAW: Final = Draw()
ANNOUNCE: Final = Announce()


class Deal(Protocol):
    """What the dealer does in one round, and what it results in."""

    @property
    def least(self) -> int:
        """Cards that every round has."""

    @property
    def most(self) -> int:
        """Cards that none exceeds."""

    def before(self) -> Sequence[Order]:
        """What the dealer orders before the call."""

    def next(self, cards: Sequence[str], acts: int) -> Step | None:
        """What comes after these cards, in the order of the deal, and this many other acts; None at the end."""

    def truth(self, cards: Sequence[str]) -> tuple[str, ...]:
        """The result, as its game's `rests` gives it."""

    def reasons(self, cards: Sequence[str]) -> tuple[str, ...]:
        """Reasons for which a correct controller may leave such a round to the dealer."""


Dealing: TypeAlias = Callable[[Random, str], Deal]
"""Begins a round with a fault of its name, or with `none`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardGeometry:
    """A table of cards and its shoe."""

    game: str
    dealing: Dealing
    own_faults: tuple[CardFault, ...] = ()
    """What can go wrong at this game alone."""
    no_more_bets_button: bool = True
    settled_button: bool = False
    decks: int = 8
    deck: tuple[str, ...] = DECK
    """The cards of one deck."""
    fresh_each_round: bool = False
    """Whether every round is dealt from newly shuffled cards."""
    decks_named: tuple[str, ...] = ()
    """The decks that alternate from round to round; none where there is one."""
    burn: int = 0
    """Cards that are burned after each shuffle."""
    burns_after_call: bool = False
    barriers: bool = True
    body: bool = True
    link: str = "shoe"
    tokens: TokenFormat | None = None
    """The format in which a shoe names its cards, where it is not ours."""
    continuous: bool = False
    """Whether the shoe shuffles all the time: it has no link, and the cards go back into it after each round."""
    stack_cards: int = 0
    """An automated shoe deals stacks of this many cards."""
    stack_s: float = 2.0
    """This long after its last card a stack is over for the controller."""
    double: bool = False
    """Whether the shoe has two compartments."""
    determinant: bool = False
    """Whether the first card of a round chooses one of them."""
    idle_links: tuple[str, ...] = ()
    """Links that carry nothing: that of a card reader."""
    read_wait_s: float = 1.0
    """How long the controller waits for the line of a card."""
    jam_s: float = 3.0
    """How long a barrier is covered before the controller reports a jam."""
    settle_after_s: float = 3.0
    shuffler: bool = False
    """Whether a shuffler is at the table."""
    shuffler_link: str = ""
    """Its link, where it has one in place of plain lines."""
    shuffler_counter: bool = True
    shuffler_present: bool = False
    """Whether a sensor reports that it is there."""
    acceptors: int = 0
    """Positions with an acceptor of progressive wagers."""
    discards: bool = False
    """Whether the discard rack counts."""

    def __post_init__(self) -> None:
        at_least("decks", self.decks, 1)

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault, `none` first."""
        return faults_of(self.game, self.own_faults)

    def fault(self, name: str) -> CardFault:
        """The fault of this name.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        known = fault_named(name, self).name
        return next(fault for fault in (*shared_faults(), *self.own_faults) if fault.name == known)

    def simulator(self, seed: int) -> CardTableSimulator:
        """A table that plays it. Equal seeds give equal rounds."""
        return CardTableSimulator(self, seed)

    def hand(self, seed: int) -> SimulatedHand:
        """A hand that draws a card as a calibration asks."""
        from simulators.cards.hand import CardHand

        return CardHand(seed)


Lacking: TypeAlias = Callable[[Geometry], str | None]


def _lacks(what: str, has: Callable[[CardGeometry], bool]) -> Lacking:
    """What a table lacks for a fault, unless it has it."""

    def lacking(geometry: Geometry) -> str | None:
        return None if isinstance(geometry, CardGeometry) and has(geometry) else what

    return lacking


def _names(geometry: CardGeometry, card: str) -> bool:
    """Whether the shoe has a name for a card."""
    return bool(geometry.link) and (geometry.tokens is None or geometry.tokens.token(card) is not None)


def _has_cutting_card(geometry: CardGeometry) -> bool:
    """Whether a cutting card is in the shoe: not where it shuffles or deals by itself."""
    return _names(geometry, CUTTING_CARD) and not geometry.stack_cards


def _counts_lines(geometry: CardGeometry) -> bool:
    return bool(geometry.link) and geometry.tokens is None


def _body_seen(geometry: CardGeometry) -> bool:
    return geometry.body or _counts_lines(geometry)


def _checked(geometry: CardGeometry) -> bool:
    """A line that was changed on the way is not taken for another one, and the card of it is missed."""
    return _counts_lines(geometry) or (
        geometry.tokens is not None and geometry.tokens.checksum != "none" and geometry.barriers
    )


NEEDS: Final = {
    "barriers": _lacks("light barriers", lambda table: table.barriers),
    "barriers_read": _lacks("light barriers and a reader", lambda table: table.barriers and bool(table.link)),
    "reader": _lacks("a shoe that reads its cards", lambda table: bool(table.link)),
    "missed": _lacks(
        "lines that are counted, or barriers beside tokens",
        lambda table: _counts_lines(table) or (bool(table.link) and table.barriers),
    ),
    "lines": _lacks("a shoe that counts in its lines", _counts_lines),
    "checked": _lacks("lines, or tokens with a checksum beside barriers", _checked),
    "body": _lacks("sensors of the shoe's body, or its lines", _body_seen),
    "jams": _lacks("barriers, sensors of the body, or lines", lambda table: table.barriers or _body_seen(table)),
    "cutting_card": _lacks("a cutting card that the shoe names", _has_cutting_card),
    "no_jokers": _lacks(
        "a deck without jokers, and a shoe that names one",
        lambda table: JOKER not in table.deck and _names(table, JOKER),
    ),
    "one_deck": _lacks("a single deck that is read", lambda table: table.decks == 1 and bool(table.link)),
    "stacks": _lacks("an automated shoe", lambda table: table.stack_cards > 0),
    "double": _lacks("a double shoe", lambda table: table.double),
    "determinant": _lacks("a determinant card", lambda table: table.determinant),
    "continuous": _lacks("a continuous shuffling shoe", lambda table: table.continuous),
    "shuffler": _lacks("a shuffler", lambda table: table.shuffler),
    "counting": _lacks("a shuffler that counts", lambda table: table.shuffler and table.shuffler_counter),
    "acceptors": _lacks("acceptors of progressive wagers", lambda table: table.acceptors > 0),
    "call_button": _lacks("a button for the call", lambda table: table.no_more_bets_button),
    "": _lacks("", lambda table: True),
}
"""What a fault needs of the table, by the words that `CardFault.needs` has for it."""


def faults_of(game: str, own: tuple[CardFault, ...] = ()) -> tuple[SimulatedFault, ...]:
    """What can go wrong at a table of cards that plays this game: what all share, then what is its `own`."""
    return tuple(
        SimulatedFault(fault.name, fault.physical, fault.explanation, fault.expected, NEEDS[fault.needs])
        for fault in (*shared_faults(), *own)
    )


_NOTICES: Final = ("device.warning", "device.fault", "procedure.violation")


class Dealt(NamedTuple):
    """The cards of a round in the order of the deal, and when the last act was over."""

    cards: tuple[str, ...]
    end_s: float


class CardTableSimulator:
    """One table in virtual time; see `simulators.base.truth.TableSimulator`."""

    def __init__(self, geometry: CardGeometry, seed: int) -> None:
        self.geometry = geometry
        self._seed = seed
        self._number = 0
        self._hands = 0
        """Hands of players, as the dealer has declared them."""
        self._now_s = 0.0
        self.shoe = ShoeSimulator(
            seed,
            geometry.decks,
            barriers=geometry.barriers,
            body=geometry.body,
            link=geometry.link,
            deck=geometry.deck,
            tokens=geometry.tokens,
            double=geometry.double,
            continuous=geometry.continuous,
            cutting_card=_has_cutting_card(geometry),
        )
        """The shoe that its dealer draws from."""
        self.shoe.load()
        self._shuffler: ShufflerSimulator | None = None
        if geometry.shuffler:
            self._shuffler = ShufflerSimulator(
                geometry.decks * len(geometry.deck),
                link=geometry.shuffler_link,
                counter=geometry.shuffler_counter,
                present=geometry.shuffler_present,
            )
        self._cycle_due = False
        """Whether a batch was taken out of the shuffler, and the other one put in."""
        self._buttons = buttons_of(geometry)
        acceptors = [f"{ACCEPTOR}{position}" for position in range(1, geometry.acceptors + 1)]
        self._sensors = (*acceptors, *((DISCARD,) if geometry.discards else ()))
        self._shuffle_due = False
        self._burn_due = geometry.burn
        self._orders: list[Rare] = []
        self._presses: list[Edge] = []
        self._on_table: list[str] = []
        """Cards that left the shoe and are not collected."""
        self._kept_out: list[str] = []
        """Cards that should have been put back into a shuffling shoe, and were not."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines and links that its batches may name."""
        beside = () if self._shuffler is None else self._shuffler.lines
        geometry = self.geometry
        return (*self._buttons, *self.shoe.lines, *beside, *self._sensors, *geometry.idle_links)

    def start(self) -> Batch:
        """Every line at rest at time 0, and a second of quiet, in which the dealer reports the first shuffled cards."""
        self._now_s = 1.0
        self.shoe.start()
        if self._shuffler is not None:
            self._shuffler.start()
            self._now_s = self._shuffler.cycle(FIRST_CYCLE_S) + 0.5
        edges, rare = self.shoe.take(self._now_s)
        if self._shuffler is not None:
            shown, sent = self._shuffler.take()
            edges += shown
            rare = sorted([*rare, *sent], key=_time)
            edges.sort(key=lambda edge: edge.t_ns)
        if self._burn_due and not self.geometry.fresh_each_round:
            rare = sorted([*rare, _order("new_shoe", self._now_s - 0.3)], key=_time)
            self._loaded(self._now_s - 0.25)
        rest = (*self._buttons, *self._sensors)
        return Batch([*(Edge(line, 0, 0) for line in rest), *edges], rare, _ns(self._now_s))

    def wait(self, seconds: float) -> Batch:
        """Nobody deals; the shoe reports its state."""
        self._now_s += seconds
        edges, rare = self.shoe.take(self._now_s)
        return Batch(edges, rare, _ns(self._now_s))

    def round(self, fault: str | None = None) -> SimRound:
        """The next round, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        wrong = self.geometry.fault(fault or "none")
        name = wrong.name
        self._number += 1
        rng = Random(f"{self._seed}/{self.geometry.game}/{self._number}")
        geometry, from_s = self.geometry, self._now_s
        self._orders, self._presses = [], []
        deal = geometry.dealing(rng, name)
        ready_s = self._prepare(deal, from_s)
        # A round that a person had to call at the end of the last one is settled by then.
        call_s = max(from_s + geometry.settle_after_s, ready_s) + rng.uniform(2.0, 4.0)
        if self._burn_due and not geometry.burns_after_call:
            self._burn(call_s - 1.5)
        dealt = self._dealt(deal, wrong, call_s + rng.uniform(0.8, 2.0), rng)
        end_s = dealt.end_s
        if name == "dead_barrier":
            end_s = self.shoe.wiped(end_s + 1.0)
        if name == "cable_pulled" and geometry.tokens is not None:
            end_s = self.draw(max(end_s, dealt.end_s + UNPLUGGED_S) + 1.0)[1]  # only a card shows that the link works
        if name == "two_cards_at_once" and geometry.continuous:
            end_s += 1.0  # a card is missing in the count: the announcements of the dealer are not taken
            self._orders.append(_order("void", end_s))
        if name == "excess_card":
            end_s = self.draw(end_s + rng.uniform(*BETWEEN_S))[1]
            self._orders.append(_order("excess_card", end_s + 1.5, ("use", "discard")))
        if geometry.no_more_bets_button:
            late = name == "dealt_before_no_more_bets"
            self._presses += press(CALL, dealt.end_s + 0.5 if late else call_s, 0.2)
        self._now_s = max(end_s, self._shuffle(name, ready_s + 0.5)) + geometry.settle_after_s + geometry.read_wait_s
        self._now_s += AFTER_S
        # A shuffling shoe has its cards back before the round settles.
        self._collect(name, end_s + 0.5 if geometry.continuous else self._now_s - 4.0)
        self._wager(name, call_s, self._now_s - 4.0, rng)
        if geometry.settled_button:
            self._presses += press(SETTLED, self._now_s - 2.0, 0.2)
        truth = self._truth(deal, wrong, dealt)
        if not geometry.fresh_each_round and (self._shuffle_due or len(self.shoe.cards) <= deal.most):
            self._load("new_shoe", self._now_s - 0.5)
        shown, sent = self.shoe.take(self._now_s)
        edges, rare = [*self._presses, *shown], [*self._orders, *sent]
        if self._shuffler is not None:
            shown, sent = self._shuffler.take()
            edges += shown
            rare += sent
        settle_order(edges, _ns(from_s), _ns(self._now_s))
        rare.sort(key=_time)
        return SimRound(Batch(edges, rare, _ns(self._now_s)), truth, self._number, fault)

    def _wager(self, name: str, call_s: float, paid_s: float, rng: Random) -> None:
        """Players put progressive wagers into some of their acceptors; with a fault one more comes after the call."""
        positions = range(1, self.geometry.acceptors + 1)
        # Every position draws, so that the round is the same however many hands there are.
        early = [position for position in positions if rng.random() < 0.5 and position <= self._hands]
        late = [position for position in positions if position not in early][:1] or early[:1]
        for position in early:
            if name != "late_wager" or position not in late:
                self._presses += press(f"{ACCEPTOR}{position}", call_s - 1.0, paid_s - call_s + 1.0)
        if name == "late_wager":
            self._presses += press(f"{ACCEPTOR}{late[0]}", call_s + 1.5, paid_s - call_s - 1.5)

    def _collect(self, name: str, at_s: float) -> None:
        """The cards of the round are put into the discard rack, or back into a shuffling shoe."""
        cards, self._on_table = self._on_table, []
        if self.geometry.discards:
            for number in range(len(cards)):
                self._presses += press(DISCARD, at_s + number * 0.06, 0.03)
        if not self.geometry.continuous:
            return
        cards, self._kept_out = [*self._kept_out, *cards], []
        if name == "card_kept_out":
            self._kept_out = [cards.pop()]
        if name == "intake_unplugged":
            self.shoe.intake_unplugged(at_s - 1.0, at_s - 0.5)
        self.shoe.put_back(cards, at_s, counted=len(cards) + (name == "card_added"))
        if name in ("card_added", "intake_unplugged", "two_cards_at_once", "dead_barrier", "cable_pulled"):
            self._load("new_shoe", self._now_s - 0.5)  # the cards were counted

    def _shuffle(self, name: str, at_s: float) -> float:
        """The shuffler shuffles the batch that was put in, again where a cycle fails; returns when it is done."""
        shuffler = self._shuffler
        if shuffler is None:
            return at_s
        if name in SHUFFLER_FAULTS:
            at_s = shuffler.cycle(at_s, name)
        elif not self._cycle_due:
            return at_s
        self._cycle_due = False
        return shuffler.cycle(at_s)

    def _loaded(self, at_s: float) -> None:
        """The shuffled batch was taken out of the shuffler."""
        if self._shuffler is not None:
            self._shuffler.taken(at_s)
            self._cycle_due = True

    def _prepare(self, deal: Deal, from_s: float) -> float:
        """Before the call: the cards of a game that has fresh ones, and what the dealer declares; returns when."""
        at_s, geometry = from_s + 0.3, self.geometry
        if geometry.fresh_each_round:
            named = geometry.decks_named
            deck = (("deck", named[self._number % len(named)]),) if named else ()
            self._load("new_shoe", at_s, *deck)
        for order in deal.before():
            at_s += 0.2
            self._orders.append(_order(order.verb, at_s, *order.given))
            if order.verb == "hands":
                self._hands = int(dict(order.given)["count"])
        return at_s

    def _load(self, verb: str, at_s: float, *given: tuple[str, str]) -> None:
        """Shuffled cards are in the shoe, and the dealer reports them."""
        self._shuffle_due = False
        self.shoe.load()
        self._burn_due = self.geometry.burn
        self._orders.append(_order(verb, at_s, *given))
        self._loaded(at_s + 0.05)

    def _burn(self, at_s: float) -> float:
        while self._burn_due:
            self._burn_due -= 1
            at_s = self.draw(at_s)[1] + 0.3
        return at_s

    # --- the deal ------------------------------------------------------------------------------------------------

    def _dealt(self, deal: Deal, fault: CardFault, at_s: float, rng: Random) -> Dealt:
        """The round is dealt, and something goes wrong with one of the cards that every round has, but the last."""
        geometry, name = self.geometry, fault.name
        if name in STACKED:
            STACKED[name](self.shoe, deal.least, rng)
        at_s = self._burn(at_s)
        wrong, cards, acts, end_s = rng.randrange(deal.least - 1), list[str](), 0, at_s
        if name == "short_stack":
            wrong = rng.randrange(1, geometry.stack_cards)
        dead = DEAD.get(name, ())
        while (step := deal.next(cards, acts)) is not None:
            if not isinstance(step, Draw):
                looked_s = self.geometry.read_wait_s + 0.1 if fault.found_late else 0.0
                end_s = at_s = self._act(step, end_s + max(rng.uniform(*BETWEEN_S), looked_s))
                at_s += rng.uniform(*BETWEEN_S)
                acts += 1
                continue
            here = name if len(cards) == wrong else "none"
            if cards and geometry.determinant and len(cards) == 1:
                at_s = self._open_side(cards[0], name, at_s)
            if here in ENDS:
                return Dealt(tuple(cards), ENDS[here](self, at_s) + 0.1)
            if here in DRAWS:
                drawn, end_s = DRAWS[here](self, at_s)
            else:
                card, end_s = self.draw(at_s, here, dead)
                drawn = [card]
            cards += drawn
            if here in LAST:
                return Dealt(tuple(cards), end_s)
            if here in BESIDE:
                BESIDE[here](self.shoe, end_s)
            at_s = end_s + self._between(len(cards), rng)
        return Dealt(tuple(cards), end_s)

    def _between(self, dealt: int, rng: Random) -> float:
        """From a card to the next; the cards of a stack follow at once, and the controller has time to see its end."""
        stack = self.geometry.stack_cards
        if not stack:
            return rng.uniform(*BETWEEN_S)
        return 0.25 if dealt % stack else self.geometry.stack_s + self.geometry.read_wait_s + 0.5

    def _open_side(self, card: str, name: str, at_s: float) -> float:
        """The determinant card chooses a compartment, which the dealer opens; returns when it is open."""
        side = 1 if card[1:] in ("h", "d") else 2
        self.shoe.open_side(3 - side if name == "wrong_compartment" else side, at_s)
        return at_s + 0.5

    def _act(self, step: Order | Announce, at_s: float) -> float:
        """The dealer announces something, or sends an order; returns when it is done."""
        if isinstance(step, Order):
            self._orders.append(_order(step.verb, at_s, *step.given))
            return at_s
        if self.geometry.no_more_bets_button:
            self._presses += press(CALL, at_s, 0.2)
            return at_s + 0.3
        self._orders.append(_order("announce", at_s))
        return at_s

    def draw(self, at_s: float, how: str = "none", dead: tuple[str, ...] = ()) -> tuple[str, float]:
        """A card is drawn, the cutting card before it if it is there; returns it, and when it is out.

        `how` is the fault with which it leaves, and `dead` are the barriers that do not see it.
        """
        shoe = self.shoe
        if shoe.cards[-1] == CUTTING_CARD:
            shoe.at_mouth(at_s - 0.3, at_s)
            at_s = shoe.out(shoe.cards.pop(), at_s, dead=dead) + 0.3
            self._shuffle_due = True
        card = shoe.cards.pop()
        self._on_table.append(card)
        leaves = LEAVES.get(how)
        return card, shoe.out(card, at_s, dead=dead) if leaves is None else leaves(shoe, card, at_s, dead)

    def take(self, at_s: float) -> str:
        """The next card, for a dealer who draws it together with another; a cutting card is laid aside before."""
        if self.shoe.cards[-1] == CUTTING_CARD:
            self.shoe.at_mouth(at_s - 0.3, at_s - 0.1)
            self.shoe.cards.pop()
            self._shuffle_due = True
        card = self.shoe.cards.pop()
        self._on_table.append(card)
        return card

    # --- the truth -----------------------------------------------------------------------------------------------

    def _truth(self, deal: Deal, fault: CardFault, dealt: Dealt) -> Truth:
        geometry, valid, reasons = self.geometry, fault.has_result, fault.reasons
        if geometry.stack_cards and not geometry.barriers:
            reasons = (*reasons, "shoe_short_deal") if reasons else ()  # whatever is not read is not dealt
        if valid:
            reasons = (*reasons, *deal.reasons(dealt.cards))
        if self.shoe.too_many:
            reasons = (*reasons, "card_count")
        detail = f"the cards were {' '.join(dealt.cards) or 'none'}" + (
            f"; {fault.name}" if fault.name != "none" else ""
        )
        result = deal.truth(dealt.cards) if valid else None
        return Truth(valid, result, 0.0, 0.0, reasons, detail, _NOTICES, _ns(dealt.end_s))


def _order(verb: str, at_s: float, *given: tuple[str, str]) -> Command:
    return Command(verb, (*given, ("by", DEALER)), _ns(at_s))


def _time(value: Rare) -> int:
    return value.t_ns


def _ns(t_s: float) -> int:
    return int(t_s * NS_PER_S)
