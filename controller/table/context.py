"""What a game knows of its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from controller.table.salts import Salts


class GameContext(NamedTuple):
    """What a game knows of its table."""

    table: str
    game: str
    simulated: bool
    call_by: str
    """`button` or `auto`."""
    settle_by_button: bool
    time_of: Callable[[int], str]
    """The calendar at an instant: RFC 3339, as events have it."""
    result_words: Callable[[Mapping[str, Any]], str] = str
    """A result of this game in a few words."""
    calendar_is_set: Callable[[], bool] = lambda: True
    """Whether the calendar is known to be set since the computer was started; simulated time always is."""
    salts: Salts | None = None
    """Where commitments to cards have their salts from: secret and random at a live table; None without cards."""
