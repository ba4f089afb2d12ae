"""Generates the boards' side of the wire protocol, and its documentation, from `messages.toml`.

    python firmware/wire/generate.py            writes firmware/core/messages.h, docs/wire.md and hal/board/firmware.py
    python firmware/wire/generate.py --check    names those that are out of date, and exits with 1

Needs only Python 3.11.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from hal.board.wire_table import FIRST, OVERHEAD, TABLE, WireField, WireMessage, WireTable, late_ns, read  # noqa: E402

C_SIDE = ROOT / "firmware/core/messages.h"
PAGE = ROOT / "docs/wire.md"
WANTED = ROOT / "hal/board/firmware.py"
HELD = 8
"""Bytes of an array that a board holds in RAM at most to send it; a longer one is written into the frame, in place."""


# --- C ----------------------------------------------------------------------------------------------------------------


def c_side(table: WireTable) -> str:
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


def _c_oldest(table: WireTable) -> list[str]:
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


def _c_least(table: WireTable) -> list[str]:
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


def _c_starts(table: WireTable) -> list[str]:
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


def _c_message(message: WireMessage) -> list[str]:
    name = f"{message.family}_{message.name}"
    out = ["", f"/* {message.doc} */", f"#define {name.upper()} {message.id}U"]
    out.append(f"#define {name.upper()}_SIZE {message.size}")
    fixed = [field for field in message.fields if not field.rest]
    if not fixed:
        return out
    places = _places(fixed)
    held = [field for field in fixed if message.family == "command" or field.length <= HELD]
    out += [
        f"#define {name.upper()}_{field.name.upper()} {places[field.name]}U /* {field.length} bytes, written by hand */"
        for field in fixed
        if field not in held
    ]
    out += ["", f"struct {name} {{"]
    for field in held:
        if field.length:
            out.append(f"    uint8_t {field.name}[{field.length}];")
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


def _places(fields: list[WireField]) -> dict[str, int]:
    """Where each field begins."""
    places, at = {}, 0
    for field in fields:
        places[field.name] = at
        at += field.size
    return places


def _c_read(field: WireField, at: int) -> list[str]:
    if field.length:
        loop = f"    for (uint8_t i = 0; i < {field.length}U; i++)"
        return [loop, f"        to->{field.name}[i] = from[{at}U + i];"]
    signed = f"(int{8 * field.size}_t)" if field.type[0] == "i" else ""
    got = f"from[{at}]" if field.size == 1 else f"wire_get{8 * field.size}(from + {at})"
    return [f"    to->{field.name} = {signed}{got};"]


def _c_write(field: WireField, at: int) -> list[str]:
    if field.length:
        loop = f"    for (uint8_t i = 0; i < {field.length}U; i++)"
        return [loop, f"        to[{at}U + i] = from->{field.name}[i];"]
    unsigned = f"(uint{8 * field.size}_t)" if field.type[0] == "i" else ""
    if field.size == 1:
        return [f"    to[{at}] = {unsigned}from->{field.name};"]
    return [f"    wire_put{8 * field.size}(to + {at}, {unsigned}from->{field.name});"]


# --- the page ---------------------------------------------------------------------------------------------------------


def page(table: WireTable, old: str) -> str:
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


def _page_bits(values: dict[str, Any]) -> list[str]:
    rows = sorted(values.items(), key=lambda row: row[1]["bit"])
    return ["| bit | name | meaning |", "|---|---|---|"] + [
        f"| {row['bit']} | `{name}` | {row['doc']} |" for name, row in rows
    ]


def _page_kinds(table: WireTable) -> list[str]:
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


def _page_family(table: WireTable, family: str) -> list[str]:
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


def _page_field(field: WireField, message: WireMessage) -> str:
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
    """Writes the three files, or with `--check` compares them; returns the exit code."""
    table = read(TABLE)
    stale = 0
    for path, made in (
        (C_SIDE, c_side(table)),
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
