"""Commands a pusher's board, and turns what it counts into tokens, falls and payouts, each once.

    up ──► settings, `counts` ──► counted ──► accept, motor, payout as they are wanted
                                    │ counters: what has happened since the last record, whatever was off meanwhile
    payout: plan ──► durable ──► `pay` under its number ──► `hopper` of that number, not paying ──► ended, or in doubt
                                  ├── sent again after every session, to the same board: it pays a number once
                                  └── sent again where nothing is reported for 2 s: the board reports it again
    paid_out: beyond the payouts that have ended ──► tokens that left unasked

The board stops the shelf's motor by itself at a stall; it stays stopped until a person has cleared that. So does a
hopper that gives tokens unasked. The board also stops each output after its longest time, whatever is sent meanwhile,
and then wants it set to 0 once: the motor is set to 0 for a moment every half hour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from drivers.base.board_counter import MODULUS, MOST_NEW, BoardCounter, TokensCounted
from drivers.base.driver import NEVER_NS, Observation
from drivers.base.sensor_tests import SensorsFound, SensorTestAnswered, SensorTests, tested
from drivers.pusher.bed import ShelfMoves, Tilted
from drivers.pusher.board import (
    BoardAway,
    BoardCounted,
    BoardHopper,
    BoardMotor,
    BoardRefused,
    PusherBoardConfig,
    PusherBoardUp,
)
from hal.board.carried import carried
from hal.board.message import BoardCommand
from hal.board.messages import (
    AllSafeCommand,
    HopperCommand,
    HopperReport,
    MotorCommand,
    MotorLimitCommand,
    PayCommand,
    RefusalCode,
    SetCommand,
    TestCommand,
)
from hal.values import Output, SendFrame

MOST_PAID: Final = 200
"""Tokens of one payout (ours): the board reports up to 254."""
MOST_REPORTED: Final = 255
"""A count of the hopper's report that means: this many or more."""
LAST_PAYOUT: Final = 0xFFFF
"""The highest number of a payout; 1 comes after it (docs/boards-wiring.md)."""
MOST_ABOVE: Final = 0x7FFF
"""This far above another a number is later; further, it is of former times."""
TRY_AGAIN_NS: Final = 500_000_000
"""From a refusal to the next try (ours)."""
TRIES: Final = 5
"""How often a payout is refused before it is given up (ours)."""
LEVEL_NS: Final = 3_000_000_000
"""This long after a tilt without another the machine hangs straight (ours)."""
MOTOR_NS: Final = 10_000_000_000
"""The motor is commanded again this often (ours): the report that it was stopped may be lost."""
RELEASE_NS: Final = 1_800_000_000_000
"""The motor is set to 0 before it is commanded this often (ours): its board turns it for an hour at most."""
PAY_NS: Final = 2_000_000_000
"""A payout of which nothing was reported for this long is sent again (ours): its last report may be lost."""
ALARM_NS: Final = 300_000_000_000
"""The alarm is commanded again this often (ours): its board gives it ten minutes."""
HOPPER: Final = 2
ALARM: Final = 4
"""The outputs of the hopper and of the alarm."""
LONGEST: Final = 1
STALLED: Final = 3
OVER_CURRENT: Final = 6
PAYING: Final = 1
RUNAWAY: Final = 3
WHY: Final = {0: "", 2: "it is empty", 3: "tokens left that it was not to pay", 4: "its sensor is not proven"} | {
    5: "it was cut short",
    6: "it is jammed",
}


class BoardPayout(NamedTuple):
    """A payout as it is recorded before it is sent."""

    number: int
    tokens: int
    before: int
    """What the hopper had ever paid."""


class BoardPaid(Observation, frozen=True, kw_only=True):
    """A payout is over."""

    number: int
    asked: int
    least: int
    """Tokens that have left for certain."""
    most: int
    """Tokens that may have left: as many, where the board has proven it."""
    detail: str = ""
    """Why it is not what was asked, or not known."""


class HopperMark(NamedTuple):
    """How far the tokens that left a hopper are in the account, as it is recorded."""

    serial: int | None
    """Of its board; 0: it has none. None where an older version has recorded a payout without it."""
    paid_out: int
    """Its board's counter of tokens that left, ever."""


class HopperCounted(Observation, frozen=True, kw_only=True):
    """What left the hopper up to this mark is in its payouts, except for `tokens`."""

    mark: HopperMark
    tokens: int = 0
    """Those that left since the mark before and are not of a payout that was under way."""


class HopperRanAway(Observation, frozen=True, kw_only=True):
    """Tokens leave the hopper unasked: its board pays nothing before a person has cleared that."""

    detail: str


class TokensWon(Observation, frozen=True, kw_only=True):
    """The counter of tokens that fell to the player has moved."""

    before: int | None
    """Its value as it was recorded; None where nothing was known of it."""
    counter: int


class ShelfBlocked(Observation, frozen=True, kw_only=True):
    """The board has switched the shelf's motor off, or does not limit what it may draw."""

    why: Literal["stalled", "over_current", "unlimited", "held"]


class BoardSilent(Observation, frozen=True, kw_only=True):
    """The board cannot be reached, or is there again."""

    silent: bool


class PusherBoardActuator:
    """The actuator of one board (see `drivers.base.actuator.Actuator`)."""

    observes: frozenset[type[Observation]] = frozenset(
        {
            PusherBoardUp,
            BoardAway,
            BoardCounted,
            BoardHopper,
            BoardMotor,
            BoardRefused,
            SensorsFound,
            SensorTestAnswered,
        }
    )

    def __init__(self, config: PusherBoardConfig, name: str = "board") -> None:
        self.name = name
        self.outputs: list[Output] = []
        self.acceptor = BoardCounter(self._command, config.pulse_ms)
        self._tests = SensorTests(self._command)
        self._hopper_most, self._hopper_errors = 0, False
        self._config = config
        self._up = False
        self._counts: BoardCounted | None = None
        """What the board has counted, in this session; None before it has reported that."""
        self._won: int | None = None
        self._tilts: int | None = None
        self._shelf = False
        """Whether the shelf is to move."""
        self._alarm = False
        self._stalled = False
        self._release = False
        """Whether the motor is to be set to 0 before it turns: a person has cleared why its board stopped it."""
        self._release_ns = NEVER_NS
        """When it is set to 0 again in a running session."""
        self._unlimited: MotorLimitCommand | None = None
        """The limit of the motor's current that the board refused: it is refused until the limit is sent again."""
        self._moves: bool | None = None
        self._hopper: HopperReport | None = None
        self._serial = 0
        """The number of the board of this session."""
        self._doubt = ""
        """Why its counters do not continue those that were recorded."""
        self._mark: HopperMark | None = None
        self._compared = False
        """Whether the board of this session was compared with the mark."""
        self._plan: BoardPayout | None = None
        self._least: int | None = None
        """Tokens of the plan that its board has reported; None before it has begun it."""
        self._released = False
        self._refusals = 0
        self._again_ns = NEVER_NS
        """When what was refused is tried again."""
        self._motor_ns = NEVER_NS
        self._pay_ns = NEVER_NS
        """When the payout is sent again."""
        self._alarm_ns = NEVER_NS
        self._level_ns = NEVER_NS

    def set_up(self, hopper_most: int, hopper_errors: bool) -> None:
        """What the hopper's motor may draw, as its board reads that (0: anything), and whether its errors are heard."""
        self._hopper_most, self._hopper_errors = hopper_most, hopper_errors

    # --- what the game commands ------------------------------------------------------------------------------------

    def test_sensors(self, t_ns: int) -> None:
        """Has the board test its sensors: `SensorsTested` follows, unless the board is away."""
        if self._up:
            self._tests.ask(t_ns)

    def restore_won(self, counter: int | None) -> None:
        """Continues from the counter of falls as it was recorded."""
        self._won = counter

    def restore_mark(self, mark: HopperMark | None) -> None:
        """Continues from the mark as it was recorded."""
        self._mark = mark

    def run_shelf(self, wanted: bool, t_ns: int) -> None:
        """Moves the shelf, or stops it."""
        if wanted != self._shelf:
            self._shelf = wanted
            if wanted:
                self._stalled = False
                if self._unlimited is not None:
                    # Commands are carried out in their order: refused again, the motor is stopped again.
                    self._command(self._unlimited, t_ns)
                    self._unlimited = None
            self._drive_shelf(t_ns)

    def sound_alarm(self, wanted: bool, t_ns: int) -> None:
        """Switches the alarm."""
        if wanted != self._alarm:
            self._alarm = wanted
            self._drive_alarm(t_ns)

    def ready_to_pay(self) -> bool:
        """Whether a payout can be planned."""
        known = self._counts is not None and self._hopper is not None and self._hopper.state != PAYING
        return self._config.hopper and self._up and known and self._plan is None

    def make_plan(self, number: int, tokens: int) -> BoardPayout:
        """Plans a payout. Its number is this one, as far as boards count, or the one above its board's last, if that
        is not below it. Raises ValueError where it is not ready.
        """
        if not self.ready_to_pay() or self._hopper is None or self._counts is None:
            raise ValueError(f"{self.name}: payout {number} cannot be planned now")
        number, last = _wrapped(number), self._hopper.payout
        if last and not _is_later(number, last):
            number = _wrapped(last + 1)
        self._plan = BoardPayout(number, min(tokens, MOST_PAID), self._counts.paid_out)
        self._released, self._least = False, None
        return self._plan

    def release(self, number: int, t_ns: int) -> None:
        """The plan is durable: it may be paid."""
        if self._plan is not None and self._plan.number == number and not self._released:
            self._released, self._refusals = True, 0
            self._pay(t_ns)

    def resume(self, plan: BoardPayout) -> None:
        """Continues with a payout that was recorded before: it is sent to its board again, which pays it once."""
        self._plan, self._released, self._refusals, self._least = plan, True, 0, None
        if self._mark is None:
            self._mark = HopperMark(None, plan.before)

    def clear_hopper(self, t_ns: int) -> None:
        """A person has seen to the hopper: its board may pay again."""
        if self._hopper is not None and self._hopper.state == RUNAWAY:
            self._command(SetCommand(HOPPER, 0, 0), t_ns)

    # --- the actuator ----------------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int:
        """Its next deadline."""
        dues = (self._again_ns, self._motor_ns, self._pay_ns, self._alarm_ns, self._level_ns)
        return min(*dues, self.acceptor.due_ns, self._tests.due_ns)

    def observe(self, seen: Observation) -> Sequence[Observation]:
        """Takes what the board reports."""
        t_ns = seen.t_ns
        match seen:
            case PusherBoardUp():
                return self._came_up(seen)
            case BoardAway():
                return self._went(t_ns)
            case BoardCounted():
                return self._counted(seen)
            case BoardHopper():
                return self._hopper_reported(seen)
            case BoardMotor():
                return self._motor_reported(seen)
            case BoardRefused():
                return self._refused(seen)
            case SensorTestAnswered():
                self._tests.answered(t_ns)
            case SensorsFound():
                self._tests.found(seen.shorted, seen.dark)
                return [tested(t_ns, [self._tests])]
        return []

    def due(self, t_ns: int) -> Sequence[Observation]:
        """Meets the deadlines up to `t_ns`."""
        if self._again_ns <= t_ns:
            self._again_ns = NEVER_NS
            self._command_all(t_ns)
        if self.acceptor.due_ns <= t_ns:
            self.acceptor.command_again(t_ns)
        if self._motor_ns <= t_ns:
            self._drive_shelf(t_ns)
        if self._pay_ns <= t_ns:
            self._pay(t_ns)
        if self._alarm_ns <= t_ns:
            self._drive_alarm(t_ns)
        if self._level_ns <= t_ns:
            self._level_ns = NEVER_NS
            return [Tilted(t_ns=t_ns, tilted=False)]
        return [tested(t_ns, [self._tests])] if self._tests.due(t_ns) else []

    def rest(self, t_ns: int) -> list[Output]:
        """Stops what moves; what a hopper pays is recorded, and is counted at the next start."""
        return [SendFrame(self._config.link, carried(AllSafeCommand()), t_ns)]

    # --- the session -----------------------------------------------------------------------------------------------

    def _came_up(self, seen: PusherBoardUp) -> list[Observation]:
        t_ns = seen.t_ns
        self._up, self._counts, self._hopper = True, None, None
        self._serial, self._doubt, self._compared = seen.serial, "", False
        self._release_ns = t_ns + RELEASE_NS
        self._unlimited = None  # the link has sent it in this session, before anything else
        config = self._config
        if config.hopper:
            limits = self._hopper_most, int(self._hopper_errors)
            self._command(HopperCommand(config.token_ms, int(config.turns_back), *limits), t_ns)
        self._tests.begin(t_ns)
        self._tests.ask(t_ns)
        self.acceptor.begin(t_ns)
        return []

    def _went(self, t_ns: int) -> list[Observation]:
        if not self._up:
            return []
        self._up, self._counts, self._hopper = False, None, None
        self._moves = None
        self.acceptor.end()
        self._tests.end()
        self._again_ns = self._motor_ns = self._pay_ns = self._alarm_ns = NEVER_NS
        return [BoardSilent(t_ns=t_ns, silent=True)]

    def _command(self, command: BoardCommand, t_ns: int) -> None:
        if self._up:
            self.outputs.append(SendFrame(self._config.link, carried(command), t_ns))

    def _command_all(self, t_ns: int) -> None:
        """Commands again what is wanted: the board has begun again, or has refused it."""
        self.acceptor.command_again(t_ns)
        if self._shelf:
            self._drive_shelf(t_ns)
        if self._alarm:
            self._drive_alarm(t_ns)
        self._pay(t_ns)

    def _drive_shelf(self, t_ns: int) -> None:
        turns = self._shelf and not self._stalled
        self._motor_ns = t_ns + MOTOR_NS if turns and self._up else NEVER_NS
        if not turns or self._release or self._release_ns <= t_ns:
            self._command(MotorCommand(0, 0, 0), t_ns)
            self._release = self._release and not self._up
            self._release_ns = t_ns + RELEASE_NS
        if turns:
            self._command(MotorCommand(self._config.speed, 0, 0), t_ns)

    def _drive_alarm(self, t_ns: int) -> None:
        self._alarm_ns = t_ns + ALARM_NS if self._alarm and self._up else NEVER_NS
        self._command(SetCommand(ALARM, 0, 0), t_ns)
        if self._alarm:
            self._command(SetCommand(ALARM, 255, 0), t_ns)

    def _pay(self, t_ns: int) -> None:
        """Sends the payout. A board that has this number already pays nothing, and reports what came of it."""
        self._pay_ns = NEVER_NS
        if self._plan is not None and self._released and self._counts is not None and self._hopper is not None:
            self._pay_ns = t_ns + PAY_NS
            self._command(PayCommand(self._plan.number, self._plan.tokens), t_ns)

    # --- what it counts --------------------------------------------------------------------------------------------

    def _counted(self, seen: BoardCounted) -> list[Observation]:
        first, t_ns = self._counts is None, seen.t_ns
        # A board that was given its number since is the same one.
        another = self._another() if first and self._mark is not None and self._mark.serial else ""
        found = self.acceptor.counted(t_ns, seen.tokens_in, another)
        self._counts = seen
        if seen.won != self._won:
            found.append(TokensWon(t_ns=t_ns, before=None if another else self._won, counter=seen.won))
            self._won = seen.won
        if self._tilts is not None and seen.tilts != self._tilts:
            self._level_ns = t_ns + LEVEL_NS
            found.append(Tilted(t_ns=t_ns, tilted=True))
        self._tilts = seen.tilts
        if first:
            self._doubt = next((one.doubt for one in found if isinstance(one, TokensCounted)), "")
            found.append(BoardSilent(t_ns=t_ns, silent=False))
        found += self._compare(t_ns)
        if first:
            self._command_all(t_ns)
        return found

    def _motor_reported(self, seen: BoardMotor) -> list[Observation]:
        moves = seen.speed != 0
        blocked = seen.why in (STALLED, OVER_CURRENT)
        if seen.why == LONGEST and not moves:
            self._release = True
        if moves == self._moves and not blocked:
            return []
        self._moves = moves
        if moves:
            return [ShelfMoves(t_ns=seen.t_ns)]
        if blocked and not self._stalled:
            return self._block(seen.t_ns, "over_current" if seen.why == OVER_CURRENT else "stalled")
        if self._shelf and not self._stalled:
            self._again_ns = seen.t_ns + TRY_AGAIN_NS
        return []

    def _block(self, t_ns: int, why: Literal["stalled", "over_current", "held"]) -> list[Observation]:
        """Its board holds the motor safe until it is set to 0: not before a person has seen to it."""
        self._stalled = self._release = True
        self._moves, self._motor_ns = False, NEVER_NS
        return [ShelfBlocked(t_ns=t_ns, why=why)]

    def _refused(self, seen: BoardRefused) -> list[Observation]:
        plan = self._plan
        if isinstance(seen.command, TestCommand):
            self._tests.refused(seen.t_ns)
            return []
        if seen.why == RefusalCode.SILENT:
            self._command(AllSafeCommand(), seen.t_ns)
        if isinstance(seen.command, MotorLimitCommand) and seen.why:
            self._stalled, self._unlimited = True, seen.command
            self._drive_shelf(seen.t_ns)
            return [ShelfBlocked(t_ns=seen.t_ns, why="unlimited")]
        held = seen.why == RefusalCode.HELD_SAFE
        if held and isinstance(seen.command, MotorCommand) and not self._stalled and not self._release:
            return self._block(seen.t_ns, "held")
        self.acceptor.refused(seen.command, seen.why)
        if isinstance(seen.command, PayCommand) and plan is not None and seen.command.payout == plan.number:
            self._refusals += 1
            if seen.why and self._refusals >= TRIES:
                why = f"its board refuses: {RefusalCode(seen.why).name.lower()}"
                # A board that has begun it may have paid, whatever it refuses since.
                begun = self._hopper is not None and _has_begun(self._hopper, plan)
                return self._end(seen.t_ns, plan, self._least or 0, plan.tokens if begun else 0, why)
        self._again_ns = min(self._again_ns, seen.t_ns + TRY_AGAIN_NS)
        return []

    # --- what leaves the hopper ------------------------------------------------------------------------------------

    def _hopper_reported(self, seen: BoardHopper) -> list[Observation]:
        report, before = seen.report, self._hopper
        self._hopper = report
        found: list[Observation] = []
        if report.state == RUNAWAY and (before is None or before.state != RUNAWAY):
            count = f"of payout {report.payout} of {report.asked} its sensor has counted {report.seen}"
            found.append(HopperRanAway(t_ns=seen.t_ns, detail=f"{WHY[RUNAWAY]}: {count}"))
        fresh = not self._compared
        found += self._compare(seen.t_ns)
        if fresh and self._compared:
            self._pay(seen.t_ns)
        elif self._pay_ns < NEVER_NS:
            self._pay_ns = seen.t_ns + PAY_NS if self._plan is not None else NEVER_NS
        return found

    def _compare(self, t_ns: int) -> list[Observation]:
        """What the last payout and the counter prove together."""
        if self._counts is None or self._hopper is None:
            return []
        first, self._compared = not self._compared, True
        found: list[Observation] = []
        if first:
            found = self._identified(t_ns, self._hopper, self._counts)
        if self._plan is not None and self._released:
            found += self._followed(t_ns, self._plan, self._hopper, self._counts)
        return found if self._plan is not None else found + self._beside(t_ns)

    def _identified(self, t_ns: int, report: HopperReport, counts: BoardCounted) -> list[Observation]:
        """A session has begun: its board is the one of the mark, or what that one has paid of a payout is not known."""
        plan = self._plan
        mark = self._mark or HopperMark(self._serial, counts.paid_out)
        strange = self._strange(mark, report, counts)
        found = self._set_mark(t_ns, counts.paid_out if strange else mark.paid_out)
        if strange and plan is not None:
            self._plan = None
            most = max(self._least or 0, plan.tokens) if self._released else 0
            found.append(_over(t_ns, plan, self._least or 0, most, strange))
        return found

    def _another(self) -> str:
        """That this board has not the serial number that was recorded; empty where it has, or none was recorded."""
        before = None if self._mark is None else self._mark.serial
        if before is None or before == self._serial:
            return ""
        return f"the board had the serial number {before}, and has {self._serial}: it is another board"

    def _strange(self, mark: HopperMark, report: HopperReport, counts: BoardCounted) -> str:
        """Why this may be another board than the one of the mark; empty where it is that one."""
        if another := self._another() or self._doubt:
            return another
        plan = self._plan if self._released else None
        seen = report.seen if plan is not None and report.payout == plan.number else 0
        beside = (counts.paid_out - mark.paid_out) % MODULUS - seen
        # A serial number proves it; without one all has to fit.
        most = MOST_NEW if mark.serial or plan is None or seen == MOST_REPORTED else 0
        lost = plan is not None and self._least is not None and not _has_begun(report, plan)
        if 0 <= beside <= most and not lost:
            return ""
        had = "" if self._least is None else f", with {self._least} of this payout since"
        count = f"its board's counter of paid tokens was {mark.paid_out}{had}, and is {counts.paid_out}"
        last = f"its last payout is {report.payout}, of which {report.seen} left"
        return f"{count}; {last}: it is another board, or its store is lost"

    def _followed(self, t_ns: int, plan: BoardPayout, report: HopperReport, counts: BoardCounted) -> list[Observation]:
        """What its board reports of a payout that may be paid."""
        if plan.number > LAST_PAYOUT:
            return self._end(t_ns, plan, 0, 0, "its number is above those of a board: it was not sent")
        if not _has_begun(report, plan):
            return []
        if report.payout != plan.number:
            # What has left since is of payouts that are not of this account.
            why = f"its board has begun payout {report.payout} since"
            return [*self._set_mark(t_ns, counts.paid_out), *self._end(t_ns, plan, 0, plan.tokens, why)]
        self._least = report.seen
        if report.state == PAYING:
            return []
        state = WHY.get(report.state, f"state {report.state}")
        if report.error:
            state = f"{state}; its error line gave {report.error} pulses"
        # Firmware of before counts a token that came before the motor turned as runaway, and pays the rest.
        goes_on = report.state == RUNAWAY and report.seen < plan.tokens
        if report.seen == report.at_most < MOST_REPORTED and not goes_on:
            return self._end(t_ns, plan, report.seen, report.seen, "" if report.seen == plan.tokens else state)
        detail = f"{report.seen} passed the sensor, and {max(report.at_most, plan.tokens)} may have left: {state}"
        return self._end(t_ns, plan, report.seen, max(report.at_most, plan.tokens), detail)

    def _end(self, t_ns: int, plan: BoardPayout, least: int, most: int, detail: str) -> list[Observation]:
        """A payout is over: what its sensor saw is in the account from now on."""
        self._plan = None
        found: list[Observation] = []
        if self._mark is not None and least:
            found = self._set_mark(t_ns, (self._mark.paid_out + least) % MODULUS)
        return [*found, _over(t_ns, plan, least, most, detail)]

    def _beside(self, t_ns: int) -> list[Observation]:
        """Tokens that left, and that no payout has. A counter below the mark was reported before the payout's end."""
        if self._mark is None or self._counts is None:
            return []
        tokens = (self._counts.paid_out - self._mark.paid_out) % MODULUS
        if not 0 < tokens <= MOST_NEW:
            return []
        return self._set_mark(t_ns, self._counts.paid_out, tokens)

    def _set_mark(self, t_ns: int, paid_out: int, tokens: int = 0) -> list[Observation]:
        """The account has what left up to this value of the counter."""
        mark, before = HopperMark(self._serial, paid_out), self._mark
        self._mark = mark
        return [HopperCounted(t_ns=t_ns, mark=mark, tokens=tokens)] if mark != before else []


def _over(t_ns: int, plan: BoardPayout, least: int, most: int, detail: str) -> BoardPaid:
    return BoardPaid(t_ns=t_ns, number=plan.number, asked=plan.tokens, least=least, most=most, detail=detail)


def _wrapped(number: int) -> int:
    """The number of a payout as a board counts: 1 comes after the last."""
    return (number - 1) % LAST_PAYOUT + 1


def _is_later(number: int, than: int) -> bool:
    return 0 < (number - than) % (LAST_PAYOUT + 1) <= MOST_ABOVE


def _has_begun(report: HopperReport, plan: BoardPayout) -> bool:
    """Whether a board has begun a payout, or a later one."""
    return report.payout != 0 and (report.payout == plan.number or _is_later(report.payout, plan.number))
