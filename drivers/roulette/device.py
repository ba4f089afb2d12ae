"""The observations and configuration keys of a roulette wheel with sensors."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import Observation
from drivers.wheel.faces import ORDERS

# --- observations ---


class BallSeen(Observation, frozen=True, kw_only=True):
    """A first pass on a quiet track: a ball, or a hand."""

    joined: bool
    """Whether the track has not been quiet since the table opened: the run began unseen."""


class BallPassed(Observation, frozen=True, kw_only=True):
    """A pass that one running ball explains. `direction` is None until it is proven."""

    passes: int
    direction: int | None
    travel: float
    """Revolutions around the track from the first pass to this one; the smaller value where a miss leaves two."""
    travel_high: float
    doubted: float = 0.0
    """Revolutions counted beyond `travel` but not proven: possibly noise or another ball."""
    lap_s: float
    missed: int
    """Sensors that the ball passed without a pulse, over the run."""
    proves: bool
    """Whether this pass proves the direction."""
    rotor_rpm: float


class BallLeftTrack(Observation, frozen=True, kw_only=True):
    """The ball is overdue at every sensor."""

    last_ns: int
    """Its last pass."""
    lap_s: float | None
    """Its lap time at the last two sure passes, the shorter one; None before the first of them."""
    picked_up: bool
    """It vanished well above the speed at which balls drop."""
    rotor_rpm: float
    swapped: str | None = None
    """Why the track sensors seem to be swapped; None if they do not."""
    at_deg: float | None = None
    """Where it left the track: the middle of the arc from the sensor of its last pass to the next; None while its
    direction is not proven."""
    doubt_deg: float = 180.0
    """Half of that arc."""


class TrackQuiet(Observation, frozen=True, kw_only=True):
    """No track sensor had an edge for the quiet time: the run is over."""

    passes: int


class TrackLost(Observation, frozen=True, kw_only=True):
    """Changes of a track sensor were lost: the ball may have passed it unseen."""

    detail: str


class TrackCovered(Observation, frozen=True, kw_only=True):
    """A track sensor has been 1 for far longer than any ball is before it; reported again while it stays so."""

    line: str
    for_s: float


class TrackClear(Observation, frozen=True, kw_only=True):
    """A track sensor that was reported covered is 0 again."""

    line: str


class ForeignObject(Observation, frozen=True, kw_only=True):
    """Something other than the ball is in the wheel, or passes that one ball cannot make."""

    detail: str


class BeamsDisagree(Observation, frozen=True, kw_only=True):
    """Of two object beams one sees what the other does not."""

    detail: str


class BeamLost(Observation, frozen=True, kw_only=True):
    """Changes of an object beam were lost: an object may have crossed it unseen."""

    detail: str


class PocketRead(Observation, frozen=True, kw_only=True):
    """The pocket head named a pocket."""

    pocket: int
    off_pockets: float
    turns: int
    """Rotor turns in a row that named it."""


class PocketLost(Observation, frozen=True, kw_only=True):
    """Changes of the pocket head's line were lost: a ball at rest may have passed it unseen."""

    since_ns: int
    """The last change of the line that was seen before; 0 if none was."""
    detail: str


class RotorDoubt(Observation, frozen=True, kw_only=True):
    """The rotor's count was disproven by its index, or edges were lost: readings before this are void."""

    reason: str
    detail: str
    explained: bool
    """Whether losses that were detected account for it. If not, the index may have moved."""


class NotLevel(Observation, frozen=True, kw_only=True):
    """The wheel was inclined by more than the tolerance for too long."""

    tilt_deg: float


class LevelAgain(Observation, frozen=True, kw_only=True):
    """The wheel is level again."""

    tilt_deg: float


# --- configuration ---

MEANT_WHEELS: Final = {
    **dict.fromkeys(("double_zero", "double-zero", "00", "us", "usa", "38", "double"), "american"),
    **dict.fromkeys(("single_zero", "single-zero", "0", "french", "eu", "37", "single"), "european"),
}
"""What people call the wheels."""


class RouletteWheelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a roulette wheel under `[device.wheel]`."""

    driver: Literal["roulette_wheel"] = "roulette_wheel"
    pockets: Annotated[
        Literal["american", "european", "american_as_single_zero", "house"],
        Meta(
            description="the wheel: american (0 and 00), european (0), american_as_single_zero (00 is not a spin), or "
            "house (the pockets of [house], with rules of the house)",
            extra={"meant": MEANT_WHEELS},
        ),
    ] = "american"
    order: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="the pockets in the positive direction from the index, if they are not in the usual order; "
            "of a house's own wheel always"
        ),
    ] = None
    encoder_slots: Annotated[
        Annotated[int, Meta(ge=8, le=5000)] | None,
        Meta(description="high periods of A in one turn of the rotor; default: the number of pockets"),
    ] = None
    ball_sensors_deg: Annotated[
        tuple[Annotated[float, Meta(ge=0, lt=360)], ...],
        Meta(
            min_length=2,
            max_length=8,
            description="angle of each track sensor ball_1, ball_2, ... on the bowl, from 0 to below 360; required "
            "with real wires, at unequal gaps",
        ),
    ] = (0.0, 120.0, 240.0)
    index_width_deg: Annotated[
        float, Meta(gt=0, lt=180, description="the index is high from angle 0 to here, in the positive direction")
    ] = 3.0
    pocket_head_deg: Annotated[float, Meta(ge=-360, le=360, description="angle of the pocket head on the bowl")] = 0.0
    pocket_tolerance: Annotated[
        float, Meta(gt=0, le=0.45, description="greatest distance from a pocket's centre, in pockets (ours)")
    ] = 0.3
    least_rotor_rpm: Annotated[float, Meta(gt=0, le=20, description="a slower rotor has no direction (ours)")] = 3.0
    track_quiet_s: Annotated[
        float, Meta(ge=1, le=60, description="the track is quiet after this long without an edge (ours)")
    ] = 4.0
    object_beams: Annotated[
        int,
        Meta(
            ge=1,
            le=2,
            description="beams for foreign objects; 2 for a second one, object_2, that is independent of the first",
        ),
    ] = 1
    level_tolerance_deg: Annotated[
        float, Meta(gt=0, le=5, description="greatest inclination of the wheel (ours; the rule says level)")
    ] = 0.15
    level_patience_s: Annotated[float, Meta(ge=0, le=60, description="how long it may be beyond that (ours)")] = 1.0

    @property
    def wheel_order(self) -> tuple[str, ...]:
        """The names of the pockets in the positive direction from the index."""
        return self.order or ORDERS.get(self.pockets, ())

    @property
    def slots(self) -> int:
        """High periods of A in one turn. A wheel whose order is missing is checked as one of the usual size."""
        return self.encoder_slots or len(self.wheel_order or ORDERS["american"])

    def problems(self) -> list[tuple[str, str, str]]:
        """Conflicts between keys: (key, problem, fix)."""
        found: list[tuple[str, str, str]] = []
        angles = sorted(angle % 360 for angle in self.ball_sensors_deg)
        gaps = [(b - a) % 360 for a, b in zip(angles, angles[1:] + angles[:1], strict=True)]
        if min(gaps) < 5:
            found.append(
                (
                    "ball_sensors_deg",
                    f"two track sensors are {min(gaps):g} degrees apart; one ball would be in front of both",
                    "keep them at least 5 degrees apart",
                )
            )
        if len(angles) == 2 and abs(gaps[0] - 180) < 30:
            found.append(
                (
                    "ball_sensors_deg",
                    f"two track sensors {min(gaps):g} degrees apart cannot show the ball's direction: both ways take "
                    "about the same time",
                    "put them more than 30 degrees off opposite, for example at 0 and 110, or add a third",
                )
            )
        if self.pockets not in ORDERS:
            found += self._own_order()
        elif self.order is not None and sorted(self.order) != sorted(ORDERS[self.pockets]):
            found.append(
                (
                    "order",
                    f"the order must name each pocket of the {self.pockets} wheel once",
                    f"give the {len(ORDERS[self.pockets])} pockets, each once",
                )
            )
        return found

    def _own_order(self) -> list[tuple[str, str, str]]:
        """What is wrong with the order of a wheel that has no usual one."""
        if not self.order:
            return [
                ("order", f'is missing, and pockets = "{self.pockets}" needs it', "list the pockets in wheel order")
            ]
        twice = sorted({pocket for pocket in self.order if self.order.count(pocket) > 1})
        if twice:
            return [("order", f"names {' and '.join(twice)} twice", "name each pocket once")]
        if len(self.order) < 3:
            return [("order", f"names {len(self.order)} pockets", "name at least three")]
        return []
