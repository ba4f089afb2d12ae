"""The words of the rules that are cited: `data/sentences.toml`, with where each text comes from and of when it is.

A citation names a paragraph: `13:47-20.32(m)1` is item 1 of (m) of section 20.32. What is above it is needed to
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
"""What is in place of a citation where no text gives one: in an event, and on the screen."""

_CITED: Final = re.compile(
    r"(?:(?P<text>\d+:\d+[A-Z]?)-)?(?P<section>\d+\.\d+)(?P<letter>\([a-z]\))?(?P<number>\d+)?(?P<roman>[ivx]+)?"
    r"(?P<item>\(\d+\))?"
)
_LEVELS: Final = ("letter", "number", "roman", "item")
_PART: Final = r"(?:(?P<letter>\([a-z]\))(?P<number>\d+)?|(?P<number_alone>\d+))?(?P<roman>[ivx]+)?(?P<item>\(\d+\))?"
"""What leaves out the levels that it has in common with a citation before it."""
_ENDS: Final = r"(?=\s*(?:[,;)]|\.?\s*$|[-–]\s*(?:[\d(]|[ivx]+\b))|\s+(?:and|or)\b|(?(letter)\.?\s|(?!)))"
"""Where such a part may end: a number in prose continues with other words. A letter in brackets is not a prose,
whatever follows."""
_SHORTENED: Final = re.compile(rf"(?:,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+|;\s*(?=\([a-z]\))){_PART}{_ENDS}")
"""What follows a citation: `(c)2, (d)`, `(b)1, 2`, `1ii, ix` and `(b)1 and 2`."""
_TO: Final = re.compile(rf"[-–](?=[\w(]){_PART}(?![\w:(–-]|\.\w)")
"""The end of a span: `(a)-(d)`, `(e)2-3`, `(e)1i-iii`."""
_TO_APART: Final = re.compile(rf"\s*[-–]\s*{_PART}{_ENDS}")
"""The same with spaces, as in `(a) - (d)`: a dash in prose has them too."""
_NO_SPAN: Final = re.compile(r"[-–](?:[\w(][\w.:()–-]*)?[\w)]")
"""What follows a citation like the end of a span, and is none."""
_UNITS: Final = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN: Final = tuple(tens + units for tens in ("", "x", "xx", "xxx") for units in _UNITS)
"""The numerals by their values, up to 39."""
_LONGEST_SPAN: Final = 100
"""Paragraphs; no section has this many of one level."""
_MOST_DIGITS: Final = 3


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


class CitedText(NamedTuple):
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


def cited_text(cite: str) -> CitedText:
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
        raise NoSentenceError(f"{parts['text']} is not a text of ours; there are {', '.join(data.texts)}")
    path = _path(parts)
    found = [Paragraph(one, data.sentences[one]) for one in path if one in data.sentences]
    if parts["item"] is not None and found and found[-1].cite == path[-2]:
        # The items of a paragraph are in its own words.
        path.pop()
    if not found or found[-1].cite != path[-1]:
        raise NoSentenceError(f"the words of {path[-1]} are not here; {_there(path)}")
    return CitedText(text.of_section(parts["section"]), tuple(found))


def lineage(cite: str) -> tuple[str, ...]:
    """A full citation, and those of the paragraphs above it, from the section down; empty where it is none."""
    parts = _CITED.fullmatch(cite)
    return () if parts is None or parts["text"] is None else tuple(_path(parts))


def _path(parts: re.Match[str]) -> list[str]:
    """The section of a citation, and each paragraph down to it."""
    path = [f"{parts['text']}-{parts['section']}"]
    for level in _LEVELS:
        if parts[level] is not None:
            path.append(path[-1] + parts[level])
    return path


def _there(path: list[str]) -> str:
    """Which paragraphs there are right under the lowest that is known."""
    known = sentences().sentences
    above = next((one for one in reversed(path) if one in known), None)
    if above is None:
        chapter = path[0].partition("-")[0]
        sections = dict.fromkeys(one for cite in known if (one := lineage(cite)[0]).startswith(f"{chapter}-"))
        return f"the sections whose words are here: {', '.join(sections)}"
    under = [one for one in known if len(line := lineage(one)) > 1 and line[-2] == above]
    return f"of {above} there are {', '.join(under)}" if under else f"{above} has no parts"


def citations_in(words: str) -> list[str]:
    """The full citations in a text, the shortened ones completed: `13:47-20.24(d)1-2, (e), 20.33(c)`.

    A span whose end is not understood is one citation, verbatim: there are no words for it.
    """
    found: list[str] = []
    chapter: str | None = None
    at = 0
    while parts := _CITED.search(words, at):
        at = parts.end()
        chapter = parts["text"] or chapter
        if chapter is None:
            continue
        section = f"{chapter}-{parts['section']}"
        levels = {level: parts[level] or "" for level in _LEVELS}
        while True:
            first = section + "".join(levels.values())
            span = _TO.match(words, at) or _TO_APART.match(words, at)
            if span and (after := _up_to(levels, span)):
                found += [first, *(section + "".join(one.values()) for one in after)]
                at = span.end()
            elif unknown := _NO_SPAN.match(words, at):
                found.append(first + unknown[0])
                at = unknown.end()
            else:
                found.append(first)
            following = _SHORTENED.match(words, at)
            shortened = None if following is None else _completed(levels, following)
            if following is None or shortened is None:
                break
            at, levels = following.end(), shortened
    return found


def _completed(before: dict[str, str], following: re.Match[str]) -> dict[str, str] | None:
    """The levels of a shortened citation: those above the first that it has are of the one before it.

    None where it is none: a number or a numeral alone goes on only after one.
    """
    given = {level: following[level] or "" for level in _LEVELS}
    given["number"] = given["number"] or following["number_alone"] or ""
    first = next((place for place, level in enumerate(_LEVELS) if given[level]), None)
    if first is None or not (given["letter"] or before[_LEVELS[first]]):
        return None
    return {level: before[level] if place < first else given[level] for place, level in enumerate(_LEVELS)}


def _up_to(levels: dict[str, str], span: re.Match[str]) -> list[dict[str, str]]:
    """The levels of those after the first of a span, up to its end.

    None are there where the end is not one of those that follow the first under the same paragraph, or is too far.
    """
    end = _completed(levels, span)
    counted = max((level for level in _LEVELS if levels[level]), key=_LEVELS.index, default=None)
    if end is None or counted is None or {**end, counted: ""} != {**levels, counted: ""}:
        return []
    first, last = (_count(counted, one[counted]) for one in (levels, end))
    if not 0 < first < last < first + _LONGEST_SPAN:
        return []
    return [{**levels, counted: _numeral(counted, value)} for value in range(first + 1, last + 1)]


def _count(level: str, numeral: str) -> int:
    """The place of a paragraph under the one above it, from 1; 0 where it has none."""
    match level:
        case "letter":
            return ord(numeral[1]) - ord("a") + 1 if numeral else 0
        case "roman":
            return _ROMAN.index(numeral) if numeral in _ROMAN else 0
        case _:
            digits = numeral.strip("()")
            return int(digits) if 0 < len(digits) <= _MOST_DIGITS else 0


def _numeral(level: str, value: int) -> str:
    match level:
        case "letter":
            return f"({chr(ord('a') + value - 1)})"
        case "roman":
            return _ROMAN[value]
        case "item":
            return f"({value})"
        case _:
            return str(value)
