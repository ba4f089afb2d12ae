"""Keeps a broker as the mirror has it: over lost connections, restarts of the broker and of Home Assistant.

It subscribes to Home Assistant's birth message alone, and takes nothing else from the broker.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TypeVar

import aiomqtt
from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from bridges.authority import tls_context
from bridges.following import log_notice, together
from bridges.mqtt.keys import Broker, MqttKeys
from bridges.mqtt.messages import EXPIRY_S, BrokerMessage
from bridges.mqtt.mirror import Mirror
from bridges.mqtt.progress import MqttProgress
from bridges.waits import spread_ns, wait_ns
from feed.subscriber import AsyncSubscriber
from hal.clock import NS_PER_S, boot_time_ns
from hal.loop import sleep_ns

if TYPE_CHECKING:
    from feed.keys import ClientCurve

T = TypeVar("T")

log = logging.getLogger(__name__)
_QUIET: Final = logging.getLogger(f"{__name__}.client")
"""What the client logs of each packet is for its own developers."""
_QUIET.setLevel(logging.CRITICAL)

RENEW_NS: Final = 3 * NS_PER_S
"""Between two renewals of what is retained (ours): two may be lost before it expires."""
LOOK_NS: Final = NS_PER_S // 4
"""Between two looks whether the bridge stood still (ours)."""
STOOD_STILL_NS: Final = 3 * NS_PER_S
"""After this long what was received before is as old as that of a table whose service is silent."""
KEEPALIVE_S: Final = 5
"""A broker that receives nothing for one and a half times this long publishes the last will (ours)."""
ANSWER_S: Final = 5.0
"""The longest wait for an answer of the broker (ours)."""
LONGEST_WAIT_NS: Final = 8 * NS_PER_S
"""Between two attempts to connect (ours)."""
BIRTH: Final = b"online"
MOST_WAITING: Final = 8
"""Messages of the broker that wait to be read (ours); what is more is dropped."""
AT_ONCE: Final = 16
"""Messages on their way to the broker at a time (ours); fewer where the broker takes fewer."""
LONGEST_RECEIVED: Final = 4096
"""Bytes of a packet that the broker may send (ours), of which the longest is a birth message: a client that may write
there could fill the memory. The broker drops what is longer."""
AWAY_TIMES: Final = 32
"""So many times `LONGEST_WAIT_NS` is the longest wait (ours) after another client took over this one's name: two that
come back at once end each other for good. Mosquitto before 2.0.15 does not state that it was so."""
_WITH_WILL: Final = ReasonCode(PacketTypes.DISCONNECT, "Disconnect with will message")
_NOT_AUTHORIZED: Final = 0x87
_TAKEN_OVER: Final = 0x8E
_LOST: Final = 0x80
"""What paho-mqtt 2.2 has for a connection that the other end closed."""
_DATES: Final = (9, 10)
"""OpenSSL's codes of a certificate that is not valid yet, or no more. They pass: when a computer without a battery of
its clock has the time, or the certificate is renewed."""
_NAMES: Final = (62, 64)
"""OpenSSL's codes of a certificate that is for another host name, or another IP address."""
_NOT_LET_IN: Final = {
    "Bad user name or password": "check user and password_file",
    "Not authorized": "check user, password_file and the broker's list of accounts",
}
"""What passes: so answers a broker whose list of accounts is being changed, or is not there yet, as after a start."""
_REFUSALS: Final = {
    "Unsupported protocol version": "it needs MQTT 5: Mosquitto 1.6 or later, or another broker that has it",
    "Retain not supported": "the bridge needs messages that are retained: allow them there",
    "QoS not supported": "the bridge needs messages of QoS 1: allow them there",
}


class BrokerRefusedError(Exception):
    """The broker can never do what was asked; the message states what to do."""


class _EndedByBrokerError(aiomqtt.MqttError):
    """The broker ended the connection."""

    def __init__(self, reason: ReasonCode | None) -> None:
        """`reason` is None where it gave none."""
        super().__init__(f"the broker ended the connection{' without a reason' if reason is None else f': {reason}'}")
        self.no_reason = reason is None
        self.taken_over = reason is not None and reason.value == _TAKEN_OVER


class _Client(aiomqtt.Client):
    """A client that learns what aiomqtt 2.5 does not tell: which messages the broker refuses, as every answer counts as
    an acceptance; how many it takes at a time; and why it ends the connection."""

    refusal: ReasonCode | None = None
    at_once = AT_ONCE
    ended: _EndedByBrokerError | None = None
    _dropped = False

    def _on_socket_open(self, client: Any, userdata: Any, sock: Any) -> None:
        # A thread connects, and continues where the bridge is ended, or begins again, meanwhile: this connection would
        # stay, and end the next one, which has the same name.
        if self._dropped:
            sock.close()
            raise OSError("nobody waits for this connection any more")
        super()._on_socket_open(client, userdata, sock)

    def _on_connect(
        self, client: Any, userdata: Any, flags: Any, reason_code: ReasonCode, properties: Any = None
    ) -> None:
        # A broker disconnects a client that sends more.
        self.at_once = max(1, min(AT_ONCE, getattr(properties, "ReceiveMaximum", AT_ONCE)))
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _on_disconnect(
        self, client: Any, userdata: Any, flags: Any, reason_code: ReasonCode, properties: Any = None
    ) -> None:
        if flags.is_disconnect_packet_from_server:
            self.ended = _EndedByBrokerError(reason_code)
        elif self.ended is None and reason_code.value == _LOST and self._connected.done():
            self.ended = _EndedByBrokerError(None)
        super()._on_disconnect(client, userdata, flags, reason_code, properties)
        self._take_error()

    def _on_publish(self, client: Any, userdata: Any, mid: int, reason_code: ReasonCode, properties: Any) -> None:
        if reason_code.is_failure:
            self.refusal = reason_code
        super()._on_publish(client, userdata, mid, reason_code, properties)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leaves, whatever the cause, so that the broker publishes the last will. After the packet of aiomqtt 2.5 it
        would drop the will, and the last status would stay."""
        self._client.disconnect(_WITH_WILL)
        await super().__aexit__(kind, error, trace)

    async def _wait_for(self, fut: Awaitable[T], timeout: float | None) -> T:
        """Ends when it is cancelled, always: `asyncio.wait_for` of Python 3.11, as aiomqtt 2.5 has it, forgets that
        where the answer came at that moment, and a bridge that is to end, or to begin again, waited for ever."""
        try:
            async with asyncio.timeout(self.timeout if timeout is None else timeout):
                return await fut
        except TimeoutError:
            raise aiomqtt.MqttError(f"no answer in {ANSWER_S:g} s") from None

    def drop(self) -> None:
        """Closes what is still open: aiomqtt 2.5 leaves the socket of a connection that failed, which would still be
        there under this client's name."""
        self._dropped = True
        self._client.disconnect(_WITH_WILL)
        self._take_error()

    def _take_error(self) -> None:
        """Takes the error of a connection that ended, so that asyncio does not report it."""
        if self._disconnected.done():
            self._disconnected.exception()


class _Waits:
    """How long the bridge stays away from the broker."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._cuts = self._failures = 0
        """In a row: connections that the broker ended without a reason, and all others."""

    def after(self, ended: aiomqtt.MqttError | None, *, lasted: bool) -> int:
        """After a connection that ended so, or was not made; `lasted` is whether it had everything for a while."""
        if lasted:
            self._failures = self._cuts = 0
        away_ns = AWAY_TIMES * LONGEST_WAIT_NS
        match ended:
            case _EndedByBrokerError(taken_over=True):
                return spread_ns(away_ns, self._random)
            case _EndedByBrokerError(no_reason=True):
                self._cuts += 1
                return wait_ns(self._cuts, away_ns, self._random)
        self._failures += 1
        return wait_ns(self._failures, LONGEST_WAIT_NS, self._random)


class MqttBridge:
    """Publishes the tables of one service for as long as `run` runs."""

    def __init__(
        self,
        keys: MqttKeys,
        password: str,
        endpoint: str,
        curve: ClientCurve | None,
        random: Random | None = None,
        boot_ns: Callable[[], int] = boot_time_ns,
    ) -> None:
        """`boot_ns` gives a time that goes on while the computer is suspended."""
        self._keys = keys
        self._address: Broker = keys.address
        self._password = password
        self._endpoint = endpoint
        self._curve = curve
        self._random = Random() if random is None else random
        self._boot_ns = boot_ns
        self._changed = asyncio.Event()
        self._due = self._born = False
        self._lasted = False
        """Whether the broker had everything, and was connected until the first renewal."""
        self._unread: set[str] = set()
        """The birth topics that the broker does not let the account read, since a connection lasted."""
        self.progress = MqttProgress()

    async def run(self) -> None:
        """Publishes until it is cancelled.

        Raises:
            BrokerRefusedError: before the first connection: the broker cannot be used (`_refusal`).
            AuthorityError: the file of the authority cannot be used.
        """
        keys = self._keys
        tls = tls_context(keys.ca, f"the broker {self._address}") if self._address.tls else None
        while True:
            async with AsyncSubscriber(
                self._endpoint, tables=keys.tables or None, simulated=keys.simulated, curve=self._curve, heartbeats=True
            ) as subscriber:
                mirror = Mirror(keys, subscriber.states, subscriber.join_again)
                await together(
                    self._follow(subscriber, mirror), self._stay_connected(mirror, tls), self._until_it_stood_still()
                )

    async def _until_it_stood_still(self) -> None:
        """Returns after the computer was suspended, or the process stopped. A subscriber counts the time in which it
        ran, and reads first what came meanwhile: it would take both for new. So all begins again, as after a start."""
        seen_ns = self._boot_ns()
        while True:
            await sleep_ns(LOOK_NS)
            before_ns, seen_ns = seen_ns, self._boot_ns()
            if seen_ns - before_ns >= STOOD_STILL_NS:
                log.warning("the bridge stood still for %d s: it begins again", (seen_ns - before_ns) // NS_PER_S)
                return

    async def _follow(self, subscriber: AsyncSubscriber, mirror: Mirror) -> None:
        async for item in subscriber:
            mirror.take(item)
            log_notice(log, item)
            self._changed.set()

    async def _stay_connected(self, mirror: Mirror, tls: ssl.SSLContext | None) -> None:
        waits = _Waits(self._random)
        while True:
            self._lasted = self._due = False
            ended: aiomqtt.MqttError | None = None
            try:
                await self._session(mirror, tls)
            except aiomqtt.MqttError as error:
                ended, refusal = error, self._refusal(error)
                # One that was connected before is being changed, or started.
                if refusal and not self.progress.connections:
                    raise BrokerRefusedError(f"{self._address}: {refusal}") from error
                self._log_failure(refusal or self._words(error))
            finally:
                self.progress.connected = False
            await sleep_ns(waits.after(ended, lasted=self._lasted))

    def _words(self, error: aiomqtt.MqttError) -> str:
        """What happened, and what to do."""
        keys = self._keys
        second = f"is there a second bridge with the prefix {keys.prefix}? Give each its own, or stop one"
        match error:
            case _EndedByBrokerError(taken_over=True):
                within_s = AWAY_TIMES * LONGEST_WAIT_NS // NS_PER_S
                return f"another client took over the name {keys.client_id}: {second}; trying again within {within_s} s"
            case _EndedByBrokerError(no_reason=True):
                return f"{error}; if it does so again and again, {second}; trying again"
            case _EndedByBrokerError():
                return f"{error}; trying again"
            case MqttConnectError():
                fix = next((fix for words, fix in _NOT_LET_IN.items() if words in str(error)), "")
                if fix:
                    return f"the account {keys.user} is not let in: {error}; {fix}; trying again"
        # aiomqtt 2.5 has why in the cause; of itself it has where it noticed.
        return f"{error.__cause__ or error}; trying again"

    def _log_failure(self, why: str) -> None:
        """Once, not with each attempt."""
        if why != self.progress.failure:
            self.progress.failure = why
            log.warning("%s: %s", self._address, why)

    def _log_publishing(self) -> None:
        """Once the broker took everything where nothing failed before; otherwise once that lasts, not with each
        connection that ends again."""
        log.info("publishing to %s, below %s/", self._address, self._keys.prefix)

    async def _session(self, mirror: Mirror, tls: ssl.SSLContext | None) -> None:
        """Keeps the broker as the mirror is, until the connection is lost."""
        client = _Client(
            self._address.host,
            self._address.port,
            username=self._keys.user,
            password=self._password,
            # The broker ends one of two bridges with this name: they would contradict each other.
            identifier=self._keys.client_id,
            protocol=aiomqtt.ProtocolVersion.V5,
            clean_start=True,
            will=aiomqtt.Will(mirror.will.topic, mirror.will.payload, 1, True),
            keepalive=KEEPALIVE_S,
            properties=_connect_properties(),
            timeout=ANSWER_S,
            max_queued_incoming_messages=MOST_WAITING,
            tls_context=tls,
            logger=_QUIET,
        )
        client.pending_calls_threshold = AT_ONCE
        try:
            async with client:
                await self._connected(client, mirror)
        except aiomqtt.MqttError as error:
            if client.ended is None:
                raise
            raise client.ended from error
        finally:
            client.drop()

    async def _connected(self, client: _Client, mirror: Mirror) -> None:
        self.progress.connections += 1
        for births in self._keys.birth_topics:
            (answer,) = await client.subscribe(births, qos=1)
            if isinstance(answer, ReasonCode) and answer.is_failure and births not in self._unread:
                self._unread.add(births)
                log.warning(
                    "%s: the account %s may not read %s, so a start of Home Assistant is not noticed there",
                    *(self._address, self._keys.user, births),
                )
        mirror.forget()
        await together(self._publish_changes(client, mirror), self._hear_births(client), self._renew())

    async def _publish_changes(self, client: _Client, mirror: Mirror) -> None:
        while True:
            for messages in mirror.passes():
                await self._publish(client, messages)
            if not self.progress.connected and not self.progress.failure:
                self._log_publishing()
            self.progress.connected = True
            self.progress.signals = {**mirror.signals}
            await self._changed.wait()
            self._changed.clear()
            if self._due:
                mirror.renew(shown=self._born)
                self._due = self._born = False
                if self.progress.failure:
                    self._log_publishing()
                self._lasted, self.progress.failure = True, ""
                self._unread.clear()

    async def _publish(self, client: _Client, messages: Sequence[BrokerMessage]) -> None:
        """Publishes messages, and returns when the broker has them all."""
        for first in range(0, len(messages), client.at_once):
            some = messages[first : first + client.at_once]
            await asyncio.gather(*(client.publish(one.topic, one.payload, 1, True, _properties(one)) for one in some))
            if client.refusal is not None:
                topics = ", ".join(sorted({one.topic for one in some})[:3])
                keys = self._keys
                why = f"the broker does not take {topics} from the account {keys.user} ({client.refusal})"
                if client.refusal.value == _NOT_AUTHORIZED:
                    why += f"; allow it to write {keys.prefix}/# and {keys.discovery}/device/#"
                raise aiomqtt.MqttError(why)
            self.progress.published += len(some)

    async def _hear_births(self, client: aiomqtt.Client) -> None:
        """Notes each start of Home Assistant; raises where the connection is lost. It is answered with the next
        renewal, so that many of them cause no more than one."""
        async for message in client.messages:
            self._born = self._born or (message.topic.value in self._keys.birth_topics and message.payload == BIRTH)

    async def _renew(self) -> None:
        while True:
            await sleep_ns(RENEW_NS)
            self._due = True
            self._changed.set()

    def _refusal(self, error: aiomqtt.MqttError) -> str:
        """Why a broker cannot be used, and what to do; empty where that may pass."""
        cause = error.__context__
        if isinstance(cause, ssl.SSLCertVerificationError) and cause.verify_code not in _DATES:
            fix = "give the file of its authority as ca"
            if cause.verify_code in _NAMES:
                fix = "write a name that it is for into broker"
            return f"its certificate is not trusted: {cause.verify_message.rstrip('.')}; {fix}"
        if isinstance(error, MqttConnectError):
            fix = next((fix for words, fix in _REFUSALS.items() if words in str(error)), "")
            return f"{error}; {fix}" if fix else ""
        return ""


def _connect_properties() -> Properties:
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    properties.MaximumPacketSize = LONGEST_RECEIVED
    return properties


def _properties(message: BrokerMessage) -> Properties | None:
    if not message.expires:
        return None
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.MessageExpiryInterval = EXPIRY_S
    return properties
