"""A real Chromium, Debian's, for the tests of pages: one process for each module.

Without its windows, where Debian's package of that is installed: it has the engine, and draws no tabs and no menus.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    ViewportSize,
    sync_playwright,
)

from tests.browser.board_page import HANG_MS, BoardPage
from tests.fakes.board_site import BoardSite, board_site

INSTALLED = (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
CHROMIUM = Path(os.environ.get("CHROMIUM") or next((path for path in INSTALLED if path.exists()), INSTALLED[-1]))
OF_A_STOPPED_SERVER = ("net::ERR_", "WebSocket connection")
"""What a browser logs of a server that is stopped on purpose: no error of the page."""
SCREEN: Final[ViewportSize] = {"width": 1280, "height": 720}


@contextmanager
def launch(playwright: Playwright) -> Iterator[Browser]:
    """The browser, which is closed with the block."""
    assert CHROMIUM.exists(), f"the tests of pages need {CHROMIUM}: sudo apt install chromium"
    # Its sandbox does not run as root; a container of CI has no other user. Its shared memory may be small.
    chromium = playwright.chromium.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"], timeout=HANG_MS
    )
    try:
        yield chromium
    finally:
        chromium.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser. It ends with its module: while it lives, its event loop runs, and no other test can run one."""
    with sync_playwright() as playwright, launch(playwright) as chromium:
        yield chromium


@contextmanager
def screen(browser: Browser) -> Iterator[BrowserContext]:
    """A context of its own, of the size of a screen."""
    made = browser.new_context(viewport=SCREEN, locale="en-US", timezone_id="UTC")
    made.set_default_timeout(HANG_MS)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def without_errors(page: Page) -> Iterator[Page]:
    """The page, which logs no error and throws nothing until the end of the block."""
    errors: list[str] = []

    def thrown(error: Error) -> None:
        errors.append(str(error))

    def logged(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(words in message.text for words in OF_A_STOPPED_SERVER):
            errors.append(message.text)

    page.on("pageerror", thrown)
    page.on("console", logged)
    yield page
    page.remove_listener("pageerror", thrown)
    page.remove_listener("console", logged)
    assert errors == []


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A context for one test."""
    with screen(browser) as made:
        yield made


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page; the test fails where it logs an error or throws."""
    with without_errors(context.new_page()) as made:
        yield made


@pytest.fixture(scope="module")
def pages_in_turn(browser: Browser) -> Iterator[Page]:
    with screen(browser) as made:
        yield made.new_page()


@pytest.fixture
def page_in_turn(pages_in_turn: Page) -> Iterator[Page]:
    """As `page`, in the process of the tests before it, which is cheaper; not for those that set the page's clock."""
    pages_in_turn.set_viewport_size(SCREEN)
    with without_errors(pages_in_turn) as made:
        yield made
        made.evaluate("() => { location.href = 'about:blank' }")
        made.wait_for_url("about:blank")


@pytest.fixture
def site() -> Iterator[BoardSite]:
    """A board's server without tables yet."""
    with board_site() as made:
        yield made


@pytest.fixture
def shown(site: BoardSite, page_in_turn: Page) -> BoardPage:
    """The page of that site; a module whose tests set the page's clock has its own.

    It leaves the site before that is closed: a server waits for a second for whoever is connected.
    """
    return BoardPage(page_in_turn, site)
