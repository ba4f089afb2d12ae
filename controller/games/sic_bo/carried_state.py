"""What of a sic bo table a restart must not lose beside its rounds and faults: reported in events, read back from them.

An inspection that was under way begins again: a person looks at all of it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from feed.state import TableState


class CarriedState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What `round.opened` and `round.course` carry."""

    dice_placed: str | None = None
    """When the dice were placed, by the calendar; empty while they are too old, None where no time runs."""
    shift_operations: int | None = None
    """How often the automated shaker was operated since a shift began; None where a shift owes nothing."""
    shaker_removed: bool = False
    """Whether a supervisor has ordered that the automated shaker is off the table."""

    def as_event(self) -> dict[str, Any]:
        """As an event carries it."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


def carried_last(state: TableState) -> CarriedState | None:
    """What was carried last before a restart; None where nothing was that this version reads."""
    carried: Mapping[str, Any] | None = state.course
    if carried is None and state.rounds:
        # A verdict takes it along: it is what was so when that round was opened, or was changed in it.
        carried = state.rounds[-1].course
    if carried is None:
        return None
    try:
        return msgspec.convert(carried, CarriedState)
    except msgspec.ValidationError:
        return None
