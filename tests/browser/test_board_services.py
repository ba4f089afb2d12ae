"""A board over real services in processes of their own: killed, frozen, restarted, replaced, their history rewritten;
and its own server and browser broken off. The last twenty on the board are those of the journal, whatever happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from feed.events import decode
from feed.state import TableState
from scoreboard.gateway import Source
from tests.browser.board_page import HANG_MS, BoardPage
from tests.fakes.board_site import BoardSite, board_site
from tests.fakes.feed_process import TABLE, FeedProcess
from tests.fakes.feed_server import short_folder

PAUSE_MS = 4


class Venue:
    """A service, the board's server, and a page."""

    def __init__(self, folder: Path, context: BrowserContext) -> None:
        self.base = f"ipc://{folder}"
        self.file = folder / "journal"
        self._epochs = 0
        self.site = BoardSite([Source(self.base)])
        self._gateways = 1
        self.context = context
        self.page = context.new_page()
        self.service = self._service()

    def _service(self) -> FeedProcess:
        self._epochs += 1
        return FeedProcess(self.base, self.file, f"e{self._epochs}", PAUSE_MS, rounds=True)

    def open(self) -> BoardPage:
        """Opens the page."""
        self.page.goto(self.site.url)
        return BoardPage(self.page, self.site)

    def restart_service(self) -> None:
        """Killed, and started again."""
        self.service.kill()
        self.service = self._service()

    def rewrite_history(self, rng: Random) -> None:
        """Killed; its journal loses its last events, and continues with others."""
        self.service.kill()
        lines = self.file.read_bytes().splitlines(keepends=True)
        self.file.write_bytes(b"".join(lines[: max(1, len(lines) - rng.randint(1, 60))]))
        self.service = self._service()

    def restart_gateway(self) -> None:
        """The board's server is stopped and started again, with another identity: its revisions begin again."""
        self.site.stop()
        self._gateways += 1
        self.site.start(f"g{self._gateways}")

    def cut_pages(self) -> None:
        """Every connection of a page breaks."""

        def cut() -> None:
            for page in self.site.gateway._pages:
                page.sender.close(1012, "cut")

        self.site.call(cut)

    def journal(self) -> TableState:
        """The fold of the journal."""
        state = TableState(TABLE)
        for line in self.file.read_bytes().splitlines():
            state.apply(decode(line))
        return state

    def expect_journal(self, page: Page) -> None:
        """With the table at rest, the board shows what the journal holds."""
        last = self.service.end()
        board = page.locator(".board")
        # A history that was rewritten may have reached the number that the board shows of the one before.
        expect(board).to_have_attribute("data-epoch", f"e{self._epochs}", timeout=HANG_MS)
        expect(board).to_have_attribute("data-sequence", str(last), timeout=HANG_MS)
        expect(board).not_to_have_attribute("data-status", "stale", timeout=HANG_MS)
        state = self.journal()
        shown = board.locator(".strip li").evaluate_all(
            "all => all.map(one => [Number(one.dataset.round), one.innerText.trim().split('\\n')[0].toLowerCase()])"
        )
        held = [[one.round, one.result["face"].lower()] for one in reversed(state.history.outcomes[-20:])]
        assert shown == held
        self.service.go_on()

    def close(self) -> None:
        self.service.kill()
        self.page.close()
        self.site.close()


@pytest.fixture
def venue(context: BrowserContext) -> Iterator[Venue]:
    with short_folder() as folder:
        made = Venue(folder, context)
        try:
            yield made
        finally:
            made.close()


def test_killed_and_started_again(venue: Venue) -> None:
    board = venue.open()
    venue.expect_journal(venue.page)
    venue.service.kill()
    board.expect_state("STALE: NO SIGNAL")
    venue.service = venue._service()
    venue.expect_journal(venue.page)


def test_frozen_and_thawed(venue: Venue) -> None:
    board = venue.open()
    venue.expect_journal(venue.page)
    venue.service.freeze()
    board.expect_state("STALE: NO SIGNAL")
    expect(board.board().locator(".giant")).to_have_count(0)
    venue.service.thaw()
    venue.expect_journal(venue.page)


def test_a_frozen_service_is_replaced_by_another_one(venue: Venue) -> None:
    board = venue.open()
    venue.expect_journal(venue.page)
    venue.service.freeze()
    board.expect_state("STALE: NO SIGNAL")
    venue.restart_service()
    venue.expect_journal(venue.page)


def test_a_history_that_is_rewritten_under_an_open_board(venue: Venue) -> None:
    venue.open()
    venue.expect_journal(venue.page)
    venue.rewrite_history(Random(1))
    venue.expect_journal(venue.page)


def test_two_services_on_one_board(browser: Browser) -> None:
    with ExitStack() as stack:
        folders = [stack.enter_context(short_folder()) for _ in range(2)]
        site = stack.enter_context(board_site([Source(f"ipc://{folder}") for folder in folders]))
        services = [
            FeedProcess(f"ipc://{folder}", folder / "journal", "e1", PAUSE_MS, rounds=True) for folder in folders
        ]
        for service in services:
            stack.callback(service.kill)
        context = browser.new_context()
        stack.callback(context.close)
        page = context.new_page()
        page.goto(site.url)
        for number, service in enumerate(services, start=1):
            last, board = str(service.end()), page.locator(f'.board[data-key="{TABLE}@{number}"]')
            expect(board).to_have_attribute("data-sequence", last, timeout=HANG_MS)
            expect(board.locator(".service")).to_have_text(f"ipc://{folders[number - 1]}")
        # Which of the two is wanted nobody can know from the id alone.
        page.goto(f"{site.url}?table={TABLE}")
        expect(page.locator("h1.ambiguous")).to_have_text(f"2 tables are named “{TABLE}”: choose one", timeout=HANG_MS)
        page.locator(f'.board[data-key="{TABLE}@2"]').click()
        expect(page.locator("section.board")).to_have_attribute("data-key", f"{TABLE}@2", timeout=HANG_MS)
        probe = f"{site.url}readyz?table={TABLE}"
        assert page.request.get(probe).json()["problems"] == [
            f'2 tables are named "{TABLE}": ask for one of {TABLE}@1, {TABLE}@2'
        ]
        assert page.request.get(f"{probe}@2").status in (200, 503)


@pytest.mark.parametrize(
    ("seed", "breaks"),
    [
        pytest.param(1, 20, id="20-breaks"),
        *(pytest.param(seed, 100, id=f"soak-{seed}", marks=pytest.mark.soak) for seed in range(2, 6)),
    ],
)
def test_after_random_breaks_the_last_twenty_are_those_of_the_journal(venue: Venue, seed: int, breaks: int) -> None:
    rng = Random(seed)
    venue.open()
    for _ in range(breaks):
        match rng.randrange(6):
            case 0:
                venue.restart_service()
            case 1:
                venue.rewrite_history(rng)
            case 2:
                venue.restart_gateway()
            case 3:
                venue.cut_pages()
            case 4:
                venue.page.reload()
            case _:
                venue.service.freeze()
                venue.service.thaw()
        if rng.random() < 0.5:
            # Two breaks without a rest between them.
            continue
        venue.expect_journal(venue.page)
    venue.expect_journal(venue.page)
