"""The door's contact: a cut wire must be an open door (OAC 325:85-15-49: a sensor that cannot be defeated unseen)."""

from __future__ import annotations

import pytest

from controller.games.load import check_text

TOML = """
[table]
id = "pusher-1"
game = "token_pusher"
no_more_bets = "auto"
[lines]
backend = "gpiod"
chip = "pinctrl-rp1"
[pins]
token_in_1 = {{ gpio = 5, pull = "up" }}
token_in_2 = {{ gpio = 6, pull = "up" }}
shelf_shaft = {{ gpio = 13, pull = "up" }}
fall_player = {{ gpio = 19, pull = "up" }}
fall_house = {{ gpio = 26, pull = "up" }}
door = {{ gpio = 21{more} }}
"""


@pytest.mark.parametrize("more", [', pull = "up"', ', pull = "down", inverted = true'])
def test_t2_43_a_contact_whose_cut_wire_is_an_open_door_is_right(more: str) -> None:
    assert check_text(TOML.format(more=more)).errors == []


@pytest.mark.parametrize("more", ["", ', pull = "down"', ', pull = "up", inverted = true'])
def test_t2_43_a_contact_whose_cut_wire_would_be_a_closed_door_is_refused(more: str) -> None:
    (problem,) = check_text(TOML.format(more=more)).errors
    assert "pins.door" in str(problem)
    assert "a cut wire would be the same as a closed contact" in str(problem)
    assert 'write pull = "up" without inverted, and wire the contact to ground' in str(problem)
