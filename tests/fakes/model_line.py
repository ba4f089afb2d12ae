"""The transmit side of a model board: frame after frame, each byte with its time on the wire."""

from __future__ import annotations

from hal.board import frames
from hal.board.message import Message, Report
from hal.board.messages import LONGEST
from tests.fakes.model_clock import ModelClock

TX_BYTES = 192
"""What waits to be sent at most."""
_ROOM_NS = frames.wire_ns(TX_BYTES - LONGEST - 2)


class ModelLine:
    """The sending half of a board's serial line. All times are the host's."""

    def __init__(self, clock: ModelClock, t_ns: int) -> None:
        self.silent_ns = t_ns
        """When the last byte has left."""
        self._clock = clock
        self._sent: list[tuple[int, bytes]] = []
        self._reports = 0

    @property
    def room_ns(self) -> int:
        """When the longest frame finds room."""
        return self.silent_ns - _ROOM_NS

    def send(self, number: int, message: Message, t_ns: int) -> None:
        """Sends an answer to a command of that number, after what waits."""
        data = frames.encode(number, message)
        # The bits are made from the board's clock.
        self.silent_ns = max(t_ns, self.silent_ns) + round(frames.wire_ns(len(data)) / self._clock.rate)
        self._sent.append((self.silent_ns, data))

    def report(self, report: Report, t_ns: int) -> None:
        """Sends a report, with the next number."""
        self.send(self._reports & 0xFF, report, t_ns)
        self._reports += 1

    def restart_numbers(self) -> None:
        """Reports are numbered from 0 again."""
        self._reports = 0

    def wait_until(self, t_ns: int) -> None:
        """The next byte does not leave before then."""
        self.silent_ns = max(self.silent_ns, t_ns)

    def take(self) -> list[tuple[int, bytes]]:
        """What was sent since the last call: when the last byte of a frame leaves, and its bytes."""
        sent, self._sent = self._sent, []
        return sent

    def cut(self, t_ns: int, until_ns: int) -> None:
        """A reset: what has not left is gone, a frame on the wire is cut off. It begins anew at `until_ns`."""
        self._sent = [(end, data) if end <= t_ns else (t_ns, _begun(data, end - t_ns)) for end, data in self._sent]
        self.silent_ns = until_ns
        self._reports = 0


def _begun(data: bytes, left_ns: int) -> bytes:
    return data[: max(0, len(data) - left_ns // frames.wire_ns(1) - 1)]
