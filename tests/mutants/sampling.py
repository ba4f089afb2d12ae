"""The sample: drawn once by a seed, kept, and found again in later versions of the code."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from tests.mutants.operators import Mutant, Site

SAMPLE: Final = Path(__file__).with_name("sample.json")


class Drawn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant of the sample."""

    path: str
    function: str
    statement: str
    change: str
    nth: int
    equivalent: str = ""
    """Why no test can tell the change; empty for a mutant that counts."""
    survives: str = ""
    """Why no test of `make test` notices it, and what would; empty where one does."""

    @property
    def mutant(self) -> Mutant:
        return Mutant(self.path, self.function, self.statement, self.change, self.nth)


def draw(sites: Sequence[Site], size: int, seed: int, known: Iterable[Drawn] = ()) -> list[Drawn]:
    """A sample of mutants. Equal code and equal seeds give equal samples.

    Args:
        known: what was drawn before; a mutant that is drawn again keeps its reasons.
    """
    reasons = {one.mutant: one for one in known}
    chosen = random.Random(seed).sample(sites, min(size, len(sites)))
    return [reasons.get(site.mutant, Drawn(*site.mutant)) for site in chosen]


def read(path: Path = SAMPLE) -> list[Drawn]:
    """The kept sample.

    Raises:
        ValueError: the file holds none.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Drawn])
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path}: no sample of mutants ({error}); restore it from the repository") from None


def write(sample: Iterable[Drawn], path: Path = SAMPLE) -> None:
    """Keeps a sample."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(list(sample)), indent=1) + b"\n")


def _name(function: str) -> str:
    return function.rpartition(".")[2]


def _plain(code: str) -> str:
    """Code in which `self.round.phase` and `self.phase` are `phase`: of whom it is asked has changed with its place."""
    return re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", code)


WAYS: Final[tuple[tuple[str, Callable[[Mutant], tuple[Any, ...]]], ...]] = (
    ("here", tuple),
    ("in its file", lambda one: (one.path, _name(one.function), one.statement, one.change)),
    ("moved", lambda one: (_name(one.function), one.statement, one.change)),
    ("in another function", lambda one: (one.statement, one.change)),
    ("asked of another", lambda one: (_name(one.function), _plain(one.statement), _plain(one.change))),
    ("asked of another elsewhere", lambda one: (_plain(one.statement), _plain(one.change))),
    ("in a changed statement", lambda one: (one.path, _name(one.function), one.change)),
)
"""How a mutant is found again, the closest way first: by what is equal."""


class Places:
    """The mutants of a version of the code, by what each way finds them by."""

    def __init__(self, sites: Iterable[Site]) -> None:
        self._sites = list(sites)
        self._found: dict[str, dict[tuple[Any, ...], list[Site]]] = {}

    def find_again(self, mutant: Mutant) -> tuple[str, Site] | None:
        """How and where a mutant is in this code; None where its code is gone, or where it could be several places."""
        for way, key in WAYS:
            found = self._by(way, key).get(key(mutant), [])
            if way == "in its file" and len(found) > 1:
                return way, found[min(mutant.nth, len(found) - 1)]
            if len(found) == 1:
                return way, found[0]
        return None

    def _by(self, way: str, key: Callable[[Mutant], tuple[Any, ...]]) -> dict[tuple[Any, ...], list[Site]]:
        if way not in self._found:
            by_key = self._found[way] = {}
            for site in self._sites:
                by_key.setdefault(key(site.mutant), []).append(site)
        return self._found[way]


def replacement(number: int, seed: int, sites: Sequence[Site], taken: Iterable[Mutant]) -> Site:
    """Another mutant in the place of one whose code is gone: drawn by the seed and its place in the sample."""
    others = set(taken)
    return random.Random(f"{seed}/{number}").choice([site for site in sites if site.mutant not in others])
