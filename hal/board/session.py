"""A host's session with one board: identified, opened, proven, kept alive; each command carried out exactly once.

    off ──connected──► identify ──the right board──► open ──ok──► prove ──clock known, link good──► up
     ▲                  ▲  │ the wrong one                          │                               │
     │                  │  └──► refused, asked again ──┐            │                               │
     │                  └──────────────────────────────┴────────────┴── reset, silent, broken ──────┘
     └── disconnected, from anywhere

Sans-I/O: bytes and times go in, bytes and news come out. The owner calls `due` at `next_due_ns`, and after `submit`;
after each call it writes what `take_output` has, and heeds what `take_said` has.

A board that was reset knows no session and says so: nothing that was meant for its former life is carried out. A
session that ended without that leaves the host silent until the board's dead-man has made the outputs safe.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Final, NamedTuple, TypeAlias

from hal.board import down_reasons as reasons
from hal.board import frames
from hal.board import identity as identity_check
from hal.board import session as stages
from hal.board.clock import ClockMap
from hal.board.command_channel import LOST_AFTER_NS, Carried, Courier, Done, Waiting, not_sent
from hal.board.errors import BoardError, command_name
from hal.board.identity import Wanted
from hal.board.inbox import Heard, Inbox, StrangeIdentity
from hal.board.message import Answer, Command, Report
from hal.board.messages import (
    DEADMAN_MS,
    BootReport,
    ClockAnswer,
    ClockCommand,
    IdentifyCommand,
    IdentityAnswer,
    OpenCommand,
    Refusal,
    RefusedAnswer,
)
from hal.board.quality import Quality

# The stages of a session with a board, and how long it stays in them.

PROVE_PERIOD_NS: Final = 19_000_000
"""Between two readings of the clock while the link is proven (ours)."""
CLOCK_PERIOD_NS: Final = 97_000_000
"""Between two readings of the clock (ours): they also keep the dead-man off. Out of step with the board's reports."""
SILENT_NS: Final = (DEADMAN_MS + 100) * 1_000_000
"""No frame for so long, and the board's outputs are safe for certain."""
UNANSWERED_NS: Final = 3_000_000_000
"""A board that does not identify itself for so long is told (ours): a boot loader may hold it for two seconds."""
UNPROVEN_NS: Final = 10_000_000_000
"""A link that is not proven after so long is told (ours)."""
REFUSED_PERIOD_NS: Final = 5_000_000_000
"""A wrong board is asked again after so long (ours): somebody may have put that right."""


class Stage(Enum):
    """How far a session has come."""

    OFF = auto()
    """The port is closed."""
    IDENTIFY = auto()
    """The board is asked what it is."""
    REFUSED = auto()
    """It is not the one that is wanted, and is left alone for a while."""
    OPEN = auto()
    """It is told to begin a session."""
    PROVE = auto()
    """Its clock is learnt, and whether the link is good."""
    UP = auto()
    """It takes commands."""

    @property
    def opened(self) -> bool:
        """Whether the board may have the session open."""
        return self in (Stage.OPEN, Stage.PROVE, Stage.UP)

    @property
    def numbered(self) -> bool:
        """Whether it is known to have it open: what both sides number is counted."""
        return self in (Stage.PROVE, Stage.UP)


# What a session tells: that its board came up, went down, or reported something.


class Up(NamedTuple):
    """The board is the one that is wanted, its clock is known, and the link is good: it takes commands.

    All its outputs are safe, and nothing is watched, counted or sampled: say again what it is to do.
    """

    identity: IdentityAnswer
    t_ns: int


class Down(NamedTuple):
    """The board takes no commands. Told when it goes down, and again when there is another reason why it stays so."""

    t_ns: int
    reason: str
    """For people: what happened, and what to do."""


class Reported(NamedTuple):
    """The board, being up, said this by itself."""

    report: Report
    t_ns: int
    """When its last byte was read."""


Said: TypeAlias = Up | Down | Reported


class News:
    """What was said and not yet taken; why the board is down, without saying it again and again."""

    def __init__(self, board: str) -> None:
        self._board = board
        self._said: list[Said] = []
        self.told = ""
        """The kind of reason told last, while it is down."""
        self.reason = f"board {board!r}: not connected"
        """Why it is down."""

    def take(self) -> list[Said]:
        """What was said since the last call."""
        said, self._said = self._said, []
        return said

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """It is up."""
        self.told = ""
        self._said.append(Up(identity, t_ns))

    def down(self, t_ns: int, reason: str, kind: str = "") -> None:
        """It is down for this reason. One of the same `kind` (by itself: the same words) is told once."""
        self.reason = f"board {self._board!r}: {reason}"
        if self.told != (kind or reason):
            self.told = kind or reason
            self._said.append(Down(t_ns, self.reason))

    def reported(self, report: Report, t_ns: int) -> None:
        """It reported this."""
        self._said.append(Reported(report, t_ns))


__all__ = ["Done", "Session", "Wanted"]


class Session:
    """One board's sessions, one after the other. All times are the host's nanoseconds."""

    def __init__(self, name: str, wanted: Wanted, draw: Callable[[], int], byte_ns: int = frames.wire_ns(1)) -> None:
        """`draw` gives a random number of 32 bits for each session; `byte_ns` is for `ClockMap`."""
        self.name = name
        self.clock = ClockMap(byte_ns)
        """The clock of the session that is open; another one for each session."""
        self.identity: IdentityAnswer | None = None
        """What the board said it is; None until it did."""
        self.quality = Quality()
        """How good the link is."""
        self._wanted = wanted
        self._draw = draw
        self._byte_ns = byte_ns
        self._stage = Stage.OFF
        self._courier = Courier()
        self.inbox = Inbox()
        """What comes; it counts what came broken."""
        self._waiting = Waiting()
        self._news = News(name)
        self._output = bytearray()
        self._now_ns = 0
        self._wake_ns = 0
        """When to identify, or to read the clock."""
        self._sent_ns = 0
        self._silent_until_ns = 0
        self._asking_since_ns = 0
        self._opened_ns = 0
        self._session = 0

    @property
    def up(self) -> bool:
        """Whether the board takes commands."""
        return self._stage is Stage.UP

    @property
    def next_due_ns(self) -> int | None:
        """When `due` must be called; None for never. A time that is past means: now."""
        if self._stage is Stage.OFF:
            return None
        if self._courier.due_ns is not None:
            return self._courier.due_ns
        return self._now_ns if self._waiting else self._wake_ns

    def connected(self, t_ns: int) -> None:
        """The port is open: bytes go through."""
        self._now_ns = t_ns
        if self._stage is not Stage.OFF:
            self._end(t_ns, "its port was opened anew")
        self._ask(t_ns)
        self._waiting.tell()
        self._pump(t_ns)

    def disconnected(self, t_ns: int, reason: str) -> None:
        """The port is gone. `reason` says why, for people."""
        self._now_ns = t_ns
        self._end(t_ns, f"its port is down: {reason}")
        self._stage = Stage.OFF
        self._output.clear()
        self._waiting.tell()

    def restart(self, t_ns: int, reason: str) -> None:
        """Ends the session, if there is one, for a reason of the owner; another is begun."""
        if self._stage is Stage.OFF:
            return
        self._now_ns = t_ns
        self._end(t_ns, reason)
        self._waiting.tell()
        self._pump(t_ns)

    def take(self, piece: bytes, t_ns: int) -> None:
        """Takes what came between two zeros, read at `t_ns`; whatever it is, nothing is raised."""
        self._now_ns = t_ns
        if self._stage is Stage.OFF:
            return
        heard = self.inbox.take(piece)
        if heard is None:
            return
        if isinstance(heard.message, StrangeIdentity):
            if isinstance(self._courier.command, IdentifyCommand):
                self._refuse(t_ns, identity_check.strange(self._wanted, heard.message.fields))
        elif isinstance(heard.message, Report):
            self._take_report(heard.message, heard, t_ns)
        else:
            self._take_answer(heard.message, heard, t_ns)
        self._judge(t_ns)
        self._waiting.tell()
        self._pump(t_ns)

    def submit(self, command: Command, done: Done) -> None:
        """Has `command` carried out once, after those submitted before it; the owner then calls `due`.

        `done` is called once: with the answer, or with a `SessionEndedError`. When the board is not up, it is called
        at once: what was meant for a board that is away is not kept for later.

        Raises:
            BoardError: this kind of board has no such command, or only the session itself sends it.
            MessageError: a value does not fit its field.
        """
        kind = self._wanted.kind
        if isinstance(command, IdentifyCommand | OpenCommand) or (kind and kind.name not in command.kinds):
            of = "a session" if kind is None else f"a board of kind {kind.name!r}"
            raise BoardError(f"board {self.name!r}: {command_name(command)} is no command for {of}; see docs/wire.md")
        command.pack()
        if self._stage is Stage.UP:
            self._waiting.put(command, done)
        else:
            done(not_sent(command, self._news.reason))

    def due(self, t_ns: int) -> None:
        """Lets time pass to `t_ns`: sends what is to be sent now, and finds that a board is lost."""
        self._now_ns = t_ns
        if self._stage is Stage.OFF:
            return
        command = self._courier.command
        if isinstance(command, IdentifyCommand):
            if t_ns - self._asking_since_ns >= stages.UNANSWERED_NS:
                self._news.down(t_ns, reasons.unknown(stages.UNANSWERED_NS))
        elif command is not None and self._courier.lost(t_ns):
            self._end(t_ns, reasons.silent(command, self._courier.tries, LOST_AFTER_NS))
        self._write(self._courier.again(t_ns), t_ns)
        self._waiting.tell()
        self._pump(t_ns)

    def take_output(self) -> bytes:
        """What to write to the port now."""
        output = bytes(self._output)
        self._output.clear()
        return output

    def take_said(self) -> list[Said]:
        """What happened since it was last taken, in order."""
        return self._news.take()

    # --- what comes ------------------------------------------------------------------------------------------

    def _take_answer(self, answer: Answer, heard: Heard, t_ns: int) -> None:
        carried = self._courier.answered(heard.number, answer, heard.length, t_ns)
        if carried is None:
            return
        if carried.before is not None and self._stage.numbered:
            self.quality.exchanged(*carried.before)
        if isinstance(answer, RefusedAnswer) and self._ends(carried, answer, t_ns):
            return
        self._waiting.answered(answer)
        if isinstance(answer, IdentityAnswer):
            self._identified(answer, t_ns)
        elif isinstance(carried.command, OpenCommand):
            self._stage = Stage.PROVE
            self._opened_ns = t_ns
            self.inbox.begin()
            self._wake_ns = t_ns
        elif isinstance(answer, ClockAnswer) and carried.tries == 1:
            # An answer to one of several tries may be to any of them.
            self.clock.exchange(carried.sent_ns, t_ns, answer, carried.command_bytes, heard.length)

    def _ends(self, carried: Carried, answer: RefusedAnswer, t_ns: int) -> bool:
        """Whether this refusal ends the session."""
        if answer.why == Refusal.NO_SESSION:
            # Only an earlier try can have been carried out, in the board's life before.
            self._end(t_ns, reasons.forgotten(), kind="forgotten", reset=True, may_be_done=carried.tries > 1)
            return True
        if not self._waiting.under_way:
            self._end(t_ns, reasons.refuses(carried.command, answer.why))
            return True
        return False

    def _take_report(self, report: Report, heard: Heard, t_ns: int) -> None:
        if isinstance(report, BootReport):
            if self._stage.opened:
                self._end(t_ns, reasons.reset(report.cause), reset=True)
            return
        if self._stage.numbered:
            self.quality.report_came(heard.length, heard.lost_before)
        if self._stage is Stage.UP:
            self._news.reported(report, t_ns)

    # --- from stage to stage ---------------------------------------------------------------------------------

    def _ask(self, t_ns: int) -> None:
        """Begins to ask who the board is, once its outputs are safe."""
        self._stage = Stage.IDENTIFY
        self._wake_ns = self._asking_since_ns = max(t_ns, self._silent_until_ns)

    def _identified(self, identity: IdentityAnswer, t_ns: int) -> None:
        self.identity = identity
        if self._news.told == "forgotten":
            self._news.down(t_ns, reasons.reset(identity.cause))
        wrong = identity_check.refusal(self._wanted, identity)
        if wrong is not None:
            self._refuse(t_ns, wrong)
            return
        number = self._draw() & 0xFFFFFFFF
        # A session of the same number would be taken for the one before.
        self._session = number if number != self._session else number ^ 1
        self._stage = Stage.OPEN
        self.clock = ClockMap(self._byte_ns)
        self.quality.prove()
        self._write(self._courier.send_unnumbered(OpenCommand(self._session), t_ns), t_ns)

    def _refuse(self, t_ns: int, reason: str) -> None:
        """The board is not the one that is wanted: it is left alone for a while."""
        self._courier.abandon()
        self._news.down(t_ns, reason)
        self._stage = Stage.REFUSED
        self._wake_ns = t_ns + stages.REFUSED_PERIOD_NS

    def _judge(self, t_ns: int) -> None:
        """Whether the link and the clock allow the board to be up."""
        if not self._stage.numbered:
            return
        if self.clock.failed is not None:
            self._end(t_ns, self.clock.failed)
        elif not self.quality.refused:
            if self._stage is Stage.PROVE and self.clock.ready and self.quality.proven and self.identity is not None:
                self._stage = Stage.UP
                self._news.up(self.identity, t_ns)
            elif self._stage is Stage.PROVE and t_ns - self._opened_ns >= stages.UNPROVEN_NS:
                self._news.down(t_ns, reasons.unproven(self.clock.exchanges, self.quality.figures), "unproven")
        elif self._stage is Stage.UP:
            self._end(t_ns, reasons.broken(self.quality.figures), kind="broken")
        else:
            self._news.down(t_ns, reasons.broken(self.quality.figures), "broken")

    def _end(self, t_ns: int, reason: str, *, kind: str = "", reset: bool = False, may_be_done: bool = True) -> None:
        """The session is over, if there was one; every command that waits is told, in order."""
        self._news.down(t_ns, reason, kind)
        self._waiting.end(self._news.reason, may_be_done=may_be_done)
        self._courier.abandon()
        if not reset and self._stage.opened:
            self._silent_until_ns = self._sent_ns + stages.SILENT_NS
        self._ask(t_ns)

    # --- what goes -------------------------------------------------------------------------------------------

    def _pump(self, t_ns: int) -> None:
        """Sends the next command, when one is due and none is under way."""
        if self._courier.command is not None:
            return
        if t_ns < self._wake_ns:
            if self._waiting:
                self._write(self._courier.send(self._waiting.start(), t_ns), t_ns)
        elif self._stage in (Stage.IDENTIFY, Stage.REFUSED):
            if self._stage is Stage.REFUSED:
                self._ask(t_ns)
            self._write(frames.END + self._courier.send_unnumbered(IdentifyCommand(), t_ns), t_ns)
        else:
            self._wake_ns = t_ns + (stages.CLOCK_PERIOD_NS if self._stage is Stage.UP else stages.PROVE_PERIOD_NS)
            self._write(self._courier.send(ClockCommand(), t_ns), t_ns)

    def _write(self, data: bytes, t_ns: int) -> None:
        if data:
            self._sent_ns = t_ns
            self._output += data
