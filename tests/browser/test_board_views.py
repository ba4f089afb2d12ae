"""Each view of the board, shown once: its words, those of its picture, its place on every screen, and axe's opinion."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.browser.board_page import BoardPage
from tests.browser.layout import FULL_HD, HD, PORTRAIT, UHD, axe_problems, fits
from tests.browser.pictures import OF_ONE_SCENE, RENEW, words_at
from tests.browser.scenes import SCENES, play
from tests.fakes.board_site import BoardSite
from tests.shares import one_in


@pytest.fixture
def shown(shown: BoardPage) -> BoardPage:
    shown.page.emulate_media(reduced_motion="reduce")
    return shown


HEROES = {
    "roulette": ["32", "RED", "EVEN", "19–36"],
    "roulette_spinning": ["7", "0.9 s A LAP", "4 NEEDED"],
    "money_wheel": ["JOKER"],
    "money_wheel_spinning": ["2", "41.5 RPM", "3 NEEDED"],
    "sic_bo": ["9", "SMALL"],
    "craps": ["LAST · ROUND 11", "9"],
    "baccarat": ["PLAYER", "BANKER", "PLAYER WINS", "9", "6", "K"],
    "baccarat_dealing": ["PLAYER", "BANKER", "DEALING", "8", "10", "K"],
    "under_over": ["11", "OVER 7"],
    "chuck_a_luck": ["2", "TURNS"],
    "beat_the_dealer": ["DEALER", "PLAYER", "8", "10", "PLAYER WINS"],
    "pusher": ["PLAY 25", "7", "TOKENS"],
    "pusher_open": ["LAST · PLAY 3", "0", "no award"],
    "stud": ["K", "A", "10", "4", "2"],
    "reel": ["LAST AWARD · PLAY 25", "7", "20", "TOKENS"],
    "reel_five": ["12,345", "CHERRY", "ORANGE"],
    "reel_turning": ["LAST AWARD · PLAY 4", "BELL", "6", "TOKENS"],
}
PANELS = {
    "roulette": [
        "HOT",
        "COLD",
        "LAST 100 RESULTS · EXPECTED 2.6× EACH",
        "RED",
        "BLACK",
        "ZERO",
        "1–18",
        "ODD",
        "LAST SPIN CLOCKWISE ↻",
    ],
    "money_wheel": ["$1", "$20", "FLAG", "JOKER", "LAST 61 RESULTS"],
    "sic_bo": ["SMALL", "BIG", "ANY TRIPLE", "17", "6 to 1", "10 to 1"],
    "craps": ["ON", "POINT IS 8", "SHOOTER 2 · 4 ROLLS", "POINT SET", "NATURAL"],
    "baccarat": ["BEAD PLATE", "41 HANDS", "BIG ROAD", "BANKER 17 · PLAYER 21 · TIE 3"],
    "under_over": ["UNDER 7", "SEVEN", "OVER 7", "1 to 1"],
    "chuck_a_luck": ["3", "18", "LAST 30 RESULTS"],
    "beat_the_dealer": ["DEALER", "PLAYER", "LAST 31 RESULTS"],
    "pusher": ["0", "CREDITS", "LAST AWARDS", "7 tokens", "PLAY 25", "0 PLAYS · 0 TOKENS WON"],
    "pusher_open": ["2", "CREDITS", "none in the last 3 plays"],
    "reel": ["23", "CREDITS", "LAST AWARDS", "20 tokens", "7 · 7 · 7", "PLAY 25", "1,025 PLAYS · 911 TOKENS WON"],
}


def test_the_words_are_of_views_that_are_shown() -> None:
    assert HEROES.keys() | PANELS.keys() <= SCENES.keys()


@pytest.mark.parametrize("name", list(SCENES))
def test_each_view_has_its_words_fits_its_screen_and_axe_finds_nothing(
    shown: BoardPage, site: BoardSite, name: str
) -> None:
    """4K and 1080p are the same picture as 720p, in other pixels: two views show that it is so."""
    table = play(site, SCENES[name])
    shown.show(table)
    hero = shown.board().locator(".hero")
    panel = shown.board().locator(".panel")
    for text in HEROES.get(name, []):
        expect(hero).to_contain_text(text)
    for text in PANELS.get(name, []):
        expect(panel).to_contain_text(text)
    if name in HEROES and "baccarat" not in name:
        outcomes = table.state.history.outcomes[-20:]
        assert shown.last() == [outcome.round for outcome in reversed(outcomes)]
    if name in OF_ONE_SCENE:
        picture = OF_ONE_SCENE[name]
        assert words_at(shown.page, picture.size) == picture.words.read_text(), RENEW
    sizes = [HD, PORTRAIT] if name not in ("roulette", "baccarat") else [FULL_HD, UHD, PORTRAIT, HD]
    assert fits(shown.page, *sizes) == []
    assert axe_problems(shown.page) == []


SIZES: Final = ((360, 640), PORTRAIT, HD, UHD)


@pytest.mark.parametrize(
    ("name", "language"),
    one_in(23, product(SCENES, ("en", "es", "de"))),
)
def test_a_view_fits_a_phone_and_every_screen_in_every_language(
    shown: BoardPage, site: BoardSite, name: str, language: str
) -> None:
    shown.show(play(site, SCENES[name]), lang=language)
    assert fits(shown.page, *SIZES) == []
