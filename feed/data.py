"""The `data` of every type of event, and its evidence, as msgspec structs.

Fields that do not apply are left out. New fields have defaults; a reader ignores fields that it does not know.

Durable events are journalled and numbered without a gap; the others (progress, heartbeats) are not.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Final, Literal, TypeAlias

import msgspec

TYPE_PREFIX: Final = "feltwire."
TYPE_SUFFIX: Final = ".v1"

Number: TypeAlias = int | float
"""A measured value. Whole numbers stay whole, so that decoding and encoding a body gives the same bytes."""


class WinningBet(msgspec.Struct, frozen=True):
    """A winning bet and its odds, written "35 to 1"."""

    bet: str
    odds: str


class CaptureFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A capture of the lines on the service's disk, for replay."""

    file: str
    """Its name below the folder of captures."""
    sha256: str
    """Of its bytes, in hex."""
    complete: bool = True
    """Whether it begins early enough for a replay to give the same verdict; False where edges were discarded."""


class Tumbling(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One tumble, shake or throw of dice, and where their values came from."""

    by: str = ""
    """`dealer` or `player`, where a round has a tumble of each."""
    inversions: int | None = None
    """Proven inversions of the cage since the last pause."""
    minimum_inversions: int | None = None
    baffle_passes: list[int] | None = None
    """Dice that passed each baffle of the chute, from the uppermost."""
    shakes: int | None = None
    """Under the cover, without a pause."""
    minimum_shakes: int | None = None
    rest_ns: int | None = None
    """When the dice were detected at rest, on the clock of `mono_ns`."""
    keyed: list[int] | None = None
    """The values that a person entered, in that order."""
    read: list[int | None] | None = None
    """The values that a reading board gave; null for a die without one."""
    doubts: list[str] = []
    """Reasons not to rely on the values."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The measurements of a spin, tumble or throw. Revolutions are of the wheel, or of the ball around the track."""

    revolutions: Number | None = None
    revolutions_low: Number | None = None
    """The lower bound, which is proven."""
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
    """Consecutive turns of the rotor that gave the same pocket."""
    off_center: Number | None = None
    """Distance from the middle of the pocket or space, in pockets or spaces."""
    no_more_bets: str | None = None
    """`in_time`, `late`, or `never`."""
    measured_by: str | None = None
    """`wheel`, where the device measures the run itself."""
    tumbles: list[Tumbling] | None = None
    """One for each tumble, shake or throw."""
    detail: str = ""
    capture: CaptureFile | None = None
    """The capture of a round that is void or unresolved."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdict of a round: `{"verdict": "outcome", "result": …}`, or void or unresolved with its reason."""

    verdict: Literal["outcome", "void", "unresolved"]
    result: dict[str, Any] | None = None
    reason: str | None = None


class Data(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The fields that every event has."""

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
    """The table is open. The first event of an epoch names the epoch before it and its last number."""

    kind: ClassVar[str] = "table.opened"
    rules: str
    software: str
    devices: list[dict[str, str]]
    previous_epoch: str | None = None
    previous_sequence: int | None = None
    by: str = ""
    """The person who opened it; empty where the service did."""


class TableClosed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """The table is closed. As the first event of an epoch: it stays closed until a person opens it."""

    kind: ClassVar[str] = "table.closed"
    reason: str
    previous_epoch: str | None = None
    previous_sequence: int | None = None
    by: str = ""


class RoundOpened(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Bets are open."""

    kind: ClassVar[str] = "round.opened"
    course: dict[str, Any] | None = None
    """The state carried from earlier rounds into this one, in games whose rounds depend on each other."""


class CourseChanged(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """A person or the time of day changed the state carried into the next round; a result did not."""

    kind: ClassVar[str] = "round.course"
    act: str
    """The act that changed it, by the game's name for it; `corrected` after a correction."""
    course: dict[str, Any]
    by: str = ""
    before: dict[int, dict[str, Any]] = {}
    """After a correction: the state carried into later rounds, where it differs from the one published."""


class NoMoreBets(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """ "No more bets" was called by the `dealer`, or by the controller where there is no button (`auto`)."""

    kind: ClassVar[str] = "round.no_more_bets"
    by: str
    rule: str


class RoundStarted(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The spin, tumble, shake or throw has begun; `direction` is that of a spin."""

    kind: ClassVar[str] = "round.started"
    direction: str | None = None
    tumble: str | None = None
    """`dealer` or `player`, where a round has a tumble of each."""
    tossed_by: str | None = None
    """`shaker` where an automated shaker tosses the dice; left out where a person does."""


class RoundProgress(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Live measurements of the running round."""

    kind: ClassVar[str] = "round.progress"
    durable: ClassVar[bool] = False
    revolutions: Number | None = None
    rpm: Number | None = None
    lap_s: Number | None = None
    tumble: str | None = None
    """`dealer` or `player`, where a round has a tumble of each."""
    inversions: int | None = None
    shakes: int | None = None
    keyed: list[int] | None = None
    """The values keyed and not entered yet, as the keypad shows them."""
    dice: list[int] | None = None
    """The dice of a tumble that has ended, where the round continues."""


class Outcome(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The result of a proven run."""

    kind: ClassVar[str] = "round.outcome"
    result: dict[str, Any]
    winning: list[WinningBet]
    evidence: Evidence
    rule: str
    notices: list[str] = []


class Void(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The round has no result; `call` is the dealer's call."""

    kind: ClassVar[str] = "round.void"
    call: str
    reason: str
    rule: str
    evidence: Evidence
    remove_ball: bool = False
    """The dealer must try to remove the ball before it comes to rest."""


class Unresolved(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The controller cannot prove a result; the dealer calls it."""

    kind: ClassVar[str] = "round.unresolved"
    reason: str
    rule: str
    evidence: Evidence
    candidates: list[dict[str, Any]]


class RoundCorrected(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """A named person corrected the verdict of a round. The first event is kept."""

    kind: ClassVar[str] = "round.corrected"
    by: str
    from_: Verdict = msgspec.field(name="from")
    to: Verdict
    why: str
    confirmed: bool = False
    """The dealer named the result of an unresolved round: no verdict was wrong."""
    winning: list[WinningBet] = []
    notices: list[str] = []
    capture: CaptureFile | None = None
    """The capture of the round, where its edges were still held."""


class Settled(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The bets are settled, by the `dealer` or after the settling time (`auto`)."""

    kind: ClassVar[str] = "round.settled"
    by: str


class ProcedureViolation(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """A person departed from the procedure. This alone does not void the round."""

    kind: ClassVar[str] = "procedure.violation"
    reason: str
    rule: str
    detail: str = ""


class DeviceFault(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A device fault. With `blocks_play` the table is shut until a named person clears it."""

    kind: ClassVar[str] = "device.fault"
    device: str
    fault: str
    detail: str
    blocks_play: bool
    round: int | None = None
    before_restart: bool = False
    """The fault was latched before a restart of the service, and is published again."""
    capture: CaptureFile | None = None
    """The capture up to the fault, where it stopped a round."""


class DeviceCleared(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A named person cleared a fault, after the device passed its check."""

    kind: ClassVar[str] = "device.cleared"
    device: str
    fault: str
    by: str


class DeviceWarning(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A condition to inspect before it becomes a fault. It changes no outcome."""

    kind: ClassVar[str] = "device.warning"
    device: str
    warning: str
    detail: str
    round: int | None = None


class InspectionPassed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A named person inspected a device; every check passed."""

    kind: ClassVar[str] = "inspection.passed"
    device: str
    checks: list[str]
    by: str


class InspectionFailed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A named person inspected a device; these checks failed."""

    kind: ClassVar[str] = "inspection.failed"
    device: str
    checks: list[str]
    by: str
    detail: str = ""


class Heartbeat(Data, frozen=True, kw_only=True, omit_defaults=True):
    """Once a second: the last number and the head of the journal's chain, so that losing the last event is detected."""

    kind: ClassVar[str] = "heartbeat"
    durable: ClassVar[bool] = False
    epoch: str
    last: int
    """The number of the last durable event."""
    head: str
    """The hash of the last record of the table's chain in the journal, in hex; empty without a journal."""
    state: str
    """`open`, `shut`, `closed`, `inspecting` or `halted`."""


class Unknown(Data, frozen=True, kw_only=True):
    """The data of a type that this version does not know: the common fields, and the unchanged JSON."""

    kind: ClassVar[str] = "unknown"
    raw: msgspec.Raw
    """The JSON object."""

    @property
    def values(self) -> dict[str, Any]:
        """The JSON object, decoded."""
        return msgspec.json.decode(self.raw, type=dict[str, Any])


DATA_TYPES: tuple[type[Data], ...] = (
    TableOpened,
    TableClosed,
    RoundOpened,
    CourseChanged,
    NoMoreBets,
    RoundStarted,
    RoundProgress,
    Outcome,
    Void,
    Unresolved,
    RoundCorrected,
    Settled,
    ProcedureViolation,
    DeviceFault,
    DeviceCleared,
    DeviceWarning,
    InspectionPassed,
    InspectionFailed,
    Heartbeat,
)
"""Every kind of event, in the order of the design."""


@cache
def type_of(kind: type[Data]) -> str:
    """The CloudEvents `type` of a kind of data: `feltwire.round.outcome.v1`."""
    return f"{TYPE_PREFIX}{kind.kind}{TYPE_SUFFIX}"
