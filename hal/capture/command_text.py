"""A command as text, in a capture and for people: a verb, then its keys and values.

    void reason=dealer_call why=spill on the layout id=@local:7f3a

A value goes on to the next `key=`; in it `%3D` is `=` and `%25` is `%`, so that no value reads as another key.
"""

from __future__ import annotations

import re
from typing import Final

from hal.plain_text import is_plain, plain
from hal.values import Command

_ESCAPE: Final = re.compile(r"%(25|3D)")
_ID: Final = re.compile(r"(?:^|\s)id=(\S+)")


class _UnreadableError(ValueError):
    """A text that is not a command: what is wrong with it."""


def read_command(text: str, t_ns: int) -> Command:
    """The command that a text represents. A text that is none becomes a command with a `problem`, which is refused."""
    found = _ID.search(text)
    command_id = "" if found is None else plain(found[1])
    try:
        verb, given = _parsed(text)
    except _UnreadableError as error:
        return Command("", (), t_ns, command_id, text, str(error))
    given.pop("id", None)
    command = Command(verb, tuple(given.items()), t_ns, command_id)
    return command if command_text(command) == text else command._replace(text=text)


def command_text(command: Command) -> str:
    """The text of a command, from which `read_command` makes the same command."""
    if command.text or command.problem:
        return command.text
    named = (*command.given, ("id", command.id)) if command.id else command.given
    return _written(command.verb, named)


def text_without_id(command: Command) -> str:
    """The text of a command as a person reads it."""
    if command.text or command.problem:
        return plain(_ID.sub("", command.text))
    return _written(command.verb, command.given)


def _written(verb: str, given: tuple[tuple[str, str], ...]) -> str:
    return " ".join([verb, *(f"{key}={value.replace('%', '%25').replace('=', '%3D')}" for key, value in given)])


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    """The verb, and the values by key.

    Raises:
        _UnreadableError: the text is empty or has characters that cannot be printed, a word belongs to no key, or a
            key comes twice.
    """
    # A capture may come from anywhere, and what it says is in events and logs.
    if not is_plain(text):
        raise _UnreadableError("the order has characters that cannot be printed, or more than one line")
    verb, _, rest = text.strip().partition(" ")
    if not verb:
        raise _UnreadableError("the order is empty; expected a verb, such as void")
    given: dict[str, list[str]] = {}
    words: list[str] | None = None
    for word in rest.split():
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            if name in given:
                raise _UnreadableError(f"{verb}: the key {name} is given twice")
            words = given[name] = [value] if value else []
        elif words is None:
            raise _UnreadableError(f"{verb}: {word!r} is alone; expected key=value")
        else:
            words.append(word)
    return verb, {name: _unescaped(" ".join(words)) for name, words in given.items()}


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), value)
