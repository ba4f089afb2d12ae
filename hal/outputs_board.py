"""Output lines on a board, for what moves: a board has a dead-man and longest on-times of its own.

Three limits hold for each output: the host's guard (`hal.outputs`), which turns it off at its `max_on_ns`; `for_ms` of
each command, by which the board does so itself; and the board's own longest on-time, which no command extends.

    event                             │ on the board             │ here
    ──────────────────────────────────┼──────────────────────────┼─────────────────────────────────────────────
    a command is refused              │ nothing                  │ a fault of that output, until `clear`
    … a command to be safe is refused │ nothing                  │ those that were on are stopped; `all_safe` is sent
    the host is silent for 500 ms     │ all safe, flag `deadman` │ those that were on are stopped; `all_safe` is sent
    … `all_safe` is executed          │ takes commands again     │ lamps are set again
    … a command is refused as `silent`│ nothing                  │ the same: it was sent before the host knew
    a longest time ends there first   │ that output is safe      │ it is stopped
    reset, unplugged, link too bad    │ all safe                 │ all unreachable until the board is up again, then
                                      │                          │ lamps are set again
    closed, or the process ends       │ all safe                 │ `all_safe` is sent; otherwise the dead-man acts
    it does not take the motor's limit│ nothing                  │ the motor is not started: a fault, until `clear`

A stopped output that is not a lamp stays safe until it is set to its safe value once: nothing starts to move again by
itself.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from hal.board.errors import BoardError, CommandRefusedError, SessionEndedError
from hal.board.link import BoardLink
from hal.board.message import BoardAnswer, BoardReport
from hal.board.messages import (
    DEADMAN_MS,
    AllSafeCommand,
    Flag,
    IdentityAnswer,
    MotorLimitCommand,
    MotorReport,
    RefusalCode,
    SetCommand,
    StateReport,
)
from hal.lines import LineError
from hal.outputs import OutputSpec, OutputWatcher, check_place

log = logging.getLogger(__name__)

NS_PER_MS: Final = 1_000_000
FULLY_ON: Final = 255
MOTOR: Final = "motor"
"""The name of the output whose current a board can limit."""
MOTOR_ENDS: Final[Mapping[int, str]] = {
    1: "its longest time is over",
    3: "it is driven, and its shaft gives no pulse: look for what blocks it",
    5: "a tilt, or its supply fails",
    6: "it draws more than motor_most_a for 200 ms: look for what blocks it, and at its wires and its shunt",
}
"""Why a board stopped its motor by itself, by `why` of its report."""
SHUNT_OHM: Final = 0.1
"""Of the carrier boards (firmware/hardware): 0.1 V for each ampere."""
TOP_READING: Final = 1023
"""What the board's converter reads at its own supply."""
LONGEST_FOR_MS: Final = 65_535
"""The limit of `for_ms`. For a longer on-time, the board's own longest on-time and the guard remain."""
STATES_TO_BELIEVE: Final = 2
"""Consecutive reports that must show an output as safe (ours): one may be older than the last command."""


def motor_reading(ampere: float, supply_v: float) -> int:
    """What the converter of a carrier board reads of a motor's current at full power, rounded down, from 1."""
    return max(1, int(ampere * SHUNT_OHM / supply_v * TOP_READING))


class BoardOutputs:
    """Writes the outputs of one board (see `hal.outputs.OutputWriter`), and reports results to an `OutputWatcher`."""

    def __init__(self, specs: Iterable[OutputSpec], link: BoardLink, *, motor_limit: int = 0) -> None:
        """Opens nothing yet. `gpio` is the number of the output; `motor_limit` is a `motor_reading`, 0 for no limit.

        Raises:
            LineError: there are none, the board has no such output, or one has an impossible on-time or safe value.
        """
        self._specs = {spec.name: spec for spec in specs}
        if not self._specs:
            raise LineError(f"board {link.name!r}: expected at least one output, got none; name them under [pins]")
        _check(list(self._specs.values()), link)
        self._link = link
        self._motor_limit = motor_limit
        self._unlimited: BoardError | None = None
        """Why the board has not the motor's limit."""
        self._limiting = False
        """Whether the board was sent the limit and has not answered yet."""
        self._waiting: tuple[str, float] | None = None
        """The motor's value that waits for that answer."""
        self._motor_end = 0
        """`why` of the motor's last report."""
        self._watcher: OutputWatcher | None = None
        self._open = False
        self._deadman = False
        """The board has made all outputs safe by itself, and this is not yet acknowledged."""
        self._under_way: dict[str, int] = {}
        self._on: dict[str, int] = {}
        """Outputs that the board has turned on -> how many consecutive reports showed them safe."""

    def report_to(self, watcher: OutputWatcher) -> None:
        """Sets the receiver of the reports."""
        self._watcher = watcher

    def open(self, wires: Mapping[str, float]) -> None:
        """Opens the board's port. The outputs can be set once the board is up, and are safe until then.

        Raises:
            LineError: it is open already.
        """
        if self._watcher is not None:
            self._watcher.gone(f"board {self._link.name!r} is not up yet")
        self._link.open(self)
        self._open = True

    def write(self, name: str, wire: float) -> None:
        """Has the board set one output; the result is reported later.

        Raises:
            OSError: the outputs are not open.
        """
        if not self._open:
            raise OSError(f"output {name!r}: its board is not open")
        spec = self._specs[name]
        if self._motor_limit and _output_name(spec, self._link) == MOTOR:
            self._waiting = None
            if wire and self._unlimited is not None:
                self._not_done([name], self._unlimited)
                return
            if wire and self._limiting:
                self._waiting = name, wire  # no motor turns before its limit is there
                return
            if self._unlimited is not None:
                self._limit_motor()  # its fault is cleared: the board may take the limit now
        value = max(1, round(wire * FULLY_ON)) if wire else 0
        self._set(name, value, _for_ms(spec, self._link) if value else 0)

    def close(self) -> None:
        """Has the board make all outputs safe, and closes it. Calling it again does nothing."""
        if self._open:
            self._open = False
            self._link.submit(AllSafeCommand())
            self._link.close(self)

    # --- the board (see `hal.board.link`) --------------------------------------------------------------------------

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The outputs can be reached."""
        self._forget()
        # They are safe in a new session. But another watcher may have had the board up before, and a board that has
        # made an output safe by itself needs it set to safe.
        self._link.submit(AllSafeCommand(), self._made_safe)
        self._limit_motor()
        for name in self._specs:
            self._set(name, 0, 0)
        if self._watcher is not None:
            self._watcher.back()

    def down(self, t_ns: int, reason: str) -> None:
        """The outputs cannot be reached. The board makes them safe by itself."""
        self._forget()
        if self._watcher is not None:
            self._watcher.gone(reason)

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """Handles a report about the outputs."""
        if isinstance(report, MotorReport):
            self._motor_end = 0 if report.speed else report.why
        if not isinstance(report, StateReport):
            return
        if report.flags & Flag.DEADMAN:
            self._was_silent()
        for name in list(self._on):
            on = bool(report.outputs >> _number(self._specs[name]) - 1 & 1)
            self._on[name] = 0 if on or self._under_way.get(name) else self._on[name] + 1
            if self._on[name] >= STATES_TO_BELIEVE:
                del self._on[name]
                self._stop([name], f"board {self._link.name!r} made it safe by itself: {self._end_of(name)}")

    def _end_of(self, name: str) -> str:
        known = MOTOR_ENDS.get(self._motor_end) if _output_name(self._specs[name], self._link) == MOTOR else None
        return known or "its longest time, or its device"

    # --- commands and their results ---------------------------------------------------------------------------

    def _was_silent(self) -> None:
        """The dead-man has made all outputs safe; the board turns nothing on until that is acknowledged."""
        if self._deadman:
            return
        self._deadman = True
        self._on.clear()
        self._stop(self._specs, f"board {self._link.name!r} received nothing from its host for {DEADMAN_MS} ms")
        # Queued behind the commands submitted before; those submitted from now on are executed.
        self._link.submit(AllSafeCommand(), self._made_safe)

    def _set(self, name: str, value: int, for_ms: int) -> None:
        self._under_way[name] = self._under_way.get(name, 0) + 1
        command = SetCommand(_number(self._specs[name]), value, for_ms)
        self._link.submit(command, partial(self._answered, name, value))

    def _answered(self, name: str, value: int, result: BoardAnswer | BoardError) -> None:
        self._under_way[name] = max(0, self._under_way.get(name, 0) - 1)
        if isinstance(result, CommandRefusedError) and result.why == RefusalCode.SILENT:
            self._was_silent()
        elif isinstance(result, BoardError):
            self._not_done([name], result)
            if not value and not isinstance(result, SessionEndedError):
                self._stop(self._specs, f"output {name!r} refused to be made safe, so all were")
                self._link.submit(AllSafeCommand(), self._made_safe)
        elif value:
            self._on[name] = 0
        else:
            self._on.pop(name, None)

    def _limit_motor(self) -> None:
        """Has the board limit its motor's current, before the motor is started."""
        if self._motor_limit:
            self._limiting = True
            try:
                self._link.submit(MotorLimitCommand(self._motor_limit), self._limited)
            except BoardError as error:
                self._limited(error)

    def _limited(self, result: BoardAnswer | BoardError) -> None:
        self._limiting, self._unlimited = False, None
        waiting, self._waiting = self._waiting, None
        if isinstance(result, SessionEndedError):
            return  # `down` reports it
        if isinstance(result, BoardError):
            self._unlimited = result
            log.warning("board %r: it does not limit the motor's current: %s", self._link.name, self._unlimited)
        if waiting is not None:
            self.write(*waiting)

    def _made_safe(self, result: BoardAnswer | BoardError) -> None:
        if isinstance(result, BoardError):
            self._not_done(list(self._specs), result)
        else:
            self._deadman = False
            self._on.clear()
            if self._watcher is not None:
                self._watcher.released()

    def _not_done(self, names: Iterable[str], error: BoardError) -> None:
        if isinstance(error, SessionEndedError) or self._watcher is None:
            return  # `down` reports it
        for name in names:
            log.warning("output %r: %s", name, error)
            self._watcher.refused(name, str(error))

    def _stop(self, names: Iterable[str], why: str) -> None:
        log.warning("outputs %s: %s", ", ".join(names), why)
        if self._watcher is not None:
            self._watcher.stopped(names, why)

    def _forget(self) -> None:
        self._deadman = self._limiting = False
        self._waiting = None
        self._under_way.clear()
        self._on.clear()


def longest_on_ns(spec: OutputSpec, link: BoardLink) -> int:
    """The board's own longest on-time of an output.

    Raises:
        LineError: the board has no such output.
    """
    outputs = () if link.kind is None else link.kind.outputs
    if not isinstance(spec.gpio, int) or not 1 <= spec.gpio <= len(outputs):
        of = "a board of no known kind" if link.kind is None else f"a board of kind {link.kind.name!r}"
        raise LineError(f"output {spec.name!r}: board {link.name!r} has no output {spec.gpio}; {of} has {len(outputs)}")
    return outputs[spec.gpio - 1][1] * NS_PER_MS


def _check(specs: list[OutputSpec], link: BoardLink) -> None:
    taken: dict[int, str] = {}
    for spec in specs:
        where = f"output {spec.name!r}"
        refusal = spec.refusal()
        if refusal is not None:
            raise LineError(refusal)
        check_place(spec, link.name)
        longest_ns = longest_on_ns(spec, link)
        if spec.max_on_ns > longest_ns:
            raise LineError(
                f"{where}: it may be on for {spec.max_on_ns / 1e9:g} s, and the board makes output {spec.gpio} safe "
                f"after {longest_ns / 1e9:g} s; give it a longest time of at most that, or another output"
            )
        if spec.safe != (1.0 if spec.inverted else 0.0):
            raise LineError(
                f"{where}: its wire would be high when it is safe, and a board makes its outputs low; wire it so that "
                "low is safe"
            )
        number = _number(spec)
        if number in taken:
            raise LineError(
                f"{where}: output {number} is the wire of output {taken[number]!r} already; give each its own"
            )
        taken[number] = spec.name


def _output_name(spec: OutputSpec, link: BoardLink) -> str:
    """What the board calls an output."""
    return "" if link.kind is None else link.kind.outputs[_number(spec) - 1][0]


def _number(spec: OutputSpec) -> int:
    """The number of the output, which `OutputSpec.refusal` has verified to be an int."""
    return int(spec.gpio or 0)


def _for_ms(spec: OutputSpec, link: BoardLink) -> int:
    """The `for_ms` of the command; 0 if the on-time does not fit, or the board's own limit is as short."""
    for_ms = -(-spec.max_on_ns // NS_PER_MS)
    return for_ms if for_ms <= LONGEST_FOR_MS and spec.max_on_ns < longest_on_ns(spec, link) else 0
