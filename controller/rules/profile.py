"""The rules profiles: which texts there are, and what each says of a game.

A profile is data with a citation on every value (`data/*.toml`). Where a text gives only the titles of a game's
sections, the pair of profile and game is `NoText` and no table plays it: rules are never invented.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

from controller.rules.money_wheel import MoneyWheelRules
from controller.rules.roulette import RouletteRules

DEFAULT_PROFILE = "njac-13:47-20"

_FILES = {
    "njac-13:47-20": "njac-13_47-20.toml",
    "njac-19:47": "njac-19_47.toml",
    "njac-13:69F": "njac-13_69F.toml",
}


class Title(Struct, frozen=True, forbid_unknown_fields=True):
    """A section of which only the title is known."""

    section: str
    title: str


class NoText(Struct, frozen=True, forbid_unknown_fields=True):
    """A profile names the game, but the words of its rules were not found."""

    titles: tuple[Title, ...]

    def __str__(self) -> str:
        return "; ".join(f'{title.section} "{title.title}"' for title in self.titles)


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One regulation, as far as its words are known."""

    name: str
    title: str
    source: str
    notes: tuple[str, ...] = ()
    money_wheel: MoneyWheelRules | None = None
    roulette: RouletteRules | None = None
    no_text: dict[str, NoText] = {}

    def rules_of(self, game: str) -> MoneyWheelRules | RouletteRules | NoText:
        """The rules of a game, or the titles that are all there is of them.

        Raises:
            KeyError: the profile does not know the game.
        """
        if game == "money_wheel" and self.money_wheel is not None:
            return self.money_wheel
        if game == "roulette" and self.roulette is not None:
            return self.roulette
        if game in self.no_text:
            return self.no_text[game]
        raise KeyError(f"profile {self.name} does not speak of the game {game!r}")

    def money_wheel_rules(self) -> MoneyWheelRules:
        """The rules of the money wheel, where there is a text.

        Raises:
            KeyError: there is none; the message names the titles.
        """
        if self.money_wheel is None:
            raise KeyError(f"{self.name} has no text for money_wheel: {self.no_text.get('money_wheel')}")
        return self.money_wheel

    def roulette_rules(self) -> RouletteRules:
        """The rules of roulette, where there is a text.

        Raises:
            KeyError: there is none; the message names the titles.
        """
        if self.roulette is None:
            raise KeyError(f"{self.name} has no text for roulette: {self.no_text.get('roulette')}")
        return self.roulette


def profile_names() -> tuple[str, ...]:
    """The names that `[table] rules` may have."""
    return tuple(_FILES)


@cache
def profile(name: str) -> Profile:
    """The profile of that name.

    Raises:
        KeyError: there is no such profile.
    """
    if name not in _FILES:
        raise KeyError(f"no rules profile {name!r}; there are {', '.join(_FILES)}")
    text = resources.files("controller.rules").joinpath("data", _FILES[name]).read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Profile)
