"""One piece of the corrupted rounds of a wheel: `python -m tests.soak.corrupted_rounds roulette FIRST COUNT`.

With `--compiled` the hot modules are compiled first, where a source has changed, and run: a third is saved.

Each seed is a run of one to three rounds under one corruption (`tests.oracle.rounds`); of `wheel_life` on a worn wheel,
whose age follows from the seed. Prints each outcome that the truth does not support, with the command that repeats its
run, and exits 1 if there is one.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from controller.packages.compiled import code
from systemd.package.systems import BuildError
from systemd.package.wheels import start_on_compiled
from tests.oracle.rounds import Round, money_round, roulette_round, wheel_life_round
from tests.soak.records import Failure, Result
from tests.soak.wheel_watched import watched

LIFE = "wheel_life"
ROUNDS: dict[str, Callable[[int], Round]] = {
    "money_wheel": money_round,
    "roulette": roulette_round,
    LIFE: wheel_life_round,
}

COMPARED = 40
"""Of the life of a wheel, one seed in this many is also that of a new wheel of any geometry: what is refused of it?"""

WATCHED = 7_500
"""Of the life of a wheel, one seed in this many is also that of a wheel under the watch: one in nine of its days."""

WATCHED_ROUNDS = 840
"""The watch looks after 792."""

RUNS_A_COLLECTION = 100
"""Runs between two collections of cyclic garbage: left to itself the collector takes a fifth of the time, to look again
and again through the edges of a run."""

INVISIBLE = "false outcomes that no software can detect"

LEAST_SHARE = 20
"""At least one run in this many has an outcome; with fewer, nothing would have been tried."""


def judge(wheel: str, first: int, count: int) -> Result:
    """Judges the runs of the seeds from `first` on.

    Raises:
        RuntimeError: a run ended with an exception; names its seed.
    """
    failures: list[Failure] = []
    rounds = outcomes = invisible = 0
    refused: Counter[str] = Counter()
    for seed in range(first, first + count):
        if seed % RUNS_A_COLLECTION == 0:
            gc.collect()
        try:
            judged = ROUNDS[wheel](seed)
        except Exception as error:
            raise RuntimeError(f"the run of seed {seed} ended with an exception") from error
        rounds += judged.spins
        outcomes += judged.outcomes
        invisible += judged.invisible
        if wheel == LIFE:
            refused.update({"sound spins": judged.sound, "sound spins refused": judged.refused})
            if seed % COMPARED == 0:
                new = roulette_round(seed)
                refused.update({"sound spins of new wheels": new.sound, "of these refused": new.refused})
            if seed % WATCHED == 0:
                played, wrong = watched(seed, WATCHED_ROUNDS)
                refused.update(played)
                failures += [Failure(what, command(wheel, seed, 1)) for what in wrong]
        if judged.wrong:
            failures.append(Failure(judged.report(), command(wheel, seed, 1)))
    if count >= LEAST_SHARE and outcomes <= count // LEAST_SHARE:
        failures.append(
            Failure(f"only {outcomes} outcomes in {count} runs: nothing was tried", command(wheel, first, count))
        )
    counts = {"runs": count, "rounds": rounds, "outcomes": outcomes, INVISIBLE: invisible, **refused}
    return Result(counts, failures, code=code())


def command(wheel: str, first: int, count: int) -> str:
    """The command that judges these seeds."""
    return f"python -m tests.soak.corrupted_rounds {wheel} {first} {count}"


def main(arguments: list[str] | None = None) -> int:
    """Judges what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.corrupted_rounds")
    parser.add_argument("wheel", choices=sorted(ROUNDS))
    parser.add_argument("first", type=int, help="the first seed")
    parser.add_argument("count", type=int, nargs="?", default=1, help="how many seeds from it on (1)")
    parser.add_argument("--compiled", action="store_true", help="run the hot modules compiled")
    parser.add_argument("--soak-result", type=Path, help="also write the result to this file, as JSON")
    given = parser.parse_args(arguments)
    if given.compiled:
        try:
            start_on_compiled("tests.soak.corrupted_rounds", sys.argv[1:] if arguments is None else arguments)
        except BuildError as error:
            parser.error(f"--compiled: {error}")
    gc.disable()
    gc.freeze()
    result = judge(given.wheel, given.first, given.count)
    for failure in result.failures:
        print(f"{failure.what}\n  {failure.command}")
    print(", ".join(f"{n} {what}" for what, n in result.counts.items()))
    if given.soak_result is not None:
        result.write(given.soak_result)
    return 1 if result.failures else 0


if __name__ == "__main__":
    sys.exit(main())
