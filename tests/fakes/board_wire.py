"""A session and a model board, joined by a wire that can break bytes; in virtual time, one event after the other.

    wire = BoardWire(board, session, Faults(flip=0.001), Random(1))
    wire.run(t_ns)          everything that happens up to then, in order
    wire.said               what the session told

Bytes take 40 µs each. Latencies of the host's side come on top: what it writes leaves later, what has come is read
later, and never in another order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple

from hal.board import frames
from hal.board.session import BoardDown, BoardReported, BoardUp, Session, SessionEvent
from tests.fakes.model_board import ModelBoard


class Faults(NamedTuple):
    """The faults of a byte and their probabilities, in both directions."""

    flip: float = 0.0
    """One bit is flipped."""
    drop: float = 0.0
    repeat: float = 0.0
    delay: float = 0.0
    """It, and all after it, arrive up to `delay_ns` later."""
    delay_ns: int = 30_000_000
    twice: float = 0.0
    """A whole frame arrives twice."""

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return self.flip + self.drop + self.repeat + self.delay + self.twice > 0


NONE = Faults()


class _Way:
    """One direction of the wire: bytes come out later, in order, and perhaps corrupted."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.frames: set[bytes] = set()
        """Every piece sent, intact."""
        self.fooled = False
        """Whether a corrupted frame passed its CRC: one in 65,536 can."""
        self._last_ns = 0
        self._begun = bytearray()
        self._put = bytearray()

    def carry(self, data: bytes, end_ns: int, faults: Faults, latency_ns: int) -> tuple[int, bytes]:
        """When the last of these bytes comes out, and the bytes that do."""
        rng = self._rng
        out = bytearray()
        late_ns = 0
        for byte in data:
            self._note_put(byte)
        for byte in data * 2 if rng.random() < faults.twice else data:
            if faults.any:
                if rng.random() < faults.drop:
                    continue
                if rng.random() < faults.flip:
                    byte ^= 1 << rng.randrange(8)
                if rng.random() < faults.repeat:
                    out.append(byte)
                if rng.random() < faults.delay:
                    late_ns = max(late_ns, rng.randrange(faults.delay_ns))
            out.append(byte)
        self._last_ns = max(self._last_ns, end_ns + late_ns + latency_ns)
        self._note_came(out)
        return self._last_ns, bytes(out)

    def cut(self) -> None:
        """Drops the bytes under way."""
        self._put.clear()

    def _note_put(self, byte: int) -> None:
        if byte:
            self._put.append(byte)
            return
        self.frames.add(bytes(self._put))
        self._put.clear()

    def _note_came(self, out: bytearray) -> None:
        *pieces, rest = (bytes(self._begun) + out).split(b"\0")
        self._begun = bytearray(rest)
        for piece in pieces:
            if piece and piece not in self.frames:
                try:
                    frames.decode(piece)
                except frames.FrameError:
                    continue
                self.fooled = True


class BoardWire:
    """Everything between a session and a board. Change `faults` and the latencies at any time."""

    def __init__(
        self,
        board: ModelBoard,
        session: Session,
        faults: Faults = NONE,
        rng: Random | None = None,
        heard: Callable[[SessionEvent], None] | None = None,
    ) -> None:
        """`heard` is called with each session event; it may submit commands."""
        rng = rng or Random(0)
        self.board = board
        self.session = session
        self.faults = faults
        self.latency_out: Callable[[], int] = lambda: 0
        """The delay before what the host writes is sent."""
        self.latency_in: Callable[[], int] = lambda: 0
        """The delay before what has arrived is read."""
        self.said: list[SessionEvent] = []
        self.now_ns = board.now_ns
        self._heard = heard
        self._out, self._in = _Way(rng), _Way(rng)
        self._framer = frames.BoardFramer()
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._line_free_ns = 0
        self._plugged = False
        self._host_stopped = False
        self._unread: deque[tuple[int, bytes]] = deque()

    # --- what a test looks at ----------------------------------------------------------------------------------------

    @property
    def fooled(self) -> bool:
        """Whether a corrupted frame was accepted: then no property can be required of either side."""
        return self._out.fooled or self._in.fooled

    @property
    def ups(self) -> list[BoardUp]:
        """When the board came up."""
        return [said for said in self.said if isinstance(said, BoardUp)]

    @property
    def downs(self) -> list[BoardDown]:
        """When it went down, and why."""
        return [said for said in self.said if isinstance(said, BoardDown)]

    @property
    def reports(self) -> list[BoardReported]:
        """The reports."""
        return [said for said in self.said if isinstance(said, BoardReported)]

    # --- what a test does --------------------------------------------------------------------------------------------

    def plug(self) -> None:
        """The port opens."""
        self._plugged = True
        self._framer.reset()
        self.session.connected(self.now_ns)
        self._settle()

    def unplug(self) -> None:
        """The cable is unplugged: bytes under way are lost."""
        self._plugged = False
        self._events = [event for event in self._events if event[1] < 0]
        self._unread.clear()
        self.session.disconnected(self.now_ns, "the cable was pulled")
        self._settle()

    def pump(self) -> None:
        """Has the session send what was submitted."""
        due_ns = self.session.next_due_ns
        if due_ns is not None and due_ns <= self.now_ns and not self._host_stopped:
            self.session.due(self.now_ns)
        self._settle()

    def stop_host(self, for_ns: int) -> None:
        """Suspends the host for this long; what arrives meanwhile waits to be read."""
        self._host_stopped = True
        self.at(self.now_ns + for_ns, self._go_on)

    def at(self, t_ns: int, do: Callable[[], None]) -> None:
        """Schedules an action."""
        self._count += 1
        heappush(self._events, (t_ns, -self._count, do))

    def run(self, until_ns: int) -> None:
        """Runs everything up to then."""
        while True:
            self._collect()
            times = [event[0] for event in self._events[:1]]
            if self.board.next_due_ns is not None:
                times.append(self.board.next_due_ns)
            host_ns = None if self._host_stopped else self.session.next_due_ns
            if host_ns is not None:
                times.append(max(host_ns, self.now_ns))
            next_ns = min(times, default=until_ns + 1)
            if next_ns > until_ns:
                break
            self.now_ns = max(self.now_ns, next_ns)
            if self._events and self._events[0][0] <= self.now_ns:
                heappop(self._events)[2]()
            elif host_ns is not None and host_ns <= self.now_ns:
                self.session.due(self.now_ns)
            else:
                self.board.advance(self.now_ns)
            self._settle()
        self.now_ns = until_ns
        self.board.advance(until_ns)
        self._collect()

    # --- the wire ----------------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        self._host_stopped = False
        while self._unread:
            _, data = self._unread.popleft()
            self._read(data)

    def _settle(self) -> None:
        """Handles the session's output and events until there are none."""
        while True:
            data = self.session.take_output()
            if data and self._plugged:
                self._write(data)
            said = self.session.take_events()
            self.said += said
            for one in said:
                if self._heard is not None:
                    self._heard(one)
            if not said and not data:
                return
            due_ns = self.session.next_due_ns
            if due_ns is not None and due_ns <= self.now_ns and not self._host_stopped:
                self.session.due(self.now_ns)

    def _write(self, data: bytes) -> None:
        begins_ns = max(self.now_ns + self.latency_out(), self._line_free_ns)
        self._line_free_ns = begins_ns + frames.wire_ns(len(data))
        at_ns, out = self._out.carry(data, self._line_free_ns, self.faults, 0)
        self._deliver(at_ns, lambda: self.board.receive(out, self.now_ns))

    def _collect(self) -> None:
        """Puts the board's output on the wire."""
        for end_ns, data in self.board.take_sent():
            if not data.endswith(frames.END):
                self._in.cut()
            at_ns, out = self._in.carry(data, end_ns, self.faults, self.latency_in())
            self._deliver(at_ns, lambda out=out: self._arrive(out))  # type: ignore[misc]

    def _deliver(self, at_ns: int, do: Callable[[], None]) -> None:
        # Of one time, in order; and before what a test has planned for that time.
        if self._plugged:
            self._count += 1
            heappush(self._events, (max(at_ns, self.now_ns), self._count, do))

    def _arrive(self, data: bytes) -> None:
        if self._host_stopped:
            self._unread.append((self.now_ns, data))
        else:
            self._read(data)

    def _read(self, data: bytes) -> None:
        for piece in self._framer.feed(data).frames:
            self.session.take(piece, self.now_ns)
