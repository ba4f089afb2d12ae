"""The feed for other languages: JSON Schema of the events, and AsyncAPI 3 of the sockets.

Both are generated from the structs of `feed.data`. ZeroMQ has no AsyncAPI binding: `x-zmq` describes the sockets.

    python -m feed.schema [FOLDER]     writes them, to docs/schema where no folder is given

A type that this version does not have is refused, so that a misspelt one is found; fields that it does not know are
allowed. A reader of the feed does not refuse a new type: it ignores it.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec

from . import data, game_view, state, statistics, wire
from .codes import CODE_SCHEMA
from .command_schema import CHANNEL, COMMAND, COMMAND_ANSWER, OPERATION
from .events import DATA_TYPES, TYPE_SUFFIX, Data, type_of
from .results import MODULES as RESULT_MODULES
from .results import RESULTS
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
    "type": {"type": "string", "enum": [type_of(kind) for kind in DATA_TYPES], "description": "Names data."},
    "subject": {"type": "string", "description": "round/<n>, where the event belongs to a round."},
    "time": {
        "type": "string",
        "format": "date-time",
        "description": "UTC. For people: sequence gives the order.",
    },
    "sequence": {
        "type": "string",
        "pattern": "^[0-9]{20}$",
        "description": "The seq of a durable event: counts up by one for each of the table's, without a gap. A text, "
        "as CloudEvents has it, with zeros in front so that it sorts; everywhere else seq is a number.",
    },
    "datacontenttype": {"const": "application/json", "description": "Of data."},
    "data": {"type": "object", "description": "The content, by type."},
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
        "x-zmq": {
            "feed": "ipc:///run/feltwire/feed",
            "history": "ipc:///run/feltwire/history",
            "commands": "ipc:///run/feltwire/commands",
        },
    },
    "network": {
        "host": "{host}:5600",
        "protocol": "zmq",
        "description": "Over the network, with CURVE keys: the client's must be on the service's allow-list.",
        "variables": {"host": {"description": "The table's computer."}},
        "x-zmq": {
            "feed": "tcp://{host}:5600",
            "history": "tcp://{host}:5601",
            "commands": "tcp://{host}:5602",
            "mechanism": "CURVE",
        },
    },
}

_PARAMETERS: Final[dict[str, Any]] = {
    "root": {"enum": ["v1", "sim/v1"], "description": "sim/v1 for simulated tables: never to be shown as real ones."},
    "table": {"description": "The table's id."},
}

_REQUESTS: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "tables": ((), "Which tables have events. Answered by [id] [tables] [json]."),
    "snapshot": (("table",), "The state of a table. Answered by [id] [snapshot] [json]."),
    "since": (
        ("table", "epoch", "seq"),
        "Every durable event after seq, a number in decimal digits. Answered by [id] [event] [topic] [body] for each, "
        f"at most {wire.PAGE_EVENTS}, then [id] [done] [json], or [id] [more] [json]: ask again after the last one.",
    ),
    "seals": ((), "The newest seal of each table's chain. Answered by [id] [seals] [json]."),
    "schema": ((), "JSON Schema of the events. Answered by [id] [schema] [json]."),
}
"""The requests to the history: their arguments, and what they ask for. They are frames, and have no payload of JSON."""

_CODES: Final = (
    wire.BAD_REQUEST,
    wire.BUSY,
    wire.REFUSED,
    wire.UNKNOWN_TABLE,
    wire.REWRITTEN,
    wire.UNAVAILABLE,
)

_ANSWERED: Final = {
    "tables_answer": "TableList",
    "snapshot_answer": "Snapshot",
    "seals_answer": "SealList",
    "event_answer": "Event",
    "end_answer": "EndOfEvents",
    "error_answer": "RequestRefusal",
}
"""The JSON of the answers, by the message's name here."""

_HISTORY: Final[dict[str, Any]] = {
    "address": None,
    "title": "history",
    "description": "Snapshots of tables, and missed events.",
    "messages": {
        verb: {"name": verb, "description": text, "bindings": {"x-zmq": {"frames": ["id", verb, *arguments]}}}
        for verb, (arguments, text) in _REQUESTS.items()
    }
    | {
        name: {"name": name, "payload": {"$ref": f"#/components/schemas/{schema}"}}
        for name, schema in _ANSWERED.items()
    },
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
    "reply": {
        "channel": {"$ref": "#/channels/history"},
        "messages": [{"$ref": f"#/channels/history/messages/{name}"} for name in _ANSWERED],
    },
}


@cache
def document() -> bytes:
    """JSON Schema of an event's body, as a history server sends it (`feed.schema_file`)."""
    return _pretty(schema())


def schema() -> dict[str, Any]:
    """JSON Schema of an event's body, and of a snapshot (`#/$defs/Snapshot`)."""
    definitions = _definitions(REF)
    return {
        "$schema": DIALECT,
        "title": "Event",
        "description": "The body of an event of the feed: CloudEvents 1.0, with data named by type. Types and fields "
        "that are not named here may be added by later versions: this schema refuses a type that it does not name, "
        "and a reader ignores it.",
        "type": "object",
        "properties": ENVELOPE | {"data": {"$ref": "#/$defs/Common"}},
        "required": list(REQUIRED),
        "allOf": [{"if": _is(kind), "then": rules_of(kind, REF)} for kind in DATA_TYPES],
        "$defs": definitions,
    }


def rules_of(kind: type[Data], ref: str) -> dict[str, Any]:
    """What an event of one kind has beyond the common attributes."""
    numbered = {"required": ["sequence"]}
    rule = numbered if kind.durable else {"not": numbered}
    return {"properties": {"data": {"$ref": ref.format(name=kind.__name__)}}, **rule}


def _is(kind: type[Data]) -> dict[str, Any]:
    return {"properties": {"type": {"const": type_of(kind)}}, "required": ["type"]}


_REQUIRED = ("table", "game", "simulated", "mono_ns")
_COMMON = (*_REQUIRED, "house_rules")
_ANSWERS: Final = (wire.TableList, wire.SealList, wire.EndOfEvents, wire.RequestRefusal)
_STRUCTS: Final = (*DATA_TYPES, Snapshot, *_ANSWERS, *dict.fromkeys(RESULTS.values()))


def _definitions(ref: str) -> dict[str, Any]:
    """Every named schema: msgspec's, with a description for each field, results by game, and the set of codes.

    Raises:
        KeyError: a field has no description.
    """
    _, components = msgspec.json.schema_components(_STRUCTS, ref_template=ref)
    described = _field_descriptions()
    for name, component in components.items():
        if "description" in component:
            # A docstring: Python removes its indent from 3.13 on, and the schema is the same whatever wrote it.
            component["description"] = inspect.cleandoc(component["description"])
        for field, schema in component.get("properties", {}).items():
            schema.setdefault("description", described[name][field])
    common = {field: components["Heartbeat"]["properties"][field] for field in _COMMON}
    components |= {
        "Common": {
            "description": "The fields that the data of every type has.",
            "type": "object",
            "properties": common,
            "required": list(_REQUIRED),
        },
        "Code": dict(CODE_SCHEMA),
        "Result": {
            "description": "The result of a round, by the game of the table: "
            + ", ".join(f"{game} {kind.__name__}" for game, kind in RESULTS.items()),
            "type": "object",
            "anyOf": [*({"$ref": ref.format(name=kind.__name__)} for kind in dict.fromkeys(RESULTS.values())), {}],
        },
    }
    for name, places in _RESULTS_IN.items():
        components[name]["allOf"] = [_by_game(game, kind, places, ref) for game, kind in RESULTS.items()]
    referred: dict[str, Any] = _referring(components, ref)
    return dict(sorted(referred.items()))


_RESULTS_IN: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "Outcome": (("result",),),
    "Unresolved": (("candidates", "items"),),
    "RoundCorrected": (("from", "result"), ("to", "result")),
    "RoundDisputed": (("stands", "result"),),
    "Snapshot": (
        ("rounds", "items", "result"),
        ("rounds", "items", "candidates", "items"),
        ("outcomes", "items", "result"),
    ),
}
"""Where the results of a table's game are; `items` are those of a list."""


def _by_game(game: str, kind: type[msgspec.Struct], places: Sequence[tuple[str, ...]], ref: str) -> dict[str, Any]:
    """The rule for one game: what its results are."""
    result = {"$ref": ref.format(name=kind.__name__)}
    rules = [_at(place, result) for place in places]
    return {
        "if": {"properties": {"game": {"const": game}}, "required": ["game"]},
        "then": rules[0] if len(rules) == 1 else {"allOf": rules},
    }


def _at(place: tuple[str, ...], schema: dict[str, Any]) -> dict[str, Any]:
    if not place:
        return {"anyOf": [schema, {"type": "null"}]}
    first, *rest = place
    inner = _at(tuple(rest), schema)
    return {"items": inner} if first == "items" else {"properties": {first: inner}}


def _referring(value: Any, ref: str) -> Any:
    """The schema with references in place of `x-def`, by which a type names its schema."""
    if isinstance(value, list):
        return [_referring(item, ref) for item in value]
    if not isinstance(value, dict):
        return value
    if "x-def" in value:
        kept = {key: value[key] for key in ("description", "default") if key in value}
        return {"$ref": ref.format(name=value["x-def"]), **kept}
    return {key: _referring(item, ref) for key, item in value.items()}


@cache
def _field_descriptions() -> dict[str, dict[str, str]]:
    """The docstring of each field of each struct, by the name that it has in JSON; inherited ones too."""
    own: dict[str, dict[str, str]] = {}
    for module in _MODULES:
        tree = ast.parse(inspect.getsource(module))
        for definition in tree.body:
            if isinstance(definition, ast.ClassDef):
                own[definition.name] = _documented(definition.body)
    seen: dict[str, dict[str, str]] = {}
    for each in _structs_in_use():
        texts = {name: text for kind in reversed(each.__mro__) for name, text in own.get(kind.__name__, {}).items()}
        named = msgspec.structs.fields(each)
        seen[each.__name__] = {field.encode_name: texts[field.name] for field in named if field.name in texts}
    return seen


_MODULES: Final = (data, game_view, state, statistics, wire, *RESULT_MODULES)


def _structs_in_use() -> list[type[msgspec.Struct]]:
    values = [value for module in _MODULES for value in vars(module).values()]
    return [value for value in values if isinstance(value, type) and issubclass(value, msgspec.Struct)]


def _documented(body: Sequence[ast.stmt]) -> dict[str, str]:
    """The texts below annotated names: what each field is."""
    found = {}
    for field, text in pairwise(body):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
            found[field.target.id] = " ".join(text.value.value.split())
    return found


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
        "channels": {kind.kind: _channel(kind) for kind in messages} | {"history": _HISTORY, "commands": CHANNEL},
        "operations": {kind.kind: _operation(kind) for kind in messages}
        | {"history": _HISTORY_OPERATION, "commands": OPERATION},
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
        "summary": inspect.cleandoc(kind.__doc__ or ""),
        "contentType": "application/json",
        "payload": {"allOf": [{"$ref": "#/components/schemas/Event"}, named, dict(more)]},
    }


def files() -> dict[str, bytes]:
    """The files, by name."""
    definitions = _definitions("#/components/schemas/{name}")
    messages = {kind: rules_of(kind, "#/components/schemas/{name}") for kind in DATA_TYPES}
    event = {"type": "object", "properties": ENVELOPE, "required": list(REQUIRED)}
    schemas = {"Event": event, **definitions, "Command": COMMAND, "CommandAnswer": COMMAND_ANSWER}
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
