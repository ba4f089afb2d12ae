"""The words of the page, in every language."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest

from feed.codes import CODES
from feed.results import RESULTS
from scoreboard.web import Assets

LANGUAGES = ("en", "es")
PAGE = files("scoreboard").joinpath("page")


def words(language: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(PAGE.joinpath("languages", f"{language}.json").read_text())
    return loaded


def test_the_states_have_the_words_that_were_agreed() -> None:
    english = words("en")
    assert [english[f"status.{state}"] for state in ("place_bets", "no_more_bets", "unresolved", "corrected")] == [
        "PLACE YOUR BETS",
        "NO MORE BETS",
        "UNRESOLVED: DEALER CALLS",
        "RESULT CORRECTED",
    ]
    assert [english[f"status.{state}"] for state in ("closed", "fault", "stale")] == [
        "TABLE CLOSED",
        "FAULT",
        "STALE: NO SIGNAL",
    ]
    assert (english["call.No spin"], english["simulation"]) == ("NO SPIN", "SIMULATION")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_and_every_game_has_words(language: str) -> None:
    found = words(language)
    assert not {f"reason.{code}" for code in CODES} - set(found)
    assert not {f"game.{game}" for game in RESULTS} - set(found)


def test_languages_have_the_same_keys_with_the_same_places() -> None:
    english, spanish = words("en"), words("es")
    assert set(english) == set(spanish)
    for key, text in english.items():
        assert set(re.findall(r"\{(\w+)\}", text)) == set(re.findall(r"\{(\w+)\}", spanish[key])), key


def test_every_word_that_the_page_names_is_there() -> None:
    found = words("en")
    for path, asset in Assets.of_package("scoreboard", "page").paths.items():
        if path.endswith(".js"):
            for key in re.findall(r"\bt\(\"([^\"]+)\"", asset.body.decode()):
                assert key in found, f"{path} names {key}"


def test_a_page_is_under_300_kb_with_its_fonts_and_comes_from_here_alone() -> None:
    page, web = Assets.of_package("scoreboard", "page"), Assets.of_package("scoreboard.web", "static", below="/web/")
    assert page.total_bytes + web.total_bytes < 300_000
    for path, asset in {**page.paths, **web.paths}.items():
        if asset.content_type.startswith(("text/", "image/svg", "application/json")) and not path.endswith("OFL.txt"):
            text = asset.body.decode().replace("http://www.w3.org/2000/svg", "")
            assert not re.search(
                r"https?://|//[a-z]+\.[a-z]+/|innerHTML|insertAdjacentHTML|document\.write|eval\(", text
            ), path
