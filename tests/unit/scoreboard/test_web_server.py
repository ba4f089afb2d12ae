"""A server of local pages on a real socket: files, headers, refusals, ports, and its end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import WSMsgType, web

from hal.clock import NS_PER_S, VirtualClock
from hal.loop import run_virtual
from scoreboard.web import (
    CONTENT_SECURITY_POLICY,
    AddressError,
    Assets,
    ClientSender,
    Limits,
    NamesAllowed,
    PageServer,
    application,
)
from scoreboard.web.sender import TOO_SLOW

pytestmark = pytest.mark.long

HANG_S = 60
FILES = {
    "index.html": b"<!doctype html><p>board",
    "js/board.js": b"let a = 1;",
    "js/long.js": b"let a = 1;\n" * 100,
}


def turn_of_the_loop() -> asyncio.Future[None]:
    """Lets everything run that is ready."""
    loop = asyncio.get_running_loop()
    turn: asyncio.Future[None] = loop.create_future()
    loop.call_soon(turn.set_result, None)
    return turn


class Site:
    """A site with a WebSocket at /live, on a free port."""

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008  # a constant
        self.limits = limits
        self.senders: list[ClientSender] = []
        self.received: list[str] = []
        self.failures: list[BaseException] = []
        """What ended connections, where it was an error."""
        self.transports: list[asyncio.Transport] = []
        """Of the connections of the senders."""
        self.receives: Callable[[str], None] = self.received.append
        self.before: Callable[[ClientSender], object] = lambda sender: None
        """Is given each sender before it serves."""
        self.connected = asyncio.Event()
        self.ended = asyncio.Event()
        app = application(NamesAllowed.on("127.0.0.1"), [Assets(FILES)])
        app.router.add_get("/live", self._live)
        app.router.add_post("/change", self._change)
        app.on_shutdown.append(self._stop)
        self.server = PageServer(app)

    async def _live(self, request: web.Request) -> web.StreamResponse:
        sender = ClientSender(self.limits, lambda text: self.receives(text))
        self.senders.append(sender)
        assert request.transport is not None
        self.transports.append(request.transport)
        self.before(sender)
        self.connected.set()
        try:
            return await sender.serve(request)
        except BaseException as error:
            self.failures.append(error)
            raise
        finally:
            self.ended.set()

    async def _change(self, request: web.Request) -> web.Response:
        return web.Response(text=await request.text())

    async def _stop(self, _app: web.Application) -> None:
        for sender in self.senders:
            sender.close(1001, "the server stops")


@asynccontextmanager
async def site(limits: Limits = Limits()) -> AsyncIterator[tuple[Site, aiohttp.ClientSession, str]]:  # noqa: B008
    made = Site(limits)
    url = await made.server.start()
    async with asyncio.timeout(HANG_S), aiohttp.ClientSession() as session:
        try:
            yield made, session, url
        finally:
            await made.server.stop()


def test_files_come_with_their_tag_and_a_known_one_comes_only_once() -> None:
    async def main() -> None:
        async with site() as (_, session, url):
            async with session.get(url) as first:
                assert (first.status, await first.read()) == (200, FILES["index.html"])
                etag = first.headers["ETag"]
            async with session.get(url, headers={"If-None-Match": f'"other", W/{etag}'}) as again:
                assert (again.status, await again.read(), again.headers["ETag"]) == (304, b"", etag)
            async with session.head(f"{url}js/board.js") as head:
                assert (head.status, head.headers["Content-Length"], await head.read()) == (200, "10", b"")

    asyncio.run(main())


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [("gzip, deflate, br", True), ("GZIP;q=0.5", True), ("*", False), ("identity", False), ("gzip;q=0, br", False)],
)
def test_a_file_is_packed_for_a_browser_that_takes_it(accepted: str, packed: bool) -> None:
    async def main() -> None:
        async with site() as (_, session, url):
            asking = {"Accept-Encoding": accepted}
            async with session.get(f"{url}js/long.js", headers=asking) as answer:
                assert await answer.read() == FILES["js/long.js"]
                assert (answer.headers.get("Content-Encoding") == "gzip") == packed
                assert int(answer.headers["Content-Length"]) < len(FILES["js/long.js"]) or not packed
                assert answer.headers["Vary"] == "Accept-Encoding"
                etag = answer.headers["ETag"]
            for known, status in ((etag, 304), (etag.replace("-gzip", "") if packed else f'{etag[:-1]}-gzip"', 200)):
                async with session.get(f"{url}js/long.js", headers={**asking, "If-None-Match": known}) as again:
                    assert again.status == status
            # Nothing is gained with a file that is short.
            async with session.get(f"{url}js/board.js", headers=asking) as short:
                assert "Content-Encoding" not in short.headers

    asyncio.run(main())


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/js/../../x",
        "/%2e%2e/pyproject.toml",
        "/..%2fpyproject.toml",
        "//etc/passwd",
        "/js",
        "/js/",
        "/%00",
    ],
)
def test_no_path_leaves_the_files(path: str) -> None:
    async def main() -> None:
        async with site() as (made, _, _url):
            port = int(made.server.url.rsplit(":", 1)[1].strip("/"))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
            assert answer.split(b" ")[1] in (b"404", b"400"), answer

    asyncio.run(main())


def test_every_answer_has_the_headers_also_a_refusal() -> None:
    async def main() -> None:
        async with site() as (_, session, url):
            for path, headers in (("", {}), ("nothing", {}), ("", {"Host": "evil.example"})):
                async with session.get(url + path, headers=headers) as answer:
                    assert answer.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
                    assert answer.headers["X-Content-Type-Options"] == "nosniff"
                    assert answer.headers["Server"] == "feltwire"

    asyncio.run(main())


def test_a_rebound_name_is_refused_and_the_answer_says_what_to_do() -> None:
    async def main() -> None:
        async with site() as (_, session, url), session.get(url, headers={"Host": "evil.example:80"}) as answer:
            assert answer.status == 421
            assert "'evil.example:80' is not a name of this server" in await answer.text()

    asyncio.run(main())


def test_only_a_page_of_this_server_opens_a_websocket_or_changes_anything() -> None:
    async def main() -> None:
        async with site() as (made, session, url):
            own = url.rstrip("/")
            for origin in (None, "http://evil.example", "null"):
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await session.ws_connect(f"{url}live", origin=origin)
                assert refused.value.status == 403
                async with session.post(f"{url}change", headers={"Origin": origin} if origin else {}) as answer:
                    assert answer.status == 403
            assert not made.senders
            async with session.post(f"{url}change", data="x", headers={"Origin": own}) as answer:
                assert await answer.text() == "x"
            async with session.ws_connect(f"{url}live", origin=own) as live:
                await made.connected.wait()
                made.senders[0].send(b'{"a": "\xc3\xa9"}')
                assert (await live.receive()).data == '{"a": "é"}'

    asyncio.run(main())


def test_messages_come_in_order_and_what_the_page_sends_is_handed_on() -> None:
    async def main() -> None:
        async with site() as (made, session, url), session.ws_connect(f"{url}live", origin=url.rstrip("/")) as live:
            await made.connected.wait()
            for number in range(300):
                assert made.senders[0].send(b"%d" % number)
            assert [int((await live.receive()).data) for _ in range(300)] == list(range(300))
            await live.send_str("seen")
            await live.close()
            await made.ended.wait()
            assert made.received == ["seen"]
            assert not made.senders[0].send(b"late")

    asyncio.run(main())


def test_a_browser_that_does_not_read_is_dropped_with_a_reason_and_nothing_grows() -> None:
    """It reads nothing, so that the sockets fill up; then the queue does, up to its limit."""

    async def main() -> None:
        limits = Limits(messages=50, octets=1 << 20, close_s=0.1)
        async with site(limits) as (made, session, url):
            live = await session.ws_connect(f"{url}live", origin=url.rstrip("/"), max_msg_size=0)
            assert live._response.connection is not None and live._response.connection.transport is not None
            live._response.connection.transport.pause_reading()
            await made.connected.wait()
            sender, most = made.senders[0], 0
            while sender.send(b"x" * 10_000):
                most = max(most, sender.waiting[0])
                # Yields to the writer.
                await turn_of_the_loop()
            assert most <= limits.messages
            assert sender.dropped == TOO_SLOW
            assert sender.waiting == (0, 0)
            await made.ended.wait()
            # Another browser is served.
            async with session.ws_connect(f"{url}live", origin=url.rstrip("/")) as other:
                while len(made.senders) < 2:
                    await turn_of_the_loop()
                made.senders[1].send(b"here")
                assert (await other.receive()).data == "here"

    asyncio.run(main())


def mistaken(text: str) -> None:
    raise LookupError(f"a mistake in the program: {text}")


@pytest.mark.parametrize("how", ["takes too long", "server stops", "page closes", "no answer to a ping", "a mistake"])
def test_a_connection_that_ends_while_its_page_reads_nothing_is_cut(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer waits for the page then: it ends with the connection, and no other begins."""
    slow, silent = how == "takes too long", how == "no answer to a ping"
    if silent:
        monkeypatch.setattr("scoreboard.web.sender.PING_S", 0.1)

    async def main() -> None:
        limits = Limits(octets=1 << 30, send_s=0.1 if slow else HANG_S, close_s=0.1)
        async with site(limits) as (made, session, url):
            made.receives = mistaken
            live = await session.ws_connect(f"{url}live", origin=url.rstrip("/"), max_msg_size=0)
            assert live._response.connection is not None and live._response.connection.transport is not None
            live._response.connection.transport.pause_reading()
            await made.connected.wait()
            sender, transport = made.senders[0], made.transports[0]
            while sum(sender.waiting) < 1_000_000:
                assert sender.send(b"x" * 200_000)
                await turn_of_the_loop()
            if how == "server stops":
                sender.close(1001, "the server stops")
            elif how == "page closes":
                await live._writer.send_frame((1000).to_bytes(2, "big"), WSMsgType.CLOSE)
            elif how == "a mistake":
                await live.send_str("seen")
            await made.ended.wait()
            assert [*map(str, made.failures)] == (["a mistake in the program: seen"] if how == "a mistake" else [])
            assert sender.dropped == (TOO_SLOW if slow else "")
            assert sender.waiting == (0, 0)
            assert not [task for task in asyncio.all_tasks() if "ClientSender._write" in repr(task)]
            while transport.get_extra_info("socket").fileno() >= 0:
                await turn_of_the_loop()
            assert transport.get_write_buffer_size() == 0

    asyncio.run(main())


def test_a_page_that_reads_again_gets_the_reason_for_which_it_was_dropped() -> None:
    async def main() -> None:
        async with site(Limits(octets=1 << 20, close_s=HANG_S)) as (made, session, url):
            live = await session.ws_connect(f"{url}live", origin=url.rstrip("/"), max_msg_size=0)
            assert live._response.connection is not None and live._response.connection.transport is not None
            live._response.connection.transport.pause_reading()
            await made.connected.wait()
            while made.senders[0].send(b"x" * 10_000):
                await turn_of_the_loop()
            await made.ended.wait()
            live._response.connection.transport.resume_reading()
            while (message := await live.receive()).type is WSMsgType.TEXT:
                assert message.data == "x" * 10_000
            assert (message.type, message.data, message.extra) == (WSMsgType.CLOSE, 1013, TOO_SLOW)

    asyncio.run(main())


@pytest.mark.parametrize("length", [0, 1, 125, 126, 127, 65_535, 65_536, 200_000])
def test_messages_of_every_length_come_whole_and_in_order(length: int) -> None:
    """Written at once or by the writer: before the connection the one waits, and the others come after it."""

    async def main() -> None:
        async with site() as (made, session, url), session.ws_connect(f"{url}live", origin=url.rstrip("/")) as live:
            await made.connected.wait()
            text = "x" * length
            expected = []
            for number in range(6):
                assert made.senders[0].send(text.encode(), b"%d" % number)
                expected += [text, str(number)]
                if number % 2:
                    await turn_of_the_loop()
            assert [(await live.receive()).data for _ in expected] == expected

    asyncio.run(main())


def test_too_many_octets_drop_a_browser_too() -> None:
    async def main() -> None:
        sender = ClientSender(Limits(messages=100, octets=10))
        assert sender.send(b"12345")
        assert sender.waiting == (1, 5)
        assert not sender.send(b"123456")
        assert sender.dropped == TOO_SLOW

    asyncio.run(main())


def test_a_page_that_sends_too_much_is_closed() -> None:
    async def main() -> None:
        async with site(Limits(received_octets=100)) as (made, session, url):
            async with session.ws_connect(f"{url}live", origin=url.rstrip("/")) as live:
                await live.send_str("x" * 200)
                message = await live.receive()
                assert (message.type, message.data) == (WSMsgType.CLOSE, 1009)
            await made.ended.wait()

    asyncio.run(main())


@pytest.mark.parametrize("first", [True, False], ids=["before it is served", "while it is read"])
def test_a_page_that_is_closed_gets_the_reason_and_nothing_fails(first: bool) -> None:
    async def main() -> None:
        async with site() as (made, session, url):
            if first:
                made.before = lambda sender: sender.close(1008, "no")
            async with session.ws_connect(f"{url}live", origin=url.rstrip("/")) as live:
                await made.connected.wait()
                await live.send_str("a page")
                while not first and made.received != ["a page"]:
                    await turn_of_the_loop()
                made.senders[0].close(1008, "no")
                message = await live.receive()
                assert (message.type, message.data, message.extra) == (WSMsgType.CLOSE, 1008, "no")
            await made.ended.wait()
            assert made.failures == []
            assert not made.senders[0].send(b"more")

    asyncio.run(main())


def test_what_fails_while_a_message_is_written_ends_the_connection() -> None:
    async def failing(message: object, kind: object) -> None:
        raise LookupError("a mistake in the program")

    def before(sender: ClientSender) -> None:
        sender.socket.send_frame = failing  # type: ignore[method-assign,assignment]
        sender.send(b"it waits until the page is there, and for the writer")

    async def main() -> None:
        async with site() as (made, session, url):
            made.before = before
            async with session.ws_connect(f"{url}live", origin=url.rstrip("/")) as live:
                assert (await live.receive()).type is WSMsgType.CLOSE
            await made.ended.wait()
            assert [str(error) for error in made.failures] == ["a mistake in the program"]

    asyncio.run(main())


def test_browsers_are_told_that_the_server_stops() -> None:
    async def main() -> None:
        async with site() as (made, session, url), session.ws_connect(f"{url}live", origin=url.rstrip("/")) as live:
            await made.connected.wait()
            stopping = asyncio.ensure_future(made.server.stop())
            message = await live.receive()
            assert (message.type, message.data, message.extra) == (WSMsgType.CLOSE, 1001, "the server stops")
            await stopping

    asyncio.run(main())


@pytest.mark.parametrize("turns", range(5))
def test_a_browser_that_connects_while_the_server_stops_is_cut_off(turns: int) -> None:
    async def main() -> None:
        made = Site()
        url = await made.server.start()
        with silent(url) as browser:
            for _ in range(turns):
                await turn_of_the_loop()
            await made.server.stop()
            async with asyncio.timeout(HANG_S):
                assert await is_ended(browser)

    asyncio.run(main())


def silent(url: str) -> socket.socket:
    """A connection over which nothing was sent yet."""
    connection = socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1].strip("/"))))
    connection.setblocking(False)
    return connection


async def is_ended(connection: socket.socket) -> bool:
    """Waits until something comes; whether that is the end."""
    try:
        return await asyncio.get_running_loop().sock_recv(connection, 1) == b""
    except ConnectionError:
        return True


def test_of_too_many_silent_connections_the_oldest_end_and_pages_are_served(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("scoreboard.web.connections.MOST", 8)

    async def main() -> None:
        async with site() as (made, session, url), session.ws_connect(f"{url}live", origin=url.rstrip("/")) as live:
            strangers = []
            for _ in range(30):
                strangers.append(silent(url))
                # What is accepted in one turn of the loop is bounded in the next ones.
                for _ in range(8):
                    await turn_of_the_loop()
            for stranger in strangers[:22]:
                assert await is_ended(stranger)
            async with session.get(url) as answer:
                assert answer.status == 200
            assert await is_ended(strangers[22])
            strangers[-1].send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert not await is_ended(strangers[-1])
            made.senders[0].send(b"still here")
            assert (await live.receive()).data == "still here"
            for stranger in strangers:
                stranger.close()

    asyncio.run(main())
    (told,) = (record.getMessage() for record in caplog.records if record.name == "scoreboard.web.connections")
    assert told == "too many connections that are not WebSockets: the oldest of 127.0.0.1 are ended"


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: lo"], ids=["nothing", "half a header"])
def test_a_connection_without_a_request_ends_after_75_s(sent: bytes) -> None:
    clock = VirtualClock()

    async def main() -> None:
        server = PageServer(application(NamesAllowed.on("127.0.0.1"), [Assets(FILES)]))
        with silent(await server.start()) as stranger:
            stranger.send(sent)
            assert await is_ended(stranger)
        assert clock.now_ns() == 75 * NS_PER_S
        await server.stop()

    run_virtual(main(), clock)


def _taken() -> socket.socket:
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    return taken


def test_a_port_in_use_is_said_plainly() -> None:
    async def main() -> None:
        with _taken() as taken:
            port = taken.getsockname()[1]
            with pytest.raises(AddressError, match=f"port {port} of 127.0.0.1 is in use by another program: .* --port"):
                await PageServer(web.Application(), port=port).start()

    asyncio.run(main())


def test_a_busy_port_takes_the_next_free_one_where_that_is_asked_for() -> None:
    async def main() -> None:
        with _taken() as taken:
            port = taken.getsockname()[1]
            server = PageServer(web.Application(), port=port, next_free=True)
            url = await server.start()
            assert port < int(url.rsplit(":", 1)[1].strip("/")) < port + 20
            await server.stop()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("host", "why"), [("192.0.2.1", "not an address of this computer"), ("pit", "pit is not an IP address")]
)
def test_an_address_of_another_computer_is_refused(host: str, why: str) -> None:
    async def main() -> None:
        with pytest.raises(AddressError, match=why):
            await PageServer(web.Application(), host=host).start()

    asyncio.run(main())


def test_it_listens_on_ipv6() -> None:
    async def main() -> None:
        server = PageServer(application(NamesAllowed.on("::1"), [Assets(FILES)]), host="::1")
        url = await server.start()
        assert url.startswith("http://[::1]:")
        async with aiohttp.ClientSession() as session, session.get(url) as answer:
            assert answer.status == 200
        await server.stop()

    asyncio.run(main())
