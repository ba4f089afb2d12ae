r"""The values of VCD `string` variables: escaped bytes, and lost edges.

GTKWave's convention: a value is `s`, the text, a space and the variable's id, and the text holds no white space.
Bytes 33 to 126 represent themselves, apart from the backslash; every other byte, and the backslash, is
`\xHH` with two hexadecimal digits. Reading accepts GTKWave's other escapes too: `\a \b \f \n \r \t \v \' \" \\ \?`
and three octal digits.

A line that is no longer driven is `x` on its own wire. Every other loss is a value of the string variable `lost`, so
that a replay reports what the live table reported:

| value | meaning |
|---|---|
| `wheel_a=overflow` | `EdgesLost("wheel_a", Loss.OVERFLOW)` |
| `wheel_a=overflow,3` | the same, with three changes missing |
| `wheel_a=again` | an `Edge` of `wheel_a` to the level it already had, which VCD itself cannot express |
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hal.values import EdgesLost, Loss

AGAIN = "again"
_MAX_COUNT_DIGITS = 18

_ESCAPED = [chr(byte) if 33 <= byte <= 126 and byte != 0x5C else f"\\x{byte:02x}" for byte in range(256)]
_SHORT = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
    b"'": b"'",
    b'"': b'"',
    b"\\": b"\\",
    b"?": b"?",
}
_ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|([0-3][0-7]{2})|([abfnrtv'\"\\?])|(.?))", re.DOTALL)


class LossRecord(NamedTuple):
    """One value of `lost`; a cause of None means an edge to the level that the line already had."""

    line: str
    cause: Loss | None
    missing: int | None


def again_text(line: str) -> str:
    """The value for an edge to the same level."""
    return f"{line}={AGAIN}"


def loss_text(loss: EdgesLost) -> str:
    """The value for a loss."""
    missing = "" if loss.missing is None else f",{loss.missing}"
    return f"{loss.line}={loss.cause}{missing}"


def parse_loss(text: str) -> LossRecord:
    """Decodes a value of `lost`; `ValueError` says what is wrong with it."""
    line, equals, what = text.rpartition("=")
    if not (equals and line):
        raise ValueError("expected `line=cause`")
    if what == AGAIN:
        return LossRecord(line, None, None)
    cause, comma, count = what.partition(",")
    try:
        loss = Loss(cause)
    except ValueError:
        raise ValueError(f"the cause should be one of {', '.join(Loss)}, {AGAIN}") from None
    if comma and not (count.isascii() and count.isdigit() and len(count) <= _MAX_COUNT_DIGITS):
        raise ValueError("the count should be a whole number")
    return LossRecord(line, loss, int(count) if comma else None)


def escape(data: bytes) -> str:
    """Encodes bytes as a string value."""
    return "".join(map(_ESCAPED.__getitem__, data))


def unescape(text: bytes) -> bytes:
    """Decodes a string value; `ValueError` names an unknown escape."""
    if b"\\" not in text:
        return text
    return _ESCAPE.sub(_byte, text)


def _byte(match: re.Match[bytes]) -> bytes:
    hexadecimal, octal, short, wrong = match.groups()
    if hexadecimal is not None:
        return bytes((int(hexadecimal, 16),))
    if octal is not None:
        return bytes((int(octal, 8),))
    if short is not None:
        return _SHORT[short]
    raise ValueError(f"`\\{wrong.decode('ascii', 'backslashreplace')}` is not an escape")
