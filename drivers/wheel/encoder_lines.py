"""The lines of a wheel's encoder and index, as the wiring table shows them."""

from __future__ import annotations

from drivers.base.device_spec import LineUse, WiredFinding
from drivers.base.movement import LineBounds

_BEST_END = 1.5
"""Where an index should end, in counts after A rises: in the middle of the first quarter with B high."""
_B_FALLS = 2.0
"""From here on, in counts after A rises, an exchange of the channels may hide."""
_SLOT = "a slot is in front of the sensor"


def encoder_lines(part: str) -> dict[str, LineUse]:
    """The channels and the index of the encoder of a part: `rotor`, `wheel`."""
    return {
        f"{part}_a": LineUse(f"encoder of the {part}, channel A", _SLOT, "encoder output A", rests_low=False),
        f"{part}_b": LineUse(f"encoder of the {part}, channel B", _SLOT, "encoder output B", rests_low=False),
        f"{part}_index": index_line(part),
    }


def index_line(part: str) -> LineUse:
    """The index of a part's encoder."""
    return LineUse(
        f"index of the {part}, once a turn",
        "the mark is in front of the sensor",
        "output of the index sensor",
        rests_low=False,
    )


def encoder_bounds(part: str, slots: int, index_width_deg: float, most_rpm: float) -> dict[str, LineBounds]:
    """How fast the lines of an encoder change at the greatest speed; a half slot may be half as wide as it should."""
    turn_us = 60e6 / most_rpm
    why = f"{slots} slots at {most_rpm:g} rpm"
    channel = LineBounds(2 * slots * 1e6 / turn_us, turn_us / slots / 4, why)
    index = LineBounds(2e6 / turn_us, turn_us * index_width_deg / 360 / 2, f"once a turn at {most_rpm:g} rpm")
    return {f"{part}_a": channel, f"{part}_b": channel, f"{part}_index": index}


def index_findings(part: str, index_width_deg: float, slots: int) -> list[WiredFinding]:
    """A warning where the index ends with B low: exchanged channels are then the lines of the mirrored wheel.

    The quarters are those of docs/devices/money-wheel.md, "The index: how wide, and where it ends".
    """
    count_deg = 360 / (4 * slots)
    ends = index_width_deg / count_deg % 4
    if ends < _B_FALLS:
        return []
    wrong = (
        f"the index ends {ends:.2f} counts after A rises, less whole slots: with {part}_a and {part}_b exchanged, "
        "wrong numbers would come without a message"
    )
    k = max(0, round((index_width_deg / count_deg - _BEST_END) / 4))
    best = (_BEST_END + 4 * k) * count_deg
    return [WiredFinding("index_width_deg", wrong, f"make the mark {best:.4g} degrees wide: it ends with B high then")]
