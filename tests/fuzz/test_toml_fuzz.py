"""Whatever a file holds: problems with a file and a line, or a table; never a traceback."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.configuration.document import read_document
from controller.games.load import CheckResult, check_documents, check_text

ROULETTE = """\
[table]
id = "roulette-1"
game = "roulette"
rules = "njac-13:47-20"
no_more_bets = "button"
[lines]
backend = "gpiod"
chip = "pinctrl-rp1"
[device.wheel]
driver = "roulette_wheel"
pockets = "american"
encoder_slots = 38
ball_sensors_deg = [
    0,
    100.0,   # degrees
    220,
]
[device.dealer]
[game]
[pins]
rotor_a = { gpio = 17, pull = "up", inverted = true }
rotor_b = { header = 13 }
rotor_index = { name = "GPIO22" }
ball_1.gpio = 23
ball_2.gpio = 24
ball_3 = { gpio = 25 }
pocket = { gpio = 5 }
dealer_no_more_bets = { gpio = 6, debounce_us = 5 }
"""
MONEY_WHEEL = """\
[table]
id = "wheel-1"
game = "money_wheel"
[lines]
backend = "sim"
[device.wheel]
sensing = "quadrature"
encoder_slots = 100
rest_s = 1.5
[game]
settle_after_s = 3.0
"""
BOARDS = """\
[table]
id = "wheel-2"
game = "money_wheel"
no_more_bets = "button"
[lines]
backend = "board"
[board.wheel]
kind = "wheel"
port = "/dev/serial/by-id/usb-1"
supply_v = 4.9
[board.desk]
kind = "reel"
port = "/dev/serial/by-id/usb-2"
[device.wheel]
index_width_deg = 4.95
[device.lamp]
[pins]
wheel_a = { board = "wheel", input = 1, pull = "up", inverted = true }
wheel_b = { board = "wheel", input = 2, pull = "none" }
wheel_index.board = "wheel"
wheel_index.input = 3
dealer_no_more_bets = { board = "desk", input = 8, inverted = true }
no_more_bets_lamp = { board = "wheel", output = 4 }
"""
PIECES = [
    "[", "]", "[[", "]]", "{", "}", "=", ".", ",", '"', "'", '"""', "'''", "#", "\n", "\r", "\0", "\\", "\\u12",
    "nan", "-inf", "1e999", "99999999999999999999", "0x", "1979-05-27T07:32:00Z", "true", "[pins]\n", "[table]\n",
    "[device]\n", "device = 1\n", "pins = []\n", "game.x = 1\n", "[device.wheel.driver]\n", "lines.backend.x = 2\n",
    "\u00e9", "\U0001f3b2", "\u0000", "x" * 200, "{a={b={c=[[[[{}]]]]}}}",
]  # fmt: skip

light = settings(max_examples=125, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def judge(report: CheckResult, lines: int) -> None:
    """What must hold for every report."""
    assert report.tables or report.problems
    for problem in report.problems:
        assert problem.file
        assert 1 <= problem.line <= lines
        assert problem.key
        assert problem.wrong
        assert problem.fix
        assert re.match(r"[^\n]+:\d+: [^\n]+: [^\n]+; [^\n]+\Z", str(problem)), str(problem)
        assert len(str(problem)) < 1500
    assert len(report.tables) == (0 if report.errors else 1)


def mutated(text: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 4)):
        at, width = rng.randrange(len(text) + 1), rng.choice([0, 0, 1, 1, 2, 5, 30])
        match rng.randrange(4):
            case 0:
                text = text[:at] + text[at + width :]
            case 1:
                text = text[:at] + rng.choice(PIECES) + text[at + width :]
            case 2:
                other = rng.randrange(len(text) + 1)
                text = text[:at] + text[other : other + 12] + text[at + width :]
            case _:
                lines = text.split("\n")
                rng.shuffle(lines)
                text = "\n".join(lines)
    return text


def test_the_files_that_the_fuzzer_starts_from_are_right() -> None:
    for text in (ROULETTE, MONEY_WHEEL, BOARDS):
        assert check_text(text).problems == []


@light
@given(st.sampled_from([ROULETTE, MONEY_WHEEL, BOARDS]), st.integers(0, 2**32))
def test_a_file_with_accidents_gives_problems_or_a_table(text: str, seed: int) -> None:
    broken = mutated(text, random.Random(seed))
    judge(check_text(broken), broken.count("\n") + 1)


@light
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_pieces_of_toml_in_any_order_give_problems_or_a_table(pieces: list[str]) -> None:
    text = "".join(pieces)
    judge(check_text(text), text.count("\n") + 1)


@light
@given(raw=st.binary(max_size=80))
def test_any_bytes_give_problems(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.toml"
    path.write_bytes(raw)
    judge(check_documents([read_document(path)]), raw.count(b"\n") + 1)


VALUES = [
    "0", "-1", "17", "1e308", "nan", "inf", "2.5", "true", '""', '"x"', '"GPIO17"', "[]", "[0]", "[0, 180]", "{}",
    "{ gpio = 17 }", "{ input = 9 }", '{ output = -1, board = "desk" }', "[[1], [2]]", '["$1"]',
    "1979-05-27", "07:32:00", "99999999999999999999999", '"\\u0000\\n"',
]  # fmt: skip


@light
@given(
    st.sampled_from([ROULETTE, BOARDS]),
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from(VALUES)), min_size=1, max_size=5),
)
def test_any_value_for_any_key_gives_problems_or_a_table(start: str, changes: list[tuple[int, str]]) -> None:
    lines = start.split("\n")
    keyed = [n for n, line in enumerate(lines) if "=" in line]
    for which, value in changes:
        line = keyed[which % len(keyed)]
        lines[line] = f"{lines[line].split('=')[0]}= {value}"
    text = "\n".join(lines)
    judge(check_text(text), text.count("\n") + 1)


@pytest.mark.soak
def test_a_great_many_files_with_accidents() -> None:
    for seed in range(20_000):
        broken = mutated((ROULETTE, MONEY_WHEEL, BOARDS)[seed % 3], random.Random(seed))
        judge(check_text(broken), broken.count("\n") + 1)
