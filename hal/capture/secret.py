"""Commitments that replace secret frames in captures.

A card that has not been exposed must not appear in a capture, the ring or a log. So a frame of a secret link is
replaced by a commitment to it, on the link `<link>.sealed`: SHA-256 over a salt and the frame. The salt is derived for
each frame from a key that is never written, because the possible frames are few and short: with the salt in the file,
trying all 52 cards would reveal it. The holder of the key can prove a frame to an auditor by disclosing its salt, which
reveals no other frame.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from hal.values import Batch, Frame

SEALED = ".sealed"
"""The suffix of a secret link's name where only its commitments are stored."""

MIN_KEY_BYTES = 16

PublicPart: TypeAlias = Callable[[bytes], bytes | None]
"""What of a frame anybody may see, such as its number; None where all of it is public."""


def no_part(data: bytes) -> bytes:
    """For a link of which no part of any frame is public."""
    return b""


class FrameSealer:
    """Replaces the frames of `secret_links` by commitments; other frames pass as they are.

    `key` is at least 16 secret random bytes, stored apart from the capture. Where `secret_links` is a mapping, its
    values give the public part of each frame, which is before the commitment.
    """

    def __init__(self, secret_links: Iterable[str] | Mapping[str, PublicPart], key: bytes) -> None:
        if len(key) < MIN_KEY_BYTES:
            raise ValueError(
                f"the key of a sealer has {len(key)} bytes, expected at least {MIN_KEY_BYTES}: give random bytes"
            )
        self.secret_links = frozenset(secret_links)
        known = secret_links if isinstance(secret_links, Mapping) else {}
        self._public = {link: known.get(link, no_part) for link in self.secret_links}
        self._key = key

    def seal(self, frame: Frame) -> Frame:
        """The frame as it may be stored: of a secret one its public part and its commitment, on `<link>.sealed`."""
        public = self._public.get(frame.link)
        part = None if public is None else public(frame.data)
        if part is None:
            return frame
        return Frame(frame.link + SEALED, part + commitment(self.salt(frame), frame.data), frame.t_ns)

    def batch(self, batch: Batch) -> Batch:
        """The batch as it may be stored; itself where nothing in it is secret."""
        if not batch.rare:
            return batch
        rare = [self.seal(value) if isinstance(value, Frame) else value for value in batch.rare]
        return Batch(batch.edges, rare, batch.until_ns)

    def salt(self, frame: Frame) -> bytes:
        """The salt that opens the commitment to this frame; disclose it only when the frame is exposed."""
        return hmac.digest(self._key, f"{frame.t_ns} {frame.link} ".encode() + frame.data, "sha256")


def commitment(salt: bytes, data: bytes) -> bytes:
    """The commitment to `data` as 64 hexadecimal digits."""
    return hashlib.sha256(salt + data).hexdigest().encode()
