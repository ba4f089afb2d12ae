"""The words of the page, in every language."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from drivers.screen.screen import ScreenConfig
from feed.codes import CODES
from feed.results import RESULTS
from scoreboard.web import Assets
from tests.languages import languages_of, words_of, wrong_words

PAGE = files("scoreboard").joinpath("page")
FOLDER = PAGE.joinpath("languages")
SCREEN = files("screen").joinpath("languages")


def offered_by_the_page() -> list[str]:
    script = PAGE.joinpath("words.js").read_text(encoding="utf-8")
    (tags,) = re.findall(r"^const LANGUAGES = (\[.*\]);$", script, re.MULTILINE)
    found: list[str] = json.loads(tags)
    return found


def offered_by_the_screen() -> list[str]:
    return [*get_args(get_type_hints(ScreenConfig)["language"])]


def test_the_states_have_the_words_that_were_agreed() -> None:
    english = words_of(FOLDER, "en")
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


@pytest.mark.parametrize("language", languages_of(FOLDER))
def test_every_reason_and_every_game_has_words(language: str) -> None:
    found = words_of(FOLDER, language)
    assert not {f"reason.{code}" for code in CODES} - set(found)
    assert not {f"game.{game}" for game in RESULTS} - set(found)


def test_all_languages_of_the_page_and_of_the_screen_are_offered_and_have_the_same_keys_and_places() -> None:
    wrong = wrong_words(FOLDER, offered_by_the_page()) + wrong_words(SCREEN, offered_by_the_screen())
    assert not wrong, "\n".join(wrong)


Change = Callable[[dict[str, str]], object]


@pytest.mark.parametrize(
    ("change", "offered", "finding"),
    [
        (lambda words: words.pop("b"), ["en", "de"], "de: b is missing"),
        (lambda words: words.update(c="neu"), ["en", "de"], "de: c is not in en"),
        (lambda words: words.update(b="ohne Zahl"), ["en", "de"], "de: b has other places than en"),
        (lambda words: words.update(a=" "), ["en", "de"], "de: a has no words"),
        (lambda words: None, ["en"], "de: has a file, and is not offered"),
        (lambda words: None, ["en", "de", "fr"], "fr: offered, and has no file"),
        (lambda words: None, ["en", "de"], None),
    ],
)
def test_a_language_that_is_added_with_a_mistake_is_found(
    tmp_path: Path, change: Change, offered: list[str], finding: str | None
) -> None:
    first = {"a": "one", "b": "{n} spins"}
    added = {"a": "eins", "b": "{n} Drehungen"}
    change(added)
    for tag, words in (("en", first), ("de", added)):
        (tmp_path / f"{tag}.json").write_text(json.dumps(words), encoding="utf-8")
    assert wrong_words(tmp_path, offered) == ([] if finding is None else [finding])


def test_every_word_that_the_page_names_is_there() -> None:
    found = words_of(FOLDER, "en")
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
