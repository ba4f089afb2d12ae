"""Who may send which command: by the role of the sender's key, and the class of operator that the rules require.

    role         may send
    dealer       no_more_bets, settle, void, confirm, dispute
    supervisor   these, and open, close, clear, correct, inspections, quit
    technician   inspect_start, inspect_fail, and what is lit for an inspection: nothing that touches a result
    read-only    nothing

The position in which a person acts at the table (`as=boxperson`) is what a key was allowed for, too (ours).

The classes are New Jersey's: where the rules are the house's own, the role alone counts (ours).

Supervising is Class A's, because a Class B operator "is supervised by" one (13:47-20.2); operating roulette and craps
is Class A's too. The table above is data, `rules/data/authority.toml`; the classes are in the rules profiles.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Final, Literal, Protocol

import msgspec
from msgspec import Struct

from controller.rules.cited import Cited
from controller.rules.profile import DATA, DEFAULT_PROFILE, Operators, is_house, profile
from feed.allow_list import POSITIONS
from hal.known_names import suggestion

CLASS_A_ONLY: Final[Cited[tuple[str, ...]]] = Cited(("A",), "13:47-20.2")
"""The classes for a game of which the profile has no rules: a Class A operator may operate all games."""


class Sender(Protocol):
    """The owner of the key with which a command came."""

    @property
    def name(self) -> str:
        """The person, as the list of keys names them."""

    @property
    def role(self) -> str:
        """One of `feed.allow_list.ROLES`."""

    @property
    def operator_class(self) -> str | None:
        """`A` or `B`, where the person is an operator."""


class PositionedSender(Sender, Protocol):
    """A sender of whom it is known in which positions at the table they may act."""

    @property
    def positions(self) -> Sequence[str] | None:
        """The positions at the table in which the person may act; None where nothing but the sender states them."""


class Authority(Struct, frozen=True, forbid_unknown_fields=True):
    """The requirements of one verb on its sender."""

    acts: Literal["operates", "supervises", "serves"]
    roles: Cited[tuple[str, ...]]


NO_OTHERS: Final[Mapping[str, Authority]] = {}


class _Authorities(Struct, frozen=True, forbid_unknown_fields=True):
    verbs: dict[str, Authority]


@cache
def authorities() -> dict[str, Authority]:
    """The requirements of each verb on its sender."""
    text = DATA.joinpath("authority.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _Authorities).verbs


def no_such_command(verb: str, verbs: Collection[str]) -> str:
    """The refusal of a command that there is not; `verbs` are those that there are."""
    return f"there is no command {verb!r}; {suggestion(verb, verbs, 'command')}"


def may(
    sender: Sender,
    verb: str,
    game: str,
    rules: str = DEFAULT_PROFILE,
    *,
    verbs: Collection[str] | None = None,
    own: Mapping[str, Authority] = NO_OTHERS,
) -> str | None:
    """Why the sender may not send this to a table of this game by these rules; None where they may.

    `verbs` are the commands that are listed to a sender of an unknown one: those of the table's game. `own` are the
    requirements of orders that a package brings: it cannot change those of ours.
    """
    authority = authorities().get(verb, own.get(verb))
    if authority is None:
        return no_such_command(verb, authorities() if verbs is None else verbs)
    if sender.role not in authority.roles.value:
        allowed = " or ".join(authority.roles.value)
        return f"{verb} needs the role {allowed}, and {sender.name} has the role {sender.role}"
    if authority.acts == "serves" or is_house(rules):
        return None
    classes = _classes(game, rules, authority.acts == "supervises")
    if sender.operator_class in classes.value:
        return None
    has = "no operator's class" if not sender.operator_class else f"Class {sender.operator_class}"
    wanted = " or ".join(f"Class {one}" for one in classes.value)
    what = "supervise" if authority.acts == "supervises" else "operate"
    return f"{verb}: only a {wanted} operator may {what} {game} ({classes.cite}), and {sender.name} has {has}"


def may_act_as(sender: PositionedSender, verb: str, given: Mapping[str, str]) -> str | None:
    """Why the sender may not act in the position that is given with `as`; None where they may, or none is given.

    Which person is at which position is known to the house alone, by its keys: the refusal is ours. A dealer's key is
    one of a dealer. Where no position is given, a key that is named like one acts in it.
    """
    if sender.positions is None:
        return None
    position = given.get("as", sender.name if sender.name in POSITIONS else None)
    if position is None or position in sender.positions or position == sender.role == "dealer":
        return None
    has = " and ".join(sender.positions) or "no position"
    return (
        f"{verb}: the key of {sender.name} is allowed for {has}, not for {position!r} (house rule); "
        f"feltwire keys allow … --position names what a key is for"
    )


def _classes(game: str, rules: str, supervises: bool) -> Cited[tuple[str, ...]]:
    """The classes of operator that may do it: Class A where no text allows another."""
    try:
        text = profile(rules).text(game, Operators)
    except KeyError:
        return CLASS_A_ONLY
    return text.supervisor_classes if supervises else text.operator_classes
