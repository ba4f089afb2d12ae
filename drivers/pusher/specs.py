"""The bed of a token pusher as a device: its lines, and what makes it."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.base.device_spec import Device, DeviceSpec, LineUse
from drivers.pusher.bed import FALL_HOUSE, FALL_PLAYER, SHAFT, TILT, PusherBed, PusherBedConfig
from drivers.pusher.board import PusherBoard, PusherBoardConfig
from drivers.pusher.board_actuator import PusherBoardActuator


def bed_lines(config: PusherBedConfig) -> dict[str, LineUse]:
    """The sensors of a bed."""
    del config  # its keys change no wires
    fell, opto = "a token falls past it", "output of the opto"
    return {
        SHAFT: LineUse("shaft of the shelf's motor", "a slot of its disc", opto),
        FALL_PLAYER: LineUse("edge over the player's tray", fell, opto),
        FALL_HOUSE: LineUse("edges over the house's box", fell, opto),
        TILT: LineUse("tilt bob", "the bob touches its ring", "ring of the tilt bob", required=False),
    }


def _bed(keys: PusherBedConfig, name: str, parts: Sequence[str]) -> Device:
    return Device(PusherBed(keys, name))


def board_lines(config: PusherBoardConfig) -> dict[str, LineUse]:
    """The messages of the machine's own board, which has every sensor."""
    return {config.link: LineUse("the machine's own board", "its messages", "the board's own", "link")}


def _board(keys: PusherBoardConfig, name: str, parts: Sequence[str]) -> Device:
    return Device(PusherBoard(keys, name), PusherBoardActuator(keys, name))


PUSHER_BOARD = DeviceSpec(name="pusher_board", keys=PusherBoardConfig, lines=board_lines, make=_board)
PUSHER_BED = DeviceSpec(name="pusher_bed", keys=PusherBedConfig, lines=bed_lines, make=_bed)
