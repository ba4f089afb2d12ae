"""How fast the quadrature decoder is: next to a loop that does nothing, and next to gpiozero's."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import gpiozero_peer
from benchmarks.figures import Section, figure
from benchmarks.measure import Subject, measure
from drivers.wheel.encoder import Encoder
from drivers.wheel.quadrature import COUNTS_PER_SLOT, QuadratureDecoder
from hal.values import Edge

SLOTS = 100
"""Slots of the encoder: those of a money wheel."""

COUNT_NS = 100_000
"""Time from one count to the next: 10,000 edges/s."""

BATCH = 1000
"""Edges a batch."""

ALWAYS = 1 << 62
"""No limit of the count and no deadline."""

A, B, INDEX = "wheel_a", "wheel_b", "wheel_index"


def decoding(turns: int, repeats: int) -> Section:
    """Measures the decoder on a clean rotation."""
    edges = rotation(turns)
    bare, quadrature = bare_loop(edges), decoder(edges, turns)
    indexed = with_index(rotation(turns, index=True), turns)
    mock_pins = gpiozero_peer.mock_pins(edges, A, B)
    callbacks = gpiozero_peer.callbacks(edges, A, B, steps=turns * SLOTS)
    timings = measure([bare, quadrature, indexed, mock_pins, callbacks], repeats)
    return Section(
        "Quadrature decoding in batches",
        "edges/s",
        f"a clean rotation of {turns} turns, {SLOTS} slots: {len(edges):,} edges in batches of {BATCH}",
        (
            figure(timings, quadrature.name, bare.name, 0.05),
            figure(timings, quadrature.name, mock_pins.name, 10),
            figure(timings, quadrature.name, callbacks.name),
            figure(timings, indexed.name, bare.name),
            figure(timings, indexed.name, mock_pins.name),
        ),
    )


def rotation(turns: int, *, index: bool = False) -> list[Edge]:
    """The edges of a disc that turns evenly in the positive direction, from an unknown angle just before 0."""
    edges = [Edge(line, 0, 0) for line in ((A, B, INDEX) if index else (A, B))]
    for slot in range(turns * SLOTS):
        t_ns = (1 + COUNTS_PER_SLOT * slot) * COUNT_NS
        rise_a, rise_b = Edge(A, 1, t_ns), Edge(B, 1, t_ns + COUNT_NS)
        fall_a, fall_b = Edge(A, 0, t_ns + 2 * COUNT_NS), Edge(B, 0, t_ns + 3 * COUNT_NS)
        edges.append(rise_a)
        if index and slot % SLOTS == 0:
            # Three counts and a third wide.
            edges += (Edge(INDEX, 1, t_ns), rise_b, fall_a, fall_b, Edge(INDEX, 0, t_ns + 10 * COUNT_NS // 3))
        else:
            edges += (rise_b, fall_a, fall_b)
    return edges


def bare_loop(edges: list[Edge]) -> Subject:
    """The limit: a loop that unpacks the same tuples, and no more."""
    batches = _cut(edges)

    def run() -> int:
        t_ns = 0
        for batch in batches:
            for _line, _level, t_ns in batch:  # noqa: B007 - the unpacking is what is timed
                pass
        return t_ns

    return Subject("bare loop, same tuples", len(edges), lambda: run, edges[-1].t_ns)


def decoder(edges: list[Edge], turns: int) -> Subject:
    """`QuadratureDecoder.run` on each batch."""
    batches = _cut(edges)

    def ready() -> Callable[[], int]:
        quadrature = QuadratureDecoder(A, B)

        def run() -> int:
            for batch in batches:
                quadrature.run(iter(batch), -ALWAYS, ALWAYS, ALWAYS)
            return quadrature.count

        return run

    return Subject("QuadratureDecoder.run", len(edges), ready, turns * SLOTS * COUNTS_PER_SLOT)


def with_index(edges: list[Edge], turns: int) -> Subject:
    """`Encoder.run` on each batch, with the index checked at every turn."""
    batches = _cut(edges)
    width_deg = 10 / 3 * 360 / (SLOTS * COUNTS_PER_SLOT)

    def ready() -> Callable[[], int]:
        encoder = Encoder(A, B, INDEX, SLOTS, width_deg)

        def run() -> int:
            for batch in batches:
                # Nothing in a clean rotation is handed back: one call decodes a batch.
                encoder.run(iter(batch), -ALWAYS, ALWAYS, ALWAYS)
            index = encoder.index
            proven = index.slip is None and not index.missing and index.zero is not None
            return encoder.count if proven else -1

        return run

    return Subject("Encoder.run, with index", len(edges), ready, turns * SLOTS * COUNTS_PER_SLOT)


def _cut(edges: list[Edge]) -> list[list[Edge]]:
    return [edges[start : start + BATCH] for start in range(0, len(edges), BATCH)]
