"""The buttons of a table at one time, for a drawing."""

from __future__ import annotations

from drivers.base.view import DeviceView


class ButtonsView(DeviceView, frozen=True, kw_only=True, tag="buttons"):
    """The buttons, and which of them are down."""

    buttons: tuple[str, ...]
    down: tuple[str, ...]
