"""The sentences of docs/feed.md that the messages of a publisher must keep, and what breaks one."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

PAGE = "docs/feed.md"


class Sentence(Enum):
    """A sentence of the page, word for word."""

    FRAMES = "A message of the feed has two frames: topic and body."
    TOPIC = "The topic is `v1/<table>/<type>/`, `sim/v1/<table>/<type>/` for simulated tables"
    EVENT = "Every event is one JSON object: [CloudEvents 1.0](https://cloudevents.io) attributes around `data`."
    SCHEMA = "[schema/feltwire.schema.json](schema/feltwire.schema.json) is JSON Schema (2020-12) of an event's body"
    ID = "`<table>.<epoch>.<seq>`; live, the epoch is random and new at each start, so an id never comes twice."
    SEQUENCE = "counts up by one for each durable event of the table, without a gap."
    EPHEMERAL = (
        "Events without `sequence` (`round.progress`, `heartbeat`) are ephemeral: not journalled, not numbered, `id` "
        "ends in `e<n>`."
    )
    SOURCE = "| `source` | `/tables/<table>` |"
    SUBJECT = "| `subject` | `round/<n>`, where the event belongs to a round |"
    TIME = "Within an epoch it runs back only where `mono_ns` does"
    SIMULATED = '`simulated` is `true` in every event of `simulate`, of `replay` and of a table with `backend = "sim"`.'
    HEARTBEAT = "Once a second each table sends a `heartbeat`"
    STALE = "No heartbeat for 3 s: stale."
    LAST = "`last` is above the number that you have: the last event was lost."
    NEVER_LESS = "It is never below the number of an event that was sent before the heartbeat."
    HEAD = "`head` binds all events up to `last`"
    EPOCH = (
        "The first event of an epoch (`table.opened` or `table.closed`) names the epoch before it (`previous_epoch`) "
        "and its last number"
    )
    CONTINUES = "`seq` continues over restarts."
    DURABLE = "An event is published when it is durable in the table's journal, never before"
    HISTORY = "A DEALER sends requests, the ROUTER answers"
    SINCE = "for each durable event after `seq`, at most 500"
    REFUSAL = "the request is malformed; `detail` has the reason"
    UNKNOWN_TABLE = "the journal has no table of this name"
    REWRITTEN = "the event named by the request is not in the journal"
    SEAL = 'Ed25519 of `"feltwire seal"`, a zero byte and the statement'
    ROUNDS = "Rounds count up by one."
    OPEN = "A round opens at a table that is open, when the round before has its verdict and is settled."
    IN_ROUND = "The call, the start and the verdict of a round come while it is open."
    ONE_VERDICT = "A round has at most one of `round.outcome`, `round.void` and `round.unresolved`."
    SHUT = "While a fault that blocks play is latched no round opens, and none has an outcome."
    SETTLED = "A round is settled once, after an outcome or as unresolved."
    CORRECTED = "A correction names in `from` the verdict that is in force."
    CLEARED = "A fault is cleared that is latched."
    CLOSED = "A table is closed when no round is open, and opened when no fault blocks play."


class Broken(NamedTuple):
    """A sentence that a message breaks."""

    sentence: Sentence
    where: str
    """The id of the event, or which message it was."""
    what: str
    """What was seen."""

    def __str__(self) -> str:
        return f'{self.where}: {self.what}; {PAGE}: "{self.sentence.value}"'
