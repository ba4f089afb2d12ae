"""What an archive writes is on the disk when it has its name, and what else stands in its folder is refused."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from audit.queries import Selection, parse_moment
from feed.events import decode
from fleet.archive import (
    BODIES,
    SEAL_FILE,
    ArchiveError,
    ArchiveSource,
    Moved,
    archive_table,
    folder_of,
    read_archive,
)
from fleet.history import records
from fleet.seals import FoundSeals, SealedHead, read_seals, seal_subject, sealed_heads
from fleet.streams import StoredMessage, StreamInfo
from fleet.subjects import TableName, event_subject, stream_of
from tests.fakes.feed_model import ModelJournal, ModelTable

if TYPE_CHECKING:
    from fleet.streams import JetStream

VENUE = "hall"
WHEEL = TableName(VENUE, False, "wheel-1")
LATER = parse_moment("2030-01-01")


class Held:
    """In place of JetStream: a stream that holds these messages."""

    def __init__(self, messages: list[StoredMessage]) -> None:
        self._messages = messages

    async def read(self, _stream: str, _subject: str = ">") -> AsyncIterator[StoredMessage]:
        for message in self._messages:
            yield message

    async def info(self, stream: str, *, subjects: str = "") -> StreamInfo | None:
        """Of no other stream."""


def history(plays: int) -> tuple[list[StoredMessage], SealedHead]:
    """The events of a table, the last of which no seal vouches for, and what the seal states."""
    journal = ModelJournal()
    table, rng = ModelTable(journal, WHEEL.table, "5e" * 8), Random(1)
    table.open()
    for _ in range(plays):
        table.play(rng)
    journal.seal()
    (seal,) = read_seals(journal.seals())
    seq, head = seal.heads[WHEEL.table]
    table.play(rng)
    while len(journal.bodies(WHEEL.table)) == seq:
        table.play(rng)
    messages = [
        StoredMessage(event_subject(VENUE, decode(body)), number, {}, body)
        for number, body in enumerate(journal.bodies(WHEEL.table), 1)
    ]
    return messages, SealedHead(seq, head, seal)


def move(messages: list[StoredMessage], sealed: SealedHead, root: Path) -> Moved:
    """Archives what of it is sealed."""
    seals = FoundSeals({WHEEL: [sealed]}, [])
    source = ArchiveSource(cast("JetStream", Held(messages)), stream_of(VENUE), (), seals, {})
    return asyncio.run(archive_table(source, WHEEL, root, LATER, trim=False))


def archive(root: Path, plays: int = 50) -> int:
    """Archives a table up to its last sealed event; returns the number of that."""
    messages, sealed = history(plays)
    moved = move(messages, sealed, root)
    assert (moved.first, moved.last) == (1, sealed.seq)
    return sealed.seq


def test_a_file_is_whole_when_it_is_made_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    durable: dict[int, int] = {}
    sync = os.fsync

    def noted(descriptor: int) -> None:
        sync(descriptor)
        status = os.fstat(descriptor)
        durable[status.st_ino] = status.st_size

    monkeypatch.setattr(os, "fsync", noted)
    last = archive(tmp_path)
    folder = folder_of(tmp_path, WHEEL)
    for ending in (BODIES, SEAL_FILE):
        status = (folder / f"{1:012}-{last:012}{ending}").stat()
        assert durable[status.st_ino] == status.st_size > 0
    assert folder.stat().st_ino in durable


class HeldSeals(Held):
    """A stream that holds these messages, all on one subject."""

    async def info(self, stream: str, *, subjects: str = "") -> StreamInfo:
        """What it holds."""
        assert subjects
        subject = self._messages[0].subject
        return StreamInfo(stream, 0, 0, 1, 0, {subject: len(self._messages)}, {}, [])


def test_seals_that_state_the_same_are_kept_once() -> None:
    journal = ModelJournal()
    table = ModelTable(journal, WHEEL.table, "5e" * 8)
    messages: list[StoredMessage] = []
    for _ in range(2):
        table.open()
        for _ in range(100):
            seal = journal.seal()
            (read,) = read_seals(journal.seals())
            subject = seal_subject(VENUE, read, simulated=False)
            messages.append(StoredMessage(subject, len(messages) + 1, {}, msgspec.json.encode(seal)))
    found = asyncio.run(sealed_heads(cast("JetStream", HeldSeals(messages)), stream_of(VENUE), ()))
    assert [one.seq for one in found.heads[WHEEL]] == [1, 2]


@pytest.mark.parametrize("strange", ["copy/wheel-1", "real/notes.txt", "real/Wheel 1/x", "sim", "reel/wheel-1/x"])
def test_what_is_no_folder_of_a_table_is_refused_and_named(tmp_path: Path, strange: str) -> None:
    last = archive(tmp_path)
    assert {table: one.last for table, one in read_archive(tmp_path).items()} == {WHEEL: last}
    path = tmp_path / VENUE / strange
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    with pytest.raises(ArchiveError, match=f"{tmp_path / VENUE}/.* it is not a table of an archive"):
        read_archive(tmp_path)


def test_a_simulated_table_of_an_archive_is_none_of_the_real_ones(tmp_path: Path) -> None:
    archive(tmp_path)
    real = folder_of(tmp_path, WHEEL)
    simulated = folder_of(tmp_path, WHEEL._replace(simulated=True))
    simulated.parent.mkdir()
    real.rename(simulated)
    assert [*read_archive(tmp_path)] == [WHEEL._replace(simulated=True)]


@pytest.mark.long
def test_a_file_of_which_any_byte_changed_is_refused_or_means_the_same(tmp_path: Path) -> None:
    last = archive(tmp_path, 0)
    whole = read_archive(tmp_path)
    refused = 0
    for ending in (BODIES, SEAL_FILE):
        file = folder_of(tmp_path, WHEEL) / f"{1:012}-{last:012}{ending}"
        good = file.read_bytes()
        with file.open("r+b", buffering=0) as written:
            for at, byte in enumerate(good):
                written.seek(at)
                written.write(bytes([byte ^ 0xFF]))
                try:
                    assert read_archive(tmp_path) == whole
                except ArchiveError as error:
                    assert str(file.parent) in str(error)
                    refused += 1
                written.seek(at)
                written.write(bytes([byte]))
        assert refused > len(good) // 2


@pytest.mark.parametrize("time", ["soon", "2026-13-01T00:00:00Z"])
def test_an_event_without_a_time_is_named_and_not_chosen_by_time(tmp_path: Path, time: str) -> None:
    messages, sealed = history(5)
    body = messages[-1].body
    messages[-1] = messages[-1]._replace(body=body.replace(decode(body).time.encode(), time.encode()))
    with pytest.raises(ArchiveError, match=f"message {len(messages)} .*'{time}' is no time"):
        move(messages, sealed, tmp_path)
    assert not any(tmp_path.iterdir())

    async def numbers(selection: Selection) -> list[int]:
        found = records(cast("JetStream", Held(messages)), stream_of(VENUE), selection)
        return [record.seq async for _, record in found]

    assert asyncio.run(numbers(Selection())) == [*range(1, len(messages) + 1)]
    assert asyncio.run(numbers(Selection(until=LATER))) == [*range(1, len(messages))]
