"""Coin and token equipment as devices: their lines, and what makes them."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.base.device_spec import Device, DeviceSpec, LineUse, by_keys_and_name
from drivers.coins.cctalk_bus import CctalkBus
from drivers.coins.coin_bus import CctalkConfig, CoinBus
from drivers.coins.token_chute import INNER, OUTER, TokenChute, TokenChuteConfig
from hal.framing import ChunkFramer, Framer


def chute_lines(config: TokenChuteConfig) -> dict[str, LineUse]:
    """Both optos of a chute."""
    del config  # its keys change no wires
    covered, opto = "a token covers it", "output of the opto"
    return {
        OUTER: LineUse("opto 1 of the token chute, the outer one", covered, opto),
        INNER: LineUse("opto 2 of the token chute, the inner one", covered, opto),
    }


def cctalk_lines(config: CctalkConfig) -> dict[str, LineUse]:
    """The link of a ccTalk bus."""
    return {config.link: LineUse("ccTalk bus of acceptor and hopper", "9600 8N1", "adapter of the bus", "link")}


def _cctalk(keys: CctalkConfig, name: str, parts: Sequence[str]) -> Device:
    addresses = [address for address in (keys.acceptor, keys.hopper) if address]
    return Device(CctalkBus(keys.link, addresses, keys.checksum, name), CoinBus(keys, name))


def _framing(keys: CctalkConfig) -> Framer:
    """Gaps in time end its messages, so its driver gets the bytes as they come."""
    return ChunkFramer()


TOKEN_CHUTE = DeviceSpec(
    name="token_chute", keys=TokenChuteConfig, lines=chute_lines, make=by_keys_and_name(TokenChute)
)
CCTALK = DeviceSpec(name="cctalk", keys=CctalkConfig, lines=cctalk_lines, make=_cctalk, framing=_framing)
