"""A stream as a log: what it adds to its tree, and when it refuses to go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from audit.errors import JournalDamaged
from audit.transparency.tree import root_of
from audit.transparency.tree_file import TreeFile
from fleet.stream_log import catch_up_stream, stream_origin
from fleet.streams import JetStream, StoredMessage, StreamInfo
from tests.fakes.witnessing import bodies_of, grown

STREAM = "feltwire-hall"
BODIES = bodies_of("message", 1200)


class HeldStream:
    """What a stream holds: bodies by their number."""

    def __init__(self, count: int) -> None:
        self.held = dict(enumerate(BODIES[:count], 1))
        self.read_from: list[int] = []

    async def info(self, stream: str) -> StreamInfo | None:
        assert stream == STREAM
        numbers = self.held or {0: b""}
        return StreamInfo(stream, len(self.held), 0, min(numbers), max(numbers), {}, {}, [])

    async def read(self, stream: str, subject: str = ">", start: int = 1) -> AsyncIterator[StoredMessage]:
        self.read_from.append(start)
        for seq, body in self.held.items():
            if seq >= start:
                yield StoredMessage(f"{stream}.x", seq, {}, body)


def catch_up(held: HeldStream, tree: TreeFile) -> int:
    return asyncio.run(catch_up_stream(cast(JetStream, cast(Any, held)), STREAM, tree))


def test_messages_are_leaves_in_their_order_and_what_was_read_is_not_read_again(tmp_path: Path) -> None:
    held = HeldStream(1100)
    with TreeFile.open(tmp_path / "hall.tree", stream_origin(STREAM, b"k" * 32)) as tree:
        assert catch_up(held, tree) == 1100
        assert tree.checkpoint(1100).root == root_of(1100, grown(BODIES[:1100]).node)
        assert catch_up(held, tree) == 1100
        held.held |= dict(enumerate(BODIES, 1))
        # Archiving removes what is in the tree already.
        for seq in range(1, 1101):
            del held.held[seq]
        assert catch_up(held, tree) == 1200
        assert held.read_from == [1, 1100, 1100]
        assert tree.checkpoint(1200).root == root_of(1200, grown(BODIES).node)


def test_a_stream_that_was_cut_off_rewritten_or_has_a_gap_is_refused(tmp_path: Path) -> None:
    held = HeldStream(10)
    with TreeFile.open(tmp_path / "hall.tree", "feltwire-stream/x") as tree:
        assert catch_up(held, tree) == 10
        with pytest.raises(JournalDamaged, match="ends with message 9, and message 10 was in it"):
            catch_up(HeldStream(9), tree)
        other = HeldStream(12)
        other.held[10] = b"another"
        with pytest.raises(
            JournalDamaged, match="message 10 of the stream feltwire-hall is not the one that was in it"
        ):
            catch_up(other, tree)
        gap = HeldStream(12)
        del gap.held[11]
        with pytest.raises(JournalDamaged, match="message 11 of the stream feltwire-hall was removed before") as ended:
            catch_up(gap, tree)
        assert "this log has ended: keep it" in ended.value.fix
        assert tree.size == 10
    assert stream_origin(STREAM, b"k" * 32) != stream_origin(STREAM, b"o" * 32)
