"""The feed for other languages: JSON Schema of the events, and AsyncAPI 3 of the sockets.

Both are generated from the structs of `feed.data`. ZeroMQ has no AsyncAPI binding: `x-zmq` describes the sockets.

    python -m feed.schema [FOLDER]     writes them, to docs/schema where no folder is given

An event of an unknown type is valid: a reader ignores it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from . import wire
from .events import DATA_TYPES, TYPE_PREFIX, TYPE_SUFFIX, Data, type_of
from .state import Snapshot

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
REF: Final = "#/$defs/{name}"

ENVELOPE: Final[dict[str, Any]] = {
    "specversion": {"const": "1.0", "description": "CloudEvents 1.0."},
    "id": {
        "type": "string",
        "pattern": r"^.+\.[^.]+\.(e?[1-9][0-9]*)$",
        "description": "<table>.<epoch>.<seq>, or <table>.<epoch>.e<n> where the event is not durable. Never twice.",
    },
    "source": {"type": "string", "description": "/tables/<table>"},
    "type": {"type": "string", "pattern": "^" + re.escape(TYPE_PREFIX), "description": "Names data."},
    "subject": {"type": "string", "description": "round/<n>, where the event belongs to a round."},
    "time": {
        "type": "string",
        "format": "date-time",
        "description": "UTC. For people: sequence gives the order.",
    },
    "sequence": {
        "type": "string",
        "pattern": "^[0-9]{20}$",
        "description": "The seq of a durable event: counts up by one for each of the table's, without a gap.",
    },
    "datacontenttype": {"const": "application/json"},
    "data": {"type": "object"},
}
"""The CloudEvents attributes."""

REQUIRED: Final = ("specversion", "id", "source", "type", "time", "data")


ASYNCAPI_VERSION: Final = "3.0.0"
FEED_VERSION: Final = "1"

_SERVERS: Final[dict[str, Any]] = {
    "local": {
        "host": "/run/feltwire",
        "protocol": "zmq",
        "description": "On the same computer. Whoever may open the folder may read; no keys.",
        "x-zmq": {"feed": "ipc:///run/feltwire/feed", "history": "ipc:///run/feltwire/history"},
    },
    "network": {
        "host": "{host}:5600",
        "protocol": "zmq",
        "description": "Over the network, with CURVE keys: the client's must be on the service's allow-list.",
        "variables": {"host": {"description": "The table's computer."}},
        "x-zmq": {"feed": "tcp://{host}:5600", "history": "tcp://{host}:5601", "mechanism": "CURVE"},
    },
}

_PARAMETERS: Final[dict[str, Any]] = {
    "root": {"enum": ["v1", "sim/v1"], "description": "sim/v1 for simulated tables: never to be shown as real ones."},
    "table": {"description": "The table's id."},
}

_REQUESTS: Final = {
    "tables": "Which tables have events. Answered by [id] [tables] [json].",
    "snapshot": "[id] [snapshot] [table]: the state of a table. Answered by [id] [snapshot] [json].",
    "since": "[id] [since] [table] [epoch] [seq]: every durable event after seq. Answered by [id] [event] [topic] "
    f"[body] for each, at most {wire.PAGE_EVENTS}, then [id] [done] [json], or [id] [more] [json]: ask again "
    "after the last one.",
    "schema": "JSON Schema of the events. Answered by [id] [schema] [json].",
}

_CODES: Final = (
    wire.BAD_REQUEST,
    wire.BUSY,
    wire.REFUSED,
    wire.UNKNOWN_TABLE,
    wire.REWRITTEN,
    wire.UNAVAILABLE,
)

_HISTORY: Final[dict[str, Any]] = {
    "address": None,
    "title": "history",
    "description": "Snapshots of tables, and missed events.",
    "messages": {verb: {"name": verb, "description": text, "payload": True} for verb, text in _REQUESTS.items()},
    "bindings": {
        "x-zmq": {
            "socket": "ROUTER",
            "client": "DEALER",
            "frames": ["id, 1 to 32 bytes, chosen by the client", "verb", "arguments"],
            "errors": ["[id] [error] [json]", *_CODES],
        }
    },
}

_HISTORY_OPERATION: Final[dict[str, Any]] = {
    "action": "receive",
    "channel": {"$ref": "#/channels/history"},
    "messages": [{"$ref": f"#/channels/history/messages/{verb}"} for verb in _REQUESTS],
}


@cache
def document() -> bytes:
    """JSON Schema of an event's body, as the history server sends it."""
    return _pretty(schema())


def schema() -> dict[str, Any]:
    """JSON Schema of an event's body, and of a snapshot (`#/$defs/Snapshot`)."""
    definitions = _definitions(REF)
    return {
        "$schema": DIALECT,
        "title": "Event",
        "description": "The body of an event of the feed: CloudEvents 1.0, with data named by type. Types and fields "
        "that are not named here may come: ignore those that you do not know.",
        "type": "object",
        "properties": ENVELOPE | {"data": {"$ref": "#/$defs/Common"}},
        "required": list(REQUIRED),
        "allOf": [{"if": _is(kind), "then": says(kind, REF)} for kind in DATA_TYPES],
        "$defs": definitions,
    }


def says(kind: type[Data], ref: str) -> dict[str, Any]:
    """What an event of one kind has beyond the common attributes."""
    numbered = {"required": ["sequence"]}
    rule = numbered if kind.durable else {"not": numbered}
    return {"properties": {"data": {"$ref": ref.format(name=kind.__name__)}}, **rule}


def _is(kind: type[Data]) -> dict[str, Any]:
    return {"properties": {"type": {"const": type_of(kind)}}, "required": ["type"]}


def _definitions(ref: str) -> dict[str, Any]:
    _, components = msgspec.json.schema_components((*DATA_TYPES, Snapshot), ref_template=ref)
    common = {
        "description": "The fields that the data of every type has.",
        "type": "object",
        "properties": {
            "table": {"type": "string"},
            "game": {"type": "string"},
            "simulated": {"type": "boolean", "description": "A bench round. Never to be shown as a real one."},
            "mono_ns": {"type": "integer", "description": "When it became known, on the clock that times the edges."},
        },
        "required": ["table", "game", "simulated", "mono_ns"],
    }
    return {"Common": common, **dict(sorted(components.items()))}


def _pretty(value: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def asyncapi(schemas: Mapping[str, Any], messages: Mapping[type[Data], Any], suffix: str) -> dict[str, Any]:
    """The AsyncAPI document: `schemas` are its components, `messages` the rules for each kind of event."""
    return {
        "asyncapi": ASYNCAPI_VERSION,
        "info": {
            "title": "Feltwire",
            "version": FEED_VERSION,
            "description": f"The events of casino-night tables. Types end in {suffix}; an incompatible change of one "
            "gets the next number, and both are published for one release.",
        },
        "defaultContentType": "application/json",
        "servers": _SERVERS,
        "channels": {kind.kind: _channel(kind) for kind in messages} | {"history": _HISTORY},
        "operations": {kind.kind: _operation(kind) for kind in messages} | {"history": _HISTORY_OPERATION},
        "components": {
            "schemas": dict(schemas),
            "messages": {kind.kind: _message(kind, more) for kind, more in messages.items()},
        },
    }


def _channel(kind: type[Data]) -> dict[str, Any]:
    return {
        "address": f"{{root}}/{{table}}/{kind.kind}/",
        "title": kind.kind,
        "messages": {kind.kind: {"$ref": f"#/components/messages/{kind.kind}"}},
        "parameters": _PARAMETERS,
        "bindings": {
            "x-zmq": {"socket": "XPUB", "client": "SUB", "frames": ["topic", "body"], "durable": kind.durable}
        },
    }


def _operation(kind: type[Data]) -> dict[str, Any]:
    return {"action": "send", "channel": {"$ref": f"#/channels/{kind.kind}"}}


def _message(kind: type[Data], more: Mapping[str, Any]) -> dict[str, Any]:
    named = {"properties": {"type": {"const": type_of(kind)}}}
    return {
        "name": type_of(kind),
        "title": kind.kind,
        "summary": (kind.__doc__ or "").strip(),
        "contentType": "application/json",
        "payload": {"allOf": [{"$ref": "#/components/schemas/Event"}, named, dict(more)]},
    }


def files() -> dict[str, bytes]:
    """The files, by name."""
    definitions = _definitions("#/components/schemas/{name}")
    messages = {kind: says(kind, "#/components/schemas/{name}") for kind in DATA_TYPES}
    event = {"type": "object", "properties": ENVELOPE, "required": list(REQUIRED)}
    schemas = {"Event": event, **definitions}
    return {
        "feltwire.schema.json": document(),
        "asyncapi.json": _pretty(asyncapi(schemas, messages, TYPE_SUFFIX)),
    }


def write(folder: Path) -> None:
    """Writes the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files().items():
        (folder / name).write_bytes(content)


def main(arguments: Sequence[str]) -> None:
    """Writes them to the folder that is given; without one to docs/schema, in the repository alone."""
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1] / "docs" / "schema"
    if not arguments and not folder.is_dir():
        sys.stderr.write("name the folder to write to: python -m feltwire_feed.schema FOLDER\n")
        sys.exit(2)
    write(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
