"""Makes attempts over HTTPS: no redirect, no cookie, no proxy of the environment, and little of an answer is read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from bridges.authority import tls_context
from bridges.webhooks.addresses import CheckedResolver
from bridges.webhooks.keys import TargetKeys
from bridges.webhooks.signature import headers
from hal.clock import NS_PER_S, Clock
from hal.plain_text import plain

ATTEMPT_S: Final = 10.0
"""The longest attempt, from the name server's answer to the target's (ours)."""
LONGEST_WHY: Final = 200
"""Characters of a failure that are logged (ours)."""
KIND: Final = "application/cloudevents+json"


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
        )

    async def __call__(self, event_id: str, body: bytes) -> str:
        """Sends an event. Returns why the target did not take it; an empty text where it did."""
        signed = headers(self._secrets, event_id, self._clock.wall_time_ns() // NS_PER_S, body)
        try:
            async with self._session.post(self._url, data=body, headers=signed, allow_redirects=False) as answer:
                status = answer.status
        except TimeoutError:
            return f"no answer in {ATTEMPT_S:g} s"
        except aiohttp.ServerDisconnectedError:
            # It has what came of the answer, as Python shows it.
            return "it closed the connection before its answer was whole"
        except aiohttp.ClientResponseError as error:
            return f"its answer cannot be read: {plain(error.message)[:LONGEST_WHY]}"
        except aiohttp.ClientConnectorError as error:
            return f"{self._where} is not reached: {plain(_why(error.os_error))[:LONGEST_WHY]}"
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return plain(str(error) or type(error).__name__)[:LONGEST_WHY]
        if 200 <= status < 300:
            return ""
        if 300 <= status < 400:
            return f"it answers {status}, and redirects are not followed: write the new address into url"
        return f"it answers {status}"

    async def close(self) -> None:
        """Closes its connections."""
        await self._session.close()


def _why(error: OSError) -> str:
    """Why no connection was made. Where the other end refuses it, asyncio has in the words the call that failed."""
    words = error.strerror or str(error)
    return os.strerror(error.errno) if error.errno and "Connect call failed" in words else words
