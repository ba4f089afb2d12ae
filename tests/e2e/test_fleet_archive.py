"""Sealed history leaves a stream for a folder, and nothing is removed that the folder does not have, verified."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from feed.wire import SignedSeal
from fleet.archive import BODIES, SEAL_FILE, folder_of, read_table
from fleet.seals import read_seal
from fleet.subjects import TableName, stream_of
from fleet.verify import note_archived, verify_stream
from tests.e2e.test_fleet_cli import feltwire
from tests.fakes.feed_tables import FeedTables, feed_tables
from tests.fakes.nats_server import NatsServer, nats_server
from tests.fakes.relaying import VENUE, held_of, jetstream, make_streams, relaying
from tests.fakes.time_limits import HANG_S

STREAM = stream_of(VENUE)
WHEEL = TableName(VENUE, False, "wheel-1")
SEALS = f"feltwire.v1.{VENUE}._seal.>"
LATER = "2026-03-01T20:00:00.000000Z"


async def until_sealed(server: NatsServer, seal: SignedSeal) -> None:
    async with asyncio.timeout(HANG_S), jetstream(server.address) as stream:
        async for message in stream.follow(STREAM, SEALS):
            if read_seal(message.body).seal == seal:
                return


class Filled:
    """A stream with two months of a table: sealed after 10 events, sealed after January, and some of March."""

    def __init__(self, server: NatsServer, service: FeedTables, root: Path) -> None:
        self.server, self.service, self.root = server, service, root
        self.january = 0
        self.key = ""

    async def fill(self) -> None:
        service = self.service
        await make_streams(self.server.address)
        async with relaying(self.server.address, service):
            for count in (10, 15):
                service.play(count)
                seal = service.journal.seal()
                await until_sealed(self.server, seal)
            self.key = seal.public_key
            self.january = len(service.bodies(WHEEL.table))
            # Not sealed, and as old.
            service.play(5)
            service.set_time(LATER)
            service.play(5)
            await held_of(self.server.address, WHEEL, len(service.bodies(WHEEL.table)))

    async def archive(self, *words: str) -> tuple[int, str]:
        """The command."""
        own = ("--to", str(self.root), "--before", "2026-03-01", "--key", self.key)
        done = await asyncio.to_thread(feltwire, "fleet", "archive", self.server.url, *own, *words)
        return done.exit_code, done.output

    async def verify(self, *words: str) -> tuple[int, str]:
        """The command, with the archive."""
        own = ("--archive", str(self.root), "--key", self.key)
        done = await asyncio.to_thread(feltwire, "fleet", "verify", self.server.url, *own, *words)
        return done.exit_code, done.output

    @property
    def file(self) -> Path:
        """The one that is written."""
        return folder_of(self.root, WHEEL) / f"{1:012}-{self.january:012}{BODIES}"

    async def held(self) -> list[bytes]:
        """The table's events in the stream."""
        async with jetstream(self.server.address) as stream:
            return [message.body async for message in stream.read(STREAM, WHEEL.events)]


def run(root: Path, check: Callable[[Filled], Awaitable[None]]) -> None:
    async def run() -> None:
        filled = Filled(server, service, root)
        await filled.fill()
        await check(filled)

    with nats_server() as server, feed_tables(WHEEL.table) as service:
        asyncio.run(run())


def test_sealed_events_are_archived_and_only_they_are_removed(tmp_path: Path) -> None:
    async def check(one: Filled) -> None:
        bodies = one.service.bodies(WHEEL.table)
        code, output = await one.archive()
        assert (code, f"events 1 to {one.january}" in output) == (0, True), output
        assert gzip.decompress(one.file.read_bytes()).splitlines() == bodies[: one.january]
        assert await one.held() == bodies
        code, output = await one.archive("--trim")
        assert (code, f"nothing new; {one.january} removed" in output) == (0, True), output
        assert await one.held() == bodies[one.january :]
        # Twice is as once.
        assert await one.archive("--trim") == (0, output.replace(f"{one.january} removed", "0 removed"))
        async with relaying(one.server.address, one.service):
            one.service.play(5)
            held = len(one.service.bodies(WHEEL.table)) - one.january
            await held_of(one.server.address, WHEEL, held)
            seal = one.service.journal.seal()
            await until_sealed(one.server, seal)
        assert await one.held() == one.service.bodies(WHEEL.table)[one.january :]
        code, output = await one.verify()
        assert (code, "verified: complete" in output) == (0, True), output
        assert f"events {one.january + 1} to {one.january + held}" in output
        assert f"events 1 to {one.january} of {WHEEL} are in the archive" in output
        unknown = await asyncio.to_thread(feltwire, "fleet", "verify", one.server.url, "--key", one.key)
        assert (unknown.exit_code, "give it with --archive" in unknown.output) == (5, True), unknown.output
        exported = await asyncio.to_thread(feltwire, "fleet", "export", one.server.url)
        assert exported.stdout_bytes.splitlines() == one.service.bodies(WHEEL.table)[one.january :]

    run(tmp_path / "archive", check)


def test_what_is_wrong_keeps_everything_in_the_stream(tmp_path: Path) -> None:
    async def check(one: Filled) -> None:
        bodies = one.service.bodies(WHEEL.table)
        # Of another key: nothing is sealed.
        strange = await asyncio.to_thread(
            feltwire, "fleet", "archive", one.server.url, "--to", str(one.root), "--before", "2026-03-01",
            "--key", "5e" * 32, "--trim",
        )  # fmt: skip
        assert (strange.exit_code, "nothing new; 0 removed" in strange.output) == (0, True), strange.output
        # Of no key that somebody keeps: anybody may have sealed it.
        own = ("fleet", "archive", one.server.url, "--to", str(one.root.parent / "other"), "--before", "2026-03-01")
        anyone = await asyncio.to_thread(feltwire, *own, "--trim")
        assert (anyone.exit_code, "with --key" in anyone.output) == (2, True), anyone.output
        assert not (one.root.parent / "other").exists()
        anyone = await asyncio.to_thread(feltwire, *own)
        assert (anyone.exit_code, f"the key in them, {one.key}" in anyone.output) == (0, True), anyone.output
        assert (await one.archive())[0] == 0
        good, seal = one.file.read_bytes(), one.file.with_name(one.file.name.replace(BODIES, SEAL_FILE))
        whole = gzip.decompress(good)
        for data, why in (
            (gzip.compress(whole.replace(b'"space":', b'"space":1', 1)), "a body was changed"),
            (gzip.compress(b"\n".join(whole.splitlines()[:-1])), "it ends with event"),
            (good[:-20], "cannot be read"),
        ):
            one.file.write_bytes(data)
            code, output = await one.archive("--trim")
            assert (code, why in output) == (3, True), output
            code, output = await one.verify()
            assert (code, "DOES NOT VERIFY" in output and why in output) == (3, True), output
        one.file.write_bytes(good)
        kept = seal.read_bytes()
        seal.unlink()
        assert (await one.archive("--trim"))[0] == 3
        seal.write_bytes(kept)
        assert await one.held() == bodies
        # A folder that lacks what the stream lacks.
        assert (await one.archive("--trim"))[0] == 0
        one.file.unlink()
        code, output = await one.archive("--trim")
        assert (code, "this folder does not have them as they were" in output) == (3, True), output
        code, output = await one.verify()
        assert (code, "the archive does not end there" in output) == (3, True), output

    run(tmp_path / "archive", check)


@pytest.mark.parametrize("place", ["before the note", "before the purge", "in the purge"])
def test_an_archive_that_is_cut_off_loses_nothing(tmp_path: Path, place: str) -> None:
    async def check(one: Filled) -> None:
        bodies = one.service.bodies(WHEEL.table)
        assert (await one.archive())[0] == 0
        async with jetstream(one.server.address) as stream:
            await stream.create_archived()
            if place != "before the note":
                head = read_table(one.root, WHEEL).heads[one.january]
                await note_archived(stream, STREAM, WHEEL, one.january, head)
            if place == "in the purge":
                await stream.purge(STREAM, WHEEL.events, 8)
            report = await verify_stream(stream, STREAM, {}, {})
            assert (report.findings, len(report.unproven)) == ([], int(place == "in the purge"))
        code, output = await one.archive("--trim")
        assert code == 0, output
        assert await one.held() == bodies[one.january :]

    run(tmp_path / "archive", check)
