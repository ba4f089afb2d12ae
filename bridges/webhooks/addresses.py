"""Which addresses a target may have.

The targets are those of a local file. What their names resolve to is somebody else's, so the addresses are checked
where the connection is made, and the connection goes to an address that was checked.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from typing import Final, TypeAlias

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

SHARED: Final = ipaddress.ip_network("100.64.0.0/10")
"""Between a provider and its customers (RFC 6598), and of overlay networks as Tailscale: neither private nor public to
Python, and for a venue a private network."""
TRANSLATED: Final = ipaddress.ip_network("64:ff9b::/96")
"""Of IPv4 addresses behind a translator (NAT64, RFC 6052): the last 32 bits are the address."""
CLOUDS: Final = (
    *("100.100.100.200", "fd00:100::100:200", "168.63.129.16", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254"),
    *("fd00:c1::a9fe:a9fe", "fd00:42::42", "fd00:a9fe:a9fe::1"),
)
"""Where clouds have what only a host may read, and that is not link-local, as far as it is known to us: of Alibaba
(both), Azure, AWS (metadata and EKS Pod Identity), Google, Oracle, Scaleway and Linode."""
NEVER: Final = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "64:ff9b:1::/48", "2001::/32", *CLOUDS)))
"""Of protocols, and of no host a venue has: where one cloud has its secrets (RFC 6890); of a translator whose network
alone knows where in it the address is (RFC 8215); of tunnels through any host (Teredo, RFC 4380)."""


def is_allowed(address: Address, *, private: bool) -> bool:
    """Whether a target may be at an address. Public ones always; with `private` those of this computer and of private
    networks; never those that are no host's, nor those where clouds have what only a host may read, as link-local ones
    are."""
    inner = _inner(address)
    if inner is not None:
        return is_allowed(inner, private=private)
    if address.is_multicast or address.is_unspecified or address.is_link_local:
        return False
    if any(address in network for network in NEVER):
        return False
    # Python has ::1 among those that are reserved.
    if address.is_reserved and not address.is_loopback:
        return False
    # Of a venue too: site-local addresses, which fd00::/8 has replaced (RFC 3879).
    site_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    if address.is_loopback or address.is_private or address in SHARED or site_local:
        return private
    return address.is_global


def _inner(address: Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to, mapped, translated or by a tunnel (6to4); None for any other."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in TRANSLATED:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


def how_to_allow(addresses: Iterable[Address]) -> str:
    """The fix for addresses that are not allowed."""
    if any(is_allowed(address, private=True) for address in addresses):
        return "add private = true, if it is meant"
    return "none like it is ever taken: give the target an address of a host"


class CheckedResolver(AbstractResolver):
    """Resolves names, and returns addresses that are allowed alone."""

    def __init__(self, *, private: bool, inner: AbstractResolver | None = None) -> None:
        self._private = private
        self._inner = ThreadedResolver() if inner is None else inner

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a name.

        Raises:
            OSError: it has none, or none that is allowed.
        """
        found = await self._inner.resolve(host, port, family)
        addresses = [ipaddress.ip_address(one["host"]) for one in found]
        allowed = [
            one for one, address in zip(found, addresses, strict=True) if is_allowed(address, private=self._private)
        ]
        if not allowed:
            listed = ", ".join(one["host"] for one in found) or "nothing"
            raise OSError(None, f"{host} is at {listed}, which is not public; {how_to_allow(addresses)}")
        return allowed

    async def close(self) -> None:
        """Closes what resolves."""
        await self._inner.close()
