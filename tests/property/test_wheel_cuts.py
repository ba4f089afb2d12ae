"""Corrupted runs of wheels and dice: however their lines are cut into batches, the events are the same.

The games of `test_batch_cuts` are simulated, and a simulated wheel comes to rest once. Here wheels tremble about a
count, creep, are nudged and lose edges, so that deadlines, edges and ends of batches come in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

import pytest

from controller.configuration.values import TableConfig
from controller.conformance.streams import MS, at_random, fed, parts, ticks
from controller.table.decoding import Decoding
from drivers.base.driver import Driver, Observation
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.money_wheel.encoder_wheel import MoneyWheel
from hal.values import Batch, Command, Edge, EdgesLost, Loss, Rare
from tests.oracle import judge
from tests.oracle.motion import in_order
from tests.oracle.rounds import money_lines, roulette_lines
from tests.oracle.tumbling import ANY, TUMBLERS

FINE_NS: Final = 50 * MS
"""As a live table cuts a stream."""
LONG_NS: Final = 3_000 * MS


def stream_of(edges: Sequence[Edge], rare: Sequence[Rare], until_ns: int) -> Batch:
    """The lines as one stream; a cable that is plugged in again may show its level after the run."""
    values: list[Edge | Rare] = [*edges, *rare]
    return Batch(list(edges), sorted(rare, key=lambda one: one.t_ns), max(until_ns, *(one.t_ns for one in values)))


def observed(driver: Driver, stream: Batch, cuts: Sequence[int]) -> list[Observation | Command]:
    """What a driver observes of a stream that is cut at these times."""
    decoding = Decoding([driver])
    return [seen for part in parts(stream, cuts) for seen in decoding.decode(part)]


# --- corrupted runs of the oracle ---


def money_stream(seed: int) -> tuple[TableConfig, Batch]:
    """The lines that `money_round` judges."""
    run, made = money_lines(Random(seed))
    return judge.configuration(judge.money_toml(run.wheel)), stream_of(made.edges, made.rare, run.until_ns)


def roulette_stream(seed: int) -> tuple[TableConfig, Batch]:
    """The lines that `roulette_round` judges."""
    run, made = roulette_lines(Random(seed))
    config = judge.configuration(judge.roulette_toml(run.wheel))
    return config, stream_of(made.edges, [*run.rare, *made.rare], run.until_ns)


WHEELS: Final[dict[str, Callable[[int], tuple[TableConfig, Batch]]]] = {
    "money_wheel": money_stream,
    "roulette": roulette_stream,
}


def check_wheel(wheel: str, seed: int) -> None:
    config, stream = WHEELS[wheel](seed)
    whole = fed(config, stream, [])
    assert fed(config, stream, at_random(stream, Random(f"{seed}/cuts"))) == whole, f"{wheel} {seed}, at random"
    assert fed(config, stream, ticks(stream, FINE_NS)) == whole, f"{wheel} {seed}, in ticks"


def check_tumbler(tumbler: str, seed: int) -> None:
    corruption = ANY[seed % len(ANY)]
    run, made, driver = TUMBLERS[tumbler](seed, corruption)
    stream = stream_of(made.edges, made.rare, run.until_ns)
    whole = observed(driver, stream, [])
    for cuts in (at_random(stream, Random(f"{seed}/cuts")), ticks(stream, FINE_NS)):
        assert observed(TUMBLERS[tumbler](seed, corruption).driver, stream, cuts) == whole, f"{tumbler} {seed}"


@pytest.mark.parametrize(("wheel", "seed"), [("money_wheel", 1_737), ("money_wheel", 50_108), ("roulette", 0)])
def test_a_corrupted_wheel_gives_equal_bytes_however_its_lines_are_cut(wheel: str, seed: int) -> None:
    """1737: the wheel trembled for longer than a rest. 50108: so did noise on B."""
    check_wheel(wheel, seed)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(0, 200, 20))
@pytest.mark.parametrize("wheel", WHEELS)
def test_two_hundred_corrupted_wheels_give_equal_bytes_however_their_lines_are_cut(wheel: str, first: int) -> None:
    for seed in range(first, first + 20):
        check_wheel(wheel, seed)


@pytest.mark.parametrize("tumbler", TUMBLERS)
def test_corrupted_tumblers_are_observed_alike_however_their_lines_are_cut(tumbler: str) -> None:
    for seed in range(3):
        check_tumbler(tumbler, seed)


@pytest.mark.soak
@pytest.mark.parametrize("tumbler", TUMBLERS)
def test_many_corrupted_tumblers_are_observed_alike_however_their_lines_are_cut(tumbler: str) -> None:
    for seed in range(3, 150):
        check_tumbler(tumbler, seed)


# --- a money wheel that anything moves ---

QUARTERS: Final = ((1, 0), (1, 1), (0, 1), (0, 0))
"""The levels of A and B in the quarters of a slot."""
LINES: Final = ("wheel_a", "wheel_b", "wheel_index")
INDEX_COUNTS: Final = 3


class Disc:
    """A disc, and what its lines show with losses and noise."""

    def __init__(self, rng: Random, slots: int) -> None:
        self.rng = rng
        self.turn = 4 * slots
        self.t_ns = 0
        self.at = rng.randrange(self.turn)
        levels = (*QUARTERS[self.at % 4], self._index())
        self.edges = [Edge(line, level, 0) for line, level in zip(LINES, levels, strict=True)]
        self.rare: list[Rare] = []

    def _index(self) -> int:
        return int(self.at % self.turn < INDEX_COUNTS)

    def step(self, way: int, lasted_ns: float) -> None:
        """A count, which may be lost, come twice, bounce or be reported lost."""
        rng, before, index = self.rng, QUARTERS[self.at % 4], self._index()
        self.at += way
        self.t_ns += max(1_000, int(lasted_ns))
        after = QUARTERS[self.at % 4]
        line = before[0] == after[0]
        edge, chance = Edge(LINES[line], after[line], self.t_ns), rng.random()
        if chance < 0.01:
            return
        self.edges.append(edge)
        if chance < 0.02:
            self.edges.append(edge)
        elif chance < 0.04:
            noise = (Edge(edge.line, 1 - edge.level, self.t_ns + rng.choice((300, 400_000))),)
            self.edges += (*noise, edge._replace(t_ns=self.t_ns + 500_000))
        elif chance < 0.043:
            self.rare.append(EdgesLost(edge.line, rng.choice((Loss.UNPLUGGED, Loss.OVERFLOW)), self.t_ns + 1))
        if self._index() != index:
            self.edges.append(Edge("wheel_index", 1 - index, self.t_ns + 100))

    def spin(self) -> None:
        """It runs one way and slows down."""
        rng = self.rng
        near = rng.randrange(-3, 4)
        counts = rng.choice((rng.randrange(1, 60), self.turn // 2 + near, 3 * self.turn + near))
        way, tau_ns = rng.choice((1, -1)), rng.uniform(600, 2_400) * MS / self.turn
        for left in range(counts, 0, -1):
            self.step(way, tau_ns * (1 + max(0, 40 - left) ** 2 / 40))

    def tremble(self) -> None:
        """It goes to and fro about a count, or further, with pauses about as long as a rest among them."""
        rng, place, stays = self.rng, self.at, self.rng.random() < 0.7
        for _ in range(rng.randrange(30)):
            way = rng.choice((1, -1))
            if stays and self.at != place:
                way = 1 if self.at < place else -1
            for _ in range(rng.choice((1, 1, 2)) if stays else rng.choice((1, 1, 1, 2, 3))):
                pause_ms = rng.choice((0.1, 20, 50, 300, 1_400, 1_600, *[rng.uniform(100, 700)] * 10))
                self.step(way, pause_ms * MS)

    def index_noise(self) -> None:
        """Its index chatters while it is at rest."""
        for level in range(self.rng.choice((0, 0, 9, 900))):
            self.t_ns += self.rng.randrange(1_000, 3 * MS)
            self.edges.append(Edge("wheel_index", level % 2, self.t_ns))


def any_motion(rng: Random, slots: int) -> Batch:
    """A few spins and nudges of a disc that trembles after each."""
    disc = Disc(rng, slots)
    for _ in range(rng.randrange(1, 4)):
        disc.spin()
        disc.tremble()
        disc.index_noise()
        disc.t_ns += rng.choice((500, 1_400, 1_600, 3_000)) * MS
    return stream_of(in_order(disc.edges), disc.rare, disc.t_ns + LONG_NS)


def check_motion(seed: int) -> None:
    rng = Random(f"motion/{seed}")
    config = MoneyWheelConfig(encoder_slots=rng.choice((50, 100, 200)))
    stream = any_motion(rng, config.encoder_slots)
    whole = observed(MoneyWheel(config), stream, [])
    for cuts in (at_random(stream, rng), ticks(stream, FINE_NS)):
        assert observed(MoneyWheel(config), stream, cuts) == whole, seed


def test_a_money_wheel_that_trembles_is_observed_alike_however_its_lines_are_cut() -> None:
    for seed in range(16):
        check_motion(seed)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(0, 2_000, 100))
def test_two_thousand_trembling_money_wheels_are_observed_alike_however_their_lines_are_cut(first: int) -> None:
    for seed in range(first, first + 100):
        check_motion(seed)
