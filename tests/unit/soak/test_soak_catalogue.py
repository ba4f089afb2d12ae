"""Every soak test belongs to one soak, so that `make soak` runs all of them once."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from tests.soak.catalogue import BESIDE, MOST_S, RUNS_A_PIECE, SOAKS, Soak
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


@pytest.mark.parametrize("soak", [soak for soak in SOAKS if soak.unit == "runs"], ids=lambda soak: soak.name)
def test_corrupted_rounds_leave_out_no_seed(soak: Soak) -> None:
    firsts = [int(piece.arguments[-2]) for piece in soak.pieces(soak.amount)]
    assert firsts[0] == 0
    assert {later - earlier for earlier, later in pairwise(firsts)} == {RUNS_A_PIECE}
