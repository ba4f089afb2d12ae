"""A skill-stop reel on its boards' own programs: the verdicts are those on simulated devices, in faults too."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from controller.bench.simulation import simulate
from feed import events
from feed.events import Event
from tests.firmware.test_examples_on_boards import SEED, PlayedOnBoards
from tests.tables.bench import EventList, configured
from tests.tables.reel_machine import reel_toml

NAME: Final = "skill_stop_reel_board"
SHARE: Final = ("reel_slips",)
"""The faults of which the checks play a round; the soak plays all of these."""
ALL: Final = (
    *SHARE,
    "reel_jammed",
    "player_leaves_one",
    "none",
    "player_walks_away",
    "press_too_early",
    "token_while_spinning",
    "reel_slips_little",
    "reel_moved",
    "home_blind",
    "home_blocked",
    "door_opened",
)
WALKS_ON: Final = {"reel_jammed", "home_blind", "home_blocked"}
"""Faults that come again as often as they are cleared too early."""


def verdicts(said: list[Event]) -> list[tuple[Any, ...]]:
    """Each outcome: stops, lines and award, and who stopped the reels."""
    found = EventList(said).of(events.Outcome)
    return [(one.result["stops"], one.result["lines"], one.result["award"], one.evidence.stopped_by) for one in found]


def faults(said: list[Event]) -> list[tuple[str, str]]:
    """Each fault, once in a row."""
    found = [(one.device, one.fault) for one in EventList(said).of(events.DeviceFault)]
    return list(dict.fromkeys(found))


def compare(fault: str, folder: Path, rounds: int) -> None:
    plan: dict[int | None, str] = {1: fault}
    alone = [one for played in simulate(configured(reel_toml()), rounds, SEED, plan) for one in played.events]
    boards = PlayedOnBoards(NAME, folder, rounds, plan)
    said = boards.run()
    assert verdicts(said) == verdicts(alone), said.story()
    assert [tuple(stops) for stops, *_ in verdicts(said)] == [truth.result for truth in boards.truths]
    if fault in WALKS_ON:
        assert set(faults(alone)) <= set(faults(said)), said.story()
    else:
        assert faults(said) == faults(alone), said.story()


@pytest.mark.parametrize("fault", SHARE)
def test_verdicts_on_boards_are_those_of_the_simulator_alone(fault: str, tmp_path: Path) -> None:
    compare(fault, tmp_path, 1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("fault", ALL)
def test_every_fault_on_boards_has_the_verdicts_of_the_simulator_alone(fault: str, tmp_path: Path) -> None:
    compare(fault, tmp_path, 2)
