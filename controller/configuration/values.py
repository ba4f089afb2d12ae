"""The configuration of a table after all checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import msgspec

from controller.configuration.device import DeviceConfig
from controller.configuration.pins import GpioPin
from controller.configuration.registry import GameEntry
from controller.configuration.sections import (
    BoardSection,
    CallBy,
    FeedSection,
    LinesSection,
    LinkSection,
    Opens,
    TableSection,
)
from controller.configuration.terminals import Terminal
from controller.configuration.wiring import Wires
from controller.rules.house import HouseKeys, changes_of
from controller.rules.profile import game_text
from drivers.base.device_spec import LineUse
from drivers.dealer.buttons import BUTTONS, CALL_BUTTON, SETTLE_BUTTON
from feed.data import TablePackage
from hal.backend_spec import BackendSpec

C = TypeVar("C", bound=msgspec.Struct)
R = TypeVar("R", bound=msgspec.Struct)


class TableConfig(NamedTuple):
    """One table whose keys are checked, each by itself and against the others."""

    file: str
    table: TableSection
    """`[table]`, as the file has it."""
    entry: GameEntry
    """The game that is played."""
    rules: str
    """The name of the rules profile, which has a text for the game; the file names it or not."""
    no_more_bets: CallBy | None
    """Who calls it. None only under `capture`, where the wires of the capture decide."""
    lines: LinesSection
    backend: BackendSpec
    """What `[lines]` names."""
    devices: Mapping[str, DeviceConfig]
    wires: Wires
    """Where each line goes."""
    uses: Mapping[str, LineUse]
    """Every line that the devices use, wired or not."""
    options: msgspec.Struct
    """`[game]`: the options of the round, as the struct that the game declares."""
    feed: FeedSection = FeedSection()
    watch: msgspec.Struct | None = None
    """`[watch]`: the thresholds of what watches its rounds, as the struct that the game declares, where it does."""
    house: HouseKeys | None = None
    """`[house]`: what the house changes, where the rules are its own."""
    packages: tuple[TablePackage, ...] = ()
    """The packages of others that the file names."""

    @property
    def id(self) -> str:
        """The table's name in every event."""
        return self.table.id

    @property
    def opens(self) -> Opens:
        """Whether the table opens when the service starts, or by a supervisor's order."""
        return self.table.opens_with(self.live)

    @property
    def game(self) -> str:
        """The name of the game that is played."""
        return self.entry.name

    def text(self, rules: type[R]) -> R:
        """The rules of its game, read into the struct of that game."""
        return game_text(self.rules, self.game, rules, changes_of(self.house, self.game))

    @property
    def live(self) -> bool:
        """Whether real wires are read, not a simulator or a capture."""
        return self.backend.live

    @property
    def simulated(self) -> bool:
        """Whether a simulator drives the lines, directly or through emulated boards."""
        return self.backend.simulated or any(board.emulated for board in self.boards.values())

    @property
    def pins(self) -> Mapping[str, GpioPin]:
        """The lines on pins of the Pi."""
        return self.wires.pins

    @property
    def terminals(self) -> Mapping[str, Terminal]:
        """The lines on boards."""
        return self.wires.terminals

    @property
    def boards(self) -> Mapping[str, BoardSection]:
        """The boards, by the names that the file gives them."""
        return self.wires.boards

    @property
    def links(self) -> Mapping[str, LinkSection]:
        """The serial ports of devices, by the names that the devices give them."""
        return self.wires.links

    def carried_by(self, board: str) -> list[str]:
        """The links whose messages a board carries: those beside a line that it has."""
        links = {name: use.beside for name, use in self.uses.items() if use.kind == "link" and use.beside}
        return [link for link, line in links.items() if line in self.terminals and self.terminals[line].board == board]

    def wired(self, line: str) -> bool:
        """Whether the file wires a line to a pin or a terminal."""
        return line in self.wires.pins or line in self.wires.terminals

    @property
    def buttons(self) -> tuple[str, ...]:
        """The buttons of the table: those that the file requires or wires."""
        known = [line for line in self.uses if line in BUTTONS]
        return tuple(line for line in known if self.uses[line].required or self.wired(line))

    @property
    def called_by_button(self) -> bool:
        """Whether the dealer has a button for "No more bets"."""
        return CALL_BUTTON in self.buttons

    @property
    def settled_by_button(self) -> bool:
        """Whether the dealer has a button that settles the round."""
        return SETTLE_BUTTON in self.buttons

    def game_options(self, struct: type[C]) -> C:
        """The options of the round as the struct that its game declares.

        Raises:
            TypeError: the table plays another game.
        """
        if not isinstance(self.options, struct):
            raise TypeError(f"table {self.id} plays {self.game}, whose options are not {struct.__name__}")
        return self.options

    def watch_keys(self, struct: type[C]) -> C:
        """The keys of `[watch]` as the struct that its game declares.

        Raises:
            TypeError: the table plays another game.
        """
        if not isinstance(self.watch, struct):
            raise TypeError(f"table {self.id} plays {self.game}, whose watch has no {struct.__name__}")
        return self.watch
