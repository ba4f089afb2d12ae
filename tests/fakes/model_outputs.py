"""The outputs of a model board: each has a longest on-time, and all go safe when the host falls silent."""

from __future__ import annotations

from typing import NamedTuple

from hal.board.message import BoardKind
from hal.board.messages import DEADMAN_MS, RefusalCode, SetCommand

MS = 1_000_000
SILENCE_NS = (DEADMAN_MS - 1) * MS
"""Outputs go safe when the dead-man's time ends, not after it."""


class Output(NamedTuple):
    """An output that is not safe."""

    value: int
    since_ns: int
    """When it left 0."""
    ends_ns: int
    held: bool
    """Whether it is held safe afterwards, having been on for its longest time."""


class ModelOutputs:
    """The output guard of a board between two resets."""

    def __init__(self, kind: BoardKind) -> None:
        self.on: dict[int, Output] = {}
        """By the number of the output."""
        self.deadman = False
        self._longest_ns = [longest_ms * MS for _, longest_ms in kind.outputs]
        self._held: set[int] = set()
        self._heard_ns: int | None = None

    @property
    def due_ns(self) -> list[int]:
        """When the next time limit ends."""
        silent = [] if self._heard_ns is None else [self._heard_ns + SILENCE_NS]
        return silent + [output.ends_ns for output in self.on.values()]

    def hear(self, t_ns: int) -> None:
        """The host is there."""
        self._heard_ns = t_ns

    def all_safe(self) -> None:
        """The host commands all safe, which acknowledges the dead-man."""
        self.on.clear()
        self.deadman = False

    def set(self, command: SetCommand, t_ns: int) -> RefusalCode | None:
        """Sets an output; returns the refusal, if any."""
        number = command.output
        if not 1 <= number <= len(self._longest_ns):
            return RefusalCode.WRONG_VALUE
        if command.value == 0:
            self.on.pop(number, None)
            self._held.discard(number)
            return None
        if number in self._held:
            return RefusalCode.HELD_SAFE
        since_ns = self.on[number].since_ns if number in self.on else t_ns
        longest_ns = since_ns + self._longest_ns[number - 1]
        asked_ns = t_ns + command.for_ms * MS if command.for_ms else longest_ns
        self.on[number] = Output(command.value, since_ns, min(asked_ns, longest_ns), held=asked_ns >= longest_ns)
        return None

    def hold(self, number: int) -> None:
        """Its device has a fault: it goes safe, and stays so until it is set to 0 once."""
        self.on.pop(number, None)
        self._held.add(number)

    def silence(self) -> None:
        """Triggers the dead-man."""
        self.on.clear()
        self.deadman = True

    def poll(self, t_ns: int, session: bool) -> None:
        """Ends expired on-times."""
        if self._heard_ns is not None and t_ns >= self._heard_ns + SILENCE_NS:
            self._heard_ns = None
            if session:
                self.silence()
        for number, output in list(self.on.items()):
            if t_ns >= output.ends_ns:
                del self.on[number]
                if output.held:
                    self._held.add(number)
