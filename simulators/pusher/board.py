"""A simulated pusher board, as docs/wire.md has it: it counts, drives and pays by itself, and reports as frames.

Its counters and its last payout survive power cuts; a payout is paid once, however often it is commanded.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final

from hal.board.carried import RefusedCommand, carried, command_in
from hal.board.message import BoardCommand, BoardReport
from hal.board.messages import (
    KINDS,
    PROTOCOL,
    AcceptCommand,
    AllSafeCommand,
    CountsCommand,
    CountsReport,
    HopperReport,
    IdentityAnswer,
    MotorCommand,
    MotorReport,
    PayCommand,
    RefusalCode,
    SensorsReport,
    SetCommand,
    TestCommand,
)
from hal.board.standing import StandingReports
from hal.values import EdgesLost, Frame, Loss, Output, Rare, SendFrame
from simulators.base.limited_output import LimitedOutput

OPENED_NS: Final = 100_000_000
"""From its power to its session (ours)."""
PROVEN_NS: Final = 100_000_000
"""From the opening of its session until that is proven and takes commands (ours; a link takes about 2 s)."""
PULSE_NS: Final = 60_000_000
"""A token in the acceptor is counted this soon."""
TOKEN_NS: Final = 143_000_000
STALL_NS: Final = 600_000_000
"""A motor whose shaft is at rest is stopped this soon."""
EMPTY_NS: Final = 1_500_000_000
"""Without a token for this long the hopper is empty."""
MAY_HAVE_LEFT: Final = 11
"""Tokens that an empty hopper may have paid past a blind sensor in that time."""
PAID, PAYING, EMPTY, CUT_SHORT = 0, 1, 2, 5
TOLD, LONGEST, STALL, INTERLOCK = 0, 1, 3, 5
ALARM: Final = 4

Deed = Callable[["PusherBoardSimulator", int], None]


class PusherBoardSimulator:
    """One board, and the tokens that it has seen: the truth."""

    def __init__(self, link: str, *, tokens: int = 500) -> None:
        """`tokens` are in its hopper."""
        self.link = link
        self.tokens = tokens
        self.tokens_in = self.paid_out = self.won = self.tilts = 0
        self.returned = 0
        kind = KINDS["pusher"]
        self._motor, self._accept, self._alarm = (LimitedOutput(kind, name) for name in ("motor", "accept", "alarm"))
        self.shaft_stuck = False
        self._up = False
        """Whether its session takes commands."""
        self._opened_ns: int | None = None
        """When its session was opened; None while none is open."""
        self._standing = StandingReports()
        self._speed = 0
        self._payout = (0, 0, 0, 0, PAID)
        """Number, asked, seen, at most, state."""
        self._planned: list[tuple[int, int, Deed]] = []
        self._count = 0
        self._rare: list[Rare] = []
        self.plan(OPENED_NS, lambda board, t_ns: board.come_up(t_ns))

    @property
    def accepts(self) -> bool:
        """Whether its acceptor takes tokens."""
        return self._accept.on

    @property
    def alarm(self) -> bool:
        """Whether its alarm is on."""
        return self._alarm.on

    # --- what happens to it ----------------------------------------------------------------------------------------

    def plan(self, t_ns: int, deed: Deed) -> None:
        """Something happens at a time."""
        self._count += 1
        heappush(self._planned, (t_ns, self._count, deed))

    def insert(self, t_ns: int) -> None:
        """A token is put in."""
        self._accept.ends(t_ns)
        if not self.accepts:
            self.returned += 1
            return
        self.tokens_in += 1
        self.plan(t_ns + PULSE_NS, lambda board, at_ns: board.counts(at_ns))

    def fall(self, t_ns: int) -> None:
        """A token falls to the player."""
        self.won += 1
        self.counts(t_ns)

    def tilt(self, t_ns: int) -> None:
        """The bob swings: no token is taken, and the shelf is at rest."""
        self.tilts += 1
        self._accept.make_safe()
        self._stand(t_ns, INTERLOCK)
        self.counts(t_ns)

    def come_up(self, t_ns: int) -> None:
        """A session is opened: all outputs are safe. What it reports now is lost, except for what stands."""
        self._make_safe()
        self._opened_ns = t_ns
        self._standing.begin()
        self._report(SensorsReport(0x3F, 0, 0), t_ns)
        self._hopper(t_ns)
        self.plan(t_ns + PROVEN_NS, lambda board, at_ns: board._proven(t_ns, at_ns))

    def _proven(self, opened_ns: int, t_ns: int) -> None:
        if self._opened_ns != opened_ns:
            return
        self._up = True
        kind = KINDS["pusher"]
        identity = IdentityAnswer(
            protocol=PROTOCOL, dictionary=0, kind=kind.id, major=1, minor=0, patch=0, build=0, serial=0, boots=1,
            cause=1, inputs=len(kind.inputs), outputs=len(kind.outputs), analogues=0, counters=len(kind.counters),
            oldest=2, hung_at=0,
        )  # fmt: skip
        self._rare.append(Frame(self.link, carried(identity), t_ns))
        self._rare += [Frame(self.link, carried(report), t_ns) for report in self._standing.last()]

    def unplug(self, t_ns: int) -> None:
        """Its cable is out: the dead-man makes all safe."""
        self._make_safe()
        self._opened_ns = None
        self._rare.append(EdgesLost(self.link, Loss.UNPLUGGED, t_ns))

    def _make_safe(self) -> None:
        self._up, self._speed = False, 0
        for output in (self._motor, self._accept, self._alarm):
            output.make_safe()

    # --- what it reports -------------------------------------------------------------------------------------------

    def _report(self, report: BoardReport, t_ns: int) -> None:
        self._standing.take(report)
        if self._up:
            self._rare.append(Frame(self.link, carried(report), t_ns))

    def counts(self, t_ns: int) -> None:
        """Reports its counters."""
        self._report(CountsReport(self.tokens_in, self.paid_out, self.won, self.tilts), t_ns)

    def _hopper(self, t_ns: int) -> None:
        self._report(HopperReport(*self._payout, 0), t_ns)

    def _stand(self, t_ns: int, why: int) -> None:
        if self._speed:
            self._speed = 0
            (self._motor.hold if why == STALL else self._motor.make_safe)()
            self._report(MotorReport(0, 0, 0, 0, why), t_ns)

    @property
    def next_answer_ns(self) -> int | None:
        """When something comes next."""
        dues = [*(t_ns for t_ns, _, _ in self._planned[:1]), *(one.t_ns for one in self._rare[:1])]
        return min(dues, default=None)

    def answers(self, until_ns: int) -> list[Rare]:
        """What it reports up to then; each of it once."""
        while self._planned and self._planned[0][0] <= until_ns:
            t_ns, _, deed = heappop(self._planned)
            deed(self, t_ns)
        self._look_at_motor(until_ns)
        found, self._rare = self._rare, []
        return found

    # --- its commands ---------------------------------------------------------------------------------------------

    def command(self, output: Output) -> None:
        """The host sends a command; its answer, where it is refused, comes with the next report."""
        if not isinstance(output, SendFrame) or output.link != self.link or not self._up:
            return
        command, t_ns = command_in(output.data), output.t_ns + 2_000_000
        why = self._do(command, t_ns)
        if why is not None:
            self._rare.append(Frame(self.link, carried(RefusedCommand(why, command)), t_ns))

    def _do(self, command: BoardCommand, t_ns: int) -> int | None:
        if isinstance(command, AcceptCommand):
            return None if self._accept.set(bool(command.on), t_ns) else RefusalCode.HELD_SAFE
        if isinstance(command, CountsCommand):
            self.counts(t_ns)
        elif isinstance(command, SetCommand) and command.output == ALARM:
            return None if self._alarm.set(bool(command.value), t_ns) else RefusalCode.HELD_SAFE
        elif isinstance(command, AllSafeCommand):
            self._accept.make_safe()
            self._alarm.make_safe()
            self._stand(t_ns, TOLD)
        elif isinstance(command, MotorCommand):
            return self._turn(command.speed, t_ns)
        elif isinstance(command, PayCommand):
            return self._pay(command, t_ns)
        elif isinstance(command, TestCommand):
            self._rare.append(Frame(self.link, carried(command), t_ns))
        return None

    def _turn(self, speed: int, t_ns: int) -> int | None:
        self._look_at_motor(t_ns)
        if not speed:
            self._stand(t_ns, TOLD)
        if not self._motor.set(speed != 0, t_ns):
            return RefusalCode.HELD_SAFE
        if speed and not self._speed:
            self._speed = speed
            self._report(MotorReport(0, speed, 0, 0, TOLD), t_ns)
            self._look_at_shaft(t_ns)
        return None

    def _look_at_motor(self, t_ns: int) -> None:
        ended_ns = self._motor.ends(t_ns)
        if ended_ns is not None:
            self._speed = 0
            self._report(MotorReport(0, 0, 0, 0, LONGEST), ended_ns)

    def block_shelf(self, t_ns: int, blocked: bool) -> None:
        """Something blocks the shelf, or no longer does."""
        self.shaft_stuck = blocked
        self._look_at_shaft(t_ns)

    def _look_at_shaft(self, t_ns: int) -> None:
        if self.shaft_stuck and self._speed:
            self.plan(t_ns + STALL_NS, lambda board, at_ns: board._stand(at_ns, STALL) if board.shaft_stuck else None)

    def _pay(self, command: PayCommand, t_ns: int) -> int | None:
        number, asked, _, _, state = self._payout
        if command.payout == number:
            if command.tokens != asked:
                return RefusalCode.WRONG_VALUE
            self._hopper(t_ns)
            return None
        if (number and (command.payout - number) % 0x10000 > 0x7FFF) or state == PAYING:
            return RefusalCode.BUSY if state == PAYING else RefusalCode.WRONG_VALUE
        self._payout = (command.payout, command.tokens, 0, 0, PAYING)
        self._hopper(t_ns)
        self._next_token(t_ns)
        return None

    def _next_token(self, t_ns: int) -> None:
        after_ns = TOKEN_NS if self.tokens else EMPTY_NS
        self.plan(t_ns + after_ns, lambda board, at_ns: board._token_leaves(at_ns))

    def _token_leaves(self, t_ns: int) -> None:
        number, asked, seen, _, state = self._payout
        if state != PAYING:
            return
        if not self.tokens:
            self._payout = (number, asked, seen, seen + MAY_HAVE_LEFT, EMPTY)
            self._hopper(t_ns)
            return
        self.tokens -= 1
        self.paid_out += 1
        seen += 1
        self._payout = (number, asked, seen, seen, PAID if seen == asked else PAYING)
        self.counts(t_ns)
        self._hopper(t_ns)
        if seen < asked:
            self._next_token(t_ns)
