"""The words of the bench's page: each is named, each that is named is there, and those of drivers are known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import controller
import drivers
from controller.bench_page.host import views_of
from controller.bench_page.languages import shared_assets
from controller.bench_page.said import Said
from controller.bench_page.wiring_shown import lines_shown, wiring_shown
from controller.configuration.terminals import Terminal
from controller.games.assembly import table_for
from controller.games.load import check_text
from controller.games.words import BENCHES
from controller.table.lifecycle import LifecycleState
from controller.table.phase import Phase
from drivers.dealer.buttons import BUTTONS
from scoreboard.web import Assets

ROOT = Path(__file__).resolve().parents[4]
ENGLISH = BENCHES.words("en")
STATIC = Assets.of_package("controller.bench_page", "static").paths
SCRIPTS = {path: asset.body.decode() for path, asset in STATIC.items() if path.endswith(".js")}
PAGE = STATIC["/index.html"].body.decode()
PYTHON = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "controller/bench_page").glob("*.py"))
SOURCES = [Path(package.__path__[0]) for package in (controller, drivers)]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
VALUES: dict[str, set[str]] = {
    "value": {"turns", "level"},
    "link": {"open", "connecting", "silent"},
    "button": {*BUTTONS},
    "place": {*get_args(get_type_hints(Terminal)["side"])},
    "state": {one.value.replace(" ", "_") for one in Phase} | {str(one) for one in LifecycleState},
    "headline": {"closed", "inspecting", "shut", "insert_token", "place_bets", "no_more_bets"}
    | {"in_play", "running_out", "settling"},
    "why": {f"{kind}.{one}" for kind in ("round", "play") for one in ("uncalled", "deadline")}
    | {f"{kind}.{phase}" for kind in ("round", "play") for phase in ("open", "running", "running_out", "settling")}
    | {"call_awaited.button", "call_awaited.controller"},
    "done": {f"{person}.{who}" for person in ("dealer", "attendant") for who in ("you", "simulated")},
}
"""What the page or the server looks up by a value: for each kind, every value that there is."""


def named() -> set[str]:
    """The keys that the page, its scripts and the server name whole."""
    found = set(re.findall(r'\b(?:t|word)\("([^"]+)"', "".join(SCRIPTS.values())))
    found |= set(re.findall(r'data-(?:t|label)="([^"]+)"', PAGE))
    found |= set(re.findall(r'Said\("([^"]+)"', PYTHON))
    found |= set(re.findall(r'Said\("([^"]+)" if .*? else "[^"]+"', PYTHON))
    return found | set(re.findall(r'Said\("[^"]+" if .*? else "([^"]+)"', PYTHON)) | {"why.called"}


def test_every_word_that_the_page_or_the_server_names_is_there() -> None:
    assert named() <= ENGLISH.keys()
    assert {f"{kind}.{value}" for kind, values in VALUES.items() for value in values} <= ENGLISH.keys()


def test_every_word_is_shown_by_the_page() -> None:
    looked_up = {f"{kind}.{value}" for kind, values in VALUES.items() for value in values}
    unused = {key for key in ENGLISH if not key.startswith("phrase.")} - named() - looked_up
    assert unused == set(), "controller/bench_page/static/languages: remove them in every language"


def phrase_of(text: str) -> str:
    """The key of a driver's words, as `phrase` of `text.js` makes it."""
    places = iter("nmklij")
    return "phrase." + re.sub(r"\d+(?:\.\d+)?", lambda _: f"{{{next(places)}}}", text)


def known(text: str) -> bool:
    """Whether a text of a driver has words, or is of numbers, names and signs alone."""
    return phrase_of(text) in ENGLISH or not re.search(r"[a-z]{2}", re.sub(r"\w+_\w+", "", text))


def texts_of_tables() -> Iterator[tuple[str, str]]:
    """The words of lines and devices of every example, with what they are of."""
    for example in EXAMPLES:
        for config in check_text(example.read_text(encoding="utf-8")).tables:
            for line in lines_shown(config):
                assert isinstance(line.place, Said)
                yield line.name, line.purpose
                yield line.name, line.high
            assert all(drawing.title.key in ENGLISH for drawing in wiring_shown(config))
            for shown in views_of(table_for(config, epoch="words", simulated=True, opens=True), 0):
                for label, _ in shown.view.facts:
                    yield shown.device, label


def test_the_words_of_every_line_and_every_label_of_a_device_are_known() -> None:
    assert [(of, text) for of, text in texts_of_tables() if text and not known(text)] == []


def test_every_phrase_is_one_that_a_driver_or_the_controller_says() -> None:
    sources = "".join(file.read_text(encoding="utf-8") for folder in SOURCES for file in folder.rglob("*.py"))
    sources = re.sub(r'"\s*\n\s*f?"', "", sources).replace("\\'", "'").replace("_", " ")
    of_tables = {phrase_of(text) for _, text in texts_of_tables()}
    unknown = [
        key
        for key in ENGLISH
        if key.startswith("phrase.")
        and key not in of_tables
        and not all(
            part.strip() in sources for part in re.split(r"\{\w\}", key.removeprefix("phrase.").replace("_", " "))
        )
    ]
    assert unknown == []


@pytest.mark.parametrize("language", BENCHES.languages())
def test_the_page_has_the_boards_words_of_codes_and_games(language: str) -> None:
    assets = shared_assets().paths
    assert {"/words.js", "/languages.js"} <= assets.keys()
    words = json.loads(assets[f"/languages/games/{language}.json"].body)
    assert {"game.roulette", "reason.ball_direction"} <= words.keys()
    assert not words.keys() & BENCHES.words(language).keys()
    assert words["reason.ball_direction"] != "ball_direction"
