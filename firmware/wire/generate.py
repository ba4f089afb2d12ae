"""Generates both sides of the wire protocol, and its documentation, from `messages.toml`.

    python firmware/wire/generate.py            writes firmware/core/messages.h, hal/board/messages.py, docs/wire.md
                                                and hal/board/firmware.py
    python firmware/wire/generate.py --check    names those that are out of date, and exits with 1

Needs only Python 3.11.
"""

from __future__ import annotations

import re
import sys
import textwrap
import tomllib
import zlib
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("messages.toml")
C_SIDE = ROOT / "firmware/core/messages.h"
PYTHON_SIDE = ROOT / "hal/board/messages.py"
PAGE = ROOT / "docs/wire.md"
WANTED = ROOT / "hal/board/firmware.py"
OVERHEAD = 5
"""Bytes of a frame beside its fields: length, number, id and CRC."""
FIRST = 1
"""The first protocol."""
HELD = 8
"""Bytes of an array that a board holds in RAM at most to send it; a longer one is written into the frame, in place."""
CYCLES_A_US = 16
OTHER_PORT = 104
"""Cycles of an interrupt of the other port of inputs, which may go first: with its entry out of sleep."""

WIDTH = 120
"""Columns of a line of Python."""

STRUCT = {"u8": "B", "u16": "H", "u32": "I", "i8": "b", "i16": "h", "i32": "i"}
SIZE = {"u8": 1, "u16": 2, "u32": 4, "i8": 1, "i16": 2, "i32": 4}


class Field(NamedTuple):
    """One field of a message."""

    name: str
    type: str
    doc: str
    since: int = FIRST
    """The protocol that brought it."""

    @property
    def size(self) -> int:
        """Bytes on the wire; 0 for `rest`."""
        return self.count or SIZE.get(self.type, 0)

    @property
    def count(self) -> int:
        """How many bytes an array has; 0 for a number."""
        return int(self.type.removeprefix("bytes ")) if self.type.startswith("bytes ") else 0

    @property
    def rest(self) -> bool:
        """Whether the field takes the rest of the frame."""
        return self.type == "rest"


class Message(NamedTuple):
    """A command, an answer or a report."""

    family: str
    name: str
    id: int
    doc: str
    fields: tuple[Field, ...]
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
    def older(self) -> list[tuple[int, int]]:
        """Each protocol that brought fields which the one before had not, and the bytes of the fields before it."""
        brought = sorted({field.since for field in self.fields if field.since > self.since})
        return [(since, sum(field.size for field in self.fields if field.since < since)) for since in brought]


class Table(NamedTuple):
    """The whole protocol."""

    values: dict[str, Any]
    messages: tuple[Message, ...]
    hash: int

    def family(self, family: str) -> list[Message]:
        """The messages of one family, by id."""
        return sorted((m for m in self.messages if m.family == family), key=lambda m: m.id)


def read(path: Path) -> Table:
    """Reads and checks the table.

    Raises:
        SystemExit: the table contradicts itself; names the place.
    """
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    kinds = tuple(values["kind"])
    messages = []
    for family in ("command", "answer", "report"):
        for name, given in values[family].items():
            fields = tuple(Field(*field) for field in given.get("fields", []))
            if any(
                len(field) == len(Field._fields) and field[-1] <= given.get("since", FIRST)
                for field in given.get("fields", [])
            ):
                raise SystemExit(
                    f"{path.name}: {family}.{name}: a field is as old as its message; it needs no protocol of its own"
                )
            fields = tuple(field._replace(since=max(field.since, given.get("since", FIRST))) for field in fields)
            of = tuple(given.get("kinds", kinds))
            answer, starts, since = given.get("answer", ""), given.get("starts", ""), given.get("since", FIRST)
            messages.append(Message(family, name, given["id"], given["doc"], fields, of, answer, starts, since))
    for message in messages:
        where = f"{path.name}: {message.family}.{message.name}"
        if [m for m in messages if m.id == message.id] != [message]:
            raise SystemExit(f"{where}: its id {message.id} is another message's too; take a free one")
        for field in message.fields:
            if not field.size and not field.rest:
                raise SystemExit(f"{where}.{field.name}: no such type {field.type!r}; see the top of the file")
            if field.rest and (field is not message.fields[-1] or field.since > message.since):
                raise SystemExit(f"{where}.{field.name}: only the last field can be the rest, and from the beginning")
            if field.since > values["protocol"]:
                raise SystemExit(
                    f"{where}.{field.name}: protocol {field.since} is not yet; this is {values['protocol']}"
                )
        if [field.since for field in message.fields] != sorted(field.since for field in message.fields):
            raise SystemExit(f"{where}: new fields stand at the end")
        if message.fields and message.fields[-1].rest and message.older:
            raise SystemExit(f"{where}: a message with a rest can have no new fields; give a new one a free id")
        if message.size + OVERHEAD > values["longest"]:
            raise SystemExit(f"{where}: {message.size + OVERHEAD} bytes are more than the longest frame")
        if set(message.kinds) - set(kinds):
            raise SystemExit(f"{where}: no such kind {sorted(set(message.kinds) - set(kinds))}; there are {kinds}")
        if message.family == "command" and message.answer not in values["answer"]:
            raise SystemExit(f"{where}: no such answer {message.answer!r}")
        if message.starts and message.starts not in [field.name for field in message.fields]:
            raise SystemExit(f"{where}: starts = {message.starts!r} is none of its fields")
    return Table(values, tuple(messages), zlib.crc32(repr(_meaning(values)).encode()))


def _meaning(value: Any) -> Any:
    """The table without its documentation: what both sides must agree on, order included."""
    if isinstance(value, dict):
        return [(key, _meaning(part)) for key, part in value.items() if key != "doc"]
    if isinstance(value, list) and len(value) >= 3 and all(isinstance(part, str) for part in value[:3]):
        return value[:2]
    if isinstance(value, list):
        return [_meaning(part) for part in value]
    return value


# --- C ----------------------------------------------------------------------------------------------------------------


def c_side(table: Table) -> str:
    """`messages.h`."""
    values = table.values
    out = [
        "/* Made from firmware/wire/messages.toml by generate.py: change that table, not this file. */",
        "#ifndef FELTWIRE_MESSAGES_H",
        "#define FELTWIRE_MESSAGES_H",
        "",
        "#include <stdbool.h>",
        "#include <stdint.h>",
        "",
        f"#define WIRE_PROTOCOL {values['protocol']}U",
        f"#define WIRE_DICTIONARY UINT32_C(0x{table.hash:08X})",
        f"#define WIRE_TICK_HZ UINT32_C({values['tick_hz']})",
        f"#define WIRE_BAUD UINT32_C({values['baud']})",
        f"#define WIRE_LONGEST {values['longest']}U",
        f"#define WIRE_OVERHEAD {OVERHEAD}U",
        f"#define WIRE_DEADMAN_MS {values['deadman_ms']}U",
        "",
    ]
    for name, kind in values["kind"].items():
        out += _c_kind(name.upper(), kind)
    for name, reset in values["resets"].items():
        out.append(f"#define RESET_{name.upper()} {reset['bit']}U")
    for name, flag in values["flags"].items():
        out.append(f"#define FLAG_{name.upper()} {flag['bit']}U")
    for name, refusal in values["refusals"].items():
        out.append(f"#define REFUSED_{name.upper()} {refusal['code']}U")
    out += [
        "",
        "static inline void wire_put16(uint8_t *at, uint16_t value)",
        "{",
        "    at[0] = (uint8_t)value;",
        "    at[1] = (uint8_t)(value >> 8);",
        "}",
        "",
        "static inline void wire_put32(uint8_t *at, uint32_t value)",
        "{",
        "    wire_put16(at, (uint16_t)value);",
        "    wire_put16(at + 2, (uint16_t)(value >> 16));",
        "}",
        "",
        "static inline uint16_t wire_get16(const uint8_t *at)",
        "{",
        "    return (uint16_t)(at[0] | (uint16_t)((uint16_t)at[1] << 8));",
        "}",
        "",
        "static inline uint32_t wire_get32(const uint8_t *at)",
        "{",
        "    return wire_get16(at) | ((uint32_t)wire_get16(at + 2) << 16);",
        "}",
    ]
    for family in ("command", "answer", "report"):
        for message in table.family(family):
            out += _c_message(message)
    out += [
        "",
        "/* Bytes of a command's fields on a kind of board, or -1 where that kind has no such command. */",
        "static inline int8_t wire_command_size(uint8_t id, uint8_t kind)",
        "{",
        "    uint8_t kinds = 0; /* bit: its id */",
        "    int8_t size = 0;",
        "    switch (id) {",
    ]
    for message in table.family("command"):
        kinds = sum(1 << values["kind"][kind]["id"] for kind in message.kinds)
        out.append(f"    case COMMAND_{message.name.upper()}:")
        out += [
            f"        kinds = 0x{kinds:02X}U;",
            f"        size = COMMAND_{message.name.upper()}_SIZE;",
            "        break;",
        ]
    out += ["    default:", "        return -1;", "    }"]
    out += ["    if ((kinds & (uint8_t)(1U << kind)) == 0U)", "        return -1;", "    return size;", "}"]
    out += [*_c_oldest(table), *_c_least(table), *_c_starts(table), "", "#endif", ""]
    return "\n".join(out)


def _c_oldest(table: Table) -> list[str]:
    out = [
        "",
        "/* The oldest protocol whose hosts work with a kind of board. */",
        "static inline uint16_t wire_kind_oldest(uint8_t kind)",
        "{",
        "    switch (kind) {",
    ]
    for name in table.values["kind"]:
        out += [f"    case KIND_{name.upper()}:", f"        return KIND_{name.upper()}_OLDEST;"]
    return [*out, "    default:", "        return WIRE_PROTOCOL;", "    }", "}"]


def _c_least(table: Table) -> list[str]:
    out = [
        "",
        "/* Bytes of the fields that the oldest hosts send with a command; what is missing to all of them is 0. */",
        "static inline uint8_t wire_command_least(uint8_t id, uint8_t size)",
        "{",
    ]
    older = [message for message in table.family("command") if message.older]
    if not older:
        return [*out, "    (void)id;", "    return size;", "}"]
    out.append("    switch (id) {")
    for message in older:
        out += [f"    case COMMAND_{message.name.upper()}:", f"        return {message.least}U;"]
    return [*out, "    default:", "        return size;", "    }", "}"]


def _c_starts(table: Table) -> list[str]:
    out = [
        "",
        "/* Whether a command would turn something on, or make it move. Its fields are as long as they must be. */",
        "static inline bool wire_command_starts(uint8_t id, const uint8_t *fields)",
        "{",
        "    uint8_t any = 0;",
        "    switch (id) {",
    ]
    for message in table.family("command"):
        at = 0
        for field in message.fields:
            if field.name == message.starts:
                out.append(f"    case COMMAND_{message.name.upper()}:")
                out.append(f"        for (uint8_t i = {at}; i < {at + field.size}U; i++)")
                out += ["            any |= fields[i];", "        break;"]
            at += field.size
    return [*out, "    default:", "        break;", "    }", "    return any != 0U;", "}"]


def _c_pin(pin: str) -> str:
    """A pin as a C literal: B3 is 0xB3U."""
    return f"0x{pin}U"


def _active(kind: dict[str, Any], level: str) -> int:
    """The inputs that are active at a level: bit i is input i + 1."""
    lines = kind.get(f"active_{level}", [])
    return sum(1 << number for number, (line, _) in enumerate(kind["inputs"]) if line in lines)


def _c_kind(name: str, kind: dict[str, Any]) -> list[str]:
    out = [f"#define KIND_{name} {kind['id']}U", f"#define KIND_{name}_OLDEST {kind['oldest']}U"]
    for many in ("inputs", "outputs", "analogues", "counters"):
        out.append(f"#define KIND_{name}_{many.upper()} {len(kind[many])}U")
    for number, (line, pin) in enumerate(kind["inputs"], 1):
        out.append(f"#define {name}_IN_{line.upper()} {number}U")
        out.append(f"#define {name}_IN_{line.upper()}_PIN {_c_pin(pin)}")
    for level in ("high", "low"):
        out.append(f"#define KIND_{name}_ACTIVE_{level.upper()} 0x{_active(kind, level):02X}U")
    for number, (line, pin, longest_ms) in enumerate(kind["outputs"], 1):
        out.append(f"#define {name}_OUT_{line.upper()} {number}U")
        out.append(f"#define {name}_OUT_{line.upper()}_PIN {_c_pin(pin)}")
        out.append(f"#define {name}_OUT_{line.upper()}_LONGEST_MS UINT32_C({longest_ms})")
    outputs = ", ".join(f"{{{_c_pin(pin)}, UINT32_C({longest_ms})}}" for _, pin, longest_ms in kind["outputs"])
    out.append(f"#define KIND_{name}_OUTPUT_TABLE {{{outputs}}}")
    analogues = ", ".join(_c_pin(pin) for _, pin in kind["analogues"]) or "0"
    out.append(f"#define KIND_{name}_ANALOGUE_PINS {{{analogues}}}")
    for number, counter in enumerate(kind["counters"]):
        out.append(f"#define {name}_COUNTER_{counter.upper()} {number}U")
    if "keys" in kind:
        keys = kind["keys"]
        out.append(f"#define {name}_KEYS {len(keys['names'])}U")
        out.append(f"#define {name}_KEYS_FIRST_LINE {keys['first_line']}U")
        for side in ("columns", "rows"):
            for number, pin in enumerate(keys[side], 1):
                out.append(f"#define {name}_KEYS_{side[:-1].upper()}_{number}_PIN {_c_pin(pin)}")
    if "lamps" in kind:
        lamps = kind["lamps"]
        out.append(f"#define {name}_LAMPS {lamps['count']}U")
        for wire in ("data", "clock", "latch", "read_back"):
            out.append(f"#define {name}_LAMPS_{wire.upper()}_PIN {_c_pin(lamps[wire])}")
    if "control" in kind:
        out.append(f"#define {name}_CONTROL {len(kind['control'])}U")
        for number, output in enumerate(kind["control"]):
            out.append(f"#define {name}_CONTROL_{output.upper()} 0x{1 << number:02X}U")
    if "sense" in kind:
        out.append(f"#define {name}_SENSE_PIN {_c_pin(kind['sense'])}")
    if "motor_current" in kind:
        out.append(f"#define {name}_MOTOR_CURRENT_PIN {_c_pin(kind['motor_current'])}")
    for wire, pin in kind.get("hopper", {}).items():
        out.append(f"#define {name}_HOPPER_{wire.upper()}_PIN {_c_pin(pin)}")
    if "reels" in kind:
        out.append(f"#define {name}_REELS {kind['reels']['count']}U")
    return [*out, ""]


def _c_message(message: Message) -> list[str]:
    name = f"{message.family}_{message.name}"
    out = ["", f"/* {message.doc} */", f"#define {name.upper()} {message.id}U"]
    out.append(f"#define {name.upper()}_SIZE {message.size}")
    fixed = [field for field in message.fields if not field.rest]
    if not fixed:
        return out
    places = _places(fixed)
    held = [field for field in fixed if message.family == "command" or field.count <= HELD]
    out += [
        f"#define {name.upper()}_{field.name.upper()} {places[field.name]}U /* {field.count} bytes, written by hand */"
        for field in fixed
        if field not in held
    ]
    out += ["", f"struct {name} {{"]
    for field in held:
        if field.count:
            out.append(f"    uint8_t {field.name}[{field.count}];")
        else:
            out.append(f"    {'int' if field.type[0] == 'i' else 'uint'}{8 * field.size}_t {field.name};")
    out += ["};", ""]
    if message.family == "command":
        out += [f"static inline void {name}_read(struct {name} *to, const uint8_t *from)", "{"]
        line = _c_read
    else:
        out += [f"static inline void {name}_write(uint8_t *to, const struct {name} *from)", "{"]
        line = _c_write
    for field in held:
        out += line(field, places[field.name])
    return [*out, "}"]


def _places(fields: list[Field]) -> dict[str, int]:
    """Where each field begins."""
    places, at = {}, 0
    for field in fields:
        places[field.name] = at
        at += field.size
    return places


def _c_read(field: Field, at: int) -> list[str]:
    if field.count:
        loop = f"    for (uint8_t i = 0; i < {field.count}U; i++)"
        return [loop, f"        to->{field.name}[i] = from[{at}U + i];"]
    signed = f"(int{8 * field.size}_t)" if field.type[0] == "i" else ""
    got = f"from[{at}]" if field.size == 1 else f"wire_get{8 * field.size}(from + {at})"
    return [f"    to->{field.name} = {signed}{got};"]


def _c_write(field: Field, at: int) -> list[str]:
    if field.count:
        loop = f"    for (uint8_t i = 0; i < {field.count}U; i++)"
        return [loop, f"        to[{at}U + i] = from->{field.name}[i];"]
    unsigned = f"(uint{8 * field.size}_t)" if field.type[0] == "i" else ""
    if field.size == 1:
        return [f"    to[{at}] = {unsigned}from->{field.name};"]
    return [f"    wire_put{8 * field.size}(to + {at}, {unsigned}from->{field.name});"]


# --- Python -----------------------------------------------------------------------------------------------------------


def python_side(table: Table) -> str:
    """`hal/board/messages.py`."""
    values = table.values
    out = [
        '"""Messages of boards and hosts. Generated from `firmware/wire/messages.toml` by `generate.py`: edit that."""',
        "",
        "from __future__ import annotations",
        "",
        "from enum import IntEnum, IntFlag",
        "from struct import Struct",
        "from typing import ClassVar",
        "",
        "from hal.board.message import BoardAnswer, BoardCommand, BoardKind, BoardReport",
        "",
        f"PROTOCOL = {values['protocol']}",
        f"DICTIONARY = 0x{table.hash:08X}",
        f"TICK_HZ = {values['tick_hz']:_}",
        f"BAUD = {values['baud']:_}",
        f"LONGEST = {values['longest']}",
        f"DEADMAN_MS = {values['deadman_ms']}",
        "",
        "KINDS = {",
    ]
    for name, kind in values["kind"].items():
        out += [
            f'    "{name}": BoardKind(',
            f"        id={kind['id']},",
            f"        oldest={kind['oldest']},",
            f"        late_ns={late_ns(kind):_},",
            f'        name="{name}",',
            f'        doc="{kind["doc"]}",',
            f"        inputs={_pairs(kind['inputs'])},",
            f"        outputs={_pairs(kind['outputs'])},",
            f"        analogues={_pairs(kind['analogues'])},",
            f"        counters={_tuple(kind['counters'])},",
            f"        output_pins={_tuple([pin for _, pin, _ in kind['outputs']])},",
            f"        active_high={_tuple(kind.get('active_high', []))},",
            f"        active_low={_tuple(kind.get('active_low', []))},",
        ]
        if "sense" in kind:
            out.append(f'        sense_pin="{kind["sense"]}",')
        if "motor_current" in kind:
            out.append(f'        motor_current_pin="{kind["motor_current"]}",')
        if "hopper" in kind:
            out.append(f"        hopper_pins={_pairs([[wire, pin] for wire, pin in kind['hopper'].items()])},")
        if "fram" in kind:
            out.append(f"        fram_address={kind['fram']['address']},")
        if "keys" in kind:
            keys = kind["keys"]
            out += [f"        keys={_tuple(keys['names'])},", f"        first_key_line={keys['first_line']},"]
            out += [f"        key_columns={_tuple(keys['columns'])},", f"        key_rows={_tuple(keys['rows'])},"]
        if "lamps" in kind:
            out.append(f"        lamps={kind['lamps']['count']},")
            pins = [[name, pin] for name, pin in kind["lamps"].items() if name != "count"]
            out.append(f"        lamp_pins={_pairs(pins)},")
        if "control" in kind:
            out.append(f"        control={_tuple(kind['control'])},")
        if "reels" in kind:
            out.append(f"        reels={kind['reels']['count']},")
        out.append("    ),")
    out += ["}", '"""Each kind of board, by its name."""', "", ""]
    out += ["class Reset(IntFlag):", '    """What reset a board."""', ""]
    for name, reset in values["resets"].items():
        out += [f"    {name.upper()} = {reset['bit']}", f'    """{reset["doc"][0].upper()}{reset["doc"][1:]}."""']
    out += ["", "", "class Flag(IntFlag):", '    """The state of a board, as `state` reports it."""', ""]
    for name, flag in values["flags"].items():
        out.append(f"    {name.upper()} = {flag['bit']}")
        out.append(f'    """{flag["doc"][0].upper()}{flag["doc"][1:]}."""')
    out += ["", "", "class RefusalCode(IntEnum):", '    """Why a board refused a command."""', ""]
    for name, refusal in values["refusals"].items():
        out.append(f"    {name.upper()} = {refusal['code']}")
        out.append(f'    """{refusal["doc"][0].upper()}{refusal["doc"][1:]}."""')
    for family in ("answer", "command", "report"):
        for message in table.family(family):
            out += _python_message(message)
    for family in ("command", "answer", "report"):
        name = f"{family.upper()}S"
        out += ["", ""] if family == "command" else [""]
        out.append(f"{name}: dict[int, type[Board{family.capitalize()}]] = {{")
        out += [f"    {m.id}: {_class(m)}," for m in table.family(family)]
        out += ["}", f'"""Each {family}, by its id."""']
    return "\n".join([*out, ""])


def _class(message: Message) -> str:
    words = "".join(part.capitalize() for part in message.name.split("_"))
    # A command, its answer and a report may share a name.
    return f"{words}{message.family.capitalize()}"


def _python_message(message: Message) -> list[str]:
    base = f"Board{message.family.capitalize()}"
    out = ["", "", f"class {_class(message)}({base}, frozen=True):"]
    out += [*_docstring(message.doc), ""]
    layout = "<" + "".join(
        f"{field.count}s" if field.count else STRUCT[field.type] for field in message.fields if not field.rest
    )
    out.append(f"    id: ClassVar[int] = {message.id}")
    out.append(f'    layout: ClassVar[Struct] = Struct("{layout}")')
    if message.fields and message.fields[-1].rest:
        out.append("    has_rest: ClassVar[bool] = True")
    if message.since > FIRST:
        out.append(f"    since: ClassVar[int] = {message.since}")
    if message.older:
        out.append(f"    older: ClassVar[tuple[tuple[int, int], ...]] = {tuple(message.older)!r}")
    if message.family == "command":
        answer = "".join(part.capitalize() for part in message.answer.split("_"))
        out.append(f"    answer: ClassVar[type[BoardAnswer]] = {answer}Answer")
        if message.starts:
            out.append(f'    starting: ClassVar[str] = "{message.starts}"')
    out.append(f"    kinds: ClassVar[tuple[str, ...]] = {_tuple(message.kinds)}")
    for field in message.fields:
        kind = "bytes" if field.count or field.rest else "int"
        # What the sender's protocol had not yet is 0.
        missing = f" = {'0' if kind == 'int' else f'bytes({field.size})'}" if field.since > message.since else ""
        out.append(f"    {field.name}: {kind}{missing}")
        if field.doc:
            out.append(f'    """{field.doc[0].upper()}{field.doc[1:]}."""')
    return out


def _docstring(doc: str) -> list[str]:
    text = f"{doc[0].upper()}{doc[1:]}."
    if len(text) <= WIDTH - 10:
        return [f'    """{text}"""']
    lines = textwrap.wrap(text, WIDTH - 12)
    return [f'    """{lines[0]}', *(f"    {line}" for line in lines[1:]), '    """']


def _pairs(pairs: list[list[Any]]) -> str:
    if not pairs:
        return "()"
    return "(\n" + "".join(f'            ("{name}", {_literal(other[-1])}),\n' for name, *other in pairs) + "        )"


def _tuple(words: list[str] | tuple[str, ...]) -> str:
    inner = ", ".join(f'"{word}"' for word in words)
    return f"({inner},)" if len(words) == 1 else f"({inner})"


def _literal(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value:_}"


# --- the page ---------------------------------------------------------------------------------------------------------


def page(table: Table, old: str) -> str:
    """`docs/wire.md` with the sections between its markers generated again."""
    parts = {
        "facts": [
            f"Protocol {table.values['protocol']}, dictionary `{table.hash:08X}`, "
            f"{table.values['baud']:,} baud 8N1, ticks of {1e6 / table.values['tick_hz']:g} µs, "
            f"frames of at most {table.values['longest']} bytes, dead-man {table.values['deadman_ms']} ms.",
        ],
        "kinds": _page_kinds(table),
        "resets": _page_bits(table.values["resets"]),
        "flags": _page_bits(table.values["flags"]),
        "refusals": ["| code | name | meaning |", "|---|---|---|"]
        + [f"| {r['code']} | `{name}` | {r['doc']} |" for name, r in table.values["refusals"].items()],
        **{f"{family}s": _page_family(table, family) for family in ("command", "answer", "report")},
    }
    for name, lines in parts.items():
        pattern = re.compile(rf"(<!-- made: {name} -->\n).*?(<!-- end -->)", re.S)
        if not pattern.search(old):
            raise SystemExit(f"{PAGE.name}: lacks <!-- made: {name} --> … <!-- end -->")
        made = "\n".join(lines)
        old = pattern.sub(lambda found, made=made: f"{found[1]}{made}\n{found[2]}", old)  # type: ignore[misc]
    return old


def late_ns(kind: dict[str, Any]) -> int:
    """How late an edge may be dated, in ns: interrupts are off, and then one of the other port goes first."""
    return int((kind["closed_cycles"] + OTHER_PORT) * 1000 // CYCLES_A_US)


def _page_bits(values: dict[str, Any]) -> list[str]:
    rows = sorted(values.items(), key=lambda row: row[1]["bit"])
    return ["| bit | name | meaning |", "|---|---|---|"] + [
        f"| {row['bit']} | `{name}` | {row['doc']} |" for name, row in rows
    ]


def _page_kinds(table: Table) -> list[str]:
    columns = ("id", "kind", "works with protocols", "inputs, from 1", "outputs, from 1", "counters, in order")
    columns += ("interrupts off, at most", "edges dated late by, at most", "what it is")
    out = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name, kind in table.values["kind"].items():
        lines = [", ".join(f"`{line[0]}`" for line in kind[many]) or "none" for many in ("inputs", "outputs")]
        counters = ", ".join(f"`{counter}`" for counter in kind["counters"]) or "none"
        reach = f"{kind['oldest']} to {table.values['protocol']}"
        times = (f"{kind['closed_cycles']} cycles of 16 MHz", f"{late_ns(kind) / 1000:g} µs")
        out.append(f"| {' | '.join((str(kind['id']), f'`{name}`', reach, *lines, counters, *times, kind['doc']))} |")
    return out


def _page_family(table: Table, family: str) -> list[str]:
    starts = " starts, where |" if family == "command" else ""
    out = [f"| id | {family} | fields | boards |{starts} meaning |", f"|---|---|---|---|{'---|' if starts else ''}---|"]
    for m in table.family(family):
        fields = "; ".join(_page_field(f, m) for f in m.fields) or "none"
        kinds = "all" if len(m.kinds) == len(table.values["kind"]) else ", ".join(m.kinds)
        answer = f" → `{m.answer}`" if m.answer else ""
        since = f" (since protocol {m.since})" if m.since > FIRST else ""
        moves = "" if not starts else f" `{m.starts}` is not 0 |" if m.starts else " never |"
        out.append(f"| {m.id} | `{m.name}`{answer}{since} | {fields} | {kinds} |{moves} {m.doc} |")
    return out


def _page_field(field: Field, message: Message) -> str:
    since = f", since protocol {field.since}" if field.since > message.since else ""
    return f"`{field.name}` {field.type}{since}{f': {field.doc}' if field.doc else ''}"


# --- the expected firmware --------------------------------------------------------------------------------------------


def wanted() -> str:
    """`hal/board/firmware.py`: the version of the firmware in this tree."""
    sys.path.insert(0, str(ROOT / "firmware"))
    from build_id import version

    return (
        '"""The version of the boards\' firmware in this tree. Generated by `firmware/wire/generate.py`."""\n\n'
        f"VERSION = {version()}\n"
    )


def main(arguments: list[str]) -> int:
    """Writes the four files, or with `--check` compares them; returns the exit code."""
    table = read(TABLE)
    stale = 0
    for path, made in (
        (C_SIDE, c_side(table)),
        (PYTHON_SIDE, python_side(table)),
        (PAGE, page(table, PAGE.read_text(encoding="utf-8"))),
        (WANTED, wanted()),
    ):
        if path.exists() and path.read_text(encoding="utf-8") == made:
            continue
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} is not what firmware/ makes; run: python firmware/wire/generate.py")
            stale = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made, encoding="utf-8")
            print(f"made {path.relative_to(ROOT)}")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
