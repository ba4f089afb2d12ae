"""The models of skill-stop machines: symbols, win lines, awards and speed, as data.

A model is a file of `models/`, and part of what is certified: its bytes are in the hash of what touches play. Win
lines are read from the reels' stops alone:

    stop 3 of reel 2 ──line [0, 1, -1]: one further──► symbol 4 of reel 2
    seven, bar, bar ──the first award that fits: seven, bar, *──► its tokens
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

ANY: Final = "*"
"""In an award: any symbol."""
MODELS: Final = "controller.games.skill_stop_reel"


class Award(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a combination pays."""

    symbols: list[str]
    tokens: Annotated[int, Meta(ge=1, le=9999)]


class Model(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model."""

    title: str
    steps_per_s: Annotated[int, Meta(ge=62, le=402)]
    """The speed of every reel: the fastest is that of the boards' own ramp."""
    longest_s: Annotated[float, Meta(ge=3, le=28)]
    """The time in which the player stops the reels: a board turns one for 30 s at most."""
    reels: list[list[str]]
    lines: list[list[int]]
    awards: list[Award]

    @property
    def symbols(self) -> int:
        """Symbols on each reel."""
        return len(self.reels[0])


class LineShown(NamedTuple):
    """One win line of a play."""

    line: int
    """From 1."""
    symbols: list[str]
    award: int


class ModelError(ValueError):
    """There is no such model, or its file contradicts itself: what is wrong, and where."""


def model_names() -> tuple[str, ...]:
    """Every model there is."""
    folder = files(MODELS) / "models"
    return tuple(sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.name.endswith(".toml")))


@lru_cache
def model_bytes(name: str) -> bytes:
    """The file of a model.

    Raises:
        ModelError: there is none of this name.
    """
    if name not in model_names():
        raise ModelError(f"there is no model {name!r}; there are: {', '.join(model_names())}")
    return (files(MODELS) / "models" / f"{name}.toml").read_bytes()


@lru_cache
def model_named(name: str) -> Model:
    """A model by its name.

    Raises:
        ModelError: there is none of this name, or its file contradicts itself.
    """
    return model_in(model_bytes(name), f"{name}.toml")


def model_in(data: bytes, file: str) -> Model:
    """The model that a file holds.

    Raises:
        ModelError: what is wrong with it.
    """
    try:
        model = msgspec.toml.decode(data, type=Model)
    except msgspec.DecodeError as error:
        raise ModelError(f"{file}: {error}") from error
    wrong = _contradiction(model)
    if wrong is not None:
        raise ModelError(f"{file}: {wrong}")
    return model


def model_digest(name: str) -> str:
    """SHA-256 of a model's file, in hex."""
    return sha256(model_bytes(name)).hexdigest()


def _contradiction(model: Model) -> str | None:
    reels = model.reels
    if not 3 <= len(reels) <= 5:
        return f"reels: a machine has 3 to 5 reels, not {len(reels)}"
    if not 4 <= len(reels[0]) <= 100 or any(len(reel) != len(reels[0]) for reel in reels):
        return "reels: each has the same number of symbols, 4 to 100"
    if any(not symbol or symbol == ANY for reel in reels for symbol in reel):
        return f'reels: a symbol is empty, or "{ANY}", which stands for any'
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
    return None


def lines_shown(model: Model, stops: Sequence[int], by_player: Sequence[bool]) -> list[LineShown]:
    """Every win line with these stops.

    "when the player stops the reel" (13:47-20.2): a line with a reel that the house stopped awards nothing.
    """
    shown: list[LineShown] = []
    for number, line in enumerate(model.lines, 1):
        symbols = [
            reel[(stop + offset) % len(reel)] for reel, stop, offset in zip(model.reels, stops, line, strict=True)
        ]
        shown.append(LineShown(number, symbols, award_of(model, symbols) if all(by_player) else 0))
    return shown


def award_of(model: Model, symbols: Sequence[str]) -> int:
    """The tokens of the first award that fits."""
    for award in model.awards:
        if all(want in (ANY, symbol) for want, symbol in zip(award.symbols, symbols, strict=True)):
            return award.tokens
    return 0
