"""The beams for foreign objects: one, or two that are independent of each other.

    object    _________|‾‾‾|____________________|‾‾‾|____________________|‾‾‾|_____________
    object_2  ___________|‾‾‾|_____________________________________________________________
                       │                        │                        │
    reports            ForeignObject            ForeignObject            ForeignObject, and after three: BeamsDisagree

Either beam shows an object. What crosses one crosses the other, so a beam that is not broken when the other is, time
after time, is dead or points elsewhere, or the other gives false signals: the lines cannot tell which, and a report
names both. Nothing follows from a beam that is free: neither that an object was none, nor that a spin is good.

Changes of a beam that were lost may have been an object, and are reported, whatever the other beam shows: which of the
two is blind is not known. A beam that is free again and never was broken has lost some, too.
"""

from __future__ import annotations

from typing import Final

from drivers.base.driver import NEVER_NS, Observation
from drivers.roulette.device import BeamLost, BeamsDisagree, ForeignObject
from hal.values import Edge

OBJECT_NS: Final = 2_000_000
"""A shorter signal of an object beam is noise (ours)."""
ANSWER_NS: Final = 1_000_000_000
"""What breaks one beam has broken the other this long before, or does so this long after (ours): the beams are side by
side, and the slowest rotor that has a direction carries an object from one to the other in less."""
LEAST_UNANSWERED: Final = 3
"""Breaks of one beam in a row, none of them seen by the other, from which on they disagree (ours)."""
BLOCKED_NS: Final = 20_000_000_000
"""A beam that is broken for this long while the other is free is blocked or inverted (ours)."""


def object_lines(beams: int) -> tuple[str, ...]:
    """The lines of this many beams."""
    return ("object", "object_2")[:beams]


class _Beam:
    """One beam."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.level: int | None = None
        """None while it is not known."""
        self.lost = ""
        """Why its changes were lost since it last changed; empty where none were."""
        self.due_ns = NEVER_NS
        """When it has been interrupted for `OBJECT_NS`."""
        self.changed_ns = 0
        self.until_ns = -ANSWER_NS
        """The end of its last break that was long enough."""
        self.answer_ns = NEVER_NS
        """By when the other beam has to be broken too."""
        self.unanswered = 0
        """Its breaks in a row that the other beam did not see."""

    @property
    def broken(self) -> bool:
        """Whether it is interrupted, and has been for long enough."""
        return self.level == 1 and self.due_ns == NEVER_NS


class ObjectBeams:
    """Detects what breaks a beam, and that one beam does not see what the other sees."""

    def __init__(self, beams: int) -> None:
        self._beams: Final = {line: _Beam(line) for line in object_lines(beams)}
        self.due_ns = NEVER_NS
        """The next deadline."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Their lines."""
        return tuple(self._beams)

    def interrupted(self, line: str | None = None) -> bool:
        """Whether a beam is interrupted, however shortly; any of them where none is named."""
        return any(beam.level == 1 for name, beam in self._beams.items() if line in (None, name))

    def handle_edge(self, edge: Edge, found: list[Observation]) -> None:
        """Handles an edge of a beam."""
        line, level, t_ns = edge
        self.meet(t_ns - 1, found)
        beam = self._beams[line]
        beam.lost = ""
        if level == beam.level:
            if not level and t_ns - beam.changed_ns > OBJECT_NS:
                found.append(BeamLost(t_ns=t_ns, detail=f"{line}: it is free again, and was never broken"))
            return
        if not level and beam.broken:
            beam.until_ns = t_ns
            if beam.answer_ns < NEVER_NS:
                beam.answer_ns = t_ns + ANSWER_NS
        beam.level = level
        beam.due_ns = t_ns + OBJECT_NS if level else NEVER_NS
        beam.changed_ns = t_ns
        self._next_due()

    def forget(self, line: str, t_ns: int, cause: str, found: list[Observation]) -> None:
        """Changes of a beam were lost: what it has not seen is not known."""
        lost = self._beams[line]
        lost.level, lost.lost = None, cause
        found.append(self._unknown(lost, t_ns))
        for beam in self._beams.values():
            beam.answer_ns, beam.unanswered = NEVER_NS, 0
        self._next_due()

    def meet(self, t_ns: int, found: list[Observation]) -> None:
        """Reports what each deadline up to `t_ns` shows."""
        while self.due_ns <= t_ns:
            now_ns = self.due_ns
            for beam in self._beams.values():
                if beam.due_ns == now_ns:
                    self._break(beam, now_ns, found)
            for beam in self._beams.values():
                if beam.answer_ns == now_ns:
                    self._no_answer(beam, now_ns, found)
            self._next_due()

    def still(self, t_ns: int, found: list[Observation]) -> None:
        """A ball is seen: reports again what is in a beam, or that this is not known since changes were lost."""
        for beam in self._beams.values():
            if beam.lost:
                found.append(self._unknown(beam, t_ns))
            if beam.broken:
                found.append(ForeignObject(t_ns=t_ns, detail=f"{self._name(beam)} is still interrupted"))
                return

    def _next_due(self) -> None:
        self.due_ns = min(min(beam.due_ns, beam.answer_ns) for beam in self._beams.values())

    def _unknown(self, beam: _Beam, t_ns: int) -> BeamLost:
        return BeamLost(t_ns=t_ns, detail=f"{beam.line}: {beam.lost}")

    def _name(self, beam: _Beam) -> str:
        return "the object beam" if len(self._beams) == 1 else beam.line

    def _other(self, beam: _Beam) -> _Beam | None:
        """The other beam, where there is one and its level is known."""
        return next((one for one in self._beams.values() if one is not beam and one.level is not None), None)

    def _break(self, beam: _Beam, t_ns: int, found: list[Observation]) -> None:
        beam.due_ns = NEVER_NS
        other = self._other(beam)
        if other is None or not other.broken:
            # Otherwise it is the object that the other beam has reported.
            found.append(ForeignObject(t_ns=t_ns, detail=f"{self._name(beam)} is interrupted"))
        if other is None or beam.level is None:
            return
        other.answer_ns, other.unanswered = NEVER_NS, 0
        if other.broken or other.until_ns >= beam.changed_ns - ANSWER_NS:
            beam.answer_ns, beam.unanswered = NEVER_NS, 0
        else:
            beam.answer_ns = beam.changed_ns + BLOCKED_NS

    def _no_answer(self, beam: _Beam, t_ns: int, found: list[Observation]) -> None:
        beam.answer_ns = NEVER_NS
        blind = next(line for line in self._beams if line != beam.line)
        if beam.broken:
            detail = f"{beam.line} has been interrupted for {BLOCKED_NS // 10**9} s and {blind} is free"
            found.append(BeamsDisagree(t_ns=t_ns, detail=detail))
            return
        beam.unanswered += 1
        if beam.unanswered % LEAST_UNANSWERED == 0:
            detail = f"{beam.line} was interrupted {beam.unanswered} times in a row and {blind} never was"
            found.append(BeamsDisagree(t_ns=t_ns, detail=detail))
