"""Sample events, each built in one line."""

from __future__ import annotations

from feed import events
from feed.events import Event

EPOCH = "0123456789abcdef"


def event(kind: type[events.Data], number: int, table: str = "wheel-1", **fields: object) -> Event:
    data = kind(table=table, game="money_wheel", simulated=True, mono_ns=number, **fields)  # type: ignore[arg-type]
    durable = kind.durable
    serial = str(number) if durable else f"e{number}"
    attributes = {"sequence": f"{number:020d}"} if durable else {}
    return Event(
        id=f"{table}.{EPOCH}.{serial}",
        source=f"/tables/{table}",
        type=events.type_of(kind),
        time="1970-01-01T00:00:00.000000Z",
        data=data,
        **attributes,
    )


def opened(number: int, table: str = "wheel-1") -> Event:
    return event(events.RoundOpened, number, table, round=number)


def progress(number: int) -> Event:
    return event(events.RoundProgress, number, round=1, revolutions=1.0)
