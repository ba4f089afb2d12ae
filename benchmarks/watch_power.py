"""What the watch over wheels, dice and cards finds, and how often it is wrong: power curves and false alarms of values.

    python -m benchmarks.watch_power                measures what is not measured yet, and writes the plots
    python -m benchmarks.watch_power --windows 500  fewer windows a point, to try it
    python -m benchmarks.watch_power --sound 10000  simulates so many spins of sound wheels, and counts the warnings
                                                    of wear

Each point is this many windows through the code that runs at a table, with a seed of its own; no physics is simulated.
Finished points are kept in build/watch-power.jsonl, so a run that was ended goes on. The points of a sound wheel are
the false alarm rates. docs/watch.md shows the plots.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, log, sqrt
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any, Final, NamedTuple

import msgspec

from benchmarks.watch_cards import FAIR, SHOE_CARDS, misread, one_card, riffled, shelved, sticking, strayed, worn
from command_line.svg_page import SvgPage
from controller.games.assembly import geometry_of, table_for
from controller.games.base.wheels import wheel_plan
from controller.games.dice.rules import FACES
from controller.games.dice.setup import dice_plan
from controller.games.load import check_text
from controller.table.bias import FALSE_ALARM, WINDOW, BiasWatch
from controller.table.pace_watch import GamePace
from controller.table.repeats import RepeatWatch
from controller.table.shake_watch import BLOCK, FIRST, ShakeHistory
from controller.table.wear_watch import WHEEL_WEAR
from controller.table.wheel_watch import (
    TREND_SPINS,
    ZONE_BLOCKS,
    RotorSpeed,
    SameDirection,
)
from drivers.wheel.condition import LEARNING_SPINS, LEARNT_SPINS
from feed import events
from feed.card_record import BIN_CARDS, BINS, CARD_MISREADS, MISREADS_IN_1000, READER_CARDS
from feed.drop_zone import THIRD_DEG, Arc, covered, scan
from feed.events import Evidence, WearHistory
from feed.shakes import Shake
from feed.wear import BASELINE, part_of
from feed.wear import BLOCK as SPINS_OF_BLOCK
from feed.wear import WINDOW as LAST_BLOCKS
from feed.wear import worn as worn_values

ROOT: Final = Path(__file__).resolve().parents[1]
KEPT: Final = ROOT / "build/watch-power.jsonl"
PICTURES: Final = ROOT / "docs/pictures"
WINDOWS: Final = 10_000
SECOND: Final = 1_000_000_000

Trial = Callable[[float, Random], bool]
"""Whether a window with a fault of that size is found."""


class Curve(NamedTuple):
    """One line of a plot."""

    name: str
    sizes: Sequence[float]
    """Of the fault; the first one is that of a sound wheel."""
    found: Trial


class Plot(NamedTuple):
    """Curves with one axis."""

    file: str
    title: str
    axis: str
    text: Callable[[float], str]
    """A size, as the axis writes it."""
    curves: Sequence[Curve]


class Point(msgspec.Struct, frozen=True):
    """What was measured of one size."""

    plot: str
    curve: str
    size: float
    windows: int
    found: int


# --- trials ---


def arcs_between(sensors_deg: Sequence[float]) -> list[Arc]:
    """The arcs between track sensors."""
    ends = [*sensors_deg[1:], sensors_deg[0] + 360]
    return [Arc((begin + end) / 2 % 360, (end - begin) / 2) for begin, end in zip(sensors_deg, ends, strict=True)]


def drop_zone(sensors_deg: Sequence[float], spins: int) -> Trial:
    """A third of the bowl, wherever it begins, draws this share of the balls."""
    arcs = arcs_between(sensors_deg)

    def found(share: float, rng: Random) -> bool:
        begin_deg = rng.uniform(0, 360)
        inside = [covered(arc, begin_deg) * 2 * arc.doubt_deg for arc in arcs]
        chances = [
            share * within / THIRD_DEG + (1 - share) * (2 * arc.doubt_deg - within) / (360 - THIRD_DEG)
            for arc, within in zip(arcs, inside, strict=True)
        ]
        zone = scan(Counter(rng.choices(arcs, chances, k=spins)), arcs)
        return zone is not None and zone.p < FALSE_ALARM

    return found


def same_direction(share: float, rng: Random) -> bool:
    """From spin to spin the ball keeps its direction with this chance; 600 spins, 20 in a row."""
    watch, way, ways = SameDirection(20), 0, ("clockwise", "counter-clockwise")
    for _ in range(WINDOW):
        way ^= rng.random() >= share
        if watch.spun(ways[way]):
            return True
    return False


def rotor_trend(change: float, rng: Random) -> bool:
    """Over a block of spins the rotor's speed falls by this many of its standard deviations."""
    watch = RotorSpeed(0.0, 1000.0)
    return any(
        [*watch.spun(100 - change * number / (TREND_SPINS - 1) + rng.gauss(0, 1))] for number in range(TREND_SPINS)
    )


def pace(least: int | None, most: int | None) -> Trial:
    """The games of an hour are this share of those that the one bound has; lengths vary by 30 %."""
    games = least or most or 0

    def found(share: float, rng: Random) -> bool:
        watch = GamePace(least, most, 180 * SECOND)
        deviation = sqrt(log(1 + 0.3**2))
        t_ns = 0
        while True:
            length_s = 3600 / games / share * exp(rng.gauss(0, deviation) - deviation**2 / 2)
            watch.see(_event(events.RoundOpened, t_ns))
            t_ns += round(length_s * 0.8 * SECOND)
            judged = watch.see(_outcome(t_ns, {}))
            t_ns += round(length_s * 0.2 * SECOND)
            watch.see(_event(events.Settled, t_ns, by="auto"))
            if judged is not None or t_ns > 3600 * SECOND + length_s * SECOND:
                return judged is not None

    return found


def _event(kind: Any, t_ns: int, **fields: Any) -> Any:
    return kind(table="t", game="roulette", simulated=True, mono_ns=t_ns, round=1, **fields)


def _outcome(t_ns: int, result: Mapping[str, Any]) -> Any:
    return _event(events.Outcome, t_ns, result=result, winning=[], rule="ours", evidence=Evidence())


def loaded_die(factor: float, rng: Random) -> bool:
    """One face of one of two dice comes this many times as often as each of its others; 600 throws."""
    watch = BiasWatch(dice_plan(2))
    loaded = rng.choices(FACES, [1.0] * 5 + [factor], k=WINDOW)
    thrown = zip(loaded, rng.choices(FACES, k=WINDOW), strict=True)
    return any(watch.outcome(number, {"dice": [*faces]}) for number, faces in enumerate(thrown))


def stuck_reader(share: float, rng: Random) -> bool:
    """The reader gives the pocket that it gave before with this chance, and otherwise what came; 600 results."""
    plan = wheel_plan("pocket", range(38))
    watch = RepeatWatch(plan)
    given: Any = None
    for place in rng.choices([*plan.places], [*plan.places.values()], k=WINDOW):
        if given is None or rng.random() >= share:
            given = place
        if watch.see(_outcome(0, {"pocket": given})) is not None:
            return True
    return False


def pocket_bias(factor: float, rng: Random) -> bool:
    """One pocket of 38 comes this many times as often as the others; 600 spins."""
    pockets = range(38)
    watch = BiasWatch(wheel_plan("pocket", pockets))
    drawn = rng.choices(pockets, [factor, *([1.0] * 37)], k=WINDOW)
    return any(watch.outcome(number, {"pocket": pocket}) for number, pocket in enumerate(drawn))


def weak_shakes(fault: Callable[[Shake, float], Shake]) -> Trial:
    """60 tumbles, and 30 after them whose shaking changed by this factor; all vary as people's do.

    The time varies by a quarter, pulses by a fifth for the same time, unevenness by a third; turns are 3 to 6.
    """

    def one(rng: Random) -> Shake:
        moved_s = 3 * exp(rng.gauss(0, 0.25))
        return Shake(
            moved_s=moved_s,
            pulses=round(12 * moved_s * exp(rng.gauss(0, 0.2))),
            turns=rng.choices((3, 4, 5, 6), (50, 30, 15, 5))[0],
            unevenness=0.2 * exp(rng.gauss(0, 0.33)),
        )

    def found(factor: float, rng: Random) -> bool:
        history = ShakeHistory()
        shakes = [*(one(rng) for _ in range(FIRST)), *(fault(one(rng), factor) for _ in range(BLOCK))]
        return any(history.take(shake) for shake in shakes)

    return found


# --- wear: values of measured spins, each with the scatter of a simulated wheel ---

PASSES: Final = 15
"""Of one sensor in a spin."""
SPINS_A_BLOCK: Final = SPINS_OF_BLOCK * LEARNT_SPINS
SPINS_A_FIRST_BLOCK: Final = SPINS_OF_BLOCK * LEARNING_SPINS
LOOKED: Final = 2 * LAST_BLOCKS
"""Blocks after a change in which it is to be found."""


class WearKind(NamedTuple):
    """A kind of wear: its value as new, at its limit, and how it scatters from spin to spin."""

    name: str
    new: float
    limit: float
    scatter: float

    def value(self, way: float, rng: Random) -> float:
        """Of one spin, this part of the way to the limit."""
        mean = self.new + way * (self.limit - self.new)
        if self.name.endswith("_missed"):
            return sum(rng.random() < mean for _ in range(PASSES)) / PASSES
        return max(0.0, rng.gauss(mean, self.scatter))


ROULETTE_KINDS: Final = (
    WearKind("ball_slowing", 0.735, 1.47, 0.065),
    WearKind("rotor_slowing", 0.04, 0.08, 0.004),
    WearKind("ball_2_width", 1.0, 1 / 1.8, 0.05),
    WearKind("ball_2_missed", 0.0, 0.2, 0.0),
    WearKind("level", 0.034, 0.15, 0.007),
    *(WearKind(f"ball_{sensor}_width", 1.0, 1 / 1.8, 0.05) for sensor in (1, 3)),
    *(WearKind(f"ball_{sensor}_missed", 0.0, 0.2, 0.0) for sensor in (1, 3)),
    WearKind("unevenness", 0.03, 0.18, 0.01),
)
MONEY_KINDS: Final = (
    WearKind("wheel_slowing", 39.2, 78.4, 1.75),
    WearKind("rocking", 3.48, 1.39, 0.8),
    WearKind("unevenness", 0.03, 0.18, 0.01),
    WearKind("bounces", 0.0, 100.0, 5.0),
)


def _looks(values: Mapping[str, Sequence[float]], false_alarm: float) -> bool:
    """Whether any look at a history of these blocks finds something: one look at each block, once the wheel is learnt
    and a window is full. (A history is merged later than here; the last blocks and the baseline never are.)"""
    number = len(next(iter(values.values())))
    return any(
        worn_values(
            WearHistory(
                days=[at / 10 for at in range(end)],
                spins=[SPINS_OF_BLOCK] * end,
                values={name: list(own[:end]) for name, own in values.items()},
                learnt=BASELINE,
            ),
            false_alarm,
        )
        for end in range(BASELINE + LAST_BLOCKS, number + 1)
    )


def _blocks(kind: WearKind, ways: Sequence[float], rng: Random) -> list[float]:
    """Blocks of measured spins, each this far worn."""
    middle = fmean if kind.name.endswith("_missed") or kind.name == "bounces" else median
    return [middle([kind.value(way, rng) for _ in range(SPINS_OF_BLOCK)]) for way in ways]


def worn_at_once(kinds: Sequence[WearKind]) -> Trial:
    """The first kind jumps this part of its way to the limit, once the wheel is learnt.

    The others are there by their share of the chance of a false alarm alone.
    """

    def found(way: float, rng: Random) -> bool:
        ways = [0.0] * BASELINE + [way] * LOOKED
        return _looks({kinds[0].name: _blocks(kinds[0], ways, rng)}, FALSE_ALARM * _share(kinds))

    return found


def _shorter(one: Shake, factor: float) -> Shake:
    return one._replace(moved_s=(one.moved_s or 0) * factor, pulses=round((one.pulses or 0) * factor))


def _softer(one: Shake, factor: float) -> Shake:
    return one._replace(pulses=round((one.pulses or 0) * factor))


def _uneven(one: Shake, factor: float) -> Shake:
    return one._replace(unevenness=(one.unevenness or 0) / factor)


def _share(kinds: Sequence[WearKind]) -> float:
    """The share of the first kind in the limits that are looked at."""
    numbers = [max(1, len(part.factors)) for kind in kinds if (part := part_of(kind.name)) is not None]
    return numbers[0] / sum(numbers)


def whole_wheel(way: float, rng: Random) -> bool:
    """Every value of a roulette wheel scatters."""
    ways = [way] * (BASELINE + LOOKED)
    return _looks({kind.name: _blocks(kind, ways, rng) for kind in ROULETTE_KINDS}, FALSE_ALARM)


STEADY: Final = (0.0, 1.0, 2.0, 3.0)
"""No wear, and from as new to the limit in 4,000 spins, 8,000 and 16,000."""


def spins_to_limit(size: float) -> int:
    """How many spins wear takes from as new to the limit."""
    return round(2000 * 2**size)


def worn_steadily(kinds: Sequence[WearKind]) -> Trial:
    """The first kind wears evenly from the first spin on; found before half of its way."""

    def found(size: float, rng: Random) -> bool:
        spins = spins_to_limit(size or 3)
        learning = (BASELINE + LAST_BLOCKS) * SPINS_A_FIRST_BLOCK
        ends = [*range(0, learning, SPINS_A_FIRST_BLOCK), *range(learning, spins // 2, SPINS_A_BLOCK)]
        ways = [end / spins if size else 0.0 for end in ends]
        return _looks({kinds[0].name: _blocks(kinds[0], ways, rng)}, FALSE_ALARM * _share(kinds))

    return found


def first(kinds: Sequence[WearKind], name: str) -> list[WearKind]:
    """The kinds, one of them first."""
    return sorted(kinds, key=lambda one: one.name != name)


SOUND: Final = {
    "roulette": "[device.wheel]\nball_sensors_deg = [0, 100, 220]\n",
    "money_wheel": "",
}


def sound_spins(spins: int) -> Iterator[tuple[str, int, int]]:
    """Simulates sound wheels: of each its game, the rounds with an outcome, and the warnings of wear."""
    for game, more in SOUND.items():
        report = check_text(f'[table]\nid = "t"\ngame = "{game}"\n[lines]\nbackend = "sim"\n{more}')
        (config,) = report.tables
        simulator, table = geometry_of(config).simulator(1), table_for(config, epoch="sim", simulated=True)
        table.open(0)
        table.feed(simulator.start())
        said = [event.data for _ in range(spins) for event in table.feed(simulator.round().batch)]
        warned = [one for one in said if isinstance(one, events.DeviceWarning) and one.warning == WHEEL_WEAR]
        yield game, sum(isinstance(one, events.Outcome) for one in said), len(warned)


# --- plots ---

SENSORS: Final[Mapping[str, Sequence[float]]] = {
    "three sensors": (0, 100, 220),
    "four sensors": (0, 80, 180, 275),
    "eight sensors": (0, 40, 90, 135, 184, 226, 270, 317),
    "the angle to 30°": tuple(range(0, 360, 30)),
}


SHAKEN: Final = (1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6)


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _zone_plot(spins: int, shares: Sequence[float]) -> Plot:
    return Plot(
        f"watch-drop-{spins}",
        f"Drop zone found within {spins:,} spins, wherever it is",
        "of the balls leave the track in one third of the bowl",
        _percent,
        [Curve(name, (1 / 3, *shares), drop_zone(deg, spins)) for name, deg in SENSORS.items()],
    )


WAYS: Final = (0.0, 0.1, 0.15, 0.2, 0.3, 0.5)


def _wear_plot(wheel: str, curves: Sequence[Curve]) -> Plot:
    return Plot(
        f"watch-wear-{wheel.replace(' ', '-')}",
        f"Wear of a {wheel}, found within {LOOKED * SPINS_A_BLOCK} spins",
        "of the way from as new to the limit",
        _percent,
        curves,
    )


PLOTS: Final = (
    _zone_plot(ZONE_BLOCKS[0], (0.37, 0.40, 0.43, 0.46, 0.50, 0.55, 0.60)),
    _zone_plot(ZONE_BLOCKS[1], (0.35, 0.36, 0.37, 0.38, 0.39, 0.40, 0.42)),
    Plot(
        "watch-direction",
        "Direction unchanged 20 times, found within 600 spins",
        "of the spins keep the direction of the one before",
        _percent,
        [Curve("default of 20", (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95), same_direction)],
    ),
    Plot(
        "watch-trend",
        "Trend of the rotor's speed, found within 60 spins",
        "standard deviations, by which it falls over the 60 spins",
        "{:g}".format,
        [Curve("60 spins", (0, 0.5, 1, 1.5, 2, 2.5, 3), rotor_trend)],
    ),
    Plot(
        "watch-pace",
        "Too few games, found within an hour of play",
        "of the 40 games that are wanted",
        _percent,
        [Curve("40 games an hour", (1.25, 1.15, 1.1, 1.05, 1, 0.95, 0.9, 0.85, 0.8), pace(40, None))],
    ),
    Plot(
        "watch-pace-fast",
        "Too many games, found within an hour of play",
        "of the 60 games that are the most",
        _percent,
        [Curve("60 games an hour", (0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2), pace(None, 60))],
    ),
    Plot(
        "watch-dice-bias",
        "A loaded die, found within 600 throws",
        "times as often as each other face of that die",
        "{:g}".format,
        [
            Curve("one of two dice", (1, 1.25, 1.5, 1.75, 2, 2.5), loaded_die),
        ],
    ),
    Plot(
        "watch-repeats",
        "A reader that repeats its result, found within 600 results",
        "of the results are the one before",
        _percent,
        [
            Curve("wheel of 38 pockets", (0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5), stuck_reader),
        ],
    ),
    Plot(
        "watch-guessable",
        "Orders of a shelf shuffler, found within 20 orders",
        "of the orders come from ten shelves; the others are fair",
        _percent,
        [Curve("one deck", (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6), shelved)],
    ),
    Plot(
        "watch-sticking",
        "A card that keeps to one part of the stack, found within 200 orders",
        "times as often in the first quarter as another card",
        "{:g}".format,
        [Curve("one deck", (1, 1.6, 2, 2.4, 2.8), sticking)],
    ),
    Plot(
        "watch-bias",
        "Bias of one pocket of 38, found within 600 spins",
        "times as often as each of the others",
        "{:g}".format,
        [Curve("bias watch", (1, 1.5, 2, 2.5, 3, 3.5, 4), pocket_bias)],
    ),
    Plot(
        "watch-shakes",
        f"Dice shaken less well, found within {BLOCK} tumbles after {FIRST}",
        "of what it was before (unevenness: as much greater)",
        _percent,
        [
            Curve("shorter and with fewer pulses", SHAKEN, weak_shakes(_shorter)),
            Curve("with fewer pulses alone", SHAKEN, weak_shakes(_softer)),
            Curve("more uneven", SHAKEN, weak_shakes(_uneven)),
        ],
    ),
    Plot(
        "watch-riffles",
        "An order that was not shuffled enough, found within ten shuffles",
        "riffles of the order before, and a cut",
        lambda size: "fair" if size == FAIR else f"{size:g}",
        [
            Curve("one deck", (FAIR, 7, 6, 5, 4, 3, 2, 1), riffled(1)),
            Curve("eight decks", (FAIR, 3, 2, 1), riffled(8)),
        ],
    ),
    Plot(
        "watch-places",
        "Cards that stay near their places, found within ten shuffles",
        "of a deck, by which each card strays at most",
        lambda size: "fair" if size == 2 else f"{size:.0%}",
        [Curve("one deck", (2, 1.25, 1, 0.75, 0.5), strayed)],
    ),
    Plot(
        "watch-misreads",
        "A reader that misreads, with 2 in 1,000 borne",
        "of 1,000 cards are not read",
        "{:g}".format,
        [
            Curve("a shoe of 350 cards", (MISREADS_IN_1000, 4, 6, 8, 12, 16, 20, 25, 30), misread(SHOE_CARDS)),
            Curve("5,000 cards", (MISREADS_IN_1000, 3, 4, 5, 6, 8, 12), misread(READER_CARDS)),
        ],
    ),
    Plot(
        "watch-card",
        f"One face that is misread more often, found within {CARD_MISREADS} misreads",
        "times as often as each of the others",
        "{:g}".format,
        [Curve("any number of decks", (1, 12, 20, 30), one_card(1))],
    ),
    Plot(
        "watch-deck",
        f"A deck that wears, found within {BIN_CARDS * BINS:,} cards",
        "more misreads in 1,000 cards at the end than at first",
        "{:g}".format,
        [
            Curve("from none", (0.5, 2, 4, 6, 8, 12, 16), worn(0)),
            Curve("from 2 in 1,000", (0, 2, 4, 6, 8, 12, 16), worn(2)),
            Curve("from 5 in 1,000", (0, 2, 4, 6, 8, 12, 16), worn(5)),
        ],
    ),
    _wear_plot(
        "roulette",
        [
            Curve("all values, sound", (0.0,), whole_wheel),
            Curve("ball track", WAYS, worn_at_once(first(ROULETTE_KINDS, "ball_slowing"))),
            Curve("bearing of the rotor", WAYS, worn_at_once(first(ROULETTE_KINDS, "rotor_slowing"))),
            Curve("width of a sensor's pulses", WAYS, worn_at_once(first(ROULETTE_KINDS, "ball_2_width"))),
            Curve("passes that a sensor misses", WAYS, worn_at_once(first(ROULETTE_KINDS, "ball_2_missed"))),
            Curve("level", WAYS, worn_at_once(first(ROULETTE_KINDS, "level"))),
        ],
    ),
    _wear_plot(
        "money wheel",
        [
            Curve("bearing of the wheel", WAYS, worn_at_once(first(MONEY_KINDS, "wheel_slowing"))),
            Curve("flapper's rocking", WAYS, worn_at_once(first(MONEY_KINDS, "rocking"))),
            Curve("encoder's unevenness", WAYS, worn_at_once(first(MONEY_KINDS, "unevenness"))),
            Curve("contact bounces", WAYS, worn_at_once(first(MONEY_KINDS, "bounces"))),
        ],
    ),
    Plot(
        "watch-wear-steady",
        "Steady wear, found before half of the way to its limit",
        "spins from as new to the limit",
        lambda size: f"{spins_to_limit(size):,}" if size else "sound",
        [
            Curve("flapper's rocking", STEADY[:3], worn_steadily(first(MONEY_KINDS, "rocking"))),
            Curve("ball track", STEADY, worn_steadily(first(ROULETTE_KINDS, "ball_slowing"))),
        ],
    ),
)


def measure(plot: str, curve: Curve, size: float, windows: int) -> Point:
    """Tries this many windows with a fault of that size."""
    rng = Random(f"{plot}/{curve.name}/{size:g}")
    return Point(plot, curve.name, float(size), windows, sum(curve.found(size, rng) for _ in range(windows)))


def measured(kept: Path, windows: int) -> Iterator[Point]:
    """Every point, from the file of finished ones or measured now and added to it."""
    done: dict[tuple[str, str, float], Point] = {}
    if kept.exists():
        # A last line that was cut off with the run is measured again.
        for line in kept.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                one = msgspec.json.decode(line, type=Point)
                done[one.plot, one.curve, one.size] = one
        kept.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in done.values()))
    kept.parent.mkdir(exist_ok=True)
    for plot in PLOTS:
        for curve in plot.curves:
            for size in curve.sizes:
                point = done.get((plot.file, curve.name, size))
                if point is None or point.windows != windows:
                    point = measure(plot.file, curve, size, windows)
                    with kept.open("ab") as file:
                        file.write(msgspec.json.encode(point) + b"\n")
                yield point


def main(windows: int, kept: Path, pictures: Path) -> None:
    """Measures, prints every point, and writes the plots."""
    points: dict[str, list[Point]] = {}
    for point in measured(kept, windows):
        points.setdefault(point.plot, []).append(point)
        print(f"{point.plot:16} {point.curve:18} {point.size:6.3g}  {point.found / point.windows:8.4%}", flush=True)
    for plot in PLOTS:
        (pictures / f"{plot.file}.svg").write_text(drawing(plot, points[plot.file]), encoding="utf-8")


COLORS: Final = ("#0b6e4f", "#8a2be2", "#b3541e", "#1f4e9c", "#8c6d00", "#c71585")
GRID, GOAL, LABEL = "#d5d8dc", "#c0392b", "#444"
LEFT, TOP, WIDTH, HEIGHT = 60, 50, 520, 260


def drawing(plot: Plot, points: Sequence[Point]) -> str:
    """A plot as SVG: the share of windows in which the fault was found, over its size."""
    sizes = [size for curve in plot.curves for size in curve.sizes]
    least, most = min(sizes), max(sizes)
    page = SvgPage(LEFT + WIDTH + 40, TOP + HEIGHT + 60 + 18 * len(plot.curves), plot.title)

    def at(size: float, share: float) -> tuple[float, float]:
        return LEFT + (size - least) / (most - least) * WIDTH, TOP + HEIGHT * (1 - share)

    page.words(LEFT, 26, plot.title, size=15, bold=True)
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 0.95):
        page.line(at(least, share), at(most, share), color=GOAL if share == 0.95 else GRID, width=1)
        page.words(LEFT - 8, at(least, share)[1] + 4, f"{share:.0%}", size=12, anchor="end", color=LABEL)
    for size in dict.fromkeys(sorted(sizes)):
        page.line(at(size, 0), at(size, 1), color=GRID, width=0.6)
        page.words(at(size, 0)[0], TOP + HEIGHT + 18, plot.text(size), size=11, anchor="middle", color=LABEL)
    page.words(LEFT + WIDTH / 2, TOP + HEIGHT + 42, plot.axis, size=12, anchor="middle", color=LABEL)
    for place, (curve, color) in enumerate(zip(plot.curves, COLORS, strict=False)):
        mine = sorted((one for one in points if one.curve == curve.name), key=lambda one: one.size)
        places = [at(one.size, one.found / one.windows) for one in mine]
        page.line(*places, color=color, width=2.5)
        for x, y in places:
            page.dot(x, y, 3.5, fill=color, color=color)
        sound = next(one for one in mine if one.size == curve.sizes[0])
        rate = f"{sound.found} of {sound.windows:,} sound windows suspected"
        x, y = LEFT, TOP + HEIGHT + 66 + 18 * place
        page.box(x, y - 9, 10, 10, fill=color, color=color, stroke=0)
        page.words(x + 16, y, curve.name, size=11, after=rate)
    return page.text()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measures what the watch over a wheel finds.")
    parser.add_argument("--windows", type=int, default=WINDOWS, help="windows a point")
    parser.add_argument("--sound", type=int, metavar="SPINS", help="simulate sound wheels, and draw nothing")
    parser.add_argument("--kept", type=Path, default=KEPT, help="the file of finished points")
    parser.add_argument("--pictures", type=Path, default=PICTURES, help="where the plots are written")
    asked = parser.parse_args()
    if asked.sound:
        for game, outcomes, warnings in sound_spins(asked.sound):
            print(f"{game:16} {outcomes:,} outcomes in {asked.sound:,} spins, {warnings} warnings of wear", flush=True)
        parser.exit()
    main(asked.windows, asked.kept, asked.pictures)
