"""One output, without a clock or a pin: what it is, its safe state, and its longest time away from it.

    command │ state before        │ written │ state after
    ────────┼─────────────────────┼─────────┼─────────────────────────────────────────────────
    set(v)  │ ready, v not safe   │ v       │ on: safe again `max_on_ns` after it was first on
    set(v)  │ on, v not safe      │ v       │ on: the time runs on, repeating does not extend it
    set(v)  │ timed out, not safe │ nothing │ timed out: refused until it was set to safe once
    set(s)  │ any but faulted     │ safe    │ ready; on a board it is written even where it is safe already
    due     │ on for `max_on_ns`  │ safe    │ timed out
    stopped │ on                  │ nothing │ stopped: refused until it was set to safe once
    fault   │ any                 │ safe    │ faulted: refused until `clear`

The kernel leaves a pin as it was when a process is killed or frozen. So nothing that moves may hang on a pin of the Pi:
only lamps and signals are accepted there. A board makes its outputs safe by itself when its host falls silent, and
when it begins anew: what moves hangs on a board, and `stopped` is how it is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from hal.clock import NS_PER_S
from hal.lines import LineError, place_words

OutputKind: TypeAlias = Literal["lamp", "signal"]
KINDS: tuple[str, ...] = get_args(OutputKind)
BoardOutputKind: TypeAlias = Literal["lamp", "signal", "motor", "solenoid", "stepper"]
BOARD_KINDS: tuple[str, ...] = get_args(BoardOutputKind)
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
    """The GPIO number (BCM on a Pi) or the kernel's name for the line; on a board the number of the output, from 1."""
    kind: str = "lamp"
    """What hangs on it: `lamp` or `signal`, and on a board also `motor`, `solenoid` or `stepper`."""
    chip: str | None = None
    """The label of the chip; None means the chip of the Pi's header."""
    inverted: bool = False
    """Whether the wire is low at value 1."""
    safe: float = 0.0
    """The value that harms nobody."""
    max_on_ns: int = DEFAULT_MAX_ON_NS
    """The longest time away from the safe value."""
    pwm_hz: float | None = None
    """The frequency of its PWM (gpiozero); None for plain on and off. A board that dims has a frequency of its own."""
    board: str | None = None
    """The name of the board whose output it is; None for a pin of this computer."""

    def refusal(self) -> str | None:
        """Why this output cannot be; None when it can. A check tells all of them at once."""
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
        """Whether the output can have this value."""
        return 0.0 <= value <= 1.0 if self.pwm_hz is not None else value in (0.0, 1.0)


def check_place(spec: OutputSpec, board: str | None = None) -> None:
    """Checks that an output is where its writer writes: on that board, or on a pin of this computer.

    Raises:
        LineError: it is elsewhere. A number means another wire there.
    """
    if spec.board != board:
        expected, got = place_words(board), place_words(spec.board)
        raise LineError(f"output {spec.name!r}: expected {expected}, got {got}; correct it")


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
        self.stopped: str | None = None
        """Why its hardware made it safe; None once it was set to safe since."""
        self.fault: str | None = None
        """Why it is held safe until `clear`; None while it is not."""
        self._on_since_ns: int | None = None

    @property
    def next_due_ns(self) -> int | None:
        """When it must go safe; None while it is."""
        return None if self._on_since_ns is None else self._on_since_ns + self.spec.max_on_ns

    def set(self, value: float, t_ns: int) -> float | None:
        """Asks for a value. An output that timed out, was stopped or has a fault stays safe.

        Raises:
            ValueError: the output cannot have that value.
        """
        if not self.spec.takes(value):
            raise ValueError(f"output {self.spec.name!r}: it cannot take the value {value}; use 0 or 1")
        safe = self.due(t_ns)
        if value == self.spec.safe:
            self.timed_out = False
            self.stopped = None
            changed = self._go_safe()
            # A board that made it safe by itself waits to hear that this is wanted, known here or not.
            return value if self.spec.board is not None else safe if changed is None else changed
        if self.timed_out or self.stopped is not None or self.fault is not None:
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

    def stop(self, why: str) -> None:
        """Its hardware made it safe, if it was on: nothing is written, and it stays so until it is set to safe."""
        if self._on_since_ns is not None:
            self.stopped = why
            self._go_safe()

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
