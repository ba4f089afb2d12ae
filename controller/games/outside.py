"""Packages of others: what they bring is imported where a table's file names them, and put beside our own.

    table.packages ──► installed (metadata alone) ──► files hashed ──► imported ──► checked ──► Catalogue

A package that no file names is never imported. One that is imported can do anything that this program can: nothing
here contains it. What is checked is that it takes the place of nothing of ours, and that its files are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import Registry
from controller.games.base.spec import GameSpec
from controller.games.catalogue import ORDERS, OURS, Catalogue
from controller.packages.installed import (
    Installed,
    Offer,
    PackageError,
    digest,
    files_of,
    installed,
    normal_name,
    offering,
)
from controller.packages.listed import by_name
from controller.rules.profile import OWN, RESERVED, RulesSpec, admit
from controller.table.authority import Authority, authorities
from controller.table.durable import JOURNALLED
from controller.table.orders.book import OF_THE_SERVICE
from controller.table.orders.order import Verb, not_one_of
from drivers.base.device_spec import DeviceSpec
from feed.allow_list import ROLES
from feed.data import TablePackage
from feed.game_view import check_view
from hal.backend_spec import BackendSpec
from hal.install_words import how_to_pip
from hal.known_names import nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

GAMES: Final = "feltwire.games"
DEVICES: Final = "feltwire.devices"
BACKENDS: Final = "feltwire.backends"
RULES: Final = "feltwire.rules"

_OURS: Final = {
    GAMES: frozenset(OURS.games),
    DEVICES: frozenset(OURS.devices),
    BACKENDS: frozenset(OURS.backends),
    RULES: OWN,
}
"""The ids that no package may bring."""
_OUR_ORDERS: Final = frozenset({*ORDERS, *authorities(), *OF_THE_SERVICE, JOURNALLED})
"""The names that no order of a package may have: those of tables, of the service, and of what it states to a table."""
_NOUNS: Final = {GAMES: "game", DEVICES: "device", BACKENDS: "backend", RULES: "profile of rules"}


class Package(NamedTuple):
    """An imported package: what it is, and what it brings."""

    identity: TablePackage
    brings: Catalogue


def registry_for(names: Iterable[str]) -> tuple[Registry, list[ConfigFinding]]:
    """What a file can name that trusts these packages, and what is wrong with them."""
    catalogue, packages, findings = OURS, list[TablePackage](), list[ConfigFinding]()
    for number, name in enumerate(names):
        try:
            package = imported(normal_name(name))
            if package.identity in packages:
                raise PackageError("is listed twice", "write it once")
            catalogue = _joined(catalogue, package)
        except PackageError as error:
            findings.append(ConfigFinding(("table", "packages", number), error.wrong, error.fix))
        else:
            packages.append(package.identity)
    return catalogue.registry(tuple(packages), lambda kind, name: offering(f"feltwire.{kind}", name)), findings


def game_named(name: str) -> GameSpec | None:
    """A game of ours, or of a package that this process has imported; None for any other."""
    listed = (OURS.games, *(package.brings.games for package in _IMPORTED.values()))
    return next((games[name] for games in listed if name in games), None)


_IMPORTED: Final[dict[str, Package]] = {}
"""The packages that this process has imported, by name: Python imports each once, too."""


def imported(name: str) -> Package:
    """Imports a package that a table's file names, and checks what it brings.

    Raises:
        PackageError: it is not installed, takes the place of something of ours, or cannot be used.
    """
    if name not in _IMPORTED:
        package = _found(name)
        for offer in package.offers:
            _refuse_ours(package, offer)
        sha256 = digest(files_of(package))
        identity = TablePackage(name=package.name, version=package.version, sha256=sha256)
        brings = Catalogue(
            games=by_name(_loaded(package, GAMES, GameSpec)),
            devices=by_name(_loaded(package, DEVICES, DeviceSpec)),
            backends=by_name(_loaded(package, BACKENDS, BackendSpec)),
            profiles=(),
        )
        _check_slots(package, brings)
        _check_orders(package, brings)
        _check_views(package, brings)
        _IMPORTED[name] = Package(identity, brings._replace(profiles=tuple(_admitted(package, brings.games.values()))))
    return _IMPORTED[name]


def _found(name: str) -> Installed:
    known = installed()
    if name in known:
        return known[name]
    near = nearest(name, list(known))
    offer = f'did you mean "{near}"? ' if near else ""
    listed = f" (installed: {', '.join(known)})" if known else ""
    raise PackageError(
        "no package of this name that offers games, devices, backends or rules is installed",
        f"{offer}{how_to_pip('FILE.whl')}, or remove it from the list{listed}",
    )


def _refuse_ours(package: Installed, offer: Offer) -> None:
    reserved = offer.group == RULES and offer.id.startswith(RESERVED)
    if reserved or offer.id in _OURS[offer.group]:
        raise PackageError(
            f"offers the {_NOUNS[offer.group]} {offer.id}, which is ours and cannot be replaced",
            f"ask its author for another name, or uninstall {package.name}",
        )


def _loaded(package: Installed, group: str, kind: type[T]) -> Iterable[T]:
    """What a package offers in one group, imported."""
    for offer in package.offers:
        if offer.group == group:
            made = _import(package, offer.entry)
            if not isinstance(made, kind) or _name_of(made) != offer.id:
                named = f' named "{_name_of(made)}"' if isinstance(made, kind) else ""
                wrong = f"its entry point {offer.id} gives no {kind.__name__} of that name, but a {type(made).__name__}"
                fix = f'ask its author to write "{offer.id}" in both: an entry point has the name of what it gives'
                raise PackageError(wrong + named, fix)
            yield made


def _name_of(made: object) -> object:
    return getattr(made, "name", None)


def _import(package: Installed, entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        wrong = f"{package.name} {package.version} cannot be imported ({type(error).__name__}: {error})"
        # What it takes from elsewhere is not there, or not as it was; anything else is its own mistake.
        misfit = isinstance(error, ImportError | AttributeError | TypeError)
        fix = "install the version that fits this feltwire" if misfit else f"ask the author of {package.name}"
        raise PackageError(wrong, f"{fix}: {entry.value}") from error


def _admitted(package: Installed, games: Iterable[GameSpec]) -> Iterable[str]:
    """The profiles of rules that a package offers; their sections must fit its games, and ours."""
    structs = {game.name: game.rules for game in (*OURS.games.values(), *games)}
    for spec in _loaded(package, RULES, RulesSpec):
        try:
            yield admit(spec, structs).name
        except (OSError, ValueError, msgspec.ValidationError) as error:
            raise PackageError(f"its rules {spec.name} cannot be read ({error})", "ask its author") from error


def _check_slots(package: Installed, brings: Catalogue) -> None:
    """Every device of its games must be one of ours, or of its own."""
    known = {*OURS.devices, *brings.devices}
    for game in brings.games.values():
        unknown = sorted({driver for slot in game.devices.values() for driver in slot.drivers} - known)
        if unknown:
            wrong = f"its game {game.name} has the device {unknown[0]}, which neither it nor feltwire brings"
            raise PackageError(wrong, f"ask the author of {package.name}")


def _check_orders(package: Installed, brings: Catalogue) -> None:
    """An order of ours does the same at every table: its games may take it, and put no other in its place."""
    for game in brings.games.values():
        of_another_type = _other_than_verbs(game.orders)
        if of_another_type:
            wrong = f"an order of its game {game.name} is not a Verb, but a {of_another_type[0]}"
            raise PackageError(wrong, f"ask the author of {package.name}; docs/plugins.md has what an order states")
        theirs = [verb for verb in game.orders if ORDERS.get(verb.name) is not verb]
        replaced = sorted(verb.name for verb in theirs if verb.name in _OUR_ORDERS)
        if replaced:
            wrong = f"its game {game.name} has an order {replaced[0]} of its own, which is ours and cannot be replaced"
            raise PackageError(wrong, f"ask the author of {package.name} for another name")
        for verb in theirs:
            wrong_authority = _wrong_authority(verb.authority)
            if wrong_authority is not None:
                wrong = f"its game {game.name} has an order {verb.name} and {wrong_authority}"
                raise PackageError(wrong, f"ask the author of {package.name}; docs/plugins.md has what an order states")


def _other_than_verbs(orders: Iterable[object]) -> list[str]:
    """The types of orders that are none; a package makes them in Python, where nothing checks the type of a value."""
    return [type(order).__name__ for order in orders if not isinstance(order, Verb)]


def _wrong_authority(authority: object) -> str | None:
    """Why an order's requirements on its sender cannot be used, in words; None where they can.

    A package makes them in Python, too: the first sender would find the mistake.
    """
    if authority is None:
        return "does not say who may send it (Verb.authority)"
    if not isinstance(authority, Authority):
        return f"its Verb.authority is not an Authority, but a {type(authority).__name__}"
    try:
        roles = msgspec.convert(msgspec.to_builtins(authority), Authority).roles.value
    except (TypeError, ValueError) as error:
        return f"its Verb.authority cannot be read ({error})"
    unknown = [role for role in roles if role not in ROLES]
    if unknown:
        return f"in its Verb.authority {not_one_of('the role', repr(unknown[0]), ROLES)}"
    return None if roles else "its Verb.authority names no role, so that nobody may send it"


def _check_views(package: Installed, brings: Catalogue) -> None:
    """What a board is to show is published and journalled: it must be what every reader takes."""
    for game in brings.games.values():
        try:
            if game.view is not None:
                check_view(game.view)
                check_view(game.board_view)
                if game.view.words:
                    raise ValueError("its words are given as GameView.words; write them in words.json: GameSpec.texts")
        except (TypeError, ValueError) as error:
            wrong = f"the view of its game {game.name} cannot be published ({error})"
            raise PackageError(
                wrong, f"ask the author of {package.name}; docs/plugins.md has what a view is"
            ) from error


def _joined(catalogue: Catalogue, package: Package) -> Catalogue:
    brings = package.brings
    for what, there, more in (
        ("game", catalogue.games, brings.games),
        ("device", catalogue.devices, brings.devices),
        ("backend", catalogue.backends, brings.backends),
    ):
        twice = sorted({*there} & {*more})
        if twice:
            raise PackageError(f"brings the {what} {twice[0]}, as another package of the list", "name one of the two")
    return Catalogue(
        games=catalogue.games.joined(brings.games),
        devices=catalogue.devices.joined(brings.devices),
        backends=catalogue.backends.joined(brings.backends),
        profiles=catalogue.profiles + brings.profiles,
    )
