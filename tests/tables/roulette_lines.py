"""The lines of a scripted roulette wheel: 38 slots, three track sensors, head at 0."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from drivers.wheel.faces import AMERICAN
from hal.values import Edge, Rare, Reading
from tests.oracle.motion import Motion, encoder_edges, in_order, ns, pulse

S = 1_000_000_000
SENSORS_DEG = (0.0, 120.0, 240.0)
BALL_DEG = 4.0
"""The part of the track on which a sensor sees the ball."""
DROP_LAP_S = 2.2
"""Lap time of the last pass: balls drop at 2.0 to 2.4 s."""


class RouletteLines:
    """What rotor, ball and dealer do. Time is told by the caller; the rotor turns all the while."""

    def __init__(
        self,
        *,
        rotor_rpm: float = 17.0,
        sensors_deg: Sequence[float] = SENSORS_DEG,
        order: Sequence[str] = AMERICAN,
        slots: int = 38,
        button: bool = False,
        start_deg: float = 1.0,
    ) -> None:
        self.rotor = Motion(start_deg)
        self.rotor.speed = rotor_rpm * 6.0
        self.sensors_deg = tuple(sensors_deg)
        self.order = tuple(order)
        self.slots = slots
        self.passes_s: list[float] = []
        """The middles of the ball's passes, of all runs."""
        self.left_s = 0.0
        """When the ball of the last run was last seen."""
        self._found = [*(f"ball_{i + 1}" for i in range(len(self.sensors_deg))), "pocket", "object"]
        if button:
            self._found.append("dealer_no_more_bets")
        self._spans: list[tuple[str, float, float]] = []
        self.rare: list[Rare] = []

    @property
    def now_ns(self) -> int:
        """The time to which the rotor has turned."""
        return ns(self.rotor.t_s)

    def turn(self, until_s: float) -> RouletteLines:
        """The rotor turns on evenly."""
        self.rotor.accelerate(until_s - self.rotor.t_s, 0.0)
        return self

    def run(
        self,
        at_s: float,
        passes: int,
        *,
        way: int = -1,
        first: int = 0,
        laps_s: tuple[float, float] = (0.8, DROP_LAP_S),
        missed: Sequence[int] = (),
    ) -> RouletteLines:
        """A ball passes sensors, the first at a time; the lap time grows evenly from pass to pass."""
        n = len(self.sensors_deg)
        t_s, lap_s = at_s, laps_s[0]
        growth = (laps_s[1] / laps_s[0]) ** (1 / max(1, passes - 1))
        sensor = first
        for number in range(passes):
            if number:
                before, sensor = sensor, (sensor + way) % n
                ahead = (self.sensors_deg[sensor] - self.sensors_deg[before]) * way % 360.0 or 360.0
                lap_s *= growth
                t_s += lap_s * ahead / 360.0
            if number not in missed:
                self.see(f"ball_{sensor + 1}", t_s, lap_s * BALL_DEG / 360.0)
                self.passes_s.append(t_s)
        self.left_s = t_s
        return self

    def see(self, line: str, at_s: float, for_s: float) -> RouletteLines:
        """A line is high for a time, from `at_s` on."""
        if line not in self._found:
            self._found.append(line)
        self._spans.append((line, at_s, for_s))
        return self

    def press(self, button: str, at_s: float) -> RouletteLines:
        """A button is pressed for a tenth of a second."""
        return self.see(button, at_s, 0.1)

    def lie(
        self, pocket: str, from_s: float, to_s: float, *, off: float = 0.0, turns: int | None = None
    ) -> RouletteLines:
        """The head sees the ball in a pocket, at most `turns` times; the rotor has turned to `to_s` already."""
        pitch = 360.0 / len(self.order)
        at = -(self.order.index(pocket) + off) * pitch
        half = 0.15 * pitch
        marks = sorted(t for edge in (-half, half) for t, _, _ in self.rotor.crossings(360.0, at + edge))
        marks = [t for t in marks if from_s <= t <= to_s]
        spans = [(a, b) for a, b in pairwise(marks) if abs((self.rotor.at((a + b) / 2) - at + 180) % 360 - 180) < half]
        for start_s, end_s in spans[:turns]:
            self.see("pocket", start_s, end_s - start_s)
        return self

    def readings_s(self, pocket: str, from_s: float, to_s: float) -> list[float]:
        """When the head sees the middle of a pocket."""
        at = -self.order.index(pocket) * 360.0 / len(self.order)
        return [t for t, _, _ in self.rotor.crossings(360.0, at) if from_s <= t <= to_s]

    def tilt(self, at_s: float, x_deg: float, y_deg: float = 0.0) -> RouletteLines:
        """The inclinometer tells a value of both axes."""
        self.rare += [Reading("level_x", x_deg, ns(at_s)), Reading("level_y", y_deg, ns(at_s))]
        self.rare.sort(key=lambda value: value.t_ns)
        return self

    def edges(self) -> list[Edge]:
        """Everything so far."""
        edges = encoder_edges(self.rotor, "rotor", self.slots, index_offset_deg=0.3)
        edges += [Edge(line, 0, 0) for line in self._found]
        for line, at_s, for_s in self._spans:
            edges += pulse(line, at_s, for_s)
        return in_order(edges)


def spin(
    *,
    passes: int = 16,
    pocket: str | None = "17",
    rotor_rpm: float = 17.0,
    way: int = -1,
    launch_s: float = 6.0,
    until_s: float = 45.0,
    off: float = 0.0,
    turns: int | None = None,
    laps_s: tuple[float, float] = (0.8, DROP_LAP_S),
    sensors_deg: Sequence[float] = SENSORS_DEG,
    missed: Sequence[int] = (),
    button: bool = False,
) -> RouletteLines:
    """One spin: a ball that passes sensors, drops, and rests in a pocket from five seconds after its last pass on."""
    lines = RouletteLines(rotor_rpm=rotor_rpm, sensors_deg=sensors_deg, button=button).turn(until_s)
    lines.run(launch_s, passes, way=way, laps_s=laps_s, missed=missed)
    if pocket is not None:
        lines.lie(pocket, lines.left_s + 5.0, until_s, off=off, turns=turns)
    return lines


def roulette_toml(*, call: str = "auto", buttons: str = "", device: str = "", game: str = "") -> str:
    """A roulette table's configuration."""
    dealer = f"[device.dealer]\nbuttons = [{buttons}]\n" if buttons else ""
    return (
        f'[table]\nid = "roulette-1"\ngame = "roulette"\nno_more_bets = "{call}"\n[lines]\nbackend = "sim"\n'
        f"[device.wheel]\n{device}\n{dealer}[game]\n{game}\n"
    )
