"""`python -m tests.soak`: runs the soaks, and continues where an earlier run was interrupted."""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import sys
from pathlib import Path

from hal.clock import SystemClock
from tests.soak import proofs, source
from tests.soak.catalogue import BESIDE, SOAKS, Soak
from tests.soak.records import Folder, SoakError
from tests.soak.runner import Orders, Processes, Runner, duration

STATE = source.ROOT / "build" / "soak"
FIGURES = source.ROOT / "docs" / "proofs.json"
PAGE = source.ROOT / "docs" / "proofs.md"
UNFINISHED = source.ROOT / "docs" / "proofs-unfinished.jsonl"


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


_positive.__name__ = "number above 0"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    made.add_argument("--list", action="store_true", help="list the soaks, and run nothing")
    made.add_argument("--proofs", action="store_true", help="write docs/proofs.md from the records, and run nothing")
    made.add_argument("--only", action="append", metavar="NAME", default=[], help="run this soak; may be repeated")
    made.add_argument("--count", type=_positive, metavar="N", help="run this much of each instead of the whole")
    made.add_argument(
        "--jobs", type=_positive, metavar="N", default=os.cpu_count() or 1, help="processes at a time (%(default)s)"
    )
    made.add_argument("--state", type=Path, metavar="DIR", default=STATE, help="where pieces are recorded (build/soak)")
    made.add_argument("--keep", action="store_true", help="count pieces that were recorded on other code")
    made.add_argument("--again", action="store_true", help="repeat pieces that failed")
    return made


def chosen(names: list[str]) -> list[Soak]:
    """The soaks of these names, in the catalogue's order; all where none is named.

    Raises:
        SoakError: there is none of a name.
    """
    unknown = set(names) - {soak.name for soak in SOAKS}
    if unknown:
        raise SoakError(f"no soak is named {', '.join(sorted(unknown))}; --list shows their names")
    return [soak for soak in SOAKS if not names or soak.name in names]


def _print(line: str) -> None:
    print(line, flush=True)


def _list(soaks: list[Soak], jobs: int) -> None:
    for soak in soaks:
        cpu, elapsed = (duration(one) if one else "unknown" for one in (soak.cpu_s, soak.elapsed_s))
        times = f"{cpu:>10} {elapsed:>10}"
        print(f"{soak.name:22} {soak.amount:>9,} {soak.unit:7} {times}  {soak.title}")
    beside = [soak.name for soak in soaks if soak.name in BESIDE]
    others = [soak for soak in soaks if soak.name not in BESIDE]
    elapsed_s = sum(soak.elapsed_s for soak in others)
    print(
        f"\nProcessor time, and time of the pieces one after the other. "
        f"Together{', except for ' + ' and '.join(beside) if beside else ''}: "
        f"{duration(sum(soak.cpu_s for soak in others))} of processor time, {duration(elapsed_s / jobs)} with "
        f"{jobs} at a time."
    )


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0: all that is wanted is recorded, and nothing failed; 1: something failed; 2: it cannot run."""
    given = parser().parse_args(arguments)
    try:
        soaks = chosen(given.only)
        if given.list:
            _list(soaks, given.jobs)
            return 0
        if given.proofs:
            folder = Folder(given.state)
            proofs.resume(folder, UNFINISHED)
            proofs.update(folder, SOAKS, FIGURES, PAGE, UNFINISHED)
            print(f"written: {PAGE.relative_to(source.ROOT)}")
            return 0
        if importlib.util.find_spec("pytest") is None:
            raise SoakError(f"{sys.executable} has no pytest; install what the soaks need with: make tools")
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        clock = SystemClock()
        wanted = [(soak, given.count or soak.amount) for soak in soaks]
        orders = Orders(wanted, given.jobs, given.keep, given.again)
        with Folder(given.state) as folder:
            proofs.resume(folder, UNFINISHED)
            complete = Runner(folder, orders, Processes(source.ROOT, clock), clock, _print).run()
    except SoakError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("soak: interrupted; the next run goes on from here", file=sys.stderr)
        return 130
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
