"""The reels of a skill-stop machine as a device: their lines, and what makes them."""

from __future__ import annotations

from drivers.base.device_spec import BoardOutput, BoardPlace, DeviceSpec, LineUse, by_keys_and_name
from drivers.reels.actuator import ReelsActuator
from drivers.reels.reels import Reels, ReelsConfig
from drivers.reels.reels_wire import REELS_A_BOARD, TOKEN_LINE, home_line, links_of, place_of, stop_line


def reels_lines(config: ReelsConfig) -> dict[str, LineUse]:
    """The sensors and buttons of the reels, and the messages of the boards that step them."""
    lines: dict[str, LineUse] = {}
    for reel in range(1, config.reels + 1):
        local = place_of(reel)[1]
        first = home_line(reel - local + 1)
        lines[home_line(reel)] = LineUse(
            f"home sensor of reel {reel}",
            "its tab is in the slot",
            "output of the slotted opto, which pulls low while the slot is free",
            rests_low=False,
            beside=first,
            at=BoardPlace("reel", f"home_{local}"),
        )
        lines[stop_line(reel)] = LineUse(
            f"stop button of reel {reel}, beside it",
            "pressed",
            "contact to ground that opens when it is pressed",
            beside=first,
            at=BoardPlace("reel", f"stop_{local}"),
        )
    if config.acceptor:
        wire = "its output, open collector"
        place = BoardPlace("reel", "token")
        lines[TOKEN_LINE] = LineUse("acceptor", "its pulse", wire, at=place, beside=home_line(1))
    for board, link in enumerate(links_of(config.reels)):
        first = home_line(board * REELS_A_BOARD + 1)
        purpose = f"messages of the board of {first}"
        lines[link] = LineUse(
            purpose,
            "its reports",
            "the board's own",
            "link",
            required=False,
            beside=first,
            driven=_driven(config, link),
        )
    return lines


def _driven(config: ReelsConfig, link: str) -> tuple[BoardOutput, ...]:
    """The outputs of one board: the reels' steps, and on the first whether its acceptor may take tokens."""
    places = {reel: place_of(reel) for reel in range(1, config.reels + 1)}
    driven = [
        BoardOutput(f"reel_{local}", f"steps of reel {reel}", f"STEP of the driver of reel {reel}")
        for reel, (board, local) in places.items()
        if board == link
    ]
    if config.acceptor and link == links_of(config.reels)[0]:
        driven.append(BoardOutput("accept", "acceptor may take tokens", "its inhibit, which high lifts"))
    return tuple(driven)


STEPPER_REELS = DeviceSpec(
    name="stepper_reels", keys=ReelsConfig, lines=reels_lines, make=by_keys_and_name(Reels, ReelsActuator)
)
