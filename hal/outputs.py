"""Output lines: lamps, signals and, on boards, what moves. Always safe when nobody says otherwise.

`hal.output_guard` decides, sans-I/O; `Outputs` carries its decisions to a writer (`hal.outputs_gpiod`,
`hal.outputs_gpiozero`, `hal.outputs_board`) and wakes it on the event loop.
"""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

from hal.clock import NS_PER_S, Clock
from hal.lines import LineError
from hal.output_guard import KINDS, OutputGuard, OutputSpec


class OutputWriter(Protocol):
    """Puts values on wires. Inversion is already applied: 1.0 is a high wire."""

    def open(self, wires: Mapping[str, float]) -> None:
        """Claims the outputs, by name, and puts each on its wire value without a glitch in between.

        Raises:
            LineError: a line cannot be had, or cannot do what is asked.
        """

    def write(self, name: str, wire: float) -> None:
        """Puts one wire on a value.

        Raises:
            OSError: the chip has gone.
        """

    def close(self) -> None:
        """Lets the lines go. Calling it again does nothing."""


class OutputWatcher(Protocol):
    """What is told of outputs that have a mind of their own: a board answers later, makes safe, goes and comes back."""

    def refused(self, name: str, why: str) -> None:
        """What was written was not done: the output has a fault."""

    def stopped(self, names: Iterable[str], why: str) -> None:
        """The hardware made these outputs safe by itself."""

    def gone(self, why: str) -> None:
        """No output can be reached; the hardware makes all of them safe."""

    def back(self) -> None:
        """All outputs can be reached, and are safe."""


@runtime_checkable
class AnsweringWriter(Protocol):
    """An `OutputWriter` that also tells what became of its outputs."""

    def report_to(self, watcher: OutputWatcher) -> None:
        """Names who is told; before `open`."""


class Outputs:
    """The outputs of a table. Safe from `open` on, at their longest on-time, on a fault, at `close` and at exit.

    Of an `AnsweringWriter` it is the watcher: while its board is gone, all outputs are held safe.
    """

    def __init__(
        self,
        specs: Iterable[OutputSpec],
        writer: OutputWriter,
        clock: Clock,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """Takes the outputs; no pin is touched yet.

        Raises:
            LineError: an output is one that cannot be, or a name is given twice.
        """
        self._guards: dict[str, OutputGuard] = {}
        for spec in specs:
            if spec.name in self._guards:
                raise LineError(f"output {spec.name!r}: it is given twice; remove one of the two")
            self._guards[spec.name] = OutputGuard(spec)
        self._writer = writer
        self._clock = clock
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._open = False
        self._gone: str | None = None
        self._refused: set[str] = set()
        if isinstance(writer, AnsweringWriter):
            writer.report_to(self)

    @property
    def faults(self) -> dict[str, str]:
        """The outputs that are held safe, and why."""
        held = {name: guard.fault or self._gone or guard.stopped for name, guard in self._guards.items()}
        return {name: why for name, why in held.items() if why is not None}

    @property
    def refusals(self) -> dict[str, str]:
        """The outputs that did not do what they were told, and why: held safe until `clear`."""
        return {name: guard.fault for name, guard in self._guards.items() if guard.fault is not None}

    @property
    def names(self) -> frozenset[str]:
        """What outputs there are."""
        return frozenset(self._guards)

    def open(self) -> None:
        """Claims the outputs and makes them safe.

        Raises:
            LineError: a line cannot be had.
        """
        self._loop = self._loop or asyncio.get_running_loop()
        self._writer.open({name: _wire(guard.spec, guard.spec.safe) for name, guard in self._guards.items()})
        self._open = True
        atexit.register(self.close)

    def set(self, name: str, value: float) -> None:
        """Puts an output on a value.

        Raises:
            LineError: there is no such output, it is held safe, or it cannot be written.
            ValueError: it cannot have that value.
        """
        guard = self._guard(name)
        if not self._open:
            raise LineError(f"output {name!r}: it is not open; open the outputs first")
        if self._gone is not None and value != guard.spec.safe:
            raise LineError(f"output {name!r}: it is held safe: {self._gone}")
        self._write(guard, guard.set(value, self._clock.now_ns()))
        self._arm()
        if guard.value != value:
            on_for = f"it was on for {guard.spec.max_on_ns / NS_PER_S:g} s"
            why = guard.fault or f"{guard.stopped or on_for}; set it to its safe value first"
            raise LineError(f"output {name!r}: it is held safe: {why}")

    def show(self, name: str, value: float) -> None:
        """As `set`; a lamp or a signal that hardware made safe goes on by way of its safe value: nothing moves there.

        Raises:
            LineError: as `set`.
            ValueError: as `set`.
        """
        guard = self._guard(name)
        if guard.stopped is not None and guard.spec.kind in KINDS:
            self.set(name, guard.spec.safe)
        self.set(name, value)

    def fail(self, why: str) -> None:
        """Holds all outputs safe: something that they belong to has a fault."""
        for guard in self._guards.values():
            self._write(guard, guard.fail(why))
        self._arm()

    def clear(self, names: Iterable[str] | None = None) -> None:
        """Takes the faults of these outputs back (default: of all); they stay safe until they are set.

        A board that holds such an output safe is told once that safe is what is wanted: that frees it.

        Raises:
            LineError: there is no such output.
        """
        for name in list(self._guards if names is None else names):
            guard = self._guard(name)
            if guard.fault is not None:
                self._refused.discard(name)
                guard.clear()
                if self._open:
                    self._write(guard, guard.set(guard.spec.safe, self._clock.now_ns()))
        self._arm()

    def refused(self, name: str, why: str) -> None:
        """What was written to an output was not done: holds it safe until `clear`, or until its board begins anew."""
        guard = self._guard(name)
        if guard.fault is None:
            self._refused.add(name)
        self._write(guard, guard.fail(why))
        self._arm()

    def stopped(self, names: Iterable[str], why: str) -> None:
        """Hardware made these outputs safe: those that were on are held so until they are set to safe once."""
        for name in names:
            self._guard(name).stop(why)
        self._arm()

    def gone(self, why: str) -> None:
        """Holds all outputs safe until they are back: nothing is written to what cannot be reached."""
        self._gone = why
        self.stopped(self._guards, why)

    def back(self) -> None:
        """Outputs can be reached again, and are safe. Refusals of the time before are forgotten."""
        self._gone = None
        for name in self._refused:
            self._guards[name].clear()
        self._refused.clear()

    def close(self) -> None:
        """Makes all outputs safe and lets them go. Calling it again does nothing."""
        if not self._open:
            return
        self._open = False
        atexit.unregister(self.close)
        if self._timer is not None:
            self._timer.cancel()
        for guard in self._guards.values():
            self._write(guard, guard.fail("closed"))
            guard.clear()
        self._writer.close()

    def _guard(self, name: str) -> OutputGuard:
        if name not in self._guards:
            raise LineError(
                f"output {name!r}: there is none of that name; there are {', '.join(self._guards) or 'none'}"
            )
        return self._guards[name]

    def _write(self, guard: OutputGuard, value: float | None) -> None:
        if value is None or self._gone is not None:
            return
        try:
            self._writer.write(guard.spec.name, _wire(guard.spec, value))
        except OSError as error:
            # Held, and shown by `faults`; the wire can no longer be reached, so no retry makes it safer.
            guard.fail(f"its wire cannot be written ({error.strerror or error}); check the chip and its cable")

    def _arm(self) -> None:
        """Sets the timer to the first output that must go safe."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = [guard.next_due_ns for guard in self._guards.values() if guard.next_due_ns is not None]
        if due and self._loop is not None:
            self._timer = self._loop.call_later(max(0, min(due) - self._clock.now_ns()) / NS_PER_S, self._wake)

    def _wake(self) -> None:
        now_ns = self._clock.now_ns()
        for guard in self._guards.values():
            self._write(guard, guard.due(now_ns))
        self._arm()


def _wire(spec: OutputSpec, value: float) -> float:
    return 1.0 - value if spec.inverted else float(value)
