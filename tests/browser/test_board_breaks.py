"""Boards whose signal is lost: by a silent table, a stopped gateway, a frozen connection; and how they come back.

The page's clock stands still and is moved by the test, so that no test depends on how long anything takes.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from feed import events
from feed.subscriber import Joined, Position, Rewritten
from tests.browser.board_page import BoardPage, pause_clock
from tests.browser.scenes import SCENES, play
from tests.fakes.board_site import BoardSite, PlayedTable, roulette
from tests.shares import one_in

STALE = "STALE: NO SIGNAL"
CLOCK = "2026-01-31T20:00:00"


@pytest.fixture
def shown(site: BoardSite, page: Page) -> BoardPage:
    return BoardPage(page, site)


@pytest.fixture
def table(site: BoardSite) -> PlayedTable:
    made = PlayedTable("roulette-1", "roulette")
    site.play(made, [made.open(), *made.played(roulette(number) for number in range(1, 26))])
    return made


STEPS = 3000
"""Steps of 20 ms that a page is given: it connects in real time, and draws in its own."""


def stand_still(shown: BoardPage, table: PlayedTable) -> None:
    """The page shows a table that is alive, and its clock stands still from here on."""
    shown.page.clock.install(time=CLOCK)
    shown.show(table)
    pause_clock(shown.page)
    for _ in range(2):
        # A beat follows each event: with the second event on the board the first beat is taken.
        shown.site.play(table, table.event(events.DeviceWarning, device="wheel", warning="wheel_bias", detail=""))
        last = str(table.state.last)
        pass_by_until(shown, lambda last=last: shown.board().get_attribute("data-sequence") == last)  # type: ignore[misc]
    shown.expect_state("RESULT")


def pass_by(shown: BoardPage, milliseconds: int) -> None:
    """So much time passes for the page."""
    shown.page.clock.run_for(milliseconds)


def pass_by_until(shown: BoardPage, reached: Callable[[], bool]) -> None:
    """Time passes for the page, until something is so."""
    for _ in range(STEPS):
        if reached():
            return
        pass_by(shown, 20)
    raise AssertionError("it does not come to that")


@pytest.mark.parametrize(("silent_s", "state"), [(2.6, "RESULT"), (2.8, STALE), (None, STALE)])
def test_a_table_is_stale_within_three_seconds_of_its_last_sign_of_life(
    shown: BoardPage, site: BoardSite, table: PlayedTable, silent_s: float | None, state: str
) -> None:
    shown.show(table)
    shown.expect_state("RESULT")
    site.call(lambda: site.gateway._timer.cancel() if site.gateway._timer else None)
    site.silence(table, silent_s)
    # A later message of another table shows that the beat was taken.
    other = play(site, SCENES["fault"])
    site.silence(other, 0)
    shown.expect_state(state)


def test_a_stale_board_shows_no_number_as_the_result_and_marks_the_history_as_known_last(
    shown: BoardPage, site: BoardSite, table: PlayedTable
) -> None:
    shown.show(table)
    expect(shown.board().locator(".giant")).to_have_text("25")
    site.silence(table, 3)
    shown.expect_state(STALE, "no signal from the table; the numbers below are old")
    expect(shown.board().locator(".giant")).to_have_count(0)
    expect(shown.board().locator(".known")).to_have_text("LAST KNOWN")
    assert shown.last() == [*range(25, 5, -1)]
    site.silence(table, 0)
    shown.expect_state("RESULT")
    expect(shown.board().locator(".giant")).to_have_text("25")


def test_the_page_itself_finds_that_the_gateway_is_gone(shown: BoardPage, site: BoardSite, table: PlayedTable) -> None:
    stand_still(shown, table)
    site.stop()
    pass_by(shown, 2500)
    shown.expect_state("RESULT")
    pass_by(shown, 400)
    shown.expect_state(STALE)
    # It is there again, and has another id.
    table.played([roulette(32)])
    site.start("g2")
    site.join(table)
    pass_by_until(shown, lambda: shown.last()[0] == 26)
    shown.expect_state("RESULT", "32 RED")
    assert shown.last() == [*range(26, 6, -1)]


def test_a_connection_that_is_open_and_silent_is_found_and_replaced(
    shown: BoardPage, site: BoardSite, table: PlayedTable
) -> None:
    """The half-open socket of a network that drops everything."""
    routes: list[WebSocketRoute] = []
    dead: list[WebSocketRoute] = []

    def handle(route: WebSocketRoute) -> None:
        routes.append(route)
        server = route.connect_to_server()
        server.on_message(lambda message: None if route in dead else route.send(message))
        route.on_message(server.send)

    shown.page.route_web_socket("**/live", handle)
    stand_still(shown, table)
    dead += routes
    site.play(table, table.played([roulette(32)]))
    pass_by(shown, 3000)
    shown.expect_state(STALE)
    assert routes == dead
    pass_by_until(shown, lambda: shown.last()[0] == 26)
    assert shown.last() == [*range(26, 6, -1)]


def test_a_page_that_comes_back_gets_only_what_it_does_not_have(
    shown: BoardPage, site: BoardSite, table: PlayedTable
) -> None:
    other = PlayedTable("roulette-2", "roulette")
    site.play(other, [other.open(), other.bets()])
    frames: list[str] = []

    def handle(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            frames.append(str(message))
            route.send(message)

        server.on_message(pass_on)
        route.on_message(server.send)
        routes.append(route)

    routes: list[WebSocketRoute] = []
    shown.page.route_web_socket("**/live", handle)
    shown.show()
    expect(shown.board()).to_have_count(2)
    boards = [frame for frame in frames if '"type":"board"' in frame]
    assert len(boards) == 2
    frames.clear()
    routes[0].close(code=1012)
    site.play(table, table.played([roulette(32)]))
    expect(shown.board(table).locator(".strip li").first).to_have_attribute("data-round", "26")
    boards = [frame for frame in frames if '"type":"board"' in frame]
    assert all('"key":"roulette-1"' in frame for frame in boards)


def test_a_rewritten_history_takes_its_numbers_off_the_board(
    shown: BoardPage, site: BoardSite, table: PlayedTable
) -> None:
    shown.show(table)
    expect(shown.board().locator(".giant")).to_have_text("25")
    last, journal = Position("e1", table.state.last), Position("e2", 10)
    site.play(table, [Rewritten(table=table.table, held=last, journal=journal, why="other events")])
    shown.expect_state("WAITING FOR THE TABLE")
    assert shown.last() == []
    shorter = PlayedTable("roulette-1", "roulette", epoch="e2")
    shorter.open()
    shorter.played(roulette(number) for number in (30, 31))
    site.play(shorter, [Joined(table=shorter.table, snapshot=shorter.state.snapshot())])
    shown.expect_state("RESULT", "31 BLACK")
    assert shown.last() == [2, 1]


def test_progress_of_a_round_that_is_over_moves_nothing(shown: BoardPage, site: BoardSite, table: PlayedTable) -> None:
    shown.show(table)
    late = table.event(events.RoundProgress, round=24, revolutions=9.0)
    site.play(table, [late, table.bets(), table.start(), table.event(events.RoundProgress, revolutions=1.0)])
    expect(shown.board().locator(".motion-count strong")).to_have_text("1")


def test_a_page_that_asks_for_nonsense_is_closed_and_told_why(page: Page, site: BoardSite) -> None:
    page.goto(site.url)
    closed = page.evaluate(
        """() => new Promise(done => {
            const socket = new WebSocket(location.origin.replace("http", "ws") + "/live");
            socket.onopen = () => socket.send("[1");
            socket.onclose = event => done([event.code, event.reason]);
        })"""
    )
    assert closed[0] == 1008
    assert closed[1].startswith("no request:")


@pytest.mark.parametrize("file", one_in(2, ["start.js", "board.css", "languages/en.json", "words.js"]))
def test_a_page_that_did_not_load_whole_loads_again_by_itself_and_a_whole_one_stays(
    shown: BoardPage, site: BoardSite, table: PlayedTable, file: str
) -> None:
    whole = BoardPage(shown.page.context.new_page(), site).show(table)
    loaded: list[str] = []
    whole.page.on("framenavigated", lambda frame: loaded.append(frame.url))
    lost: list[str] = []

    def lose_once(route: Route) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.request.url)
            route.abort()

    shown.page.route(f"**/{file}", lose_once)
    shown.page.goto(site.url)
    shown.expect_state("RESULT")
    assert len(lost) == 1
    # It was opened before, and would have loaded again before.
    assert loaded == []
