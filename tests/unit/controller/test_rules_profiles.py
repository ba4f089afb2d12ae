"""The profiles: three of them, every value cited, and no rule where there is no text."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from controller.rules.profile import DEFAULT_PROFILE, NoText, profile, profile_names

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


def casino_night_data() -> dict[str, Any]:
    text = resources.files("controller.rules").joinpath("data", "njac-13_47-20.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def test_there_are_the_three_profiles_and_casino_night_is_the_default() -> None:
    assert set(profile_names()) == {"njac-13:47-20", "njac-19:47", "njac-13:69F"}
    assert DEFAULT_PROFILE == "njac-13:47-20"
    assert all(profile(name).name == name for name in profile_names())


def test_an_unknown_profile_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="njac-13:48"):
        profile("njac-13:48")


def test_every_value_is_cited_from_the_casino_night_rules_or_marked_ours() -> None:
    found = list(values_with_a_citation(casino_night_data()))
    assert len(found) > 60
    for path, value in found:
        assert value["cite"] == "ours" or value["cite"].startswith("13:47-20."), path


def test_the_words_for_an_invalid_money_wheel_spin_are_ours_and_those_of_roulette_are_not() -> None:
    night = profile("njac-13:47-20")
    wheel = night.money_wheel_rules().reasons["wheel_revolutions"]
    roulette = night.roulette_rules().reasons["ball_revolutions"]
    assert wheel.call is not None
    assert wheel.call.ours
    assert roulette.call is not None
    assert not roulette.call.ours
    assert (roulette.call.value, roulette.call.cite) == ("No spin", "13:47-20.32(m)2")


@pytest.mark.parametrize("name", ["njac-19:47", "njac-13:69F"])
@pytest.mark.parametrize("game", GAMES)
def test_a_profile_without_a_text_gives_titles_and_no_rules(name: str, game: str) -> None:
    rules = profile(name).rules_of(game)
    assert isinstance(rules, NoText)
    chapter = name.removeprefix("njac-")
    assert all(title.section.startswith(f"{chapter}-5.") for title in rules.titles)
    assert chapter in str(rules)
    with pytest.raises(KeyError, match="has no text"):
        profile(name).roulette_rules() if game == "roulette" else profile(name).money_wheel_rules()


def test_the_titles_cover_the_six_sections_of_the_subchapter_without_a_gap() -> None:
    for name in ("njac-19:47", "njac-13:69F"):
        sections = [title.section for text in profile(name).no_text.values() for title in text.titles]
        assert sorted(sections) == [f"{name.removeprefix('njac-')}-5.{n}" for n in range(1, 7)]


def test_a_game_that_no_profile_speaks_of_is_refused() -> None:
    with pytest.raises(KeyError, match="does not speak of the game 'chess'"):
        profile(DEFAULT_PROFILE).rules_of("chess")


def test_bets_close_before_a_money_wheel_spin_and_during_a_roulette_spin() -> None:
    night = profile(DEFAULT_PROFILE)
    assert night.money_wheel_rules().no_more_bets.when.value == "before_spin"
    assert night.roulette_rules().no_more_bets.when.value == "while_ball_in_track"


def test_only_a_class_a_operator_runs_roulette() -> None:
    night = profile(DEFAULT_PROFILE)
    assert night.roulette_rules().operator_classes.value == ("A",)
    assert night.money_wheel_rules().operator_classes.value == ("A", "B")
