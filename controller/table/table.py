"""A table: its devices, its game, its latched faults, and the events that it says, in order and numbered.

A table is fed batches and gives events. Live, in a replay and in a simulation it is the same code; equal batches give
equal bytes, however they are cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from typing import Any, Final

import msgspec

from controller.rounds.game import Game
from controller.table.bias import BiasWatch
from controller.table.event_sequencer import EventSequencer, Identity
from controller.table.faults import CauseGone, Fault, FaultLatch, LatchedFault
from controller.table.inspection import InspectionPlan, Inspections, no_inspection
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.book import AnsweredCommands, carry_out
from controller.table.orders.order import CommandResult, OrderRefused
from drivers.base.driver import Driver, Observation, SensorAlive, SensorDead
from drivers.dealer.buttons import ButtonPressed
from feed import events
from feed.events import Data, Event
from feed.state import TableState
from hal.capture.command_text import text_without_id
from hal.values import Batch, Command, Edge, EdgesLost, Frame, Output, Rare, Reading

SUPERVISOR_KEY: Final = "supervisor_key"
"""The key switch with which a supervisor clears faults: whoever holds the key is the named person."""

HEEDED: Final = frozenset({SensorDead, SensorAlive, ButtonPressed})
"""The observations that mean the same whatever is played on the table; all others are the game's."""

OPTIONAL_LINES: Final = frozenset({"dealer_void", "dealer_settled", "supervisor_key"})
"""Lines without which the table can still be played."""

_time: Final = itemgetter(2)
_moment: Final = attrgetter("t_ns")


class Table:
    """One table at work."""

    def __init__(
        self,
        identity: Identity,
        game: Game,
        drivers: Sequence[Driver],
        time_of: Callable[[int], str],
        *,
        opens: bool = True,
        inspection: InspectionPlan | None = None,
        bias: BiasWatch | None = None,
        sequence: int = 0,
        ephemeral: int = 0,
    ) -> None:
        """Without `opens` the table begins closed, and a person opens it. `sequence` and `ephemeral` number the last
        events before, where this table goes on from another.
        """
        self.identity = identity
        self.game = game
        self.faults = FaultLatch()
        inspections = Inspections(inspection or no_inspection(game.device))
        self.lifecycle = TableLifecycle(identity, game, self.faults, inspections, self._tell_after_game)
        self._opens = opens
        self._bias = bias
        self._answered = AnsweredCommands()
        self._answers: list[CommandResult] = []
        self.drivers = tuple(drivers)
        self._owner = {line: driver.name for driver in drivers for line in driver.lines}
        self._sequencer = EventSequencer(identity, time_of, sequence, ephemeral)
        self._say = self._sequencer.say
        self._tell = self._sequencer.tell
        self._take = self._sequencer.take
        self._warned: set[str] = set()

    @property
    def sequence(self) -> int:
        """The number of the last durable event."""
        return self._sequencer.sequence

    @property
    def ephemeral(self) -> int:
        """The number of the last event that is not durable."""
        return self._sequencer.ephemeral

    @property
    def next_due_ns(self) -> int | None:
        """When the table next wants to know that time has passed."""
        dues = [self.game.next_due_ns, *(driver.next_due_ns for driver in self.drivers)]
        return min((due for due in dues if due is not None), default=None)

    @property
    def state(self) -> str:
        """`closed`, `inspecting`, `open`, or `shut` by a fault."""
        return self.lifecycle.state

    def restore(self, state: TableState) -> None:
        """Goes on from what the journal tells, before `open`: numbers, the last rounds, faults, how the table stood."""
        self._sequencer.sequence = state.last
        self.game.round = state.round
        if state.game == self.identity.game:
            self.game.restore(state)
        self.lifecycle.restore(state)

    def open(self, t_ns: int) -> list[Event]:
        """Begins: the table opens with its first round, or stands closed until a person opens it."""
        self.lifecycle.begin(t_ns, self._opens)
        for driver in self.drivers:
            # From now on silence counts, however late the first batch comes.
            driver.due(t_ns)
        self._collect()
        return self._take()

    def close(self, t_ns: int, reason: str) -> list[Event]:
        """The service ends. A round that has no verdict yet is void; one that has keeps it."""
        self.lifecycle.close(t_ns, reason)
        return self._take()

    def feed(self, batch: Batch) -> list[Event]:
        """Takes what the wires did up to `batch.until_ns`; returns what the table says of it."""
        edges = batch.edges
        seen: list[Observation | Command] = []
        start = 0
        for rare in batch.rare:
            end = bisect_right(edges, rare.t_ns, lo=start, key=_time)
            if end > start:
                self._edges(edges[start:end], seen)
                start = end
            self._rare(rare, seen)
        self._edges(edges[start:] if start else edges, seen)
        for driver in self.drivers:
            seen += driver.due(batch.until_ns)
        seen.sort(key=_moment)
        for observation in seen:
            self._observe(observation)
        self.game.due(batch.until_ns)
        self._collect()
        return self._take()

    def answers(self) -> list[CommandResult]:
        """What became of the orders since the last call, where they had an id."""
        answers, self._answers = self._answers, []
        return answers

    def outputs(self) -> list[Output]:
        """What is to be done at outputs since the last call, in order. It waits for nothing: what moves must stop."""
        shown, self.game.shown = self.game.shown, []
        return shown

    def heartbeat(self, t_ns: int, last: int, head: str, state: str | None = None) -> Event:
        """The event that tells all who listen how far the journal is; `state` where the service knows better."""
        epoch = self.identity.epoch
        self._tell(events.Heartbeat, t_ns, epoch=epoch, last=last, head=head, state=state or str(self.state))
        return self._take()[-1]

    def raise_fault(
        self, device: str, fault: str, detail: str, t_ns: int, *, blocks_play: bool = True, cause: str = ""
    ) -> list[Event]:
        """Latches a fault that the service found. While its `cause` is there it cannot be cleared."""
        if cause:
            self.faults.appears(device, fault, cause)
        self._latch(t_ns, device, fault, detail, blocks_play)
        self._collect()
        return self._take()

    def cause_gone(self, device: str, cause: str) -> None:
        """The cause of a fault is gone. The fault stays latched until a person clears it."""
        self.faults.goes(device, cause)

    def warn(self, device: str, warning: str, detail: str, t_ns: int) -> list[Event]:
        """Says a warning of what the service found."""
        self._tell_after_game(events.DeviceWarning, t_ns, device=device, warning=warning, detail=detail)
        return self._take()

    # --- from values to observations -----------------------------------------------------------------------------

    def _edges(self, edges: list[Edge], seen: list[Observation | Command]) -> None:
        if edges:
            for driver in self.drivers:
                seen += driver.edges(edges)

    def _rare(self, rare: Rare, seen: list[Observation | Command]) -> None:
        if isinstance(rare, Command):
            seen.append(rare)
            return
        name = rare.link if isinstance(rare, Frame) else rare.line
        if name not in self._owner:
            self._warn_once(rare.t_ns, "unknown_line", f"values come of {name}, which no device of the table has")
            return
        for driver in self.drivers:
            if name not in driver.lines:
                continue
            if isinstance(rare, Reading):
                seen += driver.reading(rare)
            elif isinstance(rare, Frame):
                seen += driver.frame(rare)
            elif isinstance(rare, EdgesLost):
                seen += driver.lost(rare)

    def _warn_once(self, t_ns: int, warning: str, detail: str) -> None:
        if detail not in self._warned:
            self._warned.add(detail)
            self._tell(events.DeviceWarning, t_ns, device="table", warning=warning, detail=detail)

    # --- from observations to events -----------------------------------------------------------------------------

    def _observe(self, seen: Observation | Command) -> None:
        game = self.game
        game.due(seen.t_ns - 1)
        if game.said:
            self._collect()
        if isinstance(seen, Command):
            self._command(seen)
        elif type(seen) in HEEDED:
            self._heed(seen)
        else:
            game.see(seen)
        if game.said:
            self._collect()

    def _heed(self, seen: Observation) -> None:
        """Takes what means the same in every game: sensors that die and live, and buttons."""
        if isinstance(seen, SensorDead | SensorAlive) and self.game.keeps(seen):
            return
        if isinstance(seen, SensorDead):
            device = self._owner.get(seen.line, "table")
            self.faults.appears(device, seen.fault, seen.line)
            self._latch(seen.t_ns, device, seen.fault, seen.detail, seen.line not in OPTIONAL_LINES)
        elif isinstance(seen, SensorAlive):
            self.faults.goes(self._owner.get(seen.line, "table"), seen.line)
        elif isinstance(seen, ButtonPressed) and seen.button == SUPERVISOR_KEY:
            self.lifecycle.turn_key(seen.t_ns, SUPERVISOR_KEY)
        elif isinstance(seen, ButtonPressed):
            self.game.press(seen)

    def _collect(self) -> None:
        """Takes what the game said: events to be numbered, faults to be latched."""
        while self.game.said:
            said, self.game.said = self.game.said, []
            for one in said:
                if isinstance(one, Fault):
                    device = one.device or self.game.device
                    if one.cause:
                        self.faults.appears(device, one.fault, one.cause)
                    self._latch(one.t_ns, device, one.fault, one.detail, one.blocks_play)
                elif isinstance(one, CauseGone):
                    self.faults.goes(one.device or self.game.device, one.cause)
                else:
                    self._say(one)
                    self._watch_bias(one)

    def _watch_bias(self, said: Data) -> None:
        """Dice or a wheel that do not fall as fair ones would: it is told, and changes nothing."""
        if self._bias is None:
            return
        if isinstance(said, events.RoundCorrected):
            self._bias.corrected(said.round, said.to.result)
        elif isinstance(said, events.Outcome):
            for bias in self._bias.outcome(said.round, said.result):
                warning = "dice_bias" if bias.device == "dice" else "wheel_bias"
                self._tell(
                    events.DeviceWarning,
                    said.mono_ns,
                    device=self.game.device,
                    warning=warning,
                    detail=bias.detail,
                    round=said.round,
                )

    def _latch(self, t_ns: int, device: str, fault: str, detail: str, blocks_play: bool) -> None:
        if not self.faults.latch(LatchedFault(device, fault, detail, blocks_play)):
            return
        self._tell(
            events.DeviceFault,
            t_ns,
            device=device,
            fault=fault,
            detail=detail,
            blocks_play=blocks_play,
            round=self.game.round or None,
        )
        if blocks_play:
            self.game.shut(t_ns, fault, detail)

    # --- what people send ----------------------------------------------------------------------------------------

    def _command(self, command: Command) -> None:
        """Carries an order out, and says what became of it: to the feed where it is refused, to its sender always."""
        before = self._answered.before(command) if command.id else None
        if before is not None:
            self._answers.append(before)
            return
        first = len(self._sequencer.said)
        try:
            happened, accepted = carry_out(command, self.lifecycle), True
        except OrderRefused as refused:
            happened, accepted = str(refused), False
        self._collect()
        if not accepted:
            detail = f"{happened} (sent: {text_without_id(command)})"
            self._tell(events.DeviceWarning, command.t_ns, device="table", warning="command_refused", detail=detail)
        if command.id:
            ids = tuple(event.id for event in self._sequencer.said[first:] if event.sequence is not msgspec.UNSET)
            answer = CommandResult(command, accepted, happened, ids)
            self._answered.keep(answer)
            self._answers.append(answer)

    def _tell_after_game(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Says an event of the table's own, after what the game has said."""
        self._collect()
        self._tell(kind, t_ns, **fields)
