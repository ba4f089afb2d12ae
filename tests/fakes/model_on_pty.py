"""The model board as something that `simulators.board.lockstep.LockStep` puts behind a real pty, in virtual time."""

from __future__ import annotations

from collections import deque

from hal.board import frames
from hal.board.messages import BAUD, Reset
from tests.fakes.model_board import ModelBoard


class ModelOnPty:
    """Keeps the model's time as exactly as an emulated board does: byte by byte, in both directions."""

    baud = float(BAUD)

    def __init__(self, model: ModelBoard, boot_ns: int = 0) -> None:
        """`boot_ns` is the time of the boot loader after a reset."""
        self.model = model
        self.host_baud = float(BAUD)
        self.resets = 0
        self._boot_ns = boot_ns
        self._arriving: deque[tuple[int, bytes]] = deque()
        self._free_ns = 0
        """When the line to the board is free."""
        self._leaving: deque[tuple[int, int]] = deque()
        self._sent: list[tuple[int, int]] = []

    @property
    def now_ns(self) -> int:
        return self.model.now_ns

    def run_until(self, t_ns: int, pause_at: int | None = None, pause_after: int | None = None) -> None:
        while True:
            times = [t_ns, *(when for when, _ in [*list(self._arriving)[:1], *list(self._leaving)[:1]])]
            if self.model.next_due_ns is not None:
                times.append(self.model.next_due_ns)
            step_ns = max(min(times), self.model.now_ns)
            while self._arriving and self._arriving[0][0] <= step_ns:
                self.model.receive(self._arriving.popleft()[1], step_ns)
            self.model.advance(step_ns)
            self._collect()
            paused = False
            while self._leaving and self._leaving[0][0] <= step_ns and not paused:
                self._sent.append(self._leaving.popleft())
                paused = self._sent[-1][1] == pause_at or len(self._sent) == pause_after
            if paused or step_ns >= t_ns:
                return

    def receive(self, data: bytes, t_ns: int | None = None) -> None:
        begins_ns = max(self._free_ns, self.now_ns, t_ns or 0)
        for byte in data:
            begins_ns += frames.wire_ns(1)
            self._arriving.append((begins_ns, bytes((byte,))))
        self._free_ns = begins_ns

    def take_sent(self) -> list[tuple[int, int]]:
        sent, self._sent = self._sent, []
        return sent

    def reset(self) -> None:
        self.resets += 1
        self._leaving.clear()
        self.model.reset(self.now_ns, Reset.EXTERNAL, self._boot_ns)

    def hang(self) -> None:
        self.model.frozen = True

    def freeze(self, on: bool) -> None:
        self.model.frozen = on

    def power_cut(self, seed: int = 0) -> bytes:
        raise NotImplementedError("a model has no memory to keep")

    def power_on(self) -> None:
        raise NotImplementedError("a model has no memory to keep")

    def _collect(self) -> None:
        for end_ns, data in self.model.take_sent():
            first_ns = end_ns - frames.wire_ns(len(data) - 1)
            self._leaving.extend((first_ns + frames.wire_ns(at), byte) for at, byte in enumerate(data))
