"""Consistent overhead byte stuffing: bytes without a zero, so that a zero can end a frame.

Each run of bytes up to a zero is written behind its length plus one; the zero itself is left out. A run of 254 bytes
has no zero behind it. (Cheshire and Baker, 1999.)
"""

from __future__ import annotations

LONGEST_RUN = 254


class CobsError(ValueError):
    """Bytes are not valid COBS; says where."""


def encode(data: bytes) -> bytes:
    """Encodes bytes without zeros: one byte longer for every 254."""
    out = bytearray()
    runs = data.split(b"\0")
    for place, run in enumerate(runs):
        while len(run) >= LONGEST_RUN:
            out.append(LONGEST_RUN + 1)
            out += run[:LONGEST_RUN]
            run = run[LONGEST_RUN:]
            if not run and place == len(runs) - 1:
                # The data ends with a full run, which has no zero behind it.
                return bytes(out)
        out.append(len(run) + 1)
        out += run
    return bytes(out)


def decode(data: bytes) -> bytes:
    """Decodes what `encode` returned.

    Raises:
        CobsError: there is a zero among them, or a run goes past the end.
    """
    if 0 in data:
        raise CobsError(f"a zero at byte {data.index(0)}; an encoding has none")
    out = bytearray()
    at = 0
    while at < len(data):
        code = data[at]
        end = at + code
        if end > len(data):
            raise CobsError(f"the run at byte {at} is {code - 1} long, and only {len(data) - at - 1} follow")
        out += data[at + 1 : end]
        at = end
        if code <= LONGEST_RUN and at < len(data):
            out.append(0)
    return bytes(out)
