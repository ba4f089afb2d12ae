"""Card equipment as devices: its lines, and what makes them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from drivers.base.device_spec import Device, DeviceSpec, LineUse, Recorded, RecordedError
from drivers.cards.movements import shoe_movements
from drivers.cards.shoe import BARRIERS, CUT, EMPTY, JAM, LID, MOUTH, OUTSIDE, Shoe, ShoeConfig


def shoe_lines(config: ShoeConfig) -> dict[str, LineUse]:
    """The lines of a reading shoe: its barriers, the sensors of its body, and its link."""
    lines: dict[str, LineUse] = {}
    covered, output = "a card covers it", "output of the light barrier"
    if config.barriers:
        lines[MOUTH] = LineUse("light barrier 1 of the shoe, at its mouth", covered, output)
        lines[OUTSIDE] = LineUse("light barrier 2 of the shoe, outside the mouth", covered, output)
    if config.body:
        at_mouth = "the cutting card is at the mouth"
        lines[CUT] = LineUse("sensor of the cutting card", at_mouth, "output of the sensor", required=False)
        lines[EMPTY] = LineUse("sensor of an empty shoe", "no card is in it", "output of the sensor", required=False)
        lines[LID] = LineUse("lid of the shoe", "the lid is open", "output of the lid's switch", required=False)
        lines[JAM] = LineUse("jam of the shoe", "a card is jammed", "output JAM of the shoe", required=False)
    lines[config.link] = LineUse("reading shoe", "19200 8N1", "serial port of the shoe", "link")
    return lines


def _shoe(keys: ShoeConfig, name: str, parts: Sequence[str]) -> Device:
    return Device(Shoe(keys))


def _recorded(keys: ShoeConfig, name: str, wires: Collection[str]) -> ShoeConfig:
    """A capture has both barriers of a shoe, or none."""
    seen = [line for line in BARRIERS if line in wires]
    if len(seen) == 1:
        other = BARRIERS[1 - BARRIERS.index(seen[0])]
        raise RecordedError(f"the capture has {seen[0]} and no {other}", "record both barriers of the shoe, or none")
    return msgspec.structs.replace(keys, barriers=bool(seen))


SHOE = DeviceSpec(
    name="shoe",
    keys=ShoeConfig,
    lines=shoe_lines,
    make=_shoe,
    deals_cards=True,
    recorded=Recorded(BARRIERS, _recorded),
    movements=lambda keys, wired: shoe_movements(keys),
)
