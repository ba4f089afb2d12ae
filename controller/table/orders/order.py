"""A command of a table: its keys, its function, and its result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple

from controller.table.authority import Authority
from controller.table.lifecycle import TableLifecycle
from hal.known_names import nearest
from hal.values import Command

EVERYWHERE: Final = frozenset({"by"})
"""Keys that every command may have: the name of its sender."""


class OrderRefused(Exception):  # noqa: N818 (it is the answer, and no error of the program)
    """The command is not carried out: exactly why, in words for its sender."""


class CommandResult(NamedTuple):
    """The result of a command."""

    command: Command
    accepted: bool
    reason: str
    """What happened, or why it was refused."""
    event_ids: tuple[str, ...]
    """The durable events that it caused, the warning of a refusal among them."""

    @property
    def id(self) -> str:
        """The id of the command."""
        return self.command.id


GivenKeys = Mapping[str, str]
Act = Callable[[TableLifecycle, GivenKeys, int], str]
"""Carries a command out at a time; returns what happened, or raises `OrderRefused`."""


class Verb(NamedTuple):
    """One command that a table takes."""

    name: str
    act: Act
    needs: tuple[str, ...] = ()
    """Keys that must be given, and not be empty."""
    takes: tuple[str, ...] = ()
    """Keys that may be given."""
    takes_result: bool = False
    """Whether it may be given a result, by the key that names one in the game that is played."""
    authority: Authority | None = None
    """Who may send it, of an order that a package brings; of ours `rules/data/authority.toml` has it."""


def check_keys(verb: Verb, given: GivenKeys, result_key: str, choices: Mapping[str, Collection[str]]) -> None:
    """Checks that a command has no unknown key and lacks none.

    `result_key` names a result of the game; `choices` are the values that a key can have here.

    Raises:
        OrderRefused: naming the key.
    """
    known = (*verb.needs, *((result_key,) if verb.takes_result else ()), *verb.takes)
    for key in given:
        if key not in known and key not in EVERYWHERE:
            raise OrderRefused(f"{verb.name}: {not_one_of('key', key, known)}")
    missing = [key for key in verb.needs if not given.get(key)]
    if missing:
        listed = "".join(f"; {key}: {', '.join(choices[key])}" for key in missing if choices.get(key))
        raise OrderRefused(f"{verb.name}: {' and '.join(missing)} must be given{listed}")


def not_of_game(verb: str, lifecycle: TableLifecycle, games: Sequence[str] = ()) -> OrderRefused:
    """That the game of a table does not take an order; `games` do, where that is known."""
    where = f"; it is an order of {', '.join(games)}" if games else ""
    return OrderRefused(f"{verb}: this table plays {lifecycle.rounds.context.game}, which does not take it{where}")


def not_one_of(noun: str, word: str, known: Collection[str]) -> str:
    """That a word is not known: with the known ones, and the nearest of them."""
    if not known:
        return f"{noun} {word} is not known; it takes none"
    near = nearest(word, known)
    hint = f"; nearest: {near}" if near is not None else ""
    return f"{noun} {word} is not one of {', '.join(known)}{hint}"


def yes_or_no(verb: str, key: str, given: GivenKeys) -> bool:
    """A key that is `true` or `false`, and false when it is not given.

    Raises:
        OrderRefused: it is neither.
    """
    value = given.get(key, "false")
    if value not in ("true", "false"):
        raise OrderRefused(f"{verb}: {key} is {value!r}; expected true or false")
    return value == "true"
