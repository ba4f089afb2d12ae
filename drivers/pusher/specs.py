"""The bed of a token pusher as a device: its lines, and what makes it."""

from __future__ import annotations

from drivers.base.device_spec import BoardOutput, BoardPlace, DeviceSpec, LineUse, by_keys_and_name
from drivers.pusher.bed import FALL_HOUSE, FALL_PLAYER, SHAFT, TILT, PusherBed, PusherBedConfig
from drivers.pusher.board import PLACES, PusherBoard, PusherBoardConfig
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


def board_lines(config: PusherBoardConfig) -> dict[str, LineUse]:
    """The sensors of the machine's own board, and its messages."""
    low = "output of the opto, which pulls low while nothing is there"
    wires = {
        "token_in": ("acceptor", "its pulse", "its output, open collector"),
        "win_a": ("win chute, upper beam", "a token covers it", low),
        "win_b": ("win chute, lower beam", "a token covers it", low),
        SHAFT: ("shaft of the shelf's motor", "a slot of its disc", low),
        "tilt": ("tilt switch", "it is tilted", "contact to ground that opens at a tilt; a tilt bob closes"),
        "hopper_coin": ("hopper's exit", "a token covers it", "output of the hopper, which pulls low at rest"),
    }
    lines = {
        line: LineUse(*wires[line], required=line != "hopper_coin", at=BoardPlace("pusher", place), beside=SHAFT)
        for line, place in PLACES.items()
    }
    driven = [
        BoardOutput("motor", "motor of the shelf", "gate of the transistor of the shelf's motor"),
        BoardOutput("accept", "acceptor may take tokens", "its inhibit, which high lifts"),
        BoardOutput("alarm", "alarm", "transistor of the alarm"),
    ]
    if config.hopper:
        driven.insert(1, BoardOutput("hopper", "motor of the hopper", "gate of the transistor of the hopper's motor"))
    link = LineUse(
        "the pusher's board", "its messages", "the board's own", "link",
        required=False, beside=SHAFT, driven=tuple(driven),
    )  # fmt: skip
    return {**lines, config.link: link}


PUSHER_BOARD = DeviceSpec(
    name="pusher_board",
    keys=PusherBoardConfig,
    lines=board_lines,
    make=by_keys_and_name(PusherBoard, PusherBoardActuator),
)
PUSHER_BED = DeviceSpec(name="pusher_bed", keys=PusherBedConfig, lines=bed_lines, make=by_keys_and_name(PusherBed))
