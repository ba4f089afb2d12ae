"""`python -m tests.mutants`: how many small changes of the verdict modules the tests notice.

A sample of mutants is drawn by a seed and kept in the tree. Each test is run once to record which lines it runs; then
for each mutant the tests that run its line, until one fails. What is known is kept in a folder, so that a run that was
interrupted goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from tests.mutants import sampling
from tests.mutants.operators import Mutant, Site, mutants
from tests.mutants.running import Covering, MutantsError, Verdict, record, tried
from tests.mutants.scope import FOLDERS, OTHER_ROOMS, RECORDED, SEED, SIZE, TESTS
from tests.soak.source import commit

ROOT = Path(__file__).resolve().parents[2]


class Tried(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant of the sample in this version of the code, and what became of it."""

    number: int
    """Its place in the sample, from 0."""
    found: str
    """How it was found again; `gone` for another one in its place."""
    mutant: Mutant
    verdict: Verdict


class State:
    """What is known already: a line each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known: dict[int, Tried] = {}
        if path.exists():
            lines = path.read_bytes().splitlines()
            self.known = {one.number: one for one in (msgspec.json.decode(line, type=Tried) for line in lines)}

    def add(self, one: Tried) -> None:
        self.known[one.number] = one
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(one) + b"\n")


def places(sample: list[sampling.Drawn]) -> list[tuple[str, Site]]:
    """Where each mutant of the sample is in this version of the code."""
    verdicts = mutants(ROOT, FOLDERS)
    everywhere = [*{site.mutant: site for site in (*verdicts, *mutants(ROOT, RECORDED))}.values()]
    found = [sampling.find_again(one.mutant, everywhere) for one in sample]
    taken = {place[1].mutant for place in found if place is not None}
    return [
        place or ("gone", sampling.replacement(number, SEED, verdicts, taken)) for number, place in enumerate(found)
    ]


def compare(folder: Path, count: int, jobs: int, job: int) -> None:
    """Tries what is not known yet."""
    covering = Covering(folder, ROOT)
    for name in covering.failed:
        print(f"fails without a mutant, and is left out: {name}")
    sample = sampling.read()
    state = State(folder / f"verdicts{job or ''}.jsonl")
    for number, (found, site) in enumerate(places(sample)[:count]):
        if number in state.known or number % jobs != job or sample[number].equivalent:
            continue
        tests = covering.tests(site)
        verdict = tried(ROOT, site.mutant, tests, sum(covering.cost_s[name] for name in tests))
        state.add(Tried(number, found, site.mutant, verdict))
        print(f"{number}: {verdict.kind} {verdict.by}   {site.mutant} ({len(tests)} tests)", flush=True)


def report(folder: Path) -> str:
    """The score in words, and which mutants no test noticed."""
    sample = sampling.read()
    known: dict[int, Tried] = {}
    for path in sorted(folder.glob("verdicts*.jsonl")):
        known |= State(path).known
    counted = [one for number, one in sorted(known.items()) if not sample[number].equivalent]
    equivalent = sum(bool(one.equivalent) for one in sample)
    killed = sum(one.verdict.is_killed for one in counted)
    moved = sum(one.found not in ("here", "gone") for one in counted)
    gone = sum(one.found == "gone" for one in counted)
    lines = [f"{one.number}: {one.verdict.kind}: {one.mutant}" for one in counted if not one.verdict.is_killed]
    share = killed / len(counted) if counted else 0
    lines.append(
        f"{commit()[:10]}: {killed} of {len(counted)} mutants are killed: {share:.1%} (of {len(sample)}, {equivalent} "
        f"are equivalent and {len(sample) - equivalent - len(counted)} were not tried; {moved} were found where their "
        f"code moved, {gone} whose code is gone have others in their place)"
    )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status: 1 where tests could not be run."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "mutants", help="what is known already")
    parser.add_argument("--count", type=int, default=SIZE, help="only the first of the sample")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the sample (with --job)")
    parser.add_argument("--job", type=int, default=0, help="which of them this is, from 0")
    parser.add_argument("--report", action="store_true", help="only print the score of what is known")
    parser.add_argument("--draw", action="store_true", help="draw the sample anew from this version of the code")
    options = parser.parse_args(arguments)
    if options.draw:
        sampling.write(sampling.draw(mutants(ROOT, FOLDERS), SIZE, SEED))
        return 0
    try:
        if not options.report:
            if not (options.state / "costs.jsonl").exists():
                record(ROOT, options.state, TESTS, OTHER_ROOMS)
            compare(options.state, options.count, options.jobs, options.job)
    except (MutantsError, ValueError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 1
    print(report(options.state))
    return 0


if __name__ == "__main__":
    sys.exit(main())
