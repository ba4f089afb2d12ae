"""A board on a serial port, and what becomes of it: plugged in, identified, up, down, back.

The port is kept open by `hal.serial_link`, the session is `hal.board.session`. This joins the two on the event loop and
tells watchers, each of which is one use of the board: its lines, its outputs, a device that it drives.

    port ──frames──► SerialLink ──► Session ──Up, Down, Reported──► watchers
    port ◄──bytes─── SerialLink ◄── Session ◄──────submit─────────── watchers

The port is open while there is a watcher. When the last one goes, what it asked for last (all outputs safe) still has
`LINGER_NS` to be answered; should it not be, the board's dead-man does it.

Opening the port of an Arduino-like board resets it, and its boot loader is silent or talks rubbish for up to two
seconds: the session asks who the board is until it says so, after each opening.
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
from hal.board.clock import ClockMap
from hal.board.command_channel import Done
from hal.board.errors import BoardError, refused
from hal.board.frames import BoardFramer
from hal.board.identity import Wanted
from hal.board.message import Answer, Command, Kind, MessageError, Report
from hal.board.messages import BAUD, IdentityAnswer, RefusedAnswer
from hal.board.quality import Quality
from hal.board.session import Down, Said, Session, Up
from hal.clock import NS_PER_S, Clock
from hal.lines import LineError
from hal.serial_link import LinkError, SerialLink, SerialSettings
from hal.values import Edge, EdgesLost, Frame, Loss, Rare

# The uses of one board: who is told of it, what was told last, and which of them has its lines.


class Uses:
    """Tells every watcher all news in their order. What one of them raises goes on when all were told."""

    def __init__(self, board: str, t_ns: int) -> None:
        self.watchers: list[BoardWatcher] = []
        self.status = BoardStatus(False, t_ns, f"board {board!r}: not opened", None)
        """As it was told last."""
        self._board = board
        self._news: deque[Said] = deque()
        self._lines_of: str | None = None

    @property
    def waiting(self) -> bool:
        """Whether there is news that was not told."""
        return bool(self._news)

    def hear(self, said: Iterable[Said]) -> None:
        """There is news."""
        self._news.extend(said)

    def tell_next(self, known: IdentityAnswer | None) -> None:
        """Tells the oldest news. `known` is what the board said it is."""
        said = self._news.popleft()
        if isinstance(said, Up):
            self.status = BoardStatus(True, said.t_ns, "", said.identity)
        elif isinstance(said, Down):
            since_ns = said.t_ns if self.status.up else self.status.since_ns
            self.status = BoardStatus(False, since_ns, said.reason, known)
        with ExitStack() as telling:
            for watcher in reversed(self.watchers):
                # The stack is undone from its end, whatever is raised on the way.
                telling.callback(self._tell, watcher, said)

    def _tell(self, watcher: BoardWatcher, said: Said) -> None:
        if watcher not in self.watchers:
            return  # one that was told before has closed it
        if isinstance(said, Up):
            watcher.up(said.identity, said.t_ns)
        elif isinstance(said, Down):
            watcher.down(said.t_ns, said.reason)
        else:
            watcher.reported(said.report, said.t_ns)

    def claim_lines(self, source: str, lines: Iterable[str]) -> None:
        """Notes that `source` has the board's inputs.

        Raises:
            LineError: another one has: a board watches for one.
        """
        if self._lines_of is not None:
            raise LineError(
                f"lines {', '.join(map(repr, sorted(lines)))}: board {self._board!r} is read by source "
                f"{self._lines_of!r} already; give all lines of a board to one source, or close that one first"
            )
        self._lines_of = source

    def release_lines(self, source: str) -> None:
        """Notes that `source` no longer has them."""
        if self._lines_of == source:
            self._lines_of = None


# What a use of a board is told of it, and how the board is.


class BoardWatcher(Protocol):
    """One use of a board. All is called on the event loop's thread."""

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The board takes commands. All its outputs are safe, and nothing is watched or sampled."""

    def down(self, t_ns: int, reason: str) -> None:
        """The board takes no commands; told again when there is another reason why it stays so."""

    def reported(self, report: Report, t_ns: int) -> None:
        """The board said something by itself, which was read at `t_ns`."""


@dataclass(frozen=True, slots=True)
class BoardStatus:
    """How a board is now."""

    up: bool
    since_ns: int
    reason: str
    """Why it is down, for people: what happened, and what to do. Empty while it is up."""
    identity: IdentityAnswer | None
    """What it said it is; None until it did."""


LINGER_NS: Final = 250_000_000
"""How long a closed link waits for its last answers (ours): half of the dead-man's time."""

Tap: TypeAlias = Callable[[str, bytes, int], None]
"""Overhears a link: `"to"` or `"from"` the board, the bytes (a piece between two zeros, from it), the time."""


class BoardLink:
    """One board. `open` and `close` for each watcher; everything on the running loop."""

    def __init__(
        self,
        name: str,
        port: str,
        wanted: Wanted,
        clock: Clock,
        *,
        draw: Callable[[], int] = lambda: secrets.randbits(32),
        tap: Tap | None = None,
    ) -> None:
        """Opens nothing yet. `port` is a device such as `/dev/serial/by-id/…`, or any URL that pyserial opens.

        Raises:
            LineError: pyserial has no such kind of URL.
        """
        self.name = name
        self.port = port
        self.kind: Kind | None = wanted.kind
        """The kind that the board must be; None where any will do."""
        self._clock = clock
        self._tap = tap
        self._serial = SerialLink(
            name, port, clock, BoardFramer(), SerialSettings(baudrate=BAUD), went_up=self._port_opened
        )
        self._session = Session(name, wanted, draw)
        self._uses = Uses(name, clock.now_ns())
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._linger: asyncio.Handle | None = None
        self._closed: asyncio.Event | None = None
        self._unanswered = 0
        self._port_lost = False
        self._acting = False

    @property
    def status(self) -> BoardStatus:
        """How the board is now."""
        if self._port_lost:
            # The reason changes with each try to open it.
            why = reasons.port(self.name, self.port, self._serial.status.reason)
            return replace(self._uses.status, reason=f"board {self.name!r}: its port is down: {why}")
        return self._uses.status

    @property
    def watchers(self) -> tuple[BoardWatcher, ...]:
        """Those for whom it is open."""
        return tuple(self._uses.watchers)

    @property
    def failed(self) -> LineError | None:
        """None while the link tries again, whatever happens to port and board; else the defect that stopped it."""
        return self._serial.failed

    @property
    def clock(self) -> ClockMap:
        """The board's clock in this session."""
        return self._session.clock

    @property
    def quality(self) -> Quality:
        """How good the link is."""
        return self._session.quality

    def open(self, watcher: BoardWatcher) -> None:
        """Adds a watcher, and opens the port for the first. A board that is up is told to it at once.

        Raises:
            LineError: it is open for this watcher already.
        """
        uses = self._uses
        if watcher in uses.watchers:
            raise LineError(f"board {self.name!r}: it is open already for this use; close it first")
        first = not uses.watchers
        uses.watchers.append(watcher)
        if not first or self._linger is not None:
            self._stop_linger()
            identity = uses.status.identity
            if uses.status.up and identity is not None:
                watcher.up(identity, self._clock.now_ns())
            self._act()
            return
        self._loop = asyncio.get_running_loop()
        self._closed = asyncio.Event()
        uses.status = BoardStatus(False, self._clock.now_ns(), f"board {self.name!r}: its port is being opened", None)
        self._serial.open(self)

    def close(self, watcher: BoardWatcher) -> None:
        """Tells a watcher nothing any more, and lets the port go with the last. Calling it again does nothing."""
        watchers = self._uses.watchers
        if watcher not in watchers:
            return
        watchers.remove(watcher)
        if watchers or self._loop is None:
            return
        if self._unanswered and not self._loop.is_closed():
            self._linger = self._loop.call_later(LINGER_NS / NS_PER_S, self._let_go)
        else:
            self._let_go()

    async def wait_closed(self) -> None:
        """Waits until the port was let go, after the last `close`."""
        if self._closed is not None:
            await self._closed.wait()
        await self._serial.wait_closed()

    def take_in(self) -> None:
        """Takes what has come from the port, without waiting for the loop to turn."""
        self._serial.take_in()

    def submit(self, command: Command, done: Done | None = None) -> None:
        """Has a command carried out once, after those submitted before; `done` is called with what became of it.

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
        self._act()

    async def command(self, command: Command) -> Answer:
        """Has a command carried out once, and returns the board's answer.

        Raises:
            BoardError: the board refuses it, has no such command, or is not up; or its session ended before it
                answered.
            MessageError: a value does not fit its field.
        """
        answered: asyncio.Future[Answer | BoardError] = asyncio.get_running_loop().create_future()

        def settle(result: Answer | BoardError) -> None:
            if not answered.done():
                answered.set_result(result)

        self.submit(command, settle)
        result = await answered
        if isinstance(result, BoardError):
            raise result
        return result

    def restart(self, reason: str) -> None:
        """Ends the session, if there is one, for a `reason` that is told; another is begun."""
        self._session.restart(self._clock.now_ns(), reason)
        self._act()

    def claim_lines(self, source: str, lines: Iterable[str]) -> None:
        """Notes that `source` has the board's inputs.

        Raises:
            LineError: another one has: a board watches for one.
        """
        self._uses.claim_lines(source, lines)

    def release_lines(self, source: str) -> None:
        """Notes that `source` no longer has them."""
        self._uses.release_lines(source)

    # --- the port ------------------------------------------------------------------------------------------------

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Takes what the serial link has: it is the link's sink."""
        for value in rare:
            if isinstance(value, Frame):
                if self._tap is not None:
                    self._tap("from", value.data, value.t_ns)
                self._session.take(value.data, value.t_ns)
            elif isinstance(value, EdgesLost) and value.cause is Loss.UNPLUGGED:
                self._port_lost = True
                self._session.disconnected(value.t_ns, reasons.port(self.name, self.port, self._serial.status.reason))
        self._act()

    def _port_opened(self, t_ns: int) -> None:
        self._port_lost = False
        self._session.connected(t_ns)
        self._act()

    def _let_go(self) -> None:
        self._stop_linger()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now_ns = self._clock.now_ns()
        self._serial.close()
        self._port_lost = False
        self._session.disconnected(now_ns, "it was closed")
        self._act()
        self._uses.status = BoardStatus(False, now_ns, f"board {self.name!r}: closed", self._uses.status.identity)
        if self._closed is not None:
            self._closed.set()

    def _stop_linger(self) -> None:
        if self._linger is not None:
            self._linger.cancel()
            self._linger = None

    # --- the session ---------------------------------------------------------------------------------------------

    def _answered(self, command: Command, done: Done | None, result: Answer | BoardError) -> None:
        self._unanswered -= 1
        if isinstance(result, RefusedAnswer):
            result = refused(self.name, command, result)
        if done is not None:
            done(result)
        if self._linger is not None and not self._unanswered and self._loop is not None:
            self._linger.cancel()
            # Later: this is called from within the session.
            self._linger = self._loop.call_soon(self._let_go)

    def _act(self) -> None:
        """Writes what the session has to say, tells what it said, sets the timer; then raises what a watcher did."""
        if self._acting:
            return  # a watcher has submitted something: that goes out when it returns
        self._acting = True
        try:
            while True:
                now_ns = self._clock.now_ns()
                due_ns = self._session.next_due_ns
                if due_ns is not None and due_ns <= now_ns:
                    self._session.due(now_ns)
                self._write(self._session.take_output(), now_ns)
                self._uses.hear(self._session.take_said())
                if not self._uses.waiting:
                    break
                self._uses.tell_next(self._session.identity)
        finally:
            self._acting = False
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
        due_ns = 0 if self._uses.waiting else self._session.next_due_ns
        if due_ns is not None and self._loop is not None and not self._loop.is_closed():
            self._timer = self._loop.call_later(max(0, due_ns - self._clock.now_ns()) / NS_PER_S, self._act)
