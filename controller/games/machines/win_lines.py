"""The models of skill-stop machines: symbols, win lines and awards, as data; a room adds its speed.

A model is a file in the folder `models` of its room, and part of what is certified: its bytes are in the hash of what
touches play. Win lines are read from the reels' stops alone:

    stop 3 of reel 2 ──line [0, 1, -1]: one further──► symbol 4 of reel 2
    seven, bar, bar ──the first award that fits: seven, bar, *──► its tokens
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

ANY: Final = "*"
"""In an award: any symbol."""
HOME: Final = 0
"""Where the house parks a reel that the player has not stopped, and where the reels first are (ours)."""


class Award(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a combination pays."""

    symbols: list[str]
    tokens: Annotated[int, Meta(ge=1, le=9999)]


class PlayModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every model has. A room adds how fast its reels go, and how long the player has."""

    title: str
    longest_s: Annotated[float, Meta(ge=3, le=28)]
    """The time in which the player stops the reels: a reel board turns one for 30 s at most."""
    reels: list[list[str]]
    lines: list[list[int]]
    awards: list[Award]

    @property
    def symbols(self) -> int:
        """Symbols on each reel."""
        return len(self.reels[0])


M = TypeVar("M", bound=PlayModel)


class WinLineShown(NamedTuple):
    """One win line of a play."""

    line: int
    """From 1."""
    symbols: list[str]
    award: int


class ModelError(ValueError):
    """There is no such model, or its file contradicts itself: what is wrong, and where."""


class ModelFolder(Generic[M]):
    """The models of one room."""

    def __init__(self, room: str, kind: type[M]) -> None:
        """`room` is the package that has the folder `models`."""
        self._folder = Path(*import_module(room).__path__, "models")
        self._kind = kind
        self._read: dict[str, M] = {}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every model there is."""
        return tuple(sorted(one.stem for one in self._folder.iterdir() if one.suffix == ".toml"))

    def bytes_of(self, name: str) -> bytes:
        """The file of a model.

        Raises:
            ModelError: there is none of this name.
        """
        if name not in self.names:
            raise ModelError(f"there is no model {name!r}; there are: {', '.join(self.names)}")
        return (self._folder / f"{name}.toml").read_bytes()

    def named(self, name: str) -> M:
        """A model by its name.

        Raises:
            ModelError: there is none of this name, or its file contradicts itself.
        """
        if name not in self._read:
            self._read[name] = self.read(self.bytes_of(name), f"{name}.toml")
        return self._read[name]

    def read(self, data: bytes, file: str) -> M:
        """The model that a file holds.

        Raises:
            ModelError: what is wrong with it.
        """
        try:
            model = msgspec.toml.decode(data, type=self._kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ModelError(f"{file}: {error}") from error
        wrong = _contradiction(model)
        if wrong is not None:
            raise ModelError(f"{file}: {wrong}")
        return model

    def digest(self, name: str) -> str:
        """SHA-256 of a model's file, in hex."""
        return sha256(self.bytes_of(name)).hexdigest()


def _contradiction(model: PlayModel) -> str | None:
    reels = model.reels
    if not 3 <= len(reels) <= 5:
        return f"reels: a machine has 3 to 5 reels, not {len(reels)}"
    if not 4 <= len(reels[0]) <= 100 or any(len(reel) != len(reels[0]) for reel in reels):
        return "reels: each has the same number of symbols, 4 to 100"
    if any(not symbol or symbol == ANY for reel in reels for symbol in reel):
        return f'reels: a symbol is empty, or "{ANY}", which means any'
    if not model.lines:
        return "lines: there is no win line"
    for number, line in enumerate(model.lines, 1):
        if len(line) != len(reels) or any(abs(offset) >= len(reels[0]) for offset in line):
            return f"lines: line {number} gives {len(line)} offsets of less than a turn; there are {len(reels)} reels"
    known = {symbol for reel in reels for symbol in reel} | {ANY}
    for number, award in enumerate(model.awards, 1):
        unknown = [symbol for symbol in award.symbols if symbol not in known]
        if unknown:
            return f"awards: award {number} names {unknown[0]!r}, which is on no reel"
        if len(award.symbols) != len(reels):
            return f"awards: award {number} names {len(award.symbols)} symbols, and there are {len(reels)} reels"
    for parked in _lines_at(model, [HOME] * len(reels)):
        if parked.award:
            return (
                f"reels: the first symbols, where the house parks the reels, show {', '.join(parked.symbols)} on line "
                f"{parked.line}, an award of {parked.award} tokens that nobody wins; begin the reels with others"
            )
    return None


def lines_shown(model: PlayModel, stops: Sequence[int], by_player: Sequence[bool]) -> list[WinLineShown]:
    """Every win line with these stops.

    "when the player stops the reel" (13:47-20.2): a line with a reel that the house stopped awards nothing.
    """
    shown = _lines_at(model, stops)
    return shown if all(by_player) else [line._replace(award=0) for line in shown]


def _lines_at(model: PlayModel, stops: Sequence[int]) -> list[WinLineShown]:
    """Every win line with these stops, and the award of its symbols."""
    shown: list[WinLineShown] = []
    for number, line in enumerate(model.lines, 1):
        symbols = [
            reel[(stop + offset) % len(reel)] for reel, stop, offset in zip(model.reels, stops, line, strict=True)
        ]
        shown.append(WinLineShown(number, symbols, award_of(model, symbols)))
    return shown


def parking(model: PlayModel, stops: Sequence[int | None]) -> list[int]:
    """Where all reels are once the house has parked those that the player left (None): no line looks like an award.

    They are parked at home. Where home would show an award beside what the player has stopped, one of them is parked
    at its first stop that shows none, or the least: an award may need none of the parked reels.
    """
    at_home = [HOME if stop is None else stop for stop in stops]
    others = [
        [*at_home[:reel], other, *at_home[reel + 1 :]]
        for reel, stop in enumerate(stops)
        if stop is None
        for other in range(HOME + 1, model.symbols)
    ]
    return min([at_home, *others], key=lambda parked: sum(line.award for line in _lines_at(model, parked)))


def award_of(model: PlayModel, symbols: Sequence[str]) -> int:
    """The tokens of the first award that fits."""
    for award in model.awards:
        if all(want in (ANY, symbol) for want, symbol in zip(award.symbols, symbols, strict=True)):
            return award.tokens
    return 0


def possible_awards(model: PlayModel) -> list[int]:
    """What a play can award, over all its lines."""
    awards = {0}
    for _ in model.lines:
        awards |= {before + award.tokens for before in awards for award in model.awards}
    return sorted(awards)


def aims(model: PlayModel) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Of each award, the stops at which each reel shows its symbol on the first line."""
    return tuple(_suiting(model, award.symbols) for award in model.awards)


def _suiting(model: PlayModel, symbols: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    count, line = model.symbols, model.lines[0]
    return tuple(
        tuple(stop for stop in range(count) if want in (ANY, reel[(stop + offset) % count]))
        for reel, want, offset in zip(model.reels, symbols, line, strict=True)
    )
