"""The parity of a serial device's link: from its entry in `[links]` to the port that is opened."""

from __future__ import annotations

import pytest

from controller.games.load import check_text
from controller.live.wiring import PARITY, wire
from hal.clock import VirtualClock
from tests.tables.problems import only_problem

LINK = "wheel_serial"


def toml(keys: str) -> str:
    return (
        '[table]\nid = "roulette-3"\ngame = "roulette"\nno_more_bets = "auto"\n[lines]\nbackend = "capture"\n'
        f'[device.wheel]\ndriver = "star_x"\nlink = "{LINK}"\n[links]\n{LINK} = {{ port = "loop://"{keys} }}\n'
    )


@pytest.mark.parametrize(("keys", "parity"), [("", "N"), (', parity = "even"', "E"), (', parity = "odd"', "O")])
def test_a_link_is_opened_with_the_parity_of_its_entry(keys: str, parity: str) -> None:
    (config,) = check_text(toml(keys)).tables
    wiring = wire(config, VirtualClock(), {}, 1)
    assert wiring.links[LINK].settings.parity == parity
    assert set(PARITY.values()) == {"N", "E", "O"}


def test_another_word_for_a_parity_is_refused_with_those_that_there_are() -> None:
    line = only_problem(toml(', parity = "evne"'))
    assert "parity" in line
    assert "even" in line
