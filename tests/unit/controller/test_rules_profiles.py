"""The profiles: three of them, every value cited, and no rule where there is no text."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest
from msgspec import Struct

from controller.games.money_wheel.rules import MoneyWheelRules
from controller.games.roulette.rules import RouletteRules
from controller.rules.profile import DEFAULT_PROFILE, FILES, SOURCES, profile, read

GAMES = ("money_wheel", "roulette")


def values_with_a_citation(data: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(data, dict):
        if "value" in data:
            yield path, data
        for key, item in data.items():
            yield from values_with_a_citation(item, f"{path}.{key}")
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from values_with_a_citation(item, f"{path}[{index}]")


def data_of(file: str) -> dict[str, Any]:
    text = resources.files("controller.rules").joinpath("data", file).read_text(encoding="utf-8")
    return tomllib.loads(text)


def test_there_are_three_texts_and_the_house_s_own_rules_and_casino_night_is_the_default() -> None:
    assert set(FILES) == {"njac-13:47-20", "njac-19:47", "njac-13:69F"}
    assert tuple(SOURCES) == (*FILES, "house")
    assert DEFAULT_PROFILE == "njac-13:47-20"
    assert all(profile(name).name == name for name in SOURCES)


def test_an_unknown_profile_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="njac-13:48"):
        profile("njac-13:48")


@pytest.mark.parametrize(("name", "values"), [("njac-13:47-20", 200), ("njac-19:47", 160), ("njac-13:69F", 50)])
def test_every_value_is_cited_from_the_rules_of_its_profile_or_marked_ours(name: str, values: int) -> None:
    found = [pair for file in FILES[name] for pair in values_with_a_citation(data_of(file))]
    assert len(found) > values
    chapter = "13:47-20." if name == DEFAULT_PROFILE else f"{name.removeprefix('njac-')}-"
    for path, value in found:
        # A casino night has no text of a progressive wager: a house that offers one takes that of casinos.
        texts = ("19:47-16.", chapter) if path.startswith(".caribbean_stud.progressive") else (chapter,)
        assert value["cite"] == "ours" or value["cite"].startswith(texts), path


def test_every_file_of_the_rules_belongs_to_a_profile() -> None:
    folder = resources.files("controller.rules").joinpath("data")
    apart = {"authority.toml", "paragraphs.toml", "sentences.toml", "house.toml"}
    there = {file.name for file in folder.iterdir()} - apart
    assert there == {file for files in FILES.values() for file in files}


def test_a_section_that_shares_the_text_of_another_differs_only_in_what_it_says_itself() -> None:
    sections = read("njac-19:47")
    own = data_of("njac-19_47-craps.toml")["mini_craps"]
    assert own["text_of"] == "craps"
    differing = {key for key in sections["craps"] if sections["craps"][key] != sections["mini_craps"][key]}
    assert differing == set(own) - {"text_of"}


@pytest.mark.parametrize("of", ["mini_craps", "chess"])
def test_a_section_cannot_share_the_text_of_itself_or_of_none(monkeypatch: pytest.MonkeyPatch, of: str) -> None:
    def changed(text: str) -> dict[str, Any]:
        data = loads(text)
        if "mini_craps" in data:
            data["mini_craps"]["text_of"] = of
        return data

    loads = tomllib.loads
    monkeypatch.setattr(tomllib, "loads", changed)
    with pytest.raises(ValueError, match=rf"\[mini_craps\] text_of = '{of}': there is no other section"):
        read("njac-19:47")


def test_a_section_stands_in_one_file_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FILES, "njac-19:47", ("njac-19_47.toml", "njac-19_47-dice.toml", "njac-13_69F-dice.toml"))
    with pytest.raises(ValueError, match=r"njac-13_69F-dice\.toml: sic_bo is also in another file of njac-19:47"):
        read("njac-19:47")


def test_the_words_for_an_invalid_money_wheel_spin_are_ours_and_those_of_roulette_are_not() -> None:
    night = profile("njac-13:47-20")
    wheel = night.text("money_wheel", MoneyWheelRules).reasons["wheel_revolutions"]
    roulette = night.text("roulette", RouletteRules).reasons["ball_revolutions"]
    assert wheel.call is not None
    assert wheel.call.ours
    assert roulette.call is not None
    assert not roulette.call.ours
    assert (roulette.call.value, roulette.call.cite) == ("No spin", "13:47-20.32(m)2")


@pytest.mark.parametrize("name", ["njac-19:47", "njac-13:69F"])
@pytest.mark.parametrize("game", GAMES)
def test_a_profile_without_a_text_gives_titles_and_no_rules(name: str, game: str) -> None:
    rules = profile(name).no_text[game]
    chapter = name.removeprefix("njac-")
    assert all(title.section.startswith(f"{chapter}-5.") for title in rules.titles)
    assert chapter in str(rules)
    with pytest.raises(KeyError, match="has no text"):
        profile(name).text(game, Struct)


def test_the_titles_cover_the_six_sections_of_the_subchapter_without_a_gap() -> None:
    for name in ("njac-19:47", "njac-13:69F"):
        sections = [title.section for game in GAMES for title in profile(name).no_text[game].titles]
        assert sorted(sections) == [f"{name.removeprefix('njac-')}-5.{n}" for n in range(1, 7)]


def test_a_game_that_no_profile_speaks_of_is_refused() -> None:
    with pytest.raises(KeyError, match="has no text for chess: it does not speak of it"):
        profile(DEFAULT_PROFILE).text("chess", RouletteRules)


def test_bets_close_before_a_money_wheel_spin_and_during_a_roulette_spin() -> None:
    night = profile(DEFAULT_PROFILE)
    assert night.text("money_wheel", MoneyWheelRules).no_more_bets.when.value == "before_spin"
    assert night.text("roulette", RouletteRules).no_more_bets.when.value == "while_ball_in_track"


def test_only_a_class_a_operator_runs_roulette() -> None:
    night = profile(DEFAULT_PROFILE)
    assert night.text("roulette", RouletteRules).operator_classes.value == ("A",)
    assert night.text("money_wheel", MoneyWheelRules).operator_classes.value == ("A", "B")


FOUND_ONLY = {
    "power_loss",
    "shoe_short_deal",
    "shaker_failed",
    "lamps_failed_before_reveal",
    "spin_not_started",
    "spun_while_shut",
}
"""What no person at the table can know."""


@pytest.mark.parametrize("file", [file for files in FILES.values() for file in files])
def test_what_only_the_controller_finds_is_marked_so_everywhere_and_nothing_else_is(file: str) -> None:
    for section in data_of(file).values():
        reasons = section.get("reasons", {}) if isinstance(section, dict) else {}
        found_only = {reason for reason, known in reasons.items() if known.get("found_only")}
        assert found_only == FOUND_ONLY & reasons.keys()
