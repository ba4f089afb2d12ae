"""The lines of a wheel's encoder and index, as the wiring table shows them."""

from __future__ import annotations

from drivers.base.device_spec import LineUse

_SLOT = "a slot is in front of the sensor"


def encoder_lines(part: str) -> dict[str, LineUse]:
    """The channels and the index of the encoder of a part: `rotor`, `wheel`."""
    return {
        f"{part}_a": LineUse(f"encoder of the {part}, channel A", _SLOT, "encoder output A"),
        f"{part}_b": LineUse(f"encoder of the {part}, channel B", _SLOT, "encoder output B"),
        f"{part}_index": index_line(part),
    }


def index_line(part: str) -> LineUse:
    """The index of a part's encoder."""
    return LineUse(
        f"index of the {part}, once a turn", "the mark is in front of the sensor", "output of the index sensor"
    )
