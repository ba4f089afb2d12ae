"""A game inherits from nothing: it is given its rounds, does what `Game` and a few small protocols ask, and has parts
that report and hold no game."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import FunctionType

import pytest

from controller.games.assembly import table_for
from controller.games.catalogue import GAME
from controller.games.load import load
from controller.table import capabilities
from controller.table.capabilities import PROTOCOLS, Capabilities
from controller.table.rounds import Game

ROOT = Path(__file__).resolve().parents[2]
GAMES = ROOT / "controller" / "games"
MOST_OF_GAME, MOST_OF_CAPABILITY, MOST_METHODS = 12, 4, 30
METHODS = (FunctionType, property, cached_property, staticmethod, classmethod)
"""What a class has for each of its methods."""
OF_ROUNDS = {"phase", "run_due_ns", "settle_due_ns"}
"""What `RoundLifecycle` alone sets; a game asks it by name: `begin_run`, `set_run_due`, `settle_by_hand`."""


def members(protocol: type) -> set[str]:
    """What a class must have to be of a protocol."""
    return {name for name in vars(protocol) if not name.startswith("_")}


CAPABILITIES = [getattr(capabilities, name) for name in PROTOCOLS]
"""Every protocol of what only some games do."""


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for file in sorted(GAMES.rglob("*.py")):
        yield file, ast.parse(file.read_text(encoding="utf-8"))


def game_classes() -> list[type]:
    """Every class under `controller/games` that has what `Game` asks for as methods."""
    methods = {name for name in members(Game) if inspect.isfunction(vars(Game)[name])}
    found = []
    for file, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and methods <= {
                one.name for one in node.body if isinstance(one, ast.FunctionDef)
            }:
                name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
                found.append(getattr(importlib.import_module(name), node.name))
    return found


CLASSES = game_classes()
NAMES = {one.__name__ for one in CLASSES} | {Game.__name__}


EXAMPLES = [config for file in sorted((ROOT / "examples").glob("*.toml")) for config in load([file])]


def test_every_game_is_looked_at() -> None:
    games = {config.game: type(table_for(config, epoch="sim", simulated=True).game) for config in EXAMPLES}
    assert games.keys() == GAME.keys()
    assert set(games.values()) <= set(CLASSES)


def test_game_asks_for_little() -> None:
    assert len(members(Game)) <= MOST_OF_GAME


@pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda one: one.__name__)
def test_a_capability_is_small_and_asked_for(capability: type) -> None:
    assert 1 <= len(members(capability)) <= MOST_OF_CAPABILITY
    assert f"_able(game, {capability.__name__})" in inspect.getsource(Capabilities)
    assert any(members(capability) <= vars(game).keys() for game in CLASSES), "no game needs it"


@pytest.mark.parametrize("game", CLASSES, ids=lambda one: one.__name__)
def test_a_game_class_inherits_from_nothing_and_has_few_methods(game: type) -> None:
    assert game.__bases__ == (object,)
    assert len(own_methods(game)) <= MOST_METHODS, own_methods(game)


def own_methods(one: type) -> list[str]:
    """The methods that a class has itself, whatever kind they are of."""
    return sorted(name for name, method in vars(one).items() if isinstance(method, METHODS))


def test_a_method_of_every_kind_counts() -> None:
    class Part:
        kind = "part"

        def one(self) -> None: ...

        @property
        def two(self) -> None: ...

        @cached_property
        def three(self) -> None: ...

        @staticmethod
        def four() -> None: ...

        @classmethod
        def five(cls) -> None: ...

    assert own_methods(Part) == ["five", "four", "one", "three", "two"]


def test_no_room_calls_super_or_a_method_of_a_base_with_its_own_self() -> None:
    assert [place for file, tree in modules() for place in _calls_up(file, tree)] == []


def _calls_up(file: Path, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id="super"):
                yield f"{file.relative_to(ROOT)}:{node.lineno}: super()"
            case ast.Attribute(value=ast.Name(id=name)) if name[:1].isupper() and any(map(_is_self, node.args[:1])):
                yield f"{file.relative_to(ROOT)}:{node.lineno}: a method of {name} with self"


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def test_no_part_takes_a_game() -> None:
    """Orders may: they are what people say to the game."""
    assert [place for file, tree in modules() for place in _takes_game(file, tree)] == []


def _takes_game(file: Path, tree: ast.Module) -> Iterator[str]:
    if file.stem.endswith(("orders", "_order")):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            for one in arguments:
                words = set() if one.annotation is None else {
                    name.id for name in ast.walk(one.annotation) if isinstance(name, ast.Name)
                }  # fmt: skip
                if words & NAMES:
                    yield f"{file.relative_to(ROOT)}:{one.lineno}: {node.name} takes a game as {one.arg}"


def test_no_part_sets_the_phase_or_a_deadline_of_the_rounds() -> None:
    assert [place for file, tree in modules() for place in _sets_rounds(file, tree)] == []


def _sets_rounds(file: Path, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=name, ctx=ast.Store()):
                if owner.endswith("rounds") and name.removeprefix("_") in OF_ROUNDS:
                    yield f"{file.relative_to(ROOT)}:{node.lineno}: sets {owner}.{name}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("self._rounds.phase = RUNNING", 1),
        ("rounds.run_due_ns, self.left_ns = 1, None", 1),
        ("self.game.rounds._settle_due_ns = rounds.phase = 1", 2),
        ("rounds.run_due_ns += 1", 1),
        ("self.phase = rounds.phase\nrounds.begin_run()", 0),
    ],
)
def test_what_sets_the_phase_or_a_deadline_of_the_rounds_is_found(text: str, found: int) -> None:
    assert len(list(_sets_rounds(GAMES / "a.py", ast.parse(text)))) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("class A(B):\n    def go(self):\n        super().go()\n", ["super()"]),
        ("class A(B):\n    def go(self):\n        B.go(self)\n", ["a method of B with self"]),
        ("class A:\n    def go(self):\n        B.go(1)\n        self.part.go(self.x)\n", []),
    ],
)
def test_a_call_of_a_base_is_found(text: str, found: list[str]) -> None:
    assert [place.split(": ", 1)[1] for place in _calls_up(GAMES / "a.py", ast.parse(text))] == found


def test_a_part_that_takes_a_game_is_found() -> None:
    tree = ast.parse("class Part:\n    def __init__(self, game: RouletteGame | None) -> None: ...\n")
    assert len(list(_takes_game(GAMES / "a" / "part.py", tree))) == 1
    assert list(_takes_game(GAMES / "a" / "orders.py", tree)) == []
