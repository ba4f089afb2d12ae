"""A table: its devices, its game, its latched faults, and the events that it says, in order and numbered.

A table is fed batches and gives events. Live, in a replay and in a simulation it is the same code; equal batches give
equal bytes, however they are cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from controller.commands import parse_order
from controller.faults import FaultLatch, LatchedFault
from controller.rounds.game import OPEN, RUNNING, SETTLING, CauseGone, Fault, Game
from drivers.buttons import ButtonPressed
from drivers.driver import Driver, Observation
from drivers.sensor_health import SensorAlive, SensorDead
from feed import events
from feed.events import Data, Event
from hal.values import Batch, Command, Edge, EdgesLost, Frame, Rare, Reading

SUPERVISOR_KEY: Final = "supervisor_key"
"""The key switch with which a supervisor clears faults: whoever holds the key is the named person."""

HEEDED: Final = frozenset({SensorDead, SensorAlive, ButtonPressed})
"""The observations that mean something to the table itself, whatever is played on it."""

GAME_DEVICE: Final = "wheel"
"""The device that a game's rounds judge."""

OPTIONAL_LINES: Final = frozenset({"dealer_void", "dealer_settled", "supervisor_key"})
"""Lines without which the table can still be played."""


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Who says the events."""

    table: str
    game: str
    rules: str
    simulated: bool
    epoch: str
    """Random and new at each start of a live service; `replay` and `sim` otherwise: equal input gives equal bytes."""
    software: str
    devices: tuple[dict[str, str], ...] = ()


class Table:
    """One table at work."""

    def __init__(
        self,
        identity: Identity,
        game: Game,
        drivers: Sequence[Driver],
        time_of: Callable[[int], str],
        *,
        sequence: int = 0,
        ephemeral: int = 0,
    ) -> None:
        """`sequence` and `ephemeral` number the last events before, where this table goes on from another."""
        self.identity = identity
        self.game = game
        self.faults = FaultLatch()
        self._drivers = tuple(drivers)
        self._owner = {line: driver.name for driver in drivers for line in driver.lines}
        self._time_of = time_of
        self._sequence = sequence
        self._ephemeral = ephemeral
        self._events: list[Event] = []
        self._id_prefix = f"{identity.table}.{identity.epoch}."
        self._source = f"/tables/{identity.table}"
        self._warned: set[str] = set()

    @property
    def sequence(self) -> int:
        """The number of the last durable event."""
        return self._sequence

    @property
    def ephemeral(self) -> int:
        """The number of the last event that is not durable."""
        return self._ephemeral

    @property
    def next_due_ns(self) -> int | None:
        """When the table next wants to know that time has passed."""
        dues = [self.game.next_due_ns, *(driver.next_due_ns for driver in self._drivers)]
        return min((due for due in dues if due is not None), default=None)

    def open(self, t_ns: int) -> list[Event]:
        """Opens the table and its first round."""
        identity = self.identity
        self._tell(
            events.TableOpened,
            t_ns,
            rules=identity.rules,
            software=identity.software,
            devices=[dict(device) for device in identity.devices],
        )
        for driver in self._drivers:
            # From now on silence counts, however late the first batch comes.
            driver.due(t_ns)
        self.game.open(t_ns)
        self._collect()
        return self._take()

    def close(self, t_ns: int, reason: str) -> list[Event]:
        """Closes the table. A round that is open stays without a verdict."""
        self._tell(events.TableClosed, t_ns, reason=reason)
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
        for driver in self._drivers:
            seen += driver.due(batch.until_ns)
        seen.sort(key=_moment)
        for observation in seen:
            self._observe(observation)
        self.game.due(batch.until_ns)
        self._collect()
        return self._take()

    # --- from values to observations -----------------------------------------------------------------------------

    def _edges(self, edges: list[Edge], seen: list[Observation | Command]) -> None:
        if edges:
            for driver in self._drivers:
                seen += driver.edges(edges)

    def _rare(self, rare: Rare, seen: list[Observation | Command]) -> None:
        if isinstance(rare, Command):
            seen.append(rare)
            return
        name = rare.link if isinstance(rare, Frame) else rare.line
        if name not in self._owner:
            self._warn_once(rare.t_ns, "unknown_line", f"values come of {name}, which no device of the table has")
            return
        for driver in self._drivers:
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
            return
        if type(seen) in HEEDED:
            self._heed(seen)
        if not (isinstance(seen, ButtonPressed) and seen.button == SUPERVISOR_KEY):
            game.observe(seen)
        if game.said:
            self._collect()

    def _heed(self, seen: Observation) -> None:
        """Takes what an observation means to the table: sensors that die and live, and the supervisor's key."""
        if isinstance(seen, SensorDead):
            device = self._owner.get(seen.line, "table")
            self.faults.appears(device, seen.fault, seen.line)
            self._latch(seen.t_ns, device, seen.fault, seen.detail, seen.line not in OPTIONAL_LINES)
        elif isinstance(seen, SensorAlive):
            self.faults.goes(self._owner.get(seen.line, "table"), seen.line)
        elif isinstance(seen, ButtonPressed) and seen.button == SUPERVISOR_KEY:
            for device in dict.fromkeys(fault.device for fault in self.faults.standing):
                self._clear(seen.t_ns, device, SUPERVISOR_KEY)

    def _collect(self) -> None:
        """Takes what the game said: events to be numbered, faults to be latched."""
        while self.game.said:
            said, self.game.said = self.game.said, []
            for one in said:
                if isinstance(one, Fault):
                    if one.cause:
                        self.faults.appears(GAME_DEVICE, one.fault, one.cause)
                    self._latch(one.t_ns, GAME_DEVICE, one.fault, one.detail, True)
                elif isinstance(one, CauseGone):
                    self.faults.goes(GAME_DEVICE, one.cause)
                else:
                    self._say(one)

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
        """`void reason=… why=…`, `settle`, `no_more_bets`, `clear device=… by=…`: as a capture carries them."""
        verb, given = parse_order(command.text)
        t_ns = command.t_ns
        game = self.game
        done = False
        match verb:
            case "void":
                done = game.void_by_hand(t_ns, given.get("why", ""), given.get("reason", "dealer_call"))
            case "settle":
                done = game.phase is SETTLING
                if done:
                    game.settle(t_ns, "dealer")
            case "no_more_bets":
                done = game.phase in (OPEN, RUNNING)
                if done:
                    game.close_bets(t_ns, t_ns, "dealer")
            case "clear":
                done = self._clear(t_ns, given.get("device", ""), given.get("by", ""))
        self._collect()
        if not done:
            self._tell(events.DeviceWarning, t_ns, device="table", warning="command_refused", detail=command.text)

    def _clear(self, t_ns: int, device: str, by: str) -> bool:
        """A named person clears a device's faults, once their causes are gone."""
        if not by:
            return False
        cleared = self.faults.clear(device)
        for fault in self.faults.standing:
            causes = self.faults.causes(fault.device, fault.fault)
            if fault.device == device and causes:
                detail = f"{fault.fault} stays: {', '.join(causes)} still as it was"
                self._tell(events.DeviceWarning, t_ns, device=device, warning="not_cleared", detail=detail)
        for fault in cleared:
            self._tell(events.DeviceCleared, t_ns, device=device, fault=fault.fault, by=by)
        if cleared and not self.faults.blocks_play:
            self.game.reopen(t_ns)
        return bool(cleared)

    # --- numbering -----------------------------------------------------------------------------------------------

    def _tell(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Says an event of the table's own."""
        identity = self.identity
        self._say(
            kind(
                **{
                    "table": identity.table,
                    "game": identity.game,
                    "simulated": identity.simulated,
                    "mono_ns": t_ns,
                    **fields,
                }
            )
        )

    def _say(self, data: Data) -> None:
        kind = type(data)
        number = getattr(data, "round", None)
        if kind.durable:
            self._sequence += 1
            serial, sequence = str(self._sequence), f"{self._sequence:020d}"
        else:
            self._ephemeral += 1
            serial, sequence = f"e{self._ephemeral}", None
        self._events.append(
            Event(
                id=self._id_prefix + serial,
                source=self._source,
                type=events.type_of(kind),
                subject=msgspec.UNSET if number is None else f"round/{number}",
                time=self._time_of(data.mono_ns),
                sequence=msgspec.UNSET if sequence is None else sequence,
                data=data,
            )
        )

    def _take(self) -> list[Event]:
        said, self._events = self._events, []
        return said


def _time(value: tuple[object, object, int]) -> int:
    return value[2]


def _moment(seen: Observation | Command) -> int:
    return seen.t_ns
