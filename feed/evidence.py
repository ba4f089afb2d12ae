"""What stands of a round, and what it rests on: the verdict, what was measured, and the bets that win."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

Number: TypeAlias = int | float
"""A measure. Whole numbers stay whole, so that a body is the same bytes after it was read and written again."""


class WinningBet(msgspec.Struct, frozen=True):
    """A bet that wins, and its odds said "35 to 1"."""

    bet: str
    odds: str


class CaptureFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the lines did, kept on the service's disk, to be replayed."""

    file: str
    """Its name below the folder of captures."""
    sha256: str
    """Of its bytes, in hex."""
    complete: bool = True
    """Whether it reaches back to where a replay comes to the same verdict; False where so much was no longer held."""


class Tumbling(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the dice were tumbled, shaken or thrown once, and who gave their values."""

    by: str = ""
    """Whose tumble it was, where a round has more than one: `dealer` or `player`."""
    inversions: int | None = None
    """Of the cage, proven, since the last pause."""
    minimum_inversions: int | None = None
    baffle_passes: list[int] | None = None
    """Dice that passed each baffle of the chute, from the uppermost."""
    shakes: int | None = None
    """Under the cover, without a pause."""
    minimum_shakes: int | None = None
    rest_ns: int | None = None
    """When it was known that the dice lie, on the clock of `mono_ns`."""
    keyed: list[int] | None = None
    """The values that a person entered, in that order."""
    read: list[int | None] | None = None
    """The values that a reading board gave; null for a die without one."""
    doubts: list[str] = []
    """What speaks against them."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was measured of a spin, a tumble or a throw. Revolutions: of the wheel, or of the ball around the track."""

    revolutions: Number | None = None
    revolutions_low: Number | None = None
    """The least that is proven."""
    revolutions_high: Number | None = None
    minimum_revolutions: Number | None = None
    direction: str | None = None
    """Of the wheel, or of the ball."""
    rotor_direction: str | None = None
    rotor_rpm: Number | None = None
    passes: int | None = None
    """Passes of the ball at track sensors."""
    missed_passes: int | None = None
    last_lap_s: Number | None = None
    rotor_turns: int | None = None
    """Turns of the rotor in a row that named the pocket."""
    off_center: Number | None = None
    """Distance from the middle of the pocket or space, in pockets or spaces."""
    no_more_bets: str | None = None
    """`in_time`, `late`, or `never`."""
    measured_by: str | None = None
    """`wheel`, where an automatic wheel vouches for the run by itself."""
    tumbles: list[Tumbling] | None = None
    """How the dice were tumbled, shaken or thrown, once for each time."""
    detail: str = ""
    capture: CaptureFile | None = None
    """What the lines did in a round that was refused or left to the dealer."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What stands of a round: `{"verdict": "outcome", "result": …}`, or a void or unresolved one with its reason."""

    verdict: Literal["outcome", "void", "unresolved"]
    result: dict[str, Any] | None = None
    reason: str | None = None
