"""Which games there are, which devices a game's table has, and which drivers each device can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from controller.configuration.line_use import LineUse


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
        "beat_the_dealer",
        "chuck_a_luck",
        "under_over",
        "sic_bo",
        "craps",
        "mini_craps",
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
