"""What a game and its parts report: events of the round, warnings, violations, faults, and exposed frames.

A part takes a `Report` and the few facts that it needs, as values or callables. One that runs a part of the round takes
the table's `RoundLifecycle`. It never takes its game.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, Final, Protocol

from controller.table.context import GameContext
from controller.table.faults import CauseGone, Fault
from feed import events
from feed.events import Data
from hal.values import Frame


class Shuts(Enum):
    """When a fault shuts the table."""

    NOW = "now"
    """At once: a run that is under way cannot be judged."""
    AFTER_VERDICT = "after verdict"
    """Once the round that is open has its verdict; at once where every round has one."""
    UNLESS_CALLED = "unless called"
    """At once while bets can be placed; after "No more bets", once the round has its verdict."""


NOW: Final = Shuts.NOW
AFTER_VERDICT: Final = Shuts.AFTER_VERDICT
UNLESS_CALLED: Final = Shuts.UNLESS_CALLED


class Report(Protocol):
    """Takes what is reported of one table's round, in order."""

    @property
    def round(self) -> int:
        """The number of the round; 0 before the first one."""

    def event(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Reports an event. `fields` are those beyond the common ones; `round` is this round unless it is given."""

    def warn(self, t_ns: int, device: str, warning: str, detail: str) -> None:
        """Reports a warning about a device."""

    def violation(self, t_ns: int, reason: str, rule: str, detail: str = "") -> None:
        """Reports that a person acted against the procedure."""

    def fault(self, fault: Fault, shuts: Shuts = NOW) -> None:
        """Reports a fault of a device; `shuts` is when it shuts the table, if it blocks play."""

    def cause_gone(self, t_ns: int, cause: str, device: str = "") -> None:
        """The cause of a fault, latched or to be latched, is gone: a person may clear it. No device: the game's own."""

    def expose(self, frame: Frame) -> None:
        """The content of a secret frame is exposed now: a capture may hold it."""


class RoundReport:
    """What was reported of one table's rounds, in order, until the table takes it."""

    def __init__(self, context: GameContext, stop: Callable[[Fault, Shuts], None]) -> None:
        """`stop` decides when a fault is reported that need not shut the table at once."""
        self.round = 0
        """The number of the round; 0 before the first one."""
        self.events: list[Data | Fault | CauseGone] = []
        """Events and faults, until the table takes them."""
        self.shown: list[Frame] = []
        """Secret frames whose content is exposed now, until the table takes them: a capture may hold them."""
        self.pending: list[Fault] = []
        """Faults that shut the table once the round has its verdict."""
        self._context = context
        self._stop = stop

    def event(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Reports an event of this round; of an event that names no round, what it names."""
        context = self._context
        if "round" not in fields and _has_round(kind):
            fields["round"] = self.round
        self.events.append(
            kind(table=context.table, game=context.game, simulated=context.simulated, mono_ns=t_ns, **fields)
        )

    def warn(self, t_ns: int, device: str, warning: str, detail: str) -> None:
        """Reports a warning about a device."""
        self.event(events.DeviceWarning, t_ns, device=device, warning=warning, detail=detail)

    def violation(self, t_ns: int, reason: str, rule: str, detail: str = "") -> None:
        """Reports that a person acted against the procedure."""
        self.event(events.ProcedureViolation, t_ns, reason=reason, rule=rule, detail=detail)

    def fault(self, fault: Fault, shuts: Shuts = NOW) -> None:
        """Reports a fault of a device, now or when it may shut the table."""
        if shuts is NOW:
            self.events.append(fault)
        else:
            self._stop(fault, shuts)

    def cause_gone(self, t_ns: int, cause: str, device: str = "") -> None:
        """The cause of a fault, reported or pending, is gone: a person may clear it."""
        self.pending = [one._replace(cause="") if one.cause == cause else one for one in self.pending]
        self.events.append(CauseGone(t_ns, cause, device))

    def expose(self, frame: Frame) -> None:
        """The content of a secret frame is exposed now."""
        self.shown.append(frame)

    def blocks_play(self) -> bool:
        """Whether a fault that blocks play was reported, which the table has not taken yet."""
        return any(isinstance(one, Fault) and one.blocks_play for one in self.events)

    def release(self, t_ns: int) -> None:
        """Reports the pending faults: the round has its verdict."""
        self.events += [one._replace(t_ns=t_ns) for one in self.pending]
        self.pending = []


@cache
def _has_round(kind: type[Data]) -> bool:
    """Whether an event of this kind can name a round."""
    return "round" in kind.__struct_fields__
