"""What the commands of a fleet show and count of games. A fleet knows none: whoever registers the commands gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from feed.events import Event
from fleet.statistics.games import CountedGame


class GamesHere(NamedTuple):
    """The games of this installation."""

    line_of: Callable[[Event], str]
    """An event as one line."""
    dated_line_of: Callable[[Event], str]
    """The same with date and zone, in the colours of a terminal."""
    rule_words: Callable[[str], str]
    """A citation for people."""
    house_words: Callable[[str], str]
    """What is added to the name of a table that plays by the house's own rules, by the name of its rules."""
    counted: Mapping[str, CountedGame]
    """By their names."""
