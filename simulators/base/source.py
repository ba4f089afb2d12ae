"""A simulated table as a source of lines, for a live service without hardware."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import Final

from hal.lines import NOT_YET_NS, LineError, Sink
from hal.values import Batch, Command, Edge, Output, Rare
from simulators.base.answering import Answering, Moving
from simulators.base.faults import fault_named
from simulators.base.truth import TableSimulator, Truth, WaitingSimulator

_T_NS = attrgetter("t_ns")

WAIT_S: Final = 0.1
"""A held table waits this long at a time for the person who plays it: their next round begins within this time."""
PRESS_NS: Final = 150_000_000
"""How long a person holds a button."""
DEALER: Final = "dealer_"
"""How the lines of the dealer's buttons begin."""


class SimulatedSource:
    """Plays a simulator's rounds, one after another, on the caller's clock (see `hal.lines.LineSource`).

    The simulator's time 0 is `start_ns` of that clock. `faults` are the named faults of rounds by their number; the
    key `None` is that of every other round.
    """

    detects_loss = True
    kernel_time = True
    max_lateness_ns = 0

    def __init__(
        self, simulator: TableSimulator, start_ns: int, faults: dict[int | None, str], *, name: str = "sim"
    ) -> None:
        self.name = name
        self.lines = frozenset(simulator.lines)
        self._simulator = simulator
        # Decided once: to look whether an object has the members of a protocol takes longer than a whole tick.
        self._answering = simulator if isinstance(simulator, Answering) else None
        self._moving = simulator if isinstance(simulator, Moving) else None
        self._start_ns = start_ns
        self._faults = faults
        self._rounds = 0
        self._sink: Sink | None = None
        self._armed: str | None = None
        self._asked = False
        self._presses: list[Edge] = []
        self.held = False
        """Whether each round waits for `play`."""
        self.by_hand = False
        """Whether a person is the dealer: the simulated one presses and calls nothing from the next round on."""
        self.fault: str | None = None
        """The named fault of the round that is played; None for none."""
        self.truth: Truth | None = None
        """What will have happened in the round that is played; None where none is."""
        self._held = Batch([], [], NOT_YET_NS)
        self._delivered_ns = NOT_YET_NS

    @property
    def failed(self) -> LineError | None:
        """None: a simulator does not fail."""
        return None

    @property
    def answers(self) -> bool:
        """Whether its devices answer to outputs."""
        return self._answering is not None

    @property
    def moves(self) -> bool:
        """Whether values may come before `next_value_ns`, because something moves."""
        return self._moving is not None and self._moving.moves

    @property
    def next_value_ns(self) -> int:
        """When its next value comes, or its next round begins, if nothing is commanded before."""
        answer_ns = None if self._answering is None else self._answering.next_answer_ns
        times = [self._held.until_ns, *(values[0].t_ns for values in self._held[:2] if values)]
        if answer_ns is not None:
            times.append(answer_ns + self._start_ns)
        return min(times)

    # --- a person at the simulated table ---

    @property
    def rounds(self) -> int:
        """How many rounds were begun."""
        return self._rounds

    @property
    def can_wait(self) -> bool:
        """Whether its rounds can wait for a person."""
        return isinstance(self._simulator, WaitingSimulator)

    @property
    def armed(self) -> str | None:
        """The fault that the next round will have."""
        return self._armed

    def arm(self, fault: str | None) -> None:
        """Gives the next round a named fault, in place of the planned one; None takes it back.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        if fault is not None:
            fault_named(fault, self._simulator.geometry)
        self._armed = fault

    def play(self) -> None:
        """Lets a held table play one round."""
        self._asked = True

    def press(self, line: str, t_ns: int) -> None:
        """A person presses a button for `PRESS_NS`."""
        t_ns = max(t_ns, self._delivered_ns + 1, *(edge.t_ns + 1 for edge in self._presses if edge.line == line))
        self._presses += [Edge(line, 1, t_ns), Edge(line, 0, t_ns + PRESS_NS)]

    # --- as a source of lines ---

    def open(self, sink: Sink) -> None:
        """Opens the source; begins with the levels at the simulator's time 0."""
        self._sink = sink
        self._held = self._shifted(self._simulator.start())

    def command(self, output: Output) -> None:
        """Passes an output to simulated devices that answer."""
        if self._answering is not None:
            self._answering.command(output._replace(t_ns=output.t_ns - self._start_ns))

    def close(self) -> None:
        """Stops playing."""
        self._sink = None

    def delivered_until(self, now_ns: int) -> int:
        """Plays up to `now_ns`, with as many rounds as that takes."""
        sink = self._sink
        if sink is not None and self._answering is not None:
            answered = self._shifted(self._answering.answers(now_ns - self._start_ns))
            # An answer is dated after what was already delivered.
            late_ns = self._delivered_ns + 1
            edges = [edge if edge.t_ns >= late_ns else edge._replace(t_ns=late_ns) for edge in answered.edges]
            rare = [one if one.t_ns >= late_ns else one._replace(t_ns=late_ns) for one in answered.rare]
            sink.deliver(self.name, edges, rare)
        if sink is not None and self._presses:
            due = sorted((edge for edge in self._presses if edge.t_ns <= now_ns), key=_T_NS)
            self._presses = [edge for edge in self._presses if edge.t_ns > now_ns]
            sink.deliver(self.name, due, [])
        self._delivered_ns = now_ns
        while sink is not None:
            edges, rare, until_ns = self._held
            edge, other = bisect_right(edges, now_ns, key=_T_NS), bisect_right(rare, now_ns, key=_T_NS)
            if edge or other:
                self._held = Batch(edges[edge:], rare[other:], until_ns)
                sink.deliver(self.name, edges[:edge], rare[:other])
            if until_ns > now_ns:
                break
            self._held = self._shifted(self._next())
        return now_ns

    def _next(self) -> Batch:
        """The next round, or some time in which nobody plays."""
        simulator = self._simulator
        if self.held and not self._asked and isinstance(simulator, WaitingSimulator):
            self.fault = self.truth = None
            return simulator.wait(WAIT_S)
        self._asked = False
        self._rounds += 1
        armed, self._armed = self._armed, None
        self.fault = armed or self._faults.get(self._rounds, self._faults.get(None))
        batch, self.truth, *_ = simulator.round(self.fault)
        if not self.by_hand:
            return batch
        edges = [edge for edge in batch.edges if not edge.line.startswith(DEALER)]
        return Batch(edges, [one for one in batch.rare if not isinstance(one, Command)], batch.until_ns)

    def _shifted(self, batch: Batch) -> Batch:
        start_ns = self._start_ns
        edges = [Edge(line, level, t_ns + start_ns) for line, level, t_ns in batch.edges]
        rare: list[Rare] = [value._replace(t_ns=value.t_ns + start_ns) for value in batch.rare]
        return Batch(edges, rare, batch.until_ns + start_ns)
