"""`python -m benchmarks`: prints every figure next to its peer. A missed target is shown; it is no error."""

from __future__ import annotations

from time import perf_counter

from rich.console import Console

from benchmarks.report import WIDTH, print_report
from benchmarks.suite import Sizes, sections


def main() -> None:
    """Measures everything, with the progress on a terminal, and prints the report."""
    sizes = Sizes()
    begin = perf_counter()
    done = []
    with Console(stderr=True).status("measuring the first section") as status:
        for section in sections(sizes):
            done.append(section)
            status.update(f"measured: {section.title}")
    print_report(Console(width=WIDTH), done, sizes.repeats, perf_counter() - begin)


if __name__ == "__main__":
    main()
