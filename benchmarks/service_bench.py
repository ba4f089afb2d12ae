"""The service: latency to a subscriber, events a second, what it costs when nothing happens, and what a table costs.

Unlike the other benchmarks these wait for disks, sockets and processes, so time is that which passes; what a process
costs is what the kernel charged it.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

import zmq
from rich.console import Console

from benchmarks.figures import Quantity, ReportLine
from benchmarks.parts import without_python_settings
from benchmarks.report import print_lines
from benchmarks.service_latency import EPOCH, TABLE, LatencyRig, fan_out, latencies, p50, p99, sustained
from controller.journal.history import JournalHistory
from feed.history_server import HistoryServer
from feed.wire import AskSince, EndAnswer, decode_answer, encode_request

FELTWIRE = Path(sys.executable).with_name("feltwire")
SUBSCRIBERS = 50
LEAST_OF_BARE = 0.8
"""The events a second to many subscribers that a journalled feed has at least, of what a bare XPUB has."""
MOST_IDLE_MB = 45
"""The memory that a service with one table at rest may have."""


@dataclass(frozen=True, slots=True)
class ServiceSizes:
    """How much is measured."""

    turns: int = 400
    """Of the latency."""
    events: int = 10_000
    fans: int = 9
    """Turns of the events to many subscribers."""
    starts: int = 5
    seconds: float = 10.0
    """Over which a process is watched."""
    tables: tuple[int, ...] = (1, 8, 64)


SERVICE_SMALLEST = ServiceSizes(turns=3, events=50, fans=2, starts=1, seconds=0.5, tables=(1, 2))
"""Shows that everything works; its figures mean nothing."""


def service_lines(sizes: ServiceSizes) -> Iterator[ReportLine]:
    """Measures one thing after the other."""
    yield from _latency_lines(sizes.turns)
    one = sustained(sizes.events, 1)
    yield ReportLine("events a second, 1 subscriber", Quantity(one, "events/s"), more_is_better=True)
    yield from _fan_out_lines(sizes)
    yield ReportLine("replay through the history", Quantity(replayed(sizes.events), "events/s"), more_is_better=True)
    start = median(start_s() for _ in range(sizes.starts))
    yield ReportLine("start to open table", Quantity(start, "s", ".2f"))
    idle = {count: idle_cost(count, sizes.seconds) for count in sizes.tables}
    base = sizes.tables[0]
    for count, (cpu, rss_mb) in idle.items():
        where = f"idle, {count} table{'s' if count > 1 else ''}"
        if count == base:
            yield ReportLine(f"{where}: CPU", _share(cpu), _share(0.01), cpu / 0.01, 1)
            most = Quantity(MOST_IDLE_MB, "MB")
            yield ReportLine(f"{where}: memory", Quantity(rss_mb, "MB"), most, rss_mb / MOST_IDLE_MB, 1)
        else:
            a_table, alone = cpu / count, idle[base][0] / base
            beside = _share(alone, "1 table")
            yield ReportLine(f"{where}: CPU a table", _share(a_table), beside, a_table / alone, 1.5)
            yield ReportLine(f"{where}: memory", Quantity(rss_mb, "MB"))
    yield from _played_lines(sizes)


def _fan_out_lines(sizes: ServiceSizes) -> Iterator[ReportLine]:
    """Ours is journalled and durable before it is sent; the bare socket only sends.

    The process of the subscribers limits both rates, so their ratio shows a sender that has become the slower of the
    two, and hardly one that costs more; that is what the sender's processor time shows.
    """
    sent = fan_out(sizes.events // 4, SUBSCRIBERS, sizes.fans)
    turns = list(zip(sent["ours"], sent["bare"], strict=True))
    peer = "bare XPUB, same bytes"
    yield ReportLine(
        f"events a second, {SUBSCRIBERS} subscribers",
        Quantity(median(ours.rate for ours, _ in turns), "events/s"),
        Quantity(median(bare.rate for _, bare in turns), "events/s", label=peer),
        median(ours.rate / bare.rate for ours, bare in turns),
        least=LEAST_OF_BARE,
        more_is_better=True,
    )
    yield ReportLine(
        f"{SUBSCRIBERS} subscribers: sender's CPU an event",
        Quantity(median(ours.sender_us for ours, _ in turns), "µs"),
        Quantity(median(bare.sender_us for _, bare in turns), "µs", label=peer),
        median(ours.sender_us / bare.sender_us for ours, bare in turns),
    )


def _latency_lines(turns: int) -> Iterator[ReportLine]:
    took = latencies(turns)
    names = {"hop": "bare pyzmq hop", "fdatasync": "bare fdatasync", "sqlite": "bare SQLite commit"}
    for name, said in names.items():
        yield ReportLine(said, _spread(took[name]))
    ours, hop = p50(took["ours"]), p50(took["hop"])
    yield ReportLine("event, durable, subscriber", _spread(took["ours"]))
    for name, most in (("sqlite", 1.15), ("fdatasync", 1.5)):
        peer = Quantity(p50(took[name]) + hop, "ms", ".3f", f"{names[name]} + hop")
        yield ReportLine("  at p50", Quantity(ours, "ms", ".3f"), peer, ours / peer.number, most)
    # No journal in SQLite can be sooner, whatever the target above says on a disk that syncs a small append fast.
    least = p50(took["sqlite"]) + hop
    bare = Quantity(p50(took["fdatasync"]) + hop, "ms", ".3f", f"{names['fdatasync']} + hop")
    yield ReportLine("  the least there can be", Quantity(least, "ms", ".3f"), bare, least / bare.number)


def _spread(took_ns: list[int]) -> tuple[Quantity, ...]:
    return Quantity(p50(took_ns), "ms", ".3f", "p50"), Quantity(p99(took_ns), "ms", ".2f", "p99")


def _share(cpu: float, label: str = "") -> Quantity:
    return Quantity(cpu * 100, "% of a core", ".2f", label)


def _played_lines(sizes: ServiceSizes) -> Iterator[ReportLine]:
    """What tables cost that are played at, simulator and all."""
    alone = 0.0
    for count in sizes.tables:
        cpu, _ = played_cost(count, sizes.seconds)
        a_table = cpu / count
        if count == sizes.tables[0]:
            alone = a_table
            yield ReportLine(f"simulated play, {count} table: CPU", _share(cpu))
        else:
            beside = _share(alone, "1 table")
            yield ReportLine(
                f"simulated play, {count} tables: CPU a table", _share(a_table), beside, a_table / alone, 1.5
            )


def replayed(count: int) -> float:
    """Events a second out of the journal, through the history server, to one asker."""
    with tempfile.TemporaryDirectory(prefix="service-bench-") as name:
        return asyncio.run(_replayed(count, Path(name)))


async def _replayed(count: int, folder: Path) -> float:
    rig = LatencyRig(folder)
    written = asyncio.Event()
    for number in range(count):
        last = number == count - 1
        rig.pipeline.put([rig.next_event()], then=(lambda failure: written.set()) if last else None)
    await written.wait()
    history = JournalHistory(folder / "journal.sqlite")
    server = HistoryServer(rig.context, rig.endpoints, history)
    server.bind()
    serving = asyncio.get_running_loop().create_task(server.serve())
    try:
        return await asyncio.get_running_loop().run_in_executor(None, _ask_for_all, rig, count)
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        server.close()
        history.close()
        rig.close()


def _ask_for_all(rig: LatencyRig, count: int) -> float:
    with rig.context.socket(zmq.DEALER) as asker:
        asker.connect(rig.endpoints.history)
        seen = 0
        begin = perf_counter()
        while seen < count:
            asker.send_multipart(encode_request(AskSince(b"1", TABLE, EPOCH if seen else "", seen)))
            while not isinstance(answer := decode_answer(asker.recv_multipart()), EndAnswer):
                seen += 1
            if not answer.more and seen < count:
                raise RuntimeError(f"{seen} of {count} events arrived")
        return count / (perf_counter() - begin)


# --- processes -----------------------------------------------------------------------------------------------------


def start_s() -> float:
    """Seconds from the command to the sockets being open and the table too, as reported to systemd."""
    with service_process([FELTWIRE, "run"], 1) as (begin, ready, _):
        ready.recv(100)
        return perf_counter() - begin


IDLE = (sys.executable, "-m", "benchmarks.idle_service")


def idle_cost(tables: int, seconds: float) -> tuple[float, float]:
    """Share of a core and MB of a service whose tables' wires do nothing."""
    return watched_cost(IDLE, tables, seconds)


def played_cost(tables: int, seconds: float) -> tuple[float, float]:
    """The same of simulated tables at real speed."""
    return watched_cost([FELTWIRE, "run"], tables, seconds)


def watched_cost(
    command: Sequence[str | Path], tables: int, seconds: float, settle_s: float | None = None
) -> tuple[float, float]:
    """Share of a core and MB of a service that is watched this long, once it has settled; without `settle_s` in two
    seconds at most."""
    with service_process(command, tables) as (_, ready, pid):
        ready.recv(100)
        # What is done once, such as the first garbage collections, is not what it costs.
        sleep(min(2.0, seconds) if settle_s is None else settle_s)
        before, begin = cpu_s(pid), perf_counter()
        sleep(seconds)
        return (cpu_s(pid) - before) / (perf_counter() - begin), rss_mb(pid)


@contextmanager
def service_process(command: Sequence[str | Path], tables: int) -> Iterator[tuple[float, socket.socket, int]]:
    """A service of money wheels in a process; yields when it began, systemd's end of its socket, and its number."""
    with (
        tempfile.TemporaryDirectory(prefix="service-bench-") as name,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
    ):
        folder = Path(name)
        manager.bind(str(folder / "notify"))
        manager.settimeout(120)
        files = []
        for number in range(tables):
            path = folder / f"table-{number}.toml"
            path.write_text(f'[table]\nid = "wheel-{number}"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n')
            files.append(path)
        words = [*command, *files, "--state", folder / "state", "--bind", f"ipc://{folder}/run"]
        # Plain Python, as the packages and `make install` have it.
        environ = {**without_python_settings(), "NOTIFY_SOCKET": str(folder / "notify")}
        begin = perf_counter()
        process = subprocess.Popen(words, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield begin, manager, process.pid
        finally:
            process.kill()
            process.wait()


def cpu_s(pid: int) -> float:
    """What the kernel charged all threads of a process, to the nanosecond."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def rss_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) * 1024 / 1e6


def print_service(console: Console, sizes: ServiceSizes) -> list[ReportLine]:
    """Prints each line as it is measured; about two minutes."""
    return print_lines(
        console, "The service: time that passes, and what the kernel charged processes", service_lines(sizes)
    )


if __name__ == "__main__":
    print_service(Console(), ServiceSizes())
