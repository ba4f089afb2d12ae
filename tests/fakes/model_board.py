"""A model of a board that behaves exactly as the wire says: for tests of the host, without firmware and emulator.

Time is the host's, in nanoseconds: the truth that a board does not know. The board's own clock is `ticks_at`: it is off
and drifts as the test wants. Bytes that it sends take their time on the wire.

    board = ModelBoard(KINDS["wheel"])
    board.receive(data, t_ns)        the last of these bytes has arrived
    board.edge(2, 1, t_ns)           the input with index 2 is high from now on
    board.advance(t_ns)              time passes: states, batches, dead-man, longest times
    board.take_sent()                [(t_ns of the last byte's end, bytes of one frame, its zero included)]
    board.carried                    every command that it carried out, in its life and session
"""

from __future__ import annotations

import msgspec

from hal.board import frames
from hal.board.message import BoardAnswer, BoardCommand, BoardKind, BoardReport
from hal.board.messages import (
    COMMANDS,
    DICTIONARY,
    PROTOCOL,
    AllSafeCommand,
    BootReport,
    ClockAnswer,
    ClockCommand,
    CountsAnswer,
    CountsCommand,
    EdgesFromCommand,
    Flag,
    HeldAnswer,
    HopperReport,
    IdentifyCommand,
    IdentityAnswer,
    OkAnswer,
    RefusalCode,
    RefusedAnswer,
    Reset,
    SampleCommand,
    SampleReport,
    SensorsReport,
    SetCommand,
    StateReport,
    WatchCommand,
)
from tests.fakes.model_clock import ModelClock
from tests.fakes.model_commands import CarriedOut, ModelOrders, Owed
from tests.fakes.model_edges import ModelEdges
from tests.fakes.model_line import ModelLine
from tests.fakes.model_outputs import ModelOutputs, Output

MS = 1_000_000
STATE_WATCHING_NS = 20 * MS
STATE_NS = 100 * MS
CLOCK_LEAD_TICKS = 300
AT_OPENING: dict[str, list[BoardReport]] = {
    "reel": [SensorsReport(0x7F, 0, 0)],
    "pusher": [HopperReport(0, 0, 0, 0, 0, 0), SensorsReport(0x7F, 0, 0)],
}
"""What a board of each kind reports once, when a session opens."""
_MASK = 0xFFFFFFFF


class ModelBoard:
    """One board. It starts at `start_ns`, with a `boot` report."""

    def __init__(
        self,
        kind: BoardKind,
        *,
        version: tuple[int, int, int] = (1, 0, 0),
        build: int = 0,
        image: bytes = bytes(28),
        start_ns: int = 0,
        ticks: int = 0,
        ppm: float = 0.0,
    ) -> None:
        """`build` and `image` are the hash of its program, `ticks` is its clock at `start_ns`, `ppm` by how much
        that is fast.
        """
        self.kind = kind
        self.identity = IdentityAnswer(
            protocol=PROTOCOL,
            dictionary=DICTIONARY,
            kind=kind.id,
            major=version[0],
            minor=version[1],
            patch=version[2],
            build=build,
            serial=0,
            boots=0,
            cause=0,
            inputs=len(kind.inputs),
            outputs=len(kind.outputs),
            analogues=len(kind.analogues),
            counters=len(kind.counters),
            oldest=kind.oldest,
            image=image,
        )
        self.now_ns = start_ns
        self.life = 0
        self.carried: list[CarriedOut] = []
        self.refuse: dict[type[BoardCommand], RefusalCode] = {}
        """Commands that are refused, and why."""
        self.levels = 0
        """Of all inputs: bit i is input i+1."""
        self.masked = 0
        """The inputs that it does not listen to (see `mask`): bit i is input i+1."""
        self.keys = 0
        """The keys that are pressed: bit i for line 8 + i."""
        self.analogue = [512] * max(len(kind.analogues), 1)
        self.counters = [0, 0, 0, 0]
        self.frozen = False
        """Whether it neither receives nor sends; its state is kept and its clock runs."""
        self.edges_of: dict[int, ModelEdges | None] = {}
        """Of each life, the edges of its last session: what is on the wire may come when the next life has begun."""
        self._clock = ModelClock(start_ns, ticks, ppm)
        self._line = ModelLine(self._clock, start_ns)
        self._begun = bytearray()
        self._begin(Reset.POWER_ON, ticks)

    # --- its clock ---------------------------------------------------------------------------------------------------

    def ticks_at(self, t_ns: int) -> int:
        """Its clock at this host time."""
        return self._clock.ticks_at(t_ns)

    def ns_at(self, ticks: int) -> int:
        """The host time of this tick."""
        return self._clock.ns_at(ticks)

    def drift(self, ppm: float) -> None:
        """Sets how fast its clock runs from now on."""
        self._clock.drift(self.now_ns, ppm)

    def jump(self, ticks: int) -> None:
        """Makes its clock jump."""
        self._clock.jump(ticks)

    # --- what happens to it ------------------------------------------------------------------------------------------

    def receive(self, data: bytes, t_ns: int) -> None:
        """Bytes have arrived; all of them at `t_ns` as far as the board can tell."""
        self.advance(t_ns)
        if self.frozen:
            return
        for byte in data:
            if byte:
                self._begun.append(byte)
                continue
            piece, self._begun = bytes(self._begun), bytearray()
            if not piece:
                continue
            try:
                frame = frames.decode(piece)
            except frames.FrameError:
                self.bad_frames += 1
            else:
                if frame.id in COMMANDS:
                    self._take(frame)
        self._poll()

    def edge(self, line: int, level: int, t_ns: int) -> None:
        """A line takes a level: an input (0 to 7), or a key (from 8)."""
        self.advance(t_ns)
        if line < 8:
            if self.levels >> line & 1 == level:
                return
            self.levels ^= 1 << line
        else:
            self.keys = self.keys & ~(1 << line - 8) | level << line - 8
        if self.edges is not None and (line >= 8 or (self.watched & ~self.masked) >> line & 1):
            self.edges.add(line, level, self.ticks_at(t_ns))
        if not self.frozen:
            self._poll()

    def miss(self, line: int, changes: int, t_ns: int) -> None:
        """An input changes so fast that only the number of changes is seen."""
        self.advance(t_ns)
        self.levels ^= (changes & 1) << line
        if self.edges is not None and self.watched >> line & 1:
            self.edges.lose(changes)

    def mask(self, line: int, t_ns: int) -> None:
        """An input changes so fast that it is not listened to: its changes get no number."""
        self.advance(t_ns)
        self.masked |= 1 << line

    def unmask(self, line: int, t_ns: int) -> None:
        """The input is listened to again: what it did meanwhile is missing."""
        self.advance(t_ns)
        self.masked &= ~(1 << line)
        if self.edges is not None:
            self.edges.lose(1)

    def say(self, report: BoardReport, t_ns: int) -> None:
        """Reports something, as its kind's program would."""
        self.advance(t_ns)
        if self.session is not None and not self.frozen:
            self._report(report)

    def advance(self, t_ns: int) -> None:
        """Advances the time."""
        while (due_ns := self.next_due_ns) is not None and due_ns <= t_ns:
            self.now_ns = max(self.now_ns, due_ns)
            self._poll()
        self.now_ns = max(self.now_ns, t_ns)

    def reset(self, t_ns: int, cause: Reset = Reset.WATCHDOG, down_ns: int = 5 * MS) -> None:
        """Resets the board, which starts again `down_ns` later: what it had not sent is lost."""
        self.advance(t_ns)
        self.now_ns = t_ns + down_ns
        self._line.cut(t_ns, self.now_ns)
        self.life += 1
        self.frozen = False
        self._clock.begin(self.now_ns)
        self._begin(cause, 0)

    def silence(self) -> None:
        """Triggers the dead-man."""
        self._guard.silence()

    def hold(self, number: int) -> None:
        """The device on an output has a fault: it is held safe."""
        self._guard.hold(number)

    @property
    def session(self) -> int | None:
        """The number of the session that is open."""
        return self._orders.session

    @property
    def number(self) -> int:
        """The number of the command executed last."""
        return self._orders.number

    @property
    def outputs(self) -> dict[int, Output]:
        """The outputs that are not safe, by their number."""
        return self._guard.on

    @property
    def deadman(self) -> bool:
        """Whether the dead-man has acted, and the host has not acknowledged it."""
        return self._guard.deadman

    def take_sent(self) -> list[tuple[int, bytes]]:
        """The frames begun since the last call: when the last byte of each leaves, and its bytes."""
        return self._line.take()

    @property
    def next_due_ns(self) -> int | None:
        """When it next acts by itself."""
        if self.frozen:
            return None
        times: list[int] = []
        owed, room_ns = self._orders.owed, self._line.room_ns
        if owed is not None:
            times.append(self._line.silent_ns if isinstance(owed.answer, ClockAnswer) else room_ns)
        elif self.session is not None:
            times.append(room_ns if self._opening else max(self._state_ns, room_ns))
            due = None if self.edges is None else self.edges.due_ticks()
            if due is not None:
                times.append(max(self._when(due), room_ns))
            if self._sampled.period_ms:
                times.append(max(self._sample_ns, room_ns))
        times += self._guard.due_ns
        return max(min(times), self.now_ns) if times else None

    # --- its life ----------------------------------------------------------------------------------------------------

    def _begin(self, cause: Reset, ticks: int) -> None:
        boots = (self.identity.boots + 1) & 0xFFFF
        self.identity = msgspec.structs.replace(self.identity, boots=boots, cause=int(cause))
        self.edges: ModelEdges | None = None
        self.watched = 0
        self.keys = 0
        self.bad_frames = 0
        self._opening: list[BoardReport] = []
        self._guard = ModelOutputs(self.kind)
        self._orders = ModelOrders(lambda: self.identity, self._opened, self._carry_out)
        self._received = ticks
        self._state_ns = 0
        self._sample_ns = 0
        self._sampled = SampleCommand(0, 0)
        self._samples = 0
        self._begun.clear()
        self._line.report(BootReport(int(cause), boots, self.kind.id), self.now_ns)

    def _when(self, ticks: int) -> int:
        return self.now_ns if ticks == 0 else self.ns_at(ticks)

    # --- what it hears -----------------------------------------------------------------------------------------------

    def _take(self, frame: frames.BoardFrame) -> None:
        self._received = self.ticks_at(self.now_ns)
        if frame.id != IdentifyCommand.id:
            self._guard.hear(self.now_ns)
        self._orders.take(frame)

    def _opened(self) -> None:
        self.edges = self.edges_of[self.life] = None
        self.watched = 0
        self._guard.all_safe()
        self._line.restart_numbers()
        self._opening = list(AT_OPENING.get(self.kind.name, ()))
        self._sampled = SampleCommand(0, 0)
        self._state_ns = self.now_ns + STATE_NS

    def _carry_out(self, command: BoardCommand) -> BoardAnswer:
        if self.kind.name not in command.kinds:
            return RefusedAnswer(command.id, RefusalCode.UNKNOWN_COMMAND)
        if type(command) in self.refuse:
            return RefusedAnswer(command.id, self.refuse[type(command)])
        if self.deadman and command.starts:
            return RefusedAnswer(command.id, RefusalCode.SILENT)
        answer = self._done(command)
        if not isinstance(answer, RefusedAnswer) and self.session is not None:
            self.carried.append(CarriedOut(self.life, self.session, self.number, command, self.now_ns))
        return answer

    def _done(self, command: BoardCommand) -> BoardAnswer:
        if isinstance(command, ClockCommand):
            return ClockAnswer(self._received & _MASK, self._received >> 32, 0)
        if isinstance(command, CountsCommand):
            return CountsAnswer(*self.counters)
        if isinstance(command, WatchCommand):
            self._watch(command.inputs)
        elif isinstance(command, EdgesFromCommand):
            return HeldAnswer(command.number if self.edges is None else self.edges.ask(command.number))
        elif isinstance(command, SampleCommand):
            self._sampled = command
            self._sample_ns = self.now_ns
        elif isinstance(command, AllSafeCommand):
            self._guard.all_safe()
        elif isinstance(command, SetCommand):
            why = self._guard.set(command, self.now_ns)
            return OkAnswer() if why is None else RefusedAnswer(command.id, why)
        return OkAnswer()

    def _watch(self, inputs: int) -> None:
        self.watched = inputs
        self.edges = self.edges_of[self.life] = ModelEdges() if inputs else None
        if self.edges is not None:
            self.edges.sent_keys = self.keys
        self._state_ns = self.now_ns
        for line in range(8):
            if self.edges is not None and inputs >> line & 1:
                self.edges.add(line, self.levels >> line & 1, self._received)

    # --- what it does by itself --------------------------------------------------------------------------------------

    def _poll(self) -> None:
        self._guard.poll(self.now_ns, self.session is not None)
        while self._speak():
            pass

    def _speak(self) -> bool:
        """Sends one frame; False when there is nothing, or no room."""
        owed = self._orders.owed
        if owed is not None:
            return self._answer(owed)
        if self.session is None or self._line.room_ns > self.now_ns:
            return False
        due = None if self.edges is None else self.edges.due_ticks()
        if self._opening:
            self._report(self._opening.pop(0))
        elif self.now_ns >= self._state_ns:
            self._state_ns = self.now_ns + (STATE_WATCHING_NS if self.watched else STATE_NS)
            self._report(self.state())
        elif self.edges is not None and due is not None and self._when(due) <= self.now_ns:
            self._report(self.edges.report())
        elif self._sampled.period_ms and self.now_ns >= self._sample_ns:
            self._sample_ns += self._sampled.period_ms * MS
            self._sample()
        else:
            return False
        return True

    def _answer(self, owed: Owed) -> bool:
        if isinstance(owed.answer, ClockAnswer):
            if self._line.silent_ns > self.now_ns:
                return False
            owed = self._dated(owed.answer)
        elif self._line.room_ns > self.now_ns:
            return False
        self._line.send(owed.number, owed.answer, self.now_ns)
        self._orders.owed = None
        return True

    def _dated(self, answer: ClockAnswer) -> Owed:
        """The answer to `clock` with how long it was kept: it begins a little later, once it is built."""
        if answer.kept == 0:
            begins = self.ticks_at(self.now_ns) + CLOCK_LEAD_TICKS
            kept = min(begins - (answer.received_high << 32 | answer.received), 0xFFFF)
            answer = ClockAnswer(answer.received, answer.received_high, kept)
            self._line.wait_until(self.ns_at(begins))
        return self._orders.answer_anew(answer)

    def state(self) -> StateReport:
        """The report `state` as it is now."""
        now = self.ticks_at(self.now_ns)
        time, following = (now, 0) if self.edges is None else self.edges.stand(now)
        levels, keys = self.levels, self.keys
        if self.edges is not None and self.edges.waiting:
            levels = self.edges.sent_levels & self.watched | levels & ~self.watched
            keys = self.edges.sent_keys
        elif self.edges is not None:
            self.edges.sent_levels, self.edges.sent_keys = levels, keys
        flags = Flag.SESSION_OPEN if self.session is not None else Flag(0)
        flags |= Flag.DEADMAN if self.deadman else Flag(0)
        flags |= Flag.WATCHING if self.watched else Flag(0)
        flags |= Flag.STORM if self.masked else Flag(0)
        on = sum(1 << number - 1 for number in self.outputs)
        lost = 0 if self.edges is None else self.edges.lost
        return StateReport(
            time & _MASK,
            following & _MASK,
            levels & 0xFF,
            lost & 0xFFFF,
            on,
            int(flags),
            self.bad_frames & 0xFFFF,
            keys,
            self.masked,
        )

    def _sample(self) -> None:
        channels = [at for at in range(len(self.analogue)) if self._sampled.channels >> at & 1]
        values = b"".join(self.analogue[at].to_bytes(2, "little") for at in channels)
        ticks = self.ticks_at(self.now_ns) & _MASK
        self._report(SampleReport(self._samples & 0xFFFF, ticks, self._sampled.channels, values))
        self._samples += 1

    def _report(self, report: BoardReport) -> None:
        self._line.report(report, self.now_ns)
