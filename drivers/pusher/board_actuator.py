"""Commands a pusher's board, and turns what it counts into tokens, falls and payouts, each once.

    up ──► settings, `counts` ──► counted ──► accept, motor, payout as they are wanted
                                    │ counters: what has happened since the last record, whatever was off meanwhile
    payout: plan ──► durable ──► `pay` under its number ──► `hopper` of that number, not paying ──► ended, or in doubt
                                  └── sent again after every session: the board pays a number once

The board stops the shelf's motor by itself at a stall; it stays stopped until a person has cleared that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from drivers.base.board_counter import BoardCounter
from drivers.base.driver import NEVER_NS, Observation
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
)
from hal.values import Output, SendFrame

MOST_PAID: Final = 200
"""Tokens of one payout (ours): the board reports up to 254."""
MOST_REPORTED: Final = 255
"""A count of the hopper's report that means: this many or more."""
LAST_PAYOUT: Final = 0xFFFF
TRY_AGAIN_NS: Final = 500_000_000
"""From a refusal to the next try (ours)."""
TRIES: Final = 5
"""How often a payout is refused before it is given up (ours)."""
LEVEL_NS: Final = 3_000_000_000
"""This long after a tilt without another the machine hangs straight (ours)."""
MOTOR_NS: Final = 1_800_000_000_000
"""The motor is commanded again this often (ours): its board turns it for an hour at most."""
ALARM_NS: Final = 300_000_000_000
"""The alarm is commanded again this often (ours): its board gives it ten minutes."""
ALARM: Final = 4
"""The output of the alarm."""
STALLED: Final = 3
OVER_CURRENT: Final = 6
PAYING: Final = 1
WHY: Final = {0: "", 2: "it is empty", 3: "more left than was asked", 4: "its sensor is not proven"} | {
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


class TokensWon(Observation, frozen=True, kw_only=True):
    """The counter of tokens that fell to the player has moved."""

    before: int | None
    """Its value as it was recorded; None where nothing was known of it."""
    counter: int


class ShelfBlocked(Observation, frozen=True, kw_only=True):
    """The board has switched the shelf's motor off, or does not limit what it may draw."""

    why: Literal["stalled", "over_current", "unlimited"]


class BoardSilent(Observation, frozen=True, kw_only=True):
    """The board cannot be reached, or is there again."""

    silent: bool


class PusherBoardActuator:
    """The actuator of one board (see `drivers.base.actuator.Actuator`)."""

    observes: frozenset[type[Observation]] = frozenset(
        {PusherBoardUp, BoardAway, BoardCounted, BoardHopper, BoardMotor, BoardRefused}
    )

    def __init__(self, config: PusherBoardConfig, name: str = "board") -> None:
        self.name = name
        self.outputs: list[Output] = []
        self.acceptor = BoardCounter(self._command, config.pulse_ms)
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
        self._unlimited: MotorLimitCommand | None = None
        """The limit of the motor's current that the board refused: it is refused until the limit is sent again."""
        self._moves: bool | None = None
        self._hopper: HopperReport | None = None
        self._plan: BoardPayout | None = None
        self._released = False
        self._refusals = 0
        self._again_ns = NEVER_NS
        """When what was refused is tried again."""
        self._motor_ns = NEVER_NS
        self._alarm_ns = NEVER_NS
        self._level_ns = NEVER_NS

    # --- what the game commands ------------------------------------------------------------------------------------

    def restore_won(self, counter: int | None) -> None:
        """Continues from the counter of falls as it was recorded."""
        self._won = counter

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
        room = self._hopper is not None and self._hopper.payout < LAST_PAYOUT
        return self._config.hopper and self._up and known and room and self._plan is None

    def make_plan(self, number: int, tokens: int) -> BoardPayout:
        """Plans a payout; its number is above the board's last. Raises ValueError where it is not ready."""
        if not self.ready_to_pay() or self._hopper is None or self._counts is None:
            raise ValueError(f"{self.name}: payout {number} cannot be planned now")
        number = max(number, self._hopper.payout + 1)
        self._plan = BoardPayout(number, min(tokens, MOST_PAID), self._counts.paid_out)
        self._released = False
        return self._plan

    def release(self, number: int, t_ns: int) -> None:
        """The plan is durable: it may be paid."""
        if self._plan is not None and self._plan.number == number and not self._released:
            self._released, self._refusals = True, 0
            self._pay(t_ns)

    def resume(self, plan: BoardPayout) -> None:
        """Continues with a payout that was recorded before: it is sent to the board again, which pays it once."""
        self._plan, self._released, self._refusals = plan, True, 0

    # --- the actuator ----------------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int:
        """Its next deadline."""
        return min(self._again_ns, self._motor_ns, self._alarm_ns, self._level_ns, self.acceptor.due_ns)

    def observe(self, seen: Observation) -> Sequence[Observation]:
        """Takes what the board reports."""
        t_ns = seen.t_ns
        match seen:
            case PusherBoardUp():
                return self._came_up(t_ns)
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
        if self._alarm_ns <= t_ns:
            self._drive_alarm(t_ns)
        if self._level_ns <= t_ns:
            self._level_ns = NEVER_NS
            return [Tilted(t_ns=t_ns, tilted=False)]
        return []

    def rest(self, t_ns: int) -> list[Output]:
        """Stops what moves; what a hopper pays is recorded, and is counted at the next start."""
        return [SendFrame(self._config.link, carried(AllSafeCommand()), t_ns)]

    # --- the session -----------------------------------------------------------------------------------------------

    def _came_up(self, t_ns: int) -> list[Observation]:
        self._up, self._counts, self._hopper = True, None, None
        self._unlimited = None  # the link has sent it in this session, before anything else
        config = self._config
        if config.hopper:
            self._command(HopperCommand(config.token_ms, int(config.turns_back), 0, 0), t_ns)
        self.acceptor.begin(t_ns)
        return []

    def _went(self, t_ns: int) -> list[Observation]:
        if not self._up:
            return []
        self._up, self._counts, self._hopper = False, None, None
        self._moves = None
        self.acceptor.end()
        self._again_ns = self._motor_ns = self._alarm_ns = NEVER_NS
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
        self._command(MotorCommand(self._config.speed if turns else 0, 0, 0), t_ns)

    def _drive_alarm(self, t_ns: int) -> None:
        self._alarm_ns = t_ns + ALARM_NS if self._alarm and self._up else NEVER_NS
        self._command(SetCommand(ALARM, 0, 0), t_ns)
        if self._alarm:
            self._command(SetCommand(ALARM, 255, 0), t_ns)

    def _pay(self, t_ns: int) -> None:
        if self._plan is not None and self._released and self._counts is not None and self._hopper is not None:
            self._command(PayCommand(self._plan.number, self._plan.tokens), t_ns)

    # --- what it counts --------------------------------------------------------------------------------------------

    def _counted(self, seen: BoardCounted) -> list[Observation]:
        t_ns, found = seen.t_ns, self.acceptor.counted(seen.t_ns, seen.tokens_in)
        first, self._counts = self._counts is None, seen
        if seen.won != self._won:
            found.append(TokensWon(t_ns=t_ns, before=self._won, counter=seen.won))
            self._won = seen.won
        if self._tilts is not None and seen.tilts != self._tilts:
            self._level_ns = t_ns + LEVEL_NS
            found.append(Tilted(t_ns=t_ns, tilted=True))
        self._tilts = seen.tilts
        if first:
            found.append(BoardSilent(t_ns=t_ns, silent=False))
            self._command_all(t_ns)
        return found

    def _motor_reported(self, seen: BoardMotor) -> list[Observation]:
        moves = seen.speed != 0
        blocked = seen.why in (STALLED, OVER_CURRENT)
        if moves == self._moves and not blocked:
            return []
        self._moves = moves
        if moves:
            return [ShelfMoves(t_ns=seen.t_ns)]
        if blocked and not self._stalled:
            self._stalled, self._motor_ns = True, NEVER_NS
            return [ShelfBlocked(t_ns=seen.t_ns, why="over_current" if seen.why == OVER_CURRENT else "stalled")]
        if self._shelf and not self._stalled:
            self._again_ns = seen.t_ns + TRY_AGAIN_NS
        return []

    def _refused(self, seen: BoardRefused) -> list[Observation]:
        plan = self._plan
        if seen.why == RefusalCode.SILENT:
            self._command(AllSafeCommand(), seen.t_ns)
        if isinstance(seen.command, MotorLimitCommand) and seen.why:
            self._stalled, self._unlimited = True, seen.command
            self._drive_shelf(seen.t_ns)
            return [ShelfBlocked(t_ns=seen.t_ns, why="unlimited")]
        if isinstance(seen.command, PayCommand) and plan is not None and seen.command.payout == plan.number:
            self._refusals += 1
            if seen.why and self._refusals >= TRIES:
                self._plan = None
                why = f"its board refuses: {RefusalCode(seen.why).name.lower()}"
                # A board that has begun it may have paid, whatever it refuses since.
                begun = self._hopper is not None and self._hopper.payout >= plan.number
                least = self._hopper.seen if begun and self._hopper is not None else 0
                return [_over(seen.t_ns, plan, least, plan.tokens if begun else 0, why)]
        self._again_ns = min(self._again_ns, seen.t_ns + TRY_AGAIN_NS)
        return []

    def _hopper_reported(self, seen: BoardHopper) -> list[Observation]:
        report, plan, t_ns = seen.report, self._plan, seen.t_ns
        first, self._hopper = self._hopper is None, report
        if plan is None or not self._released:
            return []
        if report.payout < plan.number:
            if first:
                self._pay(t_ns)
            return []
        if report.payout > plan.number:
            self._plan = None
            return [_over(t_ns, plan, 0, plan.tokens, f"its board has begun payout {report.payout} since")]
        if report.state == PAYING:
            return []
        self._plan = None
        state = WHY.get(report.state, f"state {report.state}")
        if report.seen == report.at_most < MOST_REPORTED:
            return [_over(t_ns, plan, report.seen, report.seen, "" if report.seen == plan.tokens else state)]
        detail = f"{report.seen} passed the sensor, and {report.at_most} may have left: {state}"
        return [_over(t_ns, plan, report.seen, max(report.at_most, plan.tokens), detail)]


def _over(t_ns: int, plan: BoardPayout, least: int, most: int, detail: str) -> BoardPaid:
    return BoardPaid(t_ns=t_ns, number=plan.number, asked=plan.tokens, least=least, most=most, detail=detail)
