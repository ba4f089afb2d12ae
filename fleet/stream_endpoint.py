"""The address of tables on JetStream, wherever that of a service's feed is accepted:

nats://10.0.0.5:4222                        all venues of a server; so is nats://10.0.0.5:4222/*
tls://hub.example/atlantic-hall             one venue
tls://hub.example/atlantic-hall/roulette-1  one table; with sim/ before its id a simulated one
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final, NamedTuple

from feed.wire import is_table
from fleet.connection import NatsAddress, NatsAddressError
from fleet.subjects import SIM, VenueError, parse_venue

ALL: Final = "*"
_EXAMPLE: Final = "write nats://10.0.0.5:4222/atlantic-hall, with * in place of the venue for all"


class StreamEndpoint(NamedTuple):
    """A server, and of which tables."""

    address: NatsAddress
    """Without a venue."""
    venue: str = ""
    """Empty for all."""
    table: str = ""
    """Empty for all."""
    simulated: bool = False
    """Whether `table` is a simulated one."""

    def __str__(self) -> str:
        parts = [self.venue or ALL, *([SIM] if self.simulated else []), *([self.table] if self.table else [])]
        return f"{self.address.server}/{'/'.join(parts)}"

    @classmethod
    def parse(cls, text: str, *, ca: Path | None = None, certificate: Path | None = None) -> StreamEndpoint:
        """The endpoint of a URL.

        Raises:
            NatsAddressError: it is none; the message has a valid one.
        """
        address = NatsAddress.parse(text, ca=ca, certificate=certificate)
        path = address.venue.split("/") if address.venue else []
        address = address._replace(venue="")
        venue = "" if path[:1] in ([], [ALL]) else path[0]
        try:
            if venue:
                parse_venue(venue)
        except VenueError as error:
            raise NatsAddressError(f"NATS address {address}: {error}") from error
        rest = path[1:]
        simulated = rest[:1] == [SIM] and len(rest) > 1
        table = "/".join(rest[int(simulated) :])
        if table and not is_table(table):
            shown = table[:40].encode("unicode_escape").decode()
            raise NatsAddressError(
                f'NATS address {address}: after the venue, expected the id of a table, not "{shown}"; {_EXAMPLE}'
            )
        return cls(address, venue, table, simulated)

    def tables(self, asked: Collection[str] | None) -> Collection[str] | None:
        """The tables of it, of those that are asked for; None for all."""
        if not self.table:
            return asked
        return [self.table] if not asked or self.table in asked else []

    def kind(self, asked: bool | None) -> bool | None:
        """Real or simulated tables, or both, as the subscriber has it: those of the address, otherwise those asked
        for."""
        return self.simulated if self.table else asked
