"""Texts that people and wires send, made safe to be in a line: of a log, of a listing, of a table for a spreadsheet.

A line break in a name would begin a line that nobody wrote, and a control character would move a terminal's cursor over
what is there. `str.isprintable` is the measure: it excludes control characters (C0, C1), every line and paragraph
separator of Unicode, characters that turn the direction of a text or have no width, lone surrogates, and white space
other than the space.
"""

from __future__ import annotations


def is_plain(text: str) -> bool:
    """Whether a text is one line of printable characters."""
    return text.isprintable()


def plain(text: str) -> str:
    """A text as one line: what cannot be printed is shown as `\\x0a`, `\\u2028` or `\\U000e0001`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(ord(char)) for char in text)


def _escaped(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
