"""The pictures of the documents show the board as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.pictures import FOLDER, OF_ONE_SCENE, PICTURES, RENEW, Picture, show, site_of, words_at

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 150_000


OTHERS = [picture for picture in PICTURES if picture not in OF_ONE_SCENE.values()]
"""Those that test_board_views.py does not look at."""


@pytest.mark.parametrize("picture", OTHERS, ids=lambda picture: picture.name)
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
