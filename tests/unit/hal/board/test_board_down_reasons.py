"""Why a board is down, in words for people."""

from __future__ import annotations

from hal.board import down_reasons as reasons


def test_a_port_that_cannot_be_had_is_looked_for_in_the_boards_section() -> None:
    said = reasons.port("wheel", "/dev/ttyUSB0", "no such file")
    assert said == "no such file; check its cable, its power, and port = … under [board.wheel]"


def test_a_board_that_is_named_by_its_port_alone_has_no_section_to_look_into() -> None:
    said = reasons.port("/dev/ttyUSB0", "/dev/ttyUSB0", "no such file")
    assert said == "no such file; check its cable, its power, and the name of the port"
