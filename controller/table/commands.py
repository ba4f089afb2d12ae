"""What the names and values of a command to a table may be.

`hal.values.Command` carries it to the table; as text it is only in captures (`hal.capture.command_text`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hal.plain_text import is_plain
from hal.values import Command

LONGEST_VALUE: Final = 500
"""Characters that a value may have (ours): it is in events, which are kept for years."""


class CommandError(ValueError):
    """A verb, a key or a value that a command may not have: what is wrong with it."""


def command_of(verb: str, given: Mapping[str, str], t_ns: int = 0, command_id: str = "") -> Command:
    """A command. Spaces in a value become single ones, as a capture holds it.

    Raises:
        CommandError: a verb, a key or a value that no capture can hold.
    """
    for name in (verb, *given):
        if not (name.isidentifier() and name.isascii()):
            raise CommandError(f"{name!r} is not a name; write letters, digits and underscores")
    check_lengths(verb, given)
    for name, value in given.items():
        if not is_plain(value):
            raise CommandError(f"{verb}: {name} has characters that cannot be printed, or more than one line")
    values = {name: " ".join(value.split()) for name, value in given.items()}
    return Command(verb, tuple(values.items()), t_ns, command_id)


def check_lengths(verb: str, given: Mapping[str, str]) -> None:
    """Checks that no value is longer than `LONGEST_VALUE`.

    Raises:
        CommandError: naming the key.
    """
    for name, value in given.items():
        if len(value) > LONGEST_VALUE:
            raise CommandError(f"{verb}: {name} has {len(value)} characters; expected at most {LONGEST_VALUE}")
