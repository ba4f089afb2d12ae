"""The address of a board for phones, as a QR code.

A phone does not reach the loopback of the computer that a screen is on. The address is the one under which the
screen itself has reached the board's server, where that is not loopback; otherwise the first name that the server was
given and that an origin may have. It is made of a host of this server and a few parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal
from urllib.parse import urlencode, urlsplit

import msgspec

from scoreboard.web import NamesAllowed, OriginError, is_loopback, parse_origin

PARAMETERS: Final = ("table", "lang", "only")
"""Of the address; the others are of the screen."""
LONGEST: Final = 200
"""Characters of an address (ours): the modules of a longer one are too small to be read from a screen."""


class PhoneCode(msgspec.Struct, frozen=True, omit_defaults=True):
    """A code, or why there is none."""

    address: str = ""
    rows: list[str] = []
    """Its modules, a row each: 1 is dark. Without the quiet zone around them."""
    refused: Literal["", "loopback", "no_name", "long"] = ""
    """No phone reaches the server; it has no name for them; the address has more than `LONGEST` characters."""


def phone_code(
    origin: str, names: Sequence[str], allowed: NamesAllowed, port: int, given: Mapping[str, str]
) -> PhoneCode:
    """The code of a board; `origin` is how a screen reached it, `given` the parameters of what it shows."""
    base = _of_screen(origin, allowed)
    if not base and not allowed.any_address:
        return PhoneCode(refused="loopback")
    base = base or _of_names(names, allowed, port)
    if not base:
        return PhoneCode(refused="no_name")
    query = urlencode([(name, text) for name in PARAMETERS if (text := given.get(name, ""))])
    address = f"{base}/?{query}" if query else f"{base}/"
    if len(address) > LONGEST:
        return PhoneCode(refused="long")
    return PhoneCode(address, _rows(address))


@lru_cache(maxsize=256)
def _rows(address: str) -> list[str]:
    """Made once for all screens: it takes milliseconds."""
    # Few boards show a code.
    import segno

    matrix = segno.make_qr(address, error="m").matrix
    return ["".join("1" if module else "0" for module in row) for row in matrix]


def _of_screen(origin: str, allowed: NamesAllowed) -> str:
    base = _origin(origin)
    parts = urlsplit(base)
    return base if base and allowed.allow(parts.netloc) and not is_loopback(parts.hostname or "") else ""


def _of_names(names: Sequence[str], allowed: NamesAllowed, port: int) -> str:
    known = (name.rstrip(".") for name in names if allowed.allow(name) and not is_loopback(name))
    return next((base for name in known if (base := _origin(f"http://{name}:{port}"))), "")


def _origin(text: str) -> str:
    """An origin, or nothing where it is none: not every name of a computer (`board_1`) is one of an origin."""
    try:
        return parse_origin(text)
    except OriginError:
        return ""
