"""What every commanded device is: typed commands from the game in, outputs out, and reports of what became of them.

    game ──start_toss(t)──► Actuator ──outputs──► wire
    game ◄──TossBegan, TossFailed── Actuator ◄──observations── Driver ◄── wire

A driver decodes batches ahead of the game, so it takes no commands: a deadline that a command sets would be in a part
of the batch that the driver has passed already. An actuator is run in the order of the observations, each before the
game, and keeps the deadlines of its device's answers. However a stream is cut into batches, its outputs are equal.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

from drivers.base.driver import Observation
from hal.values import Output


class Actuator(Protocol):
    """One commanded device, sans-I/O. Its commands are methods of its own, such as `start_toss(t_ns)`.

    Whoever calls keeps the order of time: `due(t)` is called at each deadline before anything later is given.
    """

    name: str
    """The device's name in the configuration: `automated_shaker` for `[device.automated_shaker]`."""

    observes: frozenset[type[Observation]]
    """The observations that it takes; the game receives what `observe` returns in their place."""

    outputs: list[Output]
    """What is to be done at outputs, in order; the table takes it and empties the list."""

    @property
    def next_due_ns(self) -> int:
        """Its next deadline; `NEVER_NS` where there is none."""

    def observe(self, seen: Observation) -> Sequence[Observation]:
        """Takes one observation of its device; returns what the game receives, perhaps itself among it."""

    def due(self, t_ns: int) -> Sequence[Observation]:
        """Meets the deadlines up to `t_ns`; returns what the game receives."""

    def rest(self, t_ns: int) -> list[Output]:
        """The outputs that put the device to rest, whatever is known of it; they change nothing of its state.

        A table gives them as it begins, for the service before may have ended in mid-round, and before its wires close.
        """


@runtime_checkable
class HearsRefusals(Protocol):
    """An actuator that judges by whether its output takes commands."""

    def outputs_refused(self, names: Collection[str]) -> None:
        """These outputs of the table, and no others, take no command now."""
