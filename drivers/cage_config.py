"""The keys of a dice cage in the configuration."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class CageConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a dice cage under `[device.cage]`, turned by hand or by a motor."""

    driver: Literal["cage"] = "cage"
    sensing: Annotated[
        Literal["level", "pulse", "encoder"],
        Meta(
            description="level: a tilt switch, one level each way up; pulse: one pulse an inversion; "
            "encoder: A and B on the axle"
        ),
    ] = "level"
    minimum_inversions: Annotated[
        int, Meta(ge=1, le=20, description="inversions that a tumble must have; the rules give no number (ours)")
    ] = 3
    hold_ms: Annotated[
        float,
        Meta(
            ge=20,
            le=1000,
            description="level: the cage is inverted when it stayed so for so long; pulse: the least time between two "
            "inversions (ours)",
        ),
    ] = 100.0
    pulse_ms: Annotated[
        float, Meta(ge=0.1, le=50, description="pulse: one shorter than this is noise, or a knock (ours)")
    ] = 5.0
    encoder_slots: Annotated[
        int, Meta(ge=24, le=5000, description="encoder: high periods of A in one turn of the cage; four counts each")
    ] = 100
    inversion_tolerance_deg: Annotated[
        float,
        Meta(ge=1, le=60, description="encoder: the cage is inverted when so near to the other way up (ours)"),
    ] = 20.0
    rest_s: Annotated[
        float,
        Meta(
            ge=0.5,
            le=20,
            description="the dice rest when neither they nor the cage moved for so long (ours; a 2.5 inch die that "
            "rocks to within 1/10,000 of its balance knocks again within 1.6 s)",
        ),
    ] = 2.0
    pause_s: Annotated[
        float, Meta(ge=1, le=60, description="inversions with a longer pause between them do not add up (ours)")
    ] = 4.0
    rocking_gap_ms: Annotated[
        float, Meta(ge=20, le=1000, description="knocks further apart than this are of a die that rocks (ours)")
    ] = 150.0
    restless_s: Annotated[
        float, Meta(ge=5, le=120, description="dice that knock for longer without being tumbled are told (ours)")
    ] = 15.0

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        if self.rocking_gap_ms < self.rest_s * 1000:
            return []
        what = f"{self.rocking_gap_ms:g} ms is not shorter than the rest of {self.rest_s:g} s"
        return [("rocking_gap_ms", what, "make it shorter than rest_s")]
