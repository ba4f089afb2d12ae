"""Lines that one board works with together, and the link whose messages it carries: where they may be."""

from __future__ import annotations

from pathlib import Path

from controller.games.load import check_text
from tests.tables.bench import configured
from tests.tables.problems import problem_lines

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
FIVE = (EXAMPLES / "skill_stop_five_reels_board.toml").read_text(encoding="utf-8")
PINS = """\
[table]
id = "reel-1"
game = "skill_stop_reel"
no_more_bets = "auto"
[lines]
backend = "gpiod"
chip = "pinctrl-rp1"
[pins]
reel_1_home = { gpio = 5 }
reel_2_home = { gpio = 6 }
reel_3_home = { gpio = 12 }
stop_1 = { gpio = 13 }
stop_2 = { gpio = 16 }
stop_3 = { gpio = 19 }
token_in_1 = { gpio = 20 }
token_in_2 = { gpio = 21 }
"""


def test_each_board_carries_the_link_of_its_own_reels() -> None:
    config = configured(FIVE)
    assert {board: config.carried_by(board) for board in config.boards} == {
        "left": ["reels"],
        "right": ["reels_2"],
        "cabinet": [],
    }


def test_reels_on_pins_of_the_pi_are_refused_line_by_line() -> None:
    problems = [one for one in problem_lines(check_text(PINS)) if "warning" not in one]
    assert len(problems) == 6
    assert all('write backend = "board" in [lines], with a board of kind = "reel"' in one for one in problems)
    assert problems[0].startswith("9: pins.reel_1_home: is on a pin of the Pi")


def test_a_reel_whose_button_is_at_another_board_is_refused() -> None:
    swapped = FIVE.replace('stop_3 = { board = "left"', 'stop_3 = { board = "right"')
    (problem,) = [one for one in problem_lines(check_text(swapped)) if "warning" not in one]
    assert "pins.stop_3: is on the board right, and reel_1_home on the board left" in problem
    assert problem.endswith("wire it to the board left")


def test_a_reel_at_a_terminal_of_another_is_refused_with_its_own() -> None:
    swapped = FIVE.replace("input = 5 }\nstop_3", "input = 8 }\nstop_3")
    (problem,) = [one for one in problem_lines(check_text(swapped)) if "warning" not in one]
    assert 'write stop_2 = { board = "left", input = 5 }' in problem


def test_the_link_of_a_board_is_no_serial_port() -> None:
    text = FIVE + '\n[links]\nreels = { port = "/dev/ttyUSB9" }\n'
    problems = problem_lines(check_text(text))
    assert any("links.reels: is carried by the board of reel_1_home" in one for one in problems)
    text = FIVE + 'reels = { board = "left", input = 7 }\n'
    assert any("pins.reels: is carried by the board" in one for one in problem_lines(check_text(text)))
