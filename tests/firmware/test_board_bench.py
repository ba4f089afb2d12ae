"""The benchmark of the boards measures what it says. How fast this machine is, is nothing that a test says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from random import Random

import pytest

from benchmarks.board_rig import Heard
from benchmarks.boards import (
    BOARDS_SMALLEST,
    FIRMWARE,
    LINES,
    at_random,
    board_lines,
    bursts,
    must_be_all,
    play,
    steady,
)
from benchmarks.figures import Quantity
from benchmarks.measure import WrongWorkError
from benchmarks.records import of_lines
from hal.values import Edge
from tests.firmware.emulated import built


@pytest.mark.soak
def test_every_line_has_a_figure() -> None:
    built("wheel.elf")
    lines = list(board_lines(BOARDS_SMALLEST))
    assert all(line.name and line.value for line in lines)
    kept = [figure.key for figure in of_lines("Boards", lines)]
    # All but the bursts, which are whole.
    assert len({*kept}) == len(kept) >= len(lines) - 1
    rate = lines[0]
    assert rate.name == "edges/s without loss"
    assert isinstance(rate.value, Quantity)
    assert rate.value.number > 2_080
    assert rate.ratio is not None
    assert rate.ratio > 1


def test_the_firmware_builds_in_the_environment_of_a_benchmark_of_compiled_modules() -> None:
    """Its scripts import each other from their own folder, which Python does not look in there."""
    show = "shown:\n\t@echo [$$PYTHONSAFEPATH]"
    words = ["make", "-s", "-C", str(FIRMWARE), f"--eval={show}", "shown"]
    made = subprocess.run(words, env={**os.environ, "PYTHONSAFEPATH": "1"}, capture_output=True, text=True, check=True)
    assert made.stdout == "[]\n"


def test_a_sustained_rate_with_a_loss_is_no_figure(tmp_path: Path) -> None:
    built("wheel.elf")
    edges = steady(LINES, 12_000, 1)
    with pytest.raises(WrongWorkError, match=r"expected 12000 edges without loss, saw \d+, \d+ missing and \d+ losses"):
        must_be_all(play(tmp_path / "port", edges), edges)


def test_an_edge_that_never_came_is_no_figure() -> None:
    edges = steady(LINES, 1_000, 0.01)
    with pytest.raises(WrongWorkError, match="expected 10 edges without loss, saw 9"):
        must_be_all(Heard(edges=edges[:-1]), edges)


@pytest.mark.parametrize("edges", [steady(LINES, 5_000, 0.1), bursts(LINES, 3)], ids=["steady", "bursts"])
def test_each_edge_changes_its_line_and_none_comes_before_another(edges: list[Edge]) -> None:
    check_order(edges)


def test_edges_at_random_do_so_too() -> None:
    check_order(at_random(LINES, 100, Random(3)))


def check_order(edges: list[Edge]) -> None:
    levels = dict.fromkeys(LINES, 0)
    for edge in edges:
        assert edge.level != levels[edge.line]
        levels[edge.line] = edge.level
    assert [edge.t_ns for edge in edges] == sorted(edge.t_ns for edge in edges)
