"""What is right and wrong in the file of a sic bo table, and how its lamps come to their board."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.configuration.lamp_chains import KINDS, board_of_lamps
from controller.games.load import check, check_text
from controller.live.wiring import wire
from hal.clock import VirtualClock
from hal.lamp_chain import KINDS as WITH_CHAIN
from hal.lines import LineError
from hal.values import LightLamps

ON_BOARD = Path(__file__).resolve().parents[3] / "examples" / "sic_bo_board.toml"
TABLE = '[table]\nid = "s"\ngame = "sic_bo"\nno_more_bets = "button"\n'


def wrong(text: str) -> dict[str, str]:
    """What is wrong, by key."""
    return {problem.key: problem.wrong for problem in check_text(text).errors}


def test_only_a_board_whose_chain_has_a_lamp_for_each_of_the_fifty_areas_can_have_them() -> None:
    assert set(KINDS) <= WITH_CHAIN
    assert KINDS == ("table",)
    reel = '[board.layout]\nkind = "reel"\nport = "/dev/serial/by-id/l"\n[device.lamp_board]\nboard = "layout"\n'
    assert wrong(f'{TABLE}[lines]\nbackend = "board"\n{reel}')["device.lamp_board.board"] == (
        '"layout" is not a board with lamps'
    )


def test_a_board_that_has_only_the_lamps_is_in_use() -> None:
    desk = '[board.desk]\nkind = "table"\nport = "/dev/serial/by-id/desk"\nserial = 2\n[device.shaker]'
    text = ON_BOARD.read_text().replace("[device.shaker]", desk).replace("{ input", '{ board = "desk", input')
    assert check_text(text.replace('kind = "table"\n', 'kind = "table"\nserial = 1\n', 1)).problems == []


def test_a_table_has_a_manual_shaker_unless_it_names_an_automated_one() -> None:
    by_hand = check_text(TABLE + '[lines]\nbackend = "sim"\n').tables[0]
    automated = check_text(TABLE + '[lines]\nbackend = "sim"\n[device.automated_shaker]\n').tables[0]
    assert "shaker" in by_hand.devices
    assert "shaker" not in automated.devices
    assert (by_hand.rules, automated.rules) == ("njac-13:69F", "njac-13:69F")


@pytest.mark.parametrize(("rules", "cite"), [("njac-19:47", "19:47-9.5(c)"), ("njac-13:69F", "13:69F-9.5(d)1")])
def test_fewer_shakes_than_the_text_wants_are_a_mistake(rules: str, cite: str) -> None:
    text = TABLE + f'rules = "{rules}"\n[lines]\nbackend = "sim"\n[device.shaker]\nminimum_shakes = '
    for shakes in (1, 2):
        expected = f"is {shakes}, and {cite} wants the shaker shaken at least 3 times"
        assert wrong(f"{text}{shakes}\n") == {"device.shaker.minimum_shakes": expected}
    for shakes in (3, 20):
        assert wrong(f"{text}{shakes}\n") == {}


def test_with_real_wires_the_lamps_want_a_board() -> None:
    found = wrong(TABLE + '[lines]\nbackend = "gpiod"\n')
    assert "the lamps hang on a board of the kind table, and there is none" in found["device.lamp_board.board"]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("", "is missing, and one and two can have the lamps"),
        ('[device.lamp_board]\nboard = "three"\n', '"three" is not a board with lamps'),
        ('[device.lamp_board]\nboard = "wheel"\n', '"wheel" is not a board with lamps'),
    ],
)
def test_with_several_boards_the_one_with_the_lamps_is_named_rightly(named: str, said: str) -> None:
    boards = "".join(
        f'[board.{name}]\nkind = "{kind}"\nport = "/dev/serial/by-id/{name}"\nserial = {number}\n'
        for number, (name, kind) in enumerate((("one", "table"), ("two", "table"), ("wheel", "wheel")), 1)
    )
    assert wrong(f'{TABLE}[lines]\nbackend = "board"\n{boards}{named}')["device.lamp_board.board"] == said


def test_the_chain_of_a_live_table_is_that_of_its_board() -> None:
    config = check([ON_BOARD]).tables[0]
    assert board_of_lamps(config.devices, config.boards) == "layout"
    wiring = wire(config, VirtualClock(0), {}, 1)
    assert set(wiring.chains) == {"lamps"}
    assert wiring.chains["lamps"] in wiring.sources
    wiring.show(LightLamps("lamps", frozenset({1}), 0))
    assert wiring.chains["lamps"].acknowledges, "nothing else of this table acknowledges the board's dead-man"


def test_lamps_that_no_board_has_are_refused_by_name() -> None:
    wiring = wire(check([ON_BOARD]).tables[0], VirtualClock(0), {}, 1)
    with pytest.raises(LineError, match="lamps sign: they are on no board"):
        wiring.show(LightLamps("sign", frozenset({1}), 0))


def test_a_serial_shaker_wants_its_link_and_one_on_lines_its_wires() -> None:
    sim = TABLE.replace('no_more_bets = "button"\n', "") + '[lines]\nbackend = "sim"\n[device.automated_shaker]\n'
    lines = check_text(sim).tables[0].uses
    serial = check_text(f'{sim}control = "serial"\npresent_sensor = true\n').tables[0].uses
    assert lines["shaker_start"].kind == "output"
    assert {"shaker_busy", "shaker_fault"} <= set(lines)
    assert serial["shaker_serial"].kind == "link"
    assert "automated_shaker_present" in serial
    assert "shaker_busy" not in serial
