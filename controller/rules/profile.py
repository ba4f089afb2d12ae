"""The rules profiles: the texts that there are, and the rules of each game in them.

A profile is data with a citation on every value (`data/*.toml`). Where a text gives only the titles of a game's
sections, the pair of profile and game is `NoText` and no table plays it: rules are never invented.

The profile `house` is not a text: everything in it is the house's, and cites nothing. A table's file may change it.
Wherever a profile comes from (`SOURCES`), its sections are read into the structs of the games alike (`game_text`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from controller.rules.cited import OURS, Cited, Inspection

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

# The files of the rules profiles (`data/*.toml`)
#
# A profile is split over several files, one for each family of games. A section with `text_of = "craps"` contains all
# that `[craps]` contains, except what it overrides: mini-craps is in the same sections of the text.


Data: TypeAlias = dict[str, Any]

DATA: Final = Path(__file__).with_name("data")


def _files(name: str) -> tuple[str, ...]:
    """The files of a profile: `njac-13_47-20.toml` and every `njac-13_47-20-*.toml` of `njac-13:47-20`."""
    stem = name.replace(":", "_")
    there = sorted(file.name for file in DATA.iterdir())
    return tuple(file for file in there if file == f"{stem}.toml" or file.startswith(f"{stem}-"))


FILES: Final = {name: _files(name) for name in ("njac-13:47-20", "njac-19:47", "njac-13:69F")}
"""The files of each regulation; of the two texts for casinos, the older is first."""

HOUSE: Final = "house"
"""The profile of rules that are the house's own."""
OWN: Final = frozenset({*FILES, HOUSE})
"""The profiles of this project."""
HOUSE_SECTION: Final = "house rules"
"""What a section of it is called where a text's would be cited by its number."""

SAME_TEXT: Final = "text_of"

DEFAULT_PROFILE = "njac-13:47-20"
RESERVED: Final = "njac-"
"""How the names of the regulations of New Jersey begin: no package brings one."""

_ABOUT: Final = ("name", "title", "source", "notes", "house", "no_text")
"""What a profile's sections are besides those of games."""

R = TypeVar("R", bound=Struct)


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


class Operators(Struct, frozen=True):
    """Who may operate and supervise a game."""

    operator_classes: Cited[tuple[str, ...]]
    supervisor_classes: Cited[tuple[str, ...]]


class Inspected(Struct, frozen=True):
    """What a person looks at before a game's table opens."""

    inspection: Inspection


class Profile(Struct, frozen=True, kw_only=True):
    """One regulation, as far as its words are known. Its rules of a game are read into the struct of that game."""

    name: str
    title: str
    source: str
    notes: tuple[str, ...] = ()
    house: bool = False
    """Whether it is not a regulation: what is played by it is marked as the house's, and cites nothing."""
    texts: dict[str, Data] = {}
    """The section of each game that has a text."""
    no_text: dict[str, NoText] = {}

    def text(self, game: str, rules: type[R]) -> R:
        """The rules of a game, read into its struct.

        Raises:
            KeyError: there is no text; the message names the titles, if there are any.
        """
        if game not in self.texts:
            titles = self.no_text.get(game)
            raise KeyError(f"{self.name} has no text for {game}: {titles or 'it does not speak of it'}")
        rules_of: R = _converted(self.name, game, rules)
        return rules_of

    def plays(self, game: str) -> bool:
        """Whether there is a text to play the game by."""
        return game in self.texts

    def refusal(self, game: str) -> str | None:
        """Why the game cannot be played by this profile, in words; None if it can."""
        if self.plays(game):
            return None
        if self.house:
            return f"house rules are there for {', '.join(self.texts)}, not for {game}"
        titles = self.no_text.get(game)
        if titles is None:
            return f"no text: {self.name} does not speak of {game}"
        return f"no text: of {game}, {self.name} gives only the titles {titles}"


@cache
def _converted(name: str, game: str, rules: type[R]) -> R:
    text: R = msgspec.convert(profile(name).texts[game], rules)
    return text


def is_house(name: str) -> bool:
    """Whether that is a profile of rules that are the house's own; not where there is no such profile."""
    return name in SOURCES and profile(name).house


def game_text(name: str, game: str, rules: type[R], changes: Data | None = None) -> R:
    """The rules of a game in a profile, with what a table's file changes of them.

    Raises:
        KeyError: there is no such profile, or it has no text for the game.
    """
    of = profile(name)
    if not changes or not of.plays(game):
        return of.text(game, rules)
    changed: R = msgspec.convert(_changed(of.texts[game], changes), rules)
    return changed


@cache
def profile(name: str) -> Profile:
    """The profile of that name.

    Raises:
        KeyError: there is no such profile.
    """
    if name not in SOURCES:
        raise KeyError(f"no rules profile {name!r}; there are {', '.join(SOURCES)}")
    data = dict(SOURCES[name]())
    about: Data = {key: data.pop(key) for key in _ABOUT if key in data}
    return msgspec.convert({**about, "texts": data}, Profile)


def profiles_that_play(game: str) -> tuple[str, ...]:
    """The regulations that have a text for the game; none where none has."""
    return tuple(name for name in FILES if profile(name).plays(game))


def default_profile(game: str, names: Iterable[str] = ()) -> str:
    """The profile of a table that names none: casino nights, or else the newest with the rules of the game (ours),
    or else the last one with them of a package. `names` are the profiles that the table can name: this process may have
    imported packages of other tables, whose profiles do not count.

    For a game that no profile has it is casino nights, whose `refusal` gives the reason.
    """
    able = profiles_that_play(game) or tuple(name for name in names if name not in OWN and profile(name).plays(game))
    return DEFAULT_PROFILE if DEFAULT_PROFILE in able or not able else able[-1]


def read(name: str) -> Data:
    """The sections of a regulation.

    Raises:
        KeyError: there is no such regulation.
        ValueError: two files have the same section, or `text_of` names a section that does not exist.
    """
    data: Data = {"no_text": {}}
    for file in FILES[name]:
        text = DATA.joinpath(file).read_text(encoding="utf-8")
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


def _house() -> Data:
    """The sections of the house profile: each is the section of another profile, as the house's own."""
    data = tomllib.loads(DATA.joinpath(f"{HOUSE}.toml").read_text(encoding="utf-8"))
    return {
        key: {**as_ours(read(section["like"])[key]), "section": HOUSE_SECTION} if isinstance(section, dict) else section
        for key, section in data.items()
    }


_OF_A_TEXT: Final = frozenset({"words", "reading", "note"})


def as_ours(data: Any) -> Any:
    """Data of a text as the house's: its values, each marked `ours`, without words, readings, notes and silences."""
    if isinstance(data, Mapping):
        own = {"cite": OURS, "rule": OURS, "silent_on": []}
        return {key: own.get(key, as_ours(value)) for key, value in data.items() if key not in _OF_A_TEXT}
    return [as_ours(one) for one in data] if isinstance(data, list) else data


SOURCES: Final[dict[str, Callable[[], Data]]] = {**{name: partial(read, name) for name in FILES}, HOUSE: _house}
"""Where the sections of each profile come from: name, title, source and whether it is a house's, and a table a game."""


class RulesSpec(NamedTuple):
    """One profile of rules of another package, as its entry point exports it."""

    name: str
    """What `[table] rules` names."""
    file: Traversable
    """Its sections (TOML): `name`, `title`, `source`, `house = true` where no regulation gives them, and a table for
    each game."""


_STATES_OPERATORS: Final = "; a regulation states who may operate and supervise a game: write it, or house = true"


def admit(spec: RulesSpec, structs: Mapping[str, type[Struct]]) -> Profile:
    """Adds the profile of another package to those that tables can name, and returns it.

    `structs` has what the rules of each known game are read into.

    Raises:
        ValueError: the file cannot be read, is another profile's, or the name is taken; or the section of a game does
            not fit its struct, or in a regulation does not say who may operate and supervise the game.
    """
    if spec.name in SOURCES or spec.name.startswith(RESERVED):
        raise ValueError(f"rules {spec.name!r} are not a package's to give: the name is taken or reserved")
    sections = tomllib.loads(spec.file.read_text(encoding="utf-8"))
    if sections.get("name") != spec.name:
        raise ValueError(f"{spec.file}: name is {sections.get('name')!r}, not {spec.name!r}")
    SOURCES[spec.name] = lambda: sections
    try:
        found = profile(spec.name)
        for game, text in found.texts.items():
            if game in structs:
                _fits(spec, game, text, structs[game])
            if not found.house:
                _fits(spec, game, text, Operators, _STATES_OPERATORS)
    except ValueError:
        del SOURCES[spec.name]
        profile.cache_clear()
        raise
    return found


def _fits(spec: RulesSpec, game: str, text: Data, struct: type[Struct], fix: str = "") -> None:
    try:
        msgspec.convert(text, struct)
    except msgspec.ValidationError as error:
        raise ValueError(f"{spec.file}: [{game}] {error}{fix}") from error
