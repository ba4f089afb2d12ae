"""The way from a board's server to a page: of few octets a second, late, cut, or to a page that is busy.

The link, the server's clock and the page's clock go in steps of the test, which knows when each event became true. A
frame is on its way as long as its octets and the delay take; how fast the machine is changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle
from random import Random
from typing import Any, Final

from playwright.sync_api import Page, WebSocketRoute, expect

from feed.events import Event, Outcome
from tests.browser.board_page import BoardPage, pause_clock
from tests.browser.scenes import SCENES
from tests.fakes.board_site import BoardSite, PlayedTable, board_site

CLOCK: Final = "2026-01-31T20:00:00"
STEP_S: Final = 0.2
EVENT_STEPS: Final = 5
"""Steps from one event of a table to its next."""
BEAT_STEPS: Final = 3
OPENING_STEPS: Final = 5
"""Steps in which the page hears of the gateway's clock, before anyone looks."""
LATE_S: Final = 3.0
SHOWN: Final = "all => all.map(one => [one.dataset.key, one.dataset.status, Number(one.dataset.sequence)])"
ELSEWHERE: Final = ".elsewhere li[data-sequence]"
"""What a hall names of the tables that are on other pages."""
TURNS: Final = 20_000
"""Looks at the page until something that is on its way has come; far more than it takes."""


@dataclass(frozen=True, slots=True)
class LinkKind:
    """What a link does to what it carries."""

    octets_s: float = 10_000_000
    delay_s: float = 0.0
    """Of each direction."""
    cut_s: float = 0.0
    """The longest time for which it is cut, again and again; 0 for never."""
    is_busy: bool = False
    """Whether the page is behind: it has one turn in each step, and not one for each of its timers."""
    most_stale: float = 1.0
    """The greatest share of samples that may have the mark."""


@dataclass(slots=True)
class Connection:
    """One WebSocket."""

    route: WebSocketRoute
    server: WebSocketRoute
    frames: deque[tuple[float, str]] = field(default_factory=deque)
    """To the page, each with the time from which it may arrive."""
    answers: deque[tuple[float, str | bytes]] = field(default_factory=deque)
    sent: int = 0
    """Batches that came out of the server."""
    delivered: int = 0
    """Batches that the page was given."""
    answered: int = 0
    """Batches that the page acknowledged."""


class Link:
    """The way from a board's server to a page. It is quick until `close` makes it as its kind says."""

    def __init__(self, page: Page, site: BoardSite, kind: LinkKind) -> None:
        self._page = page
        self._site = site
        self._kind = kind
        self._room = 0.0
        self._connection: Connection | None = None
        self.now_s = 0.0
        self.is_quick = True
        """Everything passes at once."""
        self.is_cut = False
        page.route_web_socket("**/live", self._handle)

    def _handle(self, route: WebSocketRoute) -> None:
        if self.is_cut:
            route.close()
            return
        connection = Connection(route, route.connect_to_server())
        self._connection = connection

        def take(message: str | bytes) -> None:
            connection.sent += '"type":"sync"' in str(message)
            connection.frames.append((self.now_s + self._delay_s, str(message)))
            if self.is_quick:
                self._deliver(connection)

        def answer(message: str | bytes) -> None:
            connection.answered += '"ack"' in str(message)
            connection.answers.append((self.now_s + self._delay_s, message))
            self._answer(connection)

        def close(code: int | None, reason: str | None) -> None:
            # The page heard nothing for too long, and connects again.
            if self._connection is connection:
                self._connection = None
            connection.server.close()

        connection.server.on_message(take)
        route.on_message(answer)
        route.on_close(close)

    @property
    def _delay_s(self) -> float:
        return 0.0 if self.is_quick else self._kind.delay_s

    def _answer(self, connection: Connection) -> None:
        while connection.answers and connection.answers[0][0] <= self.now_s:
            connection.server.send(connection.answers.popleft()[1])

    def _deliver(self, connection: Connection) -> None:
        frames = connection.frames
        while frames and frames[0][0] <= self.now_s and (self.is_quick or len(frames[0][1]) <= self._room):
            _, frame = frames.popleft()
            if not self.is_quick:
                self._room -= len(frame)
            connection.delivered += '"type":"sync"' in frame
            connection.route.send(frame)

    def cut(self) -> None:
        """Nothing passes, and what is on its way is lost; a new connection is refused."""
        self.is_cut = True
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.server.close()
            connection.route.close()

    def restore(self) -> None:
        """A new connection is let through."""
        self.is_cut = False

    def pass_by(self, seconds: float) -> None:
        """Time passes: what has come through is the page's, or the server's."""
        self.now_s += seconds
        connection = self._connection
        if connection is None:
            return
        self._answer(connection)
        self._room = self._room + seconds * self._kind.octets_s if connection.frames else 0.0
        self._deliver(connection)

    def settle(self) -> None:
        """Waits until the page has answered what it has, and all that the server sent is on the link."""
        self._until(self._is_settled)

    def _is_settled(self) -> bool:
        connection = self._connection
        batches = self._site.call(lambda: [page.batches for page in self._site.gateway._pages])
        if connection is None:
            return not batches
        return connection.answered == connection.delivered and batches == [connection.sent]

    def _until(self, reached: Callable[[], bool]) -> None:
        for _ in range(TURNS):
            if reached():
                return
            self._page.evaluate("0")
        raise AssertionError("it does not come to that")


@dataclass(slots=True)
class Seen:
    """What a page showed."""

    results: int = 0
    """Outcomes that were published."""
    samples: int = 0
    """Looks at one board."""
    elsewhere: int = 0
    """Those of tables that are on another page of the hall, and named at its foot."""
    stale: list[str] = field(default_factory=list)
    """Those with the mark."""
    late: list[str] = field(default_factory=list)
    """Those without, of what was no longer true for `LATE_S`."""


class PlayedFloor:
    """Tables of several games, of which one event after the other becomes true."""

    def __init__(self, scenes: list[str], results: int) -> None:
        """One table for each scene, whose results are played again and again; `results` of them before anyone
        looks."""
        self.tables: dict[str, PlayedTable] = {}
        self.opening: list[tuple[PlayedTable, list[Event]]] = []
        self._next: dict[str, Callable[[], Event]] = {}
        self.became: dict[str, dict[int, float]] = {}
        """Each table's events by their numbers: when they became true."""
        for number, scene in enumerate(scenes):
            of_scene, _ = SCENES[scene]()
            made = [outcome.result for outcome in of_scene.state.history.outcomes]
            table = PlayedTable(f"table-{number}", of_scene.game)
            self.tables[table.name] = table
            self.became[table.name] = {}
            self.opening.append((table, [table.open(), *table.played((made * results)[:results])]))
            self._next[table.name] = self._round_of(table, cycle(made)).__next__

    @staticmethod
    def _round_of(table: PlayedTable, results: Any) -> Any:
        while True:
            yield table.bets()
            yield table.start()
            yield table.call()
            yield table.outcome(next(results))

    def next(self, name: str, now_s: float) -> Event:
        """The next event of a table becomes true."""
        event = self._next[name]()
        self.became[name][self.tables[name].state.last] = now_s
        return event

    def since(self, name: str, sequence: int, now_s: float) -> float:
        """For how long what a board shows of a table has not been true."""
        return now_s - next((at for last, at in self.became[name].items() if last > sequence), now_s)


def watch(page: Page, kind: LinkKind, scenes: list[str], seconds: float, seed: int = 0) -> Seen:
    """Plays tables of these scenes' games for so many seconds behind a link, and looks at each board in each step."""
    rng = Random(seed)
    seen = Seen()
    floor = PlayedFloor(scenes, results=30)
    link: Link
    now_s = 0.0
    with board_site(now_ns=lambda: round((5000 + now_s) * 1e9)) as site:
        shown = BoardPage(page, site)
        for table, opened in floor.opening:
            site.play(table, opened)
        link = Link(page, site, kind)
        page.clock.install(time=CLOCK)
        shown.show()
        expect(page.locator(f'main[data-tables="{len(scenes)}"]')).to_have_count(1)
        expect(page.locator('.board[data-status="stale"]')).to_have_count(0)
        pause_clock(page)
        site.call(lambda: site.gateway._timer.cancel() if site.gateway._timer else None)
        for _ in range(OPENING_STEPS):
            # How long its first messages took by the machine's clock no longer counts.
            now_s += STEP_S
            site.call(lambda: site.gateway.publish([site.gateway.beat()]))
            link.settle()
            link.pass_by(STEP_S)
            page.clock.run_for(round(STEP_S * 1000))
        link.settle()
        link.is_quick = False
        changes_s = now_s
        for step in range(round(seconds / STEP_S)):
            now_s += STEP_S
            if kind.cut_s and now_s >= changes_s:
                if link.is_cut:
                    link.restore()
                    changes_s = now_s + rng.uniform(1, 2 * kind.cut_s)
                else:
                    link.cut()
                    changes_s = now_s + rng.uniform(STEP_S, kind.cut_s)
            for number, (name, table) in enumerate(floor.tables.items()):
                if (step + number) % EVENT_STEPS == 0:
                    event = floor.next(name, now_s)
                    seen.results += isinstance(event.data, Outcome)
                    site.play(table, event)
            if step % BEAT_STEPS == 0:
                site.call(lambda: site.gateway.publish([site.gateway.beat()]))
            link.settle()
            link.pass_by(STEP_S)
            link.settle()
            if kind.is_busy:
                page.clock.fast_forward(round(STEP_S * 1000))
            else:
                page.clock.run_for(round(STEP_S * 1000))
            elsewhere = page.locator(ELSEWHERE).evaluate_all(SHOWN)
            seen.elsewhere += len(elsewhere)
            for key, status, sequence in [*shown.board().evaluate_all(SHOWN), *elsewhere]:
                seen.samples += 1
                old_s = floor.since(key, sequence, now_s)
                look = f"{key} at {now_s:.1f} s: {old_s:.1f} s old, {status}"
                if status == "stale":
                    seen.stale.append(look)
                elif old_s > LATE_S:
                    seen.late.append(look)
    return seen
