"""A board's page, as a test reads it."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Error, Locator, Page, expect

from tests.fakes.board_site import BoardSite, PlayedTable

HANG_MS: Final = 60_000
expect.set_options(timeout=HANG_MS)


class BoardPage:
    """One page of a site."""

    def __init__(self, page: Page, site: BoardSite) -> None:
        self.page = page
        self.site = site

    def show(self, table: PlayedTable | None = None, **parameters: str) -> BoardPage:
        """Opens the board of a table, or all; waits until it is not stale. Pages and views are turned by keys alone,
        unless `turn` says otherwise."""
        given = {**({} if table is None else {"table": table.name}), "turn": "off", **parameters}
        self.page.goto(self.site.url + "?" + "&".join(f"{name}={value}" for name, value in given.items()))
        expect(self.board(table).first).not_to_have_attribute("data-status", "stale")
        return self

    def board(self, table: PlayedTable | None = None) -> Locator:
        """The board of a table, or every one."""
        return self.page.locator(".board" if table is None else f'.board[data-key="{table.name}"]')

    def expect_state(self, words: str, why: str | None = None, table: PlayedTable | None = None) -> None:
        """The banner has these words, and this reason below or beside."""
        expect(self.board(table).locator(".words")).to_have_text(words)
        if why is not None:
            expect(self.board(table).locator(".why")).to_have_text(why)

    def expect_tables(self, count: int) -> None:
        """So many tables are in the hall, on this page or another."""
        expect(self.page.locator(f'main[data-tables="{count}"]')).to_be_attached()

    def turn(self, by: int = 1) -> None:
        """Turns to the next page of a hall, or the next view of the statistics; or to the one before."""
        shown = self.page.locator(".page-mark, .view-mark").inner_text()
        self.page.keyboard.press("PageDown" if by > 0 else "PageUp")
        expect(self.page.locator(".page-mark, .view-mark")).not_to_have_text(shown)

    def pages(self) -> int:
        """How many pages a hall has, or views the statistics."""
        mark = self.page.locator(".page-mark, .view-mark")
        return int(mark.inner_text().split("/")[1]) if mark.count() else 1

    def texts(self, selector: str) -> list[str]:
        """The text of each element, as it is shown."""
        return [" ".join(text.split()) for text in self.page.locator(selector).all_inner_texts()]

    def last(self, table: PlayedTable | None = None) -> list[int]:
        """The rounds of the last outcomes, newest first."""
        rounds = self.board(table).locator(".strip li")
        return [int(one) for one in rounds.evaluate_all("all => all.map(one => one.dataset.round)")]

    def expect_sequence(self, table: PlayedTable) -> None:
        """Every event so far is on the board."""
        expect(self.board(table)).to_have_attribute("data-sequence", str(table.state.last))


AHEAD_S: Final = 0.5
"""The clock continues until then."""


def pause_clock(page: Page) -> None:
    """Pauses the page's clock a moment ahead; again, where a busy computer let that moment pass first."""
    while True:
        try:
            page.clock.pause_at(page.evaluate("Date.now()") / 1000 + AHEAD_S)
        except Error as error:
            if "to the past" not in error.message:
                raise
        else:
            return
