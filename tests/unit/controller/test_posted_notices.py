"""The notices that the rules have posted at a table are published, shown and kept: 13:47-20.32(g) and (i)1."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.check import command as check
from controller.service.event_lines import line_of
from feed import events
from feed.state import TableState
from tests.tables.bench import EventList, events_of_run
from tests.tables.card_shoe import card_toml
from tests.tables.problems import only_problem
from tests.tables.roulette_lines import roulette_toml

MONEY_WHEEL = (
    '[table]\nid = "w"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n[device.wheel]\ndriver = "money_wheel"\n'
)
POSTED = {
    ("american", "all"): ("13:47-20.32(g)", "are lost"),
    ("american", "half"): ("13:47-20.32(g)", "one-half"),
    ("american_as_single_zero", "all"): ("13:47-20.32(i)1", '00 is "No spin"'),
    ("european", "all"): None,
}


def opened(pockets: str, zero_rule: str) -> EventList:
    return events_of_run(roulette_toml(device=f'pockets = "{pockets}"', game=f'zero_rule = "{zero_rule}"'), [], [], 1)


@pytest.mark.parametrize(("given", "posted"), POSTED.items(), ids=lambda one: one[0] if one else "none")
def test_what_is_to_be_posted_is_published_when_the_table_opens(
    given: tuple[str, str], posted: tuple[str, str] | None
) -> None:
    event = opened(*given)[0]
    assert isinstance(event.data, events.TableOpened)
    assert [notice.rule for notice in event.data.notices] == ([] if posted is None else [posted[0]])
    if posted is not None:
        assert posted[1] in event.data.notices[0].words
        assert f"post at the table: {event.data.notices[0].words} ({posted[0]})" in line_of(event)


def test_a_snapshot_keeps_it() -> None:
    said = opened("american_as_single_zero", "all")
    state = TableState(said[0].data.table)
    for event in said:
        state.apply(event)
    assert [notice.rule for notice in state.snapshot().notices] == ["13:47-20.32(i)1"]
    assert TableState.from_snapshot(state.snapshot()).notices == state.notices


@pytest.mark.parametrize("driver", ["roulette_wheel", "star_x"])
def test_check_names_it(tmp_path: Path, driver: str) -> None:
    file = tmp_path / "table.toml"
    text = '[table]\nid = "r"\ngame = "roulette"\nno_more_bets = "auto"\n[lines]\nbackend = "sim"\n'
    file.write_text(f'{text}[device.wheel]\ndriver = "{driver}"\npockets = "american_as_single_zero"\n')
    done = CliRunner().invoke(check, [str(file)])
    assert done.exit_code == 0, done.output
    assert "  post at the table (13:47-20.32(i)1): This double-zero wheel is used as a single-zero wheel" in done.output


def test_a_game_without_one_has_none(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(MONEY_WHEEL)
    done = CliRunner().invoke(check, [str(file)])
    assert "post at the table" not in done.output
    said = events_of_run(MONEY_WHEEL, [], [], 1)
    assert isinstance(said[0].data, events.TableOpened)
    assert said[0].data.notices == []


@pytest.mark.parametrize(
    ("game", "options", "posted"),
    [
        ("blackjack", "", ["every tie is a push", "pays 3 to 2", "Insurance pays 2 to 1", "1 to 1"]),
        (
            "blackjack",
            'ties = "push_on_naturals"',
            ["wins every other tie", "A natural 21 pays 2 to 1", "Insur", "1 to 1"],
        ),
        (
            "blackjack",
            'ties = "house_wins"',
            ["the house wins every tie", "A natural 21 pays 2 to 1", "Insur", "1 to 1"],
        ),
        ("multi_action_blackjack", "", ["Blackjack pays 3 to 2", "every tie is a push"]),
        ("caribbean_stud", "", ["ante wagers pay 1 to 1", "royal flush 100 to 1"]),
        ("let_it_ride", "", ["royal flush 1,000 to 1"]),
        ("joker_seven", "", []),
    ],
)
def test_k29_the_odds_of_hands_that_nobody_reads_are_posted(game: str, options: str, posted: list[str]) -> None:
    event = events_of_run(card_toml(game, options=options), [], [], 1)[0]
    assert isinstance(event.data, events.TableOpened)
    assert len(event.data.notices) == len(posted)
    assert all(words in notice.words for words, notice in zip(posted, event.data.notices, strict=True))


def test_k29_multi_action_has_no_choice_of_ties() -> None:
    problem = only_problem(card_toml("multi_action_blackjack", options='ties = "house_wins"'))
    assert "game.ties: 13:47-20.30 leaves no choice of how ties are resolved" in problem
