"""The boards' firmware, emulated: how many edges it takes, how well it dates them, how soon it answers, what it costs.

The real binary of the wheel board runs in its emulated chip, and what it says goes through pyserial and the clock map
to edges in the host's time. All but the factors is in virtual time: the same figures on any computer.

They are compared with a firmware that sends one frame of 12 bytes for each edge over the same 250,000 baud, on the
same emulator. The factors are seconds of the board in a second of this thread's core, so they are this machine's; those
of the peer were measured on two cores of a Xeon at 2.5 GHz. Its round trips were paced by a clock of 1 ms.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import thread_time

from rich.console import Console

from benchmarks.board_rig import BEGINS_NS, WHEEL, Heard, hear
from benchmarks.figures import Quantity, ReportLine
from benchmarks.measure import WrongWorkError
from benchmarks.report import print_lines
from hal.board import frames
from hal.board.edge_stream import unpack
from hal.board.messages import REPORTS, AliveCommand, EdgesReport, OpenCommand, WatchCommand
from hal.clock import NS_PER_S
from hal.values import Batch, Edge
from simulators.board.adapter import EXACT, Adapter
from simulators.board.emulated import EmulatedBoard
from simulators.board.lines_to_pins import LinesPlayer, wired_in_order
from tests.fakes.adapters import FTDI, QUICK_FTDI

FIRMWARE = Path(__file__).resolve().parents[1] / "firmware"
ELF = FIRMWARE / "build" / "wheel.elf"
PICO_ELF = FIRMWARE / "build" / "rp2040" / "wheel.elf"
PICO_RATE = 20_000
"""What it is asked to carry; its limit is in docs/boards-pico.md."""
PICO_SHARE = 10
"""Its emulator takes some hundred times as long: of edges and seconds it gets one in this many (ours)."""
LINES = ("wheel_a", "wheel_b")
MS_NS = 1_000_000
US_NS = 1_000
STEP_NS = 20 * MS_NS
ASK_NS = 7_300_000
"""Between two commands: no multiple of anything that the board does."""
ASK_SLOWLY_NS = 73_300_000
"""So too, where an answer may be 20 ms under way: a command waits for the answer to the one before."""
MOST_ERROR_US = 500
"""Of half the edges behind an adapter that passes bytes on within 1 ms. Where it holds them for 16 ms no comparison of
clocks can find by how much one way is slower, so only the bound that the lines state is shown."""
RATE_STEP = 100
"""To this many edges a second the limit is found."""
LEAST_RATE, MOST_RATE = 2_000, 12_000
BURST, BURST_PER_S = 60, 50_000


@dataclass(frozen=True, slots=True)
class BoardSizes:
    """How much is measured."""

    seconds: float = 20.0
    """Of virtual time, for the sustained rate and the factors."""
    try_seconds: float = 3.0
    """For each rate that is tried: what is too much fills the board's store in less."""
    edges: int = 3_000
    """Whose times are compared."""
    bursts: int = 50
    idle_seconds: float = 2_000.0


BOARDS_SMALLEST = BoardSizes(seconds=0.5, try_seconds=1.0, edges=50, bursts=1, idle_seconds=5.0)
"""Shows that everything works; its factors mean nothing."""


@dataclass(frozen=True, slots=True)
class OneFrameAnEdge:
    """The same figures of a firmware that sends a frame for each edge."""

    edges_s: float = 2_080
    bytes_an_edge: float = 12
    error_p50_us: float = 0.3
    error_p99_us: float = 4.4
    """3 to 4.4, by run."""
    error_max_us: float = 5.2
    answer_p50_ms: float = 2.0
    answer_max_ms: float = 5.3
    idle: float = 1_900
    slow: float = 31
    """At 500 edges/s, with a parser in Python at the wire."""
    fast: float = 8.8
    """At 2,000 edges/s, so too."""


PEER = OneFrameAnEdge()


def board_lines(sizes: BoardSizes) -> Iterator[ReportLine]:
    """Measures one thing after the other.

    Raises:
        WrongWorkError: an edge was lost where none may be, or another came than was driven.
    """
    subprocess.run(["make", "-s", "-C", str(FIRMWARE), "build/wheel.elf", "build/libsimboard.so"], check=True)
    with tempfile.TemporaryDirectory(prefix="board-bench-") as name:
        path = Path(name) / "port"
        yield from _rate_lines(path, sizes)
        yield from _burst_lines(path, sizes)
        yield from _time_lines(path, sizes, EXACT, "bare wire")
        yield from _time_lines(path, sizes, QUICK_FTDI, "FTDI adapter, latency_timer 1", MOST_ERROR_US)
        yield from _time_lines(path, sizes, FTDI, "FTDI adapter, latency_timer 16")
        yield from _factor_lines(path, sizes)
        yield from _pico_lines(path, sizes)


# --- edges ------------------------------------------------------------------------------------------------------------


def steady(lines: Sequence[str], per_s: float, seconds: float) -> list[Edge]:
    """One line after the other changes, evenly, this often a second."""
    period_ns = NS_PER_S / per_s
    return [
        Edge(lines[i % len(lines)], 1 - i // len(lines) % 2, BEGINS_NS + round(i * period_ns))
        for i in range(round(per_s * seconds))
    ]


def bursts(lines: Sequence[str], count: int) -> list[Edge]:
    """Groups of `BURST` even edges, with 50 ms of quiet between them."""
    group = steady(lines, BURST_PER_S, BURST / BURST_PER_S)
    apart_ns = group[-1].t_ns - BEGINS_NS + 50 * MS_NS
    return [edge._replace(t_ns=edge.t_ns + i * apart_ns) for i in range(count) for edge in group]


def at_random(lines: Sequence[str], count: int, draw: Random) -> list[Edge]:
    """Edges from 50 µs to 4 ms after one another, one line after the other: in no step with the chip."""
    edges, t_ns = [], BEGINS_NS
    for i in range(count):
        t_ns += draw.randint(50 * US_NS, 4 * MS_NS)
        edges.append(Edge(lines[i % len(lines)], 1 - i // len(lines) % 2, t_ns))
    return edges


def play(path: Path, edges: list[Edge], adapter: Adapter = EXACT, ask_every_ns: int = 0, elf: Path = ELF) -> Heard:
    """What the host hears of edges at the pins of a new board."""
    with EmulatedBoard(elf) as chip:
        return hear(chip, path, LINES, _batches(edges), edges[-1].t_ns, adapter=adapter, ask_every_ns=ask_every_ns)


def must_be_all(heard: Heard, edges: Sequence[Edge]) -> None:
    """Every edge came, once, with its level, and none is reported as lost.

    Raises:
        WrongWorkError: it is not so.
    """
    came = [(edge.line, edge.level) for edge in heard.edges]
    if heard.lost or heard.missing or came != [(edge.line, edge.level) for edge in edges]:
        raise WrongWorkError(
            f"boards: expected {len(edges)} edges without loss, saw {len(came)}, {heard.missing} missing and "
            f"{len(heard.lost)} losses reported; the figures mean nothing until that is fixed"
        )


def _batches(edges: Sequence[Edge]) -> Iterator[Batch]:
    for begin in range(0, len(edges), 500):
        some = list(edges[begin : begin + 500])
        yield Batch(some, [], some[-1].t_ns)


# --- what is measured -------------------------------------------------------------------------------------------------


def _rate_lines(path: Path, sizes: BoardSizes) -> Iterator[ReportLine]:
    least, most = LEAST_RATE, MOST_RATE
    while most - least > RATE_STEP:
        rate = (least + most) // 2 // RATE_STEP * RATE_STEP
        heard = play(path, steady(LINES, rate, sizes.try_seconds))
        least, most = (least, rate) if heard.lost or heard.missing else (rate, most)
    edges = steady(LINES, least, sizes.seconds)
    heard = play(path, edges)
    must_be_all(heard, edges)
    yield ReportLine(
        "edges/s without loss",
        Quantity(least, "edges/s"),
        _of_peer(PEER.edges_s, "edges/s"),
        least / PEER.edges_s,
        more_is_better=True,
    )
    an_edge = heard.edge_bytes / len(heard.numbers)
    yield ReportLine(
        "bytes an edge, at that rate",
        Quantity(an_edge, "bytes", ".2f"),
        _of_peer(PEER.bytes_an_edge, "bytes"),
        an_edge / PEER.bytes_an_edge,
    )


def _burst_lines(path: Path, sizes: BoardSizes) -> Iterator[ReportLine]:
    edges = bursts(LINES, sizes.bursts)
    heard = play(path, edges)
    must_be_all(heard, edges)
    worst = max(abs(ours.t_ns - true.t_ns) for ours, true in zip(heard.edges, edges, strict=True))
    yield ReportLine(
        f"bursts of {BURST} at {BURST_PER_S // 1000} kHz", f"{sizes.bursts} whole", "one frame an edge: whole"
    )
    yield ReportLine("  error of their times", Quantity(worst / US_NS, "µs", ".1f", "at most"))


def _time_lines(
    path: Path, sizes: BoardSizes, adapter: Adapter, through: str, most_us: int | None = None
) -> Iterator[ReportLine]:
    edges = at_random(LINES, sizes.edges, Random(1))
    bare = adapter is EXACT
    heard = play(path, edges, adapter, ASK_NS if bare else ASK_SLOWLY_NS)
    must_be_all(heard, edges)
    errors = sorted(abs(ours.t_ns - true.t_ns) / US_NS for ours, true in zip(heard.edges, edges, strict=True))
    name, spread = f"{through}: error of times", _spread(errors, "µs")
    if most_us is None:
        yield ReportLine(name, spread, _of_peer_times() if bare else "")
    else:
        goal = Quantity(most_us, "µs", label="half within")
        yield ReportLine(name, spread, goal, spread[0].number / most_us, 1.0)
    stated = max(heard.errors_ns) / US_NS
    if errors[-1] > stated:
        raise WrongWorkError(f"boards: a time is wrong by {errors[-1]:.2f} µs, the lines state {stated:.2f} at most")
    yield ReportLine(f"{through}: bound that the lines state", Quantity(stated, "µs", ".1f", "clock, latency"))
    trips = sorted(trip_ns / MS_NS for trip_ns in heard.round_trips_ns)
    beside = f"p50 {PEER.answer_p50_ms:.1f}, max {PEER.answer_max_ms:.1f}" if bare else ""
    yield ReportLine(f"{through}: command to answer", _spread(trips, "ms"), beside)


def _factor_lines(path: Path, sizes: BoardSizes) -> Iterator[ReportLine]:
    idle = _alone(sizes.idle_seconds)
    yield _factor_line("times real time: idle", idle, PEER.idle, ",.0f")
    for per_s, peer in ((500, PEER.slow), (2_000, PEER.fast)):
        factor = _with_parser(per_s, sizes.seconds)
        yield _factor_line(f"  {per_s:,} edges/s, frames parsed", factor, peer, ",.1f")
    for per_s in (500, 2_000):
        edges = steady(LINES, per_s, sizes.seconds)
        begin = thread_time()
        heard = play(path, edges)
        took = thread_time() - begin
        must_be_all(heard, edges)
        whole_way = Quantity(edges[-1].t_ns / NS_PER_S / took, "x", ",.1f")
        yield ReportLine(f"  {per_s:,} edges/s, through pyserial", whole_way, more_is_better=True)


def _pico_lines(path: Path, sizes: BoardSizes) -> Iterator[ReportLine]:
    """The same of a Pico, at a rate that it must carry; nothing where its compiler or its emulator is not installed."""
    if not all(map(shutil.which, ("arm-none-eabi-gcc", "node", "npm"))):
        return
    subprocess.run(["make", "-s", "-C", str(FIRMWARE), "pico-emulator", f"build/rp2040/{PICO_ELF.name}"], check=True)
    edges = steady(LINES, PICO_RATE, sizes.seconds / PICO_SHARE)
    must_be_all(play(path, edges, elf=PICO_ELF), edges)
    yield ReportLine(
        "Pico: edges/s without loss",
        Quantity(PICO_RATE, "edges/s"),
        _of_peer(PEER.edges_s, "edges/s"),
        PICO_RATE / PEER.edges_s,
        more_is_better=True,
    )
    edges = at_random(LINES, sizes.edges // PICO_SHARE, Random(1))
    heard = play(path, edges, elf=PICO_ELF)
    must_be_all(heard, edges)
    errors = sorted(abs(ours.t_ns - true.t_ns) / US_NS for ours, true in zip(heard.edges, edges, strict=True))
    yield ReportLine("Pico, bare wire: error of times", _spread(errors, "µs"), _of_peer_times())


def _factor_line(name: str, factor: float, peer: float, form: str) -> ReportLine:
    return ReportLine(name, Quantity(factor, "x", form), _of_peer(peer, "x"), factor / peer, more_is_better=True)


def _of_peer(number: float, unit: str) -> Quantity:
    return Quantity(number, unit, ",g", "one frame an edge")


def _alone(seconds: float) -> float:
    """A board to which nobody speaks."""
    with EmulatedBoard(ELF) as chip:
        begin = thread_time()
        chip.run_until(round(seconds * NS_PER_S))
        return seconds / (thread_time() - begin)


def _with_parser(per_s: int, seconds: float) -> float:
    """A board with edges, whose frames are taken apart by Python at the very wire: no port, no loop."""
    edges = steady(LINES, per_s, seconds)
    end_ns, told = edges[-1].t_ns + 100 * MS_NS, 0
    with EmulatedBoard(ELF) as chip:
        player = LinesPlayer(chip, wired_in_order(WHEEL, LINES), _batches(edges))
        begun, said = b"", 0
        begin = thread_time()
        chip.run_until(100 * MS_NS)  # by then it listens
        for number, command in enumerate((OpenCommand(1), WatchCommand(0b11, 0))):
            chip.receive(frames.encode(number, command))
            chip.run_until(chip.now_ns + 10 * MS_NS)
        while chip.now_ns < end_ns:
            player.play_until(chip.now_ns + 2 * STEP_NS)
            if chip.now_ns // (100 * MS_NS) > said:
                said += 1
                chip.receive(frames.encode(1 + said % 255 or 1, AliveCommand()))
            chip.run_until(chip.now_ns + STEP_NS)
            *pieces, begun = (begun + bytes(byte for _, byte in chip.take_sent())).split(b"\0")
            for frame in map(frames.decode, filter(None, pieces)):
                if REPORTS.get(frame.id) is EdgesReport:
                    told += len(unpack(EdgesReport.unpack(frame.fields)))
        took = thread_time() - begin
    if told != len(edges) + len(LINES):
        raise WrongWorkError(f"boards: expected {len(edges) + len(LINES)} edges at the wire, saw {told}")
    return end_ns / NS_PER_S / took


# --- the report ------------------------------------------------------------------------------------------------------


def _spread(values: Sequence[float], unit: str) -> tuple[Quantity, ...]:
    """Half of them, 99 of 100, all."""
    found = {"p50": values[len(values) // 2], "p99": values[len(values) * 99 // 100], "max": values[-1]}
    return tuple(Quantity(number, unit, ".2f", label) for label, number in found.items())


def _of_peer_times() -> str:
    return f"p50 {PEER.error_p50_us}, p99 {PEER.error_p99_us}, max {PEER.error_max_us}"


def print_boards(console: Console, sizes: BoardSizes) -> list[ReportLine]:
    """Prints each line as it is measured; about half a minute."""
    return print_lines(
        console, "The boards: the real firmware in its emulated chip / one frame an edge", board_lines(sizes)
    )


if __name__ == "__main__":
    print_boards(Console(), BoardSizes())
