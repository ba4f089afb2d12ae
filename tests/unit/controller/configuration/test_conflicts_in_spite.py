"""Conflicts between keys are reported beside keys that are wrong by themselves, unless they depend on one of those."""

from __future__ import annotations

import pytest

from controller.games.load import check_text
from tests.tables.problems import problem_lines

FILE = """\
[table]
id = "t-1"
game = "roulette"
{table}
[lines]
backend = "sim"
[device.wheel]
{wheel}
"""
NEEDS_INSPECTION = 'opens = "at_start"\ninspection = "opening"'
TWINS = "ball_sensors_deg = [0, 2, 90]"
APART = "two track sensors are 2 degrees apart"


def problems(table: str = "", wheel: str = "") -> str:
    return "\n".join(problem_lines(check_text(FILE.format(table=table, wheel=wheel))))


@pytest.mark.parametrize(
    ("table", "wheel", "also"),
    [
        (f"{NEEDS_INSPECTION}\nbias_watch = 3", "", 'is "at_start", but inspection = "opening"'),
        (f"{NEEDS_INSPECTION}\nbias_wach = true", "", 'is "at_start", but inspection = "opening"'),
        (f"{NEEDS_INSPECTION}\nlimits = 5", "", 'is "at_start", but inspection = "opening"'),
        ("limits = [{ minimum = 5 }]\nbias_watch = 3", "", "is missing, and limits need it"),
        ("", f"{TWINS}\npocket_tolerance = 3", APART),
        ("", f"{TWINS}\npokets = 'european'", APART),
        ("", f"{TWINS}\npockets = 'europaean'\nencoder_slots = 'x'", APART),
    ],
)
def test_a_conflict_that_no_wrong_key_is_part_of_is_reported_with_it(table: str, wheel: str, also: str) -> None:
    found = problems(table, wheel)
    assert len(found.splitlines()) >= 2
    assert also in found


@pytest.mark.parametrize(
    ("table", "wheel", "not_said"),
    [
        ('opens = "at_start"\ninspection = "opning"', "", 'is "at_start", but'),
        ("limits = 5\nlimits_unit = 'chips'", "", "has no limits to count"),
        ("limits = [{ minimum = 5 }]\nlimits_unit = 5", "", "is missing, and limits need it"),
        ("limits = [{ minimum = 5 }]\nlimits_unt = 'chips'", "", "is missing, and limits need it"),
        ("", "ball_sensors_deg = [0, 2, 900]", "degrees apart"),
        ("", "order = ['0', '00']\npockets = 'europaean'", "must name each pocket"),
    ],
)
def test_a_conflict_that_a_wrong_key_is_part_of_waits_until_it_is_right(table: str, wheel: str, not_said: str) -> None:
    found = problems(table, wheel)
    assert found
    assert not_said not in found


@pytest.mark.parametrize(
    ("table", "also"),
    [
        ('bias_watch = 3\nrules = "njac-99"', 'unknown profile "njac-99"'),
        ('bias_watch = 3\nrules = "njac-19:47"', "table.rules: "),
        ('bias_wach = true\nrules = "njac-99"', 'unknown profile "njac-99"'),
    ],
)
def test_the_rules_are_checked_though_another_key_of_the_table_is_wrong(table: str, also: str) -> None:
    found = problems(table)
    assert "table.bias_wa" in found
    assert also in found


def test_what_real_wires_need_is_reported_though_another_key_of_the_table_is_wrong() -> None:
    text = FILE.format(table="bias_watch = 3", wheel="").replace('"sim"', '"gpiod"')
    found = "\n".join(problem_lines(check_text(text)))
    assert "table.no_more_bets: is missing, and the backend gpiod needs it" in found
    assert "table.bias_watch: 3 is not true or false" in found
    text = text.replace('backend = "gpiod"', 'backend = "gpiod"\nchop = "x"')
    assert "table.no_more_bets: is missing" in "\n".join(problem_lines(check_text(text)))
    misspelt = text.replace("bias_watch = 3", 'no_more_bet = "auto"')
    assert "table.no_more_bets" not in "\n".join(problem_lines(check_text(misspelt)))


def test_faces_that_the_rules_do_not_have_are_reported_though_a_key_of_the_table_is_wrong() -> None:
    text = FILE.format(table="bias_watch = 3", wheel='faces = ["$1", "$2", "$5"]\nencoder_slots = 100')
    found = "\n".join(problem_lines(check_text(text.replace('"roulette"', '"money_wheel"'))))
    assert "device.wheel.faces: " in found


def test_a_board_without_a_kind_is_told_all_kinds() -> None:
    text = FILE.format(table='no_more_bets = "auto"', wheel="").replace('"sim"', '"board"')
    found = "\n".join(problem_lines(check_text(text + '[board.x]\nport = "/dev/serial/by-id/usb-1"\n')))
    assert 'board.x.kind: is missing; add kind = "pusher" or "reel" or "table" or "wheel"' in found
