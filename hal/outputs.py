"""Output lines: lamps and signals, with a safe state and a longest time away from it.

`OutputGuard` decides, sans-I/O; `Outputs` carries its decisions to a writer (`hal.outputs_gpiod`,
`hal.outputs_gpiozero`) and wakes it on the event loop.

    command │ state before        │ written │ state after
    ────────┼─────────────────────┼─────────┼─────────────────────────────────────────────────
    set(v)  │ ready, v not safe   │ v       │ on: safe again `max_on_ns` after it was first on
    set(v)  │ on, v not safe      │ v       │ on: the time runs on, repeating does not extend it
    set(v)  │ timed out, not safe │ nothing │ timed out: refused until it was set to safe once
    set(s)  │ any but faulted     │ safe    │ ready
    due     │ on for `max_on_ns`  │ safe    │ timed out
    fault   │ any                 │ safe    │ faulted: refused until `clear`

The kernel leaves a pin as it was when a process is killed or frozen. So nothing that moves may hang on a pin of the Pi:
only lamps and signals are accepted here.
"""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

from hal.clock import NS_PER_S, Clock
from hal.lines import LineError

OutputKind: TypeAlias = Literal["lamp", "signal"]
KINDS: tuple[str, ...] = get_args(OutputKind)
MOVING = ("motor", "solenoid", "stepper", "servo", "relay", "valve")
"""Kinds that people ask for and that need a board."""

DEFAULT_MAX_ON_NS = 600 * NS_PER_S
"""Ten minutes (ours): longer than any round, short enough that a forgotten lamp goes out."""


@dataclass(frozen=True, slots=True)
class OutputSpec:
    """One output as the configuration describes it. Values go from 0.0 to 1.0; between them only with `pwm_hz`."""

    name: str
    """The output's name in the table: `no_more_bets_lamp`."""
    gpio: int | str | None
    """The GPIO number (BCM on a Pi) or the kernel's name for the line."""
    kind: str = "lamp"
    """What hangs on it: `lamp` or `signal`."""
    chip: str | None = None
    """The label of the chip; None means the chip of the Pi's header."""
    inverted: bool = False
    """Whether the wire is low at value 1."""
    safe: float = 0.0
    """The value that harms nobody."""
    max_on_ns: int = DEFAULT_MAX_ON_NS
    """The longest time away from the safe value."""
    pwm_hz: float | None = None
    """The frequency of its PWM (gpiozero only); None for plain on and off."""

    def refusal(self) -> str | None:
        """Why this output cannot be; None when it can. A check tells all of them at once."""
        where = f"output {self.name!r}"
        if self.kind in MOVING:
            return (
                f"{where}: a {self.kind} moves, and a pin of the Pi stays as it is when its program dies; "
                "drive it by a board, which has a dead-man, or use kind = lamp or signal for what does not move"
            )
        if self.kind not in KINDS:
            return f"{where}: expected kind = {' or '.join(KINDS)}, got {self.kind!r}; correct it"
        if self.gpio is None:
            return f"{where}: expected a GPIO number or name, got none; add gpio = …"
        if self.max_on_ns <= 0:
            return f"{where}: expected a longest on-time above 0, got {self.max_on_ns} ns; correct it"
        if self.pwm_hz is not None and self.pwm_hz <= 0:
            return f"{where}: expected a PWM frequency above 0, got {self.pwm_hz} Hz; correct it"
        if not self.takes(self.safe):
            return f"{where}: its safe value {self.safe} is one that it cannot take; use 0 or 1"
        return None

    def takes(self, value: float) -> bool:
        """Whether the output can have this value."""
        return 0.0 <= value <= 1.0 if self.pwm_hz is not None else value in (0.0, 1.0)


class OutputGuard:
    """One output's safe state and longest on-time, without a clock or a pin.

    Every method returns the value to write now, or None when nothing is to be written.
    """

    def __init__(self, spec: OutputSpec) -> None:
        """Begins safe.

        Raises:
            LineError: the output is one that cannot be.
        """
        refusal = spec.refusal()
        if refusal is not None:
            raise LineError(refusal)
        self.spec = spec
        self.value = spec.safe
        """The value that the wire should have."""
        self.timed_out = False
        self.fault: str | None = None
        """Why it is held safe; None while it is not."""
        self._on_since_ns: int | None = None

    @property
    def next_due_ns(self) -> int | None:
        """When it must go safe; None while it is."""
        return None if self._on_since_ns is None else self._on_since_ns + self.spec.max_on_ns

    def set(self, value: float, t_ns: int) -> float | None:
        """Asks for a value. An output that timed out or has a fault stays safe.

        Raises:
            ValueError: the output cannot have that value.
        """
        if not self.spec.takes(value):
            raise ValueError(f"output {self.spec.name!r}: it cannot take the value {value}; use 0 or 1")
        safe = self.due(t_ns)
        if value == self.spec.safe:
            self.timed_out = False
            return self._go_safe() if safe is None else safe
        if self.timed_out or self.fault is not None:
            return safe
        if self._on_since_ns is None:
            self._on_since_ns = t_ns
        return self._take(value)

    def due(self, t_ns: int) -> float | None:
        """Lets time pass to `t_ns`."""
        due_ns = self.next_due_ns
        if due_ns is None or t_ns < due_ns:
            return None
        self.timed_out = True
        return self._go_safe()

    def fail(self, why: str) -> float | None:
        """Holds the output safe until `clear`."""
        self.fault = self.fault or why
        return self._go_safe()

    def clear(self) -> None:
        """Takes the fault back; the output stays safe until it is set."""
        self.fault = None

    def _go_safe(self) -> float | None:
        self._on_since_ns = None
        return self._take(self.spec.safe)

    def _take(self, value: float) -> float | None:
        if value == self.value:
            return None
        self.value = value
        return value


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


class Outputs:
    """The outputs of a table. Safe from `open` on, at their longest on-time, on a fault, at `close` and at exit."""

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

    @property
    def faults(self) -> dict[str, str]:
        """The outputs that are held safe, and why."""
        return {name: guard.fault for name, guard in self._guards.items() if guard.fault is not None}

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
        self._write(guard, guard.set(value, self._clock.now_ns()))
        self._arm()
        if guard.value != value:
            why = guard.fault or f"it was on for {guard.spec.max_on_ns / NS_PER_S:g} s; set it to its safe value first"
            raise LineError(f"output {name!r}: it is held safe: {why}")

    def fail(self, why: str) -> None:
        """Holds all outputs safe: something that they belong to has a fault."""
        for guard in self._guards.values():
            self._write(guard, guard.fail(why))
        self._arm()

    def clear(self) -> None:
        """Takes all faults back; the outputs stay safe until they are set."""
        for guard in self._guards.values():
            guard.clear()

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
        if value is None:
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
