"""Webhooks over real HTTPS, to receivers that are right, wrong and hostile."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest
from aiohttp import web

from bridges.webhooks import delivery, sender
from bridges.webhooks.bridge import WebhookBridge
from bridges.webhooks.keys import TargetKeys, WebhookKeys
from bridges.webhooks.queue import Queue, QueueError
from bridges.webhooks.signature import read_secrets
from examples.webhook_receiver import verify
from feed.subscriber import Position
from hal.clock import NS_PER_S, SystemClock
from hal.loop import sleep_ns
from tests.fakes.certificates import certificates
from tests.fakes.feed_process import FeedProcess, journal_of
from tests.fakes.feed_server import short_folder
from tests.fakes.service_process import FELTWIRE
from tests.fakes.time_limits import HANG_S

PUBLISHED = 150
SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"
QUIET_MS = 3_600_000
"""Between the events that a service publishes of its own accord."""
Handle = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture(scope="module")
def certified() -> Iterator[Path]:
    with certificates() as folder:
        yield folder


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as made:
        secret = made / "till.secret"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        yield made


@asynccontextmanager
async def receiver(certified: Path, handle: Handle) -> AsyncIterator[str]:
    """A web server with a certificate; its address."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(application, access_log=None, handler_cancellation=True)
    await runner.setup()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certified / "server.crt", certified / "server.key")
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    try:
        yield f"https://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def target(url: str, certified: Path, folder: Path, **others: Any) -> TargetKeys:
    given: dict[str, Any] = {"private": True, "ca": str(certified / "ca.crt"), "history": True}
    return TargetKeys(name="till", url=url, secret_file=str(folder / "till.secret"), **given | others)


@asynccontextmanager
async def bridged(folder: Path, base: str, *targets: TargetKeys) -> AsyncIterator[WebhookBridge]:
    """A bridge that runs as long as the block."""
    keys = WebhookKeys(str(folder / "queue.sqlite"), targets)
    with closing(Queue(Path(keys.queue))) as queue:
        secrets = {one.name: read_secrets(Path(one.secret_file)) for one in targets}
        made = WebhookBridge(keys, secrets, queue, base, None, SystemClock(), "feltwire/test")
        task = asyncio.ensure_future(made.run())
        try:
            async with asyncio.timeout(HANG_S):
                yield made
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def final_states(file: Path) -> list[bytes]:
    """The events of a journal that a target is sent."""
    kinds = TargetKeys("a", "https://a.example", "b").types_sent
    assert kinds is not None
    return [body for body in journal_of(file).bodies("wheel-1") if json.loads(body)["type"] in kinds]


def test_each_final_state_arrives_signed_once_and_in_order(certified: Path, folder: Path) -> None:
    received: list[bytes] = []
    problems: list[str] = []

    async def main(service: FeedProcess) -> list[bytes]:
        enough = asyncio.Event()

        async def handle(request: web.Request) -> web.Response:
            body = await request.read()
            verify(SECRET, request.headers, body, SystemClock().wall_time_ns() / NS_PER_S)
            if request.content_type != "application/cloudevents+json" or "cookie" in request.headers:
                problems.append(str(request.headers))
            received.append(body)
            if len(received) >= 10:
                enough.set()
            response = web.Response(status=204)
            response.set_cookie("tracked", "yes")
            return response

        async with receiver(certified, handle) as url, bridged(folder, service.base, target(url, certified, folder)):
            await enough.wait()
            service.end()
            expected = final_states(folder / "events")
            while len(received) < len(expected):
                enough.clear()
                await enough.wait()
            return expected

    service = FeedProcess(f"ipc://{folder}", folder / "events", "e1", QUIET_MS, rounds=True)
    service.burst(80)
    try:
        assert received == asyncio.run(main(service))
    finally:
        service.kill()
    assert problems == []


def test_what_is_published_while_a_queue_is_full_is_read_when_there_is_room(
    certified: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "LONGEST_WAIT_NS", 10_000_000)
    received: list[bytes] = []
    service = FeedProcess(f"ipc://{folder}", folder / "events", "e1", QUIET_MS, rounds=True)

    async def main() -> list[bytes]:
        opened, step = asyncio.Event(), asyncio.Event()

        async def handle(request: web.Request) -> web.Response:
            body = await request.read()
            step.set()
            if not opened.is_set():
                return web.Response(status=503)
            received.append(body)
            return web.Response(status=204)

        async with (
            receiver(certified, handle) as url,
            bridged(folder, service.base, target(url, certified, folder, most_waiting=3)) as bridge,
        ):
            service.burst(60)
            while not bridge.deliveries[0].progress.full:
                step.clear()
                await step.wait()
            service.burst(PUBLISHED)
            assert bridge.deliveries[0].progress.waiting == 3
            opened.set()
            expected = final_states(folder / "events")
            while len(received) < len(expected):
                step.clear()
                await step.wait()
            return expected

    try:
        assert received == asyncio.run(main())
    finally:
        service.kill()


async def attempt(made: sender.WebhookSender, begun: list[str] | None = None) -> delivery.TargetAnswer:
    """One attempt; `begun` has an entry more once something of it is sent."""
    noted = [] if begun is None else begun
    return await made("wheel-1.e1.1", b"{}", lambda: noted.append("sent"))


async def answers(status: int, **headers: str) -> web.Response:
    return web.Response(status=status, headers=headers)


async def redirected(request: web.Request) -> web.StreamResponse:
    if request.path != "/events":
        raise AssertionError("the redirect was followed")
    return await answers(307, Location="/elsewhere")


async def gone(request: web.Request) -> web.StreamResponse:
    return await answers(410)


async def busy(request: web.Request) -> web.StreamResponse:
    return await answers(429, **{"Retry-After": "120"})


async def broken(request: web.Request) -> web.StreamResponse:
    return await answers(500)


async def endless(request: web.Request) -> web.StreamResponse:
    """An answer whose body never ends."""
    response = web.StreamResponse(status=200)
    await response.prepare(request)
    with suppress(ConnectionError):
        while True:
            await response.write(b"x" * 65536)
    return response


async def swollen(request: web.Request) -> web.StreamResponse:
    return await answers(200, **{"X-Long": "x" * 100_000})


async def hung(request: web.Request) -> web.StreamResponse:
    await asyncio.get_running_loop().create_future()
    raise AssertionError


async def cut(request: web.Request) -> web.StreamResponse:
    """An answer that ends before it is whole."""
    assert request.transport is not None
    request.transport.write(b"HTTP/1.1 200 OK\r\nContent-")
    request.transport.close()
    return await hung(request)


async def unable(request: web.Request) -> web.StreamResponse:
    """Envoy and Istio answer so too where their server ended the connection after it had the request."""
    return await answers(503)


async def slow(request: web.Request) -> web.StreamResponse:
    return await answers(408)


async def behind(request: web.Request) -> web.StreamResponse:
    """A proxy, whose server may have the event."""
    return await answers(504)


FAILURES: list[tuple[Handle, str, int, bool]] = [
    (redirected, "it answers 307, and redirects are not followed: write the new address into url", 0, True),
    (gone, "it answers 410: it wants no more; remove the target", 3600, True),
    (busy, "it answers 429, and asks for a pause", 120, True),
    (unable, "it answers 503", 0, False),
    (slow, "it answers 408", 0, False),
    (broken, "it answers 500", 0, False),
    (behind, "it answers 504", 0, False),
    (swollen, "its answer cannot be read: ", 0, False),
    (hung, "no answer in 0.2 s", 0, False),
    (cut, "it closed the connection before its answer was whole", 0, False),
]


@pytest.mark.parametrize(("handle", "words", "asked_s", "refused"), FAILURES)
def test_what_a_receiver_does_wrong_is_stated_and_the_event_is_sent_again(
    handle: Handle,
    words: str,
    asked_s: int,
    refused: bool,
    certified: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`refused` is whether its answer states that it does not have the event."""
    monkeypatch.setattr(sender, "ATTEMPT_S", 0.2)
    begun: list[str] = []

    async def main() -> list[delivery.TargetAnswer]:
        async with receiver(certified, handle) as url:
            made = sender.WebhookSender(target(f"{url}/events", certified, folder), [b"x" * 24], SystemClock(), "test")
            try:
                return [await attempt(made, begun) for _ in range(2)]
            finally:
                await made.close()

    for answer in asyncio.run(main()):
        assert begun == ["sent", "sent"], "also over a connection that is kept"
        assert (answer.why[: len(words)], answer.asked_ns) == (words, asked_s * NS_PER_S)
        assert (answer.gone, answer.refused) == (handle is gone, refused)


@pytest.mark.parametrize(
    ("retry_after", "asked_s"),
    [
        ("0", 0),
        ("120", 120),
        ("3601", 3600),
        ("9" * 5000, 3600),
        ("", 0),
        ("-5", 0),
        ("1.5", 0),
        ("²", 0),
        ("soon", 0),
        ("Fri, 15 Jan 2027 08:02:00 GMT", 120),
        ("Fri, 15 Jan 2027 08:02:00 -0000", 120),
        ("Fri, 15 Jan 2027 07:00:00 GMT", 0),
        ("Fri, 15 Jan 2077 08:00:00 GMT", 3600),
        ("Fri, 15 Jan 99999 08:00:00 GMT", 0),
        ("Fri, 99 Jan 2027 08:00:00 GMT", 0),
    ],
)
def test_the_time_that_a_target_asks_for_is_read_as_seconds_or_a_date_and_is_bounded(
    retry_after: str, asked_s: int
) -> None:
    assert sender.asked_wait_ns(retry_after, 1_800_000_000 * NS_PER_S) == asked_s * NS_PER_S


def test_a_name_server_that_does_not_answer_for_one_target_does_not_hold_up_another(
    certified: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each attempt of each table held one of the few threads in which names are looked up."""
    answered, lookups, lookup = Event(), list[str](), socket.getaddrinfo

    def slow(host: str, *arguments: Any, **options: Any) -> Any:
        if host == "dead.example":
            lookups.append(host)
            answered.wait(HANG_S)
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return lookup(host, *arguments, **options)

    async def taken(request: web.Request) -> web.Response:
        return web.Response()

    async def main() -> str:
        async with receiver(certified, taken) as url:
            dead, alive = (
                sender.WebhookSender(target(one, certified, folder), [b"x" * 24], SystemClock(), "test")
                for one in ("https://dead.example/", url.replace("127.0.0.1", "localhost"))
            )
            tables = [asyncio.ensure_future(attempt(dead)) for _ in range(40)]
            await sleep_ns(0)
            try:
                return (await attempt(alive)).why
            finally:
                answered.set()
                await asyncio.wait(tables)
                await dead.close()
                await alive.close()

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    assert asyncio.run(main()) == ""
    assert lookups == ["dead.example"]


def test_an_answer_that_never_ends_takes_the_event_and_is_not_read(certified: Path, folder: Path) -> None:
    async def main() -> list[str]:
        async with receiver(certified, endless) as url:
            made = sender.WebhookSender(target(url, certified, folder), [b"x" * 24], SystemClock(), "test")
            try:
                return [(await attempt(made)).why for _ in range(3)]
            finally:
                await made.close()

    assert asyncio.run(main()) == [""] * 3


def test_where_the_disk_fails_as_an_event_is_sent_the_bridge_ends(certified: Path, folder: Path) -> None:
    seen: list[web.Request] = []

    async def handle(request: web.Request) -> web.Response:
        seen.append(request)
        return web.Response()

    def fail() -> None:
        raise QueueError("the disk is full")

    async def main() -> None:
        async with receiver(certified, handle) as url:
            made = sender.WebhookSender(target(url, certified, folder), [b"x" * 24], SystemClock(), "test")
            try:
                await made("wheel-1.e1.1", b"{}", fail)
            finally:
                await made.close()

    with pytest.raises(QueueError, match="the disk is full"):
        asyncio.run(main())
    assert seen == []


def test_a_receiver_without_a_trusted_certificate_is_sent_nothing(certified: Path, folder: Path) -> None:
    seen: list[web.Request] = []

    async def handle(request: web.Request) -> web.Response:
        seen.append(request)
        return web.Response()

    async def main() -> delivery.TargetAnswer:
        async with receiver(certified, handle) as url:
            made = sender.WebhookSender(target(url, certified, folder, ca=""), [b"x" * 24], SystemClock(), "test")
            try:
                return await attempt(made, begun)
            finally:
                await made.close()

    begun: list[str] = []
    assert "CERTIFICATE_VERIFY_FAILED" in asyncio.run(main()).why
    assert seen == begun == []


def test_a_receiver_with_which_there_is_no_connection_in_time_is_sent_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that is switched off."""
    begun: list[str] = []
    monkeypatch.setattr(sender, "ATTEMPT_S", 0.2)

    async def main() -> delivery.TargetAnswer:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with closing(writer):
                await reader.read()

        async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
            url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
            made = sender.WebhookSender(
                TargetKeys("till", url, "unused", private=True), [b"x" * 24], SystemClock(), "test"
            )
            try:
                return await attempt(made, begun)
            finally:
                await made.close()

    assert asyncio.run(main()) == delivery.TargetAnswer("no answer in 0.2 s")
    assert begun == []


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:9/", "127.0.0.1:9 is not reached: Connection refused"),
        ("https://[::1]:9/?token=hunter2", "[::1]:9 is not reached: "),
    ],
)
def test_a_receiver_that_is_not_reached_is_named_with_the_reason(url: str, why: str) -> None:
    async def main() -> delivery.TargetAnswer:
        made = sender.WebhookSender(TargetKeys("till", url, "unused", private=True), [b"x" * 24], SystemClock(), "test")
        try:
            return await attempt(made, begun)
        finally:
            await made.close()

    begun: list[str] = []
    stated = asyncio.run(main()).why
    assert stated.startswith(why)
    assert begun == []
    assert not [word for word in ("ssl", "Connect call", "hunter2", "None") if word in stated]


def test_a_private_address_that_is_not_meant_is_stated() -> None:
    async def main() -> str:
        made = sender.WebhookSender(TargetKeys("till", "https://localhost:9/", "unused"), [], SystemClock(), "test")
        try:
            return (await attempt(made)).why
        finally:
            await made.close()

    stated = asyncio.run(main())
    assert stated.startswith("localhost:9 is not reached: localhost is at ")
    assert "add private = true" in stated


@pytest.mark.parametrize("seed", range(2))
def test_a_receiver_that_answers_nonsense_ends_nothing_and_nothing_is_lost(
    seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "ATTEMPT_S", 0.2)
    monkeypatch.setattr(delivery, "LONGEST_WAIT_NS", 1_000_000)
    random = Random(seed)
    nonsense = [_nonsense(random) for _ in range(30)]

    async def main() -> tuple[list[bytes], int]:
        left, taken = iter(nonsense), []

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                body = await reader.readexactly(length)
                sent = next(left, None)
                if sent is None:
                    taken.append(body)
                    done.set()
                writer.write(sent or b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
                await writer.drain()
            writer.close()

        done = asyncio.Event()
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        keys = TargetKeys("till", url, str(folder / "till.secret"), private=True)
        with closing(Queue(folder / "queue.sqlite")) as queue:
            made = sender.WebhookSender(keys, [b"x" * 24], SystemClock(), "test")
            one = delivery.Delivery(keys, queue, made, random)
            queue.put("till", "wheel-1", _POSITION, ("wheel-1.e1.1", b'{"id":1}'))
            async with server:
                task = asyncio.ensure_future(one._deliver())
                await done.wait()
                task.cancel()
                await asyncio.wait([task])
                await made.close()
            return taken, one.progress.failures

    taken, failures = asyncio.run(main())
    assert taken == [b'{"id":1}']
    assert failures >= 30


_POSITION = Position("e1", 1)


def _nonsense(random: Random) -> bytes:
    """What is no answer of 2xx."""
    match random.randrange(5):
        case 0:
            return random.randbytes(random.randrange(1, 200))
        case 1:
            return b"HTTP/1.1 " + str(random.choice([99, 100, 199, 301, 404, 503, 999])).encode() + b" \r\n\r\n"
        case 2:
            return b"HTTP/1.1 500 X\r\n" + b"A: " + random.randbytes(50).replace(b"\n", b"") + b"\r\n\r\n"
        case 3:
            return b"HTTP/9.9 200 OK\r\n" * random.randrange(1, 3)
        case _:
            return b"HTTP/1.1 2\xff0 OK\r\n\r\n"


def written_file(folder: Path, key: str) -> Path:
    """The file of one target that is away, with one more key."""
    file = folder / "webhooks.toml"
    file.write_text(
        f'queue = "{folder}/queue.sqlite"\n[[target]]\nname = "till"\nurl = "http://127.0.0.1:9/"\nprivate = true\n'
        f'{key} = true\nsecret_file = "{folder}/till.secret"\n'
    )
    return file


def test_the_command_names_a_table_that_is_left_out_in_the_words_of_its_file(folder: Path) -> None:
    file = written_file(folder, "simulated")
    service = FeedProcess(f"ipc://{folder}", folder / "events", "e1", QUIET_MS, rounds=True)
    service.burst(40)
    process = subprocess.Popen([str(FELTWIRE), "webhooks", str(file), service.base], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        first = next(line for line in iter(process.stderr.readline, "") if "wheel-1" in line)
        assert first.endswith("it is left out; to have real ones instead, remove that key\n")
    finally:
        process.kill()
        process.communicate()
        service.kill()


def test_the_command_delivers_serves_its_numbers_and_ends_in_order(folder: Path) -> None:
    """Its target is away: that is what the probe names, and what stays in the queue."""
    file = written_file(folder, "history")
    service = FeedProcess(f"ipc://{folder}", folder / "events", "e1", QUIET_MS, rounds=True)
    service.burst(40)
    words = [str(FELTWIRE), "webhooks", str(file), service.base, "--metrics", "0"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        port = next(found[1] for line in lines if (found := re.search(r"http://127\.0\.0\.1:(\d+)/metrics", line)))
        assert any(
            "is not taken: 127.0.0.1:9 is not reached: Connection refused; it is sent again" in line for line in lines
        )
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            shown = answer.read().decode()
        assert 'feltwire_webhook_failing{target="till"} 1.0' in shown
        assert 'feltwire_webhook_delivered_total{target="till"} 0.0' in shown
        with pytest.raises(urllib.error.HTTPError) as not_ready:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz")
        with not_ready.value as failed:
            assert "till, table wheel-1: 127.0.0.1:9 is not reached" in json.loads(failed.read())["problems"][0]
        process.send_signal(signal.SIGTERM)
        assert process.wait(HANG_S) == 0
        with closing(Queue(folder / "queue.sqlite")) as queue:
            assert queue.count("till") > 0
    finally:
        process.kill()
        process.communicate()
        service.kill()
