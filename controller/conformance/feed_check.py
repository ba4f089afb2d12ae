"""Checks the messages of a publisher, whoever it is, against the sentences of docs/feed.md. It opens nothing.

history ──► `recorded`      ┐
feed ─────► `received`      ├──► what breaks which sentence: `broken`
seals ────► `sealed`        ┘
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from controller.conformance.round_order import RoundOrder
from controller.conformance.sentences import Broken, Sentence
from feed import events
from feed.events import Data, Event, EventError, decode, genesis, link
from feed.results import RESULTS
from feed.wire import EndOfEvents, SignedSeal, is_table
from hal.plain_text import plain

MOST: Final = 1_000
"""This many findings are kept (ours); what follows is counted."""
KEPT: Final = 20_000
"""This many of a table's last events are compared with what the feed has of them (ours)."""
RECENT: Final = 100
"""This many ephemeral events of a table are remembered (ours)."""
STALE_NS: Final = 3_000_000_000
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z", re.ASCII)
_DOMAIN: Final = b"feltwire seal\0"
_SHOWN: Final = 80
_WHAT: Final = 500


class _Link(msgspec.Struct, frozen=True):
    """An event's place in the chain."""

    epoch: str
    head: bytes
    body: bytes | None
    """SHA-256 of topic and body, as it was received; None where only a head is known."""


class _SealHead(msgspec.Struct, frozen=True, array_like=True):
    """The last record of a chain, as a seal states it."""

    seq: int
    epoch: str
    hash: str


class _Statement(msgspec.Struct, frozen=True):
    """What is compared of a seal's statement."""

    heads: dict[str, _SealHead]


class Published(NamedTuple):
    """The last event of a table that the feed has shown to be in its history."""

    table: str
    seq: int
    body: bytes | None
    """Hash of its body; None where only heartbeats have named it."""


class FeedCheck:
    """Checks everything that one publisher sends."""

    def __init__(self, keys: Collection[bytes] = ()) -> None:
        """`keys` are the public keys that may sign its seals; none: any key may."""
        self.broken: list[Broken] = []
        self.count = 0
        """Of everything that was found, also what is not kept."""
        self.messages = 0
        self.seals = 0
        self.unknown: set[str] = set()
        """Types that this version does not know: a reader ignores them."""
        self._keys = frozenset(keys)
        self._tables: dict[str, TableFeedCheck] = {}
        self._last: dict[str, int] = {}
        """By id, the last event that the end of a table's history states."""
        self._sealed: list[tuple[str, dict[str, _SealHead]]] = []

    @property
    def tables(self) -> list[str]:
        """The tables of which there was an event; simulated ones begin with `sim/`."""
        return sorted(self._tables)

    @property
    def durable(self) -> int:
        """How many durable events were checked."""
        return sum(table.events for table in self._tables.values())

    @property
    def heartbeats(self) -> int:
        """How many heartbeats were checked."""
        return sum(table.heartbeats for table in self._tables.values())

    def received(self, frames: Sequence[bytes], t_ns: int | None = None) -> None:
        """A message of the feed, and when it came; None where nobody noted it."""
        self.messages += 1
        where = f"message {self.messages}"
        if len(frames) != 2:
            self._add([(Sentence.FRAMES, f"it has {len(frames)} frames")], where)
            return
        event = self._event(frames[1], where)
        if event is not None:
            self._add(_topic(event, frames[0]), event.id)
            self._add(self._table(event).received(event, frames[1], t_ns), event.id)

    def body(self, body: bytes) -> None:
        """A body of the feed without its topic, as `watch --json` prints it."""
        self.messages += 1
        event = self._event(body, f"message {self.messages}")
        if event is not None:
            self._add(self._table(event).received(event, body), event.id)

    def recorded(self, table: str, topic: bytes, body: bytes) -> None:
        """The next event of the history of a table."""
        event = self._event(body, f"history of {table}")
        if event is None:
            return
        self._add(_topic(event, topic), event.id)
        if event.data.table != table:
            self._add([(Sentence.SINCE, f"an event of {event.data.table}, and {table} was asked for")], event.id)
        self._add(self._table(event).recorded(event, body), event.id)

    def position(self, table: str) -> tuple[str, int] | None:
        """Epoch and number of the last event of a table; None where it has none."""
        return next((known.position for known in self._known(table)), None)

    @property
    def published(self) -> list[Published]:
        """Of each table that the feed had, what its history must have."""
        return [found for table in self._tables.values() if (found := table.published) is not None]

    def answered(self, end: EndOfEvents) -> None:
        """The end of a table's history: nothing follows."""
        where = f"history of {end.table}"
        self._last[end.table] = end.last
        known = self._known(end.table)
        for table in known:
            self._add(table.ends(end), where)
        if not known and end.last != end.after:
            what = f"the answer ends with event {end.last}, and has no event after {end.after}"
            self._add([(Sentence.SINCE, what)], where)

    def sealed(self, seals: Iterable[SignedSeal]) -> None:
        """The seals of the history: their signatures are checked, and at the end what they seal."""
        for seal in seals:
            self.seals += 1
            self._add(self._seal(seal), f"seal {self.seals}")

    def refuse(self, sentence: Sentence, where: str, what: str) -> None:
        """Something else that breaks a sentence."""
        self._add([(sentence, what)], where)

    def end(self, start_ns: int | None = None, now_ns: int | None = None) -> None:
        """Nothing follows: what stopped, or never came.

        `start_ns` is since when the feed was listened to, `now_ns` until when; None where nobody noted it.
        """
        for name, table in self._tables.items():
            self._add(table.end(start_ns, now_ns), name)
        for name in self._last:
            if not self._known(name) and start_ns is not None and now_ns is not None and now_ns - start_ns > STALE_NS:
                self._add([(Sentence.HEARTBEAT, _silence(now_ns - start_ns))], name)
        for where, heads in self._sealed:
            self._add(self._heads(heads), where)
        if self._keys and not self.seals:
            self._add([(Sentence.SEAL, "there is none, and a key of the seals was given")], "seals")

    def _known(self, table: str) -> list[TableFeedCheck]:
        """What there is of an id: the real table, the simulated one, or both."""
        return [self._tables[name] for name in (table, f"sim/{table}") if name in self._tables]

    def _add(self, found: Iterable[tuple[Sentence, str]], where: str) -> None:
        for sentence, what in found:
            self.count += 1
            if len(self.broken) < MOST:
                self.broken.append(Broken(sentence, plain(where[:_SHOWN]), plain(what[:_WHAT])))

    def _event(self, body: bytes, where: str) -> Event | None:
        try:
            event = decode(body)
        except EventError as error:
            sentence = Sentence.SCHEMA if body.lstrip().startswith(b"{") else Sentence.EVENT
            self._add([(sentence, str(error))], where)
            return None
        if isinstance(event.data, events.Unknown):
            self.unknown.add(event.type)
        self._add(_attributes(event), event.id)
        return event

    def _table(self, event: Event) -> TableFeedCheck:
        name = f"sim/{event.data.table}" if event.data.simulated else event.data.table
        other = name.removeprefix("sim/") if event.data.simulated else f"sim/{name}"
        if name not in self._tables:
            self._tables[name] = TableFeedCheck(event.data.table)
            if other in self._tables:
                self._add([(Sentence.SIMULATED, "the table has real and simulated events")], event.id)
        return self._tables[name]

    def _seal(self, seal: SignedSeal) -> Iterator[tuple[Sentence, str]]:
        try:
            key, signature = bytes.fromhex(seal.public_key), bytes.fromhex(seal.signature)
            VerifyKey(key).verify(_DOMAIN + seal.statement.encode(), signature)
            statement = msgspec.json.decode(seal.statement, type=_Statement)
        except (BadSignatureError, ValueError, RecursionError) as error:
            yield Sentence.SEAL, f"its signature or its statement is wrong: {error}"
            return
        if self._keys and key not in self._keys:
            yield Sentence.SEAL, f"it is signed with the key {seal.public_key}, which was not given"
        self._sealed.append((f"seal {self.seals}", statement.heads))

    def _heads(self, heads: dict[str, _SealHead]) -> Iterator[tuple[Sentence, str]]:
        for chain, head in heads.items():
            if not is_table(chain):
                # The chain of what people sent is not published.
                continue
            known = self._known(chain)
            last = max([self._last.get(chain, 0), *(table.position[1] for table in known)])
            if head.seq > last:
                yield Sentence.SEAL, f"it states event {head.seq} of {chain}, and the last that is known is {last}"
            for kept in (table.place(head.seq) for table in known):
                if kept is not None and (kept.head.hex(), kept.epoch) != (head.hash, head.epoch):
                    yield (
                        Sentence.SEAL,
                        f"it states another head or epoch of {chain} after event {head.seq} than its events have",
                    )


class TableFeedCheck:
    """Checks the events of one table."""

    def __init__(self, table: str) -> None:
        self.events = 0
        self.heartbeats = 0
        self._name = table
        self._seq: int | None = None
        self._epoch = ""
        self._epochs: set[str] = set()
        self._head: bytes | None = None
        self._links: dict[int, _Link] = {}
        self._order: deque[int] = deque()
        self._story: RoundOrder | None = None
        self._live: int | None = None
        """The last number that the feed had."""
        self._live_body = b""
        """The body of that event."""
        self._beaten = 0
        """The highest number that a heartbeat named."""
        self._ephemeral: deque[str] = deque(maxlen=RECENT)
        self._time, self._mono_ns = "", 0
        self._beat: tuple[str, int] | None = None
        """Epoch and time of the last heartbeat."""
        self._first_ns: int | None = None
        self._in_history = False

    def place(self, seq: int) -> _Link | None:
        """An event's place in the chain, where it is known."""
        return self._links.get(seq)

    @property
    def position(self) -> tuple[str, int]:
        """Epoch and number of the last event."""
        return self._epoch, self._seq or 0

    @property
    def published(self) -> Published | None:
        """The last event that the feed had, or that a heartbeat named; None where there was none."""
        if not is_table(self._name):
            # It cannot be asked for; it is named already.
            return None
        if self._live is not None:
            return Published(self._name, self._live, body_hash(self._live_body))
        return Published(self._name, self._beaten, None) if self._beaten else None

    def recorded(self, event: Event, body: bytes) -> Iterator[tuple[Sentence, str]]:
        """The next event of the history."""
        if event.seq is None:
            yield Sentence.EPHEMERAL, "an ephemeral event is in the history"
            return
        self._in_history = True
        yield from self._follow(event, event.seq, body)

    def received(self, event: Event, body: bytes, t_ns: int | None = None) -> Iterator[tuple[Sentence, str]]:
        """A message of the feed."""
        if self._first_ns is None:
            self._first_ns = t_ns
        if event.seq is None:
            yield from self._ephemeral_event(event, t_ns)
            return
        seq, before = event.seq, self._live
        self._live, self._live_body = seq, body
        if self._seq is None or seq > self._seq:
            yield from self._follow(event, seq, body)
            return
        if before is not None and seq != before + 1:
            yield Sentence.SEQUENCE, f"event {seq} comes after event {before}"
        kept = self._links.get(seq)
        if kept is not None and kept.body is not None and kept.body != body_hash(body):
            yield Sentence.DURABLE, "the history has another event of this number"

    def ends(self, end: EndOfEvents) -> Iterator[tuple[Sentence, str]]:
        """The end of the history, as the publisher states it."""
        if end.last != self._seq:
            yield Sentence.SINCE, f"the answer ends with event {end.last}, and the last that came is {self._seq}"
        elif end.epoch != self._epoch:
            yield Sentence.SINCE, f"the answer states the epoch {end.epoch}, and the last event has {self._epoch}"
        kept = self.place(end.last)
        if kept is not None and end.head and end.head != kept.head.hex():
            yield Sentence.HEAD, f"the answer states the head {end.head}, and the events make it {kept.head.hex()}"

    def end(self, start_ns: int | None, now_ns: int | None) -> Iterator[tuple[Sentence, str]]:
        """Nothing follows."""
        if now_ns is None:
            return
        if self._beat is not None:
            if now_ns - self._beat[1] > STALE_NS:
                yield Sentence.STALE, _silence(now_ns - self._beat[1])
            return
        # A table that begins while it is listened to is waited for from its first message.
        since_ns = start_ns if self._in_history else self._first_ns
        if since_ns is not None and now_ns - since_ns > STALE_NS:
            yield Sentence.HEARTBEAT, _silence(now_ns - since_ns)

    def _follow(self, event: Event, seq: int, body: bytes) -> Iterator[tuple[Sentence, str]]:
        """The next event of the chain."""
        self.events += 1
        joined = self._seq is None and seq != 1
        whole = self._seq is None or seq == self._seq + 1
        if not whole:
            yield Sentence.SEQUENCE, f"event {seq} comes after event {self._seq}"
        if self._story is None or not whole:
            self._story = RoundOrder(from_the_beginning=seq == 1)
        if seq == 1 and whole:
            self._head = genesis(self._name)
        elif not whole or joined:
            self._head = None
        first = event.epoch != self._epoch
        if first and not joined:
            yield from self._begins(event, seq)
        if not first:
            yield from self._time_of(event)
        self._time, self._mono_ns = event.time, event.data.mono_ns
        self._seq, self._epoch = seq, event.epoch
        self._epochs.add(event.epoch)
        if self._head is not None:
            self._head = link(self._head, body)
            self._keep(seq, _Link(event.epoch, self._head, body_hash(body)))
        yield from self._story.check(event, first=first)

    def _keep(self, seq: int, one: _Link) -> None:
        self._links[seq] = one
        self._order.append(seq)
        if len(self._order) > KEPT:
            self._links.pop(self._order.popleft(), None)

    def _begins(self, event: Event, seq: int) -> Iterator[tuple[Sentence, str]]:
        data = event.data
        if event.epoch in self._epochs:
            yield Sentence.ID, f"the epoch {event.epoch} comes again"
        if not isinstance(data, events.TableOpened | events.TableClosed):
            yield Sentence.EPOCH, f"the first event of the epoch is {event.type}"
        elif seq > 1 and self._seq == seq - 1:
            named = (data.previous_epoch or "", data.previous_sequence)
            if self._epoch and named != (self._epoch, self._seq):
                yield (
                    Sentence.EPOCH,
                    f"it names {named[0]!r} and {named[1]}; before it came {self._epoch!r} and {self._seq}",
                )

    def _time_of(self, event: Event) -> Iterator[tuple[Sentence, str]]:
        now, before = _moment(event.time), _moment(self._time)
        if now is not None and before is not None and now < before and event.data.mono_ns >= self._mono_ns:
            yield Sentence.TIME, f"its time is {event.time}, after {self._time}"

    def _ephemeral_event(self, event: Event, t_ns: int | None) -> Iterator[tuple[Sentence, str]]:
        # They are not in the order of their numbers: a heartbeat waits for the journal, and a measure does not.
        if event.id in self._ephemeral:
            yield Sentence.ID, "it comes again"
        self._ephemeral.append(event.id)
        if isinstance(event.data, events.Heartbeat):
            yield from self._heartbeat(event, event.data, t_ns)

    def _heartbeat(self, event: Event, data: events.Heartbeat, t_ns: int | None) -> Iterator[tuple[Sentence, str]]:
        self.heartbeats += 1
        self._beaten = max(self._beaten, data.last)
        if t_ns is not None:
            if self._beat is not None and self._beat[0] == event.epoch and t_ns - self._beat[1] > STALE_NS:
                yield Sentence.STALE, f"the heartbeat before came {(t_ns - self._beat[1]) / 1e9:.1f} s earlier"
            self._beat = (event.epoch, t_ns)
        if data.epoch != event.epoch:
            yield Sentence.ID, f"its id has the epoch {event.epoch}, and its data {data.epoch}"
        if self._seq is None:
            # The first of a table that was joined: what follows is compared with it.
            self._seq, self._epoch = data.last, data.epoch
            self._head = _digest(data.head)
            if self._head is None and data.head:
                yield Sentence.HEAD, f"it is {data.head!r}, expected 64 hexadecimal digits"
            elif self._head is not None:
                self._keep(data.last, _Link(data.epoch, self._head, None))
            return
        if data.last > self._seq:
            yield Sentence.LAST, f"last is {data.last}, and the last event that came is {self._seq}"
        elif self._live is not None and data.last < self._live:
            yield Sentence.NEVER_LESS, f"last is {data.last}, and event {self._live} was sent before it"
        if self._head is None and data.last == self._seq:
            # What came before is archived, or was not received: from here on the chain is known.
            self._head = _digest(data.head)
        kept = self._links.get(data.last)
        if kept is not None and data.head and data.head != kept.head.hex():
            yield (
                Sentence.HEAD,
                f"head is {data.head} after event {data.last}, and the events make it {kept.head.hex()}",
            )


def _moment(time: str) -> tuple[str, str] | None:
    """What orders a time: its whole second and the digits of its fraction; None for another text."""
    parts = _TIME.fullmatch(time)
    return None if parts is None else (parts[1], (parts[2] or "").rstrip("0"))


def _silence(length_ns: int) -> str:
    return f"no heartbeat came in the last {length_ns / 1e9:.1f} s"


def _digest(text: str) -> bytes | None:
    """The hash of 64 hexadecimal digits; None for another text."""
    try:
        value = bytes.fromhex(text)
    except ValueError:
        return None
    return value if len(value) == len(genesis("")) else None


def body_hash(body: bytes) -> bytes:
    """What tells one body from another."""
    return link(b"", body)


def _topic(event: Event, topic: bytes) -> Iterator[tuple[Sentence, str]]:
    if topic != event.topic.encode():
        yield Sentence.TOPIC, f"its topic is {topic[:_SHOWN]!r}, expected {event.topic!r}"


def _attributes(event: Event) -> Iterator[tuple[Sentence, str]]:
    data = event.data
    if not is_table(data.table):
        yield Sentence.TOPIC, f"{data.table[:_SHOWN]!r} cannot be a level of a topic"
    if event.source != f"/tables/{data.table}":
        yield Sentence.SOURCE, f"its source is {event.source[:_SHOWN]!r}"
    if _TIME.fullmatch(event.time) is None:
        yield Sentence.TIME, f"its time is {event.time[:_SHOWN]!r}, expected UTC as 2026-07-04T19:00:00.000000Z"
    if event.datacontenttype != "application/json":
        yield Sentence.SCHEMA, f"its datacontenttype is {event.datacontenttype[:_SHOWN]!r}"
    if isinstance(data, events.Unknown):
        return
    if data.game in RESULTS:
        for result in _results(data):
            try:
                msgspec.convert(result, RESULTS[data.game] | None)
            except msgspec.ValidationError as error:
                yield Sentence.SCHEMA, f"a result of {data.game}: {error}"
    if data.durable == (event.seq is None):
        yield Sentence.EPHEMERAL, f"{event.type} {'has no' if data.durable else 'has a'} sequence"
    number = getattr(data, "round", None)
    expected = msgspec.UNSET if number is None else f"round/{number}"
    if event.subject != expected:
        yield Sentence.SUBJECT, f"its subject is {event.subject!r}, and its data has the round {number}"


def _results(data: Data) -> Sequence[dict[str, Any] | None]:
    """The results that an event names; decoding takes them as they are."""
    match data:
        case events.Outcome():
            return [data.result]
        case events.Unresolved():
            return data.candidates
        case events.RoundCorrected():
            return [data.from_.result, data.to.result]
        case events.RoundDisputed():
            return [data.stands.result]
    return []
