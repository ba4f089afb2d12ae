"""Captures of dice tables replay to the events that are expected, and to those of the table that was captured."""

from __future__ import annotations

from pathlib import Path

import pytest

from feed import events
from tests.captures_dice.cases import (
    CALLED,
    CASES,
    FOLDER,
    KEPT,
    SIMULATED,
    expected,
    kept_capture,
    replayed,
    simulate_case,
    text_of,
)
from tests.tables.bench import EventList, configured

REPORTED = expected()


def bodies(said: EventList) -> list[events.Data]:
    """Every event but the opening of the table, without what tells one run from another."""
    return [event.data for event in said if not isinstance(event.data, events.TableOpened)]


@pytest.mark.parametrize(("table", "case"), CASES, ids=["-".join(case) for case in CASES])
def test_a_capture_replays_to_the_events_of_its_table(table: str, case: str, tmp_path: Path) -> None:
    capture = tmp_path / "capture.vcd"
    live = simulate_case(table, case, capture)
    again = replayed(configured(text_of(table)), capture)
    assert again.story() == REPORTED[table][case]
    assert bodies(again) == bodies(live)


@pytest.mark.parametrize(("table", "case"), KEPT, ids=["-".join(case) for case in KEPT])
def test_a_kept_capture_replays_to_the_events_that_are_expected(table: str, case: str) -> None:
    capture = kept_capture(table, case)
    text = capture.with_suffix(".toml").read_text(encoding="utf-8")
    assert replayed(configured(text), capture).story() == REPORTED[table][case]


@pytest.mark.parametrize("table", [table for table in SIMULATED if table != "reader_frames_7a"])
def test_a_table_without_a_fault_refuses_no_round(table: str) -> None:
    # A board that only answers is left out: it is first received when dice are first thrown, which puts them in doubt.
    assert not any(word.startswith(("void ", "unresolved ")) for word in REPORTED[table]["none"])


def test_every_reason_for_which_these_tables_refuse_a_round_has_a_capture() -> None:
    stories = [story for cases in REPORTED.values() for story in cases.values()]
    refused = {
        word.partition(" ")[2] for story in stories for word in story if word.startswith(("void ", "unresolved "))
    }
    assert refused >= {
        *CALLED,
        *("too_few_inversions", "tumbled_before_no_more_bets", "dealer_call", "dice_not_flat", "dice_disturbed"),
        *("cage_askew", "edges_lost", "sensor_stuck", "sensor_missing", "baffles_missed", "die_jammed"),
        *("dice_together", "too_many_passes", "die_off_table", "die_on_die", "die_on_two_sides", "values_disagree"),
        *("value_missing", "reader_doubt", "reader_fault", "motor_stalled", "motor_too_long", "motor_runs_on"),
        *("shaken_before_no_more_bets", "shaken_uncovered", "too_few_shakes", "shaker_failed"),
        *("shaker_not_removed", "lamps_failed_before_reveal"),
    }


def test_only_the_captures_that_are_listed_are_kept() -> None:
    assert sorted(FOLDER.glob("*.vcd")) == sorted(kept_capture(*case) for case in KEPT)
    assert sorted(FOLDER.glob("*.toml")) == sorted(kept_capture(*case).with_suffix(".toml") for case in KEPT)
    assert {(table, case) for table, cases in REPORTED.items() for case in cases} == set(CASES)
