"""Follows services with the subscriber library, and serves their boards to browsers. It sends no service anything but
requests for history: it is read-only.

    service ───AsyncSubscriber───► Hall ──► Gateway ──ClientSender──► page
    JetStream ──TableSubscriber──►
"""

from __future__ import annotations

import asyncio
import gzip
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from aiohttp import WSCloseCode, web

from feed.subscriber import AsyncSubscriber, Missing, Refused, Rewritten, TableSubscriber, Trouble
from scoreboard.evening import PrintedTables, evening_of
from scoreboard.hall import READY_STALE_MS, Hall, HallService, Message
from scoreboard.newest import Acknowledgement, Newest
from scoreboard.phone import phone_code
from scoreboard.venue import NO_VENUE, Venue
from scoreboard.web import Assets, ClientSender, NamesAllowed, application
from scoreboard.web.sender import STOPPING, TOO_SLOW

if TYPE_CHECKING:
    from feed.keys import ClientCurve

log = logging.getLogger(__name__)

BEAT_S: Final = 0.5
"""Seconds between beats (ours): a page that receives none for its own `STALE_MS` shows that it has no signal."""
MOST_PAGES: Final = 600
"""Pages at a time (ours)."""
FULL: Final = "too many pages are open"
MOST_OF_ONE_ADDRESS: Final = 500
"""Pages of one address at a time (ours): as many as viewers behind one proxy, and room for others beside."""
ASK_S: Final = 5.0
"""A connection on which no page has asked for its tables by then is closed (ours): a browser asks at once."""
ASKED_NOTHING: Final = "nothing was asked for"
NS_PER_MS: Final = 1_000_000
MS_PER_S: Final = 1_000
PRINTED_FOR_MS: Final = 1_000
"""Pages that are printed get the same rounds for this long (ours): to make them again for each would take the time of
the boards."""


class _Printed(NamedTuple):
    """What is printed."""

    at: int
    """When it was made, by the gateway's clock in milliseconds."""
    packed: asyncio.Future[bytes]
    """As gzip."""


class Source(NamedTuple):
    """One service to follow, or what a server has of several."""

    endpoint: str
    """As sent to pages."""
    tables: tuple[str, ...] = ()
    """Their ids; empty for all."""
    curve: ClientCurve | None = None
    open: Callable[[bool | None], TableSubscriber] | None = None
    """Makes the subscriber, where it is not that of a service's own sockets. It is given which tables: real ones
    (False), simulated ones (True), or both (None)."""

    def subscriber(self, simulated: bool | None) -> TableSubscriber:
        """A new subscriber of it."""
        if self.open is not None:
            return self.open(simulated)
        return AsyncSubscriber(self.endpoint, tables=self.tables or None, simulated=simulated, curve=self.curve)


class PageRequest(msgspec.Struct, frozen=True):
    """What a page asks for when it connects: the first message that it sends."""

    gateway: str = ""
    """The gateway of which it has boards."""
    seen: dict[str, int] = {}
    """Their revisions."""
    table: str = ""
    """The only table that it shows; empty for all."""
    now: float | None = None
    """Its own clock, in milliseconds: it acknowledges each batch (`scoreboard.newest`). Without it the page receives
    every message as it comes, and is dropped where it does not keep up."""


class _Page:
    """One browser."""

    def __init__(self, gateway: Gateway, address: str | None = None) -> None:
        self.address = address
        self.sender = ClientSender(received=self._received)
        self.asked = False
        self.table = ""
        self._gateway = gateway
        self._newest: Newest | None = None

    def wants(self, key: str) -> bool:
        """Whether a board is shown there."""
        return self.asked and (not self.table or not key or self._gateway.hall.is_named(key, self.table))

    @property
    def batches(self) -> int:
        """How many batches were sent."""
        return 0 if self._newest is None else self._newest.batches

    @property
    def has_all(self) -> bool:
        """Whether it has acknowledged all that was sent."""
        return self._newest is None or self._newest.left_ms is None

    def must_have_asked(self) -> None:
        """Closes the connection unless the page has asked for its tables."""
        if not self.asked:
            self.sender.close(WSCloseCode.POLICY_VIOLATION, ASKED_NOTHING)

    def must_keep_up(self, now_ms: int) -> None:
        """Drops a page that has not acknowledged its batch for too long."""
        left_ms = None if self._newest is None else self._newest.left_ms
        if left_ms is not None and now_ms - left_ms > self.sender.limits.send_s * MS_PER_S:
            self.sender.close(WSCloseCode.TRY_AGAIN_LATER, TOO_SLOW)

    def put(self, message: Message) -> None:
        """A message for this page."""
        if self._newest is None:
            self.sender.send(message.body)
            return
        match message.kind:
            case "board":
                self._newest.put_board(message.key, message.body)
            case "motion":
                self._newest.put_motion(message.key, message.body)
            case kind:
                self._newest.put_first(kind, message.body)

    def flush(self) -> None:
        """Sends what waits, where nothing is on its way."""
        if self._newest is not None:
            self.sender.send(*self._newest.batch(self._gateway.now_ms()))

    def _received(self, text: str) -> None:
        try:
            if not self.asked:
                self._ask(msgspec.json.decode(text, type=PageRequest))
            elif self._newest is not None:
                self._newest.acknowledged(msgspec.json.decode(text, type=Acknowledgement), self._gateway.now_ms())
        except (ValueError, RecursionError) as error:
            what = "acknowledgement" if self.asked else "request"
            self.sender.close(WSCloseCode.POLICY_VIOLATION, f"no {what}: {error}"[:120])
            return
        self.flush()

    def _ask(self, request: PageRequest) -> None:
        self.asked, self.table = True, request.table
        if request.now is not None:
            self._newest = Newest(request.now, self._gateway.now_ms())
        hall = self._gateway.hall
        seen = request.seen if request.gateway == hall.gateway else {}
        self.put(hall.hello())
        for message in hall.missing(seen, hall.keys_named(self.table) if self.table else None):
            self.put(message)
        self.put(self._gateway.beat())


class Gateway:
    """Follows services, and serves their boards."""

    def __init__(
        self,
        hall: Hall,
        sources: Sequence[Source],
        *,
        simulated: bool | None = None,
        now_ns: Callable[[], int],
        day_ms: Callable[[], int | None] = lambda: None,
        wall_time: Callable[[], str | None] = lambda: None,
        proofs: str = "",
    ) -> None:
        """`simulated` as of the subscriber: None for real tables and simulated ones. `now_ns` is a clock that
        never goes back; `day_ms` gives the time of day, in milliseconds since midnight, `wall_time` the
        time of the calendar (RFC 3339, UTC); each is None where it is not known. `proofs` is the address of the page
        with proofs of results (`feltwire journal publish`), to which what is printed leads."""
        self._now_ns = now_ns
        self._day_ms = day_ms
        self._wall_time = wall_time
        self._proofs = proofs
        self.hall = hall
        self._sources = sources
        self._simulated = simulated
        self._pages: set[_Page] = set()
        self._subscribers: dict[HallService, TableSubscriber] = {}
        self.failure: asyncio.Future[None] | None = None
        """Fails where following a service does, while the site runs."""
        self._tasks: list[asyncio.Task[None]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._evening_made: _Printed | None = None
        self.dropped = 0
        """Browsers that did not keep up."""

    @property
    def pages(self) -> int:
        """How many pages are open."""
        return len(self._pages)

    def application(
        self, host: str, names: Sequence[str] = (), *, venue: Venue = NO_VENUE, embedded_by: Sequence[str] = ()
    ) -> web.Application:
        """The site on an address; `names` are further names of this computer, `embedded_by` the origins whose pages
        may frame it."""
        allowed = NamesAllowed.of_this_computer(host, names)

        async def phone(request: web.Request) -> web.Response:
            """The address of what a screen shows, for phones."""
            listening = request.transport
            port = 0 if listening is None else listening.get_extra_info("sockname")[1]
            return _json(phone_code(request.query.get("origin", ""), names, allowed, port, request.query))

        app = application(
            allowed,
            [
                Assets.of_package("scoreboard", "page"),
                Assets.of_package("scoreboard.web", "static", below="/web/"),
                Assets(venue.files),
            ],
            embedded_by=embedded_by,
        )
        app.router.add_get("/live", self._live)
        app.router.add_get("/phone.json", phone)
        app.router.add_get("/evening.json", self._evening)
        app.router.add_get("/livez", self._livez)
        app.router.add_get("/readyz", self._readyz)
        app.on_startup.append(self._start)
        app.on_shutdown.append(self._shutdown)
        app.on_cleanup.append(self._stop)
        return app

    def beat(self) -> Message:
        """The beat of this moment."""
        return self.hall.beat(self._refresh(), self.now_ms(), self._day_ms())

    def _refresh(self) -> dict[str, int | None]:
        """Notes for each service what its subscriber knows now. Returns for each board how old what is known of its
        table may be, in milliseconds; None where that is not known."""
        silent: dict[str, int | None] = {}
        for service, subscriber in self._subscribers.items():
            service.refused = subscriber.refused
            of_tables = {
                name: None if silent_ns is None else silent_ns // NS_PER_MS
                for name, silent_ns in subscriber.silent_ns.items()
            }
            service.aged(of_tables)
            silent |= {service.key(name): ms for name, ms in of_tables.items()}
        return silent

    def now_ms(self) -> int:
        """The gateway's clock, which never goes back."""
        return self._now_ns() // NS_PER_MS

    def publish(self, messages: Sequence[Message]) -> None:
        """Sends messages to the pages that show their boards."""
        for page in self._pages:
            for message in messages:
                if page.wants(message.key):
                    page.put(message)
            page.flush()

    async def _start(self, _app: web.Application) -> None:
        self.failure = asyncio.get_running_loop().create_future()
        for source in self._sources:
            service = self.hall.add_service(source.endpoint)
            task = asyncio.create_task(self._follow(service, source), name=f"follow {source.endpoint}")
            task.add_done_callback(self._ended)
            self._tasks.append(task)
        self._beat()

    async def _shutdown(self, _app: web.Application) -> None:
        for page in self._pages:
            page.sender.close(WSCloseCode.GOING_AWAY, STOPPING)

    async def _stop(self, _app: web.Application) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow(self, service: HallService, source: Source) -> None:
        async with source.subscriber(self._simulated) as subscriber:
            self._subscribers[service] = subscriber
            async for item in subscriber:
                self.publish(service.item(item, subscriber.states))
                if isinstance(item, Refused):
                    log.warning("%s", item)
                elif isinstance(item, Trouble):
                    log.warning("%s: %s", source.endpoint, item)
                elif isinstance(item, Rewritten | Missing):
                    # What is known of this table is not its history any more. Its snapshot is.
                    log.warning("%s: %s; joining this table again", source.endpoint, item)
                    subscriber.join_again(item.name)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A service is followed until the site stops: whatever else ends it is an error."""
        error = None if task.cancelled() else task.exception()
        if error is not None and self.failure is not None and not self.failure.done():
            self.failure.set_exception(error)

    def _beat(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(BEAT_S, self._beat)
        now_ms = self.now_ms()
        for page in self._pages:
            page.must_keep_up(now_ms)
        self.publish([self.beat()])

    async def _evening(self, _request: web.Request) -> web.Response:
        """The last rounds of each table, for a page that is printed."""
        if self._evening_made is None or self.now_ms() - self._evening_made.at >= PRINTED_FOR_MS:
            silent = self._refresh()
            tables = [
                evening_of(key, state, board, silent.get(key))
                for service, subscriber in self._subscribers.items()
                for name, state in subscriber.states.items()
                if (board := self.hall.view(key := service.key(name))) is not None
            ]
            packing = asyncio.to_thread(
                gzip.compress, msgspec.json.encode(PrintedTables(self._wall_time(), tables, self._proofs)), mtime=0
            )
            # Whoever asks meanwhile waits for the same one.
            self._evening_made = _Printed(self.now_ms(), asyncio.ensure_future(packing))
        packed = await asyncio.shield(self._evening_made.packed)
        headers = {"Content-Encoding": "gzip", "Cache-Control": "no-store"}
        return web.Response(body=packed, content_type="application/json", headers=headers)

    async def _livez(self, _request: web.Request) -> web.Response:
        """Whether the gateway can go on: it answers, and nothing that follows a service has ended."""
        failure = self.failure
        failed = failure is not None and failure.done() and not failure.cancelled()
        return _probe([f"following a service failed: {failure.exception()}"] if failure is not None and failed else [])

    async def _readyz(self, request: web.Request) -> web.Response:
        """Whether of every service the board of a table at least is current; or, with `?table=`, whether that
        table's is."""
        table = request.query.get("table")
        if table is not None:
            keys = self.hall.keys_named(table)
            if len(keys) > 1:
                return _probe([f'{len(keys)} tables are named "{table}": ask for one of {", ".join(keys)}'], status=400)
            silent = {key: ms for key, ms in self._refresh().items() if key in keys}
            if not silent:
                return _probe([f'no table "{table}"; there are: {", ".join(self.hall.keys) or "none"}'], status=404)
            return _probe([f"table {key} is stale" for key, ms in silent.items() if ms is None or ms > READY_STALE_MS])
        self._refresh()
        statuses = [service.status for service in self.hall.services]
        return _probe([f"{one.name}: {one.trouble or 'nothing is received'}" for one in statuses if not one.connected])

    async def _live(self, request: web.Request) -> web.StreamResponse:
        of_this_address = sum(page.address == request.remote for page in self._pages)
        if len(self._pages) >= MOST_PAGES or of_this_address >= MOST_OF_ONE_ADDRESS:
            raise web.HTTPServiceUnavailable(text=f"{FULL}\n")
        page = _Page(self, request.remote)
        self._pages.add(page)
        late = asyncio.get_running_loop().call_later(ASK_S, page.must_have_asked)
        try:
            return await page.sender.serve(request)
        finally:
            late.cancel()
            self._pages.discard(page)
            if page.sender.dropped:
                self.dropped += 1
                log.warning("a page at %s was dropped: %s", page.address, page.sender.dropped)


def _json(value: object) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), content_type="application/json")


def _probe(problems: Sequence[str], status: int = 503) -> web.Response:
    """The answer to a probe: 200 where there is no problem."""
    body = {"status": "failed" if problems else "ok", "problems": list(problems)}
    return web.json_response(body, status=status if problems else 200, headers={"Cache-Control": "no-store"})
