"""How a board shows a game that it does not know: data that a game gives, and that travels with its table.

No script: a board draws a result by these names, and shows of them nothing but text. A board that does not know this
form shows the result as the feed has it.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta

from .codes import one_of

_GivenColor: TypeAlias = Literal["plain", "red", "black", "green", "gold", "blue", "white"]
_GivenMeasure: TypeAlias = Literal["", "revolutions", "inversions", "shakes"]
Color: TypeAlias = Annotated[str, one_of(*get_args(_GivenColor))]
"""The colors that a board has, each with a contrast that can be read."""
Measure: TypeAlias = Annotated[str, one_of(*get_args(_GivenMeasure))]

MOST_WORDS = 200
"""Words in one language that a view may have (ours)."""

_Text = Annotated[str, Meta(max_length=60)]
_Language = Annotated[str, Meta(pattern=r"\A[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z")]
_Field = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9_]{0,39}\Z")]
_Words = Annotated[dict[_Text, _Text], Meta(max_length=MOST_WORDS)]


class GameView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a board shows of one game."""

    hero: str
    """The field of a result that is shown large."""
    captions: list[str] = []
    """The fields that are shown below it."""
    colors: dict[str, Color] = {}
    """The color of each value of the large field; `plain` for others."""
    counts: str = ""
    """The statistics whose counts are shown as shares: a field that `statistics` of the table names; empty for none."""
    measure: Measure = ""
    """What `round.progress` measures of a round that runs; empty: that it runs is all that is shown."""
    words: dict[str, dict[str, str]] = {}
    """In each language, English among them: `game` names it, then fields, values and reasons by what the feed has."""


class _GivenView(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A view as a game may give it."""

    hero: _Field
    captions: Annotated[list[_Field], Meta(max_length=4)] = []
    colors: Annotated[dict[_Text, _GivenColor], Meta(max_length=MOST_WORDS)] = {}
    counts: _Text = ""
    measure: _GivenMeasure = ""
    words: Annotated[dict[_Language, _Words], Meta(max_length=32)] = {}


def check_view(view: object) -> None:
    """Checks a view before a table publishes it. A reader takes more than this, so that it survives a newer one.

    Raises:
        ValueError: where it is not as a game may give it, and how.
    """
    msgspec.convert(msgspec.to_builtins(view), _GivenView)
