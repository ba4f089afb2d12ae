"""The words of a game in every language: `words.json` of its room, a table of keys and texts for each language.

`game.<name>` names a game; other keys are fields, values and reasons as the feed has them, or what the module of the
board's page asks for. `{n}` in a text is a place that the page fills.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Final, TypeAlias

import msgspec

Texts: TypeAlias = Mapping[str, Mapping[str, str]]
"""In each language, by its tag, the text of each key."""

WORDS: Final = "words.json"
ENGLISH: Final = "en"
"""The language that has every key: what a board shows of one that another language lacks."""


def texts_of(room: Traversable) -> Texts:
    """The words of a room, from its file.

    Raises:
        ValueError: the file is no such table, with its path and the place.
    """
    file = room / WORDS
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, dict[str, str]])
    except msgspec.DecodeError as error:
        raise ValueError(f"{file}: {error}") from error


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
