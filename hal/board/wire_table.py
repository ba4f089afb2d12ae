"""The table of the wire protocol, `firmware/wire/messages.toml`: read and checked.

The host's messages (`hal.board.messages`), the boards' header in C and the tables of docs/wire.md are all made of it.
Needs only Python's own library: the firmware is built without any other.
"""

from __future__ import annotations

import tomllib
import zlib
from pathlib import Path
from typing import Any, Final, NamedTuple

TABLE: Final = next(
    path
    for path in (
        Path(__file__).with_name("messages.toml"),
        Path(__file__).resolve().parents[2] / "firmware/wire/messages.toml",
    )
    if path.is_file()
)
"""In an installed package beside this module; in a checkout, the table itself."""
OVERHEAD: Final = 5
"""Bytes of a frame beside its fields: length, number, id and CRC."""
FIRST: Final = 1
"""The first protocol."""
CYCLES_A_US: Final = 16
OTHER_PORT: Final = 104
"""Cycles of an interrupt of the other port of inputs, which may go first: with its entry out of sleep."""

STRUCT: Final = {"u8": "B", "u16": "H", "u32": "I", "i8": "b", "i16": "h", "i32": "i"}
SIZE: Final = {"u8": 1, "u16": 2, "u32": 4, "i8": 1, "i16": 2, "i32": 4}


class WireTableError(ValueError):
    """The table contradicts itself."""


class WireField(NamedTuple):
    """One field of a message."""

    name: str
    type: str
    doc: str
    since: int = FIRST
    """The protocol that brought it."""

    @property
    def size(self) -> int:
        """Bytes on the wire; 0 for `rest`."""
        return self.length or SIZE.get(self.type, 0)

    @property
    def length(self) -> int:
        """How many bytes an array has; 0 for a number."""
        return int(self.type.removeprefix("bytes ")) if self.type.startswith("bytes ") else 0

    @property
    def rest(self) -> bool:
        """Whether the field takes the rest of the frame."""
        return self.type == "rest"


class WireMessage(NamedTuple):
    """A command, an answer or a report."""

    family: str
    name: str
    id: int
    doc: str
    fields: tuple[WireField, ...]
    kinds: tuple[str, ...]
    answer: str
    starts: str
    since: int
    """The protocol that brought it."""

    @property
    def size(self) -> int:
        """Bytes of its fixed fields."""
        return sum(field.size for field in self.fields)

    @property
    def least(self) -> int:
        """Bytes of the fields that it had from the beginning."""
        return sum(field.size for field in self.fields if field.since <= self.since)

    @property
    def layout(self) -> str:
        """Its fixed fields, as `struct` has them."""
        return "<" + "".join(
            f"{field.length}s" if field.length else STRUCT[field.type] for field in self.fields if not field.rest
        )

    @property
    def class_name(self) -> str:
        """A command, its answer and a report may share a name."""
        return "".join(part.capitalize() for part in self.name.split("_")) + self.family.capitalize()

    @property
    def older(self) -> list[tuple[int, int]]:
        """Each protocol that brought fields which the one before had not, and the bytes of the fields before it."""
        brought = sorted({field.since for field in self.fields if field.since > self.since})
        return [(since, sum(field.size for field in self.fields if field.since < since)) for since in brought]


class WireTable(NamedTuple):
    """The whole protocol."""

    values: dict[str, Any]
    messages: tuple[WireMessage, ...]
    hash: int

    def family(self, family: str) -> list[WireMessage]:
        """The messages of one family, by id."""
        return sorted((m for m in self.messages if m.family == family), key=lambda m: m.id)


def read(path: Path) -> WireTable:
    """Reads and checks the table.

    Raises:
        WireTableError: the table contradicts itself; names the place.
    """
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    kinds = tuple(values["kind"])
    messages = []
    for family in ("command", "answer", "report"):
        for name, given in values[family].items():
            fields = tuple(WireField(*field) for field in given.get("fields", []))
            if any(
                len(field) == len(WireField._fields) and field[-1] <= given.get("since", FIRST)
                for field in given.get("fields", [])
            ):
                raise WireTableError(
                    f"{path.name}: {family}.{name}: a field is as old as its message; it needs no protocol of its own"
                )
            fields = tuple(field._replace(since=max(field.since, given.get("since", FIRST))) for field in fields)
            of = tuple(given.get("kinds", kinds))
            answer, starts, since = given.get("answer", ""), given.get("starts", ""), given.get("since", FIRST)
            messages.append(WireMessage(family, name, given["id"], given["doc"], fields, of, answer, starts, since))
    for message in messages:
        where = f"{path.name}: {message.family}.{message.name}"
        if [m for m in messages if m.id == message.id] != [message]:
            raise WireTableError(f"{where}: its id {message.id} is another message's too; take a free one")
        for field in message.fields:
            if not field.size and not field.rest:
                raise WireTableError(f"{where}.{field.name}: no such type {field.type!r}; see the top of the file")
            if field.rest and (field is not message.fields[-1] or field.since > message.since):
                raise WireTableError(
                    f"{where}.{field.name}: only the last field can be the rest, and from the beginning"
                )
            if field.since > values["protocol"]:
                raise WireTableError(
                    f"{where}.{field.name}: protocol {field.since} is not yet; this is {values['protocol']}"
                )
        if [field.since for field in message.fields] != sorted(field.since for field in message.fields):
            raise WireTableError(f"{where}: new fields are at the end")
        if message.fields and message.fields[-1].rest and message.older:
            raise WireTableError(f"{where}: a message with a rest can have no new fields; give a new one a free id")
        if message.size + OVERHEAD > values["longest"]:
            raise WireTableError(f"{where}: {message.size + OVERHEAD} bytes are more than the longest frame")
        if set(message.kinds) - set(kinds):
            raise WireTableError(f"{where}: no such kind {sorted(set(message.kinds) - set(kinds))}; there are {kinds}")
        if message.family == "command" and message.answer not in values["answer"]:
            raise WireTableError(f"{where}: no such answer {message.answer!r}")
        if message.starts and message.starts not in [field.name for field in message.fields]:
            raise WireTableError(f"{where}: starts = {message.starts!r} is none of its fields")
    return WireTable(values, tuple(messages), zlib.crc32(repr(_meaning(values)).encode()))


def _meaning(value: Any) -> Any:
    """The table without its documentation: what both sides must agree on, order included."""
    if isinstance(value, dict):
        return [(key, _meaning(part)) for key, part in value.items() if key != "doc"]
    if isinstance(value, list) and len(value) >= 3 and all(isinstance(part, str) for part in value[:3]):
        return value[:2]
    if isinstance(value, list):
        return [_meaning(part) for part in value]
    return value


def late_ns(kind: dict[str, Any]) -> int:
    """How late an edge may be dated, in ns: interrupts are off, and then one of the other port goes first."""
    return int((kind["closed_cycles"] + OTHER_PORT) * 1000 // CYCLES_A_US)
