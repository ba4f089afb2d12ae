"""A simulated lamp chain: it lights as commanded, reads back, and fails in the ways in which lamps fail."""

from __future__ import annotations

from random import Random
from typing import Final

from hal.lamp_fields import CHAIN, MOST_LAMPS, read_back
from hal.values import EdgesLost, Frame, LightLamps, Loss, Rare
from simulators.base.device_faults import NamedFault, by_name, device_fault

ANSWER_NS: Final = 25_000_000
"""From a command to its read-back (ours: the glow is looked at a few ms after the latch)."""
LAMPS: Final = 50

LAMP_FAULTS: Final = by_name(
    (
        NamedFault(
            "dead", True, "One of the lamps that are to be lit stays dark.", "Settled by a supervisor; the table shut."
        ),
        NamedFault("stuck", True, "A lamp stays lit.", "Void: lamps_failed_before_reveal; the table shut."),
        NamedFault(
            "stuck_after_reveal", True, "A lamp is lit that should not be.", "Settled by a supervisor; the table shut."
        ),
        NamedFault(
            "silent", False, "The chain does not read back.", "Void: lamps_failed_before_reveal; the table shut."
        ),
        NamedFault(
            "silent_after_reveal", False, "It no longer reads back.", "Settled by a supervisor; the table shut."
        ),
        NamedFault("cut", False, "The board's cable comes out.", "Void: lamps_failed_before_reveal; the table shut."),
        NamedFault(
            "cut_after_reveal",
            False,
            "The board's cable comes out after the reveal.",
            "Settled by a supervisor; the table shut.",
        ),
        NamedFault(
            "garbled", False, "A read-back has the wrong length.", "Void: lamps_failed_before_reveal; the table shut."
        ),
        NamedFault(
            "cleared_before_paid", True, "Somebody clears the lamps.", "A violation: lamps_cleared_before_paid."
        ),
    )
)
"""Every fault, in the order in which they are listed."""


class LampBoardSimulator:
    """One chain, whose read-backs are sent in the order of their times."""

    def __init__(self, seed: int, lamps: int = LAMPS) -> None:
        self._rng = Random(f"{seed}/lamps")
        self._lamps = min(lamps, MOST_LAMPS)
        self._fault = "none"
        self._window = (0, 0)
        self._bad: int | None = None
        self._answers: list[Rare] = []
        self.lit: frozenset[int] = frozenset()
        """The lamps of the last command."""

    def plan(self, fault: str | None, from_ns: int, until_ns: int) -> None:
        """What goes wrong, and when; afterwards it is fixed.

        Raises:
            FaultError: a lamp chain has no such fault.
        """
        self._fault = device_fault(fault, LAMP_FAULTS, "lamp chain").name
        self._window, self._bad = (from_ns, until_ns), None
        if self._fault.startswith("cut"):
            self._answers.append(EdgesLost(CHAIN, Loss.UNPLUGGED, from_ns))
            self._sort()

    @property
    def next_answer_ns(self) -> int | None:
        """When the next read-back comes."""
        return self._answers[0].t_ns if self._answers else None

    def light(self, command: LightLamps) -> None:
        """The chain is commanded to light lamps."""
        self.lit, t_ns = command.lit, command.t_ns
        begin_ns, end_ns = self._window
        wrong = self._fault if begin_ns <= t_ns < end_ns else "none"
        at_ns = t_ns + ANSWER_NS
        if wrong.startswith(("silent", "cut")):
            return
        if wrong == "garbled":
            self._answer(Frame(CHAIN, read_back(self.lit)[:-1], at_ns))
            return
        dead, stuck = frozenset[int](), frozenset[int]()
        if wrong == "dead" and self.lit:
            self._bad = self._rng.choice(sorted(self.lit)) if self._bad is None else self._bad
            dead = self.lit & {self._bad}
        elif wrong.startswith("stuck"):
            others = sorted(set(range(1, self._lamps + 1)) - self.lit)
            self._bad = self._rng.choice(others) if self._bad is None else self._bad
            stuck = frozenset({self._bad}) - self.lit
        self._answer(Frame(CHAIN, read_back((self.lit - dead) | stuck, dead, stuck), at_ns))
        if wrong == "cleared_before_paid" and self.lit:
            self._fault = "none"
            self._answer(Frame(CHAIN, read_back(()), at_ns + 700_000_000))

    def answers(self, until_ns: int) -> list[Rare]:
        """What it sends up to then; each of it once."""
        said = [answer for answer in self._answers if answer.t_ns <= until_ns]
        self._answers = self._answers[len(said) :]
        return said

    def _answer(self, answer: Rare) -> None:
        self._answers.append(answer)
        self._sort()

    def _sort(self) -> None:
        self._answers.sort(key=lambda answer: answer.t_ns)
