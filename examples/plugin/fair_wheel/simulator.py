"""The wheel, its dealer and what can go wrong."""

from dataclasses import dataclass
from random import Random
from typing import Final

from fair_wheel.device import SPACES, TRACKS, code_of
from hal.values import Batch, Edge
from simulators.base.faults import SimulatedFault, fault_named
from simulators.base.geometry import CALL, SETTLED, buttons_of
from simulators.base.motion import Path
from simulators.base.sensors import MarkRing, RingMark, in_ns, press, settle_order
from simulators.base.truth import SimRound, TableSimulator, Truth, doubted
from simulators.wheel.flapper import coast_to_slow, random_flapper, rest_against_flapper, speed_for_travel

SPACE_DEG: Final = 360.0 / SPACES
FAULTS: Final = (
    SimulatedFault("none", True, "Nothing goes wrong.", "The outcome."),
    SimulatedFault("short_spin", True, "It turns less than twice.", "Void: wheel_revolutions."),
    SimulatedFault("reversed_spin", True, "A hand turns it back.", "Void: wheel_reversed, or wheel_revolutions."),
    SimulatedFault("dark_track", False, "A track stays as it is in the spin.", "Unresolved: edges_lost, or void."),
)


@dataclass(frozen=True, slots=True)
class FairGeometry:
    minimum_revolutions: int
    no_more_bets_button: bool
    settled_button: bool

    def faults(self) -> tuple[SimulatedFault, ...]:
        return FAULTS

    def simulator(self, seed: int) -> TableSimulator:
        return FairWheelTable(self, seed)


class FairWheelTable:
    """Plays rounds; equal seeds give equal rounds."""

    def __init__(self, geometry: FairGeometry, seed: int) -> None:
        self.geometry = geometry
        self._seed, self._number, self._now_s = seed, 0, 0.0
        self._flapper = random_flapper(SPACE_DEG, Random(f"{seed}/wheel"))
        self._angle_deg = SPACE_DEG * Random(seed).randrange(SPACES)
        marks = []
        for space in range(SPACES):
            (bit,) = (n for n in range(len(TRACKS)) if (code_of(space) ^ code_of(space + 1)) >> n & 1)
            marks.append(RingMark((space + 0.5) * SPACE_DEG, TRACKS[bit], code_of(space + 1) >> bit & 1))
        self._ring = MarkRing(marks, self._angle_deg)
        self.lines = (*TRACKS, *buttons_of(geometry))

    def start(self) -> Batch:
        self._now_s, levels = 5.0, self._ring.levels()
        return Batch([Edge(line, levels.get(line, 0), 0) for line in self.lines], [], in_ns(self._now_s))

    def round(self, fault: str | None = None) -> SimRound:
        name = fault_named(fault or "none", self.geometry).name
        self._number += 1
        rng, least = Random(f"{self._seed}/{self._number}"), self.geometry.minimum_revolutions
        begin_s, levels = self._now_s, self._ring.levels()
        path = Path(begin_s, self._angle_deg)
        path.push(0.0, rng.uniform(2.0, 4.0))
        turns = rng.uniform(0.6, least - 0.3) if name == "short_spin" else rng.uniform(least + 0.5, least + 4.0)
        way = rng.choice((1, -1))
        speed = way * speed_for_travel(self._flapper, 360.0 * turns)
        path.push(speed / 0.3, 0.3, speed)
        if name == "reversed_spin":
            coast_to_slow(path, self._flapper, 200.0)
            path.ramp(-speed / 2, 0.6)
        coast_to_slow(path, self._flapper)
        rest_against_flapper(path, self._flapper)
        truth = self._truth(path, way)
        path.push(0.0, 8.0)
        moved = self._ring.edges(path.segments)
        if name == "dark_track":
            track = rng.choice(TRACKS[:3])
            moved = [edge for edge in moved if edge.line != track]
            if levels[track] != self._ring.levels()[track]:
                moved.append(Edge(track, 1 - levels[track], in_ns(path.now_s - 7.5)))
            truth = doubted(truth, f"{track} was dark", ["edges_lost", "wheel_revolutions", "wheel_reversed"])
        pressed = [press(CALL, begin_s + 1.0, 0.2), press(SETTLED, path.now_s - 5.0, 0.2)]
        edges = [*moved, *(edge for button in pressed for edge in button if edge.line in self.lines)]
        settle_order(edges, in_ns(begin_s), in_ns(path.now_s))
        self._angle_deg, self._now_s = path.angle_deg, path.now_s
        return SimRound(Batch(edges, [], in_ns(path.now_s)), truth, self._number, fault)

    def _truth(self, path: Path, way: int) -> Truth:
        least, start_deg = self.geometry.minimum_revolutions, path.segments[0].angle_deg
        turned = max(way * (one.angle_deg - start_deg) for one in path.segments) / 360.0
        back = turned - way * (path.angle_deg - start_deg) / 360.0
        reasons = [("wheel_revolutions", turned < least), ("wheel_reversed", back > 3 / SPACES)]
        refused = tuple(reason for reason, so in reasons if so)
        space = round(path.angle_deg / SPACE_DEG) % SPACES
        return Truth(not refused, space, turned, turned, refused, f"{turned:.2f} turns, at rest on space {space}")
