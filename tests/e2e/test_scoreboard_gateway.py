"""The scoreboard's server over real sockets of a feed: what a page receives while the history of one table changes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from feed.endpoints import Endpoints
from scoreboard.gateway import Source
from tests.fakes.board_site import BoardSite, board_site
from tests.fakes.feed_model import ModelJournal, ModelTable
from tests.fakes.feed_server import FeedServer, feed_server, short_folder
from tests.fakes.time_limits import HANG_S

CHANGED, OTHER = "wheel-1", "wheel-2"


class Page:
    """The messages that a page receives of the boards' server."""

    def __init__(self, live: aiohttp.ClientWebSocketResponse) -> None:
        self._live = live
        self.messages: list[dict[str, Any]] = []

    async def until(self, enough: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Receives until a message is what is waited for."""
        while True:
            message: dict[str, Any] = json.loads((await self._live.receive()).data)
            self.messages.append(message)
            if enough(message):
                return message

    async def until_board(self, key: str, last: int) -> dict[str, Any]:
        """Receives until the board of a table has its last event."""
        message = await self.until(
            lambda one: one["type"] == "board" and one["key"] == key and one["board"].get("sequence") == last
        )
        board: dict[str, Any] = message["board"]
        return board

    def boards(self, key: str) -> list[dict[str, Any]]:
        """What was received of a table, in order."""
        return [one["board"] for one in self.messages if one["type"] == "board" and one["key"] == key]


@asynccontextmanager
async def page_of(site: BoardSite) -> AsyncIterator[Page]:
    """A page of the site; it ends with the block."""
    async with (
        asyncio.timeout(HANG_S),
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{site.url}live", origin=site.url.rstrip("/")) as live,
    ):
        await live.send_str("{}")
        yield Page(live)


def play(server: FeedServer, *tables: ModelTable) -> None:
    """One event of each."""
    for table in tables:
        server.do(lambda table=table: server.publisher.publish(*table.open()))  # type: ignore[misc]


def test_only_the_table_whose_history_changed_is_joined_again() -> None:
    async def main(server: FeedServer, site: BoardSite, journal: ModelJournal) -> None:
        tables = {name: ModelTable(journal, name, "e1") for name in (CHANGED, OTHER)}
        for _ in range(4):
            play(server, *tables.values())
        async with page_of(site) as page:
            for name in tables:
                await page.until(lambda one, name=name: one["type"] == "board" and one["key"] == name)  # type: ignore[misc]
            server.do(lambda: journal.lose(CHANGED, 3))
            play(server, tables[OTHER], ModelTable(journal, CHANGED, "e2"))
            board = await page.until_board(CHANGED, journal.last(CHANGED).seq)
            assert board["epoch"] == "e2"
            play(server, tables[OTHER])
            await page.until_board(OTHER, journal.last(OTHER).seq)
        # Its old numbers leave the page before its new ones come.
        assert [one.get("sequence", 0) for one in page.boards(CHANGED)] == [4, 0, 2]
        others = page.boards(OTHER)
        assert {one["epoch"] for one in others} == {"e1"}
        assert [one["sequence"] for one in others] == sorted({one["sequence"] for one in others})

    journal = ModelJournal()
    with short_folder() as folder:
        base = f"ipc://{folder}"
        with (
            feed_server(Endpoints.parse(base), journal) as server,  # type: ignore[arg-type]
            board_site([Source(base)]) as site,
        ):
            asyncio.run(main(server, site, journal))
