"""The form of KiCad's files: lists in parentheses, of words, strings and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

Sexp = str | tuple["Sexp", ...]
"""An atom as it is in the file, quotes included; or a list."""

_WIDTH: Final = 120
_TOKEN: Final = re.compile(r'("(?:[^"\\]|\\.)*")|([()])|([^\s()"]+)')


def quoted(text: str) -> str:
    """A string as an atom."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def parse(text: str) -> Sexp:
    """The first list of a file.

    Raises:
        ValueError: it ends before its last parenthesis.
    """
    stack: list[list[Sexp]] = [[]]
    for found in _TOKEN.finditer(text):
        if found[2] == "(":
            stack.append([])
        elif found[2] == ")":
            done = tuple(stack.pop())
            if not stack:
                raise ValueError("a parenthesis is closed that was not opened")
            stack[-1].append(done)
        else:
            stack[-1].append(found[0])
    if len(stack) != 1 or not stack[0]:
        raise ValueError("a parenthesis is not closed")
    return stack[0][0]


def line_of(item: Sexp) -> str:
    """A list as text in one line."""
    return item if isinstance(item, str) else f"({' '.join(map(line_of, item))})"


def text_of(item: Sexp, depth: int = 0) -> str:
    """A list as text; one that fits no line has a line for each of its lists."""
    line = line_of(item)
    if isinstance(item, str) or len(line) + 2 * depth <= _WIDTH:
        return line
    parts = [f"\n{'  ' * (depth + 1)}{text_of(each, depth + 1)}" if isinstance(each, tuple) else each for each in item]
    return "(" + " ".join(parts).replace(" \n", "\n") + f"\n{'  ' * depth})"


def children(item: Sexp, name: str) -> Iterator[tuple[Sexp, ...]]:
    """The lists of this name in a list."""
    for each in item:
        if isinstance(each, tuple) and each and each[0] == name:
            yield each


def word(item: Sexp, place: int = 1) -> str:
    """An atom of a list, without its quotes.

    Raises:
        ValueError: there is none.
    """
    if not isinstance(item, tuple) or len(item) <= place or not isinstance(item[place], str):
        raise ValueError(f"expected a word at place {place} of {text_of(item)[:80]}")
    atom = str(item[place])
    return re.sub(r"\\(.)", r"\1", atom[1:-1]) if atom.startswith('"') else atom
