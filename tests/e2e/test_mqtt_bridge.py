"""The bridge to MQTT at a real Mosquitto, with TLS, an account and an access list."""

from __future__ import annotations

import asyncio
import gc
import re
import signal
import ssl
import subprocess
import urllib.request
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from random import Random
from threading import Event
from typing import Any, TypeVar

import pytest
from aiomqtt import MqttError
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from bridges.metrics import MqttProbes
from bridges.mqtt import bridge as mqtt_bridge
from bridges.mqtt import messages
from bridges.mqtt.bridge import BrokerRefusedError, MqttBridge
from bridges.mqtt.keys import MqttKeys
from bridges.mqtt.mirror import Mirror
from bridges.mqtt.progress import MqttProgress
from hal.clock import SystemClock, boot_time_ns
from hal.loop import sleep_ns
from hal.probes import Pulse
from tests.fakes import bridge_processes
from tests.fakes.bridge_processes import BridgeProcess
from tests.fakes.feed_process import TABLE, FeedProcess
from tests.fakes.feed_server import short_folder
from tests.fakes.mqtt_broker import ACCESS, PASSWORDS, Broker, Reader, broker
from tests.fakes.service_process import FELTWIRE
from tests.fakes.time_limits import HANG_S

STATE = f"feltwire/{TABLE}/state"
STATUS = "feltwire/status"
CONFIG = f"homeassistant/device/feltwire_{TABLE}/config"
BIRTHS = "homeassistant/status"
LIVE = {"tables": {TABLE: "live"}}

QUIET_MS = 3_600_000
"""Between the events of its own accord: what a test needs is published at once."""
NOBODY = "ipc:///nobody/there"
LEFT_TO_THE_COLLECTOR = pytest.mark.filterwarnings("ignore:.*ssl.SSLSocket:")
"""As paho-mqtt 2.2 leaves the socket of a handshake that failed."""

T = TypeVar("T")


@pytest.fixture(scope="module")
def running() -> Iterator[Broker]:
    with broker() as made:
        yield made


@pytest.fixture(scope="module")
def service() -> Iterator[FeedProcess]:
    with short_folder() as folder:
        made = FeedProcess(f"ipc://{folder}", folder / "events", "e1", QUIET_MS, rounds=True)
        made.burst(40)
        try:
            yield made
        finally:
            made.kill()


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs it; one that hangs fails."""

    async def limited() -> T:
        async with asyncio.timeout(HANG_S):
            return await main

    return asyncio.run(limited())


@asynccontextmanager
async def bridged(keys: MqttKeys, base: str) -> AsyncIterator[MqttBridge]:
    """A bridge that runs as long as the block."""
    made = MqttBridge(keys, PASSWORDS["feltwire"], base, None, Random(1))
    task = asyncio.ensure_future(made.run())
    try:
        yield made
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def reading(running: Broker, user: str = "reader") -> AsyncIterator[Reader]:
    """A subscriber to everything."""
    async with running.client(user) as client:
        await client.subscribe("#", qos=1)
        yield Reader(client)


async def late_subscriber(running: Broker) -> dict[str, Any]:
    """What somebody who subscribes now is given: the broker sends it before what is published after."""
    async with reading(running, "home") as reader:
        await reader.publish(BIRTHS, b"now")
        return await reader.wait_for(lambda held: held.get(BIRTHS) == "now")


def test_a_table_has_its_entities_its_state_and_is_named_as_live(running: Broker, service: FeedProcess) -> None:
    async def main() -> Reader:
        async with bridged(running.keys(), service.base), reading(running) as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE and held.get(STATE, {}).get("rounds"))
            return reader

    reader = run(main())
    state, shown = reader.held[STATE], reader.held[CONFIG]
    assert (state["table"], state.get("signal", "live"), state["simulated"]) == (TABLE, "live", False)
    assert state["as_of"] >= state["rounds"][-1]["time"]
    assert shown["device"]["identifiers"] == [f"feltwire_{TABLE}"]
    assert set(shown["components"]) == {"result", "round", "phase", "table", "fault", "signal", "connectivity"}
    topics = [topic for topic, _ in reader.received]
    assert topics.index(CONFIG) < topics.index(STATE), "an entity is there before its first state"
    assert topics.index(STATE) < reader.received.index((STATUS, LIVE)), "a state is there before it is stated live"


def test_a_bridge_that_is_killed_leaves_no_table_that_is_live(running: Broker, service: FeedProcess) -> None:
    log = running.folder / "bridge.log"
    process = BridgeProcess(
        log, bridge_processes.mqtt, running.keys(), PASSWORDS["feltwire"], service.base, 10, 3_000_000_000
    )

    async def main() -> dict[str, Any]:
        async with reading(running) as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            process.kill()
            await reader.wait_for(lambda held: held.get(STATUS) == {"tables": {}})
        return await late_subscriber(running)

    assert run(main())[STATUS] == {"tables": {}}, "the last will is there for whoever subscribes later"


@pytest.mark.long
def test_where_bridge_and_broker_end_together_nothing_old_is_held(
    service: FeedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No last will is published then, and a broker that is started again has the old state on its disk."""
    monkeypatch.setattr(mqtt_bridge, "EXPIRY_S", 2)
    monkeypatch.setattr(mqtt_bridge, "RENEW_NS", 500_000_000)

    async def main(both: Broker) -> list[dict[str, Any]]:
        async with reading(both) as reader, bridged(both.keys(), service.base):
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            both.store()
            both.kill()
        both.start()
        seen = [await late_subscriber(both)]
        while STATE in seen[-1] or STATUS in seen[-1]:
            seen.append(await late_subscriber(both))
        return seen

    with broker() as both:
        seen = run(main(both))
    assert CONFIG in seen[-1], "the broker has its disk, and how a table is shown stays"


def test_a_service_that_ends_is_stale_for_those_who_listen_and_those_who_come(
    running: Broker, service: FeedProcess
) -> None:
    async def main() -> tuple[Reader, dict[str, Any]]:
        async with bridged(running.keys(), service.base), reading(running) as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE and STATE in held)
            service.freeze()
            stack.callback(service.thaw)
            await reader.wait_for(
                lambda held: held[STATUS] == {"tables": {TABLE: "stale"}} and held[STATE].get("signal") == "stale"
            )
            return reader, await late_subscriber(running)

    with ExitStack() as stack:
        reader, late = run(main())
    assert late[STATE]["signal"] == "stale"
    assert late[STATUS] == {"tables": {TABLE: "stale"}}
    after = [value for topic, value in reader.received[last_live(reader) :] if topic in (STATUS, STATE)]
    assert after.index({"tables": {}}) < next(n for n, value in enumerate(after) if value.get("signal") == "stale")


def test_after_a_bridge_stood_still_nothing_from_before_is_named_as_live(running: Broker, service: FeedProcess) -> None:
    """Its computer slept, and the service ended meanwhile: its subscriber would count 3 s more, and what the service
    had sent before is still to be read."""
    slept_ns = 0

    async def main() -> None:
        nonlocal slept_ns
        made = MqttBridge(
            running.keys(), PASSWORDS["feltwire"], service.base, None, Random(1), lambda: boot_time_ns() + slept_ns
        )
        task = asyncio.ensure_future(made.run())
        async with reading(running) as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            service.freeze()
            slept_ns = mqtt_bridge.STOOD_STILL_NS
            await reader.wait_for(lambda held: held[STATUS] == {"tables": {}})
            service.thaw()
            await reader.wait_for(lambda held: held[STATUS] == LIVE)
            statuses = [value for topic, value in reader.received if topic == STATUS]
        assert {"tables": {TABLE: "stale"}} not in statuses[statuses.index(LIVE) :], "it waited until it was silent"
        assert made.progress.connections == 2
        task.cancel()
        await asyncio.wait([task])

    try:
        run(main())
    finally:
        service.thaw()


def last_live(reader: Reader) -> int:
    """The last message that names the table as live."""
    return max(n for n, message in enumerate(reader.received) if message == (STATUS, LIVE))


@pytest.mark.parametrize("discovery", ["homeassistant", "ha/found"])
def test_home_assistant_that_is_started_is_given_everything_again(
    discovery: str, running: Broker, service: FeedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its birth message has the same topic with every discovery prefix."""
    monkeypatch.setattr(mqtt_bridge, "RENEW_NS", 100_000_000)
    config = CONFIG.replace("homeassistant", discovery)

    async def main() -> None:
        async with bridged(running.keys(discovery=discovery), service.base), reading(running, "home") as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE and config in held)
            await reader.publish(BIRTHS, b"online")
            await reader.wait_for(lambda held: held.get(BIRTHS) == "online")
            del reader.held[config]
            await reader.wait_for(lambda held: config in held)

    running.allow(ACCESS.replace("user feltwire\n", f"user feltwire\ntopic write {discovery}/device/#\n"))
    try:
        run(main())
    finally:
        running.allow(ACCESS)


def test_a_bridge_that_is_stopped_names_no_table_before_it_goes(running: Broker, service: FeedProcess) -> None:
    async def main() -> dict[str, Any]:
        async with reading(running) as reader:
            async with bridged(running.keys(), service.base):
                await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            return await reader.wait_for(lambda held: held.get(STATUS) == {"tables": {}})

    assert run(main())[STATUS] == {"tables": {}}


def test_a_bridge_that_may_publish_no_more_leaves_no_table_that_is_live(
    running: Broker, service: FeedProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(mqtt_bridge, "RENEW_NS", 100_000_000)

    async def main() -> dict[str, Any]:
        async with reading(running) as reader, bridged(running.keys(), service.base):
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            running.allow(ACCESS.replace("topic write feltwire/#", f"topic write {STATUS}"))
            await reader.wait_for(lambda held: held.get(STATUS) == {"tables": {}})
            late = await late_subscriber(running)
            running.allow(ACCESS)
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            return late

    try:
        assert run(main())[STATUS] == {"tables": {}}
    finally:
        running.allow(ACCESS)
    assert f"does not take {STATE} from the account feltwire (Not authorized); allow it to write" in caplog.text


def test_a_bridge_that_fails_leaves_no_table_that_is_live(
    running: Broker, service: FeedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Mirror, *, shown: bool = False) -> None:
        raise KeyError(TABLE)

    async def main() -> dict[str, Any]:
        async with reading(running) as reader:
            bridge = asyncio.ensure_future(MqttBridge(running.keys(), PASSWORDS["feltwire"], service.base, None).run())
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            monkeypatch.setattr(Mirror, "renew", fail)
            with pytest.raises(KeyError):
                await bridge
            return await reader.wait_for(lambda held: held.get(STATUS) == {"tables": {}})

    monkeypatch.setattr(mqtt_bridge, "RENEW_NS", 100_000_000)
    assert run(main())[STATUS] == {"tables": {}}


@LEFT_TO_THE_COLLECTOR
def test_a_certificate_that_is_not_trusted_is_stated_and_ends_the_bridge(running: Broker) -> None:
    with pytest.raises(BrokerRefusedError, match="its certificate is not trusted") as refused:
        run(MqttBridge(running.keys(ca=""), PASSWORDS["feltwire"], NOBODY, None).run())
    assert PASSWORDS["feltwire"] not in str(refused.value)
    del refused
    gc.collect()


@pytest.mark.parametrize(
    ("changed", "password", "words"),
    [
        ({}, "wrong", "the account feltwire is not let in: [code:135] Not authorized; check user, password_file"),
        ({"prefix": "elsewhere"}, PASSWORDS["feltwire"], "allow it to write elsewhere/#"),
        ({"user": "reader"}, PASSWORDS["reader"], "does not take feltwire/status from the account reader"),
    ],
)
def test_an_account_that_a_broker_does_not_take_is_stated_once_and_tried_again(
    changed: dict[str, Any],
    password: str,
    words: str,
    running: Broker,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(mqtt_bridge, "LONGEST_WAIT_NS", 10_000_000)
    session, tried = MqttBridge._session, asyncio.Event()

    async def counted(self: MqttBridge, *given: Any) -> None:
        attempts.append(1)
        if len(attempts) == MANY:
            tried.set()
        await session(self, *given)

    class NotedProgress(MqttProgress):
        def __setattr__(self, name: str, value: Any) -> None:
            assert (name, value) != ("connected", True), "an alert waits for two minutes without"
            super().__setattr__(name, value)

    async def main() -> MqttBridge:
        bridge = MqttBridge(running.keys(**changed), password, NOBODY, None)
        bridge.progress = NotedProgress()
        task = asyncio.ensure_future(bridge.run())
        await asyncio.wait([task, asyncio.ensure_future(tried.wait())], return_when=asyncio.FIRST_COMPLETED)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled(), task.exception()
        return bridge

    attempts: list[int] = []
    monkeypatch.setattr(MqttBridge, "_session", counted)
    bridge = run(main())
    assert words in bridge.progress.failure
    assert caplog.text.count(words) == 1
    assert password not in caplog.text
    ready = MqttProbes(bridge.progress, Pulse(SystemClock(), "the loop")).ready(None)
    assert [problem for problem in ready.problems if words in problem]


@pytest.mark.parametrize("code", [0x86, 0x87])
def test_a_broker_whose_accounts_are_not_there_yet_is_tried_again(
    code: int, service: FeedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So answers the Mosquitto of Home Assistant after a start, until Home Assistant runs."""
    monkeypatch.setattr(mqtt_bridge, "LONGEST_WAIT_NS", 10_000_000)

    def taken(scripted: ScriptedBroker, topic: str) -> None:
        if topic == STATE:
            scripted.seen.set()

    async def main() -> None:
        scripted = ScriptedBroker(bytes([0x20, 3, 0, code, 0]), taken)
        async with bridged_to(scripted, service.base) as bridge:
            await scripted.many.wait()
            assert "the account feltwire is not let in" in bridge.progress.failure
            scripted._accepted = ACCEPTED
            await scripted.seen.wait()

    run(main())


def test_a_broker_that_lets_an_account_in_no_more_is_tried_again(
    running: Broker, service: FeedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt_bridge, "LONGEST_WAIT_NS", 10_000_000)
    words = MqttBridge._words

    async def main() -> None:
        refused = asyncio.Event()

        def noted(self: MqttBridge, error: MqttError) -> str:
            why = words(self, error)
            if "the account feltwire is not let in" in why:
                refused.set()
            return why

        monkeypatch.setattr(MqttBridge, "_words", noted)
        async with bridged(running.keys(), service.base), reading(running) as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            running.admit({user: password for user, password in PASSWORDS.items() if user != "feltwire"})
            await refused.wait()
            del reader.held[STATUS]
            running.admit(PASSWORDS)
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)

    try:
        run(main())
    finally:
        running.admit(PASSWORDS)


def test_a_broker_that_takes_a_message_later_is_tried_again(
    running: Broker, service: FeedProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(mqtt_bridge, "LONGEST_WAIT_NS", 10_000_000)
    answered, left = mqtt_bridge._Client._on_publish, [3]

    def answer(self: Any, client: Any, userdata: Any, mid: int, code: ReasonCode, properties: Any) -> None:
        if left[0]:
            left[0] -= 1
            code = ReasonCode(PacketTypes.PUBACK, "Quota exceeded")
        answered(self, client, userdata, mid, code, properties)

    async def main() -> MqttBridge:
        async with bridged(running.keys(), service.base) as made, reading(running) as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            return made

    monkeypatch.setattr(mqtt_bridge._Client, "_on_publish", answer)
    assert run(main()).progress.connections > 1
    assert caplog.text.count("from the account feltwire (Quota exceeded); trying again") == 1


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (9, ""),
        (10, ""),
        (20, "its certificate is not trusted: as OpenSSL says; give the file of its authority as ca"),
        (62, "its certificate is not trusted: as OpenSSL says; write a name that it is for into broker"),
        (64, "its certificate is not trusted: as OpenSSL says; write a name that it is for into broker"),
    ],
)
def test_a_certificate_whose_dates_do_not_hold_now_is_tried_again_and_another_is_stated(code: int, words: str) -> None:
    """A Pi without a battery has another time until it asked for it."""
    cause = ssl.SSLCertVerificationError()
    cause.verify_code, cause.verify_message = code, "as OpenSSL says."
    error = MqttError("certificate verify failed")
    error.__context__ = cause
    bridge = MqttBridge(MqttKeys("mqtts://broker.example", "feltwire", "unused"), "", NOBODY, None)
    assert bridge._refusal(error) == words


@LEFT_TO_THE_COLLECTOR
def test_a_broker_that_answers_without_tls_is_not_given_the_password() -> None:
    received = bytearray()

    async def main() -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            received.extend(await reader.read(4096))
            writer.write(b"\x20\x03\x00\x00\x00")
            writer.close()
            seen.set()

        seen = asyncio.Event()
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        keys = MqttKeys(f"mqtts://127.0.0.1:{port}", "feltwire", "unused")
        async with server, bridged(keys, NOBODY):
            await seen.wait()

    run(main())
    gc.collect()
    assert received
    assert PASSWORDS["feltwire"].encode() not in received


@pytest.mark.parametrize("seed", range(2))
def test_a_broker_that_answers_nonsense_ends_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt_bridge, "LONGEST_WAIT_NS", 10_000_000)
    monkeypatch.setattr(mqtt_bridge, "AWAY_TIMES", 1)
    monkeypatch.setattr(mqtt_bridge, "ANSWER_S", 0.05)
    random = Random(seed)
    answers = [nonsense(random) for _ in range(20)]

    async def main() -> None:
        left = iter(answers)
        all_sent = asyncio.Event()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(4096)
            sent = next(left, None)
            if sent is None:
                all_sent.set()
            else:
                writer.write(sent)
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, bridged(MqttKeys(f"mqtt://127.0.0.1:{port}", "feltwire", "unused"), NOBODY):
            await all_sent.wait()

    run(main())


MANY = 5
ACCEPTED = b"\x20\x03\x00\x00\x00"
SUBSCRIBED = b"\x90\x04\x00\x01\x00\x01"


def nonsense(random: Random) -> bytes:
    """What a broker may not answer: noise, packets that are damaged, and noise after packets that are right."""
    right = ACCEPTED + SUBSCRIBED * random.randrange(2)
    match random.randrange(3):
        case 0:
            return random.randbytes(random.randrange(1, 60))
        case 1:
            return right + random.randbytes(random.randrange(1, 60))
        case _:
            damaged = bytearray(right + b"\x30\x0a\x00\x03a/b\x00body")
            damaged[random.randrange(len(damaged))] = random.randrange(256)
            return bytes(damaged)


class ScriptedBroker:
    """A broker that takes everything, and what its script does beside."""

    def __init__(self, accepted: bytes = ACCEPTED, taken: Callable[[ScriptedBroker, str], None] | None = None) -> None:
        """`accepted` answers a connection; `taken` is told of each message, by its topic."""
        self._accepted = accepted
        self._taken = taken
        self.subscribed, self.published = b"\x01", b""
        """The codes that answer a subscription and a message."""
        self.connections = 0
        self.seen, self.many, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        """Set by the script; at the last of `MANY` connections; when one ends."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if self.connections == MANY:
            self.many.set()
        self.writer = writer
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    self._answer(*await self._packet(reader))
        finally:
            writer.close()
            self.ended.set()

    async def _packet(self, reader: asyncio.StreamReader) -> tuple[int, bytes]:
        kind, length, shift, more = (await reader.readexactly(1))[0], 0, 0, True
        while more:
            byte = (await reader.readexactly(1))[0]
            length, shift, more = length | (byte & 127) << shift, shift + 7, byte > 127
        return kind >> 4, await reader.readexactly(length)

    def _answer(self, kind: int, body: bytes) -> None:
        match kind:
            case 1:
                self.writer.write(self._accepted)
            case 3:
                end = 2 + int.from_bytes(body[:2])
                self.writer.write(bytes([0x40, 2 + len(self.published)]) + body[end : end + 2] + self.published)
                if self._taken is not None:
                    self._taken(self, body[2:end].decode())
            case 8:
                self.writer.write(b"\x90\x04" + body[:2] + b"\x00" + self.subscribed)
            case 12:
                self.writer.write(b"\xd0\x00")

    def end(self, reason: int | None) -> None:
        """Ends the connection, for a reason or without one."""
        if reason is not None:
            self.writer.write(bytes([0xE0, 2, reason, 0]))
        self.writer.close()


@asynccontextmanager
async def bridged_to(scripted: ScriptedBroker, base: str) -> AsyncIterator[MqttBridge]:
    server = await asyncio.start_server(scripted.serve, "127.0.0.1", 0)
    keys = MqttKeys(f"mqtt://127.0.0.1:{server.sockets[0].getsockname()[1]}", "feltwire", "unused")
    async with server, bridged(keys, base) as made:
        yield made


def test_a_broker_that_takes_one_message_at_a_time_is_sent_no_more(
    service: FeedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would end the connection (MQTT 5, 3.3.4): HiveMQ takes 10, and a pass of six tables has 12."""
    publish, under_way, most = mqtt_bridge._Client.publish, 0, 0

    async def counted(self: Any, *arguments: Any) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await publish(self, *arguments)
        under_way -= 1

    def taken(scripted: ScriptedBroker, topic: str) -> None:
        topics.append(topic)
        if topics.count(STATUS) == 2:
            scripted.seen.set()

    async def main() -> None:
        scripted = ScriptedBroker(b"\x20\x06\x00\x00\x03\x21\x00\x01", taken)
        async with bridged_to(scripted, service.base):
            await scripted.seen.wait()

    topics: list[str] = []
    monkeypatch.setattr(mqtt_bridge._Client, "publish", counted)
    run(main())
    assert topics[:4] == [STATUS, CONFIG, STATE, STATUS]
    assert most == 1


def test_an_answer_that_the_client_does_not_read_is_stated(service: FeedProcess) -> None:
    """paho-mqtt 2.2 knows no PUBACK that states that a message is too large, as Mosquitto 2.0.11 answers."""

    def taken(scripted: ScriptedBroker, topic: str) -> None:
        scripted.writer.write(b"\x40\x04\x00\x03\x95\x00")

    async def main() -> None:
        ended = asyncio.Event()

        def stay(self: Any, error: MqttError, *, lasted: bool) -> int:
            ended.set()
            return QUIET_MS * 1_000_000

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(mqtt_bridge._Waits, "after", stay)
            async with bridged_to(ScriptedBroker(ACCEPTED, taken), service.base) as bridge:
                await ended.wait()
                assert "Protocol error; trying again" in bridge.progress.failure

    run(main())


@pytest.mark.parametrize("accepted_before", [True, False])
def test_why_a_broker_ends_the_connection_is_logged_once(
    accepted_before: bool,
    service: FeedProcess,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(mqtt_bridge, "LONGEST_WAIT_NS", 10_000_000)
    monkeypatch.setattr(mqtt_bridge, "ANSWER_S", 0.05)

    def taken(scripted: ScriptedBroker, topic: str) -> None:
        scripted.end(0x8B)

    async def main() -> None:
        ended = b"\xe0\x02\x8b\x00"
        scripted = ScriptedBroker(ACCEPTED, taken) if accepted_before else ScriptedBroker(ACCEPTED + ended)
        async with bridged_to(scripted, service.base) as bridge:
            await scripted.many.wait()
            assert "Server shutting down" in bridge.progress.failure

    caplog.set_level("INFO")
    run(main())
    gc.collect()
    assert caplog.text.count("the broker ended the connection: Server shutting down; trying again") == 1
    assert caplog.text.count("publishing to") <= 1, "nor is the next connection logged, which ends as this one did"
    assert "never retrieved" not in caplog.text


@pytest.mark.parametrize("reason", [0x97, None])
def test_a_connection_that_ends_as_soon_as_it_has_everything_is_made_less_and_less_often(
    reason: int | None, service: FeedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[tuple[int, int]] = []

    def wait(failures: int, longest_ns: int, random: Random) -> int:
        waits.append((failures, longest_ns // mqtt_bridge.LONGEST_WAIT_NS))
        return 0

    def taken(scripted: ScriptedBroker, topic: str) -> None:
        topics.append(topic)
        if topics[-2:] == [STATE, STATUS]:
            scripted.end(reason)

    async def main() -> None:
        scripted = ScriptedBroker(ACCEPTED, taken)
        async with bridged_to(scripted, service.base):
            await scripted.many.wait()

    topics: list[str] = []
    monkeypatch.setattr(mqtt_bridge, "wait_ns", wait)
    run(main())
    longest = mqtt_bridge.AWAY_TIMES if reason is None else 1
    assert waits[: MANY - 1] == [(failures, longest) for failures in range(1, MANY)]


def test_a_connection_that_lasts_after_others_failed_is_logged(
    service: FeedProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(mqtt_bridge, "LONGEST_WAIT_NS", 10_000_000)
    monkeypatch.setattr(mqtt_bridge, "RENEW_NS", 10_000_000)
    caplog.set_level("INFO")

    def taken(scripted: ScriptedBroker, topic: str) -> None:
        if scripted.connections < MANY:
            scripted.end(0x8B)
        elif topic == STATUS:
            renewed.append(topic)
            if len(renewed) == MANY:
                scripted.seen.set()

    async def main() -> None:
        scripted = ScriptedBroker(ACCEPTED, taken)
        async with bridged_to(scripted, service.base) as bridge:
            await scripted.seen.wait()
            assert bridge.progress.failure == ""

    renewed: list[str] = []
    run(main())
    of_bridge = [record.getMessage() for record in caplog.records if record.name == mqtt_bridge.__name__]
    assert of_bridge[-1].startswith("publishing to")
    assert caplog.text.count("publishing to") <= 2, "the one that lasted, and the first, which may have taken something"
    assert caplog.text.count("Server shutting down; trying again") == 1


def test_a_broker_that_refuses_everything_is_logged_once_and_again_after_a_connection_lasted(
    service: FeedProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(mqtt_bridge, "LONGEST_WAIT_NS", 10_000_000)
    monkeypatch.setattr(mqtt_bridge, "RENEW_NS", 10_000_000)
    caplog.set_level("INFO")
    unread = "may not read homeassistant/status, so a start of Home Assistant is not noticed there"
    topics: list[str] = []

    def taken(scripted: ScriptedBroker, topic: str) -> None:
        topics.append(topic)
        if topics.count(STATUS) == MANY:
            scripted.seen.set()

    async def main() -> None:
        scripted = ScriptedBroker(ACCEPTED, taken)
        scripted.subscribed = scripted.published = b"\x87"
        scripted.published += b"\x00"
        async with bridged_to(scripted, service.base):
            await scripted.many.wait()
            logged = [one.getMessage() for one in caplog.records if "mqtt://" in one.getMessage()]
            assert [unread in line for line in logged] == [True, False]
            assert "the broker does not take feltwire/status" in logged[1], "nothing is published to it"
            scripted.published = b""
            for lasted in 1, 2:
                topics.clear()
                scripted.seen.clear()
                await scripted.seen.wait()
                assert caplog.text.count(unread) == lasted
                scripted.end(0x8B)

    run(main())


SECOND = "is there a second bridge with the prefix feltwire? Give each its own, or stop one; trying again"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (0x8E, f"another client took over the name feltwire-feltwire: {SECOND} within 256 s"),
        (None, f"the broker ended the connection without a reason; if it does so again and again, {SECOND}"),
    ],
)
def test_a_bridge_whose_name_was_taken_over_states_it_and_what_to_do_and_stays_away(
    reason: int | None,
    words: str,
    service: FeedProcess,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        ended = asyncio.Event()

        def stay(self: Any, error: MqttError, *, lasted: bool) -> int:
            ended.set()
            return QUIET_MS * 1_000_000

        monkeypatch.setattr(mqtt_bridge._Waits, "after", stay)
        scripted = ScriptedBroker(ACCEPTED, lambda scripted, topic: scripted.end(reason))
        async with bridged_to(scripted, service.base) as bridge:
            await ended.wait()
            assert bridge.progress.failure == words

    run(main())
    assert caplog.text.count(words) == 1


def test_who_was_taken_over_stays_away_and_who_is_ended_without_a_reason_ever_longer() -> None:
    """Two bridges that come back at once end each other for good."""
    waits, second = mqtt_bridge._Waits(Random(1)), 1_000_000_000
    told, untold = (
        mqtt_bridge._EndedByBrokerError(reason)
        for reason in (ReasonCode(PacketTypes.DISCONNECT, "Session taken over"), None)
    )
    assert 128 * second <= waits.after(told, lasted=True) <= 256 * second
    for _ in range(30):
        assert waits.after(MqttError("Connection refused"), lasted=False) <= 8 * second
    for cut in range(20):
        assert waits.after(untold, lasted=False) <= min(0.5 * 2**cut, 256) * second
    assert waits.after(untold, lasted=False) >= 128 * second
    assert waits.after(MqttError("Connection refused"), lasted=False) <= 8 * second, "its broker is away"
    assert waits.after(untold, lasted=True) <= second / 2, "it was the other one that came back"


def test_of_two_bridges_with_one_name_each_is_told_to_have_its_own(
    running: Broker, service: FeedProcess, caplog: pytest.LogCaptureFixture
) -> None:
    """Mosquitto states that the name was taken over from 2.0.15 on; one before ends the connection."""

    async def main() -> None:
        async with bridged(running.keys(), service.base) as first, reading(running) as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            async with bridged(running.keys(), service.base):
                await reader.wait_for(lambda held: SECOND in first.progress.failure)
                await reader.wait_for(lambda held: held[STATUS] == LIVE)

    run(main())
    assert SECOND in caplog.text


def test_a_bridge_whose_name_was_taken_over_comes_back(
    running: Broker, service: FeedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt_bridge, "LONGEST_WAIT_NS", 1_000_000)

    async def main() -> None:
        async with bridged(running.keys(), service.base) as bridge, reading(running) as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            async with running.client("reader", identifier=running.keys().client_id):
                pass
            await reader.wait_for(lambda held: bridge.progress.connections > 1 and held[STATUS] == LIVE)

    run(main())


def test_a_birth_message_that_would_fill_the_memory_is_not_received(
    running: Broker, service: FeedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    received: list[int] = []
    on_message = mqtt_bridge._Client._on_message

    def noted(self: Any, client: Any, userdata: Any, message: Any) -> None:
        received.append(len(message.payload))
        on_message(self, client, userdata, message)

    async def main() -> None:
        async with bridged(running.keys(), service.base), reading(running, "home") as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE and CONFIG in held)
            await reader.publish(BIRTHS, b"x" * 100_000)
            await reader.publish(BIRTHS, b"online")
            del reader.held[CONFIG]
            await reader.wait_for(lambda held: CONFIG in held)

    monkeypatch.setattr(mqtt_bridge, "RENEW_NS", 100_000_000)
    monkeypatch.setattr(mqtt_bridge._Client, "_on_message", noted)
    run(main())
    assert received == [len(b"online")]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("retain_available false\n", "Retain not supported; the bridge needs messages that are retained"),
        ("max_qos 0\n", "QoS not supported; the bridge needs messages of QoS 1"),
    ],
)
def test_a_broker_that_can_never_hold_a_table_ends_the_bridge_with_what_to_do(config: str, words: str) -> None:
    with broker(config) as unable, pytest.raises(BrokerRefusedError, match=words):
        run(MqttBridge(unable.keys(), PASSWORDS["feltwire"], NOBODY, None).run())


def test_a_connection_that_is_made_after_the_bridge_was_ended_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread makes it. It stayed open under the bridge's name, and ended the connection of one that began again."""
    goes_on, connect = Event(), mqtt_bridge._Client._client_connect
    packets: list[int] = []
    answer = ScriptedBroker._answer

    def noted(self: ScriptedBroker, kind: int, body: bytes) -> None:
        packets.append(kind)
        answer(self, kind, body)
        self.ended.set()

    async def main() -> None:
        begun, loop, scripted = asyncio.Event(), asyncio.get_running_loop(), ScriptedBroker()

        def late(self: Any) -> None:
            loop.call_soon_threadsafe(begun.set)
            goes_on.wait(HANG_S)
            connect(self)

        monkeypatch.setattr(mqtt_bridge._Client, "_client_connect", late)
        server = await asyncio.start_server(scripted.serve, "127.0.0.1", 0)
        keys = MqttKeys(f"mqtt://127.0.0.1:{server.sockets[0].getsockname()[1]}", "feltwire", "unused")
        async with server:
            async with bridged(keys, NOBODY):
                await begun.wait()
            goes_on.set()
            await scripted.ended.wait()

    monkeypatch.setattr(ScriptedBroker, "_answer", noted)
    run(main())
    assert packets == []


def test_what_is_cancelled_as_the_answer_of_the_broker_comes_is_cancelled() -> None:
    """It was forgotten with Python 3.11: `together` waited for ever for a bridge that was to begin again."""

    async def main() -> bool:
        client, answer = mqtt_bridge._Client("unused"), asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(client._wait_for(answer, None))
        await sleep_ns(0)
        answer.set_result(None)
        waiting.cancel()
        await asyncio.wait([waiting])
        return waiting.cancelled()

    assert run(main())


def test_what_expires_does_so_after_it_was_renewed_twice() -> None:
    assert messages.EXPIRY_S * 1_000_000_000 > 3 * mqtt_bridge.RENEW_NS


def test_the_command_publishes_serves_its_numbers_and_ends_in_order(running: Broker, service: FeedProcess) -> None:
    file = running.folder / "mqtt.toml"
    file.write_text(
        f'broker = "mqtts://127.0.0.1:{running.port}"\nuser = "feltwire"\nca = "{running.ca}"\n'
        f'password_file = "{running.password_file}"\n'
    )
    words = [str(FELTWIRE), "mqtt", str(file), service.base, "--metrics", "0"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)

    async def main(port: str) -> str:
        async with reading(running) as reader:
            await reader.wait_for(lambda held: held.get(STATUS) == LIVE)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                shown: str = answer.read().decode()
            process.send_signal(signal.SIGTERM)
            await reader.wait_for(lambda held: held.get(STATUS) == {"tables": {}})
            return shown

    try:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        port = next(found[1] for line in lines if (found := re.search(r"http://127\.0\.0\.1:(\d+)/metrics", line)))
        shown = run(main(port))
        assert process.wait(HANG_S) == 0
    finally:
        process.kill()
        process.communicate()
    assert "feltwire_mqtt_connected 1.0" in shown
