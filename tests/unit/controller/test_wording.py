"""How numbers and names stand in a sentence."""

from __future__ import annotations

import pytest

from controller.configuration.problems import with_article
from controller.games.load import check_text
from hal.wording import counted, times


@pytest.mark.parametrize(("number", "words"), [(0, "0 times"), (1, "once"), (2, "2 times")])
def test_once_is_no_time_with_an_s(number: int, words: str) -> None:
    assert times(number) == words


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 hours"), (1, "1 hour"), (1.0, "1 hour"), (2.5, "2.5 hours"), (24, "24 hours")]
)
def test_one_alone_has_no_s(number: float, words: str) -> None:
    assert counted(number, "hour") == words


@pytest.mark.parametrize(
    ("name", "words"),
    [("craps", "a craps"), ("under_over", "an under_over"), ("automatic_roulette", "an automatic_roulette")],
)
def test_a_name_has_its_article(name: str, words: str) -> None:
    assert with_article(name) == words


def test_a_device_that_a_game_has_not_is_told_with_the_games_article() -> None:
    report = check_text('[table]\nid = "a"\ngame = "under_over"\n[lines]\nbackend = "sim"\n[device.wheel]\n')
    assert "an under_over table has no such device" in str(report.problems)
