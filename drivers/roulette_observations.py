"""What a roulette wheel says of itself: the words that the driver and the round share."""

from __future__ import annotations

from drivers.driver import Observation


class BallSeen(Observation, frozen=True, kw_only=True):
    """A first pass on a quiet track: perhaps a ball, perhaps a hand."""

    joined: bool
    """Whether the track had not been quiet once since the table opened: the run began unseen."""


class BallPassed(Observation, frozen=True, kw_only=True):
    """A pass that a ball running on explains. `direction` is None until it is proven."""

    passes: int
    direction: int | None
    travel: float
    """Revolutions around the track from the first pass to this one; the smaller where a miss leaves two."""
    travel_high: float
    doubted: float = 0.0
    """Revolutions that the passes count beyond `travel` and do not prove: noise, perhaps, or another ball's."""
    lap_s: float
    missed: int
    """Sensors that the ball passed without their telling, over the run."""
    proves: bool
    """Whether this pass is the one that proved the direction."""
    rotor_rpm: float


class BallLeftTrack(Observation, frozen=True, kw_only=True):
    """The ball is overdue at every sensor."""

    last_ns: int
    """Its last pass."""
    lap_s: float | None
    picked_up: bool
    """It vanished well above the speed at which balls drop."""
    rotor_rpm: float
    swapped: str | None = None
    """Why the track sensors do not seem to stand where the configuration says."""


class TrackQuiet(Observation, frozen=True, kw_only=True):
    """No track sensor has told anything for the quiet time: the run is over."""

    passes: int


class ForeignObject(Observation, frozen=True, kw_only=True):
    """Something that is not the ball is in the wheel, or passes that one ball cannot make."""

    detail: str


class PocketRead(Observation, frozen=True, kw_only=True):
    """The pocket head named a pocket."""

    pocket: int
    off_pockets: float
    turns: int
    """Rotor turns in a row that named it."""


class RotorDoubt(Observation, frozen=True, kw_only=True):
    """The rotor's count was disproven by its index, or edges were lost: readings before this are void."""

    reason: str
    detail: str
    explained: bool
    """Whether losses that were noticed account for it. If not, the index itself may have moved."""


class NotLevel(Observation, frozen=True, kw_only=True):
    """The wheel was inclined by more than the tolerance for too long."""

    tilt_deg: float


class LevelAgain(Observation, frozen=True, kw_only=True):
    """The wheel is level again."""

    tilt_deg: float
