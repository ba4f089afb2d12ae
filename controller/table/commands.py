"""What people send to a table, as text: a verb, and what it is given. `void reason=dealer_call why=spill on the layout`

A capture carries orders so, and a service hands them to its tables so: what a person wrote in a value is written with
`%3D` for `=` and `%25` for `%`, so that it never reads as the next key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

LONGEST_VALUE: Final = 500
"""Characters that a value may have (ours): it stands in events, which are kept for years."""

_ESCAPE: Final = re.compile(r"%(25|3D)")


class OrderError(ValueError):
    """A text that is no order, or values that none can carry: what is wrong with it."""


class Order(NamedTuple):
    """One command, read."""

    verb: str
    given: dict[str, str]


def parse_order(text: str) -> Order:
    """Reads `verb key=value …`. A value goes on to the next `key=`, so `why=spill on the layout` is one.

    Raises:
        OrderError: it is empty, a word belongs to no key, a key comes twice, or a value is too long.
    """
    verb, _, rest = text.strip().partition(" ")
    if not verb:
        raise OrderError("the order is empty; expected a verb, such as void")
    given: dict[str, list[str]] = {}
    words: list[str] | None = None
    for word in rest.split():
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            if name in given:
                raise OrderError(f"{verb}: the key {name} is given twice")
            words = given[name] = [value] if value else []
        elif words is None:
            raise OrderError(f"{verb}: {word!r} stands alone; expected key=value")
        else:
            words.append(word)
    values = {name: _unescaped(" ".join(words)) for name, words in given.items()}
    _check_length(verb, values)
    return Order(verb, values)


def write_order(verb: str, given: Mapping[str, str]) -> str:
    """The text of an order, from which `parse_order` reads the same. White space in a value becomes single spaces.

    Raises:
        OrderError: a verb, a key or a value that no text can carry.
    """
    for name in (verb, *given):
        if not (name.isidentifier() and name.isascii()):
            raise OrderError(f"{name!r} is no name; write letters, digits and underscores")
    _check_length(verb, given)
    parts = [verb]
    for name, value in given.items():
        spaced = " ".join(value.split())
        if not spaced.isprintable():
            raise OrderError(f"{verb}: {name} has characters that cannot be printed")
        parts.append(f"{name}={spaced.replace('%', '%25').replace('=', '%3D')}")
    return " ".join(parts)


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), value)


def _check_length(verb: str, given: Mapping[str, str]) -> None:
    for name, value in given.items():
        if len(value) > LONGEST_VALUE:
            raise OrderError(f"{verb}: {name} has {len(value)} characters; expected at most {LONGEST_VALUE}")
