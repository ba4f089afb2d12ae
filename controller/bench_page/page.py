"""The page of the bench on aiohttp: its files, its updates, its actions and its captures.

Whoever may change something needs the token of this start, which only the page itself can read: a page of another
origin can send a request here, but `guard` refuses it, and it cannot read an answer.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from secrets import token_urlsafe
from typing import Any, Final

import msgspec
from aiohttp import WSCloseCode, web

from controller.bench_page.actions import ActionError
from controller.bench_page.captures import MOST_BYTES, CaptureDesk, CaptureRefusal, alignment_of
from controller.bench_page.host import ENCODER, BenchHost
from controller.bench_page.languages import shared_assets
from controller.captures.capture_store import render
from scoreboard.web import Assets, ClientSender, Limits, NamesAllowed, application
from scoreboard.web.sender import STOPPING

log = logging.getLogger(__name__)

TOKEN: Final = "X-Bench-Token"
MOST_ACTION_BYTES: Final = 16 * 1024
NOTHING_YET: Final = "nothing has arrived on the lines yet: wait a moment"
MOST_CLIENTS: Final = 16
"""Browsers at once (ours): a technician has one or two."""
LIMITS: Final = Limits(messages=250, octets=4 * 1024 * 1024)
"""What is kept for a browser that does not keep up: ten seconds; then it connects again, and gets the past again."""


class BenchPage:
    """The page of one host."""

    def __init__(self, host: BenchHost, allowed: NamesAllowed) -> None:
        self._host = host
        self._token = token_urlsafe(24)
        self._clients: set[ClientSender] = set()
        self.captures = CaptureDesk(host.config)
        assets = [
            Assets.of_package("controller.bench_page", "static"),
            shared_assets(),
            Assets.of_package("scoreboard.web", "static", below="/web/"),
        ]
        self.app = app = application(allowed, assets, most_body_bytes=MOST_BYTES)
        app.router.add_get("/live", self._live)
        app.router.add_post("/action", self._action)
        app.router.add_post("/captures", self._capture)
        app.router.add_post("/compare", self._compare)
        app.router.add_get("/saved.vcd", self._saved)
        app.on_shutdown.append(self._shut)

    @property
    def clients(self) -> int:
        """How many browsers are connected."""
        return len(self._clients)

    async def run(self) -> None:
        """Runs the table, and sends its updates to every browser, until it is cancelled."""
        await self._host.run(self.send)

    def send(self, update: bytes) -> None:
        """Sends an update to every browser."""
        for client in self._clients:
            client.send(update)

    # --- answers -------------------------------------------------------------------------------------------------

    async def _live(self, request: web.Request) -> web.WebSocketResponse:
        if len(self._clients) >= MOST_CLIENTS:
            raise web.HTTPServiceUnavailable(text=f"{MOST_CLIENTS} browsers look at this bench already\n")
        client = ClientSender(LIMITS)
        client.send(self._host.hello(self._token))
        self._clients.add(client)
        try:
            return await client.serve(request)
        finally:
            self._clients.discard(client)

    async def _action(self, request: web.Request) -> web.Response:
        self._check(request)
        asked = await _asked(request)
        try:
            return _json({"done": True, "said": self._host.act(asked)})
        except ActionError as error:
            return _json({"done": False, "words": str(error)})

    async def _capture(self, request: web.Request) -> web.Response:
        self._check(request)
        name, data = request.query.get("name", ""), await request.read()
        if request.query.get("of") == "live":
            wanted = self._host.wanted()
            if wanted is None:
                return _json({"done": False, "words": NOTHING_YET})
            name, data = f"{wanted.event_id}.vcd", (await asyncio.to_thread(render, wanted)).data
        try:
            number, replayed = await self.captures.replay(name, data)
        except CaptureRefusal as error:
            return _json({"done": False, "words": str(error)})
        body = await asyncio.to_thread(ENCODER.encode, {"done": True, "number": number, "capture": replayed})
        return web.Response(body=body, content_type="application/json")

    async def _compare(self, request: web.Request) -> web.Response:
        self._check(request)
        try:
            comparison = await self.captures.compare(alignment_of(await _asked(request)))
        except CaptureRefusal as error:
            return _json({"done": False, "words": str(error)})
        return _json({"done": True, "comparison": comparison})

    async def _saved(self, request: web.Request) -> web.Response:
        if request.headers.get("Sec-Fetch-Site") == "cross-site":
            raise web.HTTPForbidden(text="only a page of this server may have it: another site's asked\n")
        wanted = self._host.wanted()
        if wanted is None:
            raise web.HTTPNotFound(text=f"{NOTHING_YET}\n")
        rendered = await asyncio.to_thread(render, wanted)
        name, data = f"{wanted.event_id}.vcd", rendered.data
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return web.Response(body=data, content_type="application/octet-stream", headers=headers)

    def _check(self, request: web.Request) -> None:
        if not hmac.compare_digest(request.headers.get(TOKEN, "").encode(), self._token.encode()):
            raise web.HTTPForbidden(text="the token of this start is missing or wrong: load the page again\n")

    async def _shut(self, app: web.Application) -> None:
        for client in self._clients:
            client.close(WSCloseCode.GOING_AWAY, STOPPING)
        self.captures.close()


async def _asked(request: web.Request) -> dict[str, Any]:
    """The JSON object of a request. A chunked body does not state its length, so it is counted as it comes."""
    length = request.content_length or 0
    body = bytearray()
    while length <= MOST_ACTION_BYTES and (piece := await request.content.readany()):
        body += piece
        length = max(length, len(body))
    if length > MOST_ACTION_BYTES:
        raise web.HTTPRequestEntityTooLarge(MOST_ACTION_BYTES, length)
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise web.HTTPBadRequest(text="expected a JSON object\n") from error


def _json(value: object) -> web.Response:
    """An answer; what was refused has `done` false, and the words for the person who asked."""
    return web.Response(body=ENCODER.encode(value), content_type="application/json")
