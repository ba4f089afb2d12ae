"""The examples that a newcomer copies are right, and the simulated ones play."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.games.load import check
from feed.events import TYPE_PREFIX

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.toml"))
NAMES = {
    "beat_the_dealer",
    "beat_the_dealer_board",
    "beat_the_dealer_motor",
    "chuck_a_luck",
    "chuck_a_luck_on_pi",
    "under_over",
    "under_over_board",
    "sic_bo",
    "sic_bo_19_47",
    "sic_bo_automated",
    "sic_bo_board",
    "roulette",
    "roulette_european",
    "roulette_on_pi",
    "money_wheel",
    "money_wheel_pegs",
    "money_wheel_on_pi",
    "automatic_roulette",
    "roulette_board",
    "money_wheel_board",
    "craps",
    "craps_automated",
    "craps_casino_night",
    "mini_craps",
}
ON_WIRES = {
    "beat_the_dealer_board",
    "chuck_a_luck_on_pi",
    "under_over_board",
    "sic_bo_board",
    "roulette_on_pi",
    "money_wheel_on_pi",
    "automatic_roulette",
    "roulette_board",
    "money_wheel_board",
}
"""Those with real wires."""
ALONE = {"beat_the_dealer_board", "chuck_a_luck_on_pi", "under_over_board"}
"""Those that want pins or the adapter of another example: each has a Pi of its own."""


def backend_of(path: Path) -> str:
    return check([path]).tables[0].lines.backend


def name_of(path: Path) -> str:
    return path.stem


def test_the_examples_that_the_documentation_names_are_there() -> None:
    assert {path.stem for path in EXAMPLES} == NAMES


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_an_example_passes_the_check_without_a_warning(path: Path) -> None:
    report = check([path])
    assert report.problems == []
    assert len(report.tables) == 1


def test_all_other_examples_could_stand_on_one_pi() -> None:
    assert check([path for path in EXAMPLES if path.stem not in ALONE]).problems == []


def test_the_examples_with_real_wires_are_known() -> None:
    assert {path.stem for path in EXAMPLES if backend_of(path) != "sim"} == ON_WIRES


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_an_example_plays_two_rounds_that_the_truth_supports(path: Path) -> None:
    """Also those with real wires: the same table on simulated devices."""
    result = CliRunner().invoke(main, ["simulate", str(path), "--rounds", "2", "--json"])
    assert result.exit_code == 0, result.output
    opened = [line for line in result.stdout.splitlines() if f'"type":"{TYPE_PREFIX}round.opened.v1"' in line]
    assert len(opened) >= 2
    assert "every outcome is supported by the truth" in result.stderr


def test_a_ball_that_runs_with_the_rotor_is_refused_as_the_readme_promises() -> None:
    path = next(path for path in EXAMPLES if path.stem == "roulette")
    options = ["--rounds", "3", "--fault", "same_direction@2"]
    result = CliRunner().invoke(main, ["simulate", str(path), *options])
    assert 'VOID "No spin": ball_direction (13:47-20.32(m)1)' in result.output
