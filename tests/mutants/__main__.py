"""`python -m tests.mutants`: how many small changes of the verdict modules the tests notice.

A sample of mutants is drawn by a seed and kept in the tree. Each test is run once to record which mutants it reaches;
then for each mutant the tests that reach it, the cheapest first, until one fails. What is known is kept in a folder, so
that a run that was interrupted continues where it was.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from math import inf
from pathlib import Path
from typing import Final

from tests.mutants import page, sampling
from tests.mutants.operators import Site, mutants
from tests.mutants.plugin import Verdict
from tests.mutants.running import Folder, MutantsError
from tests.mutants.scope import FOLDERS, OTHER_ROOMS, RECORDED, SEED, SIZE, SOAK_OF, TESTS
from tests.soak.catalogue import SOAKS, Soak
from tests.soak.source import commit

ROOT = Path(__file__).resolve().parents[2]
RESULTS: Final = ROOT / "docs" / "mutants.json"
PAGE: Final = ROOT / "docs" / "mutants.md"
SOAK_S: Final = 60.0
"""Processor time of the tests of a part of a soak that a survivor is tried on."""
QUICK_S: Final = 20.0
"""Processor time of the tests that each mutant is tried on before any is tried on all of its tests: most are killed."""


def places(sample: list[sampling.Drawn]) -> list[tuple[str, Site]]:
    """Where each mutant of the sample is in this version of the code."""
    verdicts = mutants(ROOT, FOLDERS)
    everywhere = sampling.Places({site.mutant: site for site in (*verdicts, *mutants(ROOT, RECORDED))}.values())
    found = [everywhere.find_again(one.mutant) for one in sample]
    taken = {place[1].mutant for place in found if place is not None}
    return [
        place or ("gone", sampling.replacement(number, SEED, verdicts, taken)) for number, place in enumerate(found)
    ]


def attempt(folder: Folder, sites: Mapping[int, Site], jobs: int, most_s: float) -> None:
    """Tries what is not decided yet, in processes side by side, and prints what is found."""
    trials = folder.trials(folder.open(sites), most_s)
    with_tests = [trial for trial in trials if trial.tests]
    folder.note_unreached(trial.number for trial in trials if not trial.tests)
    while_imported = [trial for trial in with_tests if not sites[trial.number].in_function]
    others = [trial for trial in with_tests if sites[trial.number].in_function]
    with ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(folder.attempt, ROOT, others[job::jobs]) for job in range(min(jobs, len(others)))]
        runs += [pool.submit(folder.attempt, ROOT, [trial], on=trial.number) for trial in while_imported]
        for run in as_completed(runs):
            run.result()
            print(f"{len(folder.verdicts())} of {len(sites)} tried", flush=True)


def soak_of(path: str) -> Soak:
    """The soak that is named for the folder of a module."""
    name = next(SOAK_OF[str(folder)] for folder in Path(path).parents if str(folder) in SOAK_OF)
    return next(soak for soak in SOAKS if soak.name == name)


def soak_folder(state: Path, soak: Soak) -> Folder:
    """What a part of a soak shows of mutants."""
    return Folder(state / soak.name, ("-m", "soak"))


def attempt_in_soaks(state: Path, folder: Folder, sites: Mapping[int, Site], jobs: int) -> None:
    """Tries what the tests did not notice in one part of the soak that is named for its module."""
    known = folder.verdicts()
    survivors = {n: site for n, site in sites.items() if n not in known or not known[n].is_killed}
    for soak in SOAKS:
        numbered = {n: site for n, site in survivors.items() if soak_of(site.mutant.path) is soak}
        if not numbered:
            continue
        part = soak_folder(state, soak)
        part.write_plan({n: site.mutant for n, site in sites.items()})
        if not part.is_recorded:
            part.record(ROOT, [*soak.files, "-ptests.soak.parts", f"--soak-part=1/{soak.amount}"], (), jobs)
        attempt(part, numbered, jobs, SOAK_S)


def write_page(state: Path, sample: Sequence[sampling.Drawn], found: Sequence[tuple[str, Site]]) -> None:
    """Brings docs/mutants.json and docs/mutants.md up to date from what is known."""
    folder = Folder(state)
    verdicts = folder.verdicts()
    in_soaks = {
        number: (soak.name, verdict)
        for soak in {soak_of(site.mutant.path) for _, site in found}
        if (state / soak.name).exists()
        for number, verdict in soak_folder(state, soak).verdicts().items()
    }
    planned = [site.mutant for _, site in found]
    results = page.rows(planned, verdicts, in_soaks, page.read(RESULTS))
    page.write(RESULTS, results)
    PAGE.write_text(page.text(sample, results), encoding="utf-8")


def report(folder: Folder, sample: Sequence[sampling.Drawn], found: Mapping[int, tuple[str, Site]]) -> str:
    """The score in words, and which mutants no test noticed."""
    known = folder.verdicts()
    reached = {number for one in folder.reached() for number in one.mutants}
    counted = {
        number: known.get(number, Verdict(number, "undecided" if number in reached else "unreached"))
        for number in found
        if not sample[number].equivalent
    }
    killed = sum(one.is_killed for one in counted.values())
    undecided = sum(not one.is_decided for one in counted.values())
    lines = [f"{number}: {one.kind}: {found[number][1].mutant}" for number, one in counted.items() if not one.is_killed]
    ways = [way for number, (way, _) in found.items() if number in counted]
    failed = sorted(one.test for one in folder.reached() if not one.passed)
    lines += [f"fails without a mutant, and is left out: {name}" for name in failed]
    lines.append(
        f"{commit()[:10]}: {killed} of {len(counted)} mutants are killed: {killed / max(len(counted), 1):.1%} "
        f"({undecided} are not decided; {sum(bool(one.equivalent) for one in sample)} more are equivalent; "
        f"{sum(way not in ('here', 'gone') for way in ways)} were found where their code moved, {ways.count('gone')} "
        "whose code is gone have others in their place)"
    )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status: 1 where tests could not be run."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "mutants", help="what is known already")
    parser.add_argument("--count", type=int, default=SIZE, help="only the first of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument(
        "--quick", type=float, nargs="?", const=QUICK_S, metavar="S", help=f"only the cheapest tests, {QUICK_S:g} s"
    )
    parser.add_argument("--again", action="store_true", help="record tests that were added since, and try them")
    parser.add_argument("--soaks", action="store_true", help="try survivors in a part of their module's soak as well")
    parser.add_argument("--report", action="store_true", help="only print the score of what is known")
    parser.add_argument("--page", action="store_true", help="only write docs/mutants.md from what is known")
    parser.add_argument("--draw", action="store_true", help="draw the sample anew from this version of the code")
    options = parser.parse_args(arguments)
    if options.draw:
        sampling.write(sampling.draw(mutants(ROOT, FOLDERS), SIZE, SEED, sampling.read()))
        return 0
    try:
        sample = sampling.read()
        found = dict(list(enumerate(places(sample)))[: options.count])
        sites = {number: site for number, (_, site) in found.items()}
        folder = Folder(options.state)
        if options.page:
            write_page(options.state, sample, places(sample))
            return 0
        if not options.report:
            folder.write_plan({number: site.mutant for number, site in sites.items()})
            if options.again or not folder.is_recorded:
                folder.record(ROOT, TESTS, OTHER_ROOMS, options.jobs)
            attempt(folder, sites, options.jobs, options.quick or QUICK_S)
            if options.quick is None:
                attempt(folder, sites, options.jobs, inf)
            if options.soaks:
                attempt_in_soaks(options.state, folder, sites, options.jobs)
    except (MutantsError, ValueError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 1
    print(report(folder, sample, found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
