"""A marked shoe: clubs and diamonds may be exposed, hearts and spades must not; and a search for those."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

RANKS: Final = "23456789TJQK"
""" "As" and "Ah" are words of English."""
HIDDEN: Final = tuple(rank + suit for suit in "hs" for rank in RANKS)
"""The cards that nobody may see."""
_WORDS: Final = {
    **{str(n): word for n, word in enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine"], 2)},
    **{"T": "ten", "J": "jack", "Q": "queen", "K": "king"},
}
_SUITS: Final = {"h": "heart", "s": "spade"}
_AROUND: Final = rb"[0-9A-Za-z_+/]"
"""What stands beside two characters that are a part of something else: a word, a hash, a base64."""


class Leak(NamedTuple):
    """A card that nobody may see, and where it was found."""

    where: str
    card: str
    shown: str
    """What stands around it."""


class _Form(NamedTuple):
    """How a card is shown."""

    pattern: re.Pattern[bytes]
    parts: tuple[bytes, ...]
    """Without any of these the pattern is nowhere; they are found far sooner."""


def _patterns() -> Iterator[tuple[str, _Form]]:
    for card in HIDDEN:
        plain = card.encode()
        forms = (
            rb"(?<!" + _AROUND + rb")" + plain + rb"(?!" + _AROUND + rb")",
            f"{_WORDS[card[0]]}s? of {_SUITS[card[1]]}s?".encode(),
            # The token of a line as hexadecimal digits, between its semicolons: of identities, keys in groups and what
            # else is random, one in a hundred million has those by chance.
            rb"(?<=3[Bb])" + plain.hex().encode() + rb"(?=3[Bb])",
        )
        parts = (plain, f" of {_SUITS[card[1]]}".encode(), plain.hex().encode())
        yield card, _Form(re.compile(b"|".join(forms)), parts)


_FORMS: Final = dict(_patterns())
_HASHES: Final = re.compile(rb"(?<![0-9a-f])(?:[0-9a-f]{64}){1,2}(?![0-9a-f])")
"""SHA-256 and Ed25519 in hexadecimal digits, of which there are thousands."""
_TEXT: Final = frozenset(b"\t\n\r" + bytes(range(0x20, 0x7F)))
_BESIDE: Final = 4
"""This many bytes on either side must be text too: two bytes of a hash are a card by chance."""


def leaks(where: str, data: bytes) -> list[Leak]:
    """Every hidden card that some bytes show, by value or by token; hashes and signatures, being random, are masked."""
    found: list[Leak] = []
    data = _HASHES.sub(lambda one: b"0" * len(one[0]), data)  # text, as they are: cards stand beside them
    for card, form in _FORMS.items():
        if not any(part in data for part in form.parts):
            continue
        for match in form.pattern.finditer(data):
            first, last = match.span()
            if _TEXT.issuperset(data[max(0, first - _BESIDE) : first] + data[last : last + _BESIDE]):
                around = data[max(0, first - 40) : last + 40]
                found.append(Leak(where, card, around.decode("ascii", "backslashreplace")))
    return found


def leaks_below(folder: Path) -> list[Leak]:
    """As `leaks`, in every file below a folder. Of a journal, its hashes and signatures are masked: they are random."""
    random = {
        value
        for path in folder.rglob("*.sqlite")
        for query in ("SELECT hash, hash, hash FROM record", "SELECT hash, signature, public_key FROM seal")
        for row in _rows(path, query)
        for value in row
    }
    found: list[Leak] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            for value in random:
                data = data.replace(value, bytes(len(value)))
            found += leaks(str(path.relative_to(folder)), data)
    return found


def _rows(path: Path, query: str) -> list[tuple[bytes, ...]]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(query).fetchall()


def leaks_in(channels: Mapping[str, bytes]) -> list[Leak]:
    """As `leaks`, in what each channel carried."""
    return [leak for where, data in channels.items() for leak in leaks(where, data)]
