"""Who reads a board: people far away, with a keyboard, with a screen reader, without color; and hostile strings."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from feed import events
from tests.browser.board_page import BoardPage
from tests.browser.layout import OVERFLOWS, axe_problems
from tests.browser.scenes import SCENES, play
from tests.fakes.board_site import BoardSite, PlayedTable, roulette
from tests.shares import one_in

SCRIPT = '<script>document.title="owned"</script><img src=x onerror="document.title=1">'
RIGHT_TO_LEFT = "\u202eשולחן\u2066 رولت"
LONG = "x" * 10_000


def test_axe_finds_nothing_on_a_stale_board(shown: BoardPage, site: BoardSite) -> None:
    table = play(site, SCENES["roulette"])
    site.silence(table, None)
    shown.page.goto(f"{site.url}?table={table.name}&lang=es")
    shown.expect_state("SIN SEÑAL: DATOS ANTIGUOS")
    assert axe_problems(shown.page) == []


def test_the_winning_number_is_as_high_as_a_hand_at_ten_metres(shown: BoardPage, site: BoardSite) -> None:
    """97 mm for 9 m (ADA 703.5.5): 263 of 1080 pixels on a screen of 32 inches. Capitals of the font are 0.7 em."""
    table = play(site, SCENES["roulette"])
    shown.page.set_viewport_size({"width": 1920, "height": 1080})
    shown.show(table)
    size = shown.page.evaluate("() => parseFloat(getComputedStyle(document.querySelector('.giant')).fontSize)")
    assert size * 0.7 >= 263


def test_a_hall_is_walked_with_the_keyboard(shown: BoardPage, site: BoardSite) -> None:
    tables = [play(site, SCENES[name]) for name in ("craps", "money_wheel", "roulette", "sic_bo")]
    shown.show(motion="off")
    expect(shown.board()).to_have_count(4)
    focused = "() => document.activeElement.dataset.key"
    for key, expected in (
        ("ArrowRight", "craps-1"),
        ("ArrowRight", "roulette-3"),
        ("ArrowDown", "wheel-1"),
        ("ArrowLeft", "sic-bo-1"),
        ("ArrowUp", "craps-1"),
        ("Tab", "roulette-3"),
    ):
        shown.page.keyboard.press(key)
        assert shown.page.evaluate(focused) == expected
    outline = shown.page.evaluate("() => getComputedStyle(document.activeElement, '::after').outlineStyle")
    assert outline == "solid"
    # An event does not take the focus away.
    site.play(tables[2], tables[2].bets())
    expect(shown.board(tables[2])).to_have_attribute("data-status", "place_bets")
    assert shown.page.evaluate(focused) == "roulette-3"
    shown.page.keyboard.press("Enter")
    expect(shown.board()).to_have_count(1)
    expect(shown.board()).to_have_attribute("data-key", "roulette-3")
    shown.page.keyboard.press("l")
    shown.expect_state("HAGAN SUS APUESTAS")
    assert "motion=off" in shown.page.url
    shown.page.keyboard.press("Escape")
    expect(shown.board()).to_have_count(4)


def test_a_screen_reader_hears_the_state_and_the_reason(shown: BoardPage, site: BoardSite) -> None:
    table = play(site, SCENES["roulette_refused"])
    shown.show(table)
    spoken = shown.page.locator("#spoken")
    expect(spoken).to_have_text("Roulette 2. SIMULATION. NO SPIN. the ball ran the same way as the wheel")
    site.play(table, [table.bets(), table.outcome(roulette(17))])
    expect(spoken).to_have_text("Roulette 2. SIMULATION. RESULT. 17 BLACK")
    names = shown.page.locator("main").aria_snapshot()
    assert "Board of Roulette 2" in names
    assert 'img "17 BLACK"' in names


def test_without_color_every_pocket_has_its_shape_and_its_word(shown: BoardPage, site: BoardSite) -> None:
    table = PlayedTable("roulette-1", "roulette")
    site.play(table, [table.open(), *table.played([roulette(17), roulette(0), roulette(32)])])
    shown.show(table)
    chips = shown.board().locator(".lane-chip")
    rows = chips.evaluate_all("all => all.map(one => getComputedStyle(one).gridRowStart)")
    shapes = chips.evaluate_all("all => all.map(one => getComputedStyle(one).borderRadius)")
    assert rows == ["1", "2", "3"]
    assert len(set(shapes)) == 3
    expect(shown.board().locator(".kinds")).to_contain_text("RED")
    shown.page.emulate_media(forced_colors="active")
    assert chips.first.evaluate("one => getComputedStyle(one).borderTopStyle") == "solid"


@pytest.mark.parametrize("text", one_in(2, [SCRIPT, RIGHT_TO_LEFT, LONG, "a\u0000b\x1b[31m", "𝕽" * 300]))
def test_hostile_strings_are_text_and_break_no_layout(shown: BoardPage, site: BoardSite, text: str) -> None:
    table = PlayedTable("roulette-1", "roulette")
    label = events.TableLabel(language="en", name=text)
    made = [table.open(labels=[label], limits=[events.StakeLimit(minimum=1)], limits_unit=text), table.bets()]
    site.play(table, [*made, table.void(text, call=text)])
    shown.show(table)
    assert shown.page.title() not in ("owned", "1")
    assert shown.page.locator("main script, main img").count() == 0
    expect(shown.board().locator(".name")).to_contain_text(
        "".join(one for one in text if one.isprintable() or one in RIGHT_TO_LEFT)[:20]
    )
    assert shown.page.evaluate(OVERFLOWS) == []
    site.play(table, table.fault(text, text))
    expect(shown.board()).to_have_attribute("data-status", "fault")
    expect(shown.board().locator(".words")).to_be_in_viewport()
    site.play(table, [table.event(events.DeviceCleared, device=text, fault=text, by=text), table.bets()])
    odd = {"pocket": text, "index": 0, "color": "red"}
    site.play(table, table.outcome(odd))
    expect(shown.board()).to_have_attribute("data-status", "result")
    assert shown.page.evaluate(OVERFLOWS) == []
    shown.show(motion="off")
    assert shown.page.evaluate(OVERFLOWS) == []


ODD: list[dict[str, Any]] = [
    {},
    {"pocket": None},
    {"dice": "none"},
    {"dice": [9, -1]},
    {"player": 3},
    {"award": {"a": [1]}},
]
ODD_CARDS: list[dict[str, Any]] = [
    {},
    {"dealer": {"total": "x", "cards": 4, "rank": SCRIPT, "qualifies": []}},
    {"dealer": {"total": 10**30, "cards": [SCRIPT, None, {}] * 9, "rank": "x" * 90}, "void_hands": [LONG]},
    {"parts": [{"total": 19, "cards": None}, None, 3], "community": [1, None], "cards": [[], "9s", {}], "kind": 5},
    {"community": "none", "cards": [LONG, LONG], "kind": SCRIPT, "spread": LONG, "wins": "no"},
    {"hands": [{"cards": ["JK", 3], "red": LONG, "black": None, "jokers": -4}, None, 7], "void_hands": "all"},
]
GAMES = ("roulette", "sic_bo", "craps", "baccarat", "beat_the_dealer", "money_wheel", "a_new_game")
CARD_GAMES = ("blackjack", "red_dog", "caribbean_stud", "let_it_ride", "joker_seven", "multi_action_blackjack")


@pytest.mark.parametrize(
    ("game", "odd"),
    [*one_in(2, ((game, ODD) for game in GAMES)), *one_in(6, ((game, ODD_CARDS) for game in CARD_GAMES))],
)
def test_a_result_that_a_game_does_not_know_breaks_no_page(
    shown: BoardPage, site: BoardSite, game: str, odd: list[dict[str, Any]]
) -> None:
    table = PlayedTable("t-1", game)
    site.play(table, table.open())
    shown.show(table)
    for result in odd:
        site.play(table, [*table.played([result]), table.bets(), table.void("ball_direction")])
        shown.expect_sequence(table)
        shown.expect_state("NO SPIN")
        site.play(table, [table.bets(), table.outcome(result)])
        shown.expect_sequence(table)
        shown.expect_state("RESULT")
