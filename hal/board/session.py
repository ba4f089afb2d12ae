"""A host's session with one board: identified, opened, proven, kept alive; each command is executed exactly once.

    off ──connected──► identify ──expected board───► open ──ok──► prove ──clock known, link good──► up
     ▲                  ▲  │ another board          ▲               │ a report of the opening lost  │
     │                  │  │                        └───────────────┤                               │
     │                  │  └──► refused, asked again ──┐            │                               │
     │                  └──────────────────────────────┴────────────┴── reset, silent, broken ──────┘
     └── disconnected, from anywhere

Sans-I/O: bytes and times go in, bytes and events come out. The owner calls `due` at `next_due_ns` and after `submit`;
after each call it writes the bytes of `take_output` and handles the events of `take_events`.

A board that was reset has no session and refuses every command of the old one. When a session ends for any other
reason, the host stays silent until the board's dead-man has made the outputs safe.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Final, NamedTuple, TypeAlias

from hal.board import down_reasons as reasons
from hal.board import frames
from hal.board import identity as identity_check
from hal.board.chips import ATMEGA328P, PICOS, Chip
from hal.board.clock import ClockMap
from hal.board.command_channel import (
    LOST_AFTER_NS,
    AnsweredCommand,
    CommandChannel,
    CommandDone,
    PendingCommands,
    not_sent,
)
from hal.board.errors import BoardError, command_name
from hal.board.identity import ExpectedBoard
from hal.board.inbox import Inbox, ReceivedMessage, StrangeIdentity
from hal.board.message import BoardAnswer, BoardCommand, BoardReport, MessageError
from hal.board.messages import (
    DEADMAN_MS,
    PROTOCOL,
    BootReport,
    ClockAnswer,
    ClockCommand,
    CountsAnswer,
    CountsCommand,
    CountsReport,
    IdentifyCommand,
    IdentityAnswer,
    OpenCommand,
    RefusalCode,
    RefusedAnswer,
    Reset,
)
from hal.board.quality import Quality
from hal.board.standing import StandingReports

PROVE_PERIOD_NS: Final = 19_000_000
"""Between two clock exchanges while the link is being proven (ours)."""
CLOCK_PERIOD_NS: Final = 97_000_000
"""Between two clock exchanges (ours): they also keep the dead-man from acting. Out of step with the board's reports."""
SILENT_NS: Final = (DEADMAN_MS + 100) * 1_000_000
"""After this long without a frame the board's dead-man has certainly acted."""
UNANSWERED_NS: Final = 3_000_000_000
"""A board that does not identify itself for this long is reported (ours): a boot loader may take two seconds."""
UNPROVEN_NS: Final = 10_000_000_000
"""A link that is not proven after this long is reported (ours)."""
REFUSED_PERIOD_NS: Final = 5_000_000_000
"""A refused board is identified again after this long (ours): it may have been replaced or flashed."""


RESET_BY_OPENING_NS: Final = 4_000_000_000
"""A board that begins this soon after its port was opened was reset by that (ours): its boot loader waits up to 2 s."""


class SessionStage(Enum):
    """The stage of a session."""

    OFF = auto()
    """The port is closed."""
    IDENTIFY = auto()
    """The board is being identified."""
    REFUSED = auto()
    """The board is not the expected one; it is identified again later."""
    OPEN = auto()
    """`open` was sent."""
    PROVE = auto()
    """The board's clock and the quality of the link are being measured."""
    UP = auto()
    """The board accepts commands."""

    @property
    def opened(self) -> bool:
        """Whether the board may have the session open."""
        return self in (SessionStage.OPEN, SessionStage.PROVE, SessionStage.UP)

    @property
    def numbered(self) -> bool:
        """Whether the board is known to have the session open: both sides' numbers are counted."""
        return self in (SessionStage.PROVE, SessionStage.UP)


class BoardUp(NamedTuple):
    """The board is the expected one, its clock is known and the link is good: it accepts commands.

    All its outputs are safe, and it watches, counts and samples nothing until commanded again.
    """

    identity: IdentityAnswer
    t_ns: int


class BoardDown(NamedTuple):
    """The board accepts no commands. Raised when it goes down, and again when the reason changes."""

    t_ns: int
    reason: str
    """For people: what happened and what to do."""


class BoardReported(NamedTuple):
    """The board, while up, sent a report; or it is up, and sent this before, when the session was opened."""

    report: BoardReport
    t_ns: int
    """When its last byte was read, or when the board came up."""


SessionEvent: TypeAlias = BoardUp | BoardDown | BoardReported


class SessionEvents:
    """The events not yet taken, and the reason why the board is down; a repeated reason gives no further event."""

    def __init__(self, board: str) -> None:
        self._board = board
        self._events: list[SessionEvent] = []
        self.last_kind = ""
        """The kind of the reason reported last, while the board is down."""
        self.reason = f"board {board!r}: not connected"
        """Why it is down."""

    def take(self) -> list[SessionEvent]:
        """The events since the last call."""
        events, self._events = self._events, []
        return events

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The board is up."""
        self.last_kind = ""
        self._events.append(BoardUp(identity, t_ns))

    def down(self, t_ns: int, reason: str, kind: str = "") -> None:
        """The board is down. A reason of the same `kind` (by default, of the same text) is reported once."""
        self.reason = f"board {self._board!r}: {reason}"
        if self.last_kind != (kind or reason):
            self.last_kind = kind or reason
            self._events.append(BoardDown(t_ns, self.reason))

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """The board sent a report."""
        self._events.append(BoardReported(report, t_ns))


class Session:
    """One board's sessions, one after another. All times are in the host's nanoseconds."""

    def __init__(self, name: str, wanted: ExpectedBoard, draw: Callable[[], int], chip: Chip = ATMEGA328P) -> None:
        """`draw` returns a random 32-bit number for each session; `chip` is what its board is built on."""
        self.name = name
        self.clock = ClockMap(chip.byte_ns)
        """The board's clock in the current session; each session has its own."""
        self.identity: IdentityAnswer | None = None
        """The board's identity; None until it has been received."""
        self.quality = Quality()
        """The quality of the link."""
        self._wanted = wanted
        self._draw = draw
        self._chip = chip
        self._stage = SessionStage.OFF
        self._channel = CommandChannel()
        self.inbox = Inbox()
        """Decodes what is received, and counts what is broken."""
        self.standing = StandingReports()
        """What the board reported of its devices in this session."""
        self._lost = 0
        """Reports of this session that were lost."""
        self._recounts = False
        """Whether the counters are being asked for, because a report was lost that may have had them."""
        self._pending = PendingCommands()
        self._events = SessionEvents(name)
        self._output = bytearray()
        self._now_ns = 0
        self._wake_ns = 0
        """When to send the next `identify` or `clock`."""
        self._sent_ns = 0
        self._silent_until_ns = 0
        self._identifying_since_ns = 0
        self._opened_ns = 0
        self._session = 0
        self._port_opened_ns: int | None = None
        """When the port was opened, until it is known whether that reset the board."""
        self._reset_by_opening = False

    @property
    def up(self) -> bool:
        """Whether the board accepts commands."""
        return self._stage is SessionStage.UP

    @property
    def next_due_ns(self) -> int | None:
        """When `due` must be called; None for never, a past time for at once."""
        if self._stage is SessionStage.OFF:
            return None
        if self._channel.due_ns is not None:
            return self._channel.due_ns
        return self._now_ns if self._pending else self._wake_ns

    def connected(self, t_ns: int) -> None:
        """The port was opened."""
        self._now_ns = t_ns
        if self._stage is not SessionStage.OFF:
            self._end(t_ns, "its port was opened again")
        self._port_opened_ns = t_ns
        self._reset_by_opening = False
        self._start_identify(t_ns)
        self._pending.notify()
        self._send_next(t_ns)

    def disconnected(self, t_ns: int, reason: str) -> None:
        """The port was closed or lost. `reason` says why, for people."""
        self._now_ns = t_ns
        self._end(t_ns, f"its port is down: {reason}")
        self._stage = SessionStage.OFF
        self._output.clear()
        self._pending.notify()

    def restart(self, t_ns: int, reason: str) -> None:
        """Ends the session, if there is one, for a reason given by the owner, and starts another."""
        if self._stage is SessionStage.OFF:
            return
        self._now_ns = t_ns
        self._end(t_ns, reason)
        self._pending.notify()
        self._send_next(t_ns)

    def take(self, piece: bytes, t_ns: int) -> None:
        """Handles the bytes between two zeros, read at `t_ns`; never raises for their content."""
        self._now_ns = t_ns
        if self._stage is SessionStage.OFF:
            return
        received = self.inbox.take(piece)
        if received is None:
            return
        if isinstance(received.message, StrangeIdentity):
            if isinstance(self._channel.command, IdentifyCommand):
                self._refuse(t_ns, identity_check.strange(self._wanted, received.message.fields))
        elif isinstance(received.message, BoardReport):
            self._take_report(received.message, received, t_ns)
        else:
            self._take_answer(received.message, received, t_ns)
        self._judge(t_ns)
        self._pending.notify()
        self._send_next(t_ns)

    def submit(self, command: BoardCommand, done: CommandDone) -> None:
        """Has `command` executed once, after those submitted before it; the owner then calls `due`.

        `done` is called once: with the answer, or with a `SessionEndedError`. If the board is not up it is called at
        once: commands are not kept until the board returns.

        Raises:
            BoardError: this kind of board has no such command, or only the session itself sends it.
            MessageError: a value does not fit its field.
        """
        kind = self._wanted.kind
        if isinstance(command, IdentifyCommand | OpenCommand) or (kind and kind.name not in command.kinds):
            of = "a session" if kind is None else f"a board of kind {kind.name!r}"
            raise BoardError(
                f"board {self.name!r}: {command_name(command)} is not a command for {of}; see docs/wire.md"
            )
        try:
            command.pack(self._channel.protocol)
        except MessageError as error:
            if self._channel.protocol is None:
                raise
            raise BoardError(
                f"board {self.name!r}: {command_name(command)} needs newer firmware ({error}); flash it with: feltwire "
                "boards flash KIND PORT"
            ) from error
        if self._stage is SessionStage.UP:
            self._pending.add(command, done)
        else:
            done(not_sent(command, self._events.reason))

    def due(self, t_ns: int) -> None:
        """Advances the time to `t_ns`: sends what is due, and detects that the board is lost."""
        self._now_ns = t_ns
        if self._stage is SessionStage.OFF:
            return
        command = self._channel.command
        if isinstance(command, IdentifyCommand):
            if t_ns - self._identifying_since_ns >= UNANSWERED_NS:
                self._events.down(t_ns, reasons.unknown(UNANSWERED_NS))
        elif command is not None and self._channel.timed_out(t_ns):
            self._end(t_ns, reasons.silent(command, self._channel.tries, LOST_AFTER_NS))
        self._write(self._channel.resend(t_ns), t_ns)
        self._pending.notify()
        self._send_next(t_ns)

    def take_output(self) -> bytes:
        """Removes and returns the bytes to write to the port."""
        output = bytes(self._output)
        self._output.clear()
        return output

    def take_events(self) -> list[SessionEvent]:
        """Removes and returns the events since the last call, in order."""
        return self._events.take()

    # --- receiving ------------------------------------------------------------------------------------------

    def _take_answer(self, answer: BoardAnswer, received: ReceivedMessage, t_ns: int) -> None:
        answered = self._channel.answered(received.number, answer, received.length, t_ns)
        if answered is None:
            return
        if answered.previous is not None and self._stage.numbered:
            self.quality.exchanged(*answered.previous)
        if isinstance(answer, RefusedAnswer) and self._ends(answered, answer, t_ns):
            return
        self._pending.answered(answer)
        if isinstance(answer, IdentityAnswer):
            self._identified(answer, t_ns)
        elif isinstance(answered.command, OpenCommand):
            self._stage = SessionStage.PROVE
            self._opened_ns = t_ns
            self.inbox.begin()
            self.standing.begin()
            self._lost = 0
            self._wake_ns = t_ns
        elif isinstance(answer, ClockAnswer) and answered.tries == 1:
            # Of several tries, the answer may be to any.
            self.clock.exchange(answered.sent_ns, t_ns, answer, answered.command_bytes, received.length)

    def _ends(self, answered: AnsweredCommand, answer: RefusedAnswer, t_ns: int) -> bool:
        """Whether this refusal ends the session."""
        if answer.why == RefusalCode.NO_SESSION:
            # Only an earlier try can have been executed, before the reset.
            self._end(t_ns, reasons.forgotten(), kind="forgotten", reset=True, may_be_done=answered.tries > 1)
            return True
        if not self._pending.under_way:
            self._end(t_ns, reasons.refuses(answered.command, answer.why))
            return True
        return False

    def _take_report(self, report: BoardReport, received: ReceivedMessage, t_ns: int) -> None:
        if isinstance(report, BootReport):
            if self._stage.opened:
                self._end(t_ns, reasons.reset(report.cause), reset=True)
            return
        if self._stage.numbered:
            self.quality.report_came(received.length, received.lost_before)
            self.standing.take(report)
            self._lost += received.lost_before
        if self._stage is SessionStage.UP:
            self._events.reported(report, t_ns)
            if received.lost_before:
                self._ask_counts()

    def _ask_counts(self) -> None:
        """A report was lost: if it was the last `counts`, nothing would report what it had."""
        if self.identity is None or not self.identity.counters or self._recounts:
            return
        self._recounts = True
        self._pending.add(CountsCommand(), self._counted)

    def _counted(self, result: BoardAnswer | BoardError) -> None:
        self._recounts = False
        if isinstance(result, CountsAnswer) and self._stage is SessionStage.UP:
            counts = CountsReport(result.first, result.second, result.third, result.fourth)
            self._events.reported(counts, self._now_ns)

    # --- stages ---------------------------------------------------------------------------------

    def _start_identify(self, t_ns: int) -> None:
        """Starts to identify the board, once its outputs are safe."""
        self._stage = SessionStage.IDENTIFY
        self._wake_ns = self._identifying_since_ns = max(t_ns, self._silent_until_ns)

    def _identified(self, identity: IdentityAnswer, t_ns: int) -> None:
        self.identity = identity
        if self._events.last_kind == "forgotten":
            self._events.down(t_ns, reasons.reset(identity.cause))
        wrong = identity_check.refusal(self._wanted, identity)
        if wrong is None and self._reset_by_opening:
            wrong = reasons.reset_by_opening()
        if wrong is not None:
            self._refuse(t_ns, wrong)
            return
        self._open(identity, t_ns)

    def _open(self, identity: IdentityAnswer, t_ns: int) -> None:
        number = self._draw() & 0xFFFFFFFF
        # The board would take an equal number for the previous session.
        self._session = number if number != self._session else number ^ 1
        self._stage = SessionStage.OPEN
        self._channel.protocol = identity.protocol if identity.protocol < PROTOCOL else None
        self.clock = ClockMap(self._chip.byte_ns)
        self.quality.prove()
        self._write(self._channel.send_unnumbered(OpenCommand(self._session), t_ns), t_ns)

    def _refuse(self, t_ns: int, reason: str) -> None:
        """The board is not the expected one: it is identified again later."""
        self._channel.abandon()
        self._events.down(t_ns, reason)
        self._stage = SessionStage.REFUSED
        self._wake_ns = t_ns + REFUSED_PERIOD_NS

    def _judge(self, t_ns: int) -> None:
        """Decides from the link and the clock whether the board can be up, or must go down."""
        if not self._stage.numbered:
            return
        if self.clock.failed is not None:
            self._end(t_ns, self.clock.failed)
        elif not self.quality.refused:
            if (
                self._stage is SessionStage.PROVE
                and self.clock.ready
                and self.quality.proven
                and self.identity is not None
            ):
                if self._opening_reset_it(self.identity):
                    self._reset_by_opening = True
                    self._end(t_ns, reasons.reset_by_opening())
                    return
                if self._lost and self._wanted.kind is not None and self.standing.lacks(self._wanted.kind.name):
                    self._channel.abandon()
                    self._open(self.identity, t_ns)  # it states that once, when a session opens
                    return
                self._stage = SessionStage.UP
                self._events.up(self.identity, t_ns)
                for report in self.standing.last():
                    self._events.reported(report, t_ns)
            elif self._stage is SessionStage.PROVE and t_ns - self._opened_ns >= UNPROVEN_NS:
                self._events.down(t_ns, reasons.unproven(self.clock.exchanges, self.quality.figures), "unproven")
        elif self._stage is SessionStage.UP:
            self._end(t_ns, reasons.broken(self.quality.figures), kind="broken")
        else:
            self._events.down(t_ns, reasons.broken(self.quality.figures), "broken")

    def _opening_reset_it(self, identity: IdentityAnswer) -> bool:
        """Whether a board that handles money began because its port was opened; judged once for each opening.

        Such a board must run on while the service restarts: what it would miss or pay twice is money. No line of its
        port resets a Pico, which its supervisor resets whenever its power comes on.
        """
        opened_ns, self._port_opened_ns = self._port_opened_ns, None
        if opened_ns is None or not identity.counters or identity.cause & ~Reset.EXTERNAL or self._chip.name in PICOS:
            return False
        return 0 < self.clock.host_ns(0) - opened_ns < RESET_BY_OPENING_NS

    def _end(self, t_ns: int, reason: str, *, kind: str = "", reset: bool = False, may_be_done: bool = True) -> None:
        """Ends the session, if there is one; every pending command fails, in order."""
        self._events.down(t_ns, reason, kind)
        self._pending.fail_all(self._events.reason, may_be_done=may_be_done)
        self._channel.abandon()
        if not reset and self._stage.opened:
            self._silent_until_ns = self._sent_ns + SILENT_NS
        self._start_identify(t_ns)

    # --- sending -------------------------------------------------------------------------------------------

    def _send_next(self, t_ns: int) -> None:
        """Sends the next command, if one is due and none is under way."""
        if self._channel.command is not None:
            return
        if t_ns < self._wake_ns:
            if self._pending:
                self._write(self._channel.send(self._pending.start_next(), t_ns), t_ns)
        elif self._stage in (SessionStage.IDENTIFY, SessionStage.REFUSED):
            if self._stage is SessionStage.REFUSED:
                self._start_identify(t_ns)
            self._write(frames.END + self._channel.send_unnumbered(IdentifyCommand(), t_ns), t_ns)
        else:
            self._wake_ns = t_ns + (CLOCK_PERIOD_NS if self._stage is SessionStage.UP else PROVE_PERIOD_NS)
            self._write(self._channel.send(ClockCommand(), t_ns), t_ns)

    def _write(self, data: bytes, t_ns: int) -> None:
        if data:
            self._sent_ns = t_ns
            self._output += data
