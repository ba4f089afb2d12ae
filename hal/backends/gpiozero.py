"""Input lines on the pins of any gpiozero factory.

The factory's pins are used directly, not gpiozero's devices: a device passes no time to its callbacks, and drops an
edge that did not change its state. The pin's own `when_changed(ticks, state)` gives both.

    factory's thread                        event loop
    ────────────────                        ──────────
    when_changed(ticks, state) ─► queue ──► drain: ticks to nanoseconds ─► LineTracker ─► sink
                                  └ call_soon_threadsafe

Known traps: a pin holds its callback by a weak reference, so the callbacks are kept here; an exception in a callback
ends lgpio's only thread, so the callback does nothing that can raise; lgpio and pigpio report a timeout as level 2,
which is not an edge. No factory numbers its edges, so `detects_loss` is false, though two equal levels are still
reported.

No factory reports that its chip or daemon has gone either, so a pin is read each `PROBE_NS`: once that fails, each line
is `UNPLUGGED` and the source has failed. A factory holds what has gone, so it is replaced before the next opening.

gpiozero calls ticks opaque: only `ticks_diff` gives seconds. Ticks of factories that are known to count seconds of
CLOCK_MONOTONIC are converted directly; all others are measured against the clock.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from hal.backends.gpiozero_factory import SharedFactory, library_errors, pin_is_taken
from hal.clock import Clock
from hal.lines import NOT_YET_NS, LineError, LineSpec, LineTracker, Sink, check_wires
from hal.values import Edge, Rare

if TYPE_CHECKING:
    from gpiozero.pins import Factory, Pin

log = logging.getLogger(__name__)

MAX_LATENESS_NS = 50_000_000
"""From an edge to the queue (ours): lgpio polls every 0.5 ms and holds events for another 0.5 ms; the rest is for its
Python thread to be scheduled."""

PROBE_NS = 1_000_000_000
"""Between two reads of a pin that show whether the chip is still there (ours); a read takes some 0.1 ms."""

_PULLS = {"up": "up", "down": "down", "none": "floating"}
_KERNEL_TIME = ("gpiozero.pins.lgpio", "gpiozero.pins.pigpio")
"""Factories whose ticks are taken by the kernel (lgpio) or sampled by hardware (pigpio)."""

ANCHOR_EVERY_NS = 10_000_000_000
"""How often opaque ticks are measured (ours): clock discipline (at most 500 ppm) moves them by 5 ms in between."""

_SECONDS = ("gpiozero.pins.local", "gpiozero.pins.mock")
"""Factories whose ticks are seconds of CLOCK_MONOTONIC: lgpio (the kernel's stamp / 1e9), rpigpio, native; mock."""


def made_by(factory: Factory, module: str) -> bool:
    """Whether the factory's class, or one that it extends, is of that module; without importing it."""
    return any(base.__module__ == module for base in type(factory).__mro__)


class SecondsTicks:
    """Ticks that are seconds of CLOCK_MONOTONIC, as a float: exact for 26 days of uptime, within 2 ns for 100 days."""

    @staticmethod
    def fits(factory: Factory) -> bool:
        """Whether the factory's ticks are of this kind."""
        return any(made_by(factory, module) for module in _SECONDS)

    def anchor(self) -> None:
        """Does nothing: both have the same origin."""

    def keep(self, now_ns: int) -> None:
        """Does nothing."""

    def to_ns(self, ticks: object) -> int:
        """Converts ticks to nanoseconds.

        Raises:
            TypeError: the ticks are not a number.
        """
        if not isinstance(ticks, int | float):
            raise TypeError(f"ticks: expected seconds as a number, got {ticks!r}")
        return round(ticks * 1e9)


class OpaqueTicks:
    """Ticks of which only differences are known: pigpio's microseconds, which start again every 71.6 minutes.

    An anchor pairs one tick with the clock. A tick just before the anchor differs from it by almost a whole period in
    one direction and by little in the other; the shorter one is right, because an anchor is never half a period old.
    """

    def __init__(self, factory: Factory, clock: Clock) -> None:
        self._factory = factory
        self._clock = clock
        self._anchor_ns = 0
        self._last_ns = NOT_YET_NS
        self._anchor_ticks: object = None

    def anchor(self) -> None:
        """Measures the ticks against the clock; the error is half the duration of the request."""
        before_ns = self._clock.now_ns()
        self._anchor_ticks = self._factory.ticks()
        self._anchor_ns = (before_ns + self._clock.now_ns()) // 2

    def keep(self, now_ns: int) -> None:
        """Measures again if the last anchor is old: one request over a socket to pigpiod, some 0.1 ms."""
        if now_ns - self._anchor_ns >= ANCHOR_EVERY_NS:
            self.anchor()

    def to_ns(self, ticks: object) -> int:
        """Converts ticks to nanoseconds of the clock; called in the order of the edges."""
        after_s = float(self._factory.ticks_diff(ticks, self._anchor_ticks))
        before_s = float(self._factory.ticks_diff(self._anchor_ticks, ticks))
        since_s = after_s if after_s <= before_s or before_s < 0 else -before_s
        # A new anchor can move the time back a little; edges must stay in order.
        self._last_ns = max(self._last_ns, self._anchor_ns + round(since_s * 1e9))
        return self._last_ns


class GpiozeroLines:
    """Lines on the pins of one factory, which the caller creates (`load_factory`) and closes after this source."""

    detects_loss = False

    def __init__(
        self,
        specs: Iterable[LineSpec],
        clock: Clock,
        factory: Factory,
        *,
        name: str = "gpiozero",
        loop: asyncio.AbstractEventLoop | None = None,
        max_lateness_ns: int = MAX_LATENESS_NS,
        shared: SharedFactory | None = None,
    ) -> None:
        """Takes the lines; no pin is touched yet.

        `shared` replaces a factory whose chip or daemon has gone; without it, the same one is used again.

        Raises:
            LineError: the lines contradict one another.
        """
        self._specs = check_wires(specs)
        self.name = name
        self.lines = frozenset(spec.name for spec in self._specs)
        self.max_lateness_ns = max_lateness_ns
        self.kernel_time = any(made_by(factory, module) for module in _KERNEL_TIME)
        self._clock = clock
        self._factory = factory
        self._shared = shared
        self._ticks = _ticks_of(factory, clock)
        self._loop = loop
        self._pins: list[Pin] = []
        self._callbacks: list[Callable[[object, object], None]] = []
        self._trackers: list[LineTracker] = []
        self._queue: deque[tuple[LineTracker, object, object]] = deque()
        self._woken = False
        self._sink: Sink | None = None
        self._until_ns = NOT_YET_NS
        self._opened = False
        self._probed_ns = NOT_YET_NS
        self._failed: LineError | None = None
        self._factory_gone = False
        """Whether the factory no longer reaches its pins; it is replaced once, not at each try for a pin in use."""

    @property
    def failed(self) -> LineError | None:
        """Why the pins can no longer be read; None while they can."""
        return self._failed

    def open(self, sink: Sink) -> None:
        """Makes the pins inputs, delivers the levels found, and then every change.

        Raises:
            LineError: a pin does not exist, is in use, or cannot be configured as asked.
        """
        if self._sink is not None:
            raise LineError(f"source {self.name!r}: it is open already; close it first")
        errors = library_errors()
        loop = self._loop = self._loop or asyncio.get_running_loop()
        if self._failed is not None and self._shared is not None:
            self._factory = self._shared.replace(self._factory) if self._factory_gone else self._shared.current()
            self._factory_gone = False
            self._ticks = _ticks_of(self._factory, self._clock)
        self._queue.clear()
        try:
            self._ticks.anchor()
        except errors as error:
            self._factory_gone = True
            raise LineError(
                f"source {self.name!r}: its time cannot be read ({type(error).__name__}: {error})"
            ) from error
        opened_ns = self._probed_ns = self._clock.now_ns()
        trackers = self._trackers = list[LineTracker]()
        levels: list[int] = []
        for spec in self._specs:
            tracker = LineTracker(spec.name, spec.inverted)
            try:
                levels.append(self._claim(spec, tracker, loop))
            except LineError:
                self._release()
                raise
            except errors as error:
                self._release()
                self._factory_gone = not pin_is_taken(error)
                raise LineError(
                    f"line {spec.name!r}: {spec.wire} cannot be watched by {type(self._factory).__name__} "
                    f"({type(error).__name__}: {error}); give it another pin or pull under [pins], or free this one"
                ) from error
            trackers.append(tracker)
        read_ns = self._clock.now_ns()
        first = [tracker.found(level, opened_ns, read_ns) for tracker, level in zip(trackers, levels, strict=True)]
        self._sink, self._opened, self._failed = sink, True, None
        sink.deliver(self.name, first, [])
        self._drain()

    def close(self) -> None:
        """Releases the pins."""
        self._sink = None
        self._release()
        self._queue.clear()

    def delivered_until(self, now_ns: int) -> int:
        """Delivers the queue, then relies on `max_lateness_ns`: a factory cannot be asked what is pending."""
        if self._sink is None:
            return now_ns if self._opened else NOT_YET_NS
        try:
            self._ticks.keep(now_ns)
            if now_ns - self._probed_ns >= PROBE_NS:
                self._probed_ns = now_ns
                if self._shared is not None and not self._shared.is_current(self._factory):
                    raise OSError("another table found that its chip or daemon has gone")
                _ = self._pins[0].state
        except library_errors() as error:
            self._fail(error)
            return now_ns
        self._drain()
        # One less: the loss that an edge reveals is dated before it, and after this.
        self._until_ns = max(self._until_ns, now_ns - self.max_lateness_ns - 1)
        return self._until_ns

    def _conflicts_with(self, other: object) -> bool:
        """gpiozero calls this on the owner of a reserved pin: these pins are not shared."""
        return other is not self

    def _claim(self, spec: LineSpec, tracker: LineTracker, loop: asyncio.AbstractEventLoop) -> int:
        self._factory.reserve_pins(self, spec.gpio)
        pin = self._factory.pin(spec.gpio)
        if pin in self._pins:
            other = self._specs[self._pins.index(pin)]
            raise LineError(
                f"line {spec.name!r}: {spec.wire} is the wire of line {other.name!r} ({other.wire}) under another "
                "name; give each line a wire of its own under [pins]"
            )
        self._pins.append(pin)
        pin.function = "input"
        pin.pull = _PULLS[spec.pull]
        pin.bounce = spec.debounce_ns / 1e9 if spec.debounce_ns else None
        pin.edges = "both"
        callback = self._callback(tracker, loop)
        self._callbacks.append(callback)
        pin.when_changed = callback
        # Read after watching began, so that no change is missed; the tracker drops one that is in both.
        return int(bool(pin.state))

    def _callback(self, tracker: LineTracker, loop: asyncio.AbstractEventLoop) -> Callable[[object, object], None]:
        """The callback for the factory's thread."""

        def changed(ticks: object, state: object) -> None:
            self._queue.append((tracker, ticks, state))
            if not self._woken:
                self._woken = True
                try:
                    loop.call_soon_threadsafe(self._drain)
                except RuntimeError:
                    # The loop was closed before the source: there is no receiver.
                    self._queue.clear()
                    self._woken = False

        return changed

    def _drain(self) -> None:
        self._woken = False  # Before the queue is read: a later entry schedules another call.
        edges: list[Edge] = []
        rare: list[Rare] = []
        for _ in range(len(self._queue)):
            tracker, ticks, state = self._queue.popleft()
            if state not in (0, 1):
                continue
            edge = tracker.changed(int(bool(state)), self._ticks.to_ns(ticks), rare, self._until_ns)
            if edge is not None:
                edges.append(edge)
        if self._sink is not None and (edges or rare):
            self._sink.deliver(self.name, edges, rare)

    def _fail(self, error: Exception) -> None:
        """The chip or the daemon has gone: reports what came before, then each line as unplugged."""
        self._drain()
        self._factory_gone = True
        self._failed = LineError(
            f"source {self.name!r}: its pins can no longer be read ({type(error).__name__}: {error}); lines "
            f"{', '.join(sorted(self.lines))} are unknown. Plug the chip in again, or start the factory's daemon"
        )
        sink, self._sink = self._sink, None
        if sink is not None:
            sink.deliver(self.name, [], [tracker.unplugged(self._until_ns) for tracker in self._trackers])

    def _release(self) -> None:
        try:
            for pin in self._pins:
                pin.when_changed = None
            for pin in self._pins:
                pin.close()
        except library_errors() as error:
            # Pins of a chip that has gone cannot be given back; those of one that is there can.
            log.warning("source %r: its pins could not be released: %s: %s", self.name, type(error).__name__, error)
        self._factory.release_all(self)
        self._pins.clear()
        self._callbacks.clear()


def _ticks_of(factory: Factory, clock: Clock) -> SecondsTicks | OpaqueTicks:
    return SecondsTicks() if SecondsTicks.fits(factory) else OpaqueTicks(factory, clock)
