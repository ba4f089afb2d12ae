"""What `check` says of coin equipment in a table's file."""

from __future__ import annotations

import pytest

from controller.games.load import check_text
from tests.tables.bench import configured
from tests.tables.coin_machine import coin_toml


def problems(text: str) -> list[str]:
    return [str(problem) for problem in check_text(text).errors]


def test_an_acceptor_takes_the_place_of_the_chute() -> None:
    config = configured(coin_toml())
    assert "coins" in config.devices
    assert "chute" not in config.devices
    assert config.uses["cctalk"].kind == "link"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("[device.chute]", "device.chute: tokens come in by the acceptor, and by the chute"),
        ("acceptor = 0", "device.coins.acceptor: no token can be inserted: there is no acceptor"),
        ("acceptor = 3", "device.coins.hopper: both devices at address 3; give each device an address of its own"),
        ("hopper = 1", "device.coins.hopper: address 1 is the host's own"),
        ("acceptor = 300", "device.coins.acceptor"),
        ('checksum = "crc"', "device.coins.checksum"),
        ("acepter = 2", 'did you mean "acceptor"'),
        ("coins = [17]", "device.coins.coins[0]"),
    ],
)
def test_what_is_wrong_is_named_with_its_key_and_fix(more: str, words: str) -> None:
    (problem,) = problems(coin_toml(more))
    assert words in problem


def test_a_hopper_alone_beside_a_chute_is_right() -> None:
    assert problems(coin_toml("acceptor = 0\n[device.chute]")) == []


def test_real_wires_need_the_port_of_the_bus() -> None:
    text = coin_toml().replace('backend = "sim"', 'backend = "gpiod"\nchip = "pinctrl-rp1"')
    assert any("cctalk" in problem for problem in problems(text))
