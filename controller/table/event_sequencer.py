"""Numbers the events of a table and adds their attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from controller.table.warning_limit import WarningLimit
from feed import events
from feed.data import TablePackage
from feed.events import Data, Event, StakeLimit, StatisticsKey, TableLabel, TableNotice
from feed.game_view import GameView
from feed.statistics import DEFAULT_HISTORY


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What every event of a table states of its source."""

    table: str
    game: str
    rules: str
    simulated: bool
    house_rules: bool = False
    """Whether the rules are the house's own: every event states it."""
    epoch: str
    """Random and new at each start of a live service; `replay` and `sim` otherwise: equal input gives equal bytes."""
    software: str
    devices: tuple[dict[str, str], ...] = ()
    packages: tuple[TablePackage, ...] = ()
    """The packages of others that the table uses."""
    labels: tuple[TableLabel, ...] = ()
    limits: tuple[StakeLimit, ...] = ()
    limits_unit: str = ""
    notices: tuple[TableNotice, ...] = ()
    """Those that the rules have posted at the table."""
    history: int = DEFAULT_HISTORY
    statistics: tuple[StatisticsKey, ...] = ()
    view: GameView | None = None
    """How a board shows a game that it does not know."""

    @property
    def posted(self) -> dict[str, Any]:
        """What a board shows of the table before anything is played, as fields of `table.opened`."""
        return {
            "labels": list(self.labels),
            "limits": list(self.limits),
            "limits_unit": self.limits_unit,
            "notices": list(self.notices),
            "history": self.history,
            "statistics": list(self.statistics),
            "view": self.view,
        }


class EventSequencer:
    """Makes events of one table, and holds them until they are taken."""

    def __init__(self, identity: Identity, time_of: Callable[[int], str], sequence: int, ephemeral: int) -> None:
        """`sequence` and `ephemeral` number the last events before."""
        self.sequence = sequence
        self.ephemeral = ephemeral
        self.pending: list[Event] = []
        self.warnings = WarningLimit()
        self._identity = identity
        self._time_of = time_of
        self._last_ns, self._last_time = -1, ""
        """The latest event on the steady clock, and its time."""
        self._id_prefix = f"{identity.table}.{identity.epoch}."
        self._source = f"/tables/{identity.table}"

    def emit_own(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Emits an event of the table's own."""
        identity = self._identity
        self.emit(
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

    def emit(self, data: Data) -> None:
        """Emits an event: durable ones are numbered without a gap, the others apart. Of equal warnings, those that are
        too many are counted."""
        kind = type(data)
        if isinstance(data, events.DeviceWarning) and not self.warnings.admits(data):
            return
        if self._identity.house_rules:
            data = msgspec.structs.replace(data, house_rules=True)
        number = getattr(data, "round", None)
        if kind.durable:
            self.sequence += 1
            serial, sequence = str(self.sequence), f"{self.sequence:020d}"
        else:
            self.ephemeral += 1
            serial, sequence = f"e{self.ephemeral}", None
        self.pending.append(
            Event(
                id=self._id_prefix + serial,
                source=self._source,
                type=events.type_of(kind),
                subject=msgspec.UNSET if number is None else f"round/{number}",
                time=self._time(data.mono_ns),
                sequence=msgspec.UNSET if sequence is None else sequence,
                data=data,
            )
        )

    def _time(self, t_ns: int) -> str:
        """The calendar's time, which never runs back while the steady clock does not: two readings of the clocks are a
        microsecond apart, and a calendar that is set back is a fault of its own (`clock_jumped`).
        """
        time = self._time_of(t_ns)
        if t_ns >= self._last_ns:
            # Of one form, to the microsecond: their texts are in the order of time.
            self._last_ns, self._last_time = t_ns, max(time, self._last_time)
            return self._last_time
        return time

    def take(self) -> list[Event]:
        """The events since the last call."""
        taken, self.pending = self.pending, []
        return taken
