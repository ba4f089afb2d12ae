"""Asks JetStream, by its documented API of JSON: makes streams, finds what they hold, reads and writes messages.

Only what every server from 2.9 on knows is used. Messages are read one by one, by their number or the next of a
subject, and never by a consumer: who may make one may name the subject to which it delivers, and so write there.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from fleet.connection import Connection, NatsRefusedError, NatsUnavailableError
from fleet.subjects import (
    ARCHIVED,
    ARCHIVED_STREAM,
    HUB_STREAM,
    LIVE_STREAM,
    ROOT,
    durable_filters,
    live_filters,
    stream_of,
)
from hal.clock import NS_PER_S
from hal.loop import sleep_ns

AT_ONCE: Final = 64
"""Messages that are asked for at one time (ours)."""
POLL_NS: Final = NS_PER_S // 5
"""Between two questions whether a stream holds more (ours)."""
DUPLICATES_NS: Final = 3600 * NS_PER_S
"""For how long a stream knows the ids of its messages (ours). Above the 15 minutes that a restart of a server or a
frozen relay may take; each message of an hour costs the server some 150 bytes."""
LIVE_AGE_NS: Final = 7 * 24 * 3600 * NS_PER_S
"""How long the last live message of a table that is gone is kept (ours)."""
MESSAGE_ID: Final = "Nats-Msg-Id"
HEAD: Final = "Feltwire-Head"
"""The head of the table's chain after the event, in hexadecimal, as the relay computed it."""
TOPIC: Final = "Feltwire-Topic"
"""The topic under which the service published the event."""

_NOT_FOUND: Final = (10037, 10059)
"""No message, no stream."""
_IN_USE: Final = 10058
_AWAY: Final = 503
"""No leader, no room, starting: it may pass."""


class _ApiError(msgspec.Struct, frozen=True):
    code: int
    err_code: int = 0
    description: str = ""


class _Failed(msgspec.Struct, frozen=True):
    error: _ApiError | None = None


class _State(msgspec.Struct, frozen=True):
    messages: int
    bytes: int
    first_seq: int
    last_seq: int
    subjects: dict[str, int] = {}


class _Source(msgspec.Struct, frozen=True):
    name: str
    lag: int = 0
    active: int = -1
    """Nanoseconds since the source was heard; negative where it never was."""


class _Info(msgspec.Struct, frozen=True):
    config: dict[str, Any]
    state: _State
    sources: list[_Source] = []
    total: int = 0
    offset: int = 0


class _Purged(msgspec.Struct, frozen=True):
    purged: int


class _Names(msgspec.Struct, frozen=True):
    streams: list[str] | None = None
    total: int = 0


class _Raw(msgspec.Struct, frozen=True):
    subject: str
    seq: int
    hdrs: str = ""
    data: str = ""
    time: str = ""


class _Got(msgspec.Struct, frozen=True):
    message: _Raw


class _Ack(msgspec.Struct, frozen=True):
    stream: str
    seq: int
    duplicate: bool = False


_T = TypeVar("_T")


SOURCE: Final = "Nats-Stream-Source"
"""Of a message that a hub sourced: the stream from which it came, as the hub has it."""


class StoredMessage(NamedTuple):
    """A message as a stream holds it."""

    subject: str
    seq: int
    """Its number in the stream."""
    headers: Mapping[str, str]
    body: bytes

    @property
    def source(self) -> str | None:
        """The stream from which a hub sourced it; None of one that was published here."""
        stated = self.headers.get(SOURCE)
        # `feltwire-hall 17`, and of later servers `feltwire-hall:x3 17 > >`.
        return None if stated is None else stated.split(" ")[0].split(":")[0]


class StreamInfo(NamedTuple):
    """What a stream holds."""

    name: str
    messages: int
    bytes: int
    first_seq: int
    last_seq: int
    subjects: Mapping[str, int]
    """How many messages each subject has."""
    config: Mapping[str, Any]
    sources: Sequence[tuple[str, int, int]]
    """Of a hub, of each source: name, messages behind, nanoseconds since it was heard (negative: never)."""


class JetStream:
    """The JetStream of one server or domain, over one connection."""

    def __init__(self, connection: Connection, domain: str = "") -> None:
        self.connection = connection
        self._prefix = f"$JS.{domain}.API." if domain else "$JS.API."

    # --- streams -------------------------------------------------------------------------------------------------

    async def streams(self) -> list[str]:
        """The names of all streams.

        Raises:
            NatsUnavailableError, NatsRefusedError: they cannot be listed.
        """
        found: list[str] = []
        while True:
            page = await self._ask("STREAM.NAMES", _Names, {"offset": len(found)})
            if found and set(page.streams or ()) & set(found):
                raise _repeated("STREAM.NAMES")
            found += page.streams or []
            if len(found) >= page.total or not page.streams:
                return sorted(found)

    async def info(self, stream: str, *, subjects: str = "") -> StreamInfo | None:
        """What a stream holds, with the subjects that match; None where there is no such stream.

        Raises:
            NatsUnavailableError, NatsRefusedError: it cannot be asked.
        """
        counted: dict[str, int] = {}
        while True:
            query = {"subjects_filter": subjects, "offset": len(counted)} if subjects else {}
            info = await self._find(f"STREAM.INFO.{stream}", _Info, query)
            if info is None:
                return None
            known = len(counted)
            counted |= info.state.subjects
            if not info.state.subjects or len(counted) >= info.total:
                break
            if len(counted) == known:
                raise _repeated(f"STREAM.INFO.{stream}")
        state = info.state
        return StreamInfo(
            stream,
            state.messages,
            state.bytes,
            state.first_seq,
            state.last_seq,
            counted,
            info.config,
            [(one.name, one.lag, one.active) for one in info.sources],
        )

    async def create_venue(self, venue: str, replicas: int = 1) -> bool:
        """Makes the stream of a venue's relay. Returns False where it is there already.

        Raises:
            NatsUnavailableError, NatsRefusedError: it cannot be made.
        """
        return await self._create(stream_of(venue), replicas, {"subjects": durable_filters(venue)})

    async def create_live(self, replicas: int = 1) -> bool:
        """Makes the stream of the last live messages. Returns False where it is there already.

        Raises:
            NatsUnavailableError, NatsRefusedError: it cannot be made.
        """
        own = {"subjects": live_filters("*"), "max_msgs_per_subject": 1, "max_age": LIVE_AGE_NS, "discard": "old"}
        return await self._create(LIVE_STREAM, replicas, {**own, "duplicate_window": 0, "deny_delete": False})

    async def create_archived(self, replicas: int = 1) -> bool:
        """Makes the stream that holds where histories begin. Returns False where it is there already.

        Raises:
            NatsUnavailableError, NatsRefusedError: it cannot be made.
        """
        own = {"subjects": [f"{ROOT}.{ARCHIVED}.>"], "max_msgs_per_subject": 1, "discard": "old"}
        return await self._create(ARCHIVED_STREAM, replicas, {**own, "duplicate_window": 0, "deny_delete": False})

    async def purge(self, stream: str, subject: str, before: int) -> int:
        """Removes the messages of a filter whose number is below `before`; returns how many.

        Raises:
            NatsUnavailableError, NatsRefusedError: they cannot be removed.
        """
        return (await self._ask(f"STREAM.PURGE.{stream}", _Purged, {"filter": subject, "seq": before})).purged

    async def create_hub(self, sources: Sequence[tuple[str, str]], replicas: int = 1) -> bool:
        """Makes the stream of a hub from those of venues; `sources` are venue and domain.

        Returns whether it is new; one that is there gets the sources that it lacks.

        Raises:
            NatsUnavailableError, NatsRefusedError: it cannot be made.
        """
        wanted = [_source(venue, domain) for venue, domain in sources]
        if await self._create(HUB_STREAM, replicas, {"sources": wanted}):
            return True
        info = await self.info(HUB_STREAM)
        there = list(info.config.get("sources", ())) if info is not None else []
        new = [one for one in wanted if not any(_same_source(one, other) for other in there)]
        if new:
            await self.change(HUB_STREAM, sources=[*there, *new])
        return False

    async def change(self, stream: str, **config: Any) -> None:
        """Changes the configuration of a stream.

        Raises:
            NatsUnavailableError, NatsRefusedError: it cannot be changed.
        """
        info = await self.info(stream)
        if info is None:
            raise NatsRefusedError(f"there is no stream {stream}")
        await self._ask(f"STREAM.UPDATE.{stream}", _Info, {**info.config, **config})

    async def _create(self, name: str, replicas: int, own: Mapping[str, Any]) -> bool:
        """Makes a stream without a limit of its own.

        With `max_bytes`, server 2.9.10 discards the oldest message of a stream that is to refuse new ones: it compares
        the limit with less than it stores. The limit of the whole server, `max_file_store`, refuses and discards
        nothing.
        """
        if await self.info(name) is not None:
            return False
        config = {
            "name": name,
            "storage": "file",
            "retention": "limits",
            "discard": "new",
            "num_replicas": replicas,
            "duplicate_window": DUPLICATES_NS,
            "deny_delete": True,
            "deny_purge": False,
            **own,
        }
        try:
            await self._ask(f"STREAM.CREATE.{name}", _Info, config)
        except _ApiRefusedError as refusal:
            if refusal.err_code == _IN_USE:
                return False
            raise
        return True

    # --- messages ------------------------------------------------------------------------------------------------

    async def last(self, stream: str, subject: str) -> StoredMessage | None:
        """The last message of a subject or filter; None where there is none.

        Raises:
            NatsUnavailableError, NatsRefusedError: it cannot be read.
        """
        got = await self._find(f"STREAM.MSG.GET.{stream}", _Got, {"last_by_subj": subject})
        return None if got is None else _stored(got.message)

    async def next(self, stream: str, subject: str, seq: int) -> StoredMessage | None:
        """The first message of a subject or filter from a number on; None where there is none.

        Raises:
            NatsUnavailableError, NatsRefusedError: it cannot be read.
        """
        got = await self._find(f"STREAM.MSG.GET.{stream}", _Got, {"next_by_subj": subject, "seq": max(1, seq)})
        return None if got is None else _stored(got.message)

    async def publish(self, stream: str, subject: str, body: bytes, headers: Mapping[str, str]) -> bool:
        """Publishes a message and waits until the stream holds it. Returns False for a duplicate, which it held.

        The stream is not named in a header, as JetStream would have it: a hub that sources the stream holds that header
        against its own stream, and takes none of these messages.

        Raises:
            NatsUnavailableError: no answer, or the stream has no room: whether it holds the message is not known.
            NatsRefusedError: it is not allowed, or no stream takes it.
        """
        answer = await self.connection.request(subject, body, headers)
        try:
            ack = _decoded(answer, _Ack, subject)
        except (_ApiRefusedError, NatsUnavailableError) as refusal:
            # No room, no leader, read-only: the journal holds the event until there is.
            raise NatsUnavailableError(f"{stream} takes no event: {refusal}") from refusal
        if ack.stream != stream:
            raise NatsRefusedError(
                f"{subject}: the stream {ack.stream} took it, and not {stream}; remove its subjects there"
            )
        return not ack.duplicate

    async def read(self, stream: str, subject: str = ">", start: int = 1) -> AsyncIterator[StoredMessage]:
        """The messages that match, from a number of the stream on, until the last that it holds now.

        Raises:
            NatsUnavailableError, NatsRefusedError: they cannot be read.
        """
        last = await self.last(stream, subject)
        info = await self.info(stream)
        if last is None or info is None:
            return
        seq, end = max(start, info.first_seq), last.seq
        while seq <= end:
            if subject == ">":
                numbers = range(seq, min(seq + AT_ONCE, end + 1))
                found = await asyncio.gather(*(self._get(stream, number) for number in numbers))
                seq = numbers.stop
            else:
                one = await self.next(stream, subject, seq)
                if one is not None and one.seq < seq:
                    raise NatsUnavailableError(f"{stream}: message {one.seq} is not from {seq} on, as was asked")
                found, seq = [one], end + 1 if one is None else one.seq + 1
            for message in found:
                if message is not None:
                    yield message

    async def follow(self, stream: str, subject: str = ">", start: int = 1) -> AsyncIterator[StoredMessage]:
        """The messages that match, from a number of the stream on, and those that come: it does not end.

        Raises:
            NatsUnavailableError, NatsRefusedError: they cannot be read.
        """
        seq = start
        while True:
            async for message in self.read(stream, subject, seq):
                seq = message.seq + 1
                yield message
            await sleep_ns(POLL_NS)

    async def _get(self, stream: str, seq: int) -> StoredMessage | None:
        got = await self._find(f"STREAM.MSG.GET.{stream}", _Got, {"seq": seq})
        return None if got is None else _stored(got.message)

    # --- requests ------------------------------------------------------------------------------------------------

    async def _find(self, what: str, kind: type[_T], query: Mapping[str, Any]) -> _T | None:
        try:
            return await self._ask(what, kind, query)
        except _ApiRefusedError as refusal:
            if refusal.err_code in _NOT_FOUND:
                return None
            raise

    async def _ask(self, what: str, kind: type[_T], query: Mapping[str, Any]) -> _T:
        body = msgspec.json.encode(query) if query else b""
        return _decoded(await self.connection.request(self._prefix + what, body), kind, what)


class _ApiRefusedError(NatsRefusedError):
    def __init__(self, what: str, error: _ApiError) -> None:
        super().__init__(f"{error.description} (error {error.err_code or error.code} of {what})")
        self.err_code = error.err_code
        self.code = error.code


def _decoded(body: bytes, kind: type[_T], what: str) -> _T:
    try:
        failed = msgspec.json.decode(body, type=_Failed)
        refusal = failed.error
        if refusal is not None and refusal.code == _AWAY:
            raise NatsUnavailableError(f"{refusal.description} (error {refusal.err_code or refusal.code} of {what})")
        if refusal is not None:
            raise _ApiRefusedError(what, refusal)
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NatsUnavailableError(f"{what}: the answer cannot be read: {error}") from error


def _repeated(what: str) -> NatsUnavailableError:
    """Without this, asking a server that does not turn its pages would not end."""
    return NatsUnavailableError(
        f"{what}: the server returns the same page again; if its streams have just changed, ask again"
    )


def _stored(raw: _Raw) -> StoredMessage:
    lines = base64.b64decode(raw.hdrs).decode("utf-8", "replace").split("\r\n")[1:]
    headers = dict(line.split(": ", 1) for line in lines if ": " in line)
    return StoredMessage(raw.subject, raw.seq, headers, base64.b64decode(raw.data))


def _source(venue: str, domain: str) -> dict[str, Any]:
    # A hub of 2.9.10 that was killed before it held anything of a source went on behind what it had missed.
    own: dict[str, Any] = {"name": stream_of(venue), "opt_start_seq": 1}
    if domain:
        own["external"] = {"api": f"$JS.{domain}.API", "deliver": ""}
    return own


def _same_source(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one["name"] == other["name"] and _api(one) == _api(other)


def _api(source: Mapping[str, Any]) -> str:
    external = source.get("external") or {}
    return str(external.get("api", ""))
