"""A real Chromium, Debian's, for the tests of pages: one process for each module, a new context for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
HANG_MS = 60_000


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


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A context of its own, of the size of a screen."""
    made = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-US")
    made.set_default_timeout(HANG_MS)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page; the test fails where it logs an error or throws."""
    made = context.new_page()
    errors: list[str] = []
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.on(
        "console",
        lambda message: (
            errors.append(message.text)
            # A server that is stopped on purpose is not an error of the page.
            if message.type == "error"
            and "net::ERR_" not in message.text
            and "WebSocket connection" not in message.text
            else None
        ),
    )
    yield made
    assert errors == []
