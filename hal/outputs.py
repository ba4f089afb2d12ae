"""Output lines: lamps, signals and, on boards, motors and solenoids. Safe unless commanded otherwise.

`OutputGuard` decides, sans-I/O; `Outputs` passes its decisions to a writer (`hal.outputs_gpiod`,
`hal.outputs_gpiozero`, `hal.outputs_board`) and runs its timers on the event loop.

The kernel leaves a pin as it was when a process is killed or frozen. So nothing that moves may be driven by a pin of
the Pi: only lamps and signals are accepted there. A board makes its outputs safe by itself when its host falls silent
and when it is reset, so what moves is driven by a board, which reports that as `stopped`.
"""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from hal.clock import NS_PER_S, Clock
from hal.lines import LineError, place_words

OutputKind: TypeAlias = Literal["lamp", "signal"]
KINDS: tuple[str, ...] = get_args(OutputKind)
SHOWN_AGAIN: Final = "lamp"
"""The kind that is set again by itself after hardware made it safe: what is given by a signal may move."""
BoardOutputKind: TypeAlias = Literal["lamp", "signal", "motor", "solenoid", "stepper"]
BOARD_KINDS: tuple[str, ...] = get_args(BoardOutputKind)
MOVING = ("motor", "solenoid", "stepper", "servo", "relay", "valve")
"""Kinds that people configure on a pin, but that need a board."""

DEFAULT_MAX_ON_NS = 600 * NS_PER_S
"""Ten minutes (ours): longer than any round, short enough that a forgotten lamp goes out."""


@dataclass(frozen=True, slots=True)
class OutputSpec:
    """One output as the configuration describes it. Values go from 0.0 to 1.0; between them only with `pwm_hz`."""

    name: str
    """The output's name in the table: `no_more_bets_lamp`."""
    gpio: int | str | None
    """The GPIO number (BCM on a Pi) or the kernel's name for the line; on a board the number of the output, from 1."""
    kind: str = "lamp"
    """What it drives: `lamp` or `signal`, and on a board also `motor`, `solenoid` or `stepper`."""
    chip: str | None = None
    """The label of the chip; None means the chip of the Pi's header."""
    inverted: bool = False
    """Whether the wire is low at value 1."""
    safe: float = 0.0
    """The value in which the output is harmless."""
    max_on_ns: int = DEFAULT_MAX_ON_NS
    """The longest time away from the safe value."""
    pwm_hz: float | None = None
    """The frequency of its PWM (gpiozero); None for on and off only. A board that dims uses its own frequency."""
    board: str | None = None
    """The name of the board whose output it is; None for a pin of this computer."""

    def refusal(self) -> str | None:
        """Why this output is invalid; None if it is valid. `check` reports all of them at once."""
        where = f"output {self.name!r}"
        kinds = KINDS if self.board is None else BOARD_KINDS
        if self.board is None and self.kind in MOVING:
            return (
                f"{where}: a {self.kind} moves, and a pin of the Pi stays as it is when its program dies; "
                "drive it by a board, which has a dead-man, or use kind = lamp or signal for what does not move"
            )
        if self.kind not in kinds:
            return f"{where}: expected kind = {' or '.join(kinds)}, got {self.kind!r}; correct it"
        if self.board is not None and not isinstance(self.gpio, int):
            return f"{where}: expected the number of an output of board {self.board!r}, got {self.gpio!r}; correct it"
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
        """Whether the output can take this value."""
        return 0.0 <= value <= 1.0 if self.pwm_hz is not None else value in (0.0, 1.0)


def check_place(spec: OutputSpec, board: str | None = None) -> None:
    """Checks that an output is in its writer's place: on that board, or on a pin of this computer.

    Raises:
        LineError: it is elsewhere, where its number means another wire.
    """
    if spec.board != board:
        expected, got = place_words(board), place_words(spec.board)
        raise LineError(f"output {spec.name!r}: expected {expected}, got {got}; correct it")


class OutputGuard:
    """One output's safe state and longest on-time, without a clock or a pin.

    Every method returns the value to write now, or None if nothing is to be written.

        command │ state before        │ written │ state after
        ────────┼─────────────────────┼─────────┼─────────────────────────────────────────────────
        set(v)  │ ready, v not safe   │ v       │ on: safe again `max_on_ns` after it was first on
        set(v)  │ on, v not safe      │ v       │ on: the time runs on, repeating does not extend it
        set(v)  │ timed out, not safe │ nothing │ timed out: refused until it was set to safe once
        set(s)  │ any but faulted     │ safe    │ ready; on a board it is written even if it is safe already
        due     │ on for `max_on_ns`  │ safe    │ timed out
        stopped │ on                  │ nothing │ stopped: refused until it was set to safe once
        fault   │ any                 │ safe    │ faulted: refused until `clear`
    """

    def __init__(self, spec: OutputSpec) -> None:
        """The output starts safe.

        Raises:
            LineError: the output is invalid.
        """
        refusal = spec.refusal()
        if refusal is not None:
            raise LineError(refusal)
        self.spec = spec
        self.value = spec.safe
        """The value that the wire should have."""
        self.timed_out = False
        self.stopped: str | None = None
        """Why its hardware made it safe; None after it was next set to safe."""
        self.fault: str | None = None
        """Why it is held safe until `clear`; None while it is not."""
        self._on_since_ns: int | None = None

    @property
    def next_due_ns(self) -> int | None:
        """When it must go safe; None while it is safe."""
        return None if self._on_since_ns is None else self._on_since_ns + self.spec.max_on_ns

    def set(self, value: float, t_ns: int) -> float | None:
        """Sets a value. An output that timed out, was stopped or has a fault stays safe.

        Raises:
            ValueError: the output cannot take that value.
        """
        if not self.spec.takes(value):
            raise ValueError(f"output {self.spec.name!r}: it cannot take the value {value}; use 0 or 1")
        safe = self.due(t_ns)
        if value == self.spec.safe:
            self.timed_out = False
            self.stopped = None
            changed = self._go_safe()
            # A board that made it safe by itself needs this acknowledgement, even if that is not known here.
            return value if self.spec.board is not None else safe if changed is None else changed
        if self.timed_out or self.stopped is not None or self.fault is not None:
            return safe
        if self._on_since_ns is None:
            self._on_since_ns = t_ns
        return self._take(value)

    def due(self, t_ns: int) -> float | None:
        """Advances the time to `t_ns`."""
        due_ns = self.next_due_ns
        if due_ns is None or t_ns < due_ns:
            return None
        self.timed_out = True
        return self._go_safe()

    def stop(self, why: str) -> None:
        """Its hardware made it safe. If it was on, it stays safe until it is set to safe; nothing is written."""
        if self._on_since_ns is not None:
            self.stopped = why
            self._go_safe()

    def fail(self, why: str) -> float | None:
        """Holds the output safe until `clear`."""
        self.fault = self.fault or why
        return self._go_safe()

    def clear(self) -> None:
        """Clears the fault; the output stays safe until it is set."""
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
    """Writes values to wires. Inversion is already applied: 1.0 is a high wire."""

    def open(self, wires: Mapping[str, float]) -> None:
        """Claims the outputs, by name, and sets each to its wire value without a glitch.

        Raises:
            LineError: a line is not available, or cannot be configured as asked.
        """

    def write(self, name: str, wire: float) -> None:
        """Sets one wire to a value.

        Raises:
            OSError: the chip was removed.
        """

    def close(self) -> None:
        """Releases the lines. Calling it again does nothing."""


class OutputWatcher(Protocol):
    """Receives the reports of a writer that answers later: a board refuses, makes safe, is lost and returns."""

    def refused(self, name: str, why: str) -> None:
        """A write was refused: the output has a fault."""

    def stopped(self, names: Iterable[str], why: str) -> None:
        """The hardware made these outputs safe by itself."""

    def gone(self, why: str) -> None:
        """No output can be reached; the hardware makes all of them safe."""

    def back(self) -> None:
        """All outputs can be reached again, and are safe."""

    def released(self) -> None:
        """The hardware that made outputs safe by itself takes commands again."""


@runtime_checkable
class AnsweringWriter(Protocol):
    """An `OutputWriter` that reports later what happened to its outputs."""

    def report_to(self, watcher: OutputWatcher) -> None:
        """Sets the receiver of the reports; before `open`."""


class Outputs:
    """The outputs of a table. Safe from `open` on, at their longest on-time, on a fault, at `close` and at exit.

    It is the watcher of an `AnsweringWriter`: while the board is down, all outputs are held safe. A lamp that the
    hardware made safe shows what it was last commanded to show as soon as it can, until its longest on-time is over.
    """

    def __init__(
        self,
        specs: Iterable[OutputSpec],
        writer: OutputWriter,
        clock: Clock,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """Opens nothing yet.

        Raises:
            LineError: an output is invalid, or a name is given twice.
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
        self._lit: dict[str, tuple[float, int]] = {}
        """Lamps that are commanded away from their safe value -> that value, and since when."""
        self._unwritable = False
        """Whether a wire could not be written since the outputs were claimed last."""
        if isinstance(writer, AnsweringWriter):
            writer.report_to(self)

    @property
    def faults(self) -> dict[str, str]:
        """The outputs that are held safe, and why."""
        held = {name: guard.fault or self._gone or guard.stopped for name, guard in self._guards.items()}
        return {name: why for name, why in held.items() if why is not None}

    @property
    def refusals(self) -> dict[str, str]:
        """The outputs that refused a command, and why: held safe until `clear`."""
        return {name: guard.fault for name, guard in self._guards.items() if guard.fault is not None}

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._guards)

    def open(self) -> None:
        """Claims the outputs and makes them safe.

        Raises:
            LineError: a line is not available.
        """
        self._loop = self._loop or asyncio.get_running_loop()
        self._writer.open({name: _wire(guard.spec, guard.spec.safe) for name, guard in self._guards.items()})
        self._open = True
        atexit.register(self.close)

    def set(self, name: str, value: float) -> None:
        """Sets an output.

        Raises:
            LineError: there is no such output, it is held safe, or it cannot be written.
            ValueError: it cannot take that value.
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
        """As `set`, but a lamp or signal that hardware made safe is first set to its safe value: nothing moves there.

        Raises:
            LineError: as `set`.
            ValueError: as `set`.
        """
        guard = self._guard(name)
        if self._open and guard.spec.kind == SHOWN_AGAIN and guard.spec.takes(value):
            if value == guard.spec.safe:
                self._lit.pop(name, None)
            else:
                since_ns = self._lit[name][1] if name in self._lit else self._clock.now_ns()
                self._lit[name] = value, since_ns
        if guard.stopped is not None and guard.spec.kind in KINDS:
            self.set(name, guard.spec.safe)
        self.set(name, value)

    def fail(self, why: str) -> None:
        """Holds all outputs safe: the table has a fault."""
        for guard in self._guards.values():
            self._write(guard, guard.fail(why))
        self._arm()

    def clear(self, names: Iterable[str] | None = None) -> None:
        """Clears the faults of these outputs (default: of all); they stay safe until they are set. Lamps are set again.

        The safe value is written once, which releases an output that its board holds safe. Where a wire could not be
        written, the outputs are claimed again: their chip may have been plugged in again.

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
        if self._unwritable:
            self.reclaim()
        self._show_again()

    def reclaim(self) -> None:
        """A chip went and is back: if it was theirs, claims the outputs again, all of them safe.

        Then lamps are set again. Outputs whose wires can still be written are left as they are: it was another chip.
        Faults stay until `clear`.
        Where the outputs cannot be opened, each has a fault that says why, and `clear` tries again.
        """
        if not self._open or isinstance(self._writer, AnsweringWriter) or self._reached():
            return
        self.stopped(self._guards, "its chip was plugged in again")
        self._writer.close()
        try:
            self._writer.open({name: _wire(guard.spec, guard.spec.safe) for name, guard in self._guards.items()})
        except LineError as error:
            self._unwritable = True
            for guard in self._guards.values():
                guard.fail(str(error))
        else:
            self._unwritable = False
            self._show_again()

    def _reached(self) -> bool:
        """Whether every wire can be written: each is set to the value that it has."""
        if self._unwritable:
            return False
        try:
            for name, guard in self._guards.items():
                self._writer.write(name, _wire(guard.spec, guard.value))
        except OSError:
            return False
        return True

    def refused(self, name: str, why: str) -> None:
        """A write to an output was refused: holds it safe until `clear`, or until its board comes up again."""
        guard = self._guard(name)
        if guard.fault is None:
            self._refused.add(name)
        self._write(guard, guard.fail(why))
        self._arm()

    def stopped(self, names: Iterable[str], why: str) -> None:
        """Hardware made these outputs safe: those that were on stay safe until they are set to safe once."""
        for name in names:
            self._guard(name).stop(why)
        self._arm()

    def gone(self, why: str) -> None:
        """Holds all outputs safe until `back`: nothing is written while they cannot be reached."""
        self._gone = why
        self.stopped(self._guards, why)

    def back(self) -> None:
        """The outputs can be reached again, and are safe. Faults by earlier refusals are cleared, lamps set again."""
        self._gone = None
        for name in self._refused:
            self._guards[name].clear()
        self._refused.clear()
        self._show_again()

    def released(self) -> None:
        """The hardware takes commands again: lamps that it made safe are set again."""
        self._show_again()

    def close(self) -> None:
        """Makes all outputs safe and releases them. Calling it again does nothing."""
        if not self._open:
            return
        self._open = False
        self._lit.clear()
        atexit.unregister(self.close)
        if self._timer is not None:
            self._timer.cancel()
        for guard in self._guards.values():
            self._write(guard, guard.fail("closed"))
            guard.clear()
        self._writer.close()

    def _show_again(self) -> None:
        """Sets lamps that were made safe to what they were last commanded to show. Their longest on-time runs on."""
        now_ns = self._clock.now_ns()
        for name, (value, since_ns) in self._lit.items():
            guard = self._guards[name]
            if self._gone is None and guard.fault is None and now_ns < since_ns + guard.spec.max_on_ns:
                if guard.stopped is not None:
                    self._write(guard, guard.set(guard.spec.safe, now_ns))
                self._write(guard, guard.set(value, since_ns))
        self._arm()

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
            # Held safe and listed in `faults`, until somebody has looked and clears it.
            self._unwritable = not isinstance(self._writer, AnsweringWriter)
            guard.fail(f"its wire cannot be written ({error.strerror or error}); check the chip and its cable")

    def _arm(self) -> None:
        """Sets the timer for the next output that must go safe."""
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
