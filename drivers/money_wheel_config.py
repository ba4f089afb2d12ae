"""The keys of a money wheel in the configuration, whichever way it is sensed."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from drivers.wheel_faces import DEFAULT_FACES


class MoneyWheelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a money wheel under `[device.wheel]`."""

    driver: Literal["money_wheel"] = "money_wheel"
    sensing: Annotated[
        Literal["quadrature", "pegs"],
        Meta(description="quadrature: an encoder with A, B and index; pegs: one pulse a peg and an index"),
    ] = "quadrature"
    encoder_slots: Annotated[
        int, Meta(ge=25, le=5000, description="high periods of A in one turn of the wheel; four counts each")
    ] = 100
    index_width_deg: Annotated[
        float, Meta(gt=0, lt=180, description="the index is high from angle 0 to here, in the positive direction")
    ] = 3.0
    faces: Annotated[
        tuple[str, ...],
        Meta(min_length=2, description="the face of each space, in the positive direction from the index"),
    ] = DEFAULT_FACES
    clockwise: Annotated[
        bool, Meta(description="whether the player sees the positive direction (A leads B) as clockwise")
    ] = True
    indicator_deg: Annotated[
        float, Meta(ge=-360, le=360, description="angle of the indicator from the index sensor, positive direction")
    ] = 0.0
    rest_s: Annotated[
        float, Meta(ge=0.2, le=10, description="the wheel rests when it stayed within one count for so long (ours)")
    ] = 1.5
    rollback_spaces: Annotated[
        float, Meta(ge=0, le=10, description="rolling back off the pegs by up to so much is normal (ours)")
    ] = 1.5
    peg_margin_spaces: Annotated[
        float, Meta(ge=0, le=0.4, description="nearer to a peg than this plus half a count is between spaces (ours)")
    ] = 0.05
    flapper_zone_deg: Annotated[
        float,
        Meta(ge=0, le=3, description="degrees before a peg that a bent flapper makes ambiguous; from calibration"),
    ] = 0.0
    accept_pegs: Annotated[
        bool,
        Meta(description="with pegs sensing: accept a result although a reversal cannot be proven absent"),
    ] = False
    peg_direction: Annotated[
        Literal["positive", "negative"],
        Meta(description="with pegs sensing: the direction in which the dealer spins"),
    ] = "positive"

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        found: list[tuple[str, str, str]] = []
        if self.sensing == "quadrature" and self.encoder_slots * 4 < 4 * len(self.faces):
            found.append(
                (
                    "encoder_slots",
                    f"{self.encoder_slots} slots give {self.encoder_slots * 4} counts a turn, fewer than four to each "
                    f"of the {len(self.faces)} spaces",
                    f"use an encoder with at least {len(self.faces)} slots",
                )
            )
        return found
