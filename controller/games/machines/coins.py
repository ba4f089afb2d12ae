"""Coin equipment at a machine: its place in the table's file, what may be wrong there, and its simulated devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SetUp, Slot
from controller.games.machines.coin_faults import COINS
from drivers.coins.coin_bus import CctalkConfig

if TYPE_CHECKING:
    from simulators.coins.equipment import CoinGeometry

SLOT_OF_COINS: Final[Mapping[str, Slot]] = {COINS: Slot(("cctalk",), always=False)}
"""`[device.coins]`: an acceptor and a hopper on one bus. The acceptor takes the place of a chute."""


def coin_findings(setup: SetUp) -> list[ConfigFinding]:
    """A machine has one way in for its tokens: a chute, or an acceptor."""
    coins = setup.devices.get(COINS)
    if coins is None:
        return []
    keys = coins.keys(CctalkConfig)
    if keys.acceptor and "chute" in setup.devices:
        wrong = "tokens come in by the acceptor, and by the chute: one of them would be counted twice"
        fix = "leave [device.chute] out, or give acceptor = 0 where the bus has only a hopper"
        return [ConfigFinding(("device", "chute"), wrong, fix)]
    if not keys.acceptor and "chute" not in setup.devices:
        fix = "add [device.chute], or give the acceptor's address, such as 2"
        return [ConfigFinding(("device", COINS, "acceptor"), "no token can be inserted: there is no acceptor", fix)]
    return []


def acceptor_findings(setup: SetUp) -> list[ConfigFinding]:
    """Tokens come in by one way: where the machine's own board counts them, by no other."""
    wrong = "tokens come in by the board's acceptor already"
    return [
        ConfigFinding(("device", other), wrong, f"leave [device.{other}] out")
        for other in ("chute", COINS)
        if other in setup.devices
    ]


def coin_geometry(keys: CctalkConfig) -> CoinGeometry:
    """The simulated devices of these keys."""
    from simulators.coins.equipment import CoinGeometry

    return CoinGeometry(
        link=keys.link,
        acceptor=keys.acceptor,
        hopper=keys.hopper,
        coin=keys.coins[0],
        checksum=keys.checksum,
        echo=keys.echo,
        dispense_count=keys.dispense_count,
    )
