"""Reads a key's declaration: its type, bounds, default and description.

A key is declared once, as a field of a frozen `msgspec.Struct` annotated with `msgspec.Meta`. The check of a file, the
error messages and the tables of the documentation are all derived from that declaration.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect


class Declared(NamedTuple):
    """A type without its `Meta`, and the content of that `Meta`."""

    type: inspect.Type
    description: str
    examples: tuple[Any, ...]
    cite: str
    """The source of the number (`Meta(extra={"cite": "ours"})`); empty if none is given."""
    meant: Mapping[str, str] = MappingProxyType({})
    """What other words for a choice mean (`Meta(extra={"meant": {"double_zero": "american"}})`)."""


class KeyDoc(NamedTuple):
    """One row of a table of keys in the documentation."""

    key: str
    type: str
    default: str
    bounds: str
    description: str
    cite: str


def unwrap(declared: inspect.Type) -> Declared:
    """Separates a type from its `Meta`."""
    description, cite = "", ""
    examples: tuple[Any, ...] = ()
    meant: Mapping[str, str] = {}
    while isinstance(declared, inspect.Metadata):
        schema = declared.extra_json_schema or {}
        description = description or schema.get("description", "")
        examples = examples or tuple(schema.get("examples", ()))
        extra = declared.extra or {}
        cite, meant = cite or extra.get("cite", ""), meant or extra.get("meant", {})
        declared = declared.type
    return Declared(declared, description, examples, cite, meant)


@cache
def fields_of(struct: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    """The declared fields of a struct.

    Raises:
        TypeError: not a struct.
    """
    declared = inspect.type_info(struct)
    if not isinstance(declared, inspect.StructType):
        raise TypeError(f"{struct!r} is not a msgspec.Struct")
    return declared.fields


def type_words(declared: inspect.Type) -> str:
    """The kind of value in words, without its bounds: `whole number`."""
    kind = unwrap(declared).type
    match kind:
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return "whole number"
        case inspect.FloatType():
            return "number"
        case inspect.StrType():
            return "text"
        case inspect.LiteralType() | inspect.EnumType():
            return "one of " + ", ".join(value_text(value) for value in choices(kind))
        case inspect.UnionType():
            members = [type_words(member) for member in kind.types if not isinstance(member, inspect.NoneType)]
            return " or ".join(dict.fromkeys(members))
        case inspect.ListType() | inspect.VarTupleType() | inspect.SetType() | inspect.FrozenSetType():
            return f"list of {plural(type_words(kind.item_type))}"
        case inspect.TupleType():
            return "list of " + ", ".join(type_words(item) for item in kind.item_types)
        case inspect.StructType() | inspect.DictType():
            return "table"
        case _:
            return "value"


def bounds_words(declared: inspect.Type) -> str:
    """The bounds of a value in words: `from 1 to 100`; empty where there are none."""
    kind = unwrap(declared).type
    match kind:
        case inspect.IntType() | inspect.FloatType():
            return _range_words(kind)
        case inspect.StrType():
            return _length_words(kind.min_length, kind.max_length, "characters")
        case inspect.ListType() | inspect.VarTupleType() | inspect.SetType() | inspect.FrozenSetType():
            parts = (_length_words(kind.min_length, kind.max_length, "of them"), bounds_words(kind.item_type))
            return ", each ".join(part for part in parts if part)
        case inspect.UnionType():
            return " or ".join(dict.fromkeys(filter(None, map(bounds_words, kind.types))))
        case _:
            return ""


def choices(kind: inspect.LiteralType | inspect.EnumType) -> tuple[Any, ...]:
    """The values that a literal or an enumeration allows."""
    if isinstance(kind, inspect.LiteralType):
        return tuple(kind.values)
    return tuple(member.value for member in kind.cls)


def plural(noun: str) -> str:
    """`number` → `numbers`; phrases stay as they are."""
    return noun + "s" if noun in {"number", "whole number", "text", "list", "table", "value"} else noun


def value_text(value: object) -> str:
    """A value as TOML writes it, shortened; for a long list or a table just `a list` or `a table`."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            shown = value if len(value) <= 40 else value[:37] + "..."
            return msgspec.json.encode(shown.encode("utf-8", "replace").decode()).decode()
        case int() | float():
            if isinstance(value, float):
                return f"{value:.12g}"
            return str(value) if abs(value) < 10**18 else "a huge number"
        case list() | tuple() if len(value) <= 8 and all(isinstance(item, (bool, int, float, str)) for item in value):
            return "[" + ", ".join(value_text(item) for item in value) + "]"
        case list() | tuple():
            return "a list"
        case dict():
            return "a table"
        case None:
            return "not set"
        case _:
            return "a date or time" if type(value).__module__ == "datetime" else f"a {type(value).__name__}"


def describe(struct: type[msgspec.Struct], prefix: str = "") -> list[KeyDoc]:
    """The documentation of every key of a struct; keys of nested tables have dotted names.

    Raises:
        TypeError: not a struct.
    """
    rows: list[KeyDoc] = []
    for field in fields_of(struct):
        key = f"{prefix}{field.encode_name}"
        declared = unwrap(field.type)
        if isinstance(declared.type, inspect.StructType):
            rows += describe(declared.type.cls, f"{key}.")
            continue
        bounds = bounds_words(field.type)
        rows.append(
            KeyDoc(key, type_words(field.type), _default_words(field), bounds, declared.description, declared.cite)
        )
    return rows


def _default_words(field: inspect.Field) -> str:
    if field.required:
        return "required"
    if field.default_factory is not msgspec.NODEFAULT:
        value = field.default_factory()
        if isinstance(value, (list, tuple, dict)) and not value:
            return "empty"
        return value_text(value)
    return value_text(field.default)


def _range_words(kind: inspect.IntType | inspect.FloatType) -> str:
    low = None if kind.ge is None else value_text(kind.ge)
    high = None if kind.le is None else value_text(kind.le)
    if low is not None and high is not None:
        return f"from {low} to {high}"
    parts = []
    if low is not None:
        parts.append(f"{low} or more")
    if kind.gt is not None:
        parts.append(f"more than {value_text(kind.gt)}")
    if high is not None:
        parts.append(f"{high} or less")
    if kind.lt is not None:
        parts.append(f"less than {value_text(kind.lt)}")
    if kind.multiple_of is not None:
        parts.append(f"a multiple of {value_text(kind.multiple_of)}")
    return " and ".join(parts)


def _length_words(low: int | None, high: int | None, noun: str) -> str:
    if low is not None and high is not None:
        return f"{low} {noun}" if low == high else f"{low} to {high} {noun}"
    if low is not None:
        return f"{low} or more {noun}"
    return "" if high is None else f"at most {high} {noun}"
