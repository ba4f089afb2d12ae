"""The `data` of every type of event, and its evidence, as msgspec structs.

Fields that do not apply are left out. New fields have defaults; a reader ignores fields that it does not know.

Durable events are journalled and numbered without a gap; the others (progress, heartbeats) are not.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from .codes import CallTime, Code, Direction, LiveState, Side, one_of
from .game_view import GameView
from .results import Result

TYPE_PREFIX: Final = "feltwire."
TYPE_SUFFIX: Final = ".v1"

USUAL_CALL: Final = "No more bets"
"""What is called when the bets close, unless the game or the house calls otherwise."""

Number: TypeAlias = int | float
"""A measured value. Whole numbers stay whole, so that decoding and encoding a body gives the same bytes."""


class WinningBet(msgspec.Struct, frozen=True):
    """A winning bet and its odds, written "35 to 1"."""

    bet: str
    """The bet as the layout names it: `straight 17`, `$2`."""
    odds: str
    """What it pays to one unit staked: `35 to 1`."""


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

    by: Side = ""
    """`dealer` or `player`, where a round has a tumble of each."""
    inversions: int | None = None
    """Proven inversions of the cage since the last pause."""
    minimum_inversions: int | None = None
    """How many the table wants."""
    baffle_passes: list[int] | None = None
    """Dice that passed each baffle of the chute, from the uppermost."""
    shakes: int | None = None
    """Under the cover, without a pause."""
    minimum_shakes: int | None = None
    """How many the table wants."""
    moved_s: Number | None = None
    """How long the dice were moved, from the first movement to the last, in seconds; of a shaker that tosses by itself,
    how long it was busy."""
    pulses: int | None = None
    """Pulses of the shake sensor, or how often the beams of the chute were broken: how hard the dice were shaken."""
    unevenness: Number | None = None
    """Of the intervals between inversions or shakes: their standard deviation over their mean, 0 for even ones."""
    rest_ns: int | None = None
    """When the dice were detected at rest, on the clock of `mono_ns`."""
    keyed: list[int] | None = None
    """The values that a person entered, in that order."""
    read: list[int | None] | None = None
    """The values that a reading board gave; null for a die without one."""
    doubts: list[str] = []
    """Reasons not to rely on the values."""


class DealtCard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One card of a round, exposed as it was dealt."""

    card: str
    """Rank, `A 2` to `9 T J Q K`, and suit, `s h d c`: `9s`."""
    to: Annotated[
        str,
        Meta(extra_json_schema={"pattern": "^(player|banker|dealer|players|layout|community|hand [1-9][0-9]?)$"}),
    ]
    """The hand to which it was dealt, or where it was laid: `hand 2` is counted from the dealer's left, and `players`
    is for one of them, nobody knows which."""
    left_ns: int
    """When it left the shoe, on the clock of `mono_ns`."""
    place: int | None = None
    """Which card of the stack it was, from 1; left out where cards may have left unseen since the stack was loaded."""


class StoppedImage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a reel on a screen is at the image at which it is. Times are on the clock of `mono_ns`."""

    image: Annotated[int, Meta(ge=0)]
    """The image at which it stopped: the symbol at its middle, counted from home."""
    lit_ns: int
    """When that image was lit first: the flip that showed it, and the latency of the display."""
    by: Annotated[str, one_of("button", "touch")]
    """What stopped it."""
    latency_ms: Number
    """The display's latency, as stated: from a flip to the light."""
    error_ms: Number
    """How far the time of the press, and the time of the light, may be off together."""
    possible: list[Annotated[int, Meta(ge=0)]]
    """The images that may have been lit at the press, in their order; the first of them counts."""
    measured_ms: Number | None = None
    """The display's latency as its light sensor measured it last; left out without one."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The measurements of a spin, tumble, throw or deal.

    Revolutions are of the wheel, or of the ball around the track.
    """

    revolutions: Number | None = None
    """Measured, as far as the lines show."""
    revolutions_low: Number | None = None
    """The lower bound, which is proven."""
    revolutions_high: Number | None = None
    """The upper bound, which is possible; above the lower one where a loss leaves two explanations."""
    minimum_revolutions: Number | None = None
    """How many complete revolutions the rule wants."""
    direction: Direction | None = None
    """Of the wheel, or of the ball."""
    rotor_direction: Direction | None = None
    """Of the roulette wheel's rotor."""
    rotor_rpm: Number | None = None
    """Speed of the rotor, in revolutions a minute."""
    passes: int | None = None
    """Passes of the ball at track sensors."""
    missed_passes: int | None = None
    """Track sensors that the ball passed without a pulse."""
    last_lap_s: Number | None = None
    """Lap time at its last pass, in seconds."""
    left_track_ns: int | None = None
    """When the ball was known to have left the track, since it was overdue at every sensor, on the clock of `mono_ns`:
    by this time "No more bets" must be called."""
    left_track_deg: Number | None = None
    """Where the ball left the track, as an angle on the bowl: the middle of the arc between the sensor that it passed
    last and the next one."""
    left_track_doubt_deg: Number | None = None
    """How far from there it may have left it, either way: half of that arc."""
    rotor_turns: int | None = None
    """Consecutive turns of the rotor that gave the same pocket."""
    off_center: Number | None = None
    """Distance from the middle of the pocket or space, in pockets or spaces."""
    no_more_bets: CallTime | None = None
    """`in_time`, `late`, or `never`."""
    began_ns: int | None = None
    """When play began, on the clock of `mono_ns`, where it was before the call: later than that the call was late."""
    measured_by: Annotated[str, one_of("wheel")] | None = None
    """`wheel`, where the device measures the run itself."""
    tumbles: list[Tumbling] | None = None
    """One for each tumble, shake or throw."""
    cards: list[DealtCard] | None = None
    """The cards of the round that are exposed, in the order in which they left the shoe."""
    card_counts: dict[str, int] | None = None
    """How many cards were dealt to each hand, exposed or not: `{"hand 1": 5, "dealer": 5}`."""
    falls_ns: list[int] | None = None
    """When each token fell to the player, on the clock of `mono_ns`."""
    ended_by: Annotated[str, one_of("token", "time", "tilt")] | None = None
    """What ended a play of a token pusher: the next token, its time, or a tilt."""
    pressed_ns: list[int | None] | None = None
    """When each stop button of a skill-stop machine was pressed, on the clock of `mono_ns`; null where it was not."""
    stopped_by: list[Annotated[str, one_of("player", "house")]] | None = None
    """Who stopped each reel: the player, or the house when the player's time was over."""
    images: list[StoppedImage | None] | None = None
    """Of a skill-stop machine with a screen, the image at which the player stopped each reel; null where he did not."""
    detail: str = ""
    """In words, what refused or doubted the run."""
    capture: CaptureFile | None = None
    """The capture of a round that is void or unresolved."""


class TableLabel(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The name of a table in one language, as its configuration has it (`[table] labels`)."""

    language: str
    """The language by its tag: `en`, `es-US`."""
    name: str
    """For spectators: `Roulette 3`."""
    short: str = ""
    """The same in a few characters, where a board has little room; empty where none is given."""


class TableNotice(msgspec.Struct, frozen=True, kw_only=True):
    """A notice that the rules have posted at the table, or by which the house states what is its own."""

    words: str
    """What it says."""
    rule: str
    """The rule that wants it posted: `13:47-20.32(g)`; `ours` where the house states what no text gives."""


class StakeLimit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The least and the greatest stake, as the table's configuration has them (`[table] limits`)."""

    minimum: Number
    """The least stake."""
    maximum: Number | None = None
    """The greatest stake; left out where there is none."""
    bet: str = ""
    """The wager that they are for, in the words of the layout; empty for every wager without limits of its own."""


class StatisticsKey(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a table's statistics count: the values of a field of its results."""

    field: str
    """The field of `result`; a field inside another one with a dot: `player.total`. Of a list each value counts."""
    values: list[int | str]
    """The values that can come, in the order in which a board shows them; empty where they are not known."""
    wheel_order: list[int | str] = []
    """Of a roulette wheel: its pockets clockwise, seen from above, also one that is never an outcome. Left out where
    the values are on no wheel, or on one more than once."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdict of a round: `{"verdict": "outcome", "result": …}`, or void or unresolved with its reason."""

    verdict: Literal["outcome", "void", "unresolved"]
    """What was decided."""
    result: Result | None = None
    """The result of an outcome."""
    reason: Code | None = None
    """Why a round is void or unresolved."""


class Data(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The fields that every event has."""

    kind: ClassVar[str]
    durable: ClassVar[bool] = True

    table: str
    """The table's id, as in the topic."""
    game: str
    """What is played: names the kind of result."""
    simulated: bool
    """A bench round. Never to be shown as a real one."""
    mono_ns: int
    """When it became known, on the clock that times the edges."""
    house_rules: bool = False
    """Played by the house's own rules, not by those of New Jersey: a board shows HOUSE RULES. Left out where not."""


class RoundData(Data, frozen=True, kw_only=True, omit_defaults=True):
    """An event that belongs to a round."""

    round: int
    """The number of the round: counts up by one for each round of the table, over restarts too."""


class TablePackage(msgspec.Struct, frozen=True, kw_only=True):
    """A package of somebody else that the table's file names: what it brings is used like the controller's own."""

    name: str
    """As pip has it, in lower case with hyphens: `small-wheel`."""
    version: str
    """As its metadata has it."""
    sha256: str
    """Over every file of it, by name and content."""


class TableOpened(Data, frozen=True, kw_only=True, omit_defaults=True):
    """The table is open. The first event of an epoch names the epoch before it and its last number."""

    kind: ClassVar[str] = "table.opened"
    rules: str
    """The rules profile that is played by: `njac-13:47-20`."""
    software: str
    """Name and version of the controller."""
    devices: list[dict[str, str]]
    """Each device, by `device` and `driver`; of a board also `kind`, `identity`, `firmware` and `hash`."""
    packages: list[TablePackage] = []
    """The packages of others that the table uses."""
    previous_epoch: str | None = None
    """The epoch before this one; given in the first event of an epoch only."""
    previous_sequence: int | None = None
    """The last number of that epoch."""
    by: str = ""
    """The person who opened it; empty where the service did."""
    labels: list[TableLabel] = []
    """The table's name in each language, the first one the table's own."""
    limits: list[StakeLimit] = []
    """The stakes that the table takes, as posted. The controller takes no bets and checks none."""
    limits_unit: str = ""
    """What the limits count: `USD`, `chips`."""
    notices: list[TableNotice] = []
    """The notices that must be posted at the table, and what of its play no text gives."""
    history: int | None = None
    """Over how many of its last outcomes the table's statistics count."""
    statistics: list[StatisticsKey] = []
    """What they count."""
    view: GameView | None = None
    """How a board shows a game that it does not know."""


class TableClosed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """The table is closed. As the first event of an epoch: it stays closed until a person opens it."""

    kind: ClassVar[str] = "table.closed"
    reason: str
    """Why, in words; `not opened yet` of a table that no person has opened since the start."""
    previous_epoch: str | None = None
    """The epoch before this one; given in the first event of an epoch only."""
    previous_sequence: int | None = None
    """The last number of that epoch."""
    by: str = ""
    """The person who closed it; empty where the service did."""
    labels: list[TableLabel] = []
    """As of `table.opened`; given where this is the first event of an epoch."""
    limits: list[StakeLimit] = []
    """As of `table.opened`; given where this is the first event of an epoch."""
    limits_unit: str = ""
    """What the limits count: `USD`, `chips`."""
    notices: list[TableNotice] = []
    """As of `table.opened`; given where this is the first event of an epoch."""
    history: int | None = None
    """As of `table.opened`; given where this is the first event of an epoch."""
    statistics: list[StatisticsKey] = []
    """As of `table.opened`; given where this is the first event of an epoch."""
    view: GameView | None = None
    """As of `table.opened`; given where this is the first event of an epoch."""


class RoundOpened(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Bets are open."""

    kind: ClassVar[str] = "round.opened"
    course: dict[str, Any] | None = None
    """The state carried from earlier rounds into this one, in games whose rounds depend on each other."""


class CarriedStateChanged(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """A person or the time of day changed the state carried into the next round; a result did not."""

    kind: ClassVar[str] = "round.course"
    act: str
    """The act that changed it, by the game's name for it; `corrected` after a correction."""
    course: dict[str, Any]
    """The state carried into the next round now, in the game's own keys."""
    by: str = ""
    """The person who did it; empty where it was the time of day."""
    before: dict[int, dict[str, Any]] = {}
    """After a correction: the state carried into later rounds, where it differs from the one published."""


class NoMoreBets(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """ "No more bets" was called by the `dealer`, or by the controller where there is no button (`auto`)."""

    kind: ClassVar[str] = "round.no_more_bets"
    by: Annotated[str, one_of("dealer", "auto")]
    """Who called it."""
    rule: str
    """The rule that wants the call by now."""
    call: str = USUAL_CALL
    """The words that were called, where they are others: `Raises closed` of red dog."""


class RoundStarted(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The spin, tumble, shake, throw or deal has begun; `direction` is that of a spin."""

    kind: ClassVar[str] = "round.started"
    direction: Direction | None = None
    """Of the wheel, or of the ball."""
    tumble: Side | None = None
    """`dealer` or `player`, where a round has a tumble of each."""
    tossed_by: Annotated[str, one_of("shaker")] | None = None
    """`shaker` where an automated shaker tosses the dice; left out where a person does."""


class RoundProgress(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Live measurements of the running round."""

    kind: ClassVar[str] = "round.progress"
    durable: ClassVar[bool] = False
    revolutions: Number | None = None
    """Of the wheel, or of the ball, so far."""
    rpm: Number | None = None
    """Of the wheel, in revolutions a minute."""
    lap_s: Number | None = None
    """Of the ball's last lap, in seconds."""
    tumble: Side | None = None
    """`dealer` or `player`, where a round has a tumble of each."""
    inversions: int | None = None
    """Of the cage, so far."""
    shakes: int | None = None
    """Of the shaker, so far."""
    keyed: list[int] | None = None
    """The values keyed and not entered yet, as the keypad shows them."""
    dice: list[int] | None = None
    """The dice of a tumble that has ended, where the round continues."""
    player_cards: list[str] | None = None
    """The player's cards so far."""
    banker_cards: list[str] | None = None
    """The banker's cards so far."""
    tokens_won: int | None = None
    """The tokens that fell to the player so far."""
    next_card: Annotated[str, one_of("player", "banker")] | None = None
    """The hand that draws next; left out where both are complete."""
    cards: list[str] | None = None
    """The cards that are exposed on the layout so far."""
    spread: int | None = None
    """How many values fall between the first two cards of red dog."""
    announce: str | None = None
    """What the dealer announces now, in the words of the rule: `We have a pair`."""
    dealer_cards: list[str] | None = None
    """The dealer's cards that are exposed so far."""
    cards_dealt: int | None = None
    """How many cards have left the shoe in this round, exposed or not."""


class Outcome(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The result of a proven run."""

    kind: ClassVar[str] = "round.outcome"
    result: Result
    """The result, by the game of the table."""
    winning: list[WinningBet]
    """The bets that win with it."""
    evidence: Evidence
    """What was measured."""
    rule: str
    """The rule that the result rests on."""
    notices: list[str] = []
    """What people at the table are to be informed of with this result."""


class Void(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The round has no result; `call` is the dealer's call."""

    kind: ClassVar[str] = "round.void"
    call: str
    """The words that the dealer calls: `No spin`."""
    reason: Code
    """Why."""
    rule: str
    """The rule that refuses it, or `ours` where no rule does."""
    evidence: Evidence
    """What was measured."""
    remove_ball: bool = False
    """The dealer must try to remove the ball before it comes to rest."""


class Unresolved(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The controller cannot prove a result; the dealer calls it."""

    kind: ClassVar[str] = "round.unresolved"
    reason: Code
    """Why it cannot be proven."""
    rule: str
    """`ours`: no text leaves a round to the dealer. Events of older versions name the unproven rule here."""
    evidence: Evidence
    """What was measured."""
    candidates: list[Result]
    """The results that are possible, as far as they are known."""
    unproven_rule: str = ""
    """The rule that the run could neither be proven to keep nor to break; it refuses nothing. Empty where there is
    none.
    """


class RoundCorrected(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """A named person corrected the verdict of a round. The first event is kept."""

    kind: ClassVar[str] = "round.corrected"
    by: str
    """The person, or `controller` for what follows from a correction of an older round."""
    from_: Verdict = msgspec.field(name="from")
    """The verdict until now."""
    to: Verdict
    """The verdict that counts from now on."""
    why: str
    """What the person stated."""
    confirmed: bool = False
    """The dealer named the result of an unresolved round: no verdict was wrong."""
    winning: list[WinningBet] = []
    """The bets that win with the corrected result."""
    notices: list[str] = []
    """What people at the table are to be informed of with it."""
    capture: CaptureFile | None = None
    """The capture of the round, where its edges were still held."""


class RoundDisputed(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody disputes a round that has its verdict, and its capture is kept. The verdict stands as it is."""

    kind: ClassVar[str] = "round.disputed"
    by: str
    """The person who ordered it."""
    stands: Verdict
    """The verdict that is disputed, with every correction until now."""
    why: str = ""
    """What the person stated."""
    capture: CaptureFile | None = None
    """The capture of the round; left out where its lines were no longer held, or it could not be kept."""


class Settled(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """The bets are settled, by the `dealer` or after the settling time (`auto`)."""

    kind: ClassVar[str] = "round.settled"
    by: str
    """Who settled it."""


class ProcedureViolation(RoundData, frozen=True, kw_only=True, omit_defaults=True):
    """A person departed from the procedure. This alone does not void the round."""

    kind: ClassVar[str] = "procedure.violation"
    reason: Code
    """What was departed from."""
    rule: str
    """The rule for how it is done."""
    detail: str = ""
    """In words, what was seen."""


class DeviceFault(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A device fault. With `blocks_play` the table is shut until a named person clears it."""

    kind: ClassVar[str] = "device.fault"
    device: str
    """The device's name in the table's file."""
    fault: Code
    """What is wrong."""
    detail: str
    """In words, what was seen and where."""
    blocks_play: bool
    """Whether the table is shut until it is cleared."""
    round: int | None = None
    """The round in which it came."""
    before_restart: bool = False
    """The fault was latched before a restart of the service, and is published again."""
    capture: CaptureFile | None = None
    """The capture up to the fault, where it stopped a round."""


class DeviceCleared(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A named person cleared a fault, after the device passed its check."""

    kind: ClassVar[str] = "device.cleared"
    device: str
    """The device's name in the table's file."""
    fault: Code
    """The fault that is cleared."""
    by: str
    """The person, or `supervisor_key`."""


class DeviceWarning(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A condition to inspect before it becomes a fault. It changes no outcome."""

    kind: ClassVar[str] = "device.warning"
    device: str
    """The device's name in the table's file."""
    warning: Code
    """What to inspect."""
    detail: str
    """In words, what was seen."""
    round: int | None = None
    """The round in which it came."""


Count: TypeAlias = Annotated[int, Meta(ge=0)]


class ZoneBlock(msgspec.Struct, frozen=True, kw_only=True):
    """The spins of a block of the watch over the drop zone that is not full yet."""

    of: Annotated[int, Meta(ge=1)]
    """Spins of a full block."""
    counts: list[Count]
    """By arc of the bowl: how many balls left the track there."""


class ZoneCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Where the balls of a wheel left the track."""

    deg: list[Number]
    """By arc between two track sensors: its middle, in degrees on the bowl."""
    doubt_deg: list[Number]
    """By arc: half its width, in degrees."""
    blocks: list[ZoneBlock]
    """The blocks that have begun."""


class FallCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What a wheel showed last, for the watch over its bias."""

    places: list[int | str]
    """Everything that it can show, in its order."""
    fell: list[Count]
    """What it showed, oldest first, as numbers in `places` from 0."""
    since: Count
    """How many of them came after the last look."""


class DeckCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The use of one deck of cards."""

    name: str
    """As `stack.loaded` has it; `batch 1` of a batch without a name, empty for cards of which nothing is known."""
    cards: list[Count]
    """How many of its last cards were counted together, oldest first: some 250 each time."""
    misreads: list[Count]
    """How many of them were not read."""
    drawing: list[Count]
    """How many of them jammed or were pushed back."""
    looks: Count
    """Full ones since the last look."""


class WatchCounts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the watch over a device has counted, and goes on with after a restart."""

    since: Number = 0
    """From when on, in days since 1970."""
    zone: ZoneCounts | None = None
    """Of a roulette wheel with track sensors."""
    falls: FallCounts | None = None
    """Of a wheel."""
    decks: list[DeckCounts] = []
    """Of a table of cards, those that were loaded last; the one in the shoe is at the end."""


class WearHistory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was measured of a wheel's wear in blocks of spins: those from which it was learnt, and those since. Where
    they are many, older ones are merged by twos."""

    days: list[Number] = []
    """By block: when it ended, in days since 1970."""
    spins: list[Annotated[int, Meta(ge=1)]] = []
    """By block: how many spins were measured for it."""
    values: dict[str, list[Number | None]] = {}
    """By block, of each value its median, of shares and counts the mean; null where it was not measured."""
    limits: dict[str, Number] = {}
    """The limits that the table's file sets, of the values that have one there."""
    begun: list[dict[str, Number]] = []
    """The values of each spin that was measured since the last block, as a service ends: the next one goes on."""
    begun_day: Number | None = None
    """When the first of them was measured, in days since 1970; left out where an older version wrote it."""
    learnt: Annotated[int, Meta(ge=1)] = 15
    """From how many blocks, the first ones, the wheel is learnt; left out where it is from 15, as in older versions."""
    counts: WatchCounts | None = None
    """What the watch has counted beside wear, since an earlier version had none."""


class DeviceCondition(Data, frozen=True, kw_only=True, omit_defaults=True):
    """The wear of a device since it was learnt, as measured so far, and what the watch has counted. It changes no
    outcome."""

    kind: ClassVar[str] = "device.condition"
    device: str
    """The device's name in the table's file."""
    history: WearHistory
    """All that is kept of it."""


MachineAct: TypeAlias = Annotated[
    str,
    one_of(
        "power_on",
        "play_resumed",
        "token_in",
        "token_refused",
        "acceptor_counted",
        "acceptor_set",
        "device_identified",
        "play_begun",
        "reel_stopped",
        "award",
        "falls",
        "falls_to_house",
        "falls_out_of_play",
        "falls_counted",
        "payout_planned",
        "payout_ended",
        "payout_in_doubt",
        "tokens_in_doubt",
        "reconciled",
        "corrected",
        "debt_collected",
        "debt_waived",
        "stake_refunded",
        "hand_pay_due",
        "hand_paid",
        "door_opened",
        "door_closed",
        "test_begun",
        "test_token",
        "test_fall",
        "test_ended",
        "recall_begun",
        "recall_ended",
        "attendant_key",
    ),
]


class Meters(msgspec.Struct, frozen=True, kw_only=True):
    """The meters of a machine: seven digits each, so 9999999 is followed by 0. Test mode moves none of them."""

    tokens_in: int = 0
    """Tokens that players put in."""
    tokens_played: int = 0
    """Tokens that were staked."""
    tokens_won: int = 0
    """Tokens that were awarded, or fell to the player."""
    tokens_refunded: int = 0
    """Tokens that were staked in a play that was then made void: they belong to the player again."""
    tokens_paid: int = 0
    """Tokens that the machine gave out."""
    tokens_overpaid: int = 0
    """Of those, tokens that left beyond what was owed."""
    tokens_hand_paid: int = 0
    """Tokens that an attendant gave out in its place."""
    tokens_to_house: int = 0
    """Tokens that fell to the house."""
    tokens_taken_back: int = 0
    """Tokens that were won, and that a correction took from the player again, as credits or as a debt."""
    tokens_restaked: int = 0
    """Tokens that were refunded, and that a correction staked again: the play has a result after all."""
    tokens_collected: int = 0
    """Tokens of such debts that an attendant took from players by hand."""
    tokens_waived: int = 0
    """Tokens of such debts that the house let players keep, less what a later correction gave them after all."""
    plays: int = 0
    """Plays that were begun."""
    power_ups: int = 0
    """Starts of the machine."""
    door_openings: int = 0
    """Openings of its door."""


class MachineEvent(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A significant event of a machine: tokens, doors, power, tests. It carries all meters, as they are after it."""

    kind: ClassVar[str] = "machine.event"
    act: MachineAct
    """What happened."""
    meters: Meters
    """The meters after it."""
    credits: int
    """Tokens that belong to the player and are neither staked nor given out, after it."""
    carried: dict[str, Any]
    """What the machine needs to go on after a power cut, in its own keys."""
    tokens: int | None = None
    """How many tokens it concerns."""
    by: str = ""
    """The person, where one did it."""
    detail: str = ""
    """In words."""
    round: int | None = None
    """The play in which it came."""
    debt: int = 0
    """Tokens that players owe after it: a correction took them back, and they had left the machine."""


class InspectionPassed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A named person inspected a device; every check passed."""

    kind: ClassVar[str] = "inspection.passed"
    device: str
    """The device that was inspected."""
    checks: list[str]
    """The checks, by their names."""
    by: str
    """The person who inspected it."""


class InspectionFailed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A named person inspected a device; these checks failed."""

    kind: ClassVar[str] = "inspection.failed"
    device: str
    """The device that was inspected."""
    checks: list[str]
    """The checks that failed, by their names."""
    by: str
    """The person who inspected it."""
    detail: str = ""
    """What the person stated."""


class CardSealed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A card left a shoe without being exposed. Only a commitment to it is published."""

    kind: ClassVar[str] = "card.sealed"
    device: str
    """The shoe, by its name in the table's file."""
    commitment: str
    """SHA-256 over a secret salt of 16 bytes and the card (`9s`), as 64 hexadecimal digits."""
    nonce: str = ""
    """32 hexadecimal digits from which the table has the salt again after a restart, with a key that it keeps secret;
    empty in journals of older versions."""
    place: int | None = None
    """Which card of the stack it was, from 1; left out where cards may have left unseen since the stack was loaded."""
    round: int | None = None
    """The round in which it left."""


class CardOpened(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A card that was sealed is exposed: anybody can compute its commitment again."""

    kind: ClassVar[str] = "card.opened"
    device: str
    """The shoe, by its name in the table's file."""
    commitment: str
    """That of `card.sealed`."""
    card: str
    """Rank and suit, or `JK` for a joker."""
    salt: str
    """The salt, as 32 hexadecimal digits."""
    why: Annotated[str, one_of("exposed", "broken_up")]
    """It was exposed in play, or the stack was broken up by a supervisor's order."""
    place: int | None = None
    """As of `card.sealed`."""
    round: int | None = None
    """The round in which it is opened."""


class StackLoaded(Data, frozen=True, kw_only=True, omit_defaults=True):
    """Shuffled cards are in the shoe: the places of cards count from here."""

    kind: ClassVar[str] = "stack.loaded"
    device: str
    """The shoe, by its name in the table's file."""
    by: str = ""
    """The person who loaded it."""
    method: Annotated[str, one_of("hand", "shuffler")] = "hand"
    """How the cards were shuffled."""
    batch: int | None = None
    """Which of the two batches of a shuffler it is, 1 or 2."""
    deck: str = ""
    """The deck, by the name that the dealer gives it; empty where nobody names it."""
    cut: int | None = None
    """After how many cards they were cut, as a person keyed it."""
    behind: int | None = None
    """How many cards are behind the cutting card, as a person keyed it."""


class StackSealed(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A reading shuffler has committed itself to the order of a batch, before it is dealt."""

    kind: ClassVar[str] = "stack.sealed"
    device: str
    """The shuffler, by its name in the table's file."""
    batch: int
    """1 or 2."""
    count: int
    """Its cards."""
    root: str
    """SHA-256 over the commitments of its cards in the order of the deal, each as 64 hexadecimal digits."""


class StackOpened(Data, frozen=True, kw_only=True, omit_defaults=True):
    """The shuffler has opened that order, after the stack was broken up."""

    kind: ClassVar[str] = "stack.opened"
    device: str
    """The shuffler, by its name in the table's file."""
    batch: int
    """1 or 2."""
    root: str
    """That of `stack.sealed`."""
    cards: list[str]
    """In the order of the deal, before they were cut."""
    salts: list[str]
    """Of each card, as 32 hexadecimal digits."""
    agrees: bool
    """Whether the commitments give that root, and the cards that were dealt were in that order except for the cut."""


class Heartbeat(Data, frozen=True, kw_only=True, omit_defaults=True):
    """Once a second: the last number and the head of the journal's chain, so that losing the last event is detected."""

    kind: ClassVar[str] = "heartbeat"
    durable: ClassVar[bool] = False
    epoch: str
    """The epoch of the service that runs the table."""
    last: int
    """The number of the last durable event."""
    head: str
    """The hash of the last record of the table's chain in the journal, in hex; empty without a journal."""
    state: LiveState
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
    CarriedStateChanged,
    NoMoreBets,
    RoundStarted,
    RoundProgress,
    Outcome,
    Void,
    Unresolved,
    RoundCorrected,
    RoundDisputed,
    Settled,
    ProcedureViolation,
    DeviceFault,
    DeviceCleared,
    DeviceWarning,
    DeviceCondition,
    MachineEvent,
    InspectionPassed,
    InspectionFailed,
    CardSealed,
    CardOpened,
    StackLoaded,
    StackSealed,
    StackOpened,
    Heartbeat,
)
"""Every kind of event, in the order of the design."""


@cache
def type_of(kind: type[Data]) -> str:
    """The CloudEvents `type` of a kind of data: `feltwire.round.outcome.v1`."""
    return f"{TYPE_PREFIX}{kind.kind}{TYPE_SUFFIX}"


@lru_cache
def kind_of(name: str) -> str:
    """What a CloudEvents `type` is called in topics and records: `round.outcome`; of another's type the whole name."""
    return name.removeprefix(TYPE_PREFIX).removesuffix(TYPE_SUFFIX)
