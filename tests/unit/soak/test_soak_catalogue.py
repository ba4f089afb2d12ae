"""Every soak test belongs to one soak, so that `make soak` runs all of them once."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from tests.oracle.wear import RUNS_A_DAY
from tests.soak.catalogue import BESIDE, MOST_S, SOAKS, Soak
from tests.soak.dependencies import loaded_by
from tests.soak.opened import opened_by
from tests.soak.source import ROOT

MARKS = ("pytest.mark." + "soak", "from tests.shares" + " import")


def test_each_file_with_soak_tests_belongs_to_one_soak() -> None:
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if any(mark in path.read_text(encoding="utf-8") for mark in MARKS)
    }
    named = Counter(file for soak in SOAKS for file in soak.files)
    assert set(named) == marked
    assert set(named.values()) == {1}


def test_names_are_unique() -> None:
    assert len({soak.name for soak in SOAKS}) == len(SOAKS)


@pytest.mark.parametrize("soak", SOAKS, ids=lambda soak: soak.name)
def test_the_pieces_make_up_the_whole(soak: Soak) -> None:
    whole = soak.pieces(soak.amount)
    assert sum(piece.amount for piece in whole) == soak.amount
    assert len({piece.name for piece in whole}) == len(whole)
    assert whole == soak.pieces(soak.amount)
    share = soak.pieces(1)
    assert share == whole[: len(share)]
    assert len(share) == 1


def test_all_end_within_two_hours_of_two_cores_but_for_those_that_run_beside_them() -> None:
    others = [soak for soak in SOAKS if soak.name not in BESIDE]
    assert len(SOAKS) - len(others) == len(BESIDE)
    assert min(soak.cpu_s for soak in others) > 0
    assert sum(soak.cpu_s for soak in others) <= MOST_S
    assert sum(soak.elapsed_s for soak in others) <= MOST_S


def test_those_that_run_beside_the_others_come_last() -> None:
    beside = [soak.name in BESIDE for soak in SOAKS]
    assert beside == sorted(beside)


@pytest.mark.parametrize("name", ["corrupted-money-wheel", "corrupted-roulette"])
def test_corrupted_rounds_leave_out_no_seed(name: str) -> None:
    soak = SOAK[name]
    pieces = soak.pieces(soak.amount)
    firsts = [int(piece.arguments[-2]) for piece in pieces]
    assert firsts[0] == 0
    (a_piece,) = {int(piece.arguments[-1]) for piece in pieces}
    assert {later - earlier for earlier, later in pairwise(firsts)} == {a_piece}
    assert firsts[-1] + a_piece == sum(piece.amount for piece in pieces) == soak.amount


def test_the_days_of_a_wheels_life_are_spread_over_seven_years() -> None:
    soak = SOAK["wheel-life"]
    days = [int(piece.arguments[-2]) / RUNS_A_DAY for piece in soak.pieces(soak.amount)]
    assert {round(later - earlier) for earlier, later in pairwise(days)} == {90}
    assert days[-1] + 90 > 7 * 365


CORRUPTED_ROUNDS = """
from tests.soak.corrupted_rounds import ROUNDS, main
for wheel in ROUNDS:
    main([wheel, "1", "3"])
"""


def test_corrupted_rounds_load_nothing_but_what_their_records_depend_on() -> None:
    opened = opened_by(CORRUPTED_ROUNDS)
    assert {"drivers/roulette/rotor.py", "tests/oracle/wear.py"} <= opened
    assert [file for file in opened if not loaded_by(SOAK["wheel-life"])(file)] == []


SOAK = {soak.name: soak for soak in SOAKS}


@pytest.mark.parametrize(
    ("name", "file", "loaded"),
    [
        ("card-shoes", "drivers/cards/anything_new.py", True),
        ("card-shoes", "tests/fakes/model_board.py", True),
        ("card-shoes", "tests/conftest.py", True),
        ("card-shoes", "tests/soak/parts.py", True),
        ("card-shoes", "tests/soak/runner.py", False),
        ("card-shoes", "tests/systems/kicad.py", False),
        ("card-shoes", "tests/firmware/test_pico.py", False),
        ("card-shoes", "firmware/core/edges.c", True),
        ("card-shoes", "firmware/hardware/blocks.py", False),
        ("card-shoes", "controller/boards/sheets/reel.toml", False),
        ("circuits", "firmware/hardware/blocks.py", True),
        ("circuits", "controller/boards/sheets/reel.toml", True),
        ("board-play", "tests/firmware/test_play_on_boards.py", True),
        ("board-play", "tests/firmware/test_examples_on_boards.py", True),
        ("board-play", "tests/firmware/test_wiring.py", False),
        ("board-play", "firmware/core/edges.c", True),
        ("board-play", "controller/table/sequencer.py", True),
        ("board-play", "controller/journal/anything.py", False),
        ("board-play", "bridges/anything.py", False),
        ("board-play", "docs/feed.md", False),
        ("board-play", "tests/fakes/adapters.py", True),
        ("board-play", "tests/fakes/marked_shoe.py", False),
        ("board-play", "tests/conformance/made.py", False),
        ("firmware-repeats", "tests/firmware/test_wiring.py", True),
        ("firmware", "tests/firmware/test_core_session.py", True),
        ("firmware", "tests/firmware/test_emulated_wheel.py", True),
        ("boards", "tests/firmware/test_core_session.py", False),
        ("benchmarks", "tests/soak/source.py", True),
        ("benchmarks", "tests/costs/service_scripts.py", True),
        ("card-shoes", "tests/costs/service_scripts.py", False),
        ("video-tables", "docs/devices/skill-stop-video.md", True),
        ("video-tables", "docs/proofs.md", False),
        ("scoreboard", "docs/pictures/board.txt", True),
        ("card-shoes", "docs/pictures/board.txt", False),
        ("wheel-life", "tests/unit/controller/test_anything.py", False),
        ("wheel-life", "controller/anything.py", True),
        ("wheel-life", "pyproject.toml", True),
        ("wheel-life", "drivers/anything_new.py", True),
        ("wheel-life", "drivers/cards/anything_new.py", False),
        ("wheel-life", "drivers/wheel/anything/new.py", True),
        ("wheel-life", "tests/conftest.py", False),
        ("wheel-life", "firmware/core/edges.c", False),
    ],
)
def test_a_record_depends_on_each_file_that_its_piece_may_load(name: str, file: str, loaded: bool) -> None:
    assert loaded_by(SOAK[name])(file) is loaded


def test_of_each_soak_its_own_files_count() -> None:
    assert all(loaded_by(soak)(file) for soak in SOAKS for file in soak.files)
