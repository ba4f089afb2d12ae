"""Boards behind a slow link: an old result is never shown as new.

The link, the gateway's clock and the page's clock go in steps of the test, which knows when each event became true. A
frame is on its way as long as its octets take; how fast the machine is changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from feed.events import Event
from tests.browser.board_page import BoardPage, pause_clock
from tests.fakes.board_site import BoardSite, PlayedTable, board_site, roulette

CLOCK = "2026-01-31T20:00:00"
STEP_S = 0.2
BEAT_STEPS = 3
LATE_S = 3.0
TABLES = 4
SHOWN = "all => all.map(one => [one.dataset.key, one.dataset.status, Number(one.dataset.sequence)])"
TURNS = 20_000
"""Looks at the page until something that is on its way has come; far more than it takes."""


class Link:
    """The way from the gateway to a page, of this many octets a second."""

    def __init__(self, page: Page, site: BoardSite, octets_s: float) -> None:
        self._page = page
        self._site = site
        self._octets_s = octets_s
        self._frames: deque[str] = deque()
        self._room = 0.0
        self._route: WebSocketRoute
        self.open = True
        """Everything passes at once."""
        self.sent = self.delivered = self.answered = 0
        """Batches that came out of the gateway, that the page was given, and that it acknowledged."""
        page.route_web_socket("**/live", self._handle)

    def _handle(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        self._route = route
        server.on_message(self._take)

        def answer(message: str | bytes) -> None:
            self.answered += '"ack"' in str(message)
            server.send(message)

        route.on_message(answer)

    def _take(self, message: str | bytes) -> None:
        self.sent += '"type":"sync"' in str(message)
        if self.open:
            self._deliver(str(message))
        else:
            self._frames.append(str(message))

    def _deliver(self, frame: str) -> None:
        self.delivered += '"type":"sync"' in frame
        self._route.send(frame)

    def pass_by(self, seconds: float) -> None:
        """Time passes: what has come through is the page's."""
        self._room = self._room + seconds * self._octets_s if self._frames else 0.0
        while self._frames and len(self._frames[0]) <= self._room:
            self._room -= len(self._frames[0])
            self._deliver(self._frames.popleft())

    def settle(self) -> None:
        """Waits until the page has answered what it has, and all that the gateway sent is on the link."""
        self._until(lambda: self.answered == self.delivered)
        self._until(lambda: self.sent == self._site.call(self._batches))

    def _batches(self) -> int:
        (page,) = self._site.gateway._pages
        return page.batches

    def _until(self, reached: Callable[[], bool]) -> None:
        for _ in range(TURNS):
            if reached():
                return
            self._page.evaluate("0")
        raise AssertionError("it does not come to that")


@pytest.mark.parametrize(
    ("octets_s", "seconds", "most_stale"),
    [(1_500, 20, 1.0), (40_000, 8, 0.05), (10_000_000, 8, 0.0)],
    ids=["1.5 kB/s", "a state a second of each table", "clean"],
)
def test_no_result_older_than_three_seconds_is_without_its_mark(
    page: Page, octets_s: float, seconds: int, most_stale: float
) -> None:
    now_s = 0.0
    with board_site(now_ns=lambda: round((5000 + now_s) * 1e9)) as site:
        shown = BoardPage(page, site)
        tables = [PlayedTable(f"roulette-{number}", "roulette") for number in range(1, TABLES + 1)]
        for table in tables:
            site.play(table, [table.open(), *table.played(roulette(number) for number in range(1, 31))])
        link = Link(page, site, octets_s)
        page.clock.install(time=CLOCK)
        shown.show()
        expect(page.locator('.board:not([data-status="stale"])')).to_have_count(TABLES)
        pause_clock(page)
        site.call(lambda: site.gateway._timer.cancel() if site.gateway._timer else None)
        link.settle()
        link.open = False
        became: dict[str, dict[int, float]] = {table.name: {} for table in tables}
        late: list[str] = []
        stale = samples = 0
        for step in range(round(seconds / STEP_S)):
            now_s += STEP_S
            # One event a second at each table, in turn.
            if step % 5 < TABLES:
                table = tables[step % 5]
                event = next_event(table, step // 5)
                became[table.name][table.state.last] = now_s
                site.play(table, event)
            elif step % BEAT_STEPS == 0:
                site.call(lambda: site.gateway.publish([site.gateway.beat()]))
            link.settle()
            link.pass_by(STEP_S)
            link.settle()
            page.clock.run_for(round(STEP_S * 1000))
            for key, status, sequence in shown.board().evaluate_all(SHOWN):
                samples += 1
                newer_s = next((at for last, at in became[key].items() if last > sequence), now_s)
                if status == "stale":
                    stale += 1
                elif now_s - newer_s > LATE_S:
                    late.append(f"{key} at {now_s:.1f} s: {now_s - newer_s:.1f} s old, {status}")
        assert late == []
        assert samples == TABLES * round(seconds / STEP_S)
        assert stale <= most_stale * samples


def next_event(table: PlayedTable, number: int) -> Event:
    """The bets, the spin and the result of one round after another."""
    makes: list[Callable[[], Event]] = [
        table.bets,
        table.start,
        table.call,
        lambda: table.outcome(roulette(number % 36)),
    ]
    return makes[number % len(makes)]()
