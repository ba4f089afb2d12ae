"""A scoreboard's site without a service: a test plays events to it, and says how long its tables have been silent.

It runs on a thread of its own, so that a test may drive a browser meanwhile.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, get_args

import msgspec

from drivers.wheel.faces import AMERICAN
from feed import events
from feed.events import Data, Event, type_of
from feed.results.fixed_hands import Rank
from feed.state import TableState
from feed.subscriber import Fact, Halted, Item, Joined
from hal.clock import SystemClock
from scoreboard.gateway import Gateway, Source
from scoreboard.hall import Hall, HallService
from scoreboard.web import PageServer

HANG_S = 60
TIME = "2026-01-31T20:00:00.000000Z"
HISTORY = 100
TIME_OF_DAY_MS = (20 * 60 + 15) * 60_000
"""The time of day of a site: a quarter past eight in the evening."""

RED = {1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}
POCKETS = ["0", "00", *map(str, range(1, 37))]
WHEEL_ORDERS: dict[tuple[str, str], tuple[str, ...]] = {("roulette", "pocket"): AMERICAN}
STATISTICS: dict[str, dict[str, list[Any]]] = {
    "roulette": {"pocket": POCKETS, "color": ["red", "black", "green"]},
    "money_wheel": {"face": ["$1", "$2", "$5", "$10", "$20", "flag", "joker"]},
    "sic_bo": {"total": [*range(3, 19)], "dice": [*range(1, 7)]},
    "craps": {"total": [*range(2, 13)], "dice": [*range(1, 7)]},
    "under_over": {"total": [*range(2, 13)]},
    "chuck_a_luck": {"total": [*range(3, 19)]},
    "beat_the_dealer": {"winner": ["dealer", "player"], "total": [*range(2, 13)]},
    "baccarat": {"winner": ["player", "banker", "tie"]},
    "blackjack": {"dealer.total": [*range(17, 27)]},
    "multi_action_blackjack": {"parts.total": [*range(17, 27)]},
    "red_dog": {"kind": ["consecutive", "pair", "three_of_a_kind", "spread"], "spread": [*range(1, 12)]},
    "caribbean_stud": {"dealer.rank": [*get_args(Rank)]},
    "joker_seven": {"hands.red": [*range(8)]},
}


def roulette(pocket: str | int) -> dict[str, Any]:
    """A result of roulette."""
    text = str(pocket)
    color = "green" if text in ("0", "00") else "red" if int(text) in RED else "black"
    return {"pocket": text, "index": POCKETS.index(text), "color": color}


def baccarat(letter: str) -> dict[str, Any]:
    """A result of baccarat, of the letter of its winner."""
    player, banker = {
        "P": (["9s", "Th"], ["2c", "Kd", "4h"]),
        "B": (["3s", "4h"], ["9c", "Kd"]),
        "T": (["6s", "Th"], ["6c", "Kd"]),
    }[letter]
    winner = {"P": "player", "B": "banker", "T": "tie"}[letter]
    totals = {"P": (9, 6), "B": (7, 9), "T": (6, 6)}[letter]
    return {
        "player": {"cards": player, "total": totals[0]},
        "banker": {"cards": banker, "total": totals[1]},
        "winner": winner,
    }


class PlayedTable:
    """Writes the events of one table, and folds them."""

    def __init__(
        self, table: str, game: str, *, simulated: bool = False, epoch: str = "e1", house_rules: bool = False
    ) -> None:
        self.house_rules = house_rules
        self.table = table
        self.game = game
        self.simulated = simulated
        self.epoch = epoch
        self.round = 0
        self.state = TableState(table)
        self._seq = 0
        self._ephemeral = 0

    @property
    def name(self) -> str:
        return ("sim/" if self.simulated else "") + self.table

    def event(self, kind: type[Data], **fields: Any) -> Event:
        """The next event, applied already."""
        if kind.durable:
            self._seq += 1
            serial, sequence = str(self._seq), f"{self._seq:020d}"
        else:
            self._ephemeral += 1
            serial, sequence = f"e{self._ephemeral}", msgspec.UNSET  # type: ignore[assignment]
        if issubclass(kind, events.RoundData):
            fields.setdefault("round", self.round)
        fields |= {"table": self.table, "game": self.game, "simulated": self.simulated, "mono_ns": 0}
        data = kind(house_rules=self.house_rules, **fields)
        event = Event(
            id=f"{self.table}.{self.epoch}.{serial}",
            source=f"/tables/{self.table}",
            type=type_of(kind),
            time=TIME,
            sequence=sequence,
            data=data,
        )
        self.state.apply(event)
        return event

    def open(self, **fields: Any) -> Event:
        """The table opens."""
        keys = [
            events.StatisticsKey(field=field, values=values, wheel_order=[*WHEEL_ORDERS.get((self.game, field), ())])
            for field, values in STATISTICS.get(self.game, {}).items()
        ]
        given: dict[str, Any] = {
            "rules": "njac-13:47-20",
            "software": "feltwire",
            "devices": [],
            "history": HISTORY,
            "statistics": keys,
        }
        return self.event(events.TableOpened, **(given | fields))

    def bets(self, **fields: Any) -> Event:
        """A round opens."""
        self.round += 1
        return self.event(events.RoundOpened, **fields)

    def call(self) -> Event:
        """ "No more bets"."""
        return self.event(events.NoMoreBets, by="dealer", rule="ours")

    def start(self, **fields: Any) -> Event:
        """The spin, roll or deal begins."""
        return self.event(events.RoundStarted, **fields)

    def outcome(self, result: dict[str, Any], *, winning: Iterable[tuple[str, str]] = (), **evidence: Any) -> Event:
        """A result."""
        bets = [events.WinningBet(bet, odds) for bet, odds in winning]
        return self.event(
            events.Outcome, result=result, winning=bets, evidence=events.Evidence(**evidence), rule="ours"
        )

    def void(self, reason: str, call: str = "No spin") -> Event:
        """No result."""
        return self.event(events.Void, call=call, reason=reason, rule="ours", evidence=events.Evidence())

    def unresolved(self, reason: str, candidates: Iterable[dict[str, Any]] = ()) -> Event:
        """The dealer is to call."""
        return self.event(
            events.Unresolved, reason=reason, rule="ours", evidence=events.Evidence(), candidates=[*candidates]
        )

    def correct(
        self, number: int, before: dict[str, Any], after: dict[str, Any] | None, reason: str = "dealer_call"
    ) -> Event:
        """A person corrects a round."""
        to = (
            events.Verdict(verdict="void", reason=reason)
            if after is None
            else events.Verdict(verdict="outcome", result=after)
        )
        return self.event(
            events.RoundCorrected,
            round=number,
            by="ann",
            from_=events.Verdict(verdict="outcome", result=before),
            to=to,
            why="seen",
        )

    def settle(self) -> Event:
        """The bets are settled."""
        return self.event(events.Settled, by="dealer")

    def fault(self, device: str, fault: str, detail: str = "") -> Event:
        """A fault that shuts the table."""
        return self.event(events.DeviceFault, device=device, fault=fault, detail=detail, blocks_play=True)

    def close(self, reason: str = "end of the day") -> Event:
        """The table closes."""
        return self.event(events.TableClosed, reason=reason)

    def played(self, results: Iterable[dict[str, Any]], **evidence: Any) -> list[Event]:
        """Whole rounds."""
        made = []
        for result in results:
            made += [self.bets(), self.call(), self.start(), self.outcome(result, **evidence), self.settle()]
        return made


CLOCK = SystemClock()


class _Silence:
    """In place of a subscriber: for how long each table has been silent."""

    refused = ""

    def __init__(self) -> None:
        self.silent_ns: dict[str, int | None] = {}
        self.states: dict[str, TableState] = {}


class BoardSite:
    """The site, as a test handles it."""

    def __init__(
        self, sources: Sequence[Source] = (), now_ns: Callable[[], int] = CLOCK.now_ns, **options: Any
    ) -> None:
        """With `sources` it follows these services, and a test plays nothing to it. `now_ns` is the gateway's
        clock; its time of day and its calendar are a test's, which may change `day_ms` and `wall_time`; `options` are
        those of its site, as of its last start: `venue`, `embedded_by`."""
        self.day_ms: int | None = TIME_OF_DAY_MS
        self.wall_time: str | None = TIME
        self._sources = sources
        self.options = options
        self._now_ns = now_ns
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="board site")
        self._thread.start()
        self.hall: Hall
        self.gateway: Gateway
        self.url = ""
        self._service: HallService
        self._silence = _Silence()
        self._server: PageServer
        self.port = 0
        self.start("g1")

    def start(self, identity: str) -> None:
        """Starts a gateway, the first time on any port."""

        async def start() -> None:
            self.hall = Hall(identity)
            self.gateway = Gateway(
                self.hall,
                self._sources,
                now_ns=self._now_ns,
                day_ms=lambda: self.day_ms,
                wall_time=lambda: self.wall_time,
                proofs="http://proofs.test/",
            )
            if not self._sources:
                self._service = self.hall.add_service("ipc:///test")
                self._service.connected = True
                self.gateway._subscribers[self._service] = self._silence  # type: ignore[assignment]
            self._server = PageServer(self.gateway.application(**{"host": "127.0.0.1", **self.options}), port=self.port)
            self.url = await self._server.start()
            self.port = int(self.url.rsplit(":", 1)[1].strip("/"))

        self.run(start())

    def stop(self) -> None:
        """Stops the gateway: its port is free."""
        self.run(self._server.stop())

    def run(self, coroutine: Any) -> Any:
        """Runs something on the site's loop."""
        future: Future[Any] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return future.result(HANG_S)

    def call(self, function: Callable[[], Any]) -> Any:
        """Calls something on the site's loop."""

        async def call() -> Any:
            return function()

        return self.run(call())

    def play(self, table: PlayedTable, items: Event | Iterable[Event | Item], *, alive: bool = True) -> None:
        """The events of a table, which are applied already, reach the gateway."""
        given = [items] if isinstance(items, Event) else [*items]
        made: list[Item] = [Fact(item, b"") if isinstance(item, Event) else item for item in given]

        def play() -> None:
            if alive:
                self._silence.silent_ns[table.name] = 0
            self._silence.states[table.name] = table.state
            states = {table.name: table.state}
            for item in made:
                self.gateway.publish(self._service.item(item, states))
            self.gateway.publish([self.gateway.beat()])

        self.call(play)

    def join(self, table: PlayedTable) -> None:
        """A table's snapshot reaches the gateway."""
        joined = Joined(table=table.table, simulated=table.simulated, snapshot=table.state.snapshot())
        self.play(table, [joined])

    def halt(self, table: PlayedTable) -> None:
        """The service reports that its journal failed."""
        self.play(table, [Halted(table=table.table, simulated=table.simulated)])

    def silence(self, table: PlayedTable, silent_s: float | None) -> None:
        """For this long nothing came of a table; None: never anything."""

        def silence() -> None:
            self._silence.silent_ns[table.name] = None if silent_s is None else int(silent_s * 1e9)
            self.gateway.publish([self.gateway.beat()])

        self.call(silence)

    def close(self) -> None:
        """Ends everything."""
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(HANG_S)
        self._loop.close()


@contextmanager
def board_site(
    sources: Sequence[Source] = (), now_ns: Callable[[], int] = CLOCK.now_ns, **options: Any
) -> Iterator[BoardSite]:
    """A site that is closed with the block."""
    site = BoardSite(sources, now_ns, **options)
    try:
        yield site
    finally:
        site.close()
