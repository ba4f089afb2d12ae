"""Which games there are, which devices a game's table has, and which drivers each device can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from drivers.base.device_spec import LineUse


class DriverEntry(NamedTuple):
    """A driver as the configuration sees it."""

    name: str
    config: type[msgspec.Struct]
    """Its keys under `[device.<name>]`, `driver` among them or not."""
    lines: Callable[[Any], Mapping[str, LineUse]]
    """The lines that it wants with a configuration of that type."""


class Slot(NamedTuple):
    """A device that a game's table has, and the drivers it can have, the default first."""

    drivers: tuple[str, ...]
    always: bool = True
    """The table has the device without a section for it."""
    unless: str = ""
    """Another device: where the file has a section for that one, this one needs a section of its own."""
    excludes: str = ""
    """Another device that the table cannot have beside this one."""


SLOTS_OF_ALL: Mapping[str, Slot] = {"dealer": Slot(("buttons",)), "lamp": Slot(("lamp",), always=False)}
"""What every table has: the dealer's buttons, and perhaps the lamp of the call."""

SLOTS_OF_VALUES: Mapping[str, Slot] = {
    "keypad": Slot(("dice_keypad",), unless="reader"),
    "reader": Slot(("dice_reader",), always=False),
}
"""Who gives the values of dice: the keypad, or a reading board in its place, or both where the file names both."""


class GameEntry(NamedTuple):
    """A game as the configuration sees it."""

    name: str
    options: type[msgspec.Struct]
    """The keys of `[game]`."""
    devices: Mapping[str, Slot]


class Registry(NamedTuple):
    """Everything that a file can name."""

    games: Mapping[str, GameEntry]
    drivers: Mapping[str, DriverEntry]
    games_to_come: frozenset[str] = frozenset()
    """Games that a file may rightly name one day, but that this version does not play."""


GAMES_TO_COME = frozenset(
    {
        "baccarat",
        "mini_baccarat",
        "blackjack",
        "multi_action_blackjack",
        "caribbean_stud",
        "let_it_ride",
        "joker_seven",
        "red_dog",
        "skill_stop_reel",
        "skill_stop_video",
        "token_pusher",
    }
)
