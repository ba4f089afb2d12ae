"""The words of a cited rule."""

from __future__ import annotations

import msgspec

from controller.rules.sentences import HOUSE, NoSentenceError, citations_in, cited_text


class RuleWords(msgspec.Struct, frozen=True):
    """The words of one citation."""

    cite: str
    paragraphs: tuple[str, ...]
    source: str


def rule_words(cite: str, game: str = "") -> tuple[RuleWords, ...]:
    """The words of every citation in a text, those that are here; a house's own rule says so.

    Of a list of definitions only that of the game is given.
    """
    if cite.strip().lower() in HOUSE or not cite:
        return ()
    found: list[RuleWords] = []
    for one in citations_in(cite):
        try:
            text = cited_text(one)
        except NoSentenceError:
            continue  # the citation itself is shown
        words = tuple(_of_game(paragraph.words, game) for paragraph in text.paragraphs)
        found.append(RuleWords(one, words, f"{text.text.title}; {text.text.date}"))
    return tuple(found)


def _of_game(words: str, game: str) -> str:
    """A paragraph, or of several definitions the one of the game."""
    name = f'"{game.replace("_", " ")}"'
    own = [line for line in words.splitlines() if game and line.lower().startswith(name)]
    return "\n".join(own) or words
