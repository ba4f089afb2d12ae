"""What people send to a table, as text: a verb, and what it is given."""

from __future__ import annotations

from typing import NamedTuple


class Order(NamedTuple):
    """One command, read."""

    verb: str
    given: dict[str, str]


def parse_order(text: str) -> Order:
    """Reads `verb key=value …`. A value goes on to the next `key=`, so `why=spill on the layout` is one."""
    verb, _, rest = text.strip().partition(" ")
    given: dict[str, str] = {}
    key = ""
    for word in rest.split():
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            key, given[name] = name, value
        elif key:
            given[key] += f" {word}"
    return Order(verb, given)
