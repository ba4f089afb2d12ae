"""Many pages without a browser: `python -m benchmarks.board_clients URL PAGES MESSAGES`.

Each opens a WebSocket, asks as a page does, and acknowledges each batch. It prints `ready`, and `done` when every page
has this many boards.
"""

from __future__ import annotations

import asyncio
import json
import sys

import aiohttp


async def follow(session: aiohttp.ClientSession, url: str, messages: int, ready: asyncio.Semaphore) -> None:
    async with session.ws_connect(f"{url}live", origin=url.rstrip("/"), max_msg_size=0) as live:
        await live.send_str('{"now": 0}')
        ready.release()
        boards, more = 0, True
        while more:
            text = (await live.receive()).data
            boards += text.startswith('{"type":"board"')
            if text.startswith('{"type":"sync"'):
                await live.send_str(f'{{"ack": {json.loads(text)["batch"]}, "now": 0}}')
                more = boards < messages


async def main(url: str, pages: int, messages: int) -> None:
    ready = asyncio.Semaphore(0)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        tasks = [asyncio.create_task(follow(session, url, messages, ready)) for _ in range(pages)]
        for _ in range(pages):
            await ready.acquire()
        print("ready", flush=True)
        await asyncio.gather(*tasks)
        print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
