"""What tables give, as a digest a line: `python -m tests.compiled.digests`, on plain Python or on compiled modules.

    plain                          which code runs
    corrupted roulette 17 3f0a…    the events of a run under a corruption, and what the oracle says of it
    capture money_wheel_1 9b1c…    the answers to a capture of the conformance suite
    simulated roulette 5 …         what a simulated wheel has on its wires under a fault, and the events
    worn roulette level 77d1…      what the watch over wear measured of a simulated wheel: a value, block by block
    nonsense roulette 5 …          the events of edges that no wheel makes, or the exception

`--only corrupted --count 20000` runs many. Compiled modules refuse values of other types than are
declared, and a level of more than 63 bits by another exception; no source gives such, so none are here.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from random import Random
from typing import Final

import drivers.wheel.quadrature
from benchmarks.verdicts import learnt, simulated_rounds
from controller.configuration.values import TableConfig
from controller.conformance.captures import suite
from controller.conformance.ours import answers
from controller.conformance.streams import at_random, damaged, fed, on_the_wires, with_lost_edges
from controller.games.assembly import geometry_of
from controller.games.load import check_text
from controller.packages.compiled import code
from drivers.wheel.condition import LEARNING_SPINS
from feed.wear import BLOCK
from hal.values import Batch, Edge
from simulators.base.faults import faults_for
from tests.oracle.rounds import Round, money_round, roulette_round

CORRUPTED: Final[Mapping[str, Callable[[int], Round]]] = {"money_wheel": money_round, "roulette": roulette_round}
A_COLLECTION: Final = 100
"""Runs between two collections of garbage, which else take a fifth of the time."""
TIMES_NS: Final = (-1, 0, 1, 1 << 31, (1 << 62) - 1, 1 << 62, 1 << 63, 1 << 70)
"""Between and beyond what a machine word holds."""


def digest(value: object) -> str:
    """Names a value by its text."""
    return sha256(repr(value).encode()).hexdigest()[:16]


def corrupted(count: int) -> Iterator[str]:
    """Runs of wheels under corruptions."""
    for wheel, judged in CORRUPTED.items():
        for seed in range(count):
            if seed % A_COLLECTION == 0:
                gc.collect()
            yield f"corrupted {wheel} {seed} {digest(tuple(judged(seed)))}"


def captures(_: int) -> Iterator[str]:
    """All captures of the conformance suite."""
    for capture in suite().captures:
        yield f"capture {capture.name} {digest(list(answers(capture.lines())))}"


def simulated(count: int) -> Iterator[str]:
    """Simulated wheels under each fault, as they are, damaged, and with edges lost."""
    for game in CORRUPTED:
        config = _table(game)
        faults = [fault.name for fault in faults_for(geometry_of(config))]
        for seed in range(count):
            rng = Random(seed)
            stream, events = on_the_wires(config, faults[seed % len(faults)], seed)
            given = [fed(config, change(stream, rng), at_random(stream, rng)) for change in (damaged, with_lost_edges)]
            yield f"simulated {game} {seed} {digest((stream, events, given))}"


def worn(count: int) -> Iterator[str]:
    """What the watch over wear measured of a simulated wheel in so many blocks: no shorter run shows any of it."""
    for game in CORRUPTED:
        config = _table(game)
        history = learnt(config, simulated_rounds(config, count * LEARNING_SPINS * BLOCK)).wear_of.get(config.game)
        assert history is not None
        for name, values in history.values.items():
            yield f"worn {game} {name} {digest(values)}"


def nonsense(count: int) -> Iterator[str]:
    """Edges of any line in any order, some of no time or level that a source would give."""
    for game in CORRUPTED:
        config = _table(game)
        lines = [*geometry_of(config).simulator(0).lines, "stranger"]
        for seed in range(count):
            rng = Random(seed)
            wild = seed % 2 == 1
            t_ns, edges = 0, []
            for _ in range(rng.choice((3, 30, 300))):
                t_ns += rng.choice((0, 1, 1_000, 1_000_000, 40_000_000, 3_000_000_000))
                level = rng.choice((0, 1, 2, -1)) if wild and rng.random() < 0.02 else rng.randrange(2)
                at_ns = rng.choice(TIMES_NS) if wild and rng.random() < 0.02 else t_ns
                edges.append(Edge(rng.choice(lines), level, at_ns))
            stream = Batch(edges, [], t_ns + 1)
            yield f"nonsense {game} {seed} {digest(_given(config, stream))}"


def _given(config: TableConfig, stream: Batch) -> object:
    """What a table gives, or the exception that ends it."""
    try:
        return fed(config, stream, [])
    except Exception as error:  # noqa: BLE001 - which one it is, is what is compared
        return type(error).__name__


def _table(game: str) -> TableConfig:
    report = check_text(f'[table]\nid = "t-1"\ngame = "{game}"\n[lines]\nbackend = "sim"\n')
    return report.tables[0]


KINDS: Final = {
    "corrupted": (corrupted, 120),
    "capture": (captures, 0),
    "simulated": (simulated, 40),
    "worn": (worn, 1),
    "nonsense": (nonsense, 150),
}
"""Each kind, and how many are compared in `make test`."""


def main() -> None:
    """Prints the digests of what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.compiled.digests")
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--count", type=int)
    given = parser.parse_args()
    gc.disable()
    print(code(), drivers.wheel.quadrature.__file__)
    for name, (lines, count) in KINDS.items():
        if given.only in (None, name):
            for line in lines(count if given.count is None else given.count):
                print(line)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
