"""The examples that a newcomer copies are right, and the simulated ones play."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.games.catalogue import GAME
from controller.games.load import check, check_text
from feed.events import TYPE_PREFIX

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALONE = {"beat_the_dealer_board", "chuck_a_luck_on_pi", "skill_stop_video_on_pi", "under_over_board"}
"""Those that want pins or the adapter of another example: each has a Pi of its own."""


def backend_of(path: Path) -> str:
    return check([path]).tables[0].lines.backend


def name_of(path: Path) -> str:
    return path.stem


def test_the_examples_that_the_documentation_names_are_there() -> None:
    named = {name for page in PAGES for name in re.findall(r"examples/(\w+)\.toml", page.read_text(encoding="utf-8"))}
    assert named
    assert named <= {path.stem for path in EXAMPLES}


def test_every_game_has_an_example_that_plays() -> None:
    played = {check([path]).tables[0].game for path in EXAMPLES if backend_of(path) == "sim"}
    assert played == set(GAME)


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_an_example_passes_the_check_without_a_warning(path: Path) -> None:
    report = check([path])
    assert report.problems == []
    assert len(report.tables) == 1


def test_all_other_examples_could_stand_on_one_pi() -> None:
    assert check([path for path in EXAMPLES if path.stem not in ALONE]).problems == []


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


@pytest.mark.parametrize(
    ("game", "text"), [("sic_bo", "njac-13:69F"), ("mini_craps", "njac-19:47"), ("craps_casino_night", None)]
)
def test_g11_a_game_that_no_casino_night_has_takes_a_casinos_text_with_a_warning(game: str, text: str | None) -> None:
    file = (Path(__file__).parents[2] / "examples" / f"{game}.toml").read_text(encoding="utf-8")
    unnamed = re.sub(r"^rules = .*\n", "", file, flags=re.MULTILINE)
    assert check_text(file).problems == []
    problems = [str(one) for one in check_text(unnamed).problems]
    if text is None:
        assert problems == []
    else:
        (problem,) = problems
        assert f"{game} is not a game of a casino night (13:47-20.4, 20.10(a)): it is played by {text}" in problem
