"""The fixed scripts whose costs are kept: each is deterministic, whatever its files, sockets and threads do meanwhile.

Here are the tables, events and pages; `service_scripts` has what is around them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import zmq

from audit.records import Entry
from benchmarks.captures import merge_subject
from benchmarks.decoding import decoder, rotation
from benchmarks.measure import Subject
from benchmarks.scoreboard_bench import played_events
from benchmarks.simulation import simulated
from benchmarks.tables import outcomes, simulated_table
from benchmarks.verdicts import simulated_rounds, to_verdicts
from controller.bench.replay import replay
from controller.games.assembly import geometry_of, table_for
from controller.games.load import check_text
from controller.journal.store import Store
from controller.journal.writer import AtOnce, Done
from controller.service.counters import ServiceCounters
from controller.service.pipeline import Pipeline
from feed.endpoints import Endpoints
from feed.publisher import Publisher
from feed.state import TableState
from feed.subscriber import Fact
from hal.capture.vcd_writer import CaptureLines, write_capture
from hal.clock import VirtualClock
from hal.loop import run_virtual, sleep_ns
from hal.values import Edge
from scoreboard.gateway import Gateway, _Page
from scoreboard.hall import Hall
from simulators.roulette.fixed_script import fixed_roulette_script
from tests.costs import service_scripts

TURNS = 5
"""Of the encoder."""


class Script(NamedTuple):
    """One script."""

    per: str
    """What its figures are for."""
    subject: Callable[[], AbstractContextManager[Subject]]
    """Builds what is run; `amount` is how much of it there is."""
    unit: int
    """By how much of the amount the figures are stated."""
    hot: str
    """A method in its hot path, `module:Class.method`: where the guard's own test plants a loss."""


def _decoding() -> Subject:
    edges = rotation(TURNS)
    return decoder(edges, TURNS)


def _money_wheel() -> Subject:
    config = simulated_table("money_wheel")
    return to_verdicts(config, simulated_rounds(config, 1), 1)


def _roulette() -> Subject:
    return to_verdicts(simulated_table("roulette"), [played.batch for played in fixed_roulette_script(1)], 1)


def _roulette_level() -> Subject:
    config = simulated_table("roulette")
    return to_verdicts(config, simulated_rounds(config, 1), 1)


def _pegs() -> Subject:
    report = check_text(
        """
        [table]
        id = "costs-1"
        game = "money_wheel"
        no_more_bets = "auto"
        [lines]
        backend = "sim"
        [device.wheel]
        sensing = "pegs"
        peg_direction = "positive"
        accept_pegs = true
        """
    )
    (config,) = report.tables
    return to_verdicts(config, simulated_rounds(config, 1), 1)


def _played(game: str, rounds: int) -> Subject:
    """Rounds that the simulator makes, and the table judges."""
    config = simulated_table(game)

    def ready() -> Callable[[], int]:
        table = table_for(config, epoch="sim", simulated=True)
        said = table.open(0)
        simulator = geometry_of(config).simulator(1)

        def run() -> int:
            said.extend(table.feed(simulator.start()))
            for _ in range(rounds):
                said.extend(table.feed(simulator.round().batch))
            return outcomes(said)

        return run

    return Subject(game, rounds, ready, rounds)


def _merge() -> Subject:
    edges = [edge for played in fixed_roulette_script(1) for edge in played.batch.edges]
    return merge_subject([edge for edge in edges if _of_rotor(edge)], [edge for edge in edges if not _of_rotor(edge)])


def _of_rotor(edge: Edge) -> bool:
    return edge.line.startswith("rotor")


@contextmanager
def _capture() -> Iterator[Subject]:
    batches = [played.batch for played in fixed_roulette_script(1)]
    lines = tuple(sorted({edge.line for batch in batches for edge in batch.edges}))
    config = simulated_table("roulette")
    with TemporaryDirectory(prefix="feltwire-costs-") as folder:
        path = Path(folder) / "roulette.vcd"
        write_capture(path, CaptureLines(wires=lines), batches)

        def run() -> int:
            return sum(outcomes(events) for events in replay(config, [path]))

        yield Subject("capture", sum(len(batch.edges) for batch in batches), lambda: run, 1)


class _AtOnceStore:
    """A journal without its thread: what is submitted is in the store at once, and then reported."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def submit(self, entries: Sequence[Entry], done: Done, at_once: AtOnce | None = None) -> None:
        (heads,) = self._store.append([entries])
        if at_once is not None:
            at_once(heads)
        done(heads)


@contextmanager
def _event() -> Iterator[Subject]:
    events = [event for _, event, _ in played_events(1, 10)]
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    made: list[Publisher] = []

    def ready() -> Callable[[], int]:
        clock = VirtualClock()
        store = service_scripts.store(service_scripts.MEMORY, sqlite3.connect(":memory:", isolation_level=None))
        # Not bound: libzmq drops what is sent to no subscriber.
        publisher = Publisher(context, Endpoints.parse("ipc:///nowhere"))
        made.append(publisher)
        pipeline = Pipeline(
            _AtOnceStore(store), publisher, clock, ServiceCounters(), heads={}, halted=lambda failure: None
        )

        def run() -> int:
            for event in events:
                pipeline.put([event])
            return publisher.published if store.written == len(events) else -1

        return run

    try:
        yield Subject("event", len(events), ready, len(events))
    finally:
        for publisher in made:
            publisher.close()
        context.destroy(linger=0)


class _StandInTransport:
    """The connection of a browser that takes every frame at once."""

    def __init__(self) -> None:
        self.taken = 0

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return False

    def write(self, _frame: bytes) -> None:
        self.taken += 1


@contextmanager
def _delivery(clients: int) -> Iterator[Subject]:
    played = [(name, event) for name, event, _ in played_events(2, 3)]

    def ready() -> Callable[[], int]:
        return lambda: run_virtual(deliver())

    async def deliver() -> int:
        hall = Hall("costs")
        gateway = Gateway(hall, [], now_ns=lambda: 0)
        service = hall.add_service("costs")
        states = {name: TableState(name) for name, _ in played}
        transports = [_StandInTransport() for _ in range(clients)]
        pages = [_joined(gateway, transport) for transport in transports]
        before = sum(transport.taken for transport in transports)
        for name, event in played:
            states[name].apply(event)
            gateway.publish(service.item(Fact(event, b""), {name: states[name]}))
            for page in pages:
                page._received(f'{{"ack": {page.batches}, "now": 0}}')
            # As on a venue's feed: each event comes by itself.
            await sleep_ns(1)
        return sum(transport.taken for transport in transports) - before

    yield Subject("delivery", len(played), ready, len(played) * clients)


def _joined(gateway: Gateway, transport: Any) -> _Page:
    """A page that has all there is so far."""
    page = _Page(gateway)
    page.sender._transport = transport
    gateway._pages.add(page)
    page._received('{"now": 0}')
    page._received('{"ack": 1, "now": 0}')
    return page


FEED = "controller.table.table:Table.feed"
TICK = "controller.live.live_table:LiveTable.tick"
PUBLISH = "scoreboard.gateway:Gateway.publish"
SCRIPTS = {
    "decoding": Script(
        "1,000 edges", lambda: nullcontext(_decoding()), 1000, "drivers.wheel.quadrature:QuadratureDecoder.run"
    ),
    "money-wheel": Script("1,000 edges", lambda: nullcontext(_money_wheel()), 1000, FEED),
    "roulette": Script("1,000 edges", lambda: nullcontext(_roulette()), 1000, FEED),
    "roulette-level": Script("1,000 edges", lambda: nullcontext(_roulette_level()), 1000, FEED),
    "roulette-simulated": Script("round", lambda: nullcontext(simulated(1)), 1, FEED),
    "money-wheel-pegs": Script("1,000 edges", lambda: nullcontext(_pegs()), 1000, FEED),
    "money-wheel-simulated": Script("round", lambda: nullcontext(_played("money_wheel", 1)), 1, FEED),
    "craps-simulated": Script("round", lambda: nullcontext(_played("craps", 2)), 1, FEED),
    "token-pusher-simulated": Script("round", lambda: nullcontext(_played("token_pusher", 2)), 1, FEED),
    "baccarat-simulated": Script("round", lambda: nullcontext(_played("baccarat", 3)), 1, FEED),
    "rest": Script("second", lambda: nullcontext(service_scripts.rest()), 1, TICK),
    "play": Script("second", lambda: nullcontext(service_scripts.play()), 1, TICK),
    "capture": Script("1,000 edges", _capture, 1000, FEED),
    "merge": Script("1,000 edges", lambda: nullcontext(_merge()), 1000, "hal.merge:Merge.deliver"),
    "event": Script("event", _event, 1, "controller.service.pipeline:Pipeline.put"),
    "commit": Script(
        "100 events", lambda: nullcontext(service_scripts.commit()), 100, "controller.journal.store:Store.append"
    ),
    "feed-50": Script("100 events", partial(service_scripts.feed, 50), 100, "feed.publisher:Publisher.publish"),
    "history": Script("100 events", service_scripts.history, 100, "feed.history_server:HistoryServer._send"),
    "statistics": Script("event", service_scripts.statistics, 1, "fleet.statistics.dataset:Collector.add"),
    "board": Script(
        "1,000 edges",
        lambda: nullcontext(service_scripts.board()),
        1000,
        "hal.board.edge_stream:EdgeStream.edges",
    ),
    "delivery-1": Script("event", partial(_delivery, 1), 1, PUBLISH),
    "delivery-50": Script("event", partial(_delivery, 50), 1, PUBLISH),
}
"""By name; the names are those of the figures."""
