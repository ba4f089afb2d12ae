"""Input lines whose chip may go and come back: they are opened again by themselves.

    open ──► up ──failed──► down ──RETRY_FIRST_NS──► try ──ok──► up: the levels are found again
                             ▲                        │
                             └── twice the wait, RETRY_LONGEST_NS at most ◄── LineError

While they are down, the lines are unplugged: the source reported that when it failed. When they are up again, each
line begins with the level found, as at the first opening; no change is made up for the time between. Time goes on
meanwhile, so a table is not held up.
"""

from __future__ import annotations

from typing import Final

from hal.clock import Clock
from hal.lines import NOT_YET_NS, LineError, LineSource, Sink

RETRY_FIRST_NS: Final = 250_000_000
RETRY_LONGEST_NS: Final = 5_000_000_000
"""The wait before another try doubles from the first to the longest (ours), as for serial links."""


class RetryTimer:
    """When something that failed is tried again: the wait doubles with each failure."""

    def __init__(self) -> None:
        self._wait_ns = RETRY_FIRST_NS
        self._due_ns = NOT_YET_NS

    def failed(self, now_ns: int) -> None:
        """It failed: the next try is due after the wait."""
        self._due_ns = now_ns + self._wait_ns
        self._wait_ns = min(2 * self._wait_ns, RETRY_LONGEST_NS)

    def succeeded(self) -> None:
        """It works: the next failure is tried again after the shortest wait."""
        self._wait_ns = RETRY_FIRST_NS

    def is_due(self, now_ns: int) -> bool:
        """Whether the next try is due."""
        return now_ns >= self._due_ns


class ReopeningLines:
    """A source of lines (see `hal.lines.LineSource`) around one that fails when its chip goes."""

    def __init__(self, source: LineSource, clock: Clock) -> None:
        """`source` can be opened again after it has failed and was closed."""
        self.name = source.name
        self.lines = source.lines
        self.detects_loss = source.detects_loss
        self.kernel_time = source.kernel_time
        self.max_lateness_ns = source.max_lateness_ns
        self._source = source
        self._clock = clock
        self._sink: Sink | None = None
        self._down: LineError | None = None
        self._retry = RetryTimer()
        self._promised_ns = NOT_YET_NS

    @property
    def failed(self) -> LineError | None:
        """Always None: what fails is tried again."""
        return None

    @property
    def down(self) -> str | None:
        """Why the lines are unplugged, for people; None while they are not."""
        return None if self._down is None else str(self._down)

    def open(self, sink: Sink) -> None:
        """Opens the source.

        Raises:
            LineError: a line or chip is not available.
        """
        self._source.open(sink)
        self._sink, self._down = sink, None

    def close(self) -> None:
        """Closes the source, and no longer tries to open it."""
        self._sink = None
        self._source.close()

    def delivered_until(self, now_ns: int) -> int:
        """The time up to which everything was delivered; opens a source that is down again when that is due."""
        sink = self._sink
        if sink is None:
            return self._source.delivered_until(now_ns)
        if self._down is None:
            until_ns = self._source.delivered_until(now_ns)
            self._down = self._source.failed
            if self._down is None:
                self._retry.succeeded()
                self._promised_ns = max(self._promised_ns, until_ns)
                return self._promised_ns
            self._source.close()
            # Later than the loss, which may be dated just after `now_ns`.
            self._retry.failed(max(now_ns, self._clock.now_ns()))
        elif self._retry.is_due(now_ns):
            self._reopen(sink)
        # The levels of an opening are dated now at the earliest.
        self._promised_ns = max(self._promised_ns, now_ns - 1)
        return self._promised_ns

    def _reopen(self, sink: Sink) -> None:
        try:
            self._source.open(sink)
        except LineError as error:
            self._down = error
            self._retry.failed(self._clock.now_ns())
        else:
            self._down = None
