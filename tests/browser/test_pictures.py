"""The pictures of the documents show the board as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.layout import HD
from tests.browser.pictures import (
    FOLDER,
    GALLERY,
    GALLERY_PAGE,
    HALL,
    OF_ONE_SCENE,
    PICTURES,
    RENEW,
    RENEW_GALLERY,
    Picture,
    boards_of_gallery,
    gallery_page,
    gallery_words,
    show,
    show_of_gallery,
    site_of,
    words_at,
)
from tests.fakes.board_site import board_site
from tests.shares import one_in

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 150_000
MOST_OF_GALLERY = 4_000_000


OTHERS = [picture for picture in PICTURES if picture not in OF_ONE_SCENE.values()]
"""Those that test_board_views.py does not look at."""


@pytest.mark.parametrize("picture", one_in(2, (pytest.param(picture, id=picture.name) for picture in OTHERS)))
def test_the_board_has_the_words_that_its_picture_shows(page_in_turn: Page, picture: Picture) -> None:
    with site_of(picture) as site:
        show(page_in_turn, site, picture)
        assert words_at(page_in_turn, picture.size) == picture.words.read_text(), RENEW


def test_pictures_are_small_and_each_one_is_in_a_document() -> None:
    readme, *pages = (
        (ROOT / page).read_text()
        for page in (
            "README.md",
            "docs/scoreboard.md",
            "docs/devices/skill-stop-reel.md",
            "docs/devices/token-pusher.md",
        )
    )
    texts = "".join((readme, *pages))
    for picture in PICTURES:
        assert picture.image.read_bytes()[8:12] == b"WEBP"
        assert picture.image.stat().st_size < MOST_BYTES
        assert picture.image.name in texts
    named = set(re.findall(r"pictures/((?:scoreboard|machine)-[a-z-]+\.webp)", texts))
    assert named == {picture.image.name for picture in PICTURES}
    assert readme.split("\n\n")[1].startswith("![")
    there = (*FOLDER.glob("scoreboard-*.webp"), *FOLDER.glob("machine-*.webp"))
    assert {path.stem for path in there} == {picture.name for picture in PICTURES}


def test_the_gallery_has_every_board_in_words_and_pictures() -> None:
    boards = boards_of_gallery()
    assert GALLERY_PAGE.read_text() == gallery_page(), RENEW_GALLERY
    assert gallery_words().keys() == boards.keys(), RENEW_GALLERY
    sheets = {path.stem: path.read_bytes() for path in GALLERY.glob("*.webp")}
    assert sheets.keys() == boards.keys(), RENEW_GALLERY
    assert {body[8:12] for body in sheets.values()} == {b"WEBP"}
    assert sum(map(len, sheets.values())) < MOST_OF_GALLERY


def test_the_hall_of_the_gallery_has_the_words_that_it_shows(page_in_turn: Page) -> None:
    with board_site() as site:
        show_of_gallery(page_in_turn, site, HALL)
        assert words_at(page_in_turn, HD).splitlines() == gallery_words()[HALL], RENEW_GALLERY
