"""A journal in virtual time: what a machine records is durable some milliseconds later, and it is notified."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controller.table.durable import journalled
from controller.table.table import Table
from feed.events import Event
from hal.values import Batch, Command, Output
from simulators.base.answering import Answering

COMMIT_NS: Final = 5_000_000
"""From an event to durable (ours)."""


class SimulatedJournal:
    """The simulated devices that answer, and the journal beside them (see `simulators.base.answering.Answering`)."""

    def __init__(self, devices: Answering, table: Table) -> None:
        self._devices = devices
        self._table = table
        self._stated: list[Command] = []

    def publish(self, events: Sequence[Event], t_ns: int) -> None:
        """The table has given these events."""
        if events and self._table.awaits_journal:
            stated = journalled(events, t_ns + COMMIT_NS)
            self._stated += [] if stated is None else [stated]

    @property
    def next_answer_ns(self) -> int | None:
        """When the next answer comes, or the next record is durable."""
        answer_ns = self._devices.next_answer_ns
        dues = [*(one.t_ns for one in self._stated[:1]), *(() if answer_ns is None else (answer_ns,))]
        return min(dues, default=None)

    def command(self, output: Output) -> None:
        """Something is done at an output."""
        self._devices.command(output)

    def answers(self, until_ns: int) -> Batch:
        """What the devices answer up to then, and what is durable."""
        answered = self._devices.answers(until_ns)
        stated = [one for one in self._stated if one.t_ns <= until_ns]
        self._stated = self._stated[len(stated) :]
        rare = sorted([*answered.rare, *stated], key=lambda value: value.t_ns)
        return answered._replace(rare=rare)
