"""One beam of a chute: which breaks of it are the passing of one die.

line     ____|‾‾|_|‾‾‾|_________|‾‾‾‾|____
             |<--->|<- gap ->|               pieces nearer than the gap are one die: its corners go by
             one pass, over once the gap has passed
"""

from __future__ import annotations

from drivers.driver import NEVER_NS
from hal.values import Edge


class Beam:
    """Counts the passes of one beam."""

    __slots__ = (
        "_dark_ns",
        "_fall_ns",
        "_gap_ns",
        "_jam_ns",
        "_known",
        "_rise_ns",
        "_shortest_ns",
        "broken",
        "jammed",
        "passes",
        "since_ns",
    )

    def __init__(self, shortest_ns: int, gap_ns: int, jam_ns: int) -> None:
        self._shortest_ns = shortest_ns
        self._gap_ns = gap_ns
        self._jam_ns = jam_ns
        self._known = False
        self.broken = False
        """Whether something stands in the beam."""
        self.jammed = False
        """Whether it has stood there for too long."""
        self.since_ns = 0
        """When the pass that is under way began."""
        self._rise_ns = 0
        self._fall_ns: int | None = None
        self._dark_ns = 0
        """The longest piece of the pass under way: a die darkens a beam for some time at once, noise does not."""
        self.begin()

    def begin(self) -> None:
        """A new run: its passes are counted anew."""
        self.passes = 0

    @property
    def begun(self) -> int:
        """Passes, with one that is under way."""
        return self.passes + (self.broken or self._fall_ns is not None)

    @property
    def due_ns(self) -> int:
        """When a pass is over, or a beam that stays broken is jammed."""
        if self.broken:
            return NEVER_NS if self.jammed else self.since_ns + self._jam_ns
        return NEVER_NS if self._fall_ns is None else self._fall_ns + self._gap_ns

    def edge(self, edge: Edge) -> bool:
        """Takes an edge; returns whether something moved in the beam."""
        known, self._known = self._known, True
        if not edge.level:
            moved = self.broken
            if moved:
                # What was there for too long is no passing die, wherever it went.
                self._fall_ns = None if self.jammed else edge.t_ns
                self._dark_ns = max(self._dark_ns, edge.t_ns - self._rise_ns)
            self.broken = self.jammed = False
            return moved
        if self.broken:
            return False
        if self._fall_ns is None:
            self.since_ns = edge.t_ns
            self._dark_ns = 0
        self._rise_ns = edge.t_ns
        self._fall_ns = None
        self.broken = True
        # What is found in a beam moved there before anybody looked.
        return known

    def passed(self) -> int | None:
        """The gap has passed: returns how long the die took, or None where it was noise."""
        fall_ns, self._fall_ns = self._fall_ns, None
        if fall_ns is None or self._dark_ns < self._shortest_ns:
            return None
        self.passes += 1
        return fall_ns - self.since_ns

    def forget(self) -> None:
        """The line is not driven, or changes of it were lost."""
        self._known = self.broken = self.jammed = False
        self._fall_ns = None
