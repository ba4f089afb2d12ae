"""What a board of roulette counts, against the results as a person would count them with a pencil.

The reference walks around the wheel and through the results one by one, and has no set and no formula of the board's.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.wheel.faces import AMERICAN, EUROPEAN, ORDERS
from feed import events
from scoreboard.board import Live, view_of
from scoreboard.roulette_figures import neighbors
from tests.fakes.board_site import RED, PlayedTable

Result = dict[str, Any]

THIRTY_SIX = {
    "dozens": [range(1, 13), range(13, 25), range(25, 37)],
    "columns": [range(first, 37, 3) for first in (1, 2, 3)],
    "halves": [range(1, 19), range(19, 37)],
}


def result(pocket: str) -> Result:
    color = "green" if set(pocket) == {"0"} else "red" if int(pocket) in RED else "black"
    return {"pocket": pocket, "index": 0, "color": color}


def walked(first: str, last: str) -> list[str]:
    """The pockets of the single-zero wheel from one to another, clockwise."""
    at, found = EUROPEAN.index(first), [first]
    while found[-1] != last:
        at += 1
        found.append(EUROPEAN[at % len(EUROPEAN)])
    return found


ARCS = {
    "voisins": walked("22", "25"),
    "orphelins": [*walked("1", "9"), *walked("17", "6")],
    "tiers": walked("27", "33"),
}
"""As a croupier names them: 22 to 25, 27 to 33, and the two parts between."""


def table(results: list[str], order: list[str], history: int, **opened: Any) -> PlayedTable:
    made = PlayedTable("roulette-1", "roulette")
    values = [pocket for pocket in order if pocket not in opened.pop("void", ())]
    keys = [events.StatisticsKey(field="pocket", values=[*values], wheel_order=[*order])]
    made.open(statistics=keys, history=history, **opened)
    made.played(result(pocket) for pocket in results)
    return made


def figures(of: PlayedTable) -> dict[str, Any]:
    """As a page has them."""
    board = msgspec.json.decode(msgspec.json.encode(view_of(of.state, Live())))
    found: dict[str, Any] = board["details"]["figures"]
    return found


def runs(letters: str) -> tuple[list[str], str]:
    """The longest runs of letters, and the one with which it ends; a dash belongs to none."""
    every = [found.group() for found in re.finditer(r"([^-])\1*", letters)]
    most = max(map(len, every), default=0)
    ends = re.search(r"([^-])\1*\Z", letters)
    return sorted({one for one in every if len(one) == most}), ends.group() if ends else ""


NAMES = {"r": "red", "b": "black", "e": "even", "o": "odd", "l": "low", "h": "high"}


@given(
    wheel=st.sampled_from(sorted(ORDERS)),
    history=st.integers(20, 60),
    data=st.data(),
)
def test_every_figure_is_what_a_person_counts(wheel: str, history: int, data: st.DataObject) -> None:
    order = [*ORDERS[wheel]]
    void = ["00"] if wheel == "american_as_single_zero" else []
    outcomes = [pocket for pocket in order if pocket not in void]
    results = data.draw(st.lists(st.sampled_from(outcomes), max_size=80))
    shown = figures(table(results, order, history, void=void))
    window = results[-history:]
    numbers = [int(pocket) for pocket in window if pocket not in ("0", "00")]
    odd = [number for number in numbers if number % 2]

    assert shown["counted"] == len(window)
    assert shown["colors"] == {
        "red": len([n for n in numbers if n in RED]),
        "black": len([n for n in numbers if n not in RED]),
        "green": len(window) - len(numbers),
    }
    assert shown["parity"] == {"even": len(numbers) - len(odd), "odd": len(odd)}
    for name, groups in THIRTY_SIX.items():
        assert shown[name] == [len([n for n in numbers if n in group]) for group in groups]

    sectors = shown.get("sectors", [])
    if wheel == "european":
        assert {one["name"]: (one["pockets"], one["count"]) for one in sectors} == {
            name: (len(arc), len([pocket for pocket in window if pocket in arc])) for name, arc in ARCS.items()
        }
        assert sum(one["count"] for one in sectors) == len(window)
    else:
        assert sectors == []

    around = shown.get("neighbors", [])
    assert bool(around) == bool(window)
    if around:
        turned = [*order, *order, *order]
        middle = len(order) + order.index(window[-1])
        assert around == [[pocket, window.count(pocket)] for pocket in turned[middle - 2 : middle + 3]]

    letters = {
        "color": ["-" if n in ("0", "00") else "r" if int(n) in RED else "b" for n in window],
        "parity": ["-" if n in ("0", "00") else "eo"[int(n) % 2] for n in window],
        "half": ["-" if n in ("0", "00") else "l" if int(n) <= 18 else "h" for n in window],
    }
    for run in shown["runs"]:
        longest, current = runs("".join(letters.pop(run["kind"])))
        assert run["current"] == ([NAMES[current[0]], len(current)] if current else None)
        assert sorted(run["longest"]) == sorted([NAMES[one[0]], len(one)] for one in longest)
    assert letters == {}


@given(st.permutations(EUROPEAN))
def test_a_wheel_of_another_order_has_no_sectors_unless_they_are_side_by_side_on_it(order: list[str]) -> None:
    def is_side_by_side(arc: list[str]) -> bool:
        turns = [[*order[at:], *order[:at]] for at in range(len(order))]
        return any(set(turn[: len(arc)]) == set(arc) for turn in turns)

    wanted = is_side_by_side(ARCS["voisins"]) and is_side_by_side(ARCS["tiers"])
    assert bool(figures(table(["5"], order, 20)).get("sectors")) == wanted


@pytest.mark.parametrize("turns", [0, 1, 20])
@pytest.mark.parametrize("step", [1, -1])
def test_the_single_zero_wheel_has_its_sectors_from_wherever_it_is_read(turns: int, step: int) -> None:
    order = [*EUROPEAN[turns:], *EUROPEAN[:turns]][::step]
    assert [one["name"] for one in figures(table(["5"], order, 20))["sectors"]] == ["voisins", "orphelins", "tiers"]


def test_neighbours_of_zero_are_those_on_the_wheel() -> None:
    assert neighbors("0", EUROPEAN) == ["3", "26", "0", "32", "15"]
    assert neighbors("0", AMERICAN) == ["14", "2", "0", "28", "9"]


def test_no_order_has_no_neighbours_and_a_small_one_no_pocket_twice() -> None:
    assert neighbors("5", []) == neighbors("5", ["1", "2"]) == neighbors("5", ["5", "1", "5"]) == []
    assert neighbors("2", ["1", "2", "3", "0"]) == ["1", "2", "3"]


@pytest.mark.parametrize("numbers", [10, 12, 25, 27])
def test_halves_dozens_and_columns_are_those_of_the_houses_own_wheel(numbers: int) -> None:
    made = PlayedTable("roulette-1", "roulette", house_rules=True)
    values = ["0", *map(str, range(1, numbers + 1))]
    made.open(statistics=[events.StatisticsKey(field="pocket", values=[*values])])
    made.played(result(pocket) for pocket in values)
    shown = figures(made)
    assert shown.get("halves", []) == ([] if numbers % 2 else [numbers // 2] * 2)
    assert shown.get("dozens", []) == shown.get("columns", []) == ([] if numbers % 3 else [numbers // 3] * 3)
    assert [run["kind"] for run in shown["runs"]] == ["color", "parity", *([] if numbers % 2 else ["half"])]
    assert "neighbors" not in shown
    assert "sectors" not in shown


ODD = ["", "-3", "7" * 5000, "٣", "50", "00000", "+1", " 5", "5.0", "\0", 17, -1, None]


@given(st.lists(st.sampled_from(ODD), max_size=12))
def test_pockets_of_no_wheel_are_counted_nowhere_else(pockets: list[Any]) -> None:
    made = PlayedTable("roulette-1", "roulette")
    made.open()
    made.played({"pocket": pocket, "index": 0, "color": "blue"} for pocket in pockets)
    shown = figures(made)
    assert shown["colors"] == {"red": 0, "black": 0, "green": 0}
    numbers = [*map(str, range(1, 37))]
    assert sum(shown["dozens"]) == len([one for one in map(str, pockets) if one in numbers])


def test_the_last_spin_is_that_of_the_last_verdict() -> None:
    made = table(["5"], [*EUROPEAN], 20)
    assert "spin" not in figures(made)
    evidence = {"direction": "clockwise", "rotor_direction": "counter-clockwise", "rotor_rpm": 24.5}
    made.played([result("5")], **evidence)
    spin = {"round": 2, "ball": "clockwise", "rotor": "counter-clockwise", "rotor_rpm": 24.5}
    assert figures(made)["spin"] == spin
    made.bets()
    assert figures(made)["spin"] == spin
    made.void("ball_direction")
    assert "spin" not in figures(made)


def test_a_correction_counts_as_it_is_now() -> None:
    made = table(["1", "3", "2"], [*EUROPEAN], 20)
    assert figures(made)["runs"][0]["longest"] == [["red", 2]]
    made.correct(3, result("2"), result("9"))
    assert figures(made)["runs"][0]["current"] == ["red", 3]
    made.correct(3, result("9"), None)
    assert figures(made)["counted"] == 2
