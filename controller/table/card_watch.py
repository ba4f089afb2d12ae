"""The watch over a table of cards: what its rounds show of pace, reader, cards and shuffler, beside their results.

    games_an_hour         too few or too many games in an hour of play, with the cards that left in it
    deal_stalled          no card was exposed for too long while a round was dealt
    reader_misreads, card_misread, deck_worn, shuffler_order_kept        see `feed.card_record`

Each is a warning, all of it is ours, and nothing of it changes a verdict. All but the wear of decks begins again with
the service.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec.structs import replace

from controller.table.bias import FALSE_ALARM
from controller.table.pace_watch import GamePace
from controller.table.round_watch import Watched
from feed.card_record import CardRecord
from feed.data import WatchCounts
from feed.events import Data, NoMoreBets, Outcome, RoundCorrected, RoundOpened, RoundStarted, Settled, Unresolved, Void


class CardWatchLimits(NamedTuple):
    """The thresholds of the watch: `[watch]` of the table's file."""

    least_games_an_hour: int | None
    most_games_an_hour: int | None
    idle_ns: int
    stall_ns: int
    misreads_in_1000: float


class Stalls:
    """The gaps between the cards of a deal; one that is too long is stated once, until a deal has none."""

    def __init__(self, most_ns: int) -> None:
        self._most_ns = most_ns
        self._stalled = False

    def see(self, data: Outcome | Unresolved) -> Watched | None:
        """Takes a verdict, which has the cards of a deal."""
        cards = data.evidence.cards
        if not cards:
            return None
        if cards[-1].left_ns - cards[0].left_ns <= self._most_ns:
            self._stalled = False
            return None
        gaps_ns = [later.left_ns - card.left_ns for card, later in pairwise(cards)]
        longest_ns = max(gaps_ns)
        was, self._stalled = self._stalled, longest_ns > self._most_ns
        if was or not self._stalled:
            return None
        after = f"after {gaps_ns.index(longest_ns) + 1} of {len(cards)} exposed cards"
        borne = f"{self._most_ns / 1e9:g} s are borne"
        return Watched("deal_stalled", f"{after} none came for {longest_ns / 1e9:.0f} s, {borne}")


class CardWatch:
    """Takes the events of one table's rounds, and returns what is to be warned of."""

    def __init__(self, limits: CardWatchLimits) -> None:
        self._pace = GamePace(limits.least_games_an_hour, limits.most_games_an_hour, limits.idle_ns)
        self._stalls = Stalls(limits.stall_ns)
        self._record = CardRecord(limits.misreads_in_1000, FALSE_ALARM)
        self._takes: dict[type[Data], Callable[[Any], Sequence[Watched] | None]] = {
            **dict.fromkeys(self._record.takes, self._recorded),
            RoundOpened: self._pace.steps.opened,
            NoMoreBets: self._pace.steps.begun,
            RoundCorrected: self._pace.steps.corrected,
            Settled: self._pace.steps.settled,
            RoundStarted: self._began,
            Void: self._decided,
            **dict.fromkeys((Outcome, Unresolved), self._dealt),
        }

    def see(self, data: Data) -> Sequence[Watched]:
        """Takes an event."""
        take = self._takes.get(type(data))
        return () if take is None else take(data) or ()

    def counted(self, counts: WatchCounts) -> WatchCounts:
        """These counts, with those of its decks."""
        return replace(counts, decks=self._record.counts())

    def restore(self, counts: WatchCounts) -> bool:
        """Goes on with the decks of before."""
        self._record.restore(counts.decks)
        return True

    def _began(self, data: RoundStarted) -> None:
        self._record.began(data)
        self._pace.steps.begun(data)

    def _recorded(self, data: Data) -> Sequence[Watched]:
        found = self._record.see(data)
        return [Watched(*one) for one in found] if found else ()

    def _decided(self, data: Outcome | Void | Unresolved) -> Sequence[Watched]:
        found, pace = self._record.verdict(data), self._pace.see(data)
        if pace is None and not found:
            return ()
        return [*(Watched(*one) for one in found), *(() if pace is None else (pace,))]

    def _dealt(self, data: Outcome | Unresolved) -> Sequence[Watched]:
        stalled = self._stalls.see(data)
        found = self._decided(data)
        return found if stalled is None else [*found, stalled]
