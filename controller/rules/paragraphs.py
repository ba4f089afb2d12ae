"""The paragraphs that no value of a profile cites: the requirement that covers each, or why nothing rests on it.

Every paragraph that our copies of the texts hold has its words in `data/sentences.toml`. Most are cited by a value of
a profile; `data/paragraphs.toml` has the others, and notes on the copies.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources

import msgspec

from controller.rules.sentences import lineage


class Covered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Paragraphs of one requirement."""

    id: str
    """The requirement of docs/coverage.md: `K13`."""
    paragraphs: tuple[str, ...]


class Unused(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Paragraphs on which nothing of the controller rests."""

    why: str
    paragraphs: tuple[str, ...]


class Paragraphs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of paragraphs beside their words. An entry holds for the paragraphs under it too."""

    notes: dict[str, str]
    """What is missing from our copy of a paragraph or misprinted there, and with which other it is in conflict."""
    covered: tuple[Covered, ...]
    unused: tuple[Unused, ...]


@cache
def paragraphs() -> Paragraphs:
    """All that is known."""
    text = resources.files("controller.rules").joinpath("data", "paragraphs.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Paragraphs)


def notes_on(cite: str) -> Iterator[str]:
    """What a reader of one paragraph needs to know of it, as sentences without a full stop."""
    data, line = paragraphs(), lineage(cite)
    yield from (f"note: {data.notes[one]}" for one in line if one in data.notes)
    for covered in data.covered:
        if not set(line).isdisjoint(covered.paragraphs):
            yield f"requirement {covered.id}, docs/coverage.md"
    for unused in data.unused:
        if not set(line).isdisjoint(unused.paragraphs):
            yield f"nothing in the controller rests on it: {unused.why}"
