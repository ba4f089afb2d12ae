"""Writes values as a TOML document: the inverse of what `tomllib` reads, without comments and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(values: Mapping[str, Any]) -> str:
    """The document.

    Raises:
        TypeError: a value is none of text, number, true or false, list and table.
    """
    return "\n".join(_table(values, ())) + "\n"


def _table(values: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    below = {key: value for key, value in values.items() if isinstance(value, Mapping) and len(path) < 2}
    if path and (len(below) < len(values) or not values):
        yield f"[{'.'.join(map(_key, path))}]"
    for key, value in values.items():
        if key not in below:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in below.items():
        yield from _table(value, (*path, key))


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            # TOML's basic strings are JSON's, but for one character that JSON leaves as it is.
            return msgspec.json.encode(value).decode().replace("\x7f", "\\u007F")
        case list() | tuple():
            return "[" + ", ".join(map(_value, value)) + "]"
        case Mapping():
            return "{ " + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + " }"
        case _:
            raise TypeError(f"a {type(value).__name__} cannot be written as TOML here")


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)
