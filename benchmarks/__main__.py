"""`python -m benchmarks`: prints every figure next to its peer, and ends with those that miss their goal.

The exit status is 1 where a goal is missed. `--json` keeps the run by commit and machine; `history` shows what is kept,
and `compare` runs two commits in turns.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from rich.console import Console

from benchmarks import compare, history, records, small
from benchmarks.compare import LEAST_BLOCKS, CompareError
from benchmarks.compiled import start_again, with_plain
from benchmarks.measure import WrongWorkError
from benchmarks.parts import PARTS
from benchmarks.records import Begun, KeptFigure, RecordError
from benchmarks.report import print_lines
from benchmarks.small import SmallSizes
from benchmarks.small_core import SmallCoreError, small_core
from controller.packages.compiled import MixedCodeError
from systemd.package.systems import BuildError
from tests.soak.source import CHANGED, commit

MOST_LOAD = 0.3
"""Above it something else runs, and figures of time are not those of the machine (ours)."""


def _not_given() -> list[KeptFigure]:
    raise TypeError("nothing was given that measures")


def main(
    arguments: list[str] | None = None,
    *,
    on_compiled: Callable[[], None] | None = None,
    measure: Callable[[], list[KeptFigure]] = _not_given,
) -> int:
    """Returns the exit status: 1 where a goal is missed or a history cannot be used.

    `on_compiled` starts this program again on compiled modules, where they can be made, and `measure` measures: both
    are given below, so that no test that imports this measures for minutes.
    """
    options = _parser().parse_args(arguments)
    try:
        if on_compiled is not None and options.command is None and not options.plain:
            on_compiled()
        if options.command == "history":
            return _history(options)
        if options.command == "compare":
            return _compare(options)
        if options.command == "small":
            return _small(options)
        return _measure(options, measure)
    except (RecordError, WrongWorkError, CompareError, SmallCoreError, MixedCodeError, BuildError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("benchmarks: interrupted; nothing is left over", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        type=Path,
        nargs="?",
        const=records.FILE,
        help=f"add the run to this history, a line of JSON; without FILE to {records.FILE.parent.name}/history.jsonl",
    )
    parser.add_argument("--plain", action="store_true", help="measure plain Python, and no compiled modules")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    shown = commands.add_parser(
        "history", help="what is kept of runs", description=history.__doc__, formatter_class=parser.formatter_class
    )
    shown.add_argument(
        "figure", metavar="FIGURE", nargs="?", help="part of the name of a figure, such as 'money wheel'"
    )
    shown.add_argument("--file", metavar="FILE", type=Path, default=records.FILE, help="another history")
    compared = commands.add_parser(
        "compare", help="two commits in turns", description=compare.__doc__, formatter_class=parser.formatter_class
    )
    compared.add_argument("a", metavar="A", help="a commit, such as main")
    compared.add_argument("b", metavar="B", help="another one, such as HEAD")
    compared.add_argument(
        "--figure",
        metavar="FIGURE",
        help=f"part of a figure's name, or one of {', '.join(PARTS)}; without it, all that take seconds",
    )
    compared.add_argument("--blocks", metavar="N", type=int, default=LEAST_BLOCKS, help="of four runs (%(default)s)")
    smaller = commands.add_parser(
        "small",
        help="what a table costs at a part of one core, and how many fit a small Pi",
        description=small.__doc__,
        formatter_class=parser.formatter_class,
    )
    sizes = SmallSizes()
    smaller.add_argument(
        "--share", metavar="SHARE", type=float, default=sizes.share, help="of one core, from 0.1 to 1 (%(default)s)"
    )
    smaller.add_argument(
        "--mips", metavar="MIPS", type=float, help="of this core by `7z b -mmt1`, where 7-zip is not installed"
    )
    smaller.add_argument("--write", action="store_true", help=f"put the table into docs/{small.PAGE.name}")
    return parser


def _history(options: argparse.Namespace) -> int:
    runs = records.read(options.file)
    if not runs:
        print(f'{options.file}: no run is kept yet; `make bench BENCH="--json"` keeps one')
        return 0
    lines = [*(history.overview(runs) if options.figure is None else history.tables(runs, options.figure))]
    if not lines:
        raise RecordError(f"no figure has {options.figure!r} in its name; without a FIGURE all names are shown")
    print("\n".join(lines).rstrip())
    return 0


def _compare(options: argparse.Namespace) -> int:
    print(*compare.compare(options.a, options.b, options.figure, options.blocks), sep="\n")
    return 0


def _small(options: argparse.Namespace) -> int:
    load = os.getloadavg()[0]
    if options.write and load > MOST_LOAD:
        raise SmallCoreError(
            f"load {load:.2f}: something else runs, and the page has figures of an idle computer alone"
        )
    sizes = SmallSizes(share=options.share)
    with small_core(options.share) as core:
        mips = options.mips or small.mips_of_this_core()
        if mips is None:
            # Asked for before anything is measured, which takes minutes.
            fix = "apt install 7zip, or give --mips"
            raise SmallCoreError(f"7-zip, by which a Pi's core is compared, is not installed; {fix}")
        costs = small.measured(core, sizes)
    print_lines(
        Console(), f"At {options.share:.0%} of one core, load {load:.2f}", small.small_lines(costs, sizes.share)
    )
    section = small.fit_table(costs, mips, sizes.share, records.this_machine(), commit())
    if options.write:
        small.PAGE.write_text(small.written(small.PAGE.read_text(), section))
        print(f"\nwritten to {small.PAGE}")
    else:
        print(f"\n{section}")
    return 0


def _measure(options: argparse.Namespace, measure: Callable[[], list[KeptFigure]]) -> int:
    if find_spec("gpiozero") is None:
        sys.exit("benchmarks: gpiozero, the peer to measure against, is not installed; run `pip install -e .[dev]`")
    begun: Begun | None = None
    if options.json is not None:
        # What cannot be kept is refused before minutes are spent.
        records.read(options.json)
        begun = records.begin(commit(), CHANGED)
    figures = measure()
    if begun is not None:
        records.append(begun.ended(figures), options.json)
        print(f"\nkept in {options.json}; `python -m benchmarks history` shows it")
        if begun.load > MOST_LOAD:
            print(f"The machine was not idle (load {begun.load:.2f}): take ratios, and no times.")
    promised = sum(figure.goal is not None for figure in figures)
    missed = records.missed(figures)
    if missed:
        print(f"\n{len(missed)} of {promised} goals are MISSED:", *missed, sep="\n  ")
        return 1
    print(f"\nAll {promised} goals are met.")
    return 0


def _all_figures() -> list[KeptFigure]:
    """Measures everything, with the progress on a terminal, and prints the report."""
    from benchmarks.boards import BoardSizes, print_boards
    from benchmarks.report import WIDTH, print_report
    from benchmarks.scoreboard_bench import ScoreboardSizes, print_scoreboard
    from benchmarks.service_bench import ServiceSizes, print_service
    from benchmarks.statistics_bench import StatisticsSizes, print_statistics
    from benchmarks.suite import SuiteSizes, sections

    sizes = SuiteSizes()
    begin = perf_counter()
    done = []
    with Console(stderr=True).status("measuring: about a minute") as status:
        for section in sections(sizes):
            done.append(with_plain(section))
            status.update(f"measured: {section.title}")
    print_report(Console(width=WIDTH), done, sizes.repeats, perf_counter() - begin)
    console = Console()
    return [
        *(figure for section in done for figure in records.of_section(section)),
        *records.of_lines("Boards", print_boards(console, BoardSizes())),
        *records.of_lines("Service", print_service(console, ServiceSizes())),
        *records.of_lines("Scoreboard", print_scoreboard(console, ScoreboardSizes())),
        *records.of_lines("Statistics", print_statistics(console, StatisticsSizes())),
    ]


if __name__ == "__main__":
    sys.exit(main(on_compiled=start_again, measure=_all_figures))
