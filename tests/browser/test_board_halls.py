"""A hall: as many tables as can be read on the screen, the others in turn; a phone scrolls."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from feed import events
from tests.browser.board_page import BoardPage
from tests.browser.layout import HD, PHONE, PORTRAIT, UHD, axe_problems, reads, resize
from tests.browser.scenes import play_hall
from tests.fakes.board_site import BoardSite, PlayedTable, roulette
from tests.shares import first_of, one_in

COUNTS: Final = (2, 6, 12, 20, 33)
SIZES: Final = (PHONE, HD, PORTRAIT, UHD)
LANGUAGES: Final = ("en", "es", "de")
PAGES: Final = {HD: 9, UHD: 9, PORTRAIT: 10}
"""The most tables of a page at a size of the screen."""


@pytest.fixture
def shown(shown: BoardPage) -> BoardPage:
    shown.page.emulate_media(reduced_motion="reduce")
    return shown


def keys(page: Page) -> list[str]:
    found: list[str] = page.locator(".tile").evaluate_all("all => all.map(one => one.dataset.key)")
    return found


def read_all(shown: BoardPage, size: tuple[int, int], count: int) -> None:
    """Every page of the hall can be read, and every table is on one of them."""
    shown.expect_tables(count)
    resize(shown.page, size)
    seen = []
    for page in range(shown.pages()):
        seen += keys(shown.page)
        assert reads(shown.page, size) == []
        assert axe_problems(shown.page, experimental=True) == [], f"page {page + 1} of {size}"
        if shown.pages() > 1:
            shown.turn()
    assert len(seen) == len({*seen}) == count


@pytest.mark.parametrize(
    ("count", "language", "size"), first_of(1, [(12, "de", HD), *product(COUNTS, LANGUAGES, SIZES)])
)
def test_a_hall_of_any_size_can_be_read_on_every_screen_in_every_language(
    shown: BoardPage, site: BoardSite, count: int, language: str, size: tuple[int, int]
) -> None:
    play_hall(site, count)
    shown.show(lang=language)
    read_all(shown, size, count)


def test_a_hall_has_as_many_pages_as_it_needs_and_a_phone_scrolls(shown: BoardPage, site: BoardSite) -> None:
    play_hall(site, 33)
    shown.show()
    shown.expect_tables(33)
    for size, most in PAGES.items():
        resize(shown.page, size)
        assert shown.pages() == -(-33 // most)
        tiles = len(keys(shown.page))
        assert tiles == -(-33 // shown.pages())
        box = shown.page.locator("main").evaluate("one => [one.scrollHeight, one.clientHeight]")
        assert box[0] <= box[1]
    resize(shown.page, PHONE)
    assert len(keys(shown.page)) == 33
    expect(shown.page.locator(".page-mark")).to_have_count(0)
    last = shown.board().last
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()


def tables_of(site: BoardSite, count: int) -> list[PlayedTable]:
    """So many tables that take bets."""
    tables = [PlayedTable(f"roulette-{number:02}", "roulette") for number in range(1, count + 1)]
    for table in tables:
        site.play(table, [table.open(), *table.played([roulette(17)]), table.bets()])
    return tables


@pytest.mark.parametrize("language", one_in(3, LANGUAGES))
def test_a_name_is_not_cut_by_the_badges_beside_it(shown: BoardPage, site: BoardSite, language: str) -> None:
    labels = [events.TableLabel(language="en", name="Roulette at the North Bar")]
    tables = []
    for number in range(9):
        table = PlayedTable(f"roulette-{number}", "roulette", simulated=True, house_rules=True)
        site.play(table, [table.open(labels=labels), *table.played([roulette(number)])])
        tables.append(table)
    shown.show(lang=language).expect_tables(9)
    assert reads(shown.page, *SIZES) == []
    expect(shown.board(tables[0]).locator(".name")).to_have_text("Roulette at the North Bar")
    shown.show(tables[0], lang=language)
    assert reads(shown.page, *SIZES) == []


def test_arrows_go_from_table_to_table_over_the_pages(shown: BoardPage, site: BoardSite) -> None:
    tables_of(site, 12)
    shown.show()
    shown.expect_tables(12)
    resize(shown.page, HD)
    assert shown.pages() == 2
    focused = "() => document.activeElement.dataset.key"
    pressed = []
    for _ in range(12):
        shown.page.keyboard.press("ArrowRight")
        pressed.append(shown.page.evaluate(focused))
    assert pressed == [f"roulette-{number:02}" for number in range(1, 13)]
    expect(shown.page.locator(".page-mark")).to_have_text("2/2")
    shown.page.keyboard.press("ArrowRight")
    assert shown.page.evaluate(focused) == "roulette-01", "beyond the last one is the first"
    shown.page.keyboard.press("ArrowLeft")
    assert shown.page.evaluate(focused) == "roulette-12"
    shown.page.keyboard.press("Enter")
    expect(shown.board()).to_have_attribute("data-key", "roulette-12")
    expect(shown.board()).to_have_count(1)


def test_what_is_new_on_another_page_is_named_until_that_is_shown(shown: BoardPage, site: BoardSite) -> None:
    tables = tables_of(site, 20)
    shown.show()
    shown.expect_tables(20)
    resize(shown.page, HD)
    elsewhere = shown.page.locator(".elsewhere li")
    expect(elsewhere).to_have_count(0)
    site.play(tables[9], [tables[9].call(), tables[9].outcome(roulette(32))])
    expect(elsewhere).to_have_text(["roulette-10 32 RED 2"])
    # What cannot wait is before a result, and what is on this page is not named.
    site.play(tables[19], tables[19].fault("wheel", "not_level"))
    site.play(tables[0], [tables[0].call(), tables[0].outcome(roulette(5))])
    expect(shown.board(tables[0])).to_have_attribute("data-status", "result")
    expect(elsewhere).to_have_text(["roulette-20 FAULT 3", "roulette-10 32 RED 2"])
    shown.turn()
    expect(shown.board(tables[9]).locator(".giant")).to_have_text("32")
    expect(elsewhere).to_have_text(["roulette-20 FAULT 3"])
    shown.turn()
    expect(shown.board(tables[19])).to_have_attribute("data-status", "fault")
    expect(elsewhere).to_have_count(0)


def test_a_table_on_a_hidden_page_is_followed_and_known_to_be_silent(shown: BoardPage, site: BoardSite) -> None:
    tables = tables_of(site, 12)
    shown.show()
    shown.expect_tables(12)
    resize(shown.page, HD)
    site.silence(tables[11], 3)
    expect(shown.page.locator(".elsewhere .stale")).to_have_text("roulette-12 STALE: NO SIGNAL 2")
    shown.turn()
    expect(shown.board(tables[11])).to_have_attribute("data-status", "stale")
    expect(shown.board(tables[11]).locator(".giant")).to_have_count(0)


def test_a_table_on_a_hidden_page_is_named_and_spoken_with_its_marks(shown: BoardPage, site: BoardSite) -> None:
    tables_of(site, 10)
    marked = PlayedTable("roulette-11", "roulette", simulated=True, house_rules=True)
    site.play(marked, [marked.open(), marked.bets()])
    shown.show().expect_tables(11)
    resize(shown.page, HD)
    site.play(marked, [marked.call(), marked.outcome(roulette(32))])
    expect(shown.page.locator(".elsewhere li")).to_have_text(["roulette-11 SIMULATION · HOUSE RULES · 32 RED 2"])
    expect(shown.page.locator("#spoken")).to_have_text("roulette-11. SIMULATION. HOUSE RULES. RESULT. 32 RED")
    # On a screen that is too narrow for all, the marks are whole.
    for size in (HD, PORTRAIT):
        resize(shown.page, size)
        assert shown.page.locator(".elsewhere .marks").evaluate("one => one.scrollWidth <= one.clientWidth")


# Twelve tables on two pages, in states that a test gives: each step has [key, code, round] of what changes, or a page
# to be turned to. After each step the tables are noted that are named at the foot.
NAMED = """async steps => {
  const { HallPages } = await import("./hall_pages.js");
  const pages = new HallPages(Infinity);
  const states = new Map();
  const room = { phone: false, columns: 3, rows: 2, width: 1280 };
  const noted = [];
  for (const step of steps) {
    if (typeof step === "number") pages.step(step, 0);
    else for (const [key, code, round] of step) states.set(key, [key, code, round]);
    pages.lay([...states.values()], room);
    const named = pages.foot(key => [key, [], ""], null).querySelectorAll("li");
    noted.push([...named].map(one => `${one.dataset.key} ${one.className}`));
  }
  return noted;
}"""
TWELVE: Final = tuple(f"t{number}" for number in range(12))


def named(shown: BoardPage, *steps: int | list[tuple[str, str, int]]) -> list[list[str]]:
    shown.page.goto(shown.site.url)
    found: list[list[str]] = shown.page.evaluate(NAMED, [*steps])
    return found


def all_in(code: str) -> list[tuple[str, str, int]]:
    return [(key, code, 7) for key in TWELVE]


def test_a_signal_that_returns_makes_no_old_result_new(shown: BoardPage) -> None:
    # As the page is loaded, and where the loss of the signal was seen on the table's own page.
    assert named(shown, all_in("stale"), all_in("result"))[1] == []
    seen = named(
        shown,
        all_in("result"),
        1,
        [("t11", "stale", 7)],
        1,
        [("t11", "result", 7)],
        [("t11", "stale", 7)],
        [("t11", "result", 7)],
        [("t11", "place_bets", 8)],
        [("t11", "result", 8)],
    )
    assert seen == [[], [], [], [], [], ["t11 stale"], [], [], ["t11 result"]]


@pytest.mark.parametrize("code", ["fault", "stale"])
def test_what_is_wrong_already_as_the_page_is_loaded_is_named(shown: BoardPage, code: str) -> None:
    # Tables come one after the other: the sixth is on the first page for a moment, and nobody has seen it there.
    arriving = [[(key, code if key in ("t5", "t11") else "result", 7)] for key in TWELVE]
    seen = named(shown, *arriving, 1, 1)
    assert seen[5:8] == [[], [f"t5 {code}"], [f"t5 {code}"]]
    assert seen[11:] == [[f"t11 {code}"], [], []]


# A hall of twenty tables on three pages, at times that a test gives. `steps` are [seconds, what happens then]; the page
# that is shown is noted each second.
TURNED = """async ([steps, until]) => {
  const { HallPages } = await import("./hall_pages.js");
  const pages = new HallPages(10_000);
  const states = new Map(Array.from({ length: 20 }, (_, at) => [`t${at}`, "place_bets"]));
  const room = { phone: false, columns: 3, rows: 3 };
  const lay = () => pages.lay([...states].map(([key, code]) => [key, code, 1]), room);
  const seen = [];
  lay();
  for (let second = 0; second < until; second++) {
    for (const [at, act, key, code] of steps) {
      if (at !== second) continue;
      if (act === "state") states.set(key, code);
      else if (act === "keep") pages.keep(second * 1000);
      else if (act === "hold") pages.hold();
      lay();
    }
    pages.tick(second * 1000);
    lay();
    seen.push(pages.page + 1);
  }
  return seen;
}"""


def turned(shown: BoardPage, until: int, *steps: tuple[object, ...]) -> list[int]:
    shown.page.goto(shown.site.url)
    found: list[int] = shown.page.evaluate(TURNED, [[[*step] for step in steps], until])
    return found


def test_each_page_is_shown_for_ten_seconds_in_its_turn(shown: BoardPage) -> None:
    assert turned(shown, 40) == [1] * 10 + [2] * 10 + [3] * 10 + [1] * 10


def test_a_person_holds_the_page_and_lets_it_go_on(shown: BoardPage) -> None:
    assert turned(shown, 45, (3, "hold"), (40, "hold")) == [1] * 40 + [2] * 5


def test_a_person_with_the_keys_keeps_the_page_for_half_a_minute(shown: BoardPage) -> None:
    assert turned(shown, 60, (5, "keep"), (20, "keep")) == [1] * 50 + [2] * 10


@pytest.mark.parametrize("code", ["fault", "halted", "void", "unresolved", "corrected"])
def test_what_cannot_wait_brings_its_page_forward_and_no_page_loses_its_turn(shown: BoardPage, code: str) -> None:
    seen = turned(shown, 40, (1, "state", "t19", code), (2, "state", "t18", code))
    # The first page is shown for four seconds at least, and both tables are on the third one.
    assert seen == [1] * 4 + [3] * 10 + [2] * 10 + [3] * 10 + [1] * 6


@pytest.mark.parametrize("code", ["result", "stale", "place_bets", "no_more_bets"])
def test_nothing_else_turns_a_page_before_its_time(shown: BoardPage, code: str) -> None:
    assert turned(shown, 25, (1, "state", "t19", code)) == [1] * 10 + [2] * 10 + [3] * 5


def test_a_table_that_fails_again_and_again_leaves_the_other_pages_their_turns(shown: BoardPage) -> None:
    steps = [(second, "state", "t19", ("fault", "place_bets")[second % 2]) for second in range(120)]
    seen = turned(shown, 120, *steps)
    assert {1, 2, 3} == {*seen}
    assert seen.count(1) >= 20
    assert seen.count(2) >= 20
