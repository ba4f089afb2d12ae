"""Runs one live table in the service: ticks, commands, and its events by way of the outbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controller.games.base.spec import spec_of
from controller.live.live_table import LiveTable
from controller.live.pending_faults import ServiceFault
from controller.service.command_handler import QUIT, STATUS, CommandHandler
from controller.service.counters import HALTED
from controller.service.outbox import CaptureKeeper, Outbox
from controller.service.pipeline import Pipeline
from controller.table.authority import may
from feed.allow_list import KeyOwner
from hal.lines import LineError


class TableRunner:
    """A live table, and the outbox of its events."""

    def __init__(self, table: LiveTable, pipeline: Pipeline, handler: CommandHandler, keeper: CaptureKeeper) -> None:
        self.table = table
        self.id = table.config.id
        self._pipeline = pipeline
        self._outbox = Outbox(pipeline, handler, keeper, table.memory, table.show)

    def open_wires(self) -> LineError | None:
        """Opens the table's wires; returns why not."""
        try:
            self.table.open_wires()
        except LineError as error:
            return error
        return None

    def open(self, standing: Sequence[ServiceFault]) -> None:
        """Opens the table, with the faults that the service found before; a table on boards opens with a later tick."""
        self._outbox.put_from_service(self.table.open(standing))

    def tick(self) -> None:
        """Processes what the lines did since the last tick."""
        begun = self.table.begin_waiting()
        if begun:
            self._outbox.put_from_service(begun)
        result = self.table.tick()
        self._outbox.put(result.events, result.results, result.until_ns)
        if self.table.simulated:
            self.table.supervise()

    def raise_fault(self, device: str, fault: str, detail: str, *, cause: str = "") -> None:
        """Latches a fault that the service found."""
        self._outbox.put_from_service(self.table.raise_fault(device, fault, detail, cause=cause))

    def warn(self, device: str, warning: str, detail: str) -> None:
        """Publishes a warning of what the service found."""
        self._outbox.put_from_service(self.table.warn(device, warning, detail))

    def beat(self) -> None:
        """Sends the heartbeat, once the first event of this start is published: before that there is no head."""
        head = self._pipeline.head(self.id)
        state = HALTED if self._pipeline.failure is not None else None
        if head.epoch != self.table.epoch and state is None:
            return
        self._pipeline.beat(self.table.heartbeat(head.seq, head.hash, state))

    def close(self, reason: str) -> None:
        self._outbox.put_from_service(self.table.close(reason))

    def command(self, verb: str, given: Mapping[str, str], command_id: str) -> str | None:
        """Hands a command to the table; returns why not, if it takes none now."""
        return self.table.command(verb, given, command_id)

    def may(self, sender: KeyOwner, verb: str) -> str | None:
        """Why this sender may not send this to the table; None if they may."""
        config = self.table.config
        return may(sender, verb, config.game, config.rules, verbs=[*spec_of(config).order_names, STATUS, QUIT])
