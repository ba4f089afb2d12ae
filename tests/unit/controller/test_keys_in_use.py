"""Every key of a device and of a game is read by the code that plays it: a key that nobody reads does nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec
import pytest

from controller.games.catalogue import DEVICES, GAMES

ROOT = Path(__file__).resolve().parents[3]
STRUCTS: dict[str, type[msgspec.Struct]] = {
    **{spec.keys.__name__: spec.keys for spec in DEVICES},
    **{spec.options.__name__: spec.options for spec in GAMES},
}
KEYS = [(name, field.name) for name, keys in STRUCTS.items() for field in msgspec.structs.fields(keys)]
NAMES = {"driver"}
"""Keys that only name something: the file is read by them."""


def reads_of(folder: Path) -> set[str]:
    """The names of the attributes that the modules of a folder read."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}


READS: dict[Path, set[str]] = {}


@pytest.mark.parametrize(("struct", "key"), [one for one in KEYS if one[1] not in NAMES])
def test_a_key_is_read_by_its_device_its_game_or_the_wiring(struct: str, key: str) -> None:
    family = ROOT.joinpath(*STRUCTS[struct].__module__.split(".")).parent
    folders = [
        family,
        ROOT / "controller" / "games",
        ROOT / "controller" / "configuration",
        ROOT / "controller" / "live",
    ]
    for folder in folders:
        if folder not in READS:
            READS[folder] = reads_of(folder)
    assert any(key in READS[folder] for folder in folders)
