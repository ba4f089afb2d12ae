"""A game that the page does not know, in a real browser: by the data that its table publishes, and without any."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page, Route, expect

from controller.games.base.texts import named_texts, texts_of
from feed import events
from feed.game_view import GameView
from tests.browser.board_page import BoardPage
from tests.browser.scenes import SCENES, play
from tests.fakes.board_site import BoardSite, PlayedTable
from tests.plugin import PLUGIN

WORDS = named_texts(texts_of(PLUGIN / "fair_wheel"), "fair_wheel")
VIEW = GameView(
    hero="prize",
    counts="prize",
    colors={"bear": "gold", "ball": "red", "sweet": "green", "none": "black"},
    words=WORDS,
)
PRIZES = [events.StatisticsKey(field="prize", values=["bear", "ball", "sweet", "none"])]


@pytest.fixture
def shown(site: BoardSite, page: Page) -> BoardPage:
    return BoardPage(page, site)


def fair(**posted: Any) -> tuple[PlayedTable, list[events.Event]]:
    """Two rounds of the wheel at a fair: a sweet, then a bear."""
    table = PlayedTable("fair-1", "fair_wheel")
    played = [table.open(statistics=PRIZES, **posted)]
    for prize, space in (("sweet", 2), ("bear", 0)):
        played += [table.bets(), table.outcome({"prize": prize, "space": space})]
        played += [table.settle()] if prize == "sweet" else []
    return table, played


def test_the_view_of_a_game_travels_with_its_table_and_is_shown_in_each_language(
    shown: BoardPage, site: BoardSite
) -> None:
    table, played = fair(view=VIEW)
    site.play(table, played)
    shown.show(table)
    expect(shown.page.locator("span.game")).to_have_text("Fair wheel")
    expect(shown.page.locator(".hero .plate.described-gold .giant")).to_have_text("BEAR")
    expect(shown.page.locator(".strip .described-green")).to_have_text("SWEET")
    assert shown.texts(".share-label") == ["BEAR", "BALL", "SWEET", "NOTHING"]
    shown.show(table, lang="es")
    expect(shown.page.locator(".hero .giant")).to_have_text("OSO")


def test_a_word_that_a_language_lacks_is_english_and_marked(shown: BoardPage, site: BoardSite) -> None:
    lacking = {**VIEW.words, "es": {"game": "Rueda de feria"}}
    table, played = fair(view=msgspec.structs.replace(VIEW, words=lacking))
    site.play(table, played)
    shown.show(table, lang="es")
    expect(shown.page.locator("span.game .untranslated")).to_have_count(0)
    marked = shown.page.locator(".hero .giant .untranslated")
    expect(marked).to_have_text("BEAR")
    expect(marked).to_have_attribute("lang", "en")


def leave_out(shown: BoardPage, file: str, *keys: str) -> None:
    """Takes words out of a file of the page's languages."""

    def lacking(route: Route) -> None:
        words = route.fetch().json()
        route.fulfill(json={key: text for key, text in words.items() if key not in keys})

    shown.page.route(f"**/languages/{file}.json", lacking)


def test_a_word_of_the_page_that_a_language_lacks_is_english_and_marked(shown: BoardPage, site: BoardSite) -> None:
    leave_out(shown, "es", "none", "window.plain", "limits.from", "simulation.long")
    table = PlayedTable("wheel-1", "money_wheel")
    site.play(table, [table.open()])
    shown.show(table, lang="es")
    expect(shown.page.locator(".hero .caption .untranslated")).to_have_text("NO RESULT YET")
    expect(shown.page.locator(".hero .caption .untranslated")).to_have_attribute("lang", "en")
    expect(shown.page.locator("p.window .untranslated")).to_have_text("LAST 0 RESULTS")
    expect(shown.page.locator(".status .untranslated")).to_have_count(0)


def test_a_letter_that_a_language_lacks_is_in_the_drawing_in_english_and_marked(
    shown: BoardPage, site: BoardSite
) -> None:
    leave_out(shown, "games/es", "letter.player", "letter.tie")
    shown.show(play(site, SCENES["baccarat"]), lang="es")
    marks = shown.page.locator(".road.bead text")
    assert set(marks.all_text_contents()) == {"P*", "B", "T*"}
    assert set(shown.page.locator(".road.big text:not(.ties)").all_text_contents()) == {"P*", "B"}
    # An element of HTML in a drawing has no size, and its text neither: nothing of it is seen.
    widths = marks.evaluate_all("all => all.map(one => one.getBBox().width)")
    assert all(0 < width < 1 for width in widths), "every mark is seen, and within its cell"


def test_a_call_that_a_language_lacks_is_english_and_marked(shown: BoardPage, site: BoardSite) -> None:
    leave_out(shown, "es", "call.No spin")
    table = PlayedTable("roulette-1", "roulette")
    site.play(table, [table.open(), table.bets(), table.void("ball_direction")])
    shown.show(table, lang="es").expect_state("NO SPIN", "la bola giró en el mismo sentido que la rueda")
    expect(shown.page.locator(".status .words .untranslated")).to_have_attribute("lang", "en")


def test_a_view_is_text_and_colors_of_the_page_whatever_it_holds(shown: BoardPage, site: BoardSite) -> None:
    words = {"en": {"game": "<b>fair</b>", "bear": "<img src=x onerror=alert(1)>"}}
    table, played = fair(view=GameView(hero="prize", words=words))
    site.play(table, played)
    shown.show(table)
    expect(shown.page.locator("span.game")).to_have_text("<b>fair</b>")
    expect(shown.page.locator(".hero .plate.described-plain .giant")).to_have_text("<img src=x …")
    expect(shown.page.locator(".board img, .board b:text-is('fair')")).to_have_count(0)


def test_a_game_without_a_view_is_shown_as_the_feed_has_it(shown: BoardPage, site: BoardSite) -> None:
    table, played = fair()
    site.play(table, played)
    shown.show(table)
    expect(shown.page.locator(".hero .plate.plain-plate")).to_contain_text("prize bear, space 0")
