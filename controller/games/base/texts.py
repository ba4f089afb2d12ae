"""The words of a game in every language: `words.json` of its room, a table of keys and texts for each language.

`game.<name>` names a game; other keys are fields, values and reasons as the feed has them, or what the module of the
board's page asks for. `{n}` in a text is a place that the page fills.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

Texts: TypeAlias = Mapping[str, Mapping[str, str]]
"""In each language, by its tag, the text of each key."""

WORDS: Final = "words.json"
MISSING: Final = "is missing"
EMPTY: Final = "has no words"
LACKING: Final = frozenset({MISSING, EMPTY})
"""The differences that a board can live with: it shows such a word in English, marked."""
_PLACE: Final = re.compile(r"\{(\w+)\}")
ENGLISH: Final = "en"
"""The language that has every key: what a board shows of one that another language lacks."""


def texts_of(*rooms: Traversable) -> Texts:
    """The words of a game, from the files of its room and of what it shares with others.

    Raises:
        ValueError: a file is no such table, with its path and the place.
    """
    found: dict[str, dict[str, str]] = {}
    for room in rooms:
        file = room / WORDS
        try:
            texts = msgspec.json.decode(file.read_bytes(), type=dict[str, dict[str, str]])
        except msgspec.DecodeError as error:
            raise ValueError(f"{file}: {error}") from error
        for language, words in texts.items():
            found.setdefault(language, {}).update(words)
    return found


class WrongWord(NamedTuple):
    """What is wrong with one word of a language."""

    key: str
    what: str
    fix: str


def differences(english: Mapping[str, str], words: Mapping[str, str]) -> Iterator[WrongWord]:
    """What is wrong with the words of a language, beside English."""
    for key, first in english.items():
        text = words.get(key)
        if text is None:
            yield WrongWord(key, MISSING, f"add it; in English it is {first!r}")
        elif not text.strip() and first:
            yield WrongWord(key, EMPTY, f"write them; in English they are {first!r}")
        elif places(text) != places(first):
            has = " ".join(f"{{{place}}}" for place in sorted(places(first))) or "none"
            fix = f"write the places of {first!r} as they are: {has}"
            yield WrongWord(key, f"has other places than English in {text!r}", fix)
    for key in words:
        if key not in english:
            yield WrongWord(key, "is not in English", "remove it, or correct the key")


def places(text: str) -> set[str]:
    """The names of the places that a text leaves to be filled: `n` of `{n} laps`."""
    return set(_PLACE.findall(text))


def named_texts(texts: Texts, game: str) -> dict[str, dict[str, str]]:
    """The words of one game as its view has them: `game` is its name, and no other game's name is among them."""
    own = f"game.{game}"
    return {
        language: {
            "game" if key == own else key: text
            for key, text in words.items()
            if key == own or not key.startswith("game.")
        }
        for language, words in texts.items()
    }
