"""What the server says in words of the page: a key of its languages, and what fills the places of its text."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Said(msgspec.Struct, frozen=True):
    """One sentence, which the page shows in its language. Names and numbers are given, and are shown as they are."""

    key: str
    """Of `static/languages/en.json`."""
    values: Mapping[str, str | int | float] = {}
