"""What the texts say of baccarat, and what a table's file may ask of them."""

from __future__ import annotations

from typing import Any

import pytest

from controller.games.baccarat.rules import BaccaratRules
from controller.games.load import check_text
from controller.rules.cited import Cited
from controller.rules.profile import default_profile, profile
from tests.tables.baccarat_shoe import baccarat_toml
from tests.tables.problems import only_problem

GAMES = ("baccarat", "mini_baccarat")


def rules(game: str) -> BaccaratRules:
    return profile("njac-13:47-20").text(game, BaccaratRules)


@pytest.mark.parametrize(("game", "section"), [("baccarat", "13:47-20.20"), ("mini_baccarat", "13:47-20.28")])
def test_each_game_cites_its_own_section_or_says_that_a_value_is_ours(game: str, section: str) -> None:
    text = rules(game)
    assert text.section == section
    cited: list[Cited[Any]] = [
        text.decks,
        text.cutting_cards,
        text.initial,
        text.player_draws,
        text.banker_draws_after_stand,
        text.banker_draws,
        text.result_read,
        text.settlement,
        text.even_money,
        text.tie,
        text.commission_on_all,
    ]
    assert [one.cite for one in cited if not one.cite.startswith(section)] == []
    assert (text.banker_stands.cite, {row.cite for row in text.third_cards}) == ("ours", {"ours"})


@pytest.mark.parametrize("game", GAMES)
def test_every_total_of_a_bank_has_its_rule_once(game: str) -> None:
    text = rules(game)
    totals = [*text.banker_draws.value, *(row.total for row in text.third_cards), *text.banker_stands.value]
    assert totals == [0, 1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ["njac-19:47", "njac-13:69F"])
def test_a_text_of_titles_alone_is_refused_with_them(game: str, name: str) -> None:
    refusal = profile(name).refusal(game) or ""
    assert "Rules for determining whether third card shall be dealt" in refusal
    assert default_profile(game) == "njac-13:47-20"
    problem = only_problem(baccarat_toml(game, table=f'rules = "{name}"'))
    assert "gives only the titles" in problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (baccarat_toml(options="decks = 5"), "game.decks: 5 is too few: at least 6 are used (13:47-20.20(b)2i)"),
        (
            baccarat_toml("mini_baccarat", options="decks = 1"),
            "game.decks: 1 is too few: at least 6 are used (13:47-20.28(b)2i)",
        ),
        (baccarat_toml(options="decks = 13"), "game.decks: 13 is out of range"),
        (baccarat_toml(options="variation = 1"), "game.variation: unknown key"),
        (baccarat_toml(shoe="read_wait_s = 0"), "device.shoe.read_wait_s: 0 is out of range"),
        (baccarat_toml(shoe='reading = "none"'), "device.shoe.reading: unknown key"),
        (baccarat_toml(shoe='link = ""'), "device.shoe.link"),
        (baccarat_toml(more="[device.cage]\n"), "device.cage"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_key(text: str, problem: str) -> None:
    assert problem in only_problem(text)


@pytest.mark.parametrize("game", GAMES)
def test_two_lines_and_a_backend_are_a_whole_file(game: str) -> None:
    report = check_text(f'[table]\nid = "b-1"\ngame = "{game}"\n[lines]\nbackend = "sim"\n')
    assert report.problems == []
    (table,) = report.tables
    assert set(table.devices) == {"shoe", "dealer"}
