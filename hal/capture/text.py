r"""How bytes are written as the value of a VCD `string` variable.

GTKWave's convention: a value is `s`, the text, a space and the variable's id, and the text holds no white space.
Bytes 33 to 126 stand for themselves, apart from the backslash; every other byte, and the backslash, is
`\xHH` with two hexadecimal digits. Reading takes GTKWave's other escapes too: `\a \b \f \n \r \t \v \' \" \\ \?`
and three octal digits.
"""

from __future__ import annotations

import re

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


def escape(data: bytes) -> str:
    """The text of `data` in a string value."""
    return "".join(map(_ESCAPED.__getitem__, data))


def unescape(text: bytes) -> bytes:
    """The bytes that a string value stands for; `ValueError` names an escape that does not exist."""
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
    raise ValueError(f"`\\{wrong.decode('ascii', 'backslashreplace')}` is no escape")
