"""Captures of tables of cards replay to the events that are expected, and to those of the table that was captured."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.games.catalogue import GAMES
from controller.rules.profile import profile
from feed import events
from tests.captures_cards.cases import CASES, KEPT, SIMULATED, expected, kept_capture
from tests.captures_dice.cases import replayed, simulate_captured
from tests.tables.bench import EventList, configured

REPORTED = expected()


def bodies(said: EventList) -> list[events.Data]:
    """Every event but the opening of the table, without what tells one run from another."""
    return [event.data for event in said if not isinstance(event.data, events.TableOpened)]


@pytest.mark.parametrize(("table", "case"), CASES, ids=["-".join(case) for case in CASES])
def test_a_capture_replays_to_the_events_of_its_table(table: str, case: str, tmp_path: Path) -> None:
    capture = tmp_path / "capture.vcd"
    live = simulate_captured(SIMULATED[table], case, capture)
    again = replayed(configured(SIMULATED[table].text), capture)
    assert again.story() == REPORTED[table][case]
    assert bodies(again) == bodies(live)


@pytest.mark.parametrize(("table", "case"), KEPT, ids=["-".join(case) for case in KEPT])
def test_a_kept_capture_replays_to_the_events_that_are_expected(table: str, case: str) -> None:
    capture = kept_capture(table, case)
    text = capture.with_suffix(".toml").read_text(encoding="utf-8")
    assert replayed(configured(text), capture).story() == REPORTED[table][case]


@pytest.mark.parametrize("table", SIMULATED)
def test_a_table_without_a_fault_refuses_no_round(table: str) -> None:
    assert not any(word.startswith(("void ", "unresolved ")) for word in REPORTED[table]["none"])


WITHOUT_CAPTURE = {
    "power_loss": "a capture ends with the power, and a replay begins anew: the round is void by the next start",
    "dealer_call": "a person calls it, with a button or an order; no simulated dealer does (test_replay has orders)",
    "hole_card_exposed": "a person reports it before the call; nothing on a wire shows it (test_fixed_hands_rounds)",
}
"""Reasons of refusal that no simulated fault gives, and why."""
DOUBTS = {
    *("card_unread", "card_unseen", "card_count", "card_returned", "card_twice", "foreign_card", "hand_misdealt"),
    *("sensor_missing", "two_compartments_open", "shoe_short_deal"),
}
"""Reasons that the equipment gives, beside those of the texts."""


def test_every_reason_for_which_a_round_of_cards_is_refused_has_a_capture() -> None:
    stories = [story for cases in REPORTED.values() for story in cases.values()]
    refused = {
        word.partition(" ")[2] for story in stories for word in story if word.startswith(("void ", "unresolved "))
    }
    games = [spec.name for spec in GAMES if "shoe" in spec.devices]
    texts = [profile("njac-13:47-20").texts[game] for game in games]
    voids = {reason for text in texts for reason, known in text["reasons"].items() if "call" in known}
    assert voids | DOUBTS <= refused | set(WITHOUT_CAPTURE), sorted((voids | DOUBTS) - refused - set(WITHOUT_CAPTURE))
    assert not refused & set(WITHOUT_CAPTURE), "it has a capture now"
