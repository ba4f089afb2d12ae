"""Makes attempts over HTTPS: no redirect, no cookie, no proxy of the environment, and little of an answer is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp

from bridges.authority import tls_context
from bridges.webhooks.addresses import CheckedResolver
from bridges.webhooks.delivery import TargetAnswer
from bridges.webhooks.keys import TargetKeys
from bridges.webhooks.signature import headers
from hal.clock import NS_PER_S, Clock
from hal.plain_text import plain

ATTEMPT_S: Final = 10.0
"""The longest attempt, from the name server's answer to the target's (ours)."""
LONGEST_ASKED_NS: Final = 3600 * NS_PER_S
"""The longest time that a target may ask for with `Retry-After`, and between two attempts at one that answers 410
(ours)."""
LONGEST_WHY: Final = 200
"""Characters of a failure that are logged (ours)."""
KIND: Final = "application/cloudevents+json"


def _beginnings() -> aiohttp.TraceConfig:
    """Calls what an attempt has for it once there is a connection, and before a byte of the request is sent."""

    async def begin(session: aiohttp.ClientSession, context: Any, headers: Any) -> None:
        context.trace_request_ctx()

    tracing = aiohttp.TraceConfig()
    tracing.on_request_headers_sent.append(begin)
    return tracing


class WebhookSender:
    """Sends events to one target. Close it with `close`."""

    def __init__(self, target: TargetKeys, secrets: Sequence[bytes], clock: Clock, user_agent: str) -> None:
        """
        Raises:
            AuthorityError: the file of the authority cannot be used.
        """
        self._url = target.url
        self._where = urlsplit(target.url).netloc
        self._secrets = [*secrets]
        self._clock = clock
        tls = tls_context(target.ca, f"the target {target.name}")
        self._session = aiohttp.ClientSession(
            # Its cache keeps a name for 10 s, and has it looked up once, however many tables wait for it: the threads
            # are those of all targets.
            connector=aiohttp.TCPConnector(ssl=tls, resolver=CheckedResolver(private=target.private)),
            timeout=aiohttp.ClientTimeout(total=ATTEMPT_S),
            headers={"content-type": KIND, "user-agent": user_agent},
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trace_configs=[_beginnings()],
        )

    async def __call__(self, event_id: str, body: bytes, begin: Callable[[], None]) -> TargetAnswer:
        """Sends an event. Calls `begin` before a byte of it is sent."""
        try:
            return await self._attempt(event_id, body, begin)
        except TimeoutError:
            why = f"no answer in {ATTEMPT_S:g} s"
        except aiohttp.ServerDisconnectedError:
            # It has what came of the answer, as Python shows it.
            why = "it closed the connection before its answer was whole"
        except aiohttp.ClientResponseError as error:
            why = f"its answer cannot be read: {plain(error.message)[:LONGEST_WHY]}"
        except aiohttp.ClientConnectorError as error:
            why = f"{self._where} is not reached: {plain(_why(error.os_error))[:LONGEST_WHY]}"
        except (aiohttp.ClientError, OSError, ValueError) as error:
            why = plain(str(error) or type(error).__name__)[:LONGEST_WHY]
        return TargetAnswer(why)

    async def _attempt(self, event_id: str, body: bytes, begin: Callable[[], None]) -> TargetAnswer:
        signed = headers(self._secrets, event_id, self._clock.wall_time_ns() // NS_PER_S, body)
        async with self._session.post(
            self._url, data=body, headers=signed, allow_redirects=False, trace_request_ctx=begin
        ) as answer:
            status = answer.status
            asked_ns = asked_wait_ns(answer.headers.get("Retry-After", ""), self._clock.wall_time_ns())
        if 200 <= status < 300:
            return TargetAnswer()
        # After 5xx it may have the event all the same, or a server behind it: proxies answer 502, 503 and 504 as well
        # where that ended the connection after the request, and 408 where they waited too long.
        why, refused = f"it answers {status}", 300 <= status < 500 and status != HTTPStatus.REQUEST_TIMEOUT
        if 300 <= status < 400:
            why += ", and redirects are not followed: write the new address into url"
        elif status == HTTPStatus.GONE:
            return TargetAnswer(
                f"{why}: it wants no more; remove the target", LONGEST_ASKED_NS, gone=True, refused=True
            )
        elif asked_ns:
            why += ", and asks for a pause"
        return TargetAnswer(why, asked_ns, refused=refused)

    async def close(self) -> None:
        """Closes its connections."""
        await self._session.close()


def asked_wait_ns(retry_after: str, now_ns: int) -> int:
    """The time that a `Retry-After` asks for (RFC 9110, 10.2.3), in seconds or as a date; at most `LONGEST_ASKED_NS`,
    and 0 where it is neither. `now_ns` is the wall clock's."""
    if retry_after.isascii() and retry_after.isdecimal():
        # Python reads no number of more than 4,300 digits.
        asked_ns = int(retry_after) * NS_PER_S if len(retry_after) < 10 else LONGEST_ASKED_NS
    else:
        try:
            date = parsedate_to_datetime(retry_after)
            asked_ns = int(date.replace(tzinfo=date.tzinfo or UTC).timestamp()) * NS_PER_S - now_ns
        except (ValueError, OverflowError):
            return 0
    return min(max(asked_ns, 0), LONGEST_ASKED_NS)


def _why(error: OSError) -> str:
    """Why no connection was made. Where the other end refuses it, asyncio has in the words the call that failed."""
    words = error.strerror or str(error)
    return os.strerror(error.errno) if error.errno and "Connect call failed" in words else words
