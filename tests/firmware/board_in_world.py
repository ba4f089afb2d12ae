"""An emulated board with machines at its pins, such as a chain of lamps, that lives in lock-step with a loop.

LockStep ──run_until──► board runs until a machine wants to look ──► changes of outputs ──► machine ──► inputs
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from simulators.board.emulated import PinChange
from tests.firmware.emulated import built
from tests.firmware.inspected_board import InspectedBoard
from tests.firmware.worlds import AtPins, KeyMatrix


class Machine(Protocol):
    """What hangs on pins."""

    @property
    def every_ns(self) -> int:
        """How soon it wants to look again."""

    def look(self, bench: AtPins, changes: list[PinChange]) -> None:
        """Sees what the outputs did since the last look, and drives pins."""


class BoardInWorld(InspectedBoard):
    """A board of a kind, with its machines."""

    def __init__(self, kind: str, machines: Sequence[Machine]) -> None:
        super().__init__(built(f"{kind}.elf"))
        self._machines = machines
        self._seen: list[PinChange] = []

    @property
    def board(self) -> InspectedBoard:
        return self

    def put_pin(self, pin: str, level: int) -> None:
        self.drive(pin, level)

    def run_until(self, t_ns: int, pause_at: int | None = None, pause_after: int | None = None) -> None:
        while self.now_ns < t_ns:
            until_ns = min(t_ns, self.now_ns + min(machine.every_ns for machine in self._machines))
            super().run_until(until_ns, pause_at, pause_after)
            changes = super().take_changes()
            self._seen += changes
            for machine in self._machines:
                machine.look(self, changes)
            self._collect_sent()
            if self._sent:
                return  # the adapter counts what has left the board since it was last asked

    def take_changes(self) -> list[PinChange]:
        seen, self._seen = self._seen, []
        return seen


class PlayedKeys(KeyMatrix):
    """A keypad on which somebody presses keys at known times."""

    def __init__(
        self, columns: tuple[str, ...], rows: tuple[str, ...], presses: Sequence[tuple[int, int, bool]]
    ) -> None:
        """`presses` are times in order, with a key, counted by rows, and whether it is pressed then or let go."""
        super().__init__(columns, rows)
        self._presses = list(presses)

    def look(self, bench: AtPins, changes: list[PinChange]) -> None:
        while self._presses and self._presses[0][0] <= bench.now_ns:
            _, key, pressed = self._presses.pop(0)
            (self.pressed.add if pressed else self.pressed.discard)(key)
        super().look(bench, changes)
