"""What a relay reports of itself, once a second, on its live subject and in its metrics."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

TableLink: TypeAlias = Literal["catching_up", "live", "stale", "halted", "rewritten", "refused"]
REWRITTEN: Final = "rewritten"
"""Its history is not the one that the stream holds."""
REFUSED: Final = "refused"
"""Two services serve it, or its subjects in the stream hold something else."""


class RelayedTable(msgspec.Struct, kw_only=True):
    """How far one table is relayed."""

    state: TableLink
    journal: int = 0
    """The last event that the journal announced."""
    held: int = 0
    """The last event that the stream is known to hold."""
    detail: str = ""
    """Why it is not relayed further, of a table that is `rewritten` or `refused`."""

    @property
    def lag(self) -> int:
        """Events that the journal has and the stream has not."""
        return max(0, self.journal - self.held)


class RelayReport(msgspec.Struct, kw_only=True):
    """The report of a relay."""

    venue: str
    name: str
    time: str
    """When it was made, UTC."""
    tables: dict[str, RelayedTable]
    """By name; that of a simulated one begins with `sim/`."""
    services: dict[str, bool]
    """By address, whether anything was received from it since the connection to NATS was made."""
    acknowledged: int
    """Events that the stream took since the relay was started."""
    duplicates: int
    """... that it held already."""
    connections: int
    """Connections to NATS made since then."""


def encode_report(report: RelayReport) -> bytes:
    """The JSON of a report."""
    return msgspec.json.encode(report)


def decode_report(body: bytes) -> RelayReport:
    """The report of a message.

    Raises:
        ValueError: it is none.
    """
    return msgspec.json.decode(body, type=RelayReport)
