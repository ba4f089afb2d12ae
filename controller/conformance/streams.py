"""A table's wires as one stream, cut into batches anyhow, and damaged."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from controller.bench.simulation import simulate
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of, table_for
from feed.events import Event, encode
from hal.capture.vcd_writer import CaptureLines
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Output, Rare

MS: Final = 1_000_000
LATE_NS: Final = 400 * MS
LEVEL: Final = "level_"
"""How the names of analogue lines begin."""


class Given(NamedTuple):
    """All that a table gives: its events and its outputs, as bytes and values."""

    events: list[bytes]
    outputs: list[Output]


def on_the_wires(config: TableConfig, fault: str, seed: int) -> tuple[Batch, list[bytes]]:
    """What was on the wires of a simulated table, answers of its devices too; and the events that it gave."""
    edges: list[Edge] = []
    rare: list[Rare] = []
    events: list[Event] = []
    until_ns = 0
    for played in simulate(config, 2, seed, {1: fault}):
        edges += played.batch.edges
        rare += played.batch.rare
        events += played.events
        until_ns = played.batch.until_ns
    return Batch(edges, rare, until_ns), [encode(event) for event in events]


def damaged(stream: Batch, rng: random.Random) -> Batch:
    """The stream with one link that falls silent or late, or one line that is lost for a while."""
    frames = sorted({value.link for value in stream.rare if isinstance(value, Frame)})
    lines = sorted({edge.line for edge in stream.edges})
    rare = list(stream.rare)
    if frames and rng.random() < 0.7:
        link = rng.choice(frames)
        own = [value for value in rare if isinstance(value, Frame) and value.link == link]
        if rng.random() < 0.5:
            silent = set(map(id, own[rng.randrange(min(len(own), 6)) :]))
            rare = [value for value in rare if id(value) not in silent]
        else:
            late = {id(value): value._replace(t_ns=min(value.t_ns + LATE_NS, stream.until_ns)) for value in own[2:]}
            rare = [late.get(id(value), value) for value in rare]
    elif lines:
        line, at_ns = rng.choice(lines), rng.randrange(stream.until_ns)
        rare.append(EdgesLost(line, rng.choice([Loss.UNPLUGGED, Loss.OVERFLOW]), at_ns))
    rare.sort(key=lambda value: value.t_ns)
    return Batch(stream.edges, rare, stream.until_ns)


def with_lost_edges(stream: Batch, rng: random.Random) -> Batch:
    """The stream without some edges of one line: it is unplugged for a while, or a few of them are lost."""
    line = rng.choice(sorted({edge.line for edge in stream.edges}))
    times = [edge.t_ns for edge in stream.edges if edge.line == line]
    first = rng.randrange(len(times))
    count = rng.choice((1, 2, 10, len(times)))
    lost = times[first : first + count]
    if rng.random() < 0.5:
        told = EdgesLost(line, Loss.UNPLUGGED, lost[0])
    else:
        told = EdgesLost(line, Loss.OVERFLOW, lost[0], len(lost))
    edges = [edge for edge in stream.edges if edge.line != line or not lost[0] <= edge.t_ns <= lost[-1]]
    rare = sorted([*stream.rare, told], key=lambda value: value.t_ns)
    return Batch(edges, rare, stream.until_ns)


def parts(stream: Batch, cuts: Sequence[int]) -> Iterator[Batch]:
    """The parts of a stream, each up to one of these times, and the last up to its end."""
    edge = value = 0
    for until_ns in [*cuts, stream.until_ns]:
        first_edge, first_value = edge, value
        while edge < len(stream.edges) and stream.edges[edge].t_ns <= until_ns:
            edge += 1
        while value < len(stream.rare) and stream.rare[value].t_ns <= until_ns:
            value += 1
        yield Batch(stream.edges[first_edge:edge], stream.rare[first_value:value], until_ns)


def fed(config: TableConfig, stream: Batch, cuts: Sequence[int]) -> Given:
    """What a fresh table gives of a stream that is cut at these times."""
    table = table_for(config, epoch="sim", simulated=True, opens=True)
    events = table.open(0)
    outputs = table.outputs()
    for part in parts(stream, cuts):
        events += table.feed(part)
        outputs += table.outputs()
    return Given([encode(event) for event in events], outputs)


def at_random(stream: Batch, rng: random.Random) -> list[int]:
    """A few dozen cuts anywhere, and some at the very time of a value or just before it."""
    times = [value.t_ns for value in (*stream.edges, *stream.rare)] or [0]
    anywhere = [rng.randrange(stream.until_ns) for _ in range(40)]
    near = [max(0, rng.choice(times) - rng.randrange(2)) for _ in range(40)]
    return sorted({*anywhere, *near} - {stream.until_ns})


def ticks(stream: Batch, every_ns: int) -> list[int]:
    """A cut at each tick."""
    return list(range(every_ns, stream.until_ns, every_ns))


def capture_lines(config: TableConfig, seed: int) -> CaptureLines:
    """The lines of a simulated table, as a capture declares them."""
    lines = geometry_of(config).simulator(seed).lines
    readings = tuple(line for line in lines if line.startswith(LEVEL))
    links = tuple(line for line in lines if line in config.uses and config.uses[line].kind == "link")
    wires = tuple(line for line in lines if line not in readings and line not in links)
    return CaptureLines(wires=wires, reals=readings, links=links, metadata={"detects_loss": "yes"})


def body(event: bytes) -> bytes:
    """The body of an event without the attributes that name the epoch: what a replay has of it, too."""
    return event[event.index(b'"data":') :].replace(b'"epoch":"replay"', b'"epoch":"sim"')
