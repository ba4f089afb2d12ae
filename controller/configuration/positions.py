"""The line number of every key of a TOML document.

`tomllib` gives values without line numbers. This scanner walks a document that `tomllib` has accepted and records the
line where each table, key and array element begins. It relies on the document being well formed: at something that it
does not understand it stops, and later keys get the line of the nearest known table around them.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress

from controller.configuration.problems import Path

DEEPEST = 50
"""Nesting beyond which the scan stops."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"[ \t]*")
_BLANK_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BASIC_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL_STRING = re.compile(r"'[^'\n]*'")
_LONG_BASIC_STRING = re.compile(r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}', re.DOTALL)
_LONG_LITERAL_STRING = re.compile(r"'''(?:[^']|'{1,2}(?!'))*'{3,5}")
_SCALAR = re.compile(r"[^,\]}#\n]+")


class Positions:
    """The lines of a document's keys."""

    def __init__(self, lines: dict[Path, int]) -> None:
        self._lines = lines

    def line(self, path: Path) -> int:
        """The line of a key; if it is not there, that of the nearest table around it; otherwise 1."""
        for length in range(len(path), 0, -1):
            line = self._lines.get(path[:length])
            if line is not None:
                return line
        return 1

    def paths(self) -> Iterator[tuple[Path, int]]:
        """Every path in the document, with its line."""
        return iter(self._lines.items())


def locate(text: str) -> Positions:
    """Finds the line of every key of a document that `tomllib` accepts; never raises."""
    scanner = _Scanner(text)
    with suppress(_ScanError):  # the lines found so far are used
        scanner.document()
    return Positions(scanner.lines)


class _ScanError(Exception):
    """The scanner does not understand the text at this place."""


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.at = 0
        self.lines: dict[Path, int] = {}
        self._newlines = [i for i, character in enumerate(self.text) if character == "\n"]
        self._array_tables: dict[Path, int] = {}

    def document(self) -> None:
        table: Path = ()
        while True:
            self._skip(_BLANK_AND_COMMENTS)
            if self.at >= len(self.text):
                return
            if self.text.startswith("[[", self.at):
                table = self._header("[[", "]]")
            elif self.text.startswith("[", self.at):
                table = self._header("[", "]")
            else:
                self._pair(table, 0)

    def _header(self, opening: str, closing: str) -> Path:
        """A table's header; returns the path of its keys."""
        line = self._line()
        self._expect(opening)
        key = self._key()
        self._expect(closing)
        path: Path = ()
        for index, part in enumerate(key):
            path += (part,)
            self.lines.setdefault(path, line)
            last = index == len(key) - 1
            if last and opening == "[[":
                self._array_tables[path] = self._array_tables.get(path, -1) + 1
            if path in self._array_tables:
                path += (self._array_tables[path],)
                self.lines.setdefault(path, line)
        if opening == "[":
            # A section that an earlier `[section.below]` implied gets the line of its own header.
            self.lines[path] = line
        return path

    def _pair(self, table: Path, depth: int) -> None:
        line = self._line()
        key = self._key()
        self._expect("=")
        self._skip(_BLANK)
        for length in range(1, len(key) + 1):
            self.lines.setdefault(table + key[:length], line)
        self._value(table + key, depth)

    def _key(self) -> tuple[str, ...]:
        parts: list[str] = []
        while True:
            self._skip(_BLANK)
            parts.append(self._simple_key())
            if len(parts) > DEEPEST:
                raise _ScanError
            self._skip(_BLANK)
            if not self.text.startswith(".", self.at):
                return tuple(parts)
            self.at += 1

    def _simple_key(self) -> str:
        for pattern in (_BASIC_STRING, _LITERAL_STRING):
            quoted = pattern.match(self.text, self.at)
            if quoted:
                self.at = quoted.end()
                try:
                    return str(tomllib.loads(f"key = {quoted.group()}")["key"])
                except tomllib.TOMLDecodeError as error:
                    raise _ScanError from error
        return self._take(_BARE_KEY)

    def _value(self, path: Path, depth: int) -> None:
        if depth > DEEPEST:
            raise _ScanError
        start = self.text[self.at : self.at + 3]
        if start == '"""':
            self._take(_LONG_BASIC_STRING)
        elif start == "'''":
            self._take(_LONG_LITERAL_STRING)
        elif start.startswith('"'):
            self._take(_BASIC_STRING)
        elif start.startswith("'"):
            self._take(_LITERAL_STRING)
        elif start.startswith("["):
            self._array(path, depth)
        elif start.startswith("{"):
            self._inline_table(path, depth)
        else:
            self._take(_SCALAR)

    def _array(self, path: Path, depth: int) -> None:
        self._expect("[")
        index = 0
        while True:
            self._skip(_BLANK_AND_COMMENTS)
            if self._found("]"):
                return
            element = (*path, index)
            self.lines.setdefault(element, self._line())
            self._value(element, depth + 1)
            index += 1
            self._skip(_BLANK_AND_COMMENTS)
            if not self._found(","):
                self._expect("]")
                return

    def _inline_table(self, path: Path, depth: int) -> None:
        self._expect("{")
        while True:
            self._skip(_BLANK_AND_COMMENTS)
            if self._found("}"):
                return
            self._pair(path, depth + 1)
            self._skip(_BLANK_AND_COMMENTS)
            if not self._found(","):
                self._expect("}")
                return

    def _line(self) -> int:
        return bisect_left(self._newlines, self.at) + 1

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if not match:
            raise _ScanError
        self.at = match.end()
        return match.group()

    def _found(self, mark: str) -> bool:
        if self.text.startswith(mark, self.at):
            self.at += len(mark)
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._found(mark):
            raise _ScanError
