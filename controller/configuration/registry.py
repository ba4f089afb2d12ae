"""What a table's file can name: games, the devices that each game's table has, and the drivers of each device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from controller.configuration.device import DeviceConfig
from controller.configuration.problems import ConfigFinding
from controller.configuration.sections import CallBy, TableSection
from controller.rules.house import HouseKeys, changes_of
from controller.rules.profile import HOUSE, default_profile, game_text
from drivers.base.device_spec import DeviceSpec
from feed.data import TablePackage
from hal.backend_spec import BackendSpec

R = TypeVar("R", bound=msgspec.Struct)


class Slot(NamedTuple):
    """A device that a game's table has, and the drivers it can have, the default first."""

    drivers: tuple[str, ...]
    always: bool = True
    """The table has the device without a section for it."""
    unless: str = ""
    """Another device: where the file has a section for that one, this one needs a section of its own."""
    excludes: str = ""
    """Another device that the table cannot have beside this one."""
    or_unless: str = ""
    """A second device as `unless`."""
    unless_true: tuple[str, str] = ("", "")
    """A device and a key of it: where that is true, this device needs a section of its own."""


SLOTS_OF_ALL: Mapping[str, Slot] = {"dealer": Slot(("buttons",)), "lamp": Slot(("lamp",), always=False)}
"""What every table has: the dealer's buttons, and perhaps the lamp of the call."""


class SetUp(NamedTuple):
    """What a game checks of its table beyond each key: its parts that are right by themselves."""

    game: str
    profile: str
    """A rules profile that has a text for the game."""
    options: msgspec.Struct | None
    devices: Mapping[str, DeviceConfig]
    simulated: bool
    """Whether its devices are simulated."""
    call: CallBy | None
    house: HouseKeys | None = None
    """`[house]`: what the house changes, where the profile is its own."""

    def text(self, rules: type[R]) -> R:
        """The rules of the game, read into its struct."""
        return game_text(self.profile, self.game, rules, changes_of(self.house, self.game))

    @property
    def of_the_house(self) -> bool:
        """Whether the rules are the house's own."""
        return self.profile == HOUSE


class GameEntry(Protocol):
    """A game as the configuration sees it."""

    @property
    def name(self) -> str:
        """What `[table] game` names."""

    @property
    def options(self) -> type[msgspec.Struct]:
        """The keys of `[game]`."""

    @property
    def house(self) -> type[HouseKeys] | None:
        """The keys of `[house]`; None for a game without house rules."""

    @property
    def devices(self) -> Mapping[str, Slot]:
        """The devices of its table."""

    @property
    def machine(self) -> bool:
        """Whether players play it alone, with tokens: nobody calls "No more bets" there."""

    @property
    def watch_keys(self) -> type[msgspec.Struct] | None:
        """The keys of `[watch]`; None where its tables have no such section."""

    def check(self, setup: SetUp) -> list[ConfigFinding]:
        """What is wrong between the parts of its table."""


Offering: TypeAlias = Callable[[str, str], Sequence[str]]
"""The names of packages by what they offer: `games`, `backends` or `rules`, and its name."""


def nobody_offers(kind: str, name: str) -> Sequence[str]:
    """Where no package is installed."""
    return ()


class Registry(NamedTuple):
    """Everything that a file can name."""

    games: Mapping[str, GameEntry]
    drivers: Mapping[str, DeviceSpec]
    backends: Mapping[str, BackendSpec]
    profiles: tuple[str, ...]
    """The names that `[table] rules` may have."""
    packages: tuple[TablePackage, ...] = ()
    """The packages of others that the file names."""
    offering: Offering = nobody_offers
    """The installed packages that offer a thing, whether a file names them or not."""

    def profile_of(self, table: TableSection) -> str:
        """The rules profile of a table, which its file names or not."""
        return table.rules or default_profile(table.game, self.profiles)
