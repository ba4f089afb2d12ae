"""What every machine under test has: its records, people who give it orders, and what a journal holds of it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from controller.games.machines.game import MachineGame
from controller.table.orders.order import CommandResult
from controller.table.table import Table
from feed import events
from feed.events import MachineEvent, Meters
from feed.state import MachineState, TableState
from hal.capture.command_text import read_command
from hal.values import Command
from tests.tables.bench import EventList

MS = 1_000_000
S = 1_000_000_000


class RecordedMachine(ABC):
    """A machine, and what is durable of it."""

    table: Table

    def __init__(self, name: str) -> None:
        self.state = TableState(name)
        """What the journal holds."""
        self.said = EventList()
        self.now_ns = 0
        self._sent = 0

    @abstractmethod
    def take(self, command: Command) -> None:
        """The table takes a command at the time `now_ns`."""

    @property
    def game(self) -> MachineGame:
        """The game."""
        assert isinstance(self.table.game, MachineGame)
        return self.table.game

    @property
    def meters(self) -> Meters:
        """The meters of the last record."""
        return self._recorded.meters

    @property
    def credits(self) -> int:
        """The credits of the last record."""
        return self._recorded.credits

    @property
    def _recorded(self) -> MachineState:
        assert self.state.machine is not None
        return self.state.machine

    def acts(self, first: int = 0) -> list[str]:
        """The acts recorded since an event."""
        return [one.act for one in EventList(self.said[first:]).of(MachineEvent)]

    def order(self, text: str) -> CommandResult:
        """One order; returns its answer."""
        self._sent += 1
        self.now_ns += MS
        self.take(read_command(f"{text} id=c{self._sent}-{self.now_ns}", self.now_ns))
        (answer,) = self.table.answers()
        return answer

    def ok(self, text: str) -> str:
        """One order that is carried out."""
        answer = self.order(text)
        assert answer.accepted, answer.reason
        return answer.reason

    def refused(self, text: str) -> str:
        """One order that is refused: why."""
        answer = self.order(text)
        assert not answer.accepted
        return answer.reason

    def publish(self, said: list[events.Event]) -> None:
        """Events are durable, and seen."""
        self.said += said
        for event in said:
            self.state.apply(event)
