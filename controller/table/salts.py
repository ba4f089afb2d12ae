"""The salts of commitments to cards, and how they are had again after a restart.

    key 0 ─SHA-256─► key 1 ─SHA-256─► key 2      one key a stack; what a key opens, an older key opens, and no newer one
                       └─ salt = HMAC-SHA-256(key, nonce), 16 bytes; the nonce is published beside the commitment

Nothing is written for a card. Whoever has the key of a stack can open the commitments of that stack and of later ones,
so it is as secret as the cards, and it is forgotten once the next stack is loaded.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from hashlib import sha256
from itertools import count
from secrets import token_bytes
from typing import Final, NamedTuple, Protocol

KEY_BYTES: Final = 32
SALT_BYTES: Final = 16
NONCE: Final = 32
"""Digits of a nonce: eight are the number of the stack, all others are random."""
_STACK: Final = 8
MOST_STACKS: Final = 1_000_000
"""This many stacks may be between two keys (ours): more is not a nonce of this table."""


class Salt(NamedTuple):
    """The salt of one commitment, and what is published to have it again."""

    nonce: str
    """32 hexadecimal digits."""
    salt: bytes
    """16 bytes; secret until the card is exposed."""


class Salts(Protocol):
    """Where a table has the salts of its commitments from."""

    def new(self) -> Salt:
        """A salt that was not used before."""

    def again(self, nonce: str) -> bytes | None:
        """The salt of a nonce that was published before; None where it is not kept any more."""

    def stack_loaded(self) -> None:
        """A new stack is in the shoe: its salts have a key of their own."""


class RepeatableSalts:
    """The salts of a replay or a simulation: always the same, so that equal input gives equal bytes.

    They hide nothing, and need not: whoever has the capture or the seed has the cards.
    """

    def __init__(self) -> None:
        self._numbers = count(1)

    def new(self) -> Salt:
        """The next one."""
        nonce = f"{next(self._numbers):032x}"
        return Salt(nonce, _repeatable(nonce))

    def again(self, nonce: str) -> bytes | None:
        """The same as before."""
        return _repeatable(nonce)

    def stack_loaded(self) -> None:
        """It has no key."""


def _repeatable(nonce: str) -> bytes:
    return sha256(f"salt {nonce}".encode()).digest()[:SALT_BYTES]


class StackKey(NamedTuple):
    """The key of one stack."""

    stack: int
    """Stacks before it, since the first key of the table."""
    key: bytes
    """32 bytes."""

    def of_stack(self, stack: int) -> StackKey | None:
        """The key of the same or a later stack; None for an earlier one, or one too far away."""
        if not 0 <= stack - self.stack <= MOST_STACKS:
            return None
        key = self.key
        for _ in range(stack - self.stack):
            key = sha256(b"next stack" + key).digest()
        return StackKey(stack, key)


class KeyedSalts:
    """The salts of a live table, from a key that leaves memory with its stack."""

    def __init__(self, first: StackKey | None = None, keep: Callable[[StackKey], None] = lambda key: None) -> None:
        """`first` is the key that was kept; None begins with a random one. `keep` is given what is to be kept."""
        self._key = StackKey(0, token_bytes(KEY_BYTES)) if first is None else first
        self._kept = self._key
        """What is in the file: the key of a stack whose loading is in the journal, or of one before."""
        self._keep = keep

    @property
    def kept(self) -> StackKey:
        """The key that belongs on the disk."""
        return self._kept

    def new(self) -> Salt:
        """A salt with a random nonce: no restart can use one twice."""
        nonce = f"{self._key.stack:08x}" + token_bytes((NONCE - _STACK) // 2).hex()
        return Salt(nonce, _salt(self._key, nonce))

    def again(self, nonce: str) -> bytes | None:
        """The salt of a nonce of this stack, or of one that was loaded since the key was kept."""
        if len(nonce) != NONCE or not set(nonce) <= set("0123456789abcdef"):
            return None
        key = self._kept.of_stack(int(nonce[:_STACK], 16))
        return None if key is None else _salt(key, nonce)

    def stack_loaded(self) -> None:
        """The key of the new stack follows from the last one."""
        following = self._key.of_stack(self._key.stack + 1)
        if following is not None:
            self._key = following

    def loading_durable(self, stacks: int = 1) -> None:
        """This many more stacks are loaded durably, in the order of `stack_loaded`: keys before theirs are forgotten.

        A later stack may be in the shoe already whose loading is not durable yet. After a power cut it was never
        loaded, so the key that is kept is that of the last stack whose loading is durable.
        """
        kept = self._kept.of_stack(min(self._kept.stack + stacks, self._key.stack))
        if kept is not None and kept != self._kept:
            self._kept = kept
            self._keep(kept)


def _salt(key: StackKey, nonce: str) -> bytes:
    return hmac.digest(key.key, nonce.encode("ascii"), "sha256")[:SALT_BYTES]
