"""Loads tables' files, and reports every mistake in all of them at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from os.path import realpath
from pathlib import Path as FilePath
from typing import Any, Final, NamedTuple

from controller.configuration.declaration import value_text
from controller.configuration.document import Document, parse_document, read_document
from controller.configuration.problems import ConfigFinding, ConfigurationErrors, Path, Problem, dotted
from controller.configuration.registry import Registry
from controller.configuration.sections import MOST_PACKAGES, PACKAGE_NAME
from controller.configuration.table_file import TableFile
from controller.configuration.values import TableConfig
from controller.configuration.wiring import BOARD, pin_words
from controller.games.outside import registry_for

SUFFIX: Final = ".toml"
_FILES_FIX: Final = "write a table's file there, or give the path of one"


class CheckResult(NamedTuple):
    """The result of a check: the tables without errors, and all errors and warnings."""

    tables: list[TableConfig]
    problems: list[Problem]

    @property
    def errors(self) -> list[Problem]:
        """The problems that keep a table from running."""
        return [problem for problem in self.problems if problem.severity == "error"]


def load(paths: Iterable[str | PathLike[str]]) -> list[TableConfig]:
    """The tables of these files, in their order.

    Raises:
        ConfigurationErrors: any of them has an error; it holds every error.
    """
    report = check(paths)
    if report.errors:
        raise ConfigurationErrors(report.errors)
    return report.tables


def check(paths: Iterable[str | PathLike[str]]) -> CheckResult:
    """Checks these files, each by itself and against the others; never raises for their content.

    A folder means all its files of tables, `*.toml`.
    """
    given: dict[str, FilePath] = {}
    again: list[Problem] = []
    for path in _files(paths, again):
        first = given.setdefault(_real_name(path), path)
        if first is not path:
            wrong = "is given twice" if first == path else f"is the same file as {first}"
            again.append(Problem(str(path), 1, "(file)", wrong, "give each file once"))
    report = check_documents([read_document(path) for path in given.values()])
    return CheckResult(report.tables, [*report.problems, *again])


def _files(paths: Iterable[str | PathLike[str]], problems: list[Problem]) -> Iterator[FilePath]:
    """The files, with those of each folder in its place, in the order of their names."""
    for path in map(FilePath, paths):
        if not path.is_dir():
            yield path
            continue
        try:
            found = sorted(one for one in path.iterdir() if one.suffix == SUFFIX)
        except OSError as error:
            problems.append(Problem(str(path), 1, "(file)", f"cannot be read: {error.strerror}", _FILES_FIX))
            continue
        if not found:
            problems.append(Problem(str(path), 1, "(file)", f"holds no *{SUFFIX}", _FILES_FIX))
        yield from found


def check_text(text: str, file: str = "table.toml", registry: Registry | None = None) -> CheckResult:
    """`check` for the text of one document."""
    return check_documents([parse_document(file, text)], registry)


def check_documents(documents: Iterable[Document], registry: Registry | None = None) -> CheckResult:
    """`check` for documents that were read before; with `registry` in place of what each file's packages give."""
    tables: list[TableConfig] = []
    problems: list[Problem] = []
    taken: dict[tuple[Any, ...], tuple[Path, Document]] = {}
    for document in documents:
        found = list(document.problems)
        if document.readable:
            known, unusable = registry_for(_trusted(document.values))
            table = TableFile(document.file, document.values, registry or known)
            findings = [f for f in (*unusable, *table.findings) if document.complete or not f.missing]
            findings += _clashes(table, document, taken)
            found += [_place(finding, document) for finding in findings]
            wrong = any(problem.severity == "error" for problem in found)
            if table.config is not None and not wrong:
                tables.append(table.config)
        problems += sorted(dict.fromkeys(found), key=lambda problem: (problem.line, problem.key))
    return CheckResult(tables, problems)


def _trusted(values: Mapping[str, Any]) -> list[str]:
    """The packages that a file names; none where the list is wrong, which the check of the section reports."""
    table = values.get("table")
    named = table.get("packages") if isinstance(table, dict) else None
    names = named if isinstance(named, list) else []
    right = all(isinstance(name, str) and re.search(PACKAGE_NAME, name) for name in names)
    return names if right and len(names) <= MOST_PACKAGES else []


def _place(finding: ConfigFinding, document: Document) -> Problem:
    line = document.positions.line(finding.path)
    return Problem(document.file, line, dotted(finding.path), finding.wrong, finding.fix, finding.severity)


def _clashes(
    table: TableFile, document: Document, taken: dict[tuple[Any, ...], tuple[Path, Document]]
) -> list[ConfigFinding]:
    """What this table shares with one before it: an id, a wire or a port; and a port that it uses twice."""
    findings: list[ConfigFinding] = []

    def take(thing: tuple[Any, ...], path: Path, what: str, fix: str) -> None:
        first, owner = taken.setdefault(thing, (path, document))
        if owner is not document or (thing[0] == "port" and first != path):
            place = f"{dotted(first)} of {owner.file}:{owner.positions.line(first)}"
            findings.append(ConfigFinding(path, f"{what} is also that of {place}", fix))

    def take_port(port: str, path: Path, fix: str) -> None:
        device = _device_of(port)
        name = value_text(port) if device == port else f"{value_text(port)}, which is {device},"
        take(("port", device), (*path, "port"), f"its port {name}", fix)

    if table.id is not None:
        take(("id", table.id), ("table", "id"), value_text(table.id), "give each table its own id")
    if table.live:
        for line, pin in table.wires.pins.items():
            take(
                ("pin", *pin.place), ("pins", line), f"its wire ({pin_words(pin)})", "give each line a wire of its own"
            )
        for name, board in table.wires.boards.items():
            take_port(board.port, (BOARD, name), "give each board its own port")
        for name, link in table.wires.links.items():
            take_port(link.port, ("links", name), "give each link its own port")
    return findings


def _real_name(path: FilePath) -> str:
    """The name that a file has without links; a name that no file can have stays as it is."""
    try:
        return realpath(path)
    except ValueError:
        return str(path)


def _device_of(port: str) -> str:
    """The device that a port's name leads to, the same by id, by path and by number; a URL stays as it is."""
    return realpath(port) if port.startswith("/") else port
