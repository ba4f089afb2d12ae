"""A stream of events as a log: every message is a leaf, in the order of the stream, and its number there is its place.

Witnesses sign what the relays published as the stream has it, whoever has the tables' computers. Events and seals are
removed from a stream only by archiving; the tree keeps their leaves.
"""

from __future__ import annotations

import asyncio
from hashlib import sha256
from typing import Final

from audit.errors import JournalDamaged
from audit.transparency.tree import leaf_hash
from audit.transparency.tree_file import TreeFile
from fleet.streams import JetStream

ORIGIN: Final = "feltwire-stream/"
_ORIGIN_DIGITS: Final = 32
_ENDED: Final = (
    "this log has ended: keep it. No other of this stream can begin, since a tree begins with message 1; make the "
    "stream again, and publish that with a new --state before `fleet archive --trim` takes anything from it"
)
_PIECE: Final = 500
"""Messages that are added at a time (ours)."""


def stream_origin(stream: str, public_key: bytes) -> str:
    """The name of a stream's log: of the stream, and of the key that signs it first. A stream that is made again under
    its name has to be published with another key."""
    return ORIGIN + sha256(stream.encode() + b"\0" + public_key).hexdigest()[:_ORIGIN_DIGITS]


async def catch_up_stream(jetstream: JetStream, stream: str, tree: TreeFile) -> int:
    """Adds to a tree what its stream has more; returns its size.

    Raises:
        JournalDamaged: the stream does not go on from what the tree has: nothing of it may be signed.
        JournalError: the tree cannot be read or written.
        NatsUnavailableError, NatsRefusedError: the stream cannot be read.
    """
    size = tree.size
    info = await jetstream.info(stream)
    last = 0 if info is None else info.last_seq
    if last < size:
        what = (
            f"the stream {stream} ends with message {last}, and message {size} was in it: it was made again, or cut off"
        )
        raise JournalDamaged(tree.path, what, "no checkpoint is signed any more; run `feltwire fleet verify`")
    waiting: list[bytes] = []
    async for message in jetstream.read(stream, start=max(1, size)):
        leaf = leaf_hash(message.body)
        if message.seq == size and not waiting:
            if leaf != tree.node(0, size - 1):
                what = f"message {size} of the stream {stream} is not the one that was in it"
                raise JournalDamaged(tree.path, what, "no checkpoint is signed any more; run `feltwire fleet verify`")
            continue
        if message.seq != size + len(waiting) + 1:
            first = size + len(waiting) + 1
            what = f"message {first} of the stream {stream} was removed before it was in the tree"
            raise JournalDamaged(tree.path, what, _ENDED)
        waiting.append(leaf)
        if len(waiting) == _PIECE:
            await asyncio.to_thread(tree.append, waiting, size)
            size, waiting = size + len(waiting), []
    if waiting:
        await asyncio.to_thread(tree.append, waiting, size)
    return size + len(waiting)
