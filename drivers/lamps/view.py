"""Lamps at one time, for a drawing."""

from __future__ import annotations

from drivers.base.view import DeviceView


class LampBoardView(DeviceView, frozen=True, kw_only=True, tag="lamp_board"):
    """A chain of lamps: what was commanded, and what was read back."""

    labels: tuple[str, ...]
    """What each lamp represents, from place 1 on."""
    asked: tuple[int, ...]
    shows: bool
    """Whether that was read back."""
    dead: tuple[int, ...]
    stuck: tuple[int, ...]


class PuckView(DeviceView, frozen=True, kw_only=True, tag="puck"):
    """Puck and markers, by the lines that are lit."""

    lines: tuple[str, ...]
    lit: tuple[str, ...]
