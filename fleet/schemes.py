"""Which addresses are those of NATS: to ask that loads no client of it."""

from __future__ import annotations

from typing import Final

SCHEMES: Final = ("nats", "tls")


def is_nats_address(url: str) -> bool:
    """Whether an address is one of NATS, and not of a service's own feed."""
    return url.split("://")[0] in SCHEMES
