"""Which files of the project the pieces of a soak may load: a record holds until one of them changes.

That is every file except for those that no piece loads:

- a test, and a program beside the tests, that no file of the soak imports; a file that starts pytest itself may start
  each test of its folder;
- the circuits of the carriers and their test sheets, where no test of the soak imports what reads them;
- a page of the documents whose name, or whose folder's, no file of the soak has.

A soak that names what it `reads` loads no other. One whose files are not known may load everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import PurePath
from typing import Final

import grimp

from tests.soak.catalogue import PLUGIN, Soak
from tests.soak.source import ROOT

PACKAGES: Final = ("benchmarks", "controller", "firmware", "fleet", "scoreboard", "simulators", "tests")
"""Those over which a test may import another file that is not counted otherwise."""
PROGRAMS: Final = ("tests/costs", "tests/mutants", "tests/soak", "tests/systems")
"""Programs beside the tests."""
PAGES: Final = ("docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/history.jsonl")
"""The documents, and the figures of earlier benchmarks."""
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
    return partial(_counts, soak.reads or ("",), frozenset(map(_module, soak.files)))


@cache
def _counts(reads: tuple[str, ...], modules: frozenset[str], file: str) -> bool:
    return any(_is_of(PurePath(file), read) for read in reads) and _may_load(modules, file)


def _is_of(file: PurePath, read: str) -> bool:
    folder, star, suffix = read.partition("/*")
    return file.parent == PurePath(folder) and file.name.endswith(suffix) if star else file.is_relative_to(read)


def _may_load(modules: frozenset[str], name: str) -> bool:
    file = PurePath(name)
    if any(map(file.is_relative_to, PAGES)):
        return bool(modules) and _is_named(modules, file)
    if not modules:
        return True
    if any(map(file.is_relative_to, CIRCUITS)):
        return any(_reads_circuits(module) for module in _imported(modules))
    of_tests = file.is_relative_to("tests") and file.suffix == ".py"
    if of_tests and (file.name.startswith("test_") or any(map(file.is_relative_to, PROGRAMS))):
        return _module(name) in _imported(modules) or str(file.parent) in _started(modules)
    return True


@cache
def _imported(modules: frozenset[str]) -> frozenset[str]:
    """These modules, and all that they import, one by the other."""
    graph = _graph()
    return frozenset().union(modules, {PLUGIN}, *map(graph.find_upstream_modules, (*modules, PLUGIN)))


@cache
def _started(modules: frozenset[str]) -> frozenset[str]:
    """The folders of those files that start pytest."""
    starting = (module for module in _imported(modules) if '"-m", "pytest"' in _text(module))
    return frozenset("/".join(module.split(".")[:-1]) for module in starting if module.startswith("tests."))


@cache
def _is_named(modules: frozenset[str], page: PurePath) -> bool:
    """Whether a test that a piece loads has the name of a page, or of its folder, in its text."""
    names = rf"\b{re.escape(page.name)}\b"
    if page.parent.parent.name:
        names += rf"|[\"'/]{re.escape(page.parent.name)}[\"'/]"
    named = re.compile(names)
    return any(named.search(_text(module)) for module in _imported(modules) if module.startswith("tests."))


@cache
def _text(module: str) -> str:
    path = ROOT.joinpath(*module.split("."))
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return source.read_text(encoding="utf-8") if source.exists() else ""


@cache
def _reads_circuits(module: str) -> bool:
    return any(
        other == reader or other.startswith(f"{reader}.")
        for other in (_graph().find_modules_directly_imported_by(module) if module.startswith("tests.") else ())
        for reader in READERS
    )


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def _module(file: str) -> str:
    return ".".join(PurePath(file).with_suffix("").parts).removesuffix(".__init__")
