"""`python -m benchmarks.fleet`: what a hub and its relays take on one computer, with a real nats-server.

    python -m benchmarks.fleet                             events a second, next to the bare server
    python -m benchmarks.fleet --tables 500 --minutes 10   as they play: lag, memory and processor of each process

Services are synthetic (`fleet_service`), relays are `feltwire relay`, one a venue, and the server is the one of Debian,
with the streams of `feltwire fleet init`. The lag of an event is the time between the `time` that its service gave it
and the one at which the server stored it: one clock, as all run on one computer.

The bare server takes the same bodies, headers and subjects on streams made in the same way, from nats-py: one message
of each table under way at a time, as a relay has it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import NamedTuple

from rich.console import Console

from feed.events import decode, genesis, link
from fleet.connection import connect
from fleet.streams import HEAD, MESSAGE_ID, TOPIC, JetStream
from fleet.subjects import event_subject, stream_of
from fleet.verify import verify_stream
from tests.fakes.nats_server import NatsServer

RELAY = [sys.executable, "-c", "from controller.cli import main; main()", "relay"]
SAMPLE_S = 5.0
POLL_S = 0.2
TICKS = os.sysconf("SC_CLK_TCK")
PAGE_KB = os.sysconf("SC_PAGE_SIZE") / 1024
BATCH = 500


@dataclass(frozen=True, slots=True)
class FleetSizes:
    """How much is measured."""

    tables: int = 500
    venues: int = 5
    events: int = 40
    """Of each table, for the greatest rate."""
    period_s: float = 6.0
    """Between two events of a table as it plays: 100 rounds an hour with six events each."""
    minutes: float = 0.0
    """How long they play; 0: the greatest rate is measured instead."""


class Usage(NamedTuple):
    """What a process has used up to a moment."""

    cpu_s: float
    rss_mb: float


class Process:
    """A process that is measured."""

    def __init__(self, kind: str, pid: int) -> None:
        self.kind = kind
        self._pid = pid

    def usage(self) -> Usage:
        """Now.

        Raises:
            RuntimeError: it has ended.
        """
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        if fields[0] == "Z":
            raise RuntimeError(f"a {self.kind} has ended: nothing is measured")
        pages = int(Path(f"/proc/{self._pid}/statm").read_text().split()[1])
        return Usage((int(fields[11]) + int(fields[12])) / TICKS, pages * PAGE_KB / 1024)


class FleetRig:
    """A server with the streams of some venues, and their services."""

    def __init__(self, sizes: FleetSizes, held: ExitStack, *, events: int, period_s: float) -> None:
        self.sizes = sizes
        self._held = held
        self.folder = Path(tempfile.mkdtemp(prefix="fwb-"))
        held.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = NatsServer(self.folder, "")
        held.callback(self.server.kill)
        self.server.start()
        self.venues = [f"venue-{number + 1}" for number in range(sizes.venues)]
        self.processes = [Process("nats-server", self.server.pid)]
        asyncio.run(self._make_streams())
        for number, venue in enumerate(self.venues):
            own = [self.base(venue), str(self.of_venue), str(period_s), str(events), str(number + 1)]
            (self.folder / venue).mkdir(mode=0o700)
            self._spawn("service", [sys.executable, "-m", "benchmarks.fleet_service", *own])

    @property
    def of_venue(self) -> int:
        """Tables of each venue."""
        return self.sizes.tables // self.sizes.venues

    def base(self, venue: str) -> str:
        """The address of a venue's service."""
        return f"ipc://{self.folder / venue}"

    def start_relays(self) -> None:
        """One a venue."""
        for venue in self.venues:
            self._spawn("relay", [*RELAY, self.server.url, self.base(venue), "--venue", venue])

    def _spawn(self, kind: str, words: Sequence[str]) -> None:
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        self._held.callback(process.wait)
        self._held.callback(process.kill)
        self.processes.append(Process(kind, process.pid))

    async def _make_streams(self) -> None:
        client = await connect(self.server.address, name="benchmark")
        stream = JetStream(client)
        for venue in self.venues:
            await stream.create_venue(venue)
        await stream.create_live()
        await client.close()

    async def held(self) -> int:
        """Events in all streams."""
        client = await connect(self.server.address, name="benchmark")
        try:
            found = [await JetStream(client).info(stream_of(venue)) for venue in self.venues]
        finally:
            await client.close()
        return sum(one.messages for one in found if one is not None)

    def used(self) -> dict[str, Usage]:
        """By kind of process, of all of them together."""
        found: dict[str, Usage] = {}
        for process in self.processes:
            one, so_far = process.usage(), found.get(process.kind, Usage(0, 0))
            found[process.kind] = Usage(one.cpu_s + so_far.cpu_s, one.rss_mb + so_far.rss_mb)
        return found

    async def verified(self) -> float:
        """Seconds that it takes to verify all streams.

        Raises:
            RuntimeError: one does not verify.
        """
        client = await connect(self.server.address, name="benchmark")
        begin = perf_counter()
        try:
            for venue in self.venues:
                report = await verify_stream(JetStream(client), stream_of(venue), {}, {})
                if report.findings:
                    raise RuntimeError(f"{report.findings[0]}: the figures mean nothing")
            return perf_counter() - begin
        finally:
            await client.close()

    async def stored(self) -> Iterator[tuple[str, bytes, dict[str, str], datetime]]:
        """Every event: subject, body, headers, and when it was stored."""
        import nats

        client = await nats.connect(self.server.url)
        found = []
        try:
            for venue in self.venues:
                pulled = await client.jetstream().pull_subscribe("", stream=stream_of(venue), durable="benchmark")
                left = (await pulled.consumer_info()).num_pending
                while left:
                    batch = await pulled.fetch(min(BATCH, left))
                    left -= len(batch)
                    for one in batch:
                        found.append((one.subject, one.data, dict(one.headers or {}), one.metadata.timestamp))
                        await one.ack()
        finally:
            await client.close()
        return iter(found)


@contextmanager
def rig(sizes: FleetSizes, *, events: int, period_s: float) -> Iterator[FleetRig]:
    """A rig for the block."""
    with ExitStack() as held:
        yield FleetRig(sizes, held, events=events, period_s=period_s)


class Rate(NamedTuple):
    """How fast events reached the streams."""

    events: int
    seconds: float
    used: dict[str, float]
    """Seconds of a core, by kind of process."""
    verify_s: float = 0.0
    """To verify all of them with `fleet verify`."""


def relayed(sizes: FleetSizes) -> tuple[Rate, list[tuple[str, bytes, dict[str, str]]]]:
    """Relays all that the journals hold, from the first event to the last; also what then is in the streams."""
    with rig(sizes, events=sizes.events, period_s=0) as made:
        made.start_relays()
        began, before = 0.0, made.used()
        count = held = 0
        while not held or held != count:
            # Until two questions in a row find the same: the journals are still.
            count = held
            held = asyncio.run(made.held())
            made.used()
            if held and not began:
                began, first, before = perf_counter(), held, made.used()
            if held != count:
                ended, after = perf_counter(), made.used()
            sleep(POLL_S)
        used = {kind: after[kind].cpu_s - before[kind].cpu_s for kind in after}
        verify_s = asyncio.run(made.verified())
        events = [(subject, body, headers) for subject, body, headers, _ in asyncio.run(made.stored())]
        return Rate(held - first, ended - began, used, verify_s), events


def bare(sizes: FleetSizes, events: Sequence[tuple[str, bytes, dict[str, str]]]) -> Rate:
    """The same messages from nats-py alone: each table's one after the other, all tables at once."""
    import nats

    lanes: dict[str, list[tuple[str, bytes, dict[str, str]]]] = {}
    for subject, body, headers in events:
        lanes.setdefault(".".join(subject.split(".")[:4]), []).append((subject, body, headers))

    async def run() -> float:
        client = await nats.connect(made.server.url)
        jetstream = client.jetstream()

        async def publish(lane: list[tuple[str, bytes, dict[str, str]]]) -> None:
            for subject, body, headers in lane:
                await jetstream.publish(subject, body, headers=headers)

        begin = perf_counter()
        await asyncio.gather(*map(publish, lanes.values()))
        seconds = perf_counter() - begin
        await client.close()
        return seconds

    with rig(FleetSizes(tables=0, venues=sizes.venues), events=0, period_s=0) as made:
        before = made.used()["nats-server"].cpu_s
        seconds = asyncio.run(run())
        server_s = made.used()["nats-server"].cpu_s - before
        if asyncio.run(made.held()) != len(events):
            raise RuntimeError("the bare server does not hold what was published: its rate means nothing")
    return Rate(len(events), seconds, {"nats-server": server_s})


class FleetRun(NamedTuple):
    """How it was while the tables played."""

    seconds: float
    events: int
    bytes: float
    """Of an event, on average."""
    lags_ms: list[float]
    """Of each event, in order."""
    cores: dict[str, float]
    """By kind of process, of all of them: cores in use."""
    first_mb: dict[str, float]
    """By kind of process: memory after a minute, or a tenth of the time."""
    last_mb: dict[str, float]


def played(sizes: FleetSizes) -> FleetRun:
    """Has the tables play for this many minutes."""
    seconds = sizes.minutes * 60
    with rig(sizes, events=0, period_s=sizes.period_s) as made:
        made.start_relays()
        while asyncio.run(made.held()) < sizes.tables:
            sleep(POLL_S)
        warm = min(60.0, seconds / 10)
        sleep(warm)
        begin, first = perf_counter(), made.used()
        while perf_counter() - begin < seconds:
            sleep(SAMPLE_S)
            print(f"\r{perf_counter() - begin:.0f} of {seconds:.0f} s", end="", file=sys.stderr)
        last, took = made.used(), perf_counter() - begin
        print(file=sys.stderr)
        stored = list(asyncio.run(made.stored()))
    end = max(at for *_, at in stored)
    events = [one for one in stored if (end - one[3]).total_seconds() <= took]
    lags = [(at - datetime.fromisoformat(decode(body).time)).total_seconds() * 1000 for _, body, _, at in events]
    heads: dict[str, bytes] = {}
    for subject, body, headers, _ in stored:
        lane = ".".join(subject.split(".")[:4])
        heads[lane] = link(heads.get(lane, genesis(lane.rpartition(".")[2])), body)
        if headers[HEAD] != heads[lane].hex():
            raise RuntimeError(f"{subject}: the stream is not the chain of its table: the figures mean nothing")
    return FleetRun(
        took,
        len(events),
        sum(len(body) for _, body, *_ in events) / len(events),
        lags,
        {kind: (last[kind].cpu_s - first[kind].cpu_s) / took for kind in last},
        {kind: one.rss_mb for kind, one in first.items()},
        {kind: one.rss_mb for kind, one in last.items()},
    )


def print_rates(console: Console, sizes: FleetSizes) -> None:
    """Measures the greatest rate, and prints it next to the bare server's."""
    ours, events = relayed(sizes)
    check_headers(events)
    rounds = [bare(sizes, events) for _ in range(3)]
    peer = sorted(rounds, key=lambda one: one.seconds)[1]
    console.print(f"{sizes.tables} tables of {sizes.venues} venues, {len(events):,} events, one relay a venue")
    console.print(f"  relays      {_rate(ours)}")
    console.print(f"  fleet verify {len(events) / ours.verify_s:,.0f} events/s")
    console.print(f"  bare server {_rate(peer)}, one process of nats-py (median of 3)")


def print_played(console: Console, sizes: FleetSizes) -> None:
    """Has the tables play, and prints lag, memory and processor."""
    found = played(sizes)
    lags = sorted(found.lags_ms)
    half = len(lags) // 2
    console.print(
        f"{sizes.tables} tables of {sizes.venues} venues for {found.seconds / 60:.1f} min: {found.events:,} events, "
        f"{found.events / found.seconds:.1f} a second, {found.bytes:.0f} bytes each"
    )
    console.print(
        f"  lag p50 {median(lags):.1f} ms, p99 {lags[len(lags) * 99 // 100]:.1f} ms, most {lags[-1]:.0f} ms; "
        f"first half p50 {median(found.lags_ms[:half]):.1f} ms, second {median(found.lags_ms[half:]):.1f} ms"
    )
    for kind, cores in found.cores.items():
        first, last = found.first_mb[kind], found.last_mb[kind]
        console.print(f"  {kind:<12} {cores:.3f} cores, {first:.1f} MB, then {last:.1f} MB")


def check_headers(events: Sequence[tuple[str, bytes, dict[str, str]]]) -> None:
    """Holds what the peer publishes against what the relay does.

    Raises:
        RuntimeError: it is something else.
    """
    for subject, body, headers in events:
        event = decode(body)
        if subject != event_subject(subject.split(".")[2], event) or headers[MESSAGE_ID] != event.id:
            raise RuntimeError(f"{subject} is not the subject of {event.id}: the rates mean nothing")
        if headers[TOPIC] != event.topic:
            raise RuntimeError(f"{event.id}: its topic is {event.topic}: the rates mean nothing")


def _rate(one: Rate) -> str:
    used = ", ".join(f"{kind} {seconds / one.events * 1e6:.0f}" for kind, seconds in one.used.items() if seconds)
    return f"{one.events / one.seconds:,.1f} events/s; µs of a core for each: {used}"


def main() -> None:
    """Measures what the command line names."""
    default = FleetSizes()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet")
    parser.add_argument("--tables", type=int, default=default.tables)
    parser.add_argument("--venues", type=int, default=default.venues)
    parser.add_argument("--events", type=int, default=default.events, help="of each table, for the greatest rate")
    parser.add_argument("--period", type=float, default=default.period_s, help="seconds between two events of a table")
    parser.add_argument("--minutes", type=float, default=0.0, help="how long the tables play")
    given = parser.parse_args()
    sizes = FleetSizes(given.tables, given.venues, given.events, given.period, given.minutes)
    if sizes.tables % sizes.venues:
        parser.error(f"--tables {sizes.tables}: it must be a multiple of --venues {sizes.venues}")
    (print_played if sizes.minutes else print_rates)(Console(width=140, highlight=False), sizes)


if __name__ == "__main__":
    main()
