"""The command socket as AsyncAPI describes it: requests, answers and the channel.

The service reads requests strictly (`controller.service.requests`, which the feed does not import); a test compares.
"""

from __future__ import annotations

from typing import Any, Final

_NAME: Final = "^[a-z][a-z_]{0,31}$"

COMMAND: Final[dict[str, Any]] = {
    "description": "One command to a table. An unknown key is refused. The commands and their keys: docs/commands.md.",
    "type": "object",
    "properties": {
        "id": {
            "type": "string",
            "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$",
            "description": "Chosen by the sender. A command sent again under it is answered, not carried out again.",
        },
        "command": {"type": "string", "pattern": _NAME, "description": "The verb: `void`."},
        "table": {
            "type": "string",
            "pattern": "^([a-z0-9]+(-[a-z0-9]+)*)?$",
            "maxLength": 64,
            "default": "",
            "description": "The table's id; may be left out where there is only one, and for `status` and `quit`.",
        },
        "given": {
            "type": "object",
            "propertyNames": {"pattern": _NAME},
            "additionalProperties": {"type": "string", "maxLength": 500},
            "maxProperties": 16,
            "default": {},
            "description": 'The keys of the command: `{"reason": "dealer_call"}`.',
        },
        "by": {
            "type": "string",
            "maxLength": 64,
            "default": "",
            "description": "The sender's name. Over the network the key has the name, and this is ignored.",
        },
    },
    "required": ["id", "command"],
    "additionalProperties": False,
}
"""A request on the command socket."""

COMMAND_ANSWER: Final[dict[str, Any]] = {
    "description": "What became of a command.",
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "That of the command."},
        "accepted": {"type": "boolean", "description": "Whether it was done."},
        "reason": {
            "type": "string",
            "default": "",
            "description": "Why it is refused; of an accepted one what happened, beside its events.",
        },
        "events": {
            "type": "array",
            "items": {"type": "string"},
            "default": [],
            "description": "The ids of the events that it caused.",
        },
        "again": {
            "type": "boolean",
            "default": False,
            "description": "The command was received before: this is the answer it had then.",
        },
        "status": {
            "type": "object",
            "default": {},
            "description": "In the answer to `status` only: the service and its tables.",
        },
    },
    "required": ["id", "accepted"],
}
"""An answer on the command socket."""

CHANNEL: Final[dict[str, Any]] = {
    "address": None,
    "title": "commands",
    "description": "What dealers and supervisors order. Each command is answered, and journalled with its sender.",
    "messages": {
        "command": {"name": "command", "payload": {"$ref": "#/components/schemas/Command"}},
        "answer": {"name": "answer", "payload": {"$ref": "#/components/schemas/CommandAnswer"}},
    },
    "bindings": {"x-zmq": {"socket": "ROUTER", "client": "DEALER", "frames": ["json"]}},
}

OPERATION: Final[dict[str, Any]] = {
    "action": "receive",
    "channel": {"$ref": "#/channels/commands"},
    "messages": [{"$ref": "#/channels/commands/messages/command"}],
    "reply": {
        "channel": {"$ref": "#/channels/commands"},
        "messages": [{"$ref": "#/channels/commands/messages/answer"}],
    },
}
