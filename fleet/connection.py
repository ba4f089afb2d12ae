"""Connections to NATS: where, with which keys and user, and what is wrong in words.

    nats://10.0.0.5:4222            in the clear: on this computer, or in a closed network
    tls://hub.example:4222          the server's certificate is checked
    tls://user:password@hub:4222    ... as a user; better --nats-user and --password-file

An address with tls:// is never used in the clear: where the server does not ask for TLS, nothing is sent to it.

A connection is never made again by itself: whoever has one learns that it is lost, and asks the server again what it
holds before it continues.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import re
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn
from urllib.parse import unquote, urlsplit

from fleet.schemes import SCHEMES

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

log = logging.getLogger(__name__)

ANSWER_S: Final = 5.0
"""The longest wait for an answer of JetStream (ours)."""
CONNECT_S: Final = 5
"""The longest wait for a server to answer (ours)."""
CLOSE_S: Final = 1.0
"""The longest wait for a connection to close (ours)."""
PING_S: Final = 5
"""Between two questions whether the server is still there (ours)."""
MOST_PINGS: Final = 2
"""Questions without an answer before the connection is given up (ours): nothing arrives to report a cut cable."""
MOST_LOGGED: Final = 100
"""Errors of one connection that are logged, each once (ours): a server cannot fill the log with them."""
PORT: Final = 4222

_VIOLATION: Final = re.compile(
    r'permissions violation for (?P<what>publish|subscription) to "(?P<subject>[^"]+)"', re.IGNORECASE
)


class NatsAddressError(ValueError):
    """An address or its files cannot be used; the message has a valid one."""


class NatsUnavailableError(Exception):
    """There is no connection to NATS now; the message states why. It may come back."""


class NatsRefusedError(Exception):
    """The server refuses what was asked, and asking again changes nothing; the message states what to do."""


class NatsAddress(NamedTuple):
    """A server, and how to be known there."""

    host: str
    port: int
    tls: bool
    user: str = ""
    password: str = ""
    ca: Path | None = None
    """The certificate authority of the server; without one, those of the system."""
    certificate: Path | None = None
    """Our own certificate and key (PEM), where the server asks for one."""
    venue: str = ""
    """From the path: `nats://hub:4222/atlantic-hall`; empty for all."""

    def __str__(self) -> str:
        return self.server + (f"/{self.venue}" if self.venue else "")

    def __repr__(self) -> str:
        return f"NatsAddress({str(self)!r}, user={self.user!r})"

    @property
    def server(self) -> str:
        """Scheme, host and port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tls' if self.tls else 'nats'}://{host}:{self.port}"

    @classmethod
    def parse(cls, text: str, *, ca: Path | None = None, certificate: Path | None = None) -> NatsAddress:
        """The address of a URL.

        Raises:
            NatsAddressError: it is none.
        """
        example = "write nats://10.0.0.5:4222 or tls://hub.example:4222"
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError as error:
            raise NatsAddressError(f"NATS address {_hidden(text)}: {error}; {example}") from error
        if parts.scheme not in SCHEMES or not parts.hostname or parts.query or parts.fragment:
            raise NatsAddressError(f"NATS address {_hidden(text)}: it must be a scheme, a host and a port; {example}")
        if (ca or certificate) and parts.scheme != "tls":
            raise NatsAddressError(f"NATS address {_hidden(text)}: certificates are for tls://; {example}")
        return cls(
            parts.hostname,
            PORT if port is None else port,
            parts.scheme == "tls",
            unquote(parts.username or ""),
            unquote(parts.password or ""),
            ca,
            certificate,
            parts.path.strip("/"),
        )


def has_client() -> bool:
    """Whether the client of NATS is installed: only what follows a fleet needs it."""
    return importlib.util.find_spec("nats") is not None


def with_password(address: NatsAddress, user: str | None, file: Path | None) -> NatsAddress:
    """The address with a user, and the password of a file.

    Raises:
        NatsAddressError: the file cannot be read, or others may read it.
    """
    if user is not None:
        address = address._replace(user=user)
    if file is None:
        return address
    try:
        mode = file.stat().st_mode
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise NatsAddressError(f"{file}: the password cannot be read: {error}") from error
    if mode & 0o077:
        raise NatsAddressError(f"{file}: others may read the password (mode {mode & 0o777:04o}); chmod 600 {file}")
    if not text:
        raise NatsAddressError(f"{file}: it is empty; write the password of the user {address.user!r} there")
    return address._replace(password=text)


def inbox_of(venue: str) -> str:
    """Where the answers to the relay of a venue go: its user may read there, and nowhere else."""
    return f"_INBOX_{venue}"


class Connection:
    """A connection to a server. `connect` makes it."""

    def __init__(self, address: NatsAddress, client: Client, lost: Callable[[], None] | None) -> None:
        self.address = address
        self._client = client
        self._lost = lost
        self._waiting: dict[str, set[asyncio.Future[NoReturn]]] = {}
        """By subject in lower case, what ends requests before they are answered."""
        self._logged: set[str] = set()
        self.is_lost = False
        self.last_error: Exception | None = None
        """What the server, or the client, reported last."""

    async def request(self, subject: str, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
        """Sends a request, and returns the answer.

        Raises:
            NatsUnavailableError: there is none in `ANSWER_S`, nobody listens there, or the connection is lost.
            NatsRefusedError: this user may not publish to that subject.
        """
        from nats.errors import Error, NoRespondersError

        if self.is_lost:
            raise NatsUnavailableError(f"{self.address}: the connection is lost")
        refused: asyncio.Future[NoReturn] = asyncio.get_running_loop().create_future()
        # The client gives the server's errors in lower case.
        key = subject.lower()
        self._waiting.setdefault(key, set()).add(refused)
        request = asyncio.ensure_future(
            self._client.request(subject, body, timeout=ANSWER_S, headers=None if headers is None else dict(headers))
        )
        try:
            both: set[asyncio.Future[Any]] = {request, refused}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if refused.done():
                return refused.result()
            return bytes(request.result().data)
        except NoRespondersError as error:
            what = "nobody listens: JetStream is off, or has no leader, or no stream has this subject"
            raise NatsUnavailableError(f"{self.address}, {subject}: {what}") from error
        except (Error, TimeoutError, OSError) as error:
            raise NatsUnavailableError(f"{self.address}, {subject}: {_cause(error, ANSWER_S)}") from error
        finally:
            request.cancel()
            refused.cancel()
            self._waiting[key].discard(refused)
            if not self._waiting[key]:
                del self._waiting[key]

    async def publish(self, subject: str, body: bytes) -> None:
        """Sends a message that nobody confirms.

        Raises:
            NatsUnavailableError: the connection is lost.
        """
        from nats.errors import Error

        try:
            await self._client.publish(subject, body)
        except (Error, OSError) as error:
            raise NatsUnavailableError(f"{self.address}: the connection is lost") from error

    async def subscribe(self, subject: str, received: Callable[[str, bytes], None]) -> None:
        """Calls `received` with the subject and the body of each message of a filter, as long as the connection lasts.
        Returns when the server has the subscription.

        Raises:
            NatsUnavailableError: the connection is lost.
            NatsRefusedError: this user may not subscribe to it.
        """
        from nats.errors import Error

        async def handle(message: Msg) -> None:
            received(message.subject, message.data)

        refused: asyncio.Future[NoReturn] = asyncio.get_running_loop().create_future()
        key = subject.lower()
        self._waiting.setdefault(key, set()).add(refused)
        try:
            await self._client.subscribe(subject, cb=handle)
            # A refusal comes before the answer to the second one. The first one overtakes the subscription, which waits
            # in the client for its turn (nats-py 2.16).
            await self._client.flush(timeout=CONNECT_S)
            await self._client.flush(timeout=CONNECT_S)
            if refused.done():
                refused.result()
        except (Error, TimeoutError, OSError) as error:
            raise NatsUnavailableError(f"{self.address}, {subject}: {_cause(error, CONNECT_S)}") from error
        finally:
            refused.cancel()
            self._waiting[key].discard(refused)
            if not self._waiting[key]:
                del self._waiting[key]

    async def close(self) -> None:
        """Closes it."""
        self._lost = None
        # Closing waits for ever where the handshake of TLS failed (nats-py 2.16).
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self._client.close()

    def failed(self, error: Exception) -> None:
        """Takes an error that answers no request.

        One of a subject to which this user may not publish ends the requests there; any other, and one for which no
        request waits, is logged, each once.
        """
        self.last_error = error
        found = _VIOLATION.search(str(error))
        if found is None:
            self._log(str(error) or repr(error))
            return
        act = "publish" if found["what"].lower() == "publish" else "subscribe"
        what = f"{_who(self.address)} may not {act} to {found['subject']}"
        waiting = [one for one in self._waiting.get(found["subject"].lower(), ()) if not one.done()]
        for one in waiting:
            one.set_exception(NatsRefusedError(f"{self.address}: {what}"))
        if not waiting:
            self._log(what)

    def reading_ended(self, error: BaseException | None = None) -> None:
        """Nothing is received any more; `error` is what ended it, where something failed."""
        self.is_lost = True
        if error is not None:
            self._log(f"reading has ended: {error!r}")
        for waiting in {one for some in self._waiting.values() for one in some if not one.done()}:
            waiting.set_exception(NatsUnavailableError(f"{self.address}: the connection is lost"))
        if self._lost is not None:
            self._lost()

    def _log(self, what: str) -> None:
        if what in self._logged or len(self._logged) > MOST_LOGGED:
            return
        self._logged.add(what)
        if len(self._logged) > MOST_LOGGED:
            what = f"{MOST_LOGGED} different errors; no further errors of this connection are logged"
        log.warning("%s: %s", self.address, what)


async def connect(
    address: NatsAddress, *, name: str, lost: Callable[[], None] | None = None, inbox: str = ""
) -> Connection:
    """Connects once. `lost` is called when the connection ends; `inbox` begins the subjects of answers.

    Raises:
        NatsUnavailableError: nobody answers.
        NatsRefusedError: the server does not let this user in, or has no TLS where the address asks for it.
        NatsAddressError: the certificates cannot be used.
    """
    from nats.errors import AuthorizationError, Error

    client = _client(address)
    connection = Connection(address, client, lost)

    async def failed(error: Exception) -> None:
        if connected:
            connection.failed(error)
        else:
            # Raised below.
            connection.last_error = error

    connected = False

    options: dict[str, object] = {}
    if address.user:
        options |= {"user": address.user, "password": address.password}
    if address.tls:
        options |= {"tls": _context(address), "tls_hostname": address.host}
    if inbox:
        options["inbox_prefix"] = inbox
    try:
        async with asyncio.timeout(CONNECT_S):
            await client.connect(
                servers=[address.server],
                name=name,
                allow_reconnect=False,
                max_reconnect_attempts=1,
                reconnect_time_wait=0,
                connect_timeout=CONNECT_S,
                ping_interval=PING_S,
                max_outstanding_pings=MOST_PINGS,
                error_cb=failed,
                **options,  # type: ignore[arg-type]
            )
    except NatsRefusedError:
        await connection.close()
        raise
    except (Error, TimeoutError, OSError, EOFError) as error:
        await connection.close()
        cause = connection.last_error or error
        if isinstance(error, AuthorizationError) or "authorization" in f"{error} {cause}".lower():
            raise NatsRefusedError(f"{address}: {_who(address)} is not let in; check user and password") from error
        if isinstance(cause, ssl.SSLCertVerificationError):
            trusted = f"its certificate is not trusted: {cause.verify_message}"
            raise NatsRefusedError(f"{address}: {trusted}; give its authority with --ca") from error
        raise NatsUnavailableError(f"{address}: {_cause(cause, CONNECT_S)}") from error
    connected = True
    _watch(client, connection)
    return connection


def _client(address: NatsAddress) -> Client:
    """A client of NATS that sends its CONNECT, which has the password, unencrypted only where the address has it so."""
    from nats.aio.client import Client

    class EncryptedClient(Client):
        """nats-py starts TLS only where the server's INFO asks for it, and sends the password in either case."""

        def _connect_command(self) -> bytes:
            # The last step before CONNECT is sent: here it shows whether the connection itself is encrypted.
            writer = getattr(self._transport, "_io_writer", None)
            if writer is None or writer.get_extra_info("ssl_object") is None:
                raise NatsRefusedError(
                    f"{address}: the server does not ask for TLS, so user and password are not sent; "
                    "switch TLS on in the server, or see who answers there"
                )
            return super()._connect_command()

    return EncryptedClient() if address.tls else Client()


def _watch(client: Client, connection: Connection) -> None:
    """Notes when the client reads no more.

    Its own callback (`closed_cb`) is not called where the connection is reset: then closing it fails too (nats-py
    2.16), and asyncio would report that as an error that nobody took.
    """

    def ended(reading: asyncio.Task[bool]) -> None:
        connection.reading_ended(None if reading.cancelled() else reading.exception())

    reading = client._reading_task
    if reading is not None:
        reading.add_done_callback(ended)


def _context(address: NatsAddress) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=None if address.ca is None else str(address.ca))
        if address.certificate is not None:
            context.load_cert_chain(str(address.certificate))
    except (OSError, ssl.SSLError) as error:
        named = " and ".join(str(one) for one in (address.ca, address.certificate) if one is not None)
        raise NatsAddressError(f"{named}: the certificates cannot be used: {error}") from error
    return context


def _who(address: NatsAddress) -> str:
    return f"the user {address.user}" if address.user else "who gives no user"


def _cause(error: Exception, waited_s: float) -> str:
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "no server answers there"
    return str(error) or f"no answer in {waited_s:.0f} s"


def _hidden(text: str) -> str:
    """A URL without its password."""
    before, at, after = text.rpartition("@")
    return f"{before.split('://')[0]}://…@{after}" if at else text
