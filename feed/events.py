"""What a table says: the event types of the feed, as msgspec structs in CloudEvents 1.0.

The body of every event is one JSON object, `Event`. Its `data` is one of the structs below, named by `type`. Fields
that do not apply are left out. New fields come with defaults; a reader ignores those that it does not know.

Durable events are journalled and numbered without a gap; the others (progress) are not and have no `sequence`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

import msgspec

SPEC_VERSION = "1.0"
TYPE_PREFIX = "feltwire."
TYPE_SUFFIX = ".v1"


class Data(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every event tells: the table, and when by the table's own clock."""

    kind: ClassVar[str]
    durable: ClassVar[bool] = True

    table: str
    game: str
    simulated: bool
    mono_ns: int
    """When it became known, on the clock that times the edges."""


class RoundData(Data, frozen=True, kw_only=True, omit_defaults=True):
    """An event that belongs to a round."""

    round: int


class TableOpened(Data, frozen=True, kw_only=True, omit_defaults=True):
    """The table takes part from now on."""

    kind: ClassVar[str] = "table.opened"
    rules: str
    software: str
    devices: list[dict[str, str]]
    previous_epoch: str | None = None
    previous_sequence: int | None = None


class TableClosed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """The table takes no part any more."""

    kind: ClassVar[str] = "table.closed"
    reason: str


class RoundOpened(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Bets are open."""

    kind: ClassVar[str] = "round.opened"


class NoMoreBets(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """ "No more bets" was called, by the `dealer` or, where there is no button, `auto`."""

    kind: ClassVar[str] = "round.no_more_bets"
    by: str
    rule: str


class RoundStarted(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The spin has begun, and goes in this direction."""

    kind: ClassVar[str] = "round.started"
    direction: str | None = None


class RoundProgress(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Live measures, for the eye."""

    kind: ClassVar[str] = "round.progress"
    durable: ClassVar[bool] = False
    revolutions: float
    rpm: float | None = None
    lap_s: float | None = None


class WinningBet(msgspec.Struct, frozen=True):
    """A bet that wins, and its odds said "35 to 1"."""

    bet: str
    odds: str


class SpinEvidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was measured of a spin. Revolutions are of the wheel, or of the ball around the track."""

    revolutions: float | None = None
    revolutions_low: float | None = None
    """The least that is proven."""
    revolutions_high: float | None = None
    minimum_revolutions: float | None = None
    direction: str | None = None
    """Of the wheel, or of the ball."""
    rotor_direction: str | None = None
    rotor_rpm: float | None = None
    passes: int | None = None
    """Passes of the ball at track sensors."""
    missed_passes: int | None = None
    last_lap_s: float | None = None
    rotor_turns: int | None = None
    """Turns of the rotor in a row that named the pocket."""
    off_center: float | None = None
    """Distance from the middle of the pocket or space, in pockets or spaces."""
    no_more_bets: str | None = None
    """`in_time`, `late`, or `never`."""
    measured_by: str | None = None
    """`wheel`, where an automatic wheel vouches for the run by itself."""
    detail: str = ""


class Outcome(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The result of a proven run."""

    kind: ClassVar[str] = "round.outcome"
    result: dict[str, Any]
    winning: list[WinningBet]
    evidence: SpinEvidence
    rule: str
    notices: list[str] = []


class Void(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The round has no result; `call` is what the dealer says."""

    kind: ClassVar[str] = "round.void"
    call: str
    reason: str
    rule: str
    evidence: SpinEvidence
    remove_ball: bool = False
    """The dealer attempts to take the ball out before it rests."""


class Unresolved(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The controller cannot prove a result: the dealer calls it."""

    kind: ClassVar[str] = "round.unresolved"
    reason: str
    rule: str
    evidence: SpinEvidence
    candidates: list[dict[str, Any]]


class Settled(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The bets are settled, by the `dealer` or after the settling time (`auto`)."""

    kind: ClassVar[str] = "round.settled"
    by: str


class ProcedureViolation(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Something that a person did against the procedure. It does not itself void the round."""

    kind: ClassVar[str] = "procedure.violation"
    reason: str
    rule: str
    detail: str = ""


class DeviceFault(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A device cannot be trusted. With `blocks_play` the table is shut until a named person clears it."""

    kind: ClassVar[str] = "device.fault"
    device: str
    fault: str
    detail: str
    blocks_play: bool
    round: int | None = None


class DeviceCleared(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A named person cleared a fault, after the device passed its check."""

    kind: ClassVar[str] = "device.cleared"
    device: str
    fault: str
    by: str


class DeviceWarning(Data, frozen=True, kw_only=True, omit_defaults=True):
    """Something to look at before it becomes a fault. It changes no outcome."""

    kind: ClassVar[str] = "device.warning"
    device: str
    warning: str
    detail: str
    round: int | None = None


DATA_TYPES: tuple[type[Data], ...] = (
    TableOpened,
    TableClosed,
    RoundOpened,
    NoMoreBets,
    RoundStarted,
    RoundProgress,
    Outcome,
    Void,
    Unresolved,
    Settled,
    ProcedureViolation,
    DeviceFault,
    DeviceCleared,
    DeviceWarning,
)
"""Every kind of event, in the order of the design."""


@cache
def type_of(kind: type[Data]) -> str:
    """The CloudEvents `type` of a kind of data: `feltwire.round.outcome.v1`."""
    return f"{TYPE_PREFIX}{kind.kind}{TYPE_SUFFIX}"


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One event: CloudEvents attributes around its data."""

    specversion: str = SPEC_VERSION
    id: str
    source: str
    type: str
    subject: str | msgspec.UnsetType = msgspec.UNSET
    time: str
    sequence: str | msgspec.UnsetType = msgspec.UNSET
    datacontenttype: str = "application/json"
    data: Data

    @property
    def topic(self) -> str:
        """The topic that carries it: every level ends in a slash, simulated ones begin with `sim/`."""
        kind = type(self.data).kind
        return f"{'sim/' if self.data.simulated else ''}v1/{self.data.table}/{kind}/"


_ENCODER = msgspec.json.Encoder()


def encode(event: Event) -> bytes:
    """The JSON body of an event, on one line."""
    return _ENCODER.encode(event)
