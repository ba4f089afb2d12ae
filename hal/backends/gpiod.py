"""Input lines on a Linux GPIO chip, through libgpiod 2: the default on a Pi.

The kernel's behaviour, and what follows from it:

| the kernel                                                         | this backend                                   |
|--------------------------------------------------------------------|------------------------------------------------|
| stamps an edge in the hard interrupt, on CLOCK_MONOTONIC           | `kernel_time`: the stamp is the edge's time    |
| numbers a line's events; drops the oldest when its buffer is full  | a gap is `OVERFLOW`, with its count            |
| reads the level later; two edges may become one event              | two equal levels are `REPEATED_LEVEL`          |
| buffers 16 events a line unless asked; 1024 a request at most      | 1024 are asked for                             |
| with a debounce stamps the end of the period                       | no kernel debounce unless the line asks for it |
| fails every read once the chip has gone                            | each line is `UNPLUGGED`; the source has failed |
| gives a chip that comes back its label and line names again        | it is opened again only if these are the same  |

Levels are requested as on the wire (never `active_low`): inversion is applied in `hal.lines`, for all backends alike.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING

from hal.backends.gpiod_chip import (
    CONSUMER,
    ChipIdentity,
    Devices,
    gpio_devices,
    identity_of,
    line_offset,
    open_chip,
    request_refused,
    require_gpiod,
)
from hal.clock import Clock
from hal.lines import NOT_YET_NS, LineError, LineSpec, LineTracker, Sink, check_wires
from hal.values import Edge, Rare

if TYPE_CHECKING:
    import gpiod

BUFFER_EVENTS = 1024
"""The most that the kernel buffers for a request (gpiolib-cdev: GPIO_V2_LINES_MAX * 16), and that one read returns."""

MAX_LATENESS_NS = 20_000_000
"""From the stamp in the interrupt until the event can be read (ours).

The interrupt's thread runs at real-time priority, so that takes well under a millisecond; 20 ms allows for a long
uninterruptible section of the kernel, and no person notices it. A later event is reported as `LATE`.
"""

_MAX_READS = 16
"""Reads in a row before others get their turn (ours): a line that oscillates must not stop the loop."""


class GpiodLines:
    """The lines of one GPIO chip.

    The specs name the chip. `devices` lists the chips' paths; `loop` defaults to the running one.
    """

    detects_loss = True
    kernel_time = True

    def __init__(
        self,
        specs: Iterable[LineSpec],
        clock: Clock,
        *,
        name: str | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
        devices: Devices = gpio_devices,
        max_lateness_ns: int = MAX_LATENESS_NS,
    ) -> None:
        """Takes the lines; nothing is opened yet.

        Raises:
            LineError: the lines contradict one another.
        """
        self._specs = check_wires(specs)
        self.name = name or f"gpiod:{self._specs[0].chip or 'header'}"
        self.lines = frozenset(spec.name for spec in self._specs)
        self.max_lateness_ns = max_lateness_ns
        self._clock = clock
        self._loop = loop
        self._devices = devices
        self._poll = select.poll()
        self._request: gpiod.LineRequest | None = None
        self._sink: Sink | None = None
        self._trackers: dict[int, LineTracker] = {}
        self._newest_ns = NOT_YET_NS
        self._until_ns = NOT_YET_NS
        self._failed: LineError | None = None
        self._identity: ChipIdentity | None = None
        """The chip of the first opening: no other one is opened later."""

    @property
    def failed(self) -> LineError | None:
        """Why the chip can no longer be read; None while it can."""
        return self._failed

    def open(self, sink: Sink) -> None:
        """Claims the lines, delivers the levels found, and then every event of the kernel.

        It may be opened again after it was closed or has failed.

        Raises:
            LineError: the package, the chip or a line is not available, or the chip is not the one of the first time.
        """
        if self._request is not None:
            raise LineError(f"source {self.name!r}: it is open already; close it first")
        require_gpiod()
        loop = self._loop or asyncio.get_running_loop()
        try:
            known = self._identity
            label = self._specs[0].chip if known is None else known.label
            with open_chip(label, self._devices, again=known is not None) as chip:
                offsets = self._offsets(chip)
                identity = identity_of(chip, offsets)
                if known is not None:
                    known.check_same(identity)
                opened_ns = self._clock.now_ns()
                request = self._claim(chip, offsets)
        except OSError as error:
            raise LineError(
                f"source {self.name!r}: its chip disappeared while it was being opened ({error.strerror}); check its "
                "cable"
            ) from error
        try:
            found = request.get_values(offsets)
        except OSError as error:
            request.release()
            raise LineError(f"source {self.name!r}: the levels cannot be read: {error.strerror}") from error
        read_ns = self._clock.now_ns()
        self._trackers = {
            offset: LineTracker(spec.name, spec.inverted) for offset, spec in zip(offsets, self._specs, strict=True)
        }
        first = [
            self._trackers[offset].found(int(bool(value)), opened_ns, read_ns)
            for offset, value in zip(offsets, found, strict=True)
        ]
        self._request, self._sink, self._loop, self._failed = request, sink, loop, None
        self._identity = identity
        sink.deliver(self.name, first, [])
        self._poll.register(request.fd, select.POLLIN)
        loop.add_reader(request.fd, self._drain)

    def close(self) -> None:
        """Releases the lines."""
        request, self._request, self._sink = self._request, None, None
        if request is None or self._loop is None:
            return
        self._loop.remove_reader(request.fd)
        self._poll.unregister(request.fd)
        request.release()

    def delivered_until(self, now_ns: int) -> int:
        """Reads the pending events, then returns the time up to which all are read.

        An event stamped `max_lateness_ns` before `now_ns` or earlier was readable at `now_ns`, so emptying the buffer
        reads it. If there are too many to empty it: events become readable in order, so the rest became readable
        after the newest one read, and is stamped at most `max_lateness_ns` before that one.
        """
        if self._request is None:
            return now_ns if self._trackers else NOT_YET_NS
        emptied = self._drain()
        if self._failed is not None:
            return now_ns
        seen_ns = now_ns if emptied else min(now_ns, self._newest_ns)
        # One less: the loss that an edge reveals is dated before it, and after this.
        self._until_ns = max(self._until_ns, seen_ns - self.max_lateness_ns - 1)
        return self._until_ns

    def _offsets(self, chip: gpiod.Chip) -> list[int]:
        offsets: list[int] = []
        for spec in self._specs:
            offset = line_offset(chip, spec)
            if offset in offsets:
                other = self._specs[offsets.index(offset)]
                raise LineError(
                    f"line {spec.name!r}: {spec.wire} is the wire of line {other.name!r} ({other.wire}) under another "
                    "name; give each line a wire of its own under [pins]"
                )
            offsets.append(offset)
        return offsets

    def _claim(self, chip: gpiod.Chip, offsets: list[int]) -> gpiod.LineRequest:
        import gpiod
        from gpiod.line import Bias, Clock, Direction, Edge

        bias = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "none": Bias.DISABLED}
        settings: dict[Iterable[int | str] | int | str, gpiod.LineSettings | None] = {
            offset: gpiod.LineSettings(
                direction=Direction.INPUT,
                edge_detection=Edge.BOTH,
                bias=bias[spec.pull],
                event_clock=Clock.MONOTONIC,
                debounce_period=timedelta(microseconds=spec.debounce_ns // 1000),
            )
            for offset, spec in zip(offsets, self._specs, strict=True)
        }
        try:
            return chip.request_lines(settings, consumer=CONSUMER, event_buffer_size=BUFFER_EVENTS)
        except OSError as error:
            raise request_refused(chip, list(zip(self._specs, offsets, strict=True)), error) from error

    def _drain(self) -> bool:
        """Delivers the pending events; returns whether it emptied the buffer."""
        for _ in range(_MAX_READS):
            request = self._request
            if request is None:  # closed by the sink
                return True
            try:
                # A read with nothing pending would block. poll, because select cannot look at descriptors from 1024 on.
                if not self._poll.poll(0):
                    return True
                events = request.read_edge_events(BUFFER_EVENTS)
            except InterruptedError:
                continue
            except OSError as error:
                self._fail(error)
                return True
            self._deliver(events)
        return False

    def _deliver(self, events: list[gpiod.EdgeEvent]) -> None:
        from gpiod import EdgeEvent

        rising, until_ns = EdgeEvent.Type.RISING_EDGE, self._until_ns
        edges: list[Edge] = []
        rare: list[Rare] = []
        for event in events:
            level = 1 if event.event_type is rising else 0
            t_ns = event.timestamp_ns
            edge = self._trackers[event.line_offset].changed(level, t_ns, rare, until_ns, event.line_seqno)
            if edge is not None:
                edges.append(edge)
            if t_ns > self._newest_ns:
                self._newest_ns = t_ns
        if self._sink is not None and (edges or rare):
            self._sink.deliver(self.name, edges, rare)

    def _fail(self, error: OSError) -> None:
        """The chip was removed: reports each line as unplugged, once."""
        sink = self._sink
        self._failed = LineError(
            f"source {self.name!r}: the chip can no longer be read ({error.strerror}); lines "
            f"{', '.join(sorted(self.lines))} are unknown. Plug it in again"
        )
        self.close()
        if sink is not None:
            sink.deliver(self.name, [], [tracker.unplugged(self._until_ns) for tracker in self._trackers.values()])
