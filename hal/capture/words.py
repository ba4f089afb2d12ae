"""A VCD file as a stream of words in bounded memory, with line numbers on demand.

VCD is words between white space; lines have no meaning. Counting lines word by word would cost as much as decoding, so
only the text of the current chunk is kept, and the line of the last word is computed when an error needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from operator import length_hint
from pathlib import Path
from typing import BinaryIO, NoReturn

from hal.capture.errors import CaptureError, shown

CHUNK_BYTES = 1 << 16
"""How much of the file is held at a time (ours)."""

MAX_WORD_BYTES = 1 << 14
"""The longest word that is read (ours): a serial frame of 4 KiB with every byte escaped."""

MAX_HEADER_BYTES = 1 << 20
"""The longest header that is read (ours): some twenty thousand variables."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_WORD = re.compile(rb"\S+")
_LAST_SPACE = (b"\n", b" ", b"\r", b"\t", b"\v", b"\f")


class Words:
    """The words of one file, in order.

    For speed, loop over `current` and call `refill` at its end; to read a construct of several words use `take`, which
    refills by itself and so may replace `current`.
    """

    def __init__(self, stream: BinaryIO, path: str | Path) -> None:
        self.path = str(path)
        self.bytes_read = 0
        self._stream = stream
        self._text = b""
        self._tail = b""
        self._words: list[bytes] = []
        self._line = 1
        """The line at `_mark`, up to which `_marked` words of the text were found; the others are `_unmarked`."""
        self._mark = self._marked = 0
        self._unmarked: Iterator[re.Match[bytes]] = iter(())
        self._ended = False
        self._newline_last = False
        self.current: Iterator[bytes] = iter(self._words)

    def refill(self) -> bool:
        """Loads the next words into `current`; False at the end of the file."""
        while not self._ended:
            self._line += self._text.count(b"\n", self._mark)
            self._text = b""
            data = self._read()
            text = self._tail + data
            if data:
                end = 1 + max(text.rfind(space) for space in _LAST_SPACE)
                self._text, self._tail = text[:end], text[end:]
            else:
                self._ended = True
                self._text, self._tail = text, b""
            self._words = self._text.split()
            self.current = iter(self._words)
            self._unmarked = _WORD.finditer(self._text)
            self._mark = self._marked = 0
            if len(self._tail) > MAX_WORD_BYTES:
                self._line += self._text.count(b"\n")
                self._too_long(self._tail[:CHUNK_BYTES], self._line, at_least=True)
            if self._words:
                return True
        return False

    def take(self, wanted: str) -> bytes:
        """The next word, which must exist: `wanted` describes it, for the error if the file ends."""
        word = next(self.current, b"")
        if not word:
            if not self.refill():
                self.fail(
                    f"the file ends where {wanted} should follow",
                    "the capture was cut short: record or copy it again",
                    line=self._line - self._newline_last,
                )
            word = next(self.current)
        if len(word) > MAX_WORD_BYTES:
            self._too_long(word, self.line())
        return word

    def take_to_end(self, section: str) -> list[bytes]:
        """The words of a section of the header, up to its `$end`."""
        words: list[bytes] = []
        while (word := self.take(f"the `$end` of `{section}`")) != b"$end":
            words.append(word)
            if self.bytes_read > MAX_HEADER_BYTES + CHUNK_BYTES:
                self.fail(
                    f"the header is longer than {MAX_HEADER_BYTES} bytes",
                    "export only the lines of the table, or see whether a `$end` is missing",
                )
        return words

    def skip_to_end(self, section: str) -> None:
        """Skips everything up to the `$end` of a section."""
        while self.take(f"the `$end` of `{section}`") != b"$end":
            pass

    def line(self) -> int:
        """The line number of the word taken last."""
        index = len(self._words) - length_hint(self.current) - 1
        for match in islice(self._unmarked, max(0, index + 1 - self._marked)):
            self._line += self._text.count(b"\n", self._mark, match.start())
            self._mark = match.start()
            self._marked += 1
        return self._line

    @property
    def at_torn_end(self) -> bool:
        """Whether the word taken last is the file's last, without an end of line after it."""
        return self._ended and not self._newline_last and not length_hint(self.current)

    def fail(self, cause: str, fix: str, line: int | None = None) -> NoReturn:
        """Raises `CaptureError` for the word taken last, or for the line given."""
        raise CaptureError(self.path, self.line() if line is None else line, cause, fix)

    def _read(self) -> bytes:
        try:
            data = self._stream.read(CHUNK_BYTES)
        except OSError as error:
            raise CaptureError(
                self.path, self._line, f"reading failed: {error}", "check the disk or copy the capture again"
            ) from error
        if not self.bytes_read and data.startswith(BYTE_ORDER_MARK):
            data = data[len(BYTE_ORDER_MARK) :] or b" "
        self.bytes_read += len(data)
        if data:
            self._newline_last = data.endswith(b"\n")
        return data

    def _too_long(self, word: bytes, line: int, *, at_least: bool = False) -> NoReturn:
        more = "more than " if at_least else ""
        raise CaptureError(
            self.path,
            line,
            f"a word of {more}{len(word)} bytes, where at most {MAX_WORD_BYTES} are read: {shown(word[:40])}…",
            "this is not a VCD capture of a table, or it is damaged: record or export it again",
        )
