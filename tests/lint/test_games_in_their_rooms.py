"""No shared file names a game: a game is its room, its data, its simulator and its line in the catalogue."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from controller.games.catalogue import GAME

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = sorted({build.__module__.split(".")[2] for build in (game.build for game in GAME.values())})
SHARED = sorted(
    file
    for folder in ("controller", "feed", "hal", "drivers/base", "simulators/base")
    for file in (ROOT / folder).rglob("*.py")
    if not any(file.is_relative_to(ROOT / "controller/games" / room) for room in (*FAMILIES, "dice"))
    and not any(file == ROOT / f"feed/results/{room}.py" for room in FAMILIES)
)


def names_of_games(text: str) -> list[str]:
    """The strings in a module that are the name of a game, with their lines; a key's `examples` may name one."""
    tree = ast.parse(text)
    keywords = (node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "examples")
    examples = {id(node) for keyword in keywords for node in ast.walk(keyword)}
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in examples)
    return [f"line {node.lineno}: {node.value}" for node in found if isinstance(node.value, str) and node.value in GAME]


def test_no_shared_module_names_a_game() -> None:
    named = {str(file.relative_to(ROOT)): names_of_games(file.read_text(encoding="utf-8")) for file in SHARED}
    assert {file: names for file, names in named.items() if names} == {}


def test_a_name_of_a_game_is_found() -> None:
    assert names_of_games('if game == "craps":\n    pass\n') == ["line 1: craps"]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_a_room_of_one_name_among_games(family: str) -> None:
    assert (ROOT / "controller/games" / family / "spec.py").is_file()
