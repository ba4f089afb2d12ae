"""The cabinet's door as a device: its line, and what makes it."""

from __future__ import annotations

from drivers.base.device_spec import DeviceSpec, LineUse, by_keys_and_name
from drivers.cabinet.door import DOOR, Door, DoorConfig


def door_lines(config: DoorConfig) -> dict[str, LineUse]:
    """The line of the door's sensor."""
    del config  # its keys change no wires
    wire = "contact that opens with the door, to ground; a cut wire is an open door"
    return {DOOR: LineUse("door of the cabinet", "the door is open", wire, required=False, closed_at_rest=True)}


DOOR_DEVICE = DeviceSpec(name="door", keys=DoorConfig, lines=door_lines, make=by_keys_and_name(Door))
