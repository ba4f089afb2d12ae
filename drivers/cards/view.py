"""Card equipment at one time, for a drawing. Cards are counted and never named."""

from __future__ import annotations

from drivers.base.view import DeviceView


class ShoeView(DeviceView, frozen=True, kw_only=True, tag="shoe"):
    """A reading shoe."""

    count: int | None
    """Cards since its power-on, by its own count; None before its first line."""
    at_mouth: bool
    """Whether a card covers a barrier."""
    troubles: tuple[str, ...]
    linked: bool
    """Whether its line came in time."""
