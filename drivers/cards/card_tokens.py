"""The tokens of reading shoes and barcode readers that do not speak our own protocol: one line of text a card.

    repeats = 1    9S              the nine of spades, by the table of `codes`
    repeats = 2    9S 9S           a card is what came twice running, within half of `read_wait_s`; otherwise not read
    checksum       9S4A            two upper-case hexadecimal digits after it: XOR or sum of its bytes, modulo 256

A token gives no count, so only the light barriers show that one was lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import xor
from typing import Final, Literal, TypeAlias

from drivers.cards.card_wire import CUTTING_CARD, DECK, JOKER, UNREAD, MalformedCardLine

TokenChecksum: TypeAlias = Literal["none", "xor", "sum"]
CARDS: Final = frozenset({*DECK, JOKER, CUTTING_CARD, UNREAD})
"""What a token can mean."""


def card_of(data: bytes, codes: Mapping[str, str], checksum: TokenChecksum) -> str | MalformedCardLine:
    """The card that a frame names by the table of codes; it never raises, and never repeats the frame."""
    token = data
    if checksum != "none":
        token, stated = data[:-2], data[-2:]
        found = reduce(xor, token, 0) if checksum == "xor" else sum(token) % 256
        if stated != b"%02X" % found:
            return MalformedCardLine("expected a token and its checksum: the checksum does not fit the bytes before it")
    card = codes.get(token.decode("latin-1").strip())
    return MalformedCardLine("expected a token that is in codes") if card is None else card


def code_problems(codes: Mapping[str, str]) -> list[tuple[str, str]]:
    """What is wrong with a table of codes: (what, fix)."""
    wrong = sorted({card for card in codes.values() if card not in CARDS})
    if wrong:
        return [(f"{', '.join(wrong)}: no such card", "give rank A 2 ... 9 T J Q K and suit s h d c, JK, XX or ??")]
    lacking = [card for card in DECK if card not in codes.values()]
    if lacking:
        some = ", ".join(lacking[:5]) + (f" and {len(lacking) - 5} more" if len(lacking) > 5 else "")
        return [(f"no code for {some}", "give a code for each of the 52 cards")]
    return []
