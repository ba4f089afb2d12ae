"""The set-ups of systemd/nats, on real servers: TLS, accounts, what each user may do, leaf nodes and a hub of three."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from feed.events import decode
from feed.subscriber import Refused
from fleet.connection import NatsAddress, NatsRefusedError, NatsUnavailableError, connect
from fleet.streams import MESSAGE_ID, JetStream
from fleet.subjects import HUB_STREAM, LIVE_STREAM, TableName, stream_of
from fleet.verify import verify_stream
from tests.fakes.certificates import certificates
from tests.fakes.feed_tables import feed_tables
from tests.fakes.following import following
from tests.fakes.nats_server import NatsServer, free_port
from tests.fakes.relaying import held_of, jetstream, relaying
from tests.fakes.time_limits import HANG_S

FILES = Path(__file__).parents[2] / "systemd" / "nats"
VENUE = "atlantic-hall"
OTHER = "boardwalk"
WHEEL = TableName(VENUE, False, "wheel-1")
USERS = ("admin", VENUE, OTHER, "reader", "tables", "sys")


def secret(user: str) -> str:
    return f"secret-of-{user}"


ENVIRON = {f"{user.upper().replace('-', '_')}_PASSWORD": secret(user) for user in USERS}


def config_of(name: str, certified: Path, **changes: str) -> str:
    """One of the files, for this computer."""
    text = (FILES / name).read_text()
    wanted = {
        '"0.0.0.0:4222"': '"127.0.0.1:$PORT"',
        '"127.0.0.1:4222"': '"127.0.0.1:$PORT"',
        '"/var/lib/nats"': "$STORE",
        "/etc/feltwire/nats": str(certified),
        **{old.replace("__", "."): new for old, new in changes.items()},
    }
    for old, new in wanted.items():
        text = text.replace(old, new)
    return text


def with_venue(text: str, venue: str) -> str:
    """The file with a second venue: its user is a copy of the first one's."""
    begin = text.index("{\n        user: atlantic-hall")
    end = text.index("\n      }\n", begin) + len("\n      }\n")
    copy = text[begin:end].replace(VENUE, venue).replace("$ATLANTIC_HALL", "$" + venue.upper())
    return text[:end] + "      " + copy + text[end:]


def with_copy_of_reader(text: str, user: str, old: str, new: str) -> str:
    """The file with another user, as the reader except for one thing."""
    begin = text.index("{\n        user: reader")
    end = text.index("\n      }\n", begin) + len("\n      }\n")
    copy = text[begin:end].replace("user: reader", f"user: {user}").replace("$READER", f"${user.upper()}")
    assert old in copy
    return text[:end] + "      " + copy.replace(old, new) + text[end:]


@contextmanager
def servers(*configs: tuple[str, str]) -> Iterator[list[NatsServer]]:
    """Servers by name and configuration."""
    folder = Path(tempfile.mkdtemp(prefix="fwn-"))
    with ExitStack() as ended:
        ended.callback(shutil.rmtree, folder, ignore_errors=True)
        found = []
        for name, config in configs:
            server = NatsServer(folder, config, name=name, environ=ENVIRON)
            ended.callback(server.kill)
            server.start()
            found.append(server)
        yield found


def as_user(server: NatsServer, user: str, certified: Path | None) -> NatsAddress:
    """Its address for a user."""
    ca = None if certified is None else certified / "ca.crt"
    return NatsAddress("127.0.0.1", server.port, certified is not None, user, secret(user), ca)


def test_one_server_lets_each_user_do_what_it_must_and_nothing_else() -> None:
    async def run() -> None:
        admin = as_user(server, "admin", certified)
        async with jetstream(admin) as stream:
            for venue in (VENUE, OTHER):
                await stream.create_venue(venue)
            await stream.create_live()
        service.play(20)
        count = len(service.bodies("wheel-1"))
        async with relaying(as_user(server, VENUE, certified), service, venue=VENUE):
            await held_of(admin, WHEEL, count)
        # A reader reads and verifies, and writes nothing.
        reader = as_user(server, "reader", certified)
        async with jetstream(reader) as stream:
            report = await verify_stream(stream, stream_of(VENUE), {}, {})
            assert (report.findings, report.tables[0].events) == ([], count)
        await reads_and_writes_nothing(reader, stream_of(VENUE))
        # A board follows as the reader, and leaves nothing on the server.
        for venue in (VENUE, ""):
            async with following(reader, venue) as board:
                name = "wheel-1" if venue else f"{VENUE}/wheel-1"
                assert await board.until_facts(name, count) == service.bodies("wheel-1")
        async with jetstream(admin) as stream:
            answer = await stream.connection.request(f"$JS.API.CONSUMER.NAMES.{stream_of(VENUE)}", b"")
            assert b'"total":0' in answer
        # Without the live messages no board knows which tables are silent: it is told what to allow.
        async with following(as_user(server, "tables", certified), VENUE) as board:
            refused = await board.until_kind(Refused)
            assert f"the user tables may not subscribe to feltwire.live.v1.{VENUE}.*.heartbeat" in str(refused)
        async with following(as_user(server, OTHER, certified), VENUE) as board:
            await board.until_kind(Refused, has="the user boardwalk may not subscribe")
        async with following(reader._replace(password="wrong"), VENUE) as board:
            await board.until_kind(Refused, has="the user reader is not let in; check user and password")
        async with following(reader._replace(ca=None), VENUE) as board:
            await board.until_kind(Refused, has="its certificate is not trusted")
        # A venue writes as itself alone, and reads no other.
        other = as_user(server, OTHER, certified)
        await is_itself_alone(other, stream_of(VENUE))
        client = await connect(other, name="test", inbox=f"_INBOX_{OTHER}")
        stream = JetStream(client)
        assert await stream.publish(stream_of(OTHER), f"feltwire.v1.{OTHER}.wheel-1.x", b"own", {MESSAGE_ID: "own"})
        await client.close()
        async with jetstream(admin) as stream:
            held = await stream.info(stream_of(VENUE))
            assert held is not None
            assert held.messages == count
        # Nothing is sent in the clear.
        await nobody_else_is_let_in(admin)
        with pytest.raises(NatsRefusedError, match="--ca"):
            await connect(admin._replace(ca=None), name="test")
        with pytest.raises((NatsUnavailableError, NatsRefusedError)):
            await connect(admin._replace(tls=False, ca=None), name="test")

    with certificates() as certified:
        config = with_venue(config_of("one-server.conf", certified), OTHER)
        config = with_copy_of_reader(config, "tables", '"_INBOX.>", "feltwire.live.>"', '"_INBOX.>"')
        with servers(("hub", config)) as (server,), feed_tables("wheel-1") as service:
            asyncio.run(run())


async def nobody_else_is_let_in(address: NatsAddress) -> None:
    """Without a user, as one that is unknown, and with a wrong password, there is no connection: nothing is read."""
    for one in (
        address._replace(user="", password=""),
        address._replace(user="somebody"),
        address._replace(password="wrong"),
    ):
        with pytest.raises(NatsRefusedError, match="not let in"):
            await connect(one, name="test")


async def is_itself_alone(address: NatsAddress, stream_name: str) -> None:
    """The user of the other venue writes no event of this one, durable or live, and reads none."""
    client = await connect(address, name="test", inbox=f"_INBOX_{OTHER}")
    stream = JetStream(client)
    for root in ("feltwire.v1", "feltwire.sim.v1", "feltwire.live.v1", "feltwire.live.sim.v1"):
        await denied(stream, stream_name, f"{root}.{VENUE}.wheel-1.round.outcome")
    with pytest.raises(NatsRefusedError, match="may not publish to"):
        await stream.last(stream_name, ">")
    with pytest.raises(NatsRefusedError, match="may not publish to"):
        await stream.info(stream_name)
    await client.close()


async def reads_and_writes_nothing(address: NatsAddress, stream_name: str) -> None:
    """The reader reads a stream, and writes and makes nothing."""
    async with jetstream(address) as stream:
        assert await stream.last(stream_name, WHEEL.events) is not None
        await denied(stream, stream_name, f"feltwire.v1.{VENUE}.wheel-1.round.outcome")
        for make in (stream.create_venue("another"), stream.create_archived(), stream.purge(stream_name, ">", 1)):
            with pytest.raises(NatsRefusedError, match="may not publish to"):
                await make


async def denied(stream: JetStream, name: str, subject: str) -> None:
    """The server drops the message, and reports it."""
    with pytest.raises(NatsRefusedError, match="may not publish to feltwire"):
        await stream.publish(name, subject, b"{}", {MESSAGE_ID: "forged"})


def test_a_hub_sources_its_leaf_nodes_and_one_that_forges_another_venue_is_found() -> None:
    async def run() -> None:
        hub, one, two = found
        admin, reader = as_user(hub, "admin", certified), as_user(hub, "reader", certified)
        for leaf, venue in ((one, VENUE), (two, OTHER)):
            async with jetstream(as_user(leaf, "tables", None)) as stream:
                await stream.create_venue(venue)
                await stream.create_live()
        async with jetstream(admin) as stream:
            await stream.create_live()
            await stream.create_hub([(VENUE, VENUE), (OTHER, OTHER)])
        async with (
            relaying(as_user(one, "tables", None), service, venue=VENUE),
            relaying(as_user(two, "tables", None), elsewhere, venue=OTHER) as relay,
        ):
            service.play(10)
            elsewhere.play(10)
            for table, tables in ((WHEEL, service), (WHEEL._replace(venue=OTHER), elsewhere)):
                count = len(tables.bodies("wheel-1"))
                held = await held_of(admin, table, count, stream=HUB_STREAM)
                assert [message.body for message in held] == tables.bodies("wheel-1")
            await both_live(admin)
            async with following(reader) as hall:
                for venue, tables in ((VENUE, service), (OTHER, elsewhere)):
                    bodies = tables.bodies("wheel-1")
                    assert await hall.until_facts(f"{venue}/wheel-1", len(bodies)) == bodies
                await hall.until_true(lambda: not hall.subscriber.stale)
            # One event of the table for each connection that was lost may be there already.
            assert relay.progress.duplicates < max(1, relay.progress.connections)
        # Hub and leaf nodes let nobody else in, and at the hub a venue is itself alone, also through its leaf node.
        await nobody_else_is_let_in(admin)
        await nobody_else_is_let_in(as_user(one, "tables", None))
        await is_itself_alone(as_user(hub, OTHER, certified), HUB_STREAM)
        await reads_and_writes_nothing(reader, HUB_STREAM)
        await no_live_message_of_another(as_user(two, "tables", None), admin)
        # A venue has its own server take the subjects of another one: the hub sources it, and readers see from where.
        forged = f"feltwire.v1.{VENUE}.wheel-1.round.opened"
        async with jetstream(as_user(two, "tables", None)) as stream:
            await stream.change(stream_of(OTHER), subjects=[f"feltwire.*.{OTHER}.>", forged])
            body = decode_next(service.bodies("wheel-1")[-1])
            await stream.publish(stream_of(OTHER), forged, body, {MESSAGE_ID: "forged"})
        await held_of(admin, WHEEL, len(service.bodies("wheel-1")) + 1, stream=HUB_STREAM)
        async with jetstream(reader) as stream:
            report = await verify_stream(stream, HUB_STREAM, {}, {})
        assert [finding.table for finding in report.findings] == [str(WHEEL)]
        assert "it came from the stream feltwire-boardwalk" in report.findings[0].detail

    async def no_live_message_of_another(leaf: NatsAddress, admin: NatsAddress) -> None:
        """What a leaf node sends of its own venue reaches the hub, and what it sent of another one before does not."""
        client = await connect(leaf, name="test")
        for venue in (VENUE, OTHER):
            await client.publish(f"feltwire.live.v1.{venue}.wheel-9.snapshot", b"{}")
        async with asyncio.timeout(HANG_S), jetstream(admin) as stream:
            async for message in stream.follow(LIVE_STREAM, "feltwire.live.v1.*.wheel-9.snapshot"):
                assert message.subject.split(".")[3] == OTHER
                break
        await client.close()

    async def both_live(admin: NatsAddress) -> None:
        """The hub has live messages of both venues."""
        async with asyncio.timeout(HANG_S), jetstream(admin) as stream:
            seen: set[str] = set()
            async for message in stream.follow(LIVE_STREAM):
                seen.add(message.subject.split(".")[3])
                if seen == {VENUE, OTHER}:
                    return

    def decode_next(body: bytes) -> bytes:
        event = decode(body)
        seq = (event.seq or 0) + 1
        old = f"{event.epoch}.{event.seq}".encode()
        return body.replace(old, f"{event.epoch}.{seq}".encode()).replace(
            f"{event.seq:020d}".encode(), f"{seq:020d}".encode()
        )

    with certificates() as certified:
        leafs = free_port()
        hub = with_venue(config_of("hub.conf", certified), OTHER).replace("0.0.0.0:7422", f"127.0.0.1:{leafs}")
        configs = [("hub", hub)]
        for venue in (VENUE, OTHER):
            url = f'"tls://{venue}:{secret(venue)}@127.0.0.1:{leafs}"'
            configs.append((venue, config_of("leaf.conf", certified).replace(VENUE, venue).replace("$HUB_URL", url)))
        with servers(*configs) as found, feed_tables("wheel-1") as service, feed_tables("wheel-1", seed=2) as elsewhere:
            asyncio.run(run())


def test_a_hub_of_three_outlives_the_loss_of_any_one() -> None:
    async def run() -> None:
        admin = as_user(found[0], "admin", certified)
        await made(admin)
        async with relaying(as_user(found[0], VENUE, certified), service, venue=VENUE):
            service.play(10)
            await held_of(admin, WHEEL, 5)
            for server in found:
                await nobody_else_is_let_in(as_user(server, "admin", certified))
                await is_itself_alone(as_user(server, OTHER, certified), stream_of(VENUE))
                await reads_and_writes_nothing(as_user(server, "reader", certified), stream_of(VENUE))
            for lost in found[1:]:
                service.play(10)
                await held_of(admin, WHEEL, len(service.bodies("wheel-1")) - 5)
                lost.kill()
                service.play(10)
                await held_of(admin, WHEEL, len(service.bodies("wheel-1")))
                lost.start()
        held = await held_of(as_user(found[1], "admin", certified), WHEEL, len(service.bodies("wheel-1")))
        assert [message.body for message in held] == service.bodies("wheel-1")

    async def made(admin: NatsAddress) -> None:
        """The streams are there; until the three have found each other none can be made."""
        async with asyncio.timeout(HANG_S), jetstream(admin) as stream:
            while True:
                try:
                    await stream.create_venue(VENUE, 3)
                    await stream.create_live(3)
                except (NatsUnavailableError, NatsRefusedError):
                    continue
                return

    with certificates() as certified:
        one = with_venue(config_of("one-server.conf", certified), OTHER)
        accounts = one[one.index("# No user without") :]
        ports = [free_port() for _ in range(3)]
        routes = ", ".join(f'"nats-route://127.0.0.1:{port}"' for port in ports)
        text = config_of("hub-of-three.conf", certified).replace('include "accounts.conf"', accounts)
        begin, end = text.index("routes: ["), text.index("]", text.index("routes: ["))
        text = text[:begin] + f"routes: [{routes}" + text[end:]
        configs = []
        for number, port in enumerate(ports, 1):
            own = text.replace("$SERVER_NAME", f"hub-{number}").replace("0.0.0.0:6222", f"127.0.0.1:{port}")
            configs.append((f"hub-{number}", own))
        with servers(*configs) as found, feed_tables("wheel-1") as service:
            asyncio.run(run())
