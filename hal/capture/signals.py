"""Decodes the changes of a capture into values, tracking the level of each line.

| change | before the line's first 0 or 1 | later |
|---|---|---|
| 0 or 1 | `Edge`: the level found | `Edge`, if the level is another or the line was unplugged |
| `x` or `z` | nothing: not yet known | `EdgesLost(UNPLUGGED)`, once |

`$dumpoff` means that recording stops, so every line with a known level is lost there. `$dumpvars`, `$dumpall`,
`$dumpon` and `$dumpoff` repeat states: within them a real is delivered only if it is new, and a string never, because a
frame or command is an event and must not be repeated.
"""

from __future__ import annotations

import math
import re
from typing import Final, TypeAlias

from hal.capture.command_text import read_command
from hal.capture.errors import shown
from hal.capture.header import COMMAND, LOST, CaptureHeader, SelectedVariable, VariableKind
from hal.capture.string_values import parse_loss, unescape
from hal.capture.words import MAX_WORD_BYTES, Words
from hal.values import Edge, EdgesLost, Frame, Loss, Rare, Reading

NOT_YET_KNOWN: Final = -1
UNPLUGGED: Final = -2

ScalarChange: TypeAlias = tuple[int, int, str]
"""Slot of the level, the level it takes, and the line."""

_DUMPS = frozenset((b"$dumpvars", b"$dumpall", b"$dumpon", b"$dumpoff"))
_REAL = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_BYTES_OF_A_VALUE = 64
"""A string counts as one value, plus one for every this many bytes, so that a batch is bounded in memory."""


class SignalDecoder:
    """The state while one capture is read; the reader empties `edges` and `rare`."""

    def __init__(self, words: Words, header: CaptureHeader, wanted: list[SelectedVariable]) -> None:
        self.levels: list[int] = []
        self.scalars: dict[bytes, ScalarChange] = {}
        """Every whole word, such as `1!`, that is a change of one line; and those seen that change no selected line."""
        self.edges: list[Edge] = []
        self.rare: list[Rare] = []
        self.rare_weight = 0
        self._words = words
        self._dump: bytes | None = None
        self._kinds = {variable.ident.encode(): variable.kind for variable in header.variables}
        self._lines: dict[bytes, list[str]] = {}
        self._slots: dict[str, int] = {}
        self._readings: dict[str, float] = {}
        self._line_names = {variable.name: "" for variable in header.variables}
        for line, variable in wanted:
            self._lines.setdefault(variable.ident.encode(), []).append(line)
            self._line_names[variable.name] = self._line_names[variable.path] = line
            if variable.kind is VariableKind.WIRE:
                self._slots[line] = len(self.levels)
                self.levels.append(NOT_YET_KNOWN)
        for ident, lines in self._lines.items():
            if self._kinds[ident] is VariableKind.WIRE and len(lines) == 1:
                for level in (0, 1):
                    self.scalars[b"%d%s" % (level, ident)] = (self._slots[lines[0]], level, lines[0])
        self._ignored: ScalarChange = (len(self.levels), 0, "")
        self.levels.append(0)

    def change(self, word: bytes, t_ns: int) -> None:
        """Handles a word that is neither a known scalar change nor a timestamp, and the words that belong to it."""
        first = word[:1]
        if first in b"01xXzZ":
            self._scalar(word, t_ns)
        elif first in b"bB":
            self._vector(word, self._ident(word), t_ns)
        elif first in b"rR":
            self._real(word, self._ident(word), t_ns)
        elif first in b"sS":
            self._string(word, self._ident(word), t_ns)
        elif first == b"$":
            self._keyword(word, t_ns)
        else:
            self._words.fail(
                f"expected a timestamp or a change such as `1!`, saw {shown(word)}",
                "the capture is damaged or no VCD file: record or export it again",
            )

    def end(self) -> None:
        """Checks that the file does not end within a dump."""
        if self._dump is not None:
            self._words.take(f"the `$end` of `{self._dump.decode()}`")

    def _ident(self, word: bytes) -> bytes:
        if len(word) > MAX_WORD_BYTES:
            self._words.fail(f"a value of {len(word)} bytes, at most {MAX_WORD_BYTES} are read", "shorten it")
        ident = self._words.take(f"the id of the variable that takes {shown(word)}")
        if ident not in self._kinds:
            self._unknown(ident)
        return ident

    def _unknown(self, ident: bytes) -> None:
        self._words.fail(
            f"no variable was declared with the id {shown(ident)}",
            "the capture is damaged, or its header belongs to another one: record or export it again",
        )

    def _bad_value(self, word: bytes, expected: str) -> None:
        self._words.fail(f"expected {expected}, saw {shown(word)}", "correct the value, or export again")

    def _scalar(self, word: bytes, t_ns: int) -> None:
        ident = word[1:]
        kind = self._kinds.get(ident)
        if kind is None:
            self._unknown(ident)
        lines = self._lines.get(ident)
        if lines is None:
            self.scalars[word] = self._ignored
        elif kind is not VariableKind.WIRE:
            self._bad_value(word, f"a value of a {kind} variable")
        else:
            self._wire(word[:1], lines, t_ns)

    def _vector(self, word: bytes, ident: bytes, t_ns: int) -> None:
        digits = word[1:]
        if not digits or digits.strip(b"01xXzZ"):
            self._bad_value(word, "bits of 0, 1, x and z")
        lines = self._lines.get(ident)
        if lines is None:
            return
        if self._kinds[ident] is not VariableKind.WIRE or len(digits) != 1:
            self._bad_value(word, f"a value of `{lines[0]}`, which is a {self._kinds[ident]} of one bit or value")
        self._wire(digits, lines, t_ns)

    def _wire(self, value: bytes, lines: list[str], t_ns: int) -> None:
        for line in lines:
            if value in b"01":
                self._level(line, int(value), t_ns)
            else:
                self._unplug(line, t_ns)

    def _level(self, line: str, level: int, t_ns: int) -> None:
        slot = self._slots[line]
        if self.levels[slot] != level:
            self.levels[slot] = level
            self.edges.append(Edge(line, level, t_ns))

    def _unplug(self, line: str, t_ns: int) -> None:
        slot = self._slots[line]
        if self.levels[slot] >= 0:
            self.levels[slot] = UNPLUGGED
            self._add(EdgesLost(line, Loss.UNPLUGGED, t_ns))

    def _real(self, word: bytes, ident: bytes, t_ns: int) -> None:
        lines = self._lines.get(ident, [])
        if not lines:
            return
        if self._kinds[ident] is not VariableKind.REAL:
            self._bad_value(word, f"a value of `{lines[0]}`, which is a {self._kinds[ident]}")
        value = float(word[1:]) if _REAL.fullmatch(word, 1) else math.nan
        if not math.isfinite(value):
            self._bad_value(word, f"a finite number for `{lines[0]}`")
        for line in lines:
            if self._dump is None or self._readings.get(line) != value:
                self._add(Reading(line, value, t_ns))
            self._readings[line] = value

    def _string(self, word: bytes, ident: bytes, t_ns: int) -> None:
        lines = self._lines.get(ident, [])
        if not lines:
            return
        if self._kinds[ident] is not VariableKind.STRING:
            self._bad_value(word, f"a value of `{lines[0]}`, which is a {self._kinds[ident]}")
        try:
            data = unescape(word[1:])
            if self._dump is not None:
                return
            for line in lines:
                if line == LOST:
                    self._lost(data.decode("utf-8"), t_ns)
                elif line == COMMAND:
                    self._add(read_command(data.decode("utf-8"), t_ns), len(data))
                else:
                    self._add(Frame(line, data, t_ns), len(data))
        except ValueError as error:
            self._bad_value(word, f"a value of `{lines[0]}` ({error})")

    def _lost(self, text: str, t_ns: int) -> None:
        name, cause, missing = parse_loss(text)
        line = self._line_names.get(name, name)
        if not line:
            return
        slot = self._slots.get(line)
        if cause is not None:
            if cause is Loss.UNPLUGGED and slot is not None:
                self.levels[slot] = UNPLUGGED
            self._add(EdgesLost(line, cause, t_ns, missing), len(line))
        elif slot is None or self.levels[slot] < 0:
            raise ValueError(f"`{name}` has no level that it could take again")
        else:
            self.edges.append(Edge(line, self.levels[slot], t_ns))

    def _keyword(self, word: bytes, t_ns: int) -> None:
        if word == b"$comment":
            self._words.skip_to_end("$comment")
        elif word in _DUMPS and self._dump is None:
            self._dump = word
            if word == b"$dumpoff":
                for line in self._slots:
                    self._unplug(line, t_ns)
        elif word == b"$end" and self._dump is not None:
            self._dump = None
        elif word != b"$vcdclose":
            inside = "" if self._dump is None else f" inside `{self._dump.decode()}`"
            self._words.fail(
                f"{shown(word)} has no place here{inside}",
                "the capture is damaged: record or export it again",
            )
        else:
            self._words.skip_to_end("$vcdclose")

    def _add(self, value: Rare, size: int = 0) -> None:
        self.rare.append(value)
        self.rare_weight += 1 + size // _BYTES_OF_A_VALUE
