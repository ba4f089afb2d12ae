"""The keys of the motor of a dice cage in the configuration."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class CageMotorConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a cage's motor under `[device.motor]`; without the section the cage is turned by hand."""

    driver: Literal["cage_motor"] = "cage_motor"
    stall_ms: Annotated[
        float,
        Meta(
            ge=50,
            le=5000,
            description="the shaft stands when no pulse came for so long; a motor that is told to turn and stands is "
            "stalled (ours)",
        ),
    ] = 500.0
    shortest_ms: Annotated[
        float, Meta(ge=0.05, le=20, description="pulses of shaft or home that are shorter are noise (ours)")
    ] = 1.0
    start_s: Annotated[
        float, Meta(ge=0.1, le=10, description="so long after it is told to turn, the shaft turns (ours)")
    ] = 1.0
    longest_s: Annotated[
        float,
        Meta(ge=3, le=60, description="the motor is stopped after so long, whatever was sensed (ours; a board: 60 s)"),
    ] = 30.0
    coast_s: Annotated[
        float, Meta(ge=0.2, le=10, description="so long after it is told to stop, the shaft stands (ours)")
    ] = 2.0

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        if self.stall_ms < self.coast_s * 1000:
            return []
        what = f"{self.stall_ms:g} ms is not shorter than the coasting of {self.coast_s:g} s"
        return [("stall_ms", what, "make it shorter than coast_s")]
