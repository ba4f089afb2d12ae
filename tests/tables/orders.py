"""Commands to a table on a bench: sent one at a time, each with its result."""

from __future__ import annotations

from controller.games.assembly import table_for
from controller.table.orders.order import CommandResult
from controller.table.salts import Salts
from controller.table.table import Table
from feed.state import TableState
from hal.capture.command_text import read_command
from hal.values import Batch
from tests.tables.bench import EventList, configured


class CommandBench:
    """A table, and a sender of commands."""

    def __init__(
        self,
        text: str,
        *,
        opens: bool = True,
        before: TableState | None = None,
        epoch: str = "sim",
        t_ns: int = 0,
        salts: Salts | None = None,
    ) -> None:
        self.table: Table = table_for(configured(text), epoch=epoch, simulated=True, opens=opens, salts=salts)
        self._sent = 0
        if before is not None:
            self.table.restore(before)
        self.said = EventList(self.table.open(t_ns))

    def feed(self, batch: Batch) -> EventList:
        """The wires do something."""
        said = EventList(self.table.feed(batch))
        self.said += said
        return said

    def send(self, text: str, t_ns: int, *, order_id: str | None = None) -> CommandResult:
        """One order; returns its answer."""
        self._sent += 1
        text = f"{text} id={order_id or f'c{self._sent}'}"
        self.feed(Batch([], [read_command(text, t_ns)], t_ns))
        (answer,) = self.table.answers()
        return answer

    def refused(self, text: str, t_ns: int) -> str:
        """An order that is refused: why."""
        answer = self.send(text, t_ns)
        assert not answer.accepted, answer
        return answer.reason

    def done(self, text: str, t_ns: int) -> str:
        """An order that is carried out: what happened."""
        answer = self.send(text, t_ns)
        assert answer.accepted, answer
        return answer.reason

    def state(self) -> TableState:
        """What the journal would know of the table."""
        state = TableState(self.table.identity.table)
        for event in self.said:
            state.apply(event)
        return state
