"""The observations and configuration keys of a money wheel, for both ways of sensing it."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import Observation
from drivers.wheel.faces import DEFAULT_FACES

# --- observations, by the time at which they are reported ---
#
#     angle      |                    _______----------___ furthest
#                |            ___-----                     \_  rolls back off the pegs
#     start of   | rest  \__/ <- wind-up: the turn begins at its extreme
#     the turn   +--------|----|---|--------------------------|---------------> time
#                  WheelMoved  |  WheelSpun                 WheelRested
#               (over a space) (half a turn: it is a spin)  (within a count for 1.5 s)
#
# Directions are +1 or -1, the positive being that of growing angles.

HALF_TURN: Final = 0.5
"""Less than this in one direction, in revolutions, is a wind-up or a nudge, not a spin (ours)."""


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """Where a wheel came to rest, and how certain that is."""

    space: int | None
    """Index of the space under the indicator, counted from the index in the positive direction; None if unknown."""
    others: tuple[int, ...] = ()
    """Other spaces that remain possible."""
    next_space: int | None = None
    """The space on the other side of the nearer peg."""
    to_peg_spaces: float = 0.0
    """Distance of the indicator from the nearer peg, in spaces: 0.5 is the middle."""
    clear: bool = False
    """Whether that distance is more than the margin, the flapper's zone and half a count."""


class WheelMoved(Observation, frozen=True, kw_only=True):
    """The wheel left its rest by more than one space."""

    direction: int
    """0 where the sensors give no direction."""


class WheelSpun(Observation, frozen=True, kw_only=True):
    """The wheel has turned by half a turn in one direction: a spin, not a nudge or a wind-up."""

    direction: int


class WheelTurnedBack(Observation, frozen=True, kw_only=True):
    """After half a turn the wheel turned back by more than the roll-back that its pegs cause."""

    direction: int
    """Of the spin, before the wheel turned back."""
    proven: bool
    """Whether no edges were lost that could look like turning back."""


class WheelTurned(Observation, frozen=True, kw_only=True):
    """Another full revolution of the spin is complete."""

    turns: int
    rpm: float


class WheelRested(Observation, frozen=True, kw_only=True):
    """The wheel is at rest; the run since the rest before is over."""

    moved_ns: int
    """Time of the last count before the rest."""
    spun: bool
    """Whether it turned by at least half a turn in one direction."""
    direction: int
    turned_back: bool
    turns: float
    """From where the turn in the spin's direction began to the furthest point, in revolutions."""
    turns_low: float
    """The least that is proven in spite of losses."""
    turns_high: float
    rest: Rest
    doubt: str | None = None
    """A reason code, where the count is not proven: `encoder_slip`, `edges_lost`, `sensor_missing`, `sensor_stuck`."""
    detail: str = ""
    direction_proven: bool = True
    """False where the sensor cannot detect that the wheel turned back."""
    joined: bool = False
    """The wheel was moving when the table opened: how far it had turned before is unknown."""
    index_moved: bool = False
    """The index crossed at a wrong count, and no loss explains it: the sensor or its magnet may have moved."""


# --- configuration ---


class MoneyWheelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a money wheel under `[device.wheel]`."""

    driver: Literal["money_wheel", "pokette_wheel"] = "money_wheel"
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
        float, Meta(ge=0.2, le=10, description="the wheel rests when it stayed within one count for this long (ours)")
    ] = 1.5
    rollback_spaces: Annotated[
        float, Meta(ge=0, le=10, description="rolling back off the pegs by up to this much is normal (ours)")
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
        """Conflicts between keys: (key, problem, fix)."""
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
