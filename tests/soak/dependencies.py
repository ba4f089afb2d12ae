"""Which files of the project the pieces of a soak may load: a record holds until one of them changes.

That is every file, but for those that are certain not to be loaded:

- a file of tests, or of a program beside the tests, that no file of the soak imports;
- the circuits of the carriers and their test sheets, where no test of the soak imports what reads them.

A soak that names what it `reads` loads that alone. One whose files are not known may load everything.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import PurePath
from typing import Final

import grimp

from tests.soak.catalogue import PLUGIN, Soak

PROGRAMS: Final = ("tests/mutants", "tests/soak", "tests/systems")
"""Programs beside the tests; a piece loads of them what its files import."""
CIRCUITS: Final = ("firmware/hardware", "controller/boards/sheets")
"""The circuits, and the test sheets that are made from them."""
READERS: Final = (
    "firmware.hardware",
    "controller.boards.bench_sheet",
    "controller.cli.board_pins_view",
    "controller.cli.boards_sheet",
)
"""What a test imports that reads them."""


def loaded_by(soak: Soak) -> Callable[[str], bool]:
    """Tells of a file of the project, as git names it, whether a piece of this soak may load it."""
    if soak.reads:
        return lambda file: any(_is_of(PurePath(file), read) for read in soak.reads)
    if not soak.files:
        return lambda file: True
    modules = frozenset(map(_module, soak.files))
    return lambda file: _may_load(modules, PurePath(file))


def _is_of(file: PurePath, read: str) -> bool:
    return file.match(read) if "*" in read else file.is_relative_to(read)


def _may_load(modules: frozenset[str], file: PurePath) -> bool:
    loaded = _imported(modules)
    if any(map(file.is_relative_to, CIRCUITS)):
        return any(_reads_circuits(module) for module in loaded)
    of_tests = file.is_relative_to("tests") and file.suffix == ".py"
    if of_tests and (file.name.startswith("test_") or any(map(file.is_relative_to, PROGRAMS))):
        return _module(str(file)) in loaded
    return True


@cache
def _imported(modules: frozenset[str]) -> frozenset[str]:
    """These modules of the tests, and those that they import, one by the other."""
    graph, found, new = _graph(), set[str](), {*modules, PLUGIN}
    while new:
        found |= new
        new = {other for module in new for other in graph.find_modules_directly_imported_by(module)}
        new = {other for other in new if other.startswith("tests.")} - found
    return frozenset(found)


@cache
def _reads_circuits(module: str) -> bool:
    return any(
        other == reader or other.startswith(f"{reader}.")
        for other in _graph().find_modules_directly_imported_by(module)
        for reader in READERS
    )


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph("tests", "firmware", "controller")


def _module(file: str) -> str:
    return ".".join(PurePath(file).with_suffix("").parts).removesuffix(".__init__")
