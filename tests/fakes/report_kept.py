"""A report that keeps what a part reports, for tests of parts without a game."""

from __future__ import annotations

from typing import Any, NamedTuple

from controller.table.faults import CauseGone, Fault
from controller.table.report import NOW, Shuts
from feed import events
from feed.events import Data
from hal.values import Frame


class KeptEvent(NamedTuple):
    """An event as a part reported it."""

    kind: type[Data]
    t_ns: int
    fields: dict[str, Any]


class KeptFault(NamedTuple):
    """A fault, and when it shuts the table."""

    fault: Fault
    shuts: Shuts


class ReportKept:
    """What was reported, in order."""

    def __init__(self, round_: int = 1) -> None:
        self.round = round_
        self.kept: list[KeptEvent | KeptFault | CauseGone | Frame] = []

    @property
    def said(self) -> list[str]:
        """In short: kinds of events, codes of warnings and violations, when a fault shuts, causes that are gone."""
        return [_short(one) for one in self.kept]

    def faults(self) -> list[Fault]:
        """The faults alone."""
        return [one.fault for one in self.kept if isinstance(one, KeptFault)]

    def event(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Keeps an event."""
        self.kept.append(KeptEvent(kind, t_ns, fields))

    def warn(self, t_ns: int, device: str, warning: str, detail: str) -> None:
        """Keeps a warning."""
        self.event(events.DeviceWarning, t_ns, device=device, warning=warning, detail=detail)

    def violation(self, t_ns: int, reason: str, rule: str, detail: str = "") -> None:
        """Keeps a violation."""
        self.event(events.ProcedureViolation, t_ns, reason=reason, rule=rule, detail=detail)

    def fault(self, fault: Fault, shuts: Shuts = NOW) -> None:
        """Keeps a fault."""
        self.kept.append(KeptFault(fault, shuts))

    def cause_gone(self, t_ns: int, cause: str, device: str = "") -> None:
        """Keeps that a cause is gone."""
        self.kept.append(CauseGone(t_ns, cause, device))

    def expose(self, frame: Frame) -> None:
        """Keeps a frame."""
        self.kept.append(frame)


def _short(one: KeptEvent | KeptFault | CauseGone | Frame) -> str:
    if isinstance(one, KeptFault):
        return f"{one.fault.fault} {one.shuts.value}"
    if isinstance(one, CauseGone):
        return f"gone: {one.cause}"
    if isinstance(one, Frame):
        return f"exposed {one.link}"
    code = one.fields.get("warning", one.fields.get("reason"))
    return one.kind.__name__ if code is None else str(code)
