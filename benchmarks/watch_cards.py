"""What the watch over cards finds: trials for the plots of `benchmarks.watch_power`.

Orders are shuffled as people and machines shuffle: a riffle is that of Gilbert, Shannon and Reeds, k of them are one
shuffle by 2^k packets (Bayer and Diaconis 1992). Each order is cut before it is dealt, and goes in as it was dealt.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from controller.games.cards.shuffle_statistics import EVERY, ShuffleWatch
from controller.games.cards.shuffle_statistics import WINDOW as SHUFFLES
from controller.table.bias import FALSE_ALARM
from drivers.cards.card_wire import DECK
from feed import events
from feed.card_record import BIN_CARDS, BINS, CARD_MISREADS, MISREADS_IN_1000, CardRecord, DeckRecord
from feed.data import DealtCard
from feed.events import Evidence
from feed.shuffle_order import ORDERS, OrderWatch

FAIR: Final = 9
"""As many riffles stand for a fair shuffle."""
AT_ONCE: Final = 25
"""Cards of a verdict in a trial: the watch judges no verdict otherwise for having more."""
SHOE_CARDS: Final = 350
"""Cards that are dealt of a shoe of eight decks."""


def riffled(decks: int) -> Callable[[float, Random], bool]:
    """An order of ten in a row has kept too much, after this many riffles; `FAIR` of them are a fair shuffle."""

    def shuffled(cards: list[str], riffles: float, rng: Random) -> list[str]:
        if riffles == FAIR:
            return _fair(cards, rng)
        packets = rng.choices(range(2 ** round(riffles)), k=len(cards))
        after = [""] * len(cards)
        for place, card in zip(sorted(range(len(cards)), key=packets.__getitem__), cards, strict=True):
            after[place] = card
        return after

    return _order(decks, shuffled)


def _fair(cards: list[str], rng: Random) -> list[str]:
    keys = [rng.random() for _ in cards]
    return [cards[at] for at in sorted(range(len(cards)), key=keys.__getitem__)]


def strayed(spread: float, rng: Random) -> bool:
    """The same for cards of one deck that stray from their places, by this share of the deck, either way at most; 2 is
    a fair shuffle."""

    def shuffled(cards: list[str], spread: float, rng: Random) -> list[str]:
        if spread == 2:
            return _fair(cards, rng)
        most = spread * len(cards)
        return [card for _, card in sorted((at + rng.uniform(-most, most), card) for at, card in enumerate(cards))]

    return _order(1, shuffled)(spread, rng)


def _order(decks: int, shuffled: Callable[[list[str], float, Random], list[str]]) -> Callable[[float, Random], bool]:
    def found(size: float, rng: Random) -> bool:
        watch, before = OrderWatch(FALSE_ALARM), rng.sample([*DECK] * decks, 52 * decks)
        for _ in range(ORDERS):
            at, after = rng.randrange(len(before)), shuffled(before, size, rng)
            after = after[at:] + after[:at]
            if watch.shuffled(before, after) is not None:
                return True
            before = after
        return False

    return found


def shelved(share: float, rng: Random) -> bool:
    """This share of 20 orders of one deck come from a shelf shuffler: each card goes to the top or the bottom of one of
    ten shelves (Diaconis, Fulman and Holmes 2013). The others are fair."""
    watch, before = ShuffleWatch(DECK), rng.sample(DECK, len(DECK))
    for _ in range(EVERY):
        after = _shelf_shuffled(before, rng) if rng.random() < share else rng.sample(before, len(before))
        if any(warning == "shuffler_guessable" for warning, _ in watch.shuffled(before, after)):
            return True
        before = after
    return False


def _shelf_shuffled(cards: list[str], rng: Random) -> list[str]:
    shelves: list[deque[str]] = [deque() for _ in range(10)]
    for card in cards:
        shelf = rng.choice(shelves)
        (shelf.append if rng.random() < 0.5 else shelf.appendleft)(card)
    return [card for shelf in shelves for card in shelf]


def sticking(factor: float, rng: Random) -> bool:
    """One card of a deck is in the first quarter of the stack this many times as often as the others; 200 orders."""
    watch, stack, quarter = ShuffleWatch(DECK), [*DECK], len(DECK) // 4
    for _ in range(SHUFFLES):
        rng.shuffle(stack)
        at = stack.index(DECK[0])
        if at >= quarter and rng.random() < (factor - 1) / 3:
            to = rng.randrange(quarter)
            stack[at], stack[to] = stack[to], stack[at]
        if watch.shuffled(None, stack):
            return True
    return False


def misread(cards: int) -> Callable[[float, Random], bool]:
    """A reader that does not read this many of 1,000 cards."""
    read = [DealtCard(card="9s", to="player", left_ns=0)] * AT_ONCE

    def found(in_1000: float, rng: Random) -> bool:
        record = CardRecord(MISREADS_IN_1000, FALSE_ALARM)
        for hits in _hits(lambda at: in_1000 / 1000, cards, rng):
            seen = [*record.see(_verdict(events.Outcome, read[hits:], result={}, winning=[]))]
            for _ in range(hits):
                seen += record.see(_verdict(events.Unresolved, [], reason="card_unread", candidates=[]))
            if any(one.warning == "reader_misreads" for one in seen):
                return True
        return False

    return found


def _verdict(kind: Any, cards: list[DealtCard], **fields: Any) -> Any:
    evidence = Evidence(cards=cards or None)
    return kind(
        table="t", game="baccarat", simulated=True, mono_ns=0, round=1, rule="ours", evidence=evidence, **fields
    )


def _hits(share: Callable[[int], float], cards: int, rng: Random) -> Iterator[int]:
    """Of each so many cards, how many are misread, at a share that depends on the card."""
    hazard, after = 0.0, rng.expovariate(1)
    for at in range(0, cards, AT_ONCE):
        hazard += AT_ONCE * share(at)
        hits = 0
        while hits < AT_ONCE and after <= hazard:
            hits += 1
            after += rng.expovariate(1)
        yield hits


def one_card(decks: int) -> Callable[[float, Random], bool]:
    """One face is misread this many times as often as each other one; all cards of each order had left."""
    gone = Counter([*DECK] * decks)

    def found(factor: float, rng: Random) -> bool:
        record = CardRecord(MISREADS_IN_1000, FALSE_ALARM)
        unread = rng.choices(DECK, [factor, *([1.0] * 51)], k=CARD_MISREADS)
        return any([*record.named(gone, [card])] for card in unread)

    return found


def worn(first_in_1000: float) -> Callable[[float, Random], bool]:
    """Misreads of a deck rise evenly from this many to so many more in 1,000, over the cards of a look."""
    cards = BIN_CARDS * BINS

    def found(more: float, rng: Random) -> bool:
        deck = DeckRecord("", MISREADS_IN_1000 / 1000, FALSE_ALARM)

        def share(at: int) -> float:
            return (first_in_1000 + more * at / cards) / 1000

        return any(deck.drawn(AT_ONCE, hits) for hits in _hits(share, cards, rng))

    return found
