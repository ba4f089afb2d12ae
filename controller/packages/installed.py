"""Packages that offer games, devices, backends or rules: read from their metadata, without importing anything.

    [project.entry-points."feltwire.games"]        in the package's pyproject.toml
    small_wheel = "small_wheel.spec:SMALL_WHEEL"   the id of what is offered, and where it is

What a package offers is known by the names of its entry points. Its files are hashed from where Python would import
them, not from what its metadata lists: a file that was added runs too.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import re
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from inspect import getmodulename
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from controller.packages.files import COMPILED, PACKAGES, files_below, hash_of, is_run

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

GROUPS: Final = ("feltwire.games", "feltwire.devices", "feltwire.backends", "feltwire.rules")
"""The groups of entry points that are read."""
OURS: Final = frozenset({*PACKAGES, "feltwire_feed"})
"""The import packages of this project: no other package brings files of these names."""
_PYC_HEADER: Final = 16
_WORD: Final = 0xFFFF_FFFF
"""Bytes before the code of a compiled file (PEP 552)."""


class PackageError(Exception):
    """A package that cannot be used: what is wrong, and what to do."""

    def __init__(self, wrong: str, fix: str) -> None:
        super().__init__(f"{wrong}; {fix}")
        self.wrong = wrong
        self.fix = fix


class Offer(NamedTuple):
    """One thing that a package offers, by its metadata alone."""

    group: str
    id: str
    """What a table's file would name: the name of the entry point."""
    entry: EntryPoint


class Installed(NamedTuple):
    """An installed package that offers something."""

    name: str
    """As a table's file names it: lower case, with hyphens."""
    version: str
    offers: tuple[Offer, ...]
    distribution: Distribution


def normal_name(name: str) -> str:
    """A package's name as pip compares names: `Small_Wheel` is `small-wheel`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed() -> dict[str, Installed]:
    """The packages that offer something, by name. Of two of one name, the first on the search path is imported."""
    # Loaded where a file names a package, or what none of ours is called.
    from importlib.metadata import distributions

    found: dict[str, Installed] = {}
    for distribution in distributions():
        entries = [entry for entry in distribution.entry_points if entry.group in GROUPS]
        name = normal_name(distribution.metadata["Name"] or "")
        if entries and name not in found:
            offers = tuple(Offer(entry.group, entry.name, entry) for entry in entries)
            found[name] = Installed(name, distribution.version, offers, distribution)
    return found


def offering(group: str, wanted: str) -> list[str]:
    """The installed packages that offer a thing of this id."""
    return [
        name
        for name, package in installed().items()
        if (group, wanted) in [(one.group, one.id) for one in package.offers]
    ]


def files_of(package: Installed) -> list[tuple[str, str]]:
    """Every file of a package by its path, with its SHA-256: its import packages, its entry points and its metadata.

    Compiled files are left out, because they differ from one installation to the next: each is proven to be what its
    source compiles to.

    Raises:
        PackageError: its files cannot be found, one cannot be hashed, or a compiled one is not that of its source.
    """
    found: list[tuple[str, str]] = []
    for place in _places(package):
        root = place.parent
        listed = files_below(place, root) if place.is_dir() else [(place.name, hash_of(place))]
        found += [(path, sha256) for path, sha256 in listed if not _is_compiled(Path(path))]
        found += [(path.relative_to(root).as_posix(), hash_of(path)) for path in _beside_compiled(place)]
        for compiled in _compiled(place):
            _prove(compiled, package)
    found += _run_at_start(package)
    for name in ("METADATA", "entry_points.txt"):
        text = package.distribution.read_text(name)
        if text is not None:
            found.append((f"({name})", hashlib.sha256(text.encode("utf-8")).hexdigest()))
    wrong = [path for path, sha256 in found if re.fullmatch("[0-9a-f]{64}", sha256) is None]
    if wrong:
        raise PackageError(f"its file {wrong[0]} cannot be read as a file of its own", f"install {package.name} again")
    return sorted(found)


def digest(files: Iterable[tuple[str, str]]) -> str:
    """One SHA-256 over files, each by its path and its own SHA-256."""
    whole = hashlib.sha256()
    for path, sha256 in files:
        whole.update(f"{path}\0{sha256}\n".encode())
    return whole.hexdigest()


def _places(package: Installed) -> Iterator[Path]:
    """The folders and single modules from which Python would import what the package brings."""
    paths = package.distribution.files or ()
    listed = {path.parts[0] if len(path.parts) > 1 else getmodulename(path.name) or "." for path in paths}
    named = {one.entry.module.partition(".")[0] for one in package.offers}
    tops = sorted({one for one in listed if "." not in one} | named)
    wrong = sorted(OURS.intersection(tops))
    if wrong:
        raise PackageError(f"it brings files of {wrong[0]}, which is Feltwire's own", f"uninstall {package.name}")
    for top in tops:
        spec = PathFinder.find_spec(top)
        if spec is None:
            if top in named:
                raise PackageError(f"its module {top} is not there", f"install {package.name} again")
            continue
        if spec.submodule_search_locations is not None:
            yield from map(Path, spec.submodule_search_locations)
        elif spec.origin is not None:
            yield Path(spec.origin)


def _run_at_start(package: Installed) -> list[tuple[str, str]]:
    """The files of a package that Python reads at each start, named or not: they can run code (`*.pth`)."""
    paths = [path for path in package.distribution.files or () if len(path.parts) == 1 and path.suffix == ".pth"]
    return [(path.name, hash_of(Path(path.locate()))) for path in paths]


def _is_compiled(path: Path) -> bool:
    """Whether it is a file that Python compiled, or is writing now."""
    return path.parent.name == COMPILED and re.fullmatch(r".+\.pyc(\.[0-9]+)?", path.name) is not None


def _beside_compiled(place: Path) -> list[Path]:
    """What is among compiled files and is none: a package can import it, or read it."""
    folders = place.rglob(COMPILED) if place.is_dir() else ()
    found = [path for folder in folders for path in folder.iterdir() if path.is_file() and not path.is_symlink()]
    return [path for path in found if not _is_compiled(path)]


def _compiled(place: Path) -> list[Path]:
    folders = place.rglob(COMPILED) if place.is_dir() else [place.parent / COMPILED]
    stem = "" if place.is_dir() else f"{place.stem}."
    return [
        path
        for folder in folders
        for path in sorted(folder.glob("*.pyc"))
        if is_run(path) and path.name.startswith(stem)
    ]


def _is_stale(compiled: bytes, source: os.stat_result) -> bool:
    """Whether Python compiles the source again: the file names a time or a size that is not the source's."""
    flags, modified, size = (int.from_bytes(compiled[at : at + 4], "little") for at in (4, 8, 12))
    return flags == 0 and (modified, size) != (int(source.st_mtime) & _WORD, source.st_size & _WORD)


def _prove(compiled: Path, package: Installed) -> None:
    """Python runs a compiled file that is not stale in place of its source: it must be what that compiles to."""
    source = compiled.parent.parent / f"{compiled.name.partition('.')[0]}.py"
    level = next((int(part[-1]) for part in compiled.suffixes if part.startswith(".opt-")), 0)
    try:
        there = compiled.read_bytes()
        if _is_stale(there, source.stat()):
            return
        code = compile(source.read_bytes(), str(source), "exec", dont_inherit=True, optimize=level)
        same = marshal.loads(there[_PYC_HEADER:]) == code
    except (OSError, SyntaxError, ValueError, EOFError, TypeError):
        same = False
    if not same:
        wrong = f"its compiled file {compiled.name} is not what {source.name} compiles to"
        raise PackageError(wrong, f"remove {compiled}, or install {package.name} again")
