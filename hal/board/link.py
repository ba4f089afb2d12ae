"""A board on a serial port: opened, identified, up, down, reconnected.

`hal.serial_link` keeps the port open; `hal.board.session` runs the protocol. This module connects the two on the event
loop and notifies watchers, one for each use of the board: its lines, its outputs, a device that it drives.

    port ──frames──► SerialLink ──► Session ──BoardUp, BoardDown, BoardReported──► watchers
    port ◄──bytes─── SerialLink ◄── Session ◄──────────────submit────────────────── watchers

The port is open while there is a watcher. When the last one closes, its last command (all outputs safe) may still be
answered within `LINGER_NS`; if it is not, the board's dead-man makes the outputs safe.

Opening the port of an Arduino-like board resets it, and its boot loader is silent or sends garbage for up to two
seconds: after each opening, the session repeats `identify` until the board answers.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeAlias

from hal.board import down_reasons as reasons
from hal.board.chips import ATMEGA328P, Chip
from hal.board.clock import ClockMap
from hal.board.command_channel import CommandDone
from hal.board.errors import BoardError, refused
from hal.board.frames import BoardFramer
from hal.board.identity import ExpectedBoard
from hal.board.message import BoardAnswer, BoardCommand, BoardKind, BoardReport, MessageError
from hal.board.messages import IdentityAnswer, RefusedAnswer
from hal.board.quality import Quality
from hal.board.session import BoardDown, BoardUp, Session, SessionEvent
from hal.clock import NS_PER_S, Clock
from hal.lines import LineError
from hal.link_status import LinkError
from hal.serial_link import SerialLink, SerialSettings
from hal.values import Edge, EdgesLost, Frame, Loss, Rare

LINGER_NS: Final = 250_000_000
"""How long a closed link waits for its last answers (ours): half of the dead-man's timeout."""

Tap: TypeAlias = Callable[[str, bytes, int], None]
"""Gets a copy of the traffic: `"to"` or `"from"` the board, the bytes (from it, a piece between zeros), the time."""


class BoardWatcher(Protocol):
    """One use of a board. All methods are called on the event loop's thread."""

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The board accepts commands. All its outputs are safe, and it watches and samples nothing."""

    def down(self, t_ns: int, reason: str) -> None:
        """The board accepts no commands; called again when the reason changes."""

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """The board sent a report, read at `t_ns`."""


@dataclass(frozen=True, slots=True)
class BoardStatus:
    """The current state of a board."""

    up: bool
    since_ns: int
    reason: str
    """Why it is down, for people: what happened and what to do. Empty while it is up."""
    identity: IdentityAnswer | None
    """Its identity; None until it has been received."""


class Claims:
    """The claims on one board: its watchers, their events not yet dispatched, and the source that has its inputs."""

    def __init__(self, board: str, t_ns: int) -> None:
        self.watchers: list[BoardWatcher] = []
        self.status = BoardStatus(False, t_ns, f"board {board!r}: not opened", None)
        """The status as of the event dispatched last."""
        self._board = board
        self._events: deque[SessionEvent] = deque()
        self._lines_of: str | None = None

    @property
    def pending(self) -> bool:
        """Whether there are events to dispatch."""
        return bool(self._events)

    def add(self, events: Iterable[SessionEvent]) -> None:
        """Queues events."""
        self._events.extend(events)

    def dispatch_next(self, known: IdentityAnswer | None) -> None:
        """Dispatches the oldest event to every watcher; `known` is the identity received last.

        Every watcher is notified even if one of them raises; the exception is raised afterwards.
        """
        event = self._events.popleft()
        if isinstance(event, BoardUp):
            self.status = BoardStatus(True, event.t_ns, "", event.identity)
        elif isinstance(event, BoardDown):
            since_ns = event.t_ns if self.status.up else self.status.since_ns
            self.status = BoardStatus(False, since_ns, event.reason, known)
        with ExitStack() as dispatching:
            for watcher in reversed(self.watchers):
                # The stack unwinds from its end, whatever a callback raises.
                dispatching.callback(self._dispatch, watcher, event)

    def _dispatch(self, watcher: BoardWatcher, event: SessionEvent) -> None:
        if watcher not in self.watchers:
            return  # closed by a watcher that was notified before it
        if isinstance(event, BoardUp):
            watcher.up(event.identity, event.t_ns)
        elif isinstance(event, BoardDown):
            watcher.down(event.t_ns, event.reason)
        else:
            watcher.reported(event.report, event.t_ns)

    def claim_lines(self, source: str, lines: Iterable[str]) -> None:
        """Gives the board's inputs to `source`.

        Raises:
            LineError: another source has them; a board reports to one.
        """
        if self._lines_of is not None:
            raise LineError(
                f"lines {', '.join(map(repr, sorted(lines)))}: board {self._board!r} is read by source "
                f"{self._lines_of!r} already; give all lines of a board to one source, or close that one first"
            )
        self._lines_of = source

    def release_lines(self, source: str) -> None:
        """Releases the inputs, if `source` has them."""
        if self._lines_of == source:
            self._lines_of = None


class BoardLink:
    """One board. `open` and `close` for each watcher; everything on the running loop."""

    def __init__(
        self,
        name: str,
        port: str,
        wanted: ExpectedBoard,
        clock: Clock,
        *,
        chip: Chip = ATMEGA328P,
        draw: Callable[[], int] = lambda: secrets.randbits(32),
        tap: Tap | None = None,
    ) -> None:
        """Opens nothing yet. `port` is a device such as `/dev/serial/by-id/…`, or any URL that pyserial opens; `chip`
        is that of the board, which sets the rate of the line.

        Raises:
            LineError: pyserial has no such kind of URL.
        """
        self.name = name
        self.port = port
        self.kind: BoardKind | None = wanted.kind
        """The required kind of the board; None accepts any."""
        self._clock = clock
        self._tap = tap
        self._serial = SerialLink(
            name,
            port,
            clock,
            BoardFramer(),
            SerialSettings(baudrate=chip.baud, keeps_dtr=True, low_latency=True),
            on_up=self._port_opened,
        )
        self._session = Session(name, wanted, draw, chip)
        self._claims = Claims(name, clock.now_ns())
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._linger: asyncio.Handle | None = None
        self._closed: asyncio.Event | None = None
        self._unanswered = 0
        self._port_lost = False
        self._advancing = False

    @property
    def status(self) -> BoardStatus:
        """The current state of the board."""
        if self._port_lost:
            # The reason may change with each attempt to open it.
            why = reasons.port(self.name, self.port, self._serial.status.reason)
            return replace(self._claims.status, reason=f"board {self.name!r}: its port is down: {why}")
        return self._claims.status

    @property
    def watchers(self) -> tuple[BoardWatcher, ...]:
        """The watchers that have it open."""
        return tuple(self._claims.watchers)

    @property
    def failed(self) -> LineError | None:
        """None while the link reconnects, whatever happens to port and board; otherwise the defect that stopped it."""
        return self._serial.failed

    @property
    def clock(self) -> ClockMap:
        """The board's clock in this session."""
        return self._session.clock

    @property
    def quality(self) -> Quality:
        return self._session.quality

    def open(self, watcher: BoardWatcher) -> None:
        """Adds a watcher; the first one opens the port. If the board is up, the watcher is notified at once, and gets
        what the board reported of its devices.

        Raises:
            LineError: this watcher has it open already.
        """
        claims = self._claims
        if watcher in claims.watchers:
            raise LineError(f"board {self.name!r}: it is open already for this use; close it first")
        first = not claims.watchers
        claims.watchers.append(watcher)
        if not first or self._linger is not None:
            self._stop_linger()
            identity = claims.status.identity
            if claims.status.up and identity is not None:
                now_ns = self._clock.now_ns()
                watcher.up(identity, now_ns)
                for report in self._session.standing.last():
                    watcher.reported(report, now_ns)
            self._advance()
            return
        self._loop = asyncio.get_running_loop()
        self._closed = asyncio.Event()
        claims.status = BoardStatus(False, self._clock.now_ns(), f"board {self.name!r}: its port is being opened", None)
        self._serial.open(self)

    def close(self, watcher: BoardWatcher) -> None:
        """Removes a watcher; the last one closes the port. Calling it again does nothing."""
        watchers = self._claims.watchers
        if watcher not in watchers:
            return
        watchers.remove(watcher)
        if watchers or self._loop is None:
            return
        if self._unanswered and not self._loop.is_closed():
            self._linger = self._loop.call_later(LINGER_NS / NS_PER_S, self._close_port)
        else:
            self._close_port()

    async def wait_closed(self) -> None:
        """Waits until the port is closed, after the last `close`."""
        if self._closed is not None:
            await self._closed.wait()
        await self._serial.wait_closed()

    def read_pending(self) -> None:
        """Handles the bytes that the port has received, without waiting for the event loop."""
        self._serial.read_pending()

    def submit(self, command: BoardCommand, done: CommandDone | None = None) -> None:
        """Has a command executed once, after those submitted before; `done` is called with its result.

        Raises:
            BoardError: this kind of board has no such command.
            MessageError: a value does not fit its field.
        """
        self._unanswered += 1
        try:
            self._session.submit(command, lambda result: self._answered(command, done, result))
        except (BoardError, MessageError):
            self._unanswered -= 1
            raise
        self._advance()

    async def command(self, command: BoardCommand) -> BoardAnswer:
        """Has a command executed once and returns the board's answer.

        Raises:
            BoardError: the board refuses it, has no such command, or is not up; or the session ended before the
                answer.
            MessageError: a value does not fit its field.
        """
        answered: asyncio.Future[BoardAnswer | BoardError] = asyncio.get_running_loop().create_future()

        def set_answer(result: BoardAnswer | BoardError) -> None:
            if not answered.done():
                answered.set_result(result)

        self.submit(command, set_answer)
        result = await answered
        if isinstance(result, BoardError):
            raise result
        return result

    def restart(self, reason: str) -> None:
        """Ends the session, if there is one, reporting `reason`, and starts another."""
        self._session.restart(self._clock.now_ns(), reason)
        self._advance()

    def claim_lines(self, source: str, lines: Iterable[str]) -> None:
        """Gives the board's inputs to `source`.

        Raises:
            LineError: another source has them; a board reports to one.
        """
        self._claims.claim_lines(source, lines)

    def release_lines(self, source: str) -> None:
        """Releases the inputs, if `source` has them."""
        self._claims.release_lines(source)

    # --- the port ------------------------------------------------------------------------------------------------

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Handles what the serial link delivers, as its `Sink`."""
        for value in rare:
            if isinstance(value, Frame):
                if self._tap is not None:
                    self._tap("from", value.data, value.t_ns)
                self._session.take(value.data, value.t_ns)
            elif isinstance(value, EdgesLost) and value.cause is Loss.UNPLUGGED:
                self._port_lost = True
                self._session.disconnected(value.t_ns, reasons.port(self.name, self.port, self._serial.status.reason))
        self._advance()

    def _port_opened(self, t_ns: int) -> None:
        self._port_lost = False
        self._session.connected(t_ns)
        self._advance()

    def _close_port(self) -> None:
        self._stop_linger()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now_ns = self._clock.now_ns()
        self._serial.close()
        self._port_lost = False
        self._session.disconnected(now_ns, "it was closed")
        self._advance()
        self._claims.status = BoardStatus(False, now_ns, f"board {self.name!r}: closed", self._claims.status.identity)
        if self._closed is not None:
            self._closed.set()

    def _stop_linger(self) -> None:
        if self._linger is not None:
            self._linger.cancel()
            self._linger = None

    # --- the session ---------------------------------------------------------------------------------------------

    def _answered(self, command: BoardCommand, done: CommandDone | None, result: BoardAnswer | BoardError) -> None:
        self._unanswered -= 1
        if isinstance(result, RefusedAnswer):
            result = refused(self.name, command, result)
        if done is not None:
            done(result)
        if self._linger is not None and not self._unanswered and self._loop is not None:
            self._linger.cancel()
            # Deferred: this is called from within the session.
            self._linger = self._loop.call_soon(self._close_port)

    def _advance(self) -> None:
        """Writes the session's output, dispatches its events, sets the timer; raises a watcher's exception last."""
        if self._advancing:
            return  # called by a watcher that submitted a command: it is sent when the watcher returns
        self._advancing = True
        try:
            while True:
                now_ns = self._clock.now_ns()
                due_ns = self._session.next_due_ns
                if due_ns is not None and due_ns <= now_ns:
                    self._session.due(now_ns)
                self._write(self._session.take_output(), now_ns)
                self._claims.add(self._session.take_events())
                if not self._claims.pending:
                    break
                self._claims.dispatch_next(self._session.identity)
        finally:
            self._advancing = False
            self._arm()

    def _write(self, data: bytes, t_ns: int) -> None:
        if not data:
            return
        if self._tap is not None:
            self._tap("to", data, t_ns)
        try:
            self._serial.write(data)
        except LinkError as error:
            self._serial.drop(str(error))

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due_ns = 0 if self._claims.pending else self._session.next_due_ns
        if due_ns is not None and self._loop is not None and not self._loop.is_closed():
            self._timer = self._loop.call_later(max(0, due_ns - self._clock.now_ns()) / NS_PER_S, self._advance)
