"""The order with which the service states that records of a machine are durable.

    game ──MachineEvent, record 12──► journal ──durable──► `journalled record=12` ──► game: the payout may leave

It comes among the orders, so that the lines' memory, a capture and a replay have it at its time. No person can send it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from feed.events import Event, MachineEvent
from hal.values import Command

JOURNALLED: Final = "journalled"
RECORD: Final = "record"


def journalled(events: Iterable[Event], t_ns: int) -> Command | None:
    """States that these events are durable; None where no machine waits for any of them."""
    records = [event.data.carried.get(RECORD) for event in events if isinstance(event.data, MachineEvent)]
    numbers = [number for number in records if isinstance(number, int)]
    return Command(JOURNALLED, ((RECORD, str(max(numbers))),), t_ns) if numbers else None


def record_of(command: Command) -> int | None:
    """The number of the record that is durable; None where the order names none."""
    number = dict(command.given).get(RECORD, "")
    return int(number) if number.isascii() and number.isdecimal() and len(number) <= 15 else None
