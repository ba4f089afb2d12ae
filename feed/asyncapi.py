"""AsyncAPI 3 of a service's sockets. ZeroMQ has no binding of its own there: `x-zmq` says what a client must know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from feed import history_server as history
from feed import wire
from feed.events import Data, type_of

VERSION: Final = "3.0.0"
FEED_VERSION: Final = "1"

_SERVERS: Final[dict[str, Any]] = {
    "local": {
        "host": "/run/feltwire",
        "protocol": "zmq",
        "description": "On the same computer. Who may open the folder may read; no keys.",
        "x-zmq": {"feed": "ipc:///run/feltwire/feed", "history": "ipc:///run/feltwire/history"},
    },
    "network": {
        "host": "{host}:5600",
        "protocol": "zmq",
        "description": "Over the network, with CURVE keys: the client's must be on the service's list.",
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
    "snapshot": "[id] [snapshot] [table]: where a table stands. Answered by [id] [snapshot] [json].",
    "since": "[id] [since] [table] [epoch] [seq]: every durable event after seq. Answered by [id] [event] [topic] "
    f"[body] for each, at most {wire.PAGE_EVENTS}, then [id] [done] [json], or [id] [more] [json]: ask again from the "
    "last one on.",
    "schema": "JSON Schema of the events. Answered by [id] [schema] [json].",
}

_CODES: Final = (
    wire.BAD_REQUEST,
    wire.BUSY,
    wire.REFUSED,
    history.UNKNOWN_TABLE,
    history.REWRITTEN,
    history.UNAVAILABLE,
)


def asyncapi(schemas: Mapping[str, Any], messages: Mapping[type[Data], Any], suffix: str) -> dict[str, Any]:
    """The document: `schemas` are its components, `messages` what each kind of event has beyond any event."""
    return {
        "asyncapi": VERSION,
        "info": {
            "title": "Feltwire",
            "version": FEED_VERSION,
            "description": f"What casino-night tables say. Types end in {suffix}; an incompatible change of one gets "
            "the next number, and both are published for one release.",
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


_HISTORY: Final[dict[str, Any]] = {
    "address": None,
    "title": "history",
    "description": "Where a table stands, and what was missed.",
    "messages": {verb: {"name": verb, "description": text, "payload": True} for verb, text in _REQUESTS.items()},
    "bindings": {
        "x-zmq": {
            "socket": "ROUTER",
            "client": "DEALER",
            "frames": ["id, 1 to 32 bytes, chosen by the asker", "verb", "arguments"],
            "errors": ["[id] [error] [json]", *_CODES],
        }
    },
}

_HISTORY_OPERATION: Final[dict[str, Any]] = {
    "action": "receive",
    "channel": {"$ref": "#/channels/history"},
    "messages": [{"$ref": f"#/channels/history/messages/{verb}"} for verb in _REQUESTS],
}
