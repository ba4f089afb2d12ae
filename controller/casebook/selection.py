"""Which events name a capture: refusals, what the dealer has to call, faults that stop play, and corrections.

| event              | a capture of                  | not                                                            |
|--------------------|-------------------------------|----------------------------------------------------------------|
| `round.void`       | the round                     | `power_loss`: what the lines did went with the power           |
| `round.unresolved` | the round                     |                                                                |
| `device.fault`     | its round, or what led to it  | one that does not block play, or stood before a restart        |
| `round.corrected`  | the round                     | one that has a capture, or the dealer's word on an unresolved  |

Outcomes that nobody doubts have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from controller.casebook.marks import RoundMarks
from feed.events import CaptureFile, Data, DeviceFault, Event, RoundCorrected, Unresolved, Void

POWER_LOSS: Final = "power_loss"


def rounds_to_keep(said: Sequence[Event], marks: RoundMarks) -> dict[int, Event]:
    """The rounds of which a capture is to be kept, each with the first event that names it."""
    wanted: dict[int, Event] = {}
    for event in said:
        number = _round_of(event.data, marks)
        if number is not None:
            wanted.setdefault(number, event)
    return wanted


def with_captures(said: Sequence[Event], names: dict[int, CaptureFile], marks: RoundMarks) -> list[Event]:
    """The events, each with the name of the capture of its round."""
    return [_named(event, names, marks) for event in said]


def _round_of(data: Data, marks: RoundMarks) -> int | None:
    """The round whose capture an event names; None where it names none."""
    match data:
        case Void(reason=reason, round=number) if reason != POWER_LOSS:
            return number
        case Unresolved(round=number):
            return number
        case DeviceFault(blocks_play=True, before_restart=False, round=number):
            return number
        case RoundCorrected(confirmed=False, round=number) if not marks.is_kept(number):
            return number
    return None


def _named(event: Event, names: dict[int, CaptureFile], marks: RoundMarks) -> Event:
    data = event.data
    number = _round_of(data, marks)
    name = None if number is None else names.get(number)
    if name is None:
        return event
    if isinstance(data, Void | Unresolved):
        return replace(event, data=replace(data, evidence=replace(data.evidence, capture=name)))
    return replace(event, data=replace(data, capture=name))
