"""The durable records of a machine: its account as it is now, and what a start needs beside it.

each part that must go on after a power cut ──carry──► every record has its state
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from controller.games.machines.account import CoinDevices, TokenAccount
from controller.table.report import Report
from feed import events

Carried = Callable[[], Mapping[str, Any]]
"""What a part needs to go on after a start, by the keys of the record."""


class MachineRecords:
    """Makes the records of one machine."""

    def __init__(self, report: Report, model: str, coins: CoinDevices | None = None) -> None:
        """`model` is the hash of everything in the configuration that touches play."""
        self.account = TokenAccount(self._record, coins)
        self._report = report
        self._model = model
        self._carried: list[Carried] = []
        self._seen: list[Callable[[int], None]] = []

    def carry(self, carried: Carried) -> None:
        """Every record has this too, after what was given before."""
        self._carried.append(carried)

    def watch(self, seen: Callable[[int], None]) -> None:
        """Calls `seen` after each record, with its time."""
        self._seen.append(seen)

    def model_changed(self, carried: Mapping[str, Any]) -> str | None:
        """That what touches play is not what it was in a record, in words; None where it is."""
        before = carried.get("model")
        if before is None or before == self._model:
            return None
        return f"what touches play was changed: its hash was {str(before)[:16]}, and is {self._model[:16]}"

    def _record(self, t_ns: int, act: str, *, tokens: int | None = None, by: str = "", detail: str = "") -> None:
        carried = {**self.account.state, "model": self._model}
        for more in self._carried:
            carried |= more()
        self._report.event(
            events.MachineEvent,
            t_ns,
            act=act,
            meters=self.account.meters,
            credits=self.account.credits,
            debt=self.account.debt,
            carried=carried,
            tokens=tokens,
            by=by,
            detail=detail,
            round=self._report.round or None,
        )
        for seen in self._seen:
            seen(t_ns)
