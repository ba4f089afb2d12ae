"""How fast a capture is read, next to reading its lines, and how fast sources are merged, next to `heapq.merge`."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.figures import Section, figure
from benchmarks.measure import Subject, measure
from hal.capture.vcd_reader import read_batches
from hal.capture.vcd_writer import CaptureLines, write_capture
from hal.merge import Merge
from hal.values import Batch, Edge
from simulators.roulette.fixed_script import fixed_roulette_script

CHUNK = 64
"""Edges that a source delivers at once."""

_edge_time = itemgetter(2)


def reading(rounds: int, repeats: int) -> Section:
    """Measures reading a capture of roulette rounds."""
    batches = [played.batch for played in fixed_roulette_script(rounds)]
    values = sum(len(batch.edges) for batch in batches)
    with _capture(batches) as path:
        decoded, bare = read_subject(path, values), _bare_lines(path, values)
        timings = measure([decoded, bare], repeats)
        size = path.stat().st_size
    return Section(
        "Reading a VCD capture",
        "values/s",
        f"{rounds} rounds of roulette in {size / 1e6:.1f} MB, {values:,} values",
        (figure(timings, decoded.name, bare.name),),
    )


def merging(rounds: int, repeats: int) -> Section:
    """Measures merging a rotor's source with that of the other lines."""
    edges = [edge for played in fixed_roulette_script(rounds) for edge in played.batch.edges]
    rotor = [edge for edge in edges if edge.line.startswith("rotor")]
    others = [edge for edge in edges if not edge.line.startswith("rotor")]
    ours, peer = merge_subject(rotor, others), _heapq(rotor, others)
    timings = measure([ours, peer], repeats)
    return Section(
        "Merging two sources by time",
        "edges/s",
        f"{len(edges):,} edges, delivered {CHUNK} at a time and taken at every delivery",
        (figure(timings, ours.name, peer.name, 0.5),),
    )


@contextmanager
def _capture(batches: Sequence[Batch]) -> Iterator[Path]:
    lines = sorted({edge.line for batch in batches for edge in batch.edges})
    with TemporaryDirectory(prefix="feltwire-bench-") as folder:
        path = Path(folder) / "roulette.vcd"
        write_capture(path, CaptureLines(wires=tuple(lines)), batches)
        yield path


def read_subject(path: Path, values: int) -> Subject:
    def run() -> int:
        return sum(len(batch.edges) for batch in read_batches(path))

    return Subject("read_batches", values, lambda: run, values)


def _bare_lines(path: Path, values: int) -> Subject:
    """The limit: the file's lines, one by one, and nothing done with them."""
    size = path.stat().st_size

    def run() -> int:
        line = b""
        with path.open("rb") as stream:
            for line in stream:  # noqa: B007 - the reading is what is timed
                pass
            return stream.tell()

    return Subject("reading its lines", values, lambda: run, size)


def merge_subject(rotor: list[Edge], others: list[Edge]) -> Subject:
    """`Merge`, fed in the order in which two live sources deliver."""
    deliveries = sorted(
        [("rotor", chunk) for chunk in _chunks(rotor)] + [("track", chunk) for chunk in _chunks(others)],
        key=lambda delivery: delivery[1][-1].t_ns,
    )
    end_ns = max(rotor[-1].t_ns, others[-1].t_ns)

    def ready() -> Callable[[], int]:
        merge = Merge()
        for name in ("rotor", "track"):
            merge.add(name)

        def run() -> int:
            taken = 0
            for name, chunk in deliveries:
                merge.deliver(name, chunk)
                merge.until(name, chunk[-1].t_ns)
                batch = merge.take()
                taken += 0 if batch is None else len(batch.edges)
            for name in ("rotor", "track"):
                merge.until(name, end_ns)
            batch = merge.take()
            return taken + (0 if batch is None else len(batch.edges))

        return run

    return Subject("Merge", len(rotor) + len(others), ready, len(rotor) + len(others))


def _heapq(rotor: list[Edge], others: list[Edge]) -> Subject:
    """The standard library's way, with everything at hand."""

    def run() -> int:
        taken = 0
        for _edge in heapq.merge(rotor, others, key=_edge_time):
            taken += 1
        return taken

    return Subject("heapq.merge, whole lists", len(rotor) + len(others), lambda: run, len(rotor) + len(others))


def _chunks(edges: list[Edge]) -> list[list[Edge]]:
    return [edges[start : start + CHUNK] for start in range(0, len(edges), CHUNK)]
