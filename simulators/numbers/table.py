"""A simulated number generator, its dealer, and what can go wrong with both."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from drivers.numbers.generator_wire import DRAWS, PERIOD_S, DrawState, GeneratorLine, encode
from hal.values import Batch, Edge, Frame
from simulators.base.faults import SimulatedFault, fault_named
from simulators.base.geometry import CALL, SETTLED, GeometryError, buttons_of
from simulators.base.sensors import in_ns, press
from simulators.base.truth import SimRound, Truth
from simulators.numbers.geometry import GeneratorGeometry

_NONE: Final = "Unresolved: no_number_read."
FAULTS: Final = (
    SimulatedFault("none", True, "Nothing goes wrong.", "The outcome."),
    SimulatedFault("drawn_before_call", True, "The dealer draws, and calls then.", "Void: spun_before_no_more_bets."),
    SimulatedFault("no_number", True, "The draw comes to nothing.", _NONE),
    SimulatedFault("out_of_range", True, "The number is greater than any that it has.", _NONE),
    SimulatedFault("number_changed", True, "It reports another number the second time.", _NONE),
    SimulatedFault("reported_once", True, "It reports the number once, and that it is ready again.", _NONE),
    SimulatedFault("draw_skipped", True, "Its count of draws goes up by two.", _NONE),
    SimulatedFault("draw_repeated", True, "Its count of draws does not go up.", _NONE),
    SimulatedFault("own_fault", True, "It reports a fault while it draws.", "A fault: sensor_missing."),
    SimulatedFault("silent", False, "Its cable is out while it draws.", "A fault: sensor_missing."),
    SimulatedFault("line_garbled", False, "Every third line has a wrong character.", "The outcome, or a doubt."),
)
REFUSED: Final = ("no_number_read", "sensor_missing")
CALL_S: Final = 2.0
PRESS_S: Final = 4.0
DRAWN_S: Final = 5.6
ANEW_S: Final = 7.6
"""From then on it is sound again, whatever went wrong in the round."""
SETTLED_S: Final = 17.0
END_S: Final = 18.0


class _Sent(NamedTuple):
    at_s: float
    line: GeneratorLine


class GeneratorTable:
    """A table that draws one number after another (see `simulators.base.truth.TableSimulator`)."""

    def __init__(self, geometry: GeneratorGeometry, seed: int) -> None:
        if geometry.numbers < 1:
            raise GeometryError(f"numbers is at least 1, not {geometry.numbers}")
        self.geometry = geometry
        self._buttons = buttons_of(geometry)
        self.lines = (geometry.link, *self._buttons)
        self._seed, self._rounds, self._now_s = seed, 0, 0.0
        self._line = GeneratorLine(0, DrawState.READY)

    def start(self) -> Batch:
        """The levels of the buttons at time 0, and the first lines of the generator."""
        self._now_s = 1.0
        lines = self._beats(0.1, 1.0, self._line)
        return Batch([Edge(line, 0, 0) for line in self._buttons], [*self._frames(lines)], in_ns(1.0))

    def round(self, fault: str | None = None) -> SimRound:
        """The next draw, with a named fault or without.

        Raises:
            FaultError: no fault has this name.
        """
        name = fault_named(fault or "none", self.geometry).name
        self._rounds += 1
        rng = Random(f"{self._seed}/{self._rounds}")
        begin_s = self._now_s
        number = rng.randint(1, self.geometry.numbers)
        press_s = begin_s + PRESS_S + rng.uniform(-0.3, 0.3)
        call_s = press_s + 0.3 if name == "drawn_before_call" else begin_s + CALL_S
        self._now_s = begin_s + END_S
        sent = self._sent(name, number, begin_s, press_s)
        edges = [
            edge
            for pressed in (press(CALL, call_s, 0.2), press(SETTLED, begin_s + SETTLED_S, 0.2))
            for edge in pressed
            if edge.line in self._buttons
        ]
        frames = self._frames(sent)
        if name == "line_garbled":
            frames = [
                Frame(one.link, one.data.replace(b";", b":", 1), one.t_ns) if n % 3 == 0 else one
                for n, one in enumerate(frames)
            ]
        batch = Batch(edges, [*frames], in_ns(self._now_s))
        return SimRound(batch, self._truth(name, number), self._rounds, fault)

    def _sent(self, name: str, number: int, begin_s: float, press_s: float) -> list[_Sent]:
        """What the generator sends in a round: at each change at once, and twice a second."""
        steps = {"draw_skipped": 2, "draw_repeated": 0}
        draw = (self._line.draw + steps.get(name, 1)) % DRAWS
        drawn_s, anew_s, end_s = press_s + DRAWN_S - PRESS_S, begin_s + ANEW_S, begin_s + END_S
        drawn = GeneratorLine(draw, DrawState.DRAWN, number)
        other = GeneratorLine(draw, DrawState.DRAWN, number % self.geometry.numbers + 1)
        ready = GeneratorLine(draw, DrawState.READY)
        sent = self._beats(begin_s, press_s, self._line)
        busy = self._beats(press_s, drawn_s, GeneratorLine(draw, DrawState.DRAWING))
        self._line = drawn
        match name:
            case "no_number":
                self._line = ready
                after = self._beats(drawn_s, end_s, ready)
            case "out_of_range":
                self._line = drawn._replace(number=self.geometry.numbers + 1)
                after = self._beats(drawn_s, end_s, self._line)
            case "number_changed":
                self._line = other
                after = [_Sent(drawn_s, drawn), *self._beats(drawn_s + PERIOD_S, end_s, other)]
            case "reported_once":
                self._line = ready
                after = [_Sent(drawn_s, drawn), *self._beats(drawn_s + PERIOD_S, end_s, ready)]
            case "own_fault":
                faulty = GeneratorLine(draw, DrawState.FAULT)
                self._line = ready
                after = [*self._beats(drawn_s, anew_s, faulty), *self._beats(anew_s, end_s, ready)]
            case "silent":
                busy = busy[:1]
                after = self._beats(anew_s, end_s, drawn)
            case _:
                after = self._beats(drawn_s, end_s, drawn)
        return [*sent, *busy, *after]

    def _beats(self, from_s: float, to_s: float, line: GeneratorLine) -> list[_Sent]:
        """A line at once, and again until another is sent."""
        return [_Sent(from_s + n * PERIOD_S, line) for n in range(int((to_s - from_s - 0.001) / PERIOD_S) + 1)]

    def _frames(self, sent: list[_Sent]) -> list[Frame]:
        return [Frame(self.geometry.link, encode(one.line), in_ns(one.at_s)) for one in sent]

    def _truth(self, name: str, number: int) -> Truth:
        reasons: tuple[str, ...] = ()
        if name == "drawn_before_call":
            reasons = ("spun_before_no_more_bets",)
        elif name != "none":
            reasons = REFUSED
        sound = name in ("none", "silent", "line_garbled")
        return Truth(
            valid=sound,
            result=number - 1,
            revolutions=0.0,
            measurable=0.0,
            reasons=reasons,
            detail=f"number {number} was drawn, {name}",
            notices=() if name == "none" else ("device.fault", "device.warning"),
        )
