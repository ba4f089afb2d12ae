"""The rules profiles: the texts that there are, and the rules of each game in them.

A profile is data with a citation on every value (`data/*.toml`). Where a text gives only the titles of a game's
sections, the pair of profile and game is `NoText` and no table plays it: rules are never invented.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from controller.games.craps.rules import CrapsRules
from controller.games.money_wheel.rules import MoneyWheelRules
from controller.games.roulette.rules import RouletteRules
from controller.games.sic_bo.rules import SicBoRules
from controller.games.tumbled.rules import BeatTheDealerRules, ChuckALuckRules, UnderOverRules

# The files of the rules profiles (`data/*.toml`)
#
# A profile is split over several files, one for each family of games. A section with `text_of = "craps"` contains all
# that `[craps]` contains, except what it overrides: mini-craps is in the same sections of the text.


Data: TypeAlias = dict[str, Any]

FILES: Final = {
    "njac-13:47-20": ("njac-13_47-20.toml", "njac-13_47-20-dice.toml", "njac-13_47-20-craps.toml"),
    "njac-19:47": ("njac-19_47.toml", "njac-19_47-dice.toml", "njac-19_47-craps.toml"),
    "njac-13:69F": ("njac-13_69F.toml", "njac-13_69F-dice.toml"),
}
"""The files of each profile; of the two texts for casinos, the older is first."""

SAME_TEXT: Final = "text_of"

DEFAULT_PROFILE = "njac-13:47-20"

Rules: TypeAlias = (
    MoneyWheelRules | RouletteRules | BeatTheDealerRules | ChuckALuckRules | UnderOverRules | SicBoRules | CrapsRules
)
"""The rules of one game in one text."""

R = TypeVar("R")


class Title(Struct, frozen=True, forbid_unknown_fields=True):
    """A section of which only the title is known."""

    section: str
    title: str


class NoText(Struct, frozen=True, forbid_unknown_fields=True):
    """A profile names the game, but the text of its rules was not found."""

    titles: tuple[Title, ...]
    note: str = ""
    """Why the known text is not enough for rules."""

    def __str__(self) -> str:
        titles = "; ".join(f'{title.section} "{title.title}"' for title in self.titles)
        return f"{titles} ({self.note})" if self.note else titles


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One regulation, as far as its text is known."""

    name: str
    title: str
    source: str
    notes: tuple[str, ...] = ()
    money_wheel: MoneyWheelRules | None = None
    roulette: RouletteRules | None = None
    beat_the_dealer: BeatTheDealerRules | None = None
    chuck_a_luck: ChuckALuckRules | None = None
    under_over: UnderOverRules | None = None
    sic_bo: SicBoRules | None = None
    craps: CrapsRules | None = None
    mini_craps: CrapsRules | None = None
    no_text: dict[str, NoText] = {}

    def rules_of(self, game: str) -> Rules | NoText:
        """The rules of a game, or the titles of its sections where nothing else is known.

        Raises:
            KeyError: the profile does not name the game.
        """
        rules = self._texts().get(game) or self.no_text.get(game)
        if rules is None:
            raise KeyError(f"profile {self.name} does not speak of the game {game!r}")
        return rules

    def plays(self, game: str) -> bool:
        """Whether the profile has the rules of the game."""
        return self._texts().get(game) is not None

    def refusal(self, game: str) -> str | None:
        """Why the game cannot be played by this profile, in words; None if it can."""
        if self.plays(game):
            return None
        titles = self.no_text.get(game)
        if titles is None:
            return f"no text: {self.name} does not speak of {game}"
        return f"no text: of {game}, {self.name} gives only the titles {titles}"

    def money_wheel_rules(self) -> MoneyWheelRules:
        """The rules of the money wheel, where there is a text.

        Raises:
            KeyError: there is none; the message names the titles.
        """
        return self._text("money_wheel", self.money_wheel)

    def roulette_rules(self) -> RouletteRules:
        """The rules of roulette. Raises as `money_wheel_rules`."""
        return self._text("roulette", self.roulette)

    def beat_the_dealer_rules(self) -> BeatTheDealerRules:
        """The rules of beat the dealer. Raises as `money_wheel_rules`."""
        return self._text("beat_the_dealer", self.beat_the_dealer)

    def chuck_a_luck_rules(self) -> ChuckALuckRules:
        """The rules of chuck-a-luck. Raises as `money_wheel_rules`."""
        return self._text("chuck_a_luck", self.chuck_a_luck)

    def under_over_rules(self) -> UnderOverRules:
        """The rules of under/over. Raises as `money_wheel_rules`."""
        return self._text("under_over", self.under_over)

    def sic_bo_rules(self) -> SicBoRules:
        """The rules of sic bo. Raises as `money_wheel_rules`."""
        return self._text("sic_bo", self.sic_bo)

    def craps_rules(self) -> CrapsRules:
        """The rules of craps. Raises as `money_wheel_rules`."""
        return self._text("craps", self.craps)

    def mini_craps_rules(self) -> CrapsRules:
        """The rules of mini-craps. Raises as `money_wheel_rules`."""
        return self._text("mini_craps", self.mini_craps)

    def _text(self, game: str, rules: R | None) -> R:
        if rules is None:
            titles = self.no_text.get(game)
            raise KeyError(f"{self.name} has no text for {game}: {titles or 'it does not speak of it'}")
        return rules

    def _texts(self) -> dict[str, Rules | None]:
        return {
            "money_wheel": self.money_wheel,
            "roulette": self.roulette,
            "beat_the_dealer": self.beat_the_dealer,
            "chuck_a_luck": self.chuck_a_luck,
            "under_over": self.under_over,
            "sic_bo": self.sic_bo,
            "craps": self.craps,
            "mini_craps": self.mini_craps,
        }


def profile_names() -> tuple[str, ...]:
    """The names that `[table] rules` may have."""
    return tuple(FILES)


@cache
def profile(name: str) -> Profile:
    """The profile of that name.

    Raises:
        KeyError: there is no such profile.
    """
    if name not in FILES:
        raise KeyError(f"no rules profile {name!r}; there are {', '.join(FILES)}")
    return msgspec.convert(read(name), Profile)


def profiles_that_play(game: str) -> tuple[str, ...]:
    """The profiles that have a text for the game; none where no profile has."""
    return tuple(name for name in FILES if profile(name).plays(game))


def default_profile(game: str) -> str:
    """The profile of a table that names none: casino nights, or else the newest with the rules of the game (ours).

    For a game that no profile has it is casino nights, whose `refusal` gives the reason.
    """
    able = profiles_that_play(game)
    return DEFAULT_PROFILE if DEFAULT_PROFILE in able or not able else able[-1]


def read(name: str) -> Data:
    """The sections of a profile.

    Raises:
        KeyError: there is no such profile.
        ValueError: two files have the same section, or `text_of` names a section that does not exist.
    """
    data: Data = {"no_text": {}}
    for file in FILES[name]:
        text = resources.files("controller.rules").joinpath("data", file).read_text(encoding="utf-8")
        part = tomllib.loads(text)
        for sections, into in ((part.pop("no_text", {}), data["no_text"]), (part, data)):
            twice = sorted(set(sections) & set(into))
            if twice:
                raise ValueError(f"{file}: {', '.join(twice)} is also in another file of {name}")
            into.update(sections)
    return {key: _completed(data, key, section) for key, section in data.items()}


def _completed(data: Data, key: str, section: Any) -> Any:
    """The section, merged with the section that its `text_of` names."""
    if not isinstance(section, dict) or SAME_TEXT not in section:
        return section
    of = section[SAME_TEXT]
    if of == key or of not in data:
        raise ValueError(f"[{key}] {SAME_TEXT} = {of!r}: there is no other section of that name")
    return _changed(data[of], {name: value for name, value in section.items() if name != SAME_TEXT})


def _changed(base: Data, changes: Data) -> Data:
    """`base` with `changes`, table by table. A cited value is replaced whole, with its citation and its note."""
    changed = dict(base)
    for name, value in changes.items():
        before = base.get(name)
        table = isinstance(value, dict) and isinstance(before, dict) and "value" not in value
        changed[name] = _changed(before, value) if table and isinstance(before, dict) else value
    return changed
