"""The words of the page, in every language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from importlib.resources import files
from typing import get_args, get_type_hints

from benchmarks.scoreboard_bench import MOST_PAGE_KB, NOT_OF_ONE_PAGE, page_bytes
from controller.games.baccarat.hands import BaccaratWinner
from controller.games.catalogue import GAMES
from controller.games.craps.decision import RollDecision
from controller.games.red_dog.spread import Kind
from controller.games.skill_stop_video.model import MODELS
from controller.games.words import SCREENS
from drivers.screen.screen import ScreenConfig
from feed.codes import CODES
from feed.data import Meters
from feed.results.fixed_hands import Rank
from scoreboard.board import Status
from scoreboard.roulette_figures import SECTORS
from scoreboard.web import Assets

PAGE = files("scoreboard").joinpath("page")
SCRIPTS = {
    path: asset.body.decode()
    for path, asset in Assets.of_package("scoreboard", "page").paths.items()
    if path.endswith(".js")
}


def words_of(folder: str, language: str = "en") -> dict[str, str]:
    found: dict[str, str] = json.loads(PAGE.joinpath(folder, f"{language}.json").read_text(encoding="utf-8"))
    return found


def all_words() -> dict[str, str]:
    """Those of the page, and those of our games."""
    return words_of("languages") | words_of("languages/games")


def test_the_states_have_the_words_that_were_agreed() -> None:
    english = words_of("languages")
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


def test_every_reason_has_words() -> None:
    there = {key for key in words_of("languages") if key.startswith("reason.")}
    wanted = {f"reason.{code}" for code in CODES}
    assert there == wanted, (
        f"scoreboard/page/languages/en.json and the other languages: write {sorted(wanted - there)}, of feed/codes.py; "
        f"remove {sorted(there - wanted)}"
    )


def test_the_screen_offers_the_languages_that_it_has_words_of_and_the_board_too() -> None:
    (offered,) = re.findall(r"LANGUAGES = (\[.*\]);", SCRIPTS["/languages.js"])
    of_the_screen = [*get_args(get_type_hints(ScreenConfig)["language"])]
    assert json.loads(offered) == of_the_screen == SCREENS.languages(), (
        "drivers/screen/screen_wire.py: ScreenLanguage names every language of screen/languages"
    )


def test_every_word_that_the_page_names_is_there() -> None:
    found = all_words()
    for path, script in SCRIPTS.items():
        for key in re.findall(r"\bt\(\"([^\"]+)\"", script):
            assert key in found, f"{path} names {key}: write it in scoreboard/page/languages/en.json, or in words.json"


VALUES: dict[str, set[str]] = {
    "status": {*get_args(Status)},
    "machine": {"place_bets", "no_more_bets", "closed", "waiting"},
    "meter": {"credits", "debt", *Meters.__struct_fields__},
    "verdict": {"void", "unresolved"},
    "direction": {"clockwise", "counter-clockwise"},
    "phone": {"loopback", "no_name", "long"},
    "print": {"round", "time", "result", "note"},
    "letter": {*get_args(BaccaratWinner)},
    "winner": {*get_args(BaccaratWinner), "dealer"},
    "decision": {*get_args(RollDecision)},
    "face": {"flag", "joker"},
    "rank": {*get_args(Rank)},
    "kind": {*get_args(Kind)},
    "end": {"won", "lost", "tied"},
    "cards": {"pair", "suited", "neither"},
    "bet": {"no pairs", "two pairs", "one joker", "two jokers", "prial"},
    "sector": {*SECTORS},
    "spin": {"ball", "rotor"},
    "game": {game.name for game in GAMES},
    "reason": {*CODES},
    "symbol": {symbol for model in MODELS.names for reel in MODELS.named(model).reels for symbol in reel},
    # A house may have a call of its own, which boards show as it is: these are the calls of our games.
    "call": {"No spin", "No roll", "Round void", "Play void"},
}
"""What the page looks up by a value of the feed: for each kind, every value that there is."""


def nothing_shows(keys: Iterable[str]) -> list[str]:
    """The keys that no script names, whole or by a kind that it looks up and one of its values."""
    scripts = "".join(SCRIPTS.values())
    found = []
    for key in keys:
        kind, _, value = key.partition(".")
        looks_up = f"`{kind}.$" in scripts or f'("{kind}", ' in scripts
        if f'"{key}"' not in scripts and not (looks_up and value in VALUES.get(kind, ())):
            found.append(key)
    return found


def test_every_word_is_named_by_the_page() -> None:
    shown_nowhere = nothing_shows(all_words())
    assert shown_nowhere == [], (
        f"scoreboard/page/languages: no script shows {shown_nowhere}: remove them in every language, or add the "
        "kind to VALUES with its values"
    )


def test_a_word_that_nothing_shows_is_found_whatever_its_kind() -> None:
    unknown = ["nothing", *(f"{kind}.nothing" for kind in VALUES)]
    assert nothing_shows(unknown) == unknown


def test_a_page_is_under_150_kb_with_its_fonts_and_comes_from_here_alone() -> None:
    page, web = Assets.of_package("scoreboard", "page"), Assets.of_package("scoreboard.web", "static", below="/web/")
    assert sum(path.startswith(NOT_OF_ONE_PAGE) for path in page.paths) == 5
    assert page_bytes() < MOST_PAGE_KB * 1000
    for path, asset in {**page.paths, **web.paths}.items():
        if asset.content_type.startswith(("text/", "image/svg", "application/json")) and not path.endswith("OFL.txt"):
            text = asset.body.decode().replace("http://www.w3.org/2000/svg", "")
            assert not re.search(
                r"https?://|//[a-z]+\.[a-z]+/|innerHTML|insertAdjacentHTML|document\.write|eval\(", text
            ), path
