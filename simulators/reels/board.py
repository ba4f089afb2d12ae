"""A model of the board that steps the reels, for a table without one: commands in, steps and reports out.

It counts steps and tokens, aims, brakes and reports as docs/boards-wiring.md and docs/wire.md describe for a board of
the kind reel; what it does not have are the board's own tests of its sensors, its supply and its clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from drivers.reels.reels_wire import AIM_AHEAD, REELS_A_BOARD, UNKNOWN_STEP, ramp_ticks
from hal.board.carried import RefusedCommand, carried, command_in
from hal.board.message import BoardCommand
from hal.board.messages import (
    KINDS,
    TICK_HZ,
    AcceptCommand,
    AcceptorCommand,
    AllSafeCommand,
    ArmCommand,
    CountsCommand,
    CountsReport,
    IdentityAnswer,
    ReelCommand,
    ReelReport,
    RefusalCode,
    SensorsReport,
    SetCommand,
    SpinCommand,
    StopCommand,
    TestCommand,
)
from hal.board.standing import StandingReports
from hal.values import Frame
from simulators.base.limited_output import LimitedOutput

NEVER_NS: Final = 1 << 62
TICK_NS: Final = 1_000_000_000 // TICK_HZ
BEGINS_NS: Final = 1_500_000
"""From a command to its answer, the first step and its report (ours)."""
PRESS_NS: Final = 1_000_000
TOKEN_NS: Final = 60_000_000
"""From a token in the acceptor to the end of its pulse, which the board counts (ours)."""
REPORT_NS: Final = 100_000_000
NOT_ENDING: Final = 0xFFFF
TESTED: Final = 0x7F
"""The inputs whose sensors its board tests: all but that of the supply."""
NO_HOME: Final = 1
BLOCKED: Final = 2
RAMP: Final = tuple(ramp_ticks())


@dataclass
class _Stepper:
    """One reel as the board counts it."""

    steps: int = 200
    symbols: int = 20
    spin_ns: int = 500_000_000
    slip: int = 6
    home_least: int = 1
    home_most: int = 50
    on: bool = False
    next_ns: int = NEVER_NS
    """When it makes its next step."""
    began_ns: int = 0
    ends_ns: int = NEVER_NS
    top: int = 0
    level: int = 0
    period: int = 0
    togo: int = NOT_ENDING
    step: int = 0
    known: bool = False
    aim: int | None = None
    dark: int = 0
    rose: int = 0
    begun_dark: bool = False
    width: int = 0
    laps: int = 0
    armed: bool = False
    by_button: bool = False
    pressed_ns: int = NEVER_NS
    off: int = 0
    slips: int = 0
    why: int = 0
    report_ns: int = NEVER_NS
    """When it is reported next."""


class ReelBoard:
    """One board with up to three reels. Times are the simulated machine's."""

    def __init__(self, link: str, home: Callable[[int], int], stepped: Callable[[int, int], None], reels: int) -> None:
        """`home(number)` is the level of a home sensor now, `stepped(number, t_ns)` is called for each step."""
        self.link = link
        self.frames: list[Frame] = []
        """What it has sent and nobody has taken."""
        self.down = False
        """Whether its cable is out: it hears nothing, and what it sends is lost."""
        self._accept = LimitedOutput(KINDS["reel"], "accept")
        self.tokens_in = 0
        """What it has ever counted: its store keeps that, whatever is off."""
        self._pulses_ns: list[int] = []
        """When the pulses that have begun end."""
        self._up_ns = NEVER_NS
        """When it comes up."""
        self._home = home
        self._stepped = stepped
        self._reels = {number: _Stepper() for number in range(1, min(reels, REELS_A_BOARD) + 1)}

    @property
    def next_ns(self) -> int:
        """When it does something next by itself."""
        reels_ns = min(min(one.next_ns, one.report_ns, self._pressed_due(one)) for one in self._reels.values())
        return min(reels_ns, self._up_ns, *self._pulses_ns[:1])

    @property
    def accepts(self) -> bool:
        """Whether its acceptor takes tokens."""
        return self._accept.on

    @property
    def turning(self) -> bool:
        """Whether one of its reels turns."""
        return any(one.on for one in self._reels.values())

    def turns(self, number: int) -> bool:
        """Whether a reel turns, and is not braked for a stop."""
        reel = self._reels[number]
        return reel.on and reel.known and reel.level == reel.top and reel.togo == NOT_ENDING

    def begin(self, t_ns: int) -> None:
        """The board is up again: what it reported when its session was opened is delivered then."""
        self.down = False
        self._up_ns = t_ns

    def lose(self) -> None:
        """The cable is out: the dead-man halts the reels."""
        self.down = True
        self._accept.make_safe()
        self.frames.clear()
        for one in self._reels.values():
            self._halt(one)
            one.report_ns = NEVER_NS

    # --- commands ------------------------------------------------------------------------------------------------

    def command(self, data: bytes, t_ns: int) -> None:
        """A frame of the host."""
        if self.down:
            return
        command = command_in(data)
        why = self._do(command, t_ns)
        if why:
            self.frames.append(Frame(self.link, carried(RefusedCommand(why, command)), t_ns + BEGINS_NS))

    def _do(self, command: BoardCommand, t_ns: int) -> int:
        if isinstance(command, AllSafeCommand):
            for one in self._reels.values():
                self._halt(one)
            self._accept.make_safe()
            return 0
        if isinstance(command, AcceptCommand):
            return 0 if self._accept.set(bool(command.on), t_ns) else RefusalCode.HELD_SAFE
        if isinstance(command, AcceptorCommand):
            return 0
        if isinstance(command, TestCommand):
            if self.turning:
                return RefusalCode.BUSY
            self.frames.append(Frame(self.link, carried(command), t_ns + BEGINS_NS))
            return 0
        if isinstance(command, CountsCommand):
            self._report_counts(t_ns + BEGINS_NS)
            return 0
        if isinstance(command, SetCommand):
            reel = self._reels.get(command.output)
            if reel is None or command.value:
                return RefusalCode.WRONG_VALUE
            self._halt(reel)
            reel.why = 0
            return 0
        reel = self._reels.get(getattr(command, "reel", 0))
        if reel is None:
            return RefusalCode.WRONG_VALUE
        if isinstance(command, ReelCommand):
            return self._configure(reel, command)
        if isinstance(command, SpinCommand):
            return self._spin(reel, command, t_ns)
        if isinstance(command, ArmCommand):
            if command.on and not reel.on:
                return RefusalCode.NOT_SAFE
            reel.armed = bool(command.on)
            return 0
        if isinstance(command, StopCommand):
            self._stop(reel, command)
            return 0
        return RefusalCode.UNKNOWN_COMMAND

    def _configure(self, reel: _Stepper, command: ReelCommand) -> int:
        if reel.on:
            return RefusalCode.BUSY
        if command.steps != reel.steps:
            reel.known = False
        reel.steps, reel.symbols = command.steps, command.symbols
        reel.spin_ns, reel.slip = command.spin_ms * 1_000_000, command.slip
        reel.home_least, reel.home_most = command.home_least, command.home_most
        return 0

    def _spin(self, reel: _Stepper, command: SpinCommand, t_ns: int) -> int:
        period = TICK_HZ // command.steps_per_s
        if RAMP[-1] > period:
            return RefusalCode.WRONG_VALUE
        top = next(level for level, ticks in enumerate(RAMP, 1) if ticks <= period)
        if (top + AIM_AHEAD + -(-reel.steps // reel.symbols)) * reel.symbols > reel.slip * reel.steps:
            return RefusalCode.WRONG_VALUE
        if reel.on:
            return RefusalCode.BUSY
        if reel.why:
            return RefusalCode.HELD_SAFE
        if not reel.known:
            reel.step = 0
        reel.begun_dark = bool(self._home(self._number(reel)))
        reel.dark = int(reel.begun_dark)
        reel.level, reel.top, reel.period = 0, top, period
        reel.togo, reel.laps, reel.aim = NOT_ENDING, 0, None
        reel.armed = reel.by_button = False
        reel.on, reel.next_ns, reel.began_ns = True, t_ns + BEGINS_NS, t_ns
        reel.ends_ns = t_ns + command.for_ms * 1_000_000 if command.for_ms else NEVER_NS
        reel.report_ns = t_ns + BEGINS_NS
        return 0

    def _stop(self, reel: _Stepper, command: StopCommand) -> None:
        if not reel.on:
            return
        if command.step != UNKNOWN_STEP:
            reel.aim = command.step
            self._steer(reel)
        elif not self._stop_at_symbol(reel) and reel.togo > reel.level:
            reel.togo, reel.aim = reel.level, None

    # --- tokens --------------------------------------------------------------------------------------------------

    def insert(self, t_ns: int) -> bool:
        """A token is put into the acceptor. Returns whether that takes it; otherwise it comes back."""
        self._accept.ends(t_ns)
        if self.accepts:
            self._pulses_ns.append(t_ns + TOKEN_NS)
        return self.accepts

    def _report_counts(self, t_ns: int) -> None:
        if not self.down:
            self.frames.append(Frame(self.link, carried(CountsReport(self.tokens_in, 0, 0, 0)), t_ns))

    # --- turning -------------------------------------------------------------------------------------------------

    def press(self, number: int, t_ns: int) -> None:
        """A reel's button goes down."""
        self._reels[number].pressed_ns = t_ns

    def let_go(self, number: int, t_ns: int) -> None:
        """… and up again."""
        reel = self._reels[number]
        if t_ns < reel.pressed_ns + PRESS_NS:
            reel.pressed_ns = NEVER_NS

    def run_next(self) -> None:
        """Does what is due next."""
        t_ns = self.next_ns
        if self._up_ns <= t_ns:
            self._up_ns = NEVER_NS
            identity = IdentityAnswer.unpack(bytes(IdentityAnswer.layout.size))
            standing = StandingReports()
            standing.take(SensorsReport(TESTED, 0, 0))
            for number, reel in self._reels.items():
                standing.take(self._state(number, reel, t_ns))
            self.frames.append(Frame(self.link, carried(identity), t_ns))
            self.frames += [Frame(self.link, carried(report), t_ns) for report in standing.last()]
        while self._pulses_ns and self._pulses_ns[0] <= t_ns:
            del self._pulses_ns[0]
            self.tokens_in += 1
            self._report_counts(t_ns)
        for number, reel in self._reels.items():
            if self._pressed_due(reel) <= t_ns:
                reel.pressed_ns = NEVER_NS
                early = t_ns - reel.began_ns < reel.spin_ns
                if reel.armed and not early and self._stop_at_symbol(reel):
                    reel.by_button, reel.report_ns = True, t_ns
            if reel.next_ns <= t_ns:
                self._step(number, reel, t_ns)
            if reel.report_ns <= t_ns:
                self._report(number, reel, t_ns)

    def _pressed_due(self, reel: _Stepper) -> int:
        return NEVER_NS if reel.pressed_ns == NEVER_NS else reel.pressed_ns + PRESS_NS

    def _step(self, number: int, reel: _Stepper, t_ns: int) -> None:
        self._look_at_home(reel, bool(self._home(number)))
        if t_ns >= reel.ends_ns and reel.togo > reel.level:
            reel.togo = reel.level
        if reel.togo == 0:
            reel.on, reel.next_ns, reel.report_ns, reel.ends_ns = False, NEVER_NS, t_ns, NEVER_NS
            reel.armed = False
            return
        if reel.laps >= 2 or reel.dark > reel.home_most:
            reel.why = NO_HOME if reel.laps >= 2 else BLOCKED
            self._halt(reel)
            reel.known = False
            reel.slips = (reel.slips + 1) & 0xFFFF
            reel.report_ns = t_ns
            return
        reel.step += 1
        if reel.step >= reel.steps:
            reel.step, reel.laps = 0, reel.laps + 1
        if reel.togo != NOT_ENDING:
            reel.togo -= 1
        if reel.togo < reel.level:
            reel.level = reel.togo
        elif reel.togo > reel.level and reel.level < reel.top:
            reel.level += 1
        ticks = reel.period if reel.level == reel.top else RAMP[max(0, reel.level - 1)]
        reel.next_ns = t_ns + ticks * TICK_NS
        self._stepped(number, t_ns)

    def _look_at_home(self, reel: _Stepper, home: bool) -> None:
        if not home:
            if reel.dark >= reel.home_least and not reel.begun_dark:
                reel.width = reel.dark
            reel.dark, reel.begun_dark = 0, False
            return
        if reel.dark == 0:
            reel.rose = reel.step
        reel.dark += 1
        if reel.dark != reel.home_least or reel.begun_dark:
            return
        if reel.known:
            reel.off = reel.rose if reel.rose <= reel.steps // 2 else reel.rose - reel.steps
            if abs(reel.off) > reel.steps // (2 * reel.symbols):
                reel.slips = (reel.slips + 1) & 0xFFFF
        reel.step, reel.laps, reel.known = (reel.step - reel.rose) % reel.steps, 0, True
        self._steer(reel)

    def _steer(self, reel: _Stepper) -> None:
        if not reel.known or reel.aim is None:
            return
        left = reel.aim - reel.step + (0 if reel.aim > reel.step else reel.steps)
        if left < reel.level and reel.togo == NOT_ENDING:
            left += reel.steps
        if reel.togo > reel.level and left >= reel.level:
            reel.togo = left

    def _stop_at_symbol(self, reel: _Stepper) -> bool:
        if not reel.on or not reel.known or reel.togo <= reel.level:
            return False
        least = reel.step + reel.level + AIM_AHEAD
        symbol = -(-least * reel.symbols // reel.steps)
        step = symbol * reel.steps // reel.symbols
        if step < least:
            step = (symbol + 1) * reel.steps // reel.symbols
        reel.aim = step % reel.steps
        self._steer(reel)
        return True

    def _halt(self, reel: _Stepper) -> None:
        if reel.on:
            reel.known = reel.known and reel.level <= 1
        reel.on, reel.next_ns, reel.aim, reel.ends_ns = False, NEVER_NS, None, NEVER_NS
        reel.armed = False

    def _report(self, number: int, reel: _Stepper, t_ns: int) -> None:
        reel.report_ns = t_ns + REPORT_NS if reel.on else NEVER_NS
        self.frames.append(Frame(self.link, carried(self._state(number, reel, t_ns)), t_ns))

    def _state(self, number: int, reel: _Stepper, t_ns: int) -> ReelReport:
        return ReelReport(
            (t_ns // TICK_NS) & 0xFFFFFFFF,
            number,
            int(reel.on),
            reel.step if reel.known else UNKNOWN_STEP,
            reel.slips,
            int(reel.by_button),
            reel.off,
            reel.width,
            reel.why,
        )

    def _number(self, reel: _Stepper) -> int:
        return next(number for number, one in self._reels.items() if one is reel)
