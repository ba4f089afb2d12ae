"""Lamp chain and puck as devices: their lines, and what makes them."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.base.device_spec import Device, DeviceSpec, LineUse
from drivers.lamps.lamp_board import LampActuator, LampBoard, LampBoardConfig
from drivers.lamps.puck import FIRE_LINES, POINT_LINES, PUCK_LINE, PuckActuator, PuckConfig
from hal.lamp_fields import CHAIN

WIRE = "input of the marker's driver or relay; a pin gives a few mA only"


def lamp_board_lines(config: LampBoardConfig) -> dict[str, LineUse]:
    """The lamp chain, which hangs on its board and takes no terminal of it."""
    del config  # the chain is where its board is
    purpose = "read-back of the lamp chain"
    return {CHAIN: LineUse(purpose, "its report", "lamp chain of the board", "link", required=False)}


def puck_lines(config: PuckConfig) -> dict[str, LineUse]:
    """The lines of puck and point markers; a table may have some of them."""
    del config  # a puck has no keys that change its wires
    purposes = {PUCK_LINE: "puck On/Off"}
    purposes |= {line: f"marker of the point {point}" for point, line in POINT_LINES.items()}
    purposes |= {line: f"marker of the fire bet's point {point}" for point, line in FIRE_LINES.items()}
    return {line: LineUse(purpose, "lit", WIRE, "output", required=False) for line, purpose in purposes.items()}


def _lamp_board(keys: LampBoardConfig, name: str, parts: Sequence[str]) -> Device:
    """`parts` names what each lamp represents, from place 1 on."""
    return Device(LampBoard(len(parts)), LampActuator(keys, lambda lamp: parts[lamp - 1], labels=parts))


def _puck(keys: PuckConfig, name: str, parts: Sequence[str]) -> Device:
    """`parts` are the lines of markers that the table has."""
    return Device(actuator=PuckActuator(parts))


LAMP_BOARD = DeviceSpec(name="lamp_board", keys=LampBoardConfig, lines=lamp_board_lines, make=_lamp_board)
PUCK = DeviceSpec(name="puck", keys=PuckConfig, lines=puck_lines, make=_puck)
