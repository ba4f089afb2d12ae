"""The door of a machine at one time, for a drawing."""

from __future__ import annotations

from drivers.base.view import DeviceView


class DoorView(DeviceView, frozen=True, kw_only=True, tag="door"):
    """A door with its switch."""

    open: bool | None
    """None where it is not known."""
