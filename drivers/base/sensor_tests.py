"""The tests that a board makes of its own sensors: asked for here, and what the last one has found.

    ask ──`test`──► answered ──`FINDS_NS`──► over: what the board has reported last is what it found
                      │ it waits for pulses to end, tests, and reports what it finds where that has changed
    refused ──`AGAIN_NS`──► `test`
    over ──`REST_NS`, or `FAILED_NS` while a sensor fails──► `test`

A short of a wire is seen by such a test alone: the line looks as at rest. So nothing is proven that has happened since
the last one (docs/boards-wiring.md, "Self-test").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from drivers.base.driver import NEVER_NS, Observation
from hal.board.message import BoardCommand
from hal.board.messages import TestCommand

FINDS_NS: Final = 350_000_000
"""From a board's answer to what its test has found (ours): it waits 300 ms for pulses to end, and tests for 8 ms, at
most; then its report is on the wire."""
UNANSWERED_NS: Final = 1_500_000_000
"""A test is over this long after it was asked for where its session has answered none (ours), and later ones at once:
it is a recording of before boards were asked. A live link answers, or is lost, within a second."""
AGAIN_NS: Final = 500_000_000
"""From a refusal to the next try (ours)."""
REST_NS: Final = 10_000_000_000
"""Between two tests at rest (ours)."""
FAILED_NS: Final = 250_000_000
"""The same while a sensor fails (ours): after its repair a person clears the fault."""


class SensorsFound(Observation, frozen=True, kw_only=True):
    """A board reported what its last test found, by the names of its sensors."""

    link: str
    shorted: tuple[str, ...]
    """Those that are as at rest without their feed."""
    dark: tuple[str, ...]
    """Those that are active with it, of the ones that nothing but a fault makes active at a test."""


class SensorTestAnswered(Observation, frozen=True, kw_only=True):
    """A board has answered that it tests its sensors."""

    link: str


class SensorsTested(Observation, frozen=True, kw_only=True):
    """The sensors of a machine's boards, as their last tests found them."""

    shorted: tuple[str, ...]
    dark: tuple[str, ...]
    proves: bool
    """Whether each board has made a test that was asked for, and none is under way: what happened before that test is
    proven where no sensor fails."""


class SensorTests:
    """The tests of one board."""

    def __init__(self, command: Callable[[BoardCommand, int], None]) -> None:
        """`command` sends a command at a time, and does nothing while the board is down."""
        self.due_ns = NEVER_NS
        """When something is to be done next."""
        self.over = False
        """Whether a test of this session is over, and none is under way."""
        self.at_rest = False
        """Whether the test that is under way is one that nobody waits for."""
        self.shorted: tuple[str, ...] = ()
        self.dark: tuple[str, ...] = ()
        self._command = command
        self._under_way = self._was_over = False
        self._unanswered = 0
        """Commands that the board has not answered."""
        self._answers = False
        """Whether a test of this session was answered."""
        self._recorded = False
        """Whether nothing answers in this session, so far."""

    def begin(self, t_ns: int) -> None:
        """A session begins: the board is tested as soon as its machine stands. It reports what its last test found."""
        self.end()
        self.shorted = self.dark = ()
        self._answers = self._recorded = False
        self.due_ns = t_ns

    def end(self) -> None:
        """The board is away."""
        self.due_ns, self.over, self.at_rest, self._under_way = NEVER_NS, False, False, False
        self._unanswered = 0

    def ask(self, t_ns: int, *, at_rest: bool = False) -> None:
        """Has the board test its sensors, once more where it does already."""
        self._was_over = self.over and at_rest
        self.over, self.at_rest, self._under_way = False, at_rest, True
        self.due_ns = t_ns if self._recorded else t_ns + UNANSWERED_NS
        self._unanswered += 1
        self._command(TestCommand(), t_ns)

    def answered(self, t_ns: int) -> None:
        """The board has the command."""
        self._answer()
        if self._unanswered == 0:
            self.due_ns = t_ns + FINDS_NS

    def _answer(self) -> None:
        self._answers, self._recorded = True, False
        self._unanswered = max(0, self._unanswered - 1)

    def refused(self, t_ns: int) -> None:
        """The board does not test its sensors now."""
        self._answer()
        if self._under_way:
            self.over, self.at_rest, self._under_way = self._was_over, False, False
            self.due_ns = t_ns + AGAIN_NS

    def found(self, shorted: tuple[str, ...], dark: tuple[str, ...]) -> None:
        """The board reported what a test has found."""
        self.shorted, self.dark = shorted, dark

    def due(self, t_ns: int, *, stands: bool = True) -> bool:
        """Meets its deadline; returns whether a test is over. A board is asked only while its machine `stands`."""
        if self.due_ns > t_ns:
            return False
        if self._under_way and self._unanswered and self._answers:
            self.due_ns = t_ns + UNANSWERED_NS  # the link answers yet, or the session ends
            return False
        if self._under_way:
            self._recorded = self._unanswered > 0
            self._under_way, self.over, self.at_rest = False, True, False
            self._unanswered = 0
            rest_ns = FAILED_NS if self.shorted or self.dark else REST_NS
            self.due_ns = NEVER_NS if self._recorded else t_ns + rest_ns
            return True
        if stands:
            self.ask(t_ns, at_rest=True)
        else:
            self.due_ns = t_ns + AGAIN_NS
        return False


def tested(t_ns: int, tests: Sequence[SensorTests]) -> SensorsTested:
    """What the tests of all boards of a machine have found."""
    return SensorsTested(
        t_ns=t_ns,
        shorted=tuple(name for one in tests for name in one.shorted),
        dark=tuple(name for one in tests for name in one.dark),
        proves=all(one.over for one in tests),
    )


def names_of(bits: int, names: Sequence[str | None]) -> tuple[str, ...]:
    """The names of the inputs in a report: bit i is input i+1; None for one that nobody uses."""
    return tuple(name for at, name in enumerate(names) if name is not None and bits >> at & 1)
