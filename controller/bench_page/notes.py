"""What drivers report, as short notes for the rows below their lines."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from drivers.base.driver import Observation
from hal.plain_text import plain

MOST_NOTES: Final = 60
"""Notes of one update (ours); of more, the newest are kept and the others counted."""
MOST_DETAIL: Final = 240
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """One observation. Times are nanoseconds since the origin."""

    t_ns: int
    device: str
    what: str
    """Its kind in words: `ball passed`."""
    detail: str
    """Its fields in words."""
    at_ns: tuple[int, ...] = ()
    """The times that it names: of the edges from which it follows."""


def note_of(device: str, seen: Observation, origin_ns: int, *, sealed: bool) -> Note:
    """An observation as a note; of a `sealed` device only its kind is shown."""
    what = _CAMEL.sub(" ", type(seen).__name__).lower()
    if sealed:
        return Note(seen.t_ns - origin_ns, device, what, "sealed")
    words: list[str] = []
    times: list[int] = []
    for name in seen.__struct_fields__:
        value = getattr(seen, name)
        if name == "t_ns" or value is None or value in ("", ()):
            continue
        if name.endswith("_ns"):
            times.append(value - origin_ns)
        else:
            words.append(f"{name.replace('_', ' ')} {_value(value)}")
    return Note(seen.t_ns - origin_ns, device, what, plain(", ".join(words))[:MOST_DETAIL], tuple(times))


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, msgspec.Struct):
        return "(" + ", ".join(f"{name} {_value(getattr(value, name))}" for name in value.__struct_fields__) + ")"
    if isinstance(value, tuple | list | frozenset | set):
        return "-".join(_value(one) for one in value) or "none"
    return str(value)


class NoteTaker:
    """Collects notes between two updates, no more than `most`."""

    def __init__(self, sealed: Callable[[str], bool], origin_ns: int = 0, most: int = MOST_NOTES) -> None:
        self._sealed = sealed
        self._origin_ns = origin_ns
        self._notes: deque[Note] = deque(maxlen=most)
        self._taken = 0

    def take(self, device: str, found: Sequence[Observation]) -> None:
        """Takes what a driver reports."""
        sealed = self._sealed(device)
        for seen in found:
            self._notes.append(note_of(device, seen, self._origin_ns, sealed=sealed))
        self._taken += len(found)

    def update(self) -> tuple[list[Note], int]:
        """The notes since the last update, by time, and how many more there were."""
        notes = sorted(self._notes, key=lambda note: note.t_ns)
        more = self._taken - len(notes)
        self._notes.clear()
        self._taken = 0
        return notes, more
