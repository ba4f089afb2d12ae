"""Requests to witnesses over HTTP: a limit of time, of size, and no redirects."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from audit.transparency.notes import MOST_NOTE_BYTES
from audit.transparency.publishing import PATIENCE_S, HttpAnswer, WitnessUnreachableError


class HttpCalls:
    """Requests over one session."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def post(self, url: str, body: bytes) -> HttpAnswer:
        """As of `WitnessCalls`."""
        return await self._call("POST", url, body)

    async def get(self, url: str) -> HttpAnswer:
        """As of `WitnessCalls`."""
        return await self._call("GET", url, None)

    async def _call(self, method: str, url: str, body: bytes | None) -> HttpAnswer:
        try:
            async with self._session.request(method, url, data=body, allow_redirects=False) as answer:
                found = bytearray()
                async for piece in answer.content.iter_any():
                    found += piece
                    if len(found) > MOST_NOTE_BYTES:
                        break
                return HttpAnswer(answer.status, bytes(found[: MOST_NOTE_BYTES + 1]))
        except TimeoutError as error:
            raise WitnessUnreachableError(f"no answer within {PATIENCE_S:g} s") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise WitnessUnreachableError(str(error) or type(error).__name__) from error


@asynccontextmanager
async def http_calls() -> AsyncIterator[HttpCalls]:
    """A session for as long as the block lasts. It keeps connections, and no cookies."""
    timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
    async with aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield HttpCalls(session)
