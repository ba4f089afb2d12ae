"""The venue's own around the boards: it has its place, takes turns, and hides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.board_page import BoardPage, pause_clock
from tests.browser.layout import HD, PORTRAIT, axe_problems, fits
from tests.browser.scenes import SCENES, play, roulette_result
from tests.fakes.board_site import BoardSite, board_site
from tests.fakes.venue import WORDS, WORST, venue

PHONE: Final = (360, 640)
SIZES: Final = (HD, PORTRAIT, PHONE)
SPONSORS: Final = 'logo = "wide.png"\n' + "".join(
    f'[[sponsor]]\nimage = "{image}.png"\nname = "{name}"\nseconds = {seconds}\n'
    for image, name, seconds in (("wide", "Valley Bank", 5), ("tall", "Baker", 9), ("wide", "Mill", 4))
)

# What is not in front at one of five of its points, or is on the venue's part of the screen.
HIDDEN = """selectors => {
  const found = [];
  const strip = document.querySelector("body > .strip").getBoundingClientRect();
  const places = [[.5, .5], [.03, .1], [.97, .1], [.03, .9], [.97, .9]];
  for (const one of document.querySelectorAll(selectors)) {
    const box = one.getBoundingClientRect(), style = getComputedStyle(one);
    const isInFront = ([x, y]) => {
      const top = document.elementFromPoint(box.left + x * box.width, box.top + y * box.height);
      // A tile's link is transparent, and over the whole tile.
      const isLink = top?.matches(".tile-link") && top.closest(".board") === one.closest(".board");
      return top && (isLink || one.contains(top) || top.contains(one));
    };
    if (!box.width || !places.every(isInFront)) found.push(`${one.className} is not in front`);
    if (box.bottom > strip.top + .5) found.push(`${one.className} is below the boards`);
    if (style.visibility !== "visible" || Number(style.opacity) !== 1) found.push(`${one.className} is not seen`);
  }
  return found;
}"""
LEAVES_STRIP = """() => {
  const strip = document.querySelector("body > .strip"), edge = strip.getBoundingClientRect();
  const found = [];
  for (const one of strip.querySelectorAll("*")) {
    const box = one.getBoundingClientRect();
    const isOutside = box.left < edge.left - 1 || box.right > edge.right + 1 ||
      box.top < edge.top - 1 || box.bottom > edge.bottom + 1;
    if (box.width && isOutside) found.push(`${one.className || one.alt} is outside`);
  }
  const cells = [...strip.children].map(one => one.getBoundingClientRect());
  cells.forEach((a, at) => cells.slice(at + 1).forEach(b => {
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
      found.push("two parts cover each other");
  }));
  return found;
}"""
CUT = """() => [...document.querySelectorAll(".venue-words > *")]
  .filter(one => one.scrollHeight > one.clientHeight * 1.3).length"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[BoardSite]:
    with board_site(venue=venue(tmp_path, WORDS + SPONSORS)) as made:
        yield made


def shown_sponsors(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('.sponsors img')].filter(one => one.checkVisibility()).map(one => one.alt)"
    )
    return found


def test_the_venue_has_a_strip_of_its_own_in_which_sponsors_take_turns_unless_motion_is_reduced(
    site: BoardSite, page: Page, tmp_path: Path
) -> None:
    page.clock.install()
    board = BoardPage(page, site).show(play(site, SCENES["roulette"]))
    strip = page.locator("aside[aria-label='The venue']")
    expect(strip.locator(".charity")).to_have_text("Friends of the Valley Library")
    expect(strip.locator(".message")).to_contain_text("Raffle at 21:30")
    expect(strip.get_by_role("img", name="Friends of the Valley Library")).to_be_visible()
    pause_clock(page)
    seconds = []
    for _ in range(30):
        seconds += shown_sponsors(page)
        page.clock.run_for(1000)
    turns = [(name, len([*same])) for name, same in groupby(seconds)]
    # The first and the last are not seen whole.
    assert turns[1:-1] == [("Baker", 9), ("Mill", 4), ("Valley Bank", 5)][: len(turns) - 2]
    assert len(turns) >= 5
    # From where nothing may move any more all are shown, and none takes a turn.
    page.emulate_media(reduced_motion="reduce")
    for _ in range(2):
        page.clock.run_for(20_000)
        assert shown_sponsors(page) == ["Valley Bank", "Baker", "Mill"]
    page.clock.resume()
    assert fits(page, *SIZES) == []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(LEAVES_STRIP) == []
        assert page.evaluate(CUT) == 0
    assert axe_problems(page) == []
    # Another start of the board's server has another venue; the page is not loaded again.
    page.evaluate("window.isTheSame = true")
    site.stop()
    site.options["venue"] = venue(tmp_path, 'message = "<img src=x onerror=alert(1)> & the end"')
    site.start("g2")
    expect(page.locator(".message")).to_have_text("<img src=x onerror=alert(1)> & the end")
    assert page.locator(".strip img").count() == 0
    assert page.evaluate("window.isTheSame")
    assert board.page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--brass')") == "#e6c377"


def test_the_worst_venue_hides_no_state_and_no_simulation(tmp_path: Path, page: Page) -> None:
    seen = ".status, .status .words, .status .why, .simulation, .hero .giant, .house-rules"
    with board_site(venue=venue(tmp_path, WORST)) as site:
        # Sponsors in turn, and all of them at once.
        shown_as = {"roulette_refused": "on", "fault": "off"}
        tables = {name: play(site, SCENES[name]) for name in shown_as}
        stale = play(site, partial(roulette_result, simulated=True))
        for name, table in tables.items():
            shown = BoardPage(page, site).show(table, motion=shown_as[name])
            expect(page.locator("body > .strip img").first).to_be_visible()
            for size in (HD, PHONE):
                assert fits(page, size) == []
                assert page.evaluate(HIDDEN, seen) == [], (name, size)
                assert page.evaluate(LEAVES_STRIP) == [], (name, size)
        site.silence(stale, None)
        page.goto(f"{site.url}?table={stale.name}")
        shown.expect_state("STALE: NO SIGNAL")
        expect(page.locator("body > .strip")).to_be_visible()
        assert page.evaluate(HIDDEN, seen) == []
        expect(page.locator(".simulation")).to_be_visible()
        page.goto(site.url)
        expect(shown.board()).to_have_count(3)
        expect(page.locator("body > .strip")).to_be_visible()
        page.set_viewport_size({"width": 1920, "height": 1080})
        assert page.evaluate(HIDDEN, ".status .words, .simulation") == []
