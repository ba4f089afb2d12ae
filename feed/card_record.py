"""What the events of a table of cards show of its reader, its cards and its shuffler: nothing that is not exposed yet.

    reader   cards that it did not read, among those that a round needed: more than `misreads_in_1000`
    card     the same card again and again, where the shuffler has opened the order in which it was
    deck     cards of one deck are read worse, or jam and are pushed back more often, the longer it is used
    order    what a shuffled order has kept of the one before, where both are known (see `feed.shuffle_order`)

Reader, card and order are judged by `feed.excess`, at every look; a deck after each 1,000 of its cards, by the mean
place of its misreads among the last 10,000: of places at random it is normal, nearly, and of few has a shorter tail.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from math import erfc, log, sqrt
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from .commitments import cuts_of
from .data import (
    CardOpened,
    CardSealed,
    Data,
    DealtCard,
    DeckCounts,
    DeviceFault,
    DeviceWarning,
    Outcome,
    RoundStarted,
    StackLoaded,
    StackOpened,
    Unresolved,
    Void,
)
from .excess import Excess, mean_of_logs
from .shuffle_order import Known, OrderWatch

MISREADS_IN_1000: Final = 2.0
"""Misreads of a reader that nobody is warned of (ours)."""
READER_CARDS: Final = 5000
"""Cards after which a reader begins from nothing again (ours)."""
CARD_MISREADS: Final = 50
"""Misreads after which the cards begin from nothing again (ours)."""
BIN_CARDS: Final = 250
"""Cards of a deck that are counted together (ours)."""
LOOK_BINS: Final = 4
"""Of them from one look at a deck to the next (ours)."""
BINS: Final = 40
"""Of them that a look looks back (ours)."""
MOST_DECKS: Final = 12
"""Decks that a table goes on with after a restart (ours)."""
_RANGE: Final = 1.64
"""Standard deviations of a forecast to each side: nine of ten are within them."""
UNREAD: Final = "card_unread"
DRAWING: Final = frozenset({"shoe_jam", "card_pushed_back"})
"""What goes wrong with the drawing of a card, by its fault or warning."""
ORDER_KEPT: Final = "shuffler_order_kept"
CARDS: Final = 53
"""Different cards: a deck and its jokers."""
Trouble: TypeAlias = Literal["misreads", "drawing"]
TROUBLES: Final[tuple[Trouble, ...]] = ("misreads", "drawing")
"""What wear shows in."""


class CardFinding(NamedTuple):
    """What is to be warned of."""

    warning: str
    detail: str
    device: str = ""
    """Empty for the device of the game, its shoe."""


# --- a deck -----------------------------------------------------------------------------------------------------------


class Bin:
    """Some cards of a deck, one after the other."""

    __slots__ = ("cards", "drawing", "misreads")

    def __init__(self, cards: int = 0, misreads: int = 0, drawing: int = 0) -> None:
        self.cards = cards
        self.misreads = misreads
        self.drawing = drawing


class Rise(NamedTuple):
    """How something becomes more frequent from card to card."""

    p: float
    """How probable so clear a rise is by chance."""
    first: float
    """Of the oldest cards, a share, by the line that fits best."""
    last: float
    """Of the newest ones."""
    slope: float
    """From card to card."""
    doubt: float
    """Standard deviation of the slope."""

    def cards_until(self, share: float) -> tuple[float, float, float | None] | None:
        """After how many more cards it reaches a share: the forecast, and where it is early and late; a rise that may
        be none is never late. None where it is there."""
        if self.last >= share:
            return None
        away = share - self.last
        slowest = self.slope - _RANGE * self.doubt
        fastest = self.slope + _RANGE * self.doubt
        return away / self.slope, away / fastest, away / slowest if slowest > 0 else None


def rise(cards: Sequence[int], hits: Sequence[int]) -> Rise | None:
    """Whether hits come later among cards than chance has them: of each bin its cards, and how many of them hit.

    None where nothing hit, or all of it is one bin.
    """
    total, many = sum(cards), sum(hits)
    places, at = [], 0.0
    for number in cards:
        places.append(at + number / 2 - total / 2)
        at += number
    spread = sum(number * place * place for number, place in zip(cards, places, strict=True))
    if not many or not spread:
        return None
    off = sum(number * place for number, place in zip(hits, places, strict=True))
    slope = off / spread
    mean, half = many / total, total / 2
    doubt = sqrt(sum(number * place * place for number, place in zip(hits, places, strict=True))) / spread
    p = erfc(off / sqrt(many * spread / total) / sqrt(2)) / 2
    return Rise(p, max(0.0, mean - slope * half), mean + slope * half, slope, doubt)


class DeckRecord:
    """The use of one deck, from the first of its cards that is known."""

    def __init__(self, name: str, limit: float, false_alarm: float) -> None:
        """`limit` is the share of misreads that it is replaced at, `false_alarm` the chance that 10,000 cards of a deck
        that does not wear are suspected."""
        self.name = name
        self._limit = limit
        self._reported_below = false_alarm / (2 * BINS / LOOK_BINS)
        self.loads = self.cards = self.misreads = self.drawing = 0
        self._troubled_at = -1
        """How many cards were drawn when one was last troubled."""
        self._bins: deque[Bin] = deque([Bin()], maxlen=BINS)
        self._looked = 0
        self._found: set[str] = set()

    def drawn(self, cards: int, misreads: int) -> Sequence[CardFinding]:
        """Cards were drawn, and some of them not read. Returns what a look finds, where it is time for one."""
        self.cards += cards
        self.misreads += misreads
        last = self._bins[-1]
        last.cards += cards
        last.misreads += misreads
        if last.cards < BIN_CARDS:
            return ()
        self._looked += 1
        found = self._look() if self._looked % LOOK_BINS == 0 else []
        self._bins.append(Bin())
        return found

    def troubled(self) -> None:
        """A card jammed, or was pushed back. What a round has of both counts once for wear: it may be of one card."""
        self.drawing += 1
        if self._troubled_at != self.cards:
            self._troubled_at = self.cards
            self._bins[-1].drawing += 1

    @property
    def counts(self) -> DeckCounts:
        """What its next look has."""
        return DeckCounts(
            name=self.name,
            cards=[one.cards for one in self._bins],
            misreads=[one.misreads for one in self._bins],
            drawing=[one.drawing for one in self._bins],
            looks=self._looked % LOOK_BINS,
        )

    def restore(self, counts: DeckCounts) -> None:
        """Continues with these counts."""
        self._bins.clear()
        self._bins.extend(map(Bin, counts.cards or [0], counts.misreads or [0], counts.drawing or [0]))
        self._looked = counts.looks
        self.cards = sum(one.cards for one in self._bins)

    def rise(self, of: Trouble) -> Rise | None:
        """How its misreads, or troubles of drawing, become more."""
        bins = [one for one in self._bins if one.cards]
        return rise([one.cards for one in bins], [getattr(one, of) for one in bins])

    def worn(self, of: Trouble) -> Rise | None:
        """The same, where it is clear."""
        found = self.rise(of)
        return found if found is not None and found.p < self._reported_below else None

    def words(self, of: Trouble, found: Rise) -> str:
        """It in words, with the forecast."""
        what = "misreads" if of == "misreads" else "jams and cards pushed back"
        until = found.cards_until(self._limit) if of == "misreads" else None
        if of != "misreads" or until is None:
            forecast = "replace it"
        else:
            soon, early, late = until
            latest = "never" if late is None else f"{late:,.0f}"
            forecast = (
                f"{1000 * self._limit:g} in 1,000 are reached after some {soon:,.0f} more cards ({early:,.0f} to "
                f"{latest}): replace it before"
            )
        return (
            f"{self.called}: {what} went from {1000 * found.first:.1f} to {1000 * found.last:.1f} in 1,000 cards over "
            f"its last {sum(one.cards for one in self._bins):,}, p {found.p:.1g}; {forecast}"
        )

    @property
    def called(self) -> str:
        """Its name in a sentence."""
        return f"deck {self.name}" if self.name else "the cards of this shoe"

    def _look(self) -> list[CardFinding]:
        found = []
        for of in TROUBLES:
            worn = self.worn(of)
            if worn is None:
                self._found.discard(of)
            elif of not in self._found:
                self._found.add(of)
                found.append(CardFinding("deck_worn", self.words(of, worn)))
        return found


# --- a stack ----------------------------------------------------------------------------------------------------------


class _Stack:
    """The cards of one load that have left."""

    def __init__(self, batch: int | None, deck: str) -> None:
        self.batch = batch
        self.deck = deck
        self.left: dict[int, str | None] = {}
        """By place: the card, or None where it is sealed."""
        self.unread: list[int] = []
        """Places of cards that nobody read."""
        self.last: int | None = 0
        """The place of the last card before the round that is dealt; None where that is not known."""

    def settle(self) -> None:
        """A round begins: all that left before is known, if it was before."""
        if self.last is not None:
            self.last = max(self.last, max(self.left, default=0))

    def shown(self, cards: Sequence[DealtCard], *, misread: bool) -> None:
        """A round has a verdict, with the cards that are exposed."""
        self.left.update([(one.place, one.card) for one in cards if one.place is not None])
        placed = bool(cards) and cards[-1].place is not None
        if misread:
            self._misread()
        elif not placed:
            self.last = None  # of a round that ended so, events do not name all cards
        elif self.last is None:
            self.last = 0  # from here on it is known again, as the next round begins

    def _misread(self) -> None:
        """A card of this round was not read. It is the one that is missing among the others, or the last one."""
        if self.last is None:
            return
        most = max(self.left, default=0)
        missing = [place for place in range(self.last + 1, most + 1) if place not in self.left] or [
            max(most, self.last) + 1
        ]
        if len(missing) == 1:
            self.unread += missing
            self.last = max(most, *missing)

    def order(self) -> list[str | None]:
        """The order in which its cards came out, as far as it is known."""
        return [self.left.get(place) for place in range(1, max(self.left, default=0) + 1)]

    def unread_in(self, order: Sequence[str]) -> tuple[Counter[str], list[str]]:
        """The cards that left and those that nobody read, by the order in which the shuffler had put them; empty where
        more than one cut is possible."""
        cuts = cuts_of({place: card for place, card in self.left.items() if card is not None}, order)
        if len(cuts) != 1:
            return Counter(), []
        gone = [*self.left, *self.unread]
        named = {place: order[(place - 1 + cuts[0]) % len(order)] for place in gone}
        return Counter(named.values()), [named[place] for place in self.unread]


# --- all of it --------------------------------------------------------------------------------------------------------


class CardRecord:
    """Takes the events of one table's rounds."""

    def __init__(self, misreads_in_1000: float, false_alarm: float) -> None:
        """`misreads_in_1000` is how many misreads are borne; `false_alarm` is the chance that a window in which nothing
        is wrong is suspected, of each kind."""
        self._limit = misreads_in_1000 / 1000
        self._false_alarm = false_alarm
        self.decks: dict[str, DeckRecord] = {}
        """In the order in which they were loaded last."""
        self.orders = OrderWatch(false_alarm)
        self._before: dict[int, Known] = {}
        """By batch: the last order that is known of it."""
        self._gone: dict[int, _Stack] = {}
        """By batch: its last stack that was dealt, where its order was not opened."""
        self._stack: _Stack | None = None
        self._deck = self._deck_of("")
        self._reader_cards = self._reader_misreads = 0
        self._reader_found = False
        self._named: dict[str, Excess] = {}
        self._named_misreads = 0
        self._named_found = False
        self.takes: dict[type[Data], Callable[[Any], Sequence[CardFinding]]] = {
            **dict.fromkeys((Outcome, Void, Unresolved), self.verdict),
            **dict.fromkeys((DeviceFault, DeviceWarning), self._troubled),
            RoundStarted: self.began,
            CardSealed: self._sealed,
            CardOpened: self._exposed,
            StackLoaded: self._loaded,
            StackOpened: self._opened,
        }
        """What takes each event that says anything of cards."""
        self.begin()

    def begin(self) -> None:
        """Counts from here on; decks and orders continue."""
        self.cards = self.misreads = 0
        self.unread: Counter[str] = Counter()
        """Cards that were not read, by what they were, where an order was opened."""

    def counts(self) -> list[DeckCounts]:
        """The decks that were loaded last; the one in the shoe is at the end."""
        used = [deck.counts for deck in self.decks.values() if deck.cards or deck is self._deck]
        return used[-MOST_DECKS:]

    def restore(self, counts: Sequence[DeckCounts]) -> None:
        """Goes on with the decks of before."""
        for one in counts:
            self._deck = self._deck_of(one.name)
            self._deck.restore(one)

    @property
    def odds(self) -> float:
        """The logarithm of a stake on more misreads than are borne, among those that are counted."""
        return self._stake(self.misreads, self.cards).log_odds

    def _stake(self, misreads: int, cards: int) -> Excess:
        stake = Excess()
        stake.take(self._limit, misreads, cards)
        return stake

    def see(self, data: Data) -> Sequence[CardFinding]:
        """Takes an event."""
        take = self.takes.get(type(data))
        return () if take is None else take(data)

    def began(self, data: RoundStarted) -> Sequence[CardFinding]:
        """A round begins."""
        if self._stack is not None:
            self._stack.settle()
        return ()

    def _sealed(self, data: CardSealed) -> Sequence[CardFinding]:
        if self._stack is not None and data.place is not None:
            self._stack.left[data.place] = None
        return ()

    def _exposed(self, data: CardOpened) -> Sequence[CardFinding]:
        if self._stack is not None and data.place is not None:
            self._stack.left[data.place] = data.card
        return ()

    def _troubled(self, data: DeviceFault | DeviceWarning) -> Sequence[CardFinding]:
        code = data.warning if isinstance(data, DeviceWarning) else "" if data.before_restart else data.fault
        if code in DRAWING:
            self._deck.troubled()
        return ()

    # --- reader and deck ---

    def _deck_of(self, name: str) -> DeckRecord:
        deck = self.decks.pop(name, None) or DeckRecord(name, self._limit, self._false_alarm)
        self.decks[name] = deck
        return deck

    def verdict(self, data: Outcome | Void | Unresolved) -> Sequence[CardFinding]:
        """A round has a verdict, with the cards that are exposed."""
        cards = data.evidence.cards or ()
        misreads = 1 if type(data) is Unresolved and data.reason == UNREAD else 0
        stack = self._stack
        if stack is not None and stack.batch is not None:
            stack.shown(cards, misread=bool(misreads))
        if not cards and not misreads:
            return ()
        drawn = len(cards) + misreads
        self.cards += drawn
        self.misreads += misreads
        found = self._deck.drawn(drawn, misreads)
        self._reader_cards += drawn
        if misreads:
            return [*self._read(), *found]
        if self._reader_cards >= READER_CARDS:
            self._reader_cards, self._reader_misreads, self._reader_found = 0, 0, False
        return found

    def _read(self) -> Iterable[CardFinding]:
        """A card was not read: only then the stake grows."""
        self._reader_misreads += 1
        if self._reader_found:
            return
        stake = self._stake(self._reader_misreads, self._reader_cards)
        if self._suspected(stake.log_odds):
            self._reader_found = True
            yield CardFinding(
                "reader_misreads",
                f"the shoe did not read {stake.hits} of its last {stake.trials:,} cards, {stake.expected:.1f} are "
                f"borne ({1000 * self._limit:g} in 1,000): clean its reader, and look at the cards",
            )

    def _suspected(self, log_odds: float) -> bool:
        return log_odds >= log(1 / self._false_alarm)

    # --- shuffles, and cards by name ---

    def _loaded(self, data: StackLoaded) -> Sequence[CardFinding]:
        old, batch = self._stack, data.batch
        if old is not None and old.batch is not None:
            self._gone[old.batch] = old
        if batch is not None and (dealt := self._gone.pop(batch, None)) is not None:
            self._before[batch] = dealt.order()
        self._stack = _Stack(batch, data.deck or ("" if batch is None else f"batch {batch}"))
        self._deck = self._deck_of(self._stack.deck)
        self._deck.loads += 1
        return ()

    def _opened(self, data: StackOpened) -> Sequence[CardFinding]:
        stack = self._stack
        if stack is not None and stack.batch == data.batch:
            stack.batch = None  # what follows from its order is known now
        else:
            stack = self._gone.pop(data.batch, None)
        before = self._before.pop(data.batch, None)
        if not data.agrees:
            return []  # it is not what was sealed or dealt: it proves nothing
        self._before[data.batch] = data.cards
        found = [] if stack is None else [*self.named(*stack.unread_in(data.cards))]
        if before is not None and len(before) <= len(data.cards):
            kept = self.orders.shuffled([*before, *[None] * (len(data.cards) - len(before))], data.cards)
            if kept is not None:
                found.append(CardFinding(ORDER_KEPT, kept.words, data.device))
        return found

    def named(self, gone: Counter[str], unread: Sequence[str]) -> Iterable[CardFinding]:
        """Misreads of cards that are known by now: each may have been any of the cards that left."""
        self.unread.update(unread)
        left = Counter(gone)
        for misread in unread:
            total = left.total()
            for card, copies in left.items():
                self._named.setdefault(card, Excess()).take(copies / total, int(card == misread))
            left[misread] -= 1
            self._named_misreads += 1
        if not unread:
            return
        # Somebody who bets on each card alike loses what he put on the others.
        logs = [one.log_odds for one in self._named.values()]
        logs += [0.0] * (CARDS - len(logs))
        if not self._named_found and self._suspected(mean_of_logs(logs)):
            self._named_found = True
            card, worst = max(self._named.items(), key=lambda one: one[1].log_odds)
            yield CardFinding(
                "card_misread",
                f"{card} was not read {worst.hits} of {worst.trials} times that the shoe did not read a card, "
                f"{worst.expected:.1f} expected: look at it, and replace the deck",
            )
        if self._named_misreads >= CARD_MISREADS:
            self._named, self._named_misreads, self._named_found = {}, 0, False
