"""What the events of a table tell: the `data` of every type of event, as msgspec structs.

Fields that do not apply are left out. New fields come with defaults; a reader ignores those that it does not know.

Durable events are journalled and numbered without a gap; the others (progress, heartbeats) are not.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Final, Literal, TypeAlias

import msgspec

TYPE_PREFIX: Final = "feltwire."
TYPE_SUFFIX: Final = ".v1"

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
    """The table takes part from now on. The first event of an epoch names the one before it and its last number."""

    kind: ClassVar[str] = "table.opened"
    rules: str
    software: str
    devices: list[dict[str, str]]
    previous_epoch: str | None = None
    previous_sequence: int | None = None
    by: str = ""
    """Who opened it, where a person did."""


class TableClosed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """The table takes no part: any more, or, as the first event of an epoch, not before a person opens it."""

    kind: ClassVar[str] = "table.closed"
    reason: str
    previous_epoch: str | None = None
    previous_sequence: int | None = None
    by: str = ""


class RoundOpened(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Bets are open."""

    kind: ClassVar[str] = "round.opened"
    course: dict[str, Any] | None = None
    """Where the game stands, where a round hangs on those before it: at craps the point, the shooter and the rest; at
    sic bo what a restart must not forget of its dice and its shaker."""


class CourseChanged(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Where the game stands was changed by a person or by time, not by the dice: before the next round it stands so."""

    kind: ClassVar[str] = "round.course"
    act: str
    """What was done: `pass_dice`, `change_dice`, `roll_for_come`, `line_wager`, or `corrected`, after a correction; at
    sic bo `dice_placed`, `dice_too_old`, `shift_begins`, `operate_shaker`, `shaker_removed` or `shaker_placed`."""
    course: dict[str, Any]
    by: str = ""
    before: dict[int, dict[str, Any]] = {}
    """After a correction: where the game stood before later rounds, where that is not what was said of them."""


class NoMoreBets(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """ "No more bets" was called, by the `dealer` or, where there is no button, `auto`."""

    kind: ClassVar[str] = "round.no_more_bets"
    by: str
    rule: str


class RoundStarted(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The spin, the tumble, the shaking or the throw has begun; a spin goes in this direction."""

    kind: ClassVar[str] = "round.started"
    direction: str | None = None
    tumble: str | None = None
    """Whose tumble begins, where a round has more than one: `dealer` or `player`."""
    tossed_by: str | None = None
    """`shaker` where an automated shaker tosses the dice; left out where a person sets them going."""


class RoundProgress(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Live measures, for the eye."""

    kind: ClassVar[str] = "round.progress"
    durable: ClassVar[bool] = False
    revolutions: Number | None = None
    rpm: Number | None = None
    lap_s: Number | None = None
    tumble: str | None = None
    """Whose tumble it is, where a round has more than one."""
    inversions: int | None = None
    shakes: int | None = None
    keyed: list[int] | None = None
    """The values keyed so far and not entered yet, as the keypad shows them."""
    dice: list[int] | None = None
    """The dice of a tumble that is over, where the round goes on."""


class Outcome(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The result of a proven run."""

    kind: ClassVar[str] = "round.outcome"
    result: dict[str, Any]
    winning: list[WinningBet]
    evidence: Evidence
    rule: str
    notices: list[str] = []


class Void(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The round has no result; `call` is what the dealer says."""

    kind: ClassVar[str] = "round.void"
    call: str
    reason: str
    rule: str
    evidence: Evidence
    remove_ball: bool = False
    """The dealer attempts to take the ball out before it rests."""


class Unresolved(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The controller cannot prove a result: the dealer calls it."""

    kind: ClassVar[str] = "round.unresolved"
    reason: str
    rule: str
    evidence: Evidence
    candidates: list[dict[str, Any]]


class RoundCorrected(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """A named person changed what stands of a round. The event that said it first stays."""

    kind: ClassVar[str] = "round.corrected"
    by: str
    from_: Verdict = msgspec.field(name="from")
    to: Verdict
    why: str
    confirmed: bool = False
    """The dealer called a round that the controller had left unresolved: nothing was wrong."""
    winning: list[WinningBet] = []
    notices: list[str] = []
    capture: CaptureFile | None = None
    """What the lines did in the round, where that was still held."""


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
    before_restart: bool = False
    """It stood before the service was started again, and is told once more because it stands still."""
    capture: CaptureFile | None = None
    """What the lines did up to it, where it stopped a round."""


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


class InspectionPassed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A named person inspected a device, and each of the checks was good."""

    kind: ClassVar[str] = "inspection.passed"
    device: str
    checks: list[str]
    by: str


class InspectionFailed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A named person inspected a device; these checks were not good."""

    kind: ClassVar[str] = "inspection.failed"
    device: str
    checks: list[str]
    by: str
    detail: str = ""


class Heartbeat(Data, frozen=True, kw_only=True, omit_defaults=True):
    """Once a second: the last number and the head of the journal's chain, so that a lost last event shows too."""

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
    """The data of a type that this version does not know: the common fields, and all of it as it came."""

    kind: ClassVar[str] = "unknown"
    raw: msgspec.Raw
    """The JSON object."""

    @property
    def values(self) -> dict[str, Any]:
        """The JSON object, read."""
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
