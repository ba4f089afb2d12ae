"""Lamps that fail are named: a few by their areas, many by their number."""

from __future__ import annotations

import pytest

from drivers.lamps.lamp_board import MOST_NAMED, LampActuator, LampBoardConfig, LampsRead

CHAIN = range(1, 51)


def said_of(asked: range, *, dead: range = range(0), stuck: range = range(0)) -> str:
    """The failure of a chain of which these lamps were asked for."""
    watch = LampActuator(LampBoardConfig(), lambda lamp: f"area {lamp}")
    watch.light(asked, 0)
    watch.observe(LampsRead(t_ns=1, commanded=frozenset(asked), dead=frozenset(dead), stuck=frozenset(stuck)))
    assert watch.failure is not None
    return watch.failure


@pytest.mark.parametrize("wrong", [1, MOST_NAMED])
def test_a_few_wrong_lamps_are_all_named(wrong: int) -> None:
    said = said_of(CHAIN, dead=range(1, wrong + 1))
    assert said == "; ".join(f"area {lamp}, lamp {lamp}, is dead" for lamp in range(1, wrong + 1))


def test_a_dead_chain_is_told_in_one_short_line() -> None:
    assert said_of(CHAIN, dead=CHAIN) == "all 50 lamps that were to be lit are dead"


def test_of_many_wrong_lamps_the_first_are_named_and_the_others_counted() -> None:
    said = said_of(range(1, 11), dead=range(3, 6), stuck=range(20, 51))
    assert said.startswith("area 3, lamp 3, is dead; area 4, lamp 4, is dead")
    assert said.endswith("area 21, lamp 21, is stuck; and 29 lamps more")
