"""Folders of words, a JSON file for each language: what is wrong with any of them, compared with `en.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources.abc import Traversable
from typing import Final

FIRST: Final = "en"
"""The language whose keys all others must have."""
SUFFIX: Final = ".json"
_PLACE: Final = re.compile(r"\{(\w+)\}")


def languages_of(folder: Traversable) -> list[str]:
    """The tags of all languages that a folder has, in order."""
    return sorted(one.name.removesuffix(SUFFIX) for one in folder.iterdir() if one.name.endswith(SUFFIX))


def words_of(folder: Traversable, language: str) -> dict[str, str]:
    """The words of one language, by key."""
    found: dict[str, str] = json.loads(folder.joinpath(language + SUFFIX).read_text(encoding="utf-8"))
    return found


def wrong_words(folder: Traversable, offered: Sequence[str]) -> list[str]:
    """What is wrong, a line each: keys that a language lacks or has alone, places that differ, words that are empty;
    and a language that the program offers without a file, or does not offer.
    """
    present = languages_of(folder)
    wrong = [f"{tag}: offered, and has no file" for tag in offered if tag not in present]
    wrong += [f"{tag}: has a file, and is not offered" for tag in present if tag not in offered]
    first = words_of(folder, FIRST)
    for tag in present:
        words = words_of(folder, tag)
        wrong += [f"{tag}: {key} is missing" for key in first if key not in words]
        wrong += [f"{tag}: {key} is not in {FIRST}" for key in words if key not in first]
        for key, text in words.items():
            if not text.strip() and first.get(key):
                wrong.append(f"{tag}: {key} has no words")
            elif key in first and set(_PLACE.findall(text)) != set(_PLACE.findall(first[key])):
                wrong.append(f"{tag}: {key} has other places than {FIRST}")
    return wrong
