"""What a skill-stop machine publishes as its results, be its reels a motor's or a picture's."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta


class WinLine(msgspec.Struct, frozen=True, kw_only=True):
    """One win line of a play."""

    line: Annotated[int, Meta(ge=1)]
    """Its number."""
    symbols: list[str]
    """What it shows, from the first reel on."""
    award: Annotated[int, Meta(ge=0)]
    """The tokens that it awards."""


class SkillStopResult(msgspec.Struct, frozen=True, kw_only=True):
    """A play of a skill-stop machine."""

    stops: list[Annotated[int, Meta(ge=0)]]
    """Where each reel is stopped: the symbol at the middle, counted from home, which is 0."""
    lines: list[WinLine]
    """Every win line."""
    award: Annotated[int, Meta(ge=0)]
    """The tokens that the play awards."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {
    "skill_stop_reel": SkillStopResult,
    "skill_stop_video": SkillStopResult,
}
