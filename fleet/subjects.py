"""Names on NATS: the subjects of a venue's tables, and the streams that hold them.

    feltwire.v1.<venue>.<table>.<type>          a durable event, byte for byte as the service published it
    feltwire.sim.v1.<venue>.<table>.<type>      ... of a simulated table
    feltwire.v1.<venue>._seal.<key>             a seal of a journal: signed heads of its tables
    feltwire.live.v1.<venue>.<table>.<type>     what is not durable: heartbeat, snapshot, round.progress
    feltwire.live.v1.<venue>.@relay.<name>      the report of a relay

    feltwire-<venue>    the events that one relay publishes: exactly those of the journals
    feltwire            on a hub: those of all venues
    feltwire-live       the last message of each live subject
    feltwire-archived   where the history of a table begins in a stream, once older history was moved to a folder:
                        feltwire.archived.<stream>.<venue>.<real or sim>.<table>

A type has dots of its own (`round.outcome`), so it may be more than one token; no table's id and no venue's has one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from feed.events import Event
from feed.wire import is_table

ROOT: Final = "feltwire"
VERSION: Final = "v1"
SIM: Final = "sim"
REAL: Final = "real"
LIVE: Final = "live"
RELAY: Final = "@relay"
SEAL: Final = "_seal"
"""Without an @: a hub of server 2.9.10 that sources a stream stops at a subject that has one."""
SNAPSHOT: Final = "snapshot"
HEARTBEAT: Final = "heartbeat"
HUB_STREAM: Final = "feltwire"
LIVE_STREAM: Final = "feltwire-live"
ARCHIVED: Final = "archived"
ARCHIVED_STREAM: Final = "feltwire-archived"
MOST_NAME: Final = 32
"""Characters of a venue's name (ours)."""

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_RESERVED: Final = (LIVE, ARCHIVED)
"""The stream of this venue would be one that is there for all."""


class VenueError(ValueError):
    """A venue's name cannot be used; the message has a valid one."""


def parse_venue(text: str) -> str:
    """Checks the name of a venue, and returns it.

    Raises:
        VenueError: it is not valid.
    """
    if not _is_name(text):
        shown = text[:MOST_NAME].encode("unicode_escape").decode()
        raise VenueError(
            f'venue "{shown}": write up to {MOST_NAME} lower-case letters, digits and single hyphens, such as '
            "atlantic-hall: it is a part of every subject on NATS"
        )
    if text in _RESERVED:
        raise VenueError(f'venue "{text}": this name is taken for a stream of all venues; choose another one')
    return text


def _is_name(text: str) -> bool:
    return len(text) <= MOST_NAME and _NAME.fullmatch(text) is not None


@lru_cache(4096)
def _is_venue(text: str) -> bool:
    """Whether `parse_venue` lets it through. Asked for each message, and there are few venues."""
    return _is_name(text) and text not in _RESERVED


@lru_cache(65536)
def _is_part(text: str) -> bool:
    """Whether it can be where a subject names a table."""
    return text in (RELAY, SEAL) or is_table(text)


def stream_of(venue: str) -> str:
    """The stream to which the relay of a venue publishes."""
    return f"{ROOT}-{venue}"


def venue_of_stream(stream: str) -> str | None:
    """The venue of a relay's stream; None for the streams of a hub and any other."""
    name = stream.removeprefix(f"{ROOT}-")
    return name if name != stream and _is_venue(name) else None


class TableName(NamedTuple):
    """One table of one venue. A real table and a simulated one of the same id are two."""

    venue: str
    simulated: bool
    table: str

    def __str__(self) -> str:
        return f"{self.venue}/{f'{SIM}/' if self.simulated else ''}{self.table}"

    @property
    def name(self) -> str:
        """Its name in the positions of a subscriber: `sim/wheel-1` of a simulated table."""
        return f"{SIM}/{self.table}" if self.simulated else self.table

    @property
    def events(self) -> str:
        """All its durable events, as a filter."""
        return f"{root_of(self.venue, simulated=self.simulated)}.{self.table}.>"

    def live(self, kind: str) -> str:
        """The subject of its live messages of a kind."""
        return f"{root_of(self.venue, simulated=self.simulated, live=True)}.{self.table}.{kind}"


class ParsedSubject(NamedTuple):
    """A subject, taken apart."""

    live: bool
    simulated: bool
    venue: str
    table: str
    """The table's id, `RELAY` or `SEAL`."""
    kind: str
    """`round.outcome`; of a relay its name, of a seal the beginning of its key."""

    @property
    def of_table(self) -> TableName | None:
        """The table; None where it is of none."""
        return None if self.table in (RELAY, SEAL) else TableName(self.venue, self.simulated, self.table)


def root_of(venue: str, *, simulated: bool, live: bool = False) -> str:
    """The first tokens of a venue's subjects; `*` for all venues."""
    return ".".join((ROOT, *((LIVE,) if live else ()), *((SIM,) if simulated else ()), VERSION, venue))


def event_subject(venue: str, event: Event, *, live: bool = False) -> str:
    """The subject of an event."""
    kind = event.topic.rsplit("/", 2)[-2]
    return f"{root_of(venue, simulated=event.data.simulated, live=live)}.{event.data.table}.{kind}"


def relay_subject(venue: str, name: str) -> str:
    """The subject of the reports of a relay."""
    return f"{root_of(venue, simulated=False, live=True)}.{RELAY}.{name}"


def archived_subject(stream: str, table: TableName) -> str:
    """Where it is up to which event a table's history was removed from a stream."""
    return f"{ROOT}.{ARCHIVED}.{stream}.{table.venue}.{SIM if table.simulated else REAL}.{table.table}"


def parse_archived(text: str, stream: str) -> TableName | None:
    """The table of such a subject; None for one of another stream, and one that is not ours."""
    tokens = text.split(".")
    if tokens[:3] != [ROOT, ARCHIVED, stream] or len(tokens) != 6:
        return None
    venue, kind, table = tokens[3:]
    if kind not in (REAL, SIM) or not _is_venue(venue) or not is_table(table):
        return None
    return TableName(venue, kind == SIM, table)


def durable_filters(venue: str) -> list[str]:
    """The subjects of all that is durable of a venue."""
    return [f"{root_of(venue, simulated=simulated)}.>" for simulated in (False, True)]


def live_filters(venue: str) -> list[str]:
    """The subjects of all that is live of a venue."""
    return [f"{root_of(venue, simulated=simulated, live=True)}.>" for simulated in (False, True)]


def parse_subject(text: str) -> ParsedSubject | None:
    """The parts of a subject; None for one that is not ours. The names of venue and table are valid: they can be in a
    path of files and in a filter."""
    tokens = text.split(".")
    if tokens[0] != ROOT:
        return None
    del tokens[0]
    live = tokens[:1] == [LIVE]
    del tokens[: int(live)]
    simulated = tokens[:1] == [SIM]
    del tokens[: int(simulated)]
    if len(tokens) < 4 or tokens[0] != VERSION or not all(tokens):
        return None
    if not _is_venue(tokens[1]) or not _is_part(tokens[2]):
        return None
    return ParsedSubject(live, simulated, tokens[1], tokens[2], ".".join(tokens[3:]))
