"""Connections to NATS: where, with which keys and user, and what is wrong in words.

    nats://10.0.0.5:4222            in the clear: on this computer, or in a closed network
    tls://hub.example:4222          the server's certificate is checked
    tls://user:password@hub:4222    ... as a user; better in a file: --creds, or --nats-user and a password file

A connection is never made again by itself: whoever has one learns that it is lost, and asks the server anew what it
holds before it goes on.
"""

from __future__ import annotations

import asyncio
import importlib.util
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from nats.aio.client import Client

CONNECT_S: Final = 5
"""The longest wait for a server to answer (ours)."""
PING_S: Final = 5
"""Between two questions whether the server is still there (ours)."""
MOST_PINGS: Final = 2
"""Questions without an answer before the connection is given up (ours): a cut cable says nothing."""
SCHEMES: Final = ("nats", "tls")
PORT: Final = 4222


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
        return self.url

    @property
    def url(self) -> str:
        """Without the password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tls' if self.tls else 'nats'}://{host}:{self.port}" + (f"/{self.venue}" if self.venue else "")

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


def is_nats(endpoint: str) -> bool:
    """Whether an address is one of NATS, and not of a service's own feed."""
    return endpoint.split("://")[0] in SCHEMES


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


async def connect(
    address: NatsAddress, *, name: str, lost: Callable[[], None] | None = None, inbox: str = ""
) -> Client:
    """Connects once. `lost` is called when the connection ends; `inbox` begins the subjects of answers.

    Raises:
        NatsUnavailableError: nobody answers.
        NatsRefusedError: the server does not let this user in.
        NatsAddressError: the certificates cannot be used.
    """
    from nats.aio.client import Client
    from nats.errors import AuthorizationError, Error, NoServersError
    from nats.errors import TimeoutError as NatsTimeout

    client = Client()
    errors: list[Exception] = []

    async def failed(error: Exception) -> None:
        errors.append(error)

    options: dict[str, object] = {}
    if address.user:
        options |= {"user": address.user, "password": address.password}
    if address.tls:
        options |= {"tls": _context(address), "tls_hostname": address.host}
    if inbox:
        options["inbox_prefix"] = inbox
    server = f"{'tls' if address.tls else 'nats'}://{_bracketed(address.host)}:{address.port}"
    try:
        async with asyncio.timeout(CONNECT_S):
            await client.connect(
                servers=[server],
                name=name,
                allow_reconnect=False,
                connect_timeout=CONNECT_S,
                ping_interval=PING_S,
                max_outstanding_pings=MOST_PINGS,
                error_cb=failed,
                **options,  # type: ignore[arg-type]
            )
    except (NoServersError, NatsTimeout, TimeoutError, OSError, EOFError) as error:
        await client.close()
        cause = errors[-1] if errors else error
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise NatsRefusedError(
                f"{address}: its certificate is not trusted: {cause.verify_message}; give its authority with --ca"
            ) from error
        raise NatsUnavailableError(f"{address}: {_cause(cause)}") from error
    except AuthorizationError as error:
        await client.close()
        raise NatsRefusedError(f"{address}: {_who(address)} is not let in; check user and password") from error
    except Error as error:
        await client.close()
        if "authorization" in str(error).lower():
            raise NatsRefusedError(f"{address}: {_who(address)} is not let in; check user and password") from error
        raise NatsUnavailableError(f"{address}: {error}") from error
    _watch(client, lost)
    return client


def _watch(client: Client, lost: Callable[[], None] | None) -> None:
    """Calls `lost` when the client reads no more.

    Its own callback (`closed_cb`) is not called where the connection is reset: then closing it fails too (nats-py
    2.16), and asyncio would report that as an error that nobody took.
    """

    def ended(reading: asyncio.Task[bool]) -> None:
        if not reading.cancelled():
            reading.exception()
        if lost is not None:
            lost()

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


def _cause(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "no server answers there"
    return str(error) or f"no answer in {CONNECT_S} s"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _hidden(text: str) -> str:
    """A URL without its password."""
    before, at, after = text.rpartition("@")
    return f"{before.split('://')[0]}://…@{after}" if at else text
