"""What the watch costs beside the rounds that it watches: its goal is 2 % of their own cost, so 50 times their rate."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Final

from benchmarks.figures import Section, figure
from benchmarks.measure import Subject, measure
from benchmarks.simulation import SEED
from benchmarks.tables import outcomes, simulated_table, without_watch
from controller.games.assembly import geometry_of, table_for
from controller.games.cards.setup import CARD_WATCH
from controller.table.bias import FALSE_ALARM
from drivers.cards.card_wire import DECK
from feed import events
from feed.events import Data
from feed.shuffle_order import OrderWatch

ROUNDS: Final = 70
"""Of a shoe of eight decks."""
TIMES: Final = 10
"""How often the watch takes them in a run: it is too fast to be timed once."""
LEAST: Final = 50.0
"""The goal: 2 % of a round's own cost."""


def watch_cost(repeats: int) -> Section:
    """Measures rounds of baccarat without the watch, the watch over their events, and an order that is judged."""
    config = simulated_table("baccarat")
    simulator = geometry_of(config).simulator(SEED)
    batches = [simulator.start(), *(simulator.round().batch for _ in range(ROUNDS))]
    unwatched = without_watch(config)
    said: list[Data] = []

    def plays() -> Callable[[], int]:
        table = table_for(unwatched, epoch="sim", simulated=True)
        table.open(0)

        def run() -> int:
            found = [event for batch in batches for event in table.feed(batch)]
            said[:] = [event.data for event in found if not isinstance(event.data, events.RoundProgress)]
            return outcomes(found)

        return run

    expected = plays()()
    own = Subject("round without the watch", ROUNDS, plays, expected)

    def watches() -> Callable[[], int]:
        watch = CARD_WATCH.make(config)
        if watch is None:
            raise TypeError("the rounds of cards have no watch")
        return lambda: sum(len(watch.see(data)) for _ in range(TIMES) for data in said)

    watched = Subject("watch, of a round's own cost", ROUNDS * TIMES, watches, 0)

    def judges() -> Callable[[], int]:
        rng, watch = Random(SEED), OrderWatch(FALSE_ALARM)
        orders = [rng.sample([*DECK] * 8, 52 * 8) for _ in range(TIMES + 1)]
        return lambda: sum(watch.shuffled(before, after) is not None for before, after in pairwise(orders))

    judged = Subject("an order judged, by round of its shoe", ROUNDS * TIMES, judges, 0)
    timings = measure([own, watched, judged], repeats)
    return Section(
        "Watch over cards",
        "rounds/s",
        f"{ROUNDS} rounds of baccarat, an order of eight decks that a shuffler opened; 50 times the rate is 2 %",
        (figure(timings, watched.name, own.name, LEAST), figure(timings, judged.name, own.name)),
    )
