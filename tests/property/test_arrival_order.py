"""Edges that arrive late, in batches and interleaved give the same events as edges that arrive in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from random import Random
from typing import TypeVar

import pytest

from hal.merge import Merge
from hal.values import Batch, Edge, Rare
from tests.oracle import corruptions, judge, money, roulette
from tests.shares import one_in

T = TypeVar("T")


def shuffled(edges: Sequence[Edge], rare: Sequence[Rare], until_ns: int, rng: Random) -> Iterator[Batch]:
    """The run as it comes from up to three sources, each with its own lateness and its own batches."""
    merge = Merge()
    names = [f"source-{i}" for i in range(rng.randint(1, 3))]
    lines = sorted({e.line for e in edges})
    home = {line: rng.choice(names) for line in lines}
    events: list[tuple[int, str, list[Edge], list[Rare], int]] = []
    for name in names:
        merge.add(name)
        late, step = rng.randrange(0, 400_000_000), rng.choice((5_000_000, 100_000_000, 900_000_000))
        own = [e for e in edges if home[e.line] == name]
        own_rare = list(rare) if name == names[0] else []
        t_ns, i, j = -1, 0, 0
        while t_ns < until_ns:
            t_ns = min(until_ns, t_ns + rng.randrange(1, step))
            first, second = i, j
            while i < len(own) and own[i].t_ns <= t_ns:
                i += 1
            while j < len(own_rare) and own_rare[j].t_ns <= t_ns:
                j += 1
            chunk = own[first:i]
            mixed = [e.line for e in chunk]
            rng.shuffle(mixed)
            of_line = {line: iter([e for e in chunk if e.line == line]) for line in set(mixed)}
            events.append((t_ns + late, name, [next(of_line[line]) for line in mixed], own_rare[second:j], t_ns))
    for _, name, chunk, some, t_ns in sorted(events, key=lambda e: (e[0], e[4], e[1])):
        merge.deliver(name, chunk, some)
        merge.until(name, t_ns)
        batch = merge.take()
        if batch is not None:
            yield batch


def in_their_order(values: Iterable[T]) -> list[T]:
    """Values of one time in the order of their lines, as the merge has them; those of one line keep theirs."""
    return sorted(values, key=attrgetter("t_ns", "line"))


def check_money_wheel(corruption: corruptions.Corruption, rng: Random, spins: int) -> None:
    """Plays a wheel in order, and late and shuffled."""
    run = money.make_run(rng, spins=spins)
    made = corruption(run.edges, rng)
    edges, toml = in_their_order(made.edges), judge.money_toml(run.wheel)
    rare = in_their_order(made.rare)
    heard = judge.events_of(toml, judge.batches(edges, rare, run.until_ns))
    assert judge.events_of(toml, shuffled(edges, rare, run.until_ns, rng)) == heard


def check_roulette_wheel(corruption: corruptions.Corruption, rng: Random, spins: int) -> None:
    """Plays a wheel in order, and late and shuffled."""
    run = roulette.make_run(rng, spins=spins)
    made = corruption(run.edges, rng)
    edges, toml = in_their_order(made.edges), judge.roulette_toml(run.wheel)
    rare = in_their_order([*run.rare, *made.rare])
    heard = judge.events_of(toml, judge.batches(edges, rare, run.until_ns))
    assert judge.events_of(toml, shuffled(edges, rare, run.until_ns, rng)) == heard


EACH = pytest.mark.parametrize("corruption", corruptions.ALL, ids=lambda one: one.__name__)


@EACH
def test_a_money_wheel_heard_late_and_shuffled_says_the_same(corruption: corruptions.Corruption) -> None:
    check_money_wheel(corruption, Random(corruption.__name__), 1)


@pytest.mark.parametrize("corruption", one_in(2, corruptions.ALL))
def test_a_roulette_wheel_heard_late_and_shuffled_says_the_same(corruption: corruptions.Corruption) -> None:
    check_roulette_wheel(corruption, Random(corruption.__name__), 1)


@pytest.mark.soak
@EACH
@pytest.mark.parametrize("seed", range(20))
def test_many_wheels_heard_late_and_shuffled_say_the_same(corruption: corruptions.Corruption, seed: int) -> None:
    check_money_wheel(corruption, Random(seed), 2)
    check_roulette_wheel(corruption, Random(seed), 2)
