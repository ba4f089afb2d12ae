"""`python -m benchmarks`: prints every figure next to its peer. A missed target is shown; it is not an error."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from time import perf_counter

from rich.console import Console


def main() -> None:
    """Measures everything, with the progress on a terminal, and prints the report."""
    if find_spec("gpiozero") is None:
        sys.exit("benchmarks: gpiozero, the peer to measure against, is not installed; run `pip install -e .[dev]`")
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
            done.append(section)
            status.update(f"measured: {section.title}")
    print_report(Console(width=WIDTH), done, sizes.repeats, perf_counter() - begin)
    print_boards(Console(), BoardSizes())
    print_service(Console(), ServiceSizes())
    print_scoreboard(Console(), ScoreboardSizes())
    print_statistics(Console(), StatisticsSizes())


if __name__ == "__main__":
    main()
