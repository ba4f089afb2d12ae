"""Which requests a local page answers, and the headers of every answer.

A server on loopback is open to every web site that its user visits: a site's name may be made to resolve to 127.0.0.1
(DNS rebinding), and a script of any site may open a WebSocket. The first is refused by the `Host` header, the second by
the `Origin` header.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware

FRAMED_BY_NOBODY: Final = "frame-ancestors 'none'"

CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        FRAMED_BY_NOBODY,
        # A string never becomes markup: `innerHTML` and its like throw.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
"""Everything from this server, nothing inline, in no frame unless `add_headers` is given the sites that may. Styles are
set with `element.style`, text as text."""

HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), serial=()",
}

_HOST: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:(?P<port>[0-9]{1,5}))?")
_ORIGIN: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*)"
    r"(:(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE | re.ASCII,
)
_LAST_PORT: Final = 65535
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class NamesAllowed:
    """The names under which a page may be asked for.

    On loopback: `localhost` and addresses of loopback. On another address: any IP address too, since a rebound name is
    never one, and the names given.
    """

    names: frozenset[str]
    """Names of the computer, in lower case."""
    any_address: bool
    """Whether every IP address is allowed; otherwise those of loopback."""

    @classmethod
    def on(cls, host: str, names: Iterable[str] = ()) -> NamesAllowed:
        """The names for a server that listens on `host`; `names` are those of the computer in its network."""
        return cls(
            names=frozenset({"localhost", *(name.lower().rstrip(".") for name in names)}),
            any_address=not is_loopback(host),
        )

    @classmethod
    def of_this_computer(cls, host: str, names: Iterable[str] = ()) -> NamesAllowed:
        """As `on`, with the computer's own name, also as mDNS has it; `names` are further ones."""
        own = socket.gethostname()
        return cls.on(host, [own, f"{own}.local", *names])

    def allow(self, host: str) -> bool:
        """Whether a `Host` header is one of them, with any port."""
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        name = parts["name"].lower().rstrip(".")
        try:
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return name in self.names
        return self.any_address or address.is_loopback


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches a server on `host`."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_same_origin(origin: str, host: str) -> bool:
    """Whether an `Origin` header names the host and port of the `Host` header."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return False
    default = _DEFAULT_PORTS.get(parts.scheme)
    asked = _HOST.fullmatch(host)
    if default is None or asked is None or parts.hostname is None:
        return False
    name, asked_port = asked["name"].lower().strip("[]"), asked["port"]
    return parts.hostname == name and (port or default) == (int(asked_port) if asked_port else default)


def guard(allowed: NamesAllowed) -> Middleware:
    """The middleware that refuses strangers: 421 for a wrong host, 403 for a WebSocket or a change that a page of
    another site asks for."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        host = request.headers.get(hdrs.HOST, "")
        if not allowed.allow(host):
            raise web.HTTPMisdirectedRequest(
                text=f"{_shown(host)} is not a name of this server; use its address, or start it with --name\n"
            )
        changes = request.method not in _SAFE_METHODS
        upgrades = "websocket" in request.headers.get(hdrs.UPGRADE, "").lower()
        if (changes or upgrades) and not is_same_origin(request.headers.get(hdrs.ORIGIN, ""), host):
            raise web.HTTPForbidden(text="only a page of this server may do that: the Origin header is another's\n")
        return await handler(request)

    return check


class OriginError(ValueError):
    """A text that is not an origin; the message says what is wrong and how one is written."""


def parse_origin(text: str) -> str:
    """An origin as browsers write it: `https://example.org`, with its port where that is not the usual one.

    Raises:
        OriginError: it is something else, or more than an origin.
    """
    parts = _ORIGIN.fullmatch(text)
    if parts is None:
        raise OriginError(f"{_shown(text)} is not an origin; {_origin_fix(text)}")
    scheme, host, port = parts["scheme"].lower(), parts["host"].lower(), parts["port"]
    if port is not None and not 0 < int(port) <= _LAST_PORT:
        raise OriginError(f"{_shown(text)} has no port from 1 to {_LAST_PORT}; write one, or none")
    if host.startswith("["):
        try:
            host = f"[{ipaddress.IPv6Address(host[1:-1])}]"
        except ValueError:
            raise OriginError(f"{_shown(text)} has no address in its brackets; write one, or a name") from None
    usual = port is None or int(port) == _DEFAULT_PORTS[scheme]
    return f"{scheme}://{host}" if usual else f"{scheme}://{host}:{int(port)}"


def parse_embedding_origin(text: str) -> str:
    """An origin whose pages may frame these, as `parse_origin` writes it.

    Raises:
        OriginError: it is not an origin, or one that a content policy cannot name: its sources have names and addresses
            of IPv4 (CSP, 2.3.1), and a browser passes over one of IPv6.
    """
    origin = parse_origin(text)
    if "[" in origin:
        raise OriginError(f"{_shown(text)} is an IPv6 address, which no content policy can name; give the site's name")
    return origin


def _origin_fix(text: str) -> str:
    """How the origin is written that a text was meant as."""
    bare = re.sub(r"\A(?i:https?)?:?/*", "", text)
    host = re.match(r"[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?(?=/|\Z)", bare)
    example = (
        "https://example.org"
        if host is None
        else f"{'http' if text.lower().startswith('http:') else 'https'}://{host[0].lower()}"
    )
    return f"write scheme, name and nothing more, each site by itself: {example}"


Prepare = Callable[[web.Request, web.StreamResponse], Coroutine[None, None, None]]


def add_headers(embedded_by: Iterable[str] = ()) -> Prepare:
    """What adds the headers of every answer, also of a refusal (`on_response_prepare`).

    `embedded_by` are the origins whose pages may frame these. Without any, none may.
    """
    headers = dict(HEADERS)
    origins = " ".join(embedded_by)
    if origins:
        policy = headers["Content-Security-Policy"]
        headers["Content-Security-Policy"] = policy.replace(FRAMED_BY_NOBODY, f"frame-ancestors {origins}")
        # It knows no origins: it would refuse those that are named.
        del headers["X-Frame-Options"]

    async def add(_request: web.Request, response: web.StreamResponse) -> None:
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-store")
        # Which software answers, and its version, are nobody's business.
        response.headers[hdrs.SERVER] = "feltwire"

    return add


def _shown(text: str) -> str:
    """A header for a message: short, and of plain characters."""
    return ascii(text[:100])
