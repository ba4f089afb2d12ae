"""The words of the rules that are cited: `data/sentences.toml`, with where each text comes from and of when it is.

A citation names a paragraph: `13:47-20.32(m)1` is item 1 of (m) of section 20.32. What stands above it is needed to
read it, so a sentence comes with the paragraphs that lead to it.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

import msgspec

HOUSE: Final = ("ours", "house rule")
"""What stands in place of a citation where no text gives one: in an event, and on the screen."""

_CITED: Final = re.compile(
    r"(?:(?P<text>\d+:\d+[A-Z]?)-)?(?P<section>\d+\.\d+)(?P<letter>\([a-z]\))?(?P<number>\d+)?(?P<roman>[ivx]+)?"
)


class SectionSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a section comes from whose text has another source than the rest of its regulation."""

    source: str
    date: str


class SourceText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One regulation as we have it."""

    title: str
    source: str
    date: str
    """Of when its words are."""
    sections: dict[str, SectionSource] = {}
    """The sections that come from elsewhere, by their numbers."""

    def of_section(self, number: str) -> SourceText:
        """The source of one section."""
        own = self.sections.get(number, self)
        return SourceText(self.title, own.source, own.date)


class Sentences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The texts by their chapters, and the sentences by their citations."""

    texts: dict[str, SourceText]
    sentences: dict[str, str]


class Paragraph(NamedTuple):
    """One paragraph, from the section's heading down."""

    cite: str
    words: str


class Ruling(NamedTuple):
    """The words of a citation."""

    text: SourceText
    paragraphs: tuple[Paragraph, ...]
    """From the section's heading to the cited paragraph, which is the last."""


class NoSentenceError(Exception):
    """A citation whose words are not here: which part of it is known, and which citations there are."""


@cache
def sentences() -> Sentences:
    """All sentences."""
    text = resources.files("controller.rules").joinpath("data", "sentences.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Sentences)


def ruling(cite: str) -> Ruling:
    """The words of a citation.

    Raises:
        NoSentenceError: it is none, or its words are not here.
    """
    if cite.strip().lower() in HOUSE:
        raise NoSentenceError("no text gives what is ours: the house's own rules and numbers are in docs/audit.md")
    data = sentences()
    parts = _CITED.fullmatch("".join(cite.split()).removeprefix("N.J.A.C."))
    if parts is None or parts["text"] is None:
        raise NoSentenceError(f"{cite!r} has not the form of a citation such as 13:47-20.32(m)1")
    text = data.texts.get(parts["text"])
    if text is None:
        raise NoSentenceError(f"{parts['text']} is no text of ours; there are {', '.join(data.texts)}")
    path = [f"{parts['text']}-{parts['section']}"]
    for part in (parts["letter"], parts["number"], parts["roman"]):
        if part is not None:
            path.append(path[-1] + part)
    found = [Paragraph(one, data.sentences[one]) for one in path if one in data.sentences]
    if not found or found[-1].cite != path[-1]:
        here = [known for known in data.sentences if known.startswith(path[0]) and known != path[0]]
        there = f"of {path[0]} there are {', '.join(here)}" if here else "no rule of this section is cited"
        raise NoSentenceError(f"the words of {path[-1]} are not here; {there}")
    return Ruling(text.of_section(parts["section"]), tuple(found))


def citations_in(words: str) -> list[str]:
    """The full citations in a text, the shortened ones completed: `13:47-20.24(d), 20.33(c)`."""
    found: list[str] = []
    chapter: str | None = None
    for parts in _CITED.finditer(words):
        chapter = parts["text"] or chapter
        if chapter is not None:
            found.append(f"{chapter}-" + parts[0].removeprefix(f"{chapter}-"))
    return found
