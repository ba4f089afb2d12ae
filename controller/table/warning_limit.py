"""The limit of repeated warnings: noise on a wire does not fill the journal.

    warnings    |  |  |  | ... |  ||||||||||||
    published   1  2  3  4 ... MOST            WINDOW_NS after the first: "… (12 more of these within 60 s)"

Only what repeats word for word is counted: another detail, such as another amount, is another warning.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec.structs import replace

from drivers.base.driver import NEVER_NS
from feed.events import DeviceWarning

WINDOW_NS: Final = 60_000_000_000
MOST: Final = 30
"""Of equal warnings of one device, this many are published in this time; the others are counted (ours)."""

_Key: TypeAlias = tuple[str, str, str, int | None]


class _Repeated:
    """A warning that came lately."""

    def __init__(self, first: DeviceWarning) -> None:
        self.first = first
        self.count = 0


class WarningLimit:
    """Decides which warnings of one table are published."""

    def __init__(self) -> None:
        self.due_ns = NEVER_NS
        """When the next warning is published that has a count; `NEVER_NS` where none is."""
        self._repeated: dict[_Key, _Repeated] = {}
        """By their first times, in order."""

    def admits(self, warning: DeviceWarning) -> bool:
        """Whether a warning is published; otherwise it is counted."""
        key = (warning.device, warning.warning, warning.detail, warning.round)
        known = self._repeated.get(key)
        if known is None or (known.count <= MOST and warning.mono_ns - known.first.mono_ns >= WINDOW_NS):
            self._forget(warning.mono_ns)
            self._repeated.pop(key, None)
            known = self._repeated[key] = _Repeated(warning)
        known.count += 1
        if known.count <= MOST:
            return True
        self.due_ns = min(self.due_ns, known.first.mono_ns + WINDOW_NS)
        return False

    def due(self, t_ns: int) -> list[DeviceWarning]:
        """The warnings whose time is over, with the count of those that were not published."""
        over = [known for known in self._repeated.values() if t_ns - known.first.mono_ns >= WINDOW_NS]
        return self._counted(over, t_ns)

    def end(self, t_ns: int) -> list[DeviceWarning]:
        """As `due`, of all warnings: the table ends."""
        return self._counted(list(self._repeated.values()), t_ns)

    def _counted(self, over: list[_Repeated], t_ns: int) -> list[DeviceWarning]:
        found: list[DeviceWarning] = []
        for known in over:
            first = known.first
            del self._repeated[first.device, first.warning, first.detail, first.round]
            if known.count > MOST:
                span_s = round((t_ns - first.mono_ns) / 1e9)
                detail = f"{first.detail} ({known.count - MOST} more of these within {span_s} s)"
                found.append(replace(first, mono_ns=t_ns, detail=detail))
        due = [known.first.mono_ns + WINDOW_NS for known in self._repeated.values() if known.count > MOST]
        self.due_ns = min(due, default=NEVER_NS)
        return found

    def _forget(self, t_ns: int) -> None:
        """Forgets the oldest warnings that are over and have no count."""
        for key, known in list(self._repeated.items()):
            if t_ns - known.first.mono_ns < WINDOW_NS or known.count > MOST:
                return
            del self._repeated[key]
