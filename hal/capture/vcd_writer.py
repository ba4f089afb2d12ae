"""Writes batches as a VCD capture, so that reading it gives the same values.

Values that VCD cannot express are strings (`hal.capture.string_values`). Exact for times that are a
multiple of the timescale's unit (1 ns unless asked otherwise); others are rounded to the nearest.
"""

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from hal.capture.command_text import command_text
from hal.capture.header import COMMAND, LOST, MAX_NAME_LENGTH, MAX_T_NS, MAX_VARIABLES, Timescale, VariableKind
from hal.capture.secret import SEALED, FrameSealer
from hal.capture.string_values import again_text, escape, loss_text
from hal.capture.words import MAX_WORD_BYTES
from hal.values import Batch, Command, Edge, EdgesLost, Frame, Loss, Rare, Reading

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_SCOPE = "table"


@dataclass(frozen=True, slots=True)
class CaptureLines:
    """The lines that a capture declares: digital lines, analogue lines and serial links, named as in the configuration.

    `metadata` is written as `key=value` comments and comes back in the header. `secret_links` are those of `links`
    of which only commitments are written.
    """

    wires: tuple[str, ...]
    reals: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    secret_links: frozenset[str] = frozenset()
    metadata: Mapping[str, str] = field(default_factory=dict)
    date: str = ""
    version: str = "feltwire"
    timescale: str = "1 ns"


class VcdWriter:
    """Writes one capture to a text stream, which stays the caller's.

    The order is `begin` (implied by the first `write`), any number of `write`, and `finish`. Raises `ValueError` for a
    name that VCD cannot hold, a value of an undeclared line, and a time before one already written.
    """

    def __init__(self, stream: TextIO, lines: CaptureLines, *, sealer: FrameSealer | None = None) -> None:
        secret = lines.secret_links
        if secret - set(lines.links):
            raise ValueError(f"secret links {sorted(secret - set(lines.links))} are not among the links written")
        if not secret <= (sealer.secret_links if sealer else frozenset()):
            raise ValueError(f"links {sorted(secret)} are secret: writing them takes a `Sealer` that seals them")
        self._stream = stream
        self._lines = lines
        self._sealer = sealer
        self._scale = Timescale.parse(lines.timescale)
        self._levels: dict[str, int | None] = dict.fromkeys(lines.wires)
        self._idents: dict[str, str] = {}
        self._changes: dict[tuple[str, int], str] = {}
        self._last: int | None = None
        self._until_ns = 0
        self._write_header()

    def begin(
        self, t_ns: int, levels: Mapping[str, int] | None = None, readings: Mapping[str, float] | None = None
    ) -> None:
        """Starts the data at `t_ns` with the levels and readings found there; lines without one are not yet known."""
        if self._last is not None:
            raise RuntimeError("a capture begins once")
        out: list[str] = []
        self._time(t_ns, out)
        out.append("$dumpvars\n")
        for line in self._lines.wires:
            level = self._levels[line] = (levels or {}).get(line)
            out.append(f"x{self._idents[line]}\n" if level is None else self._changes[line, level])
        out.extend(
            self._rare_text(Reading(line, value, t_ns))
            for line, value in (readings or {}).items()
            if line in self._lines.reals
        )
        out.append("$end\n")
        self._stream.write("".join(out))

    def write(self, batch: Batch) -> None:
        """Writes the values of a batch; batches come in order of time."""
        first = min((values[0].t_ns for values in (batch.edges, batch.rare) if values), default=batch.until_ns)
        if self._last is None:
            self.begin(first)
        out: list[str] = []
        rare = iter(batch.rare)
        following = next(rare, None)
        for edge in batch.edges:
            while following is not None and following.t_ns < edge.t_ns:
                self._rare(following, out)
                following = next(rare, None)
            self._edge(edge, out)
        while following is not None:
            self._rare(following, out)
            following = next(rare, None)
        self._stream.write("".join(out))
        self._until_ns = max(self._until_ns, batch.until_ns)

    def finish(self, until_ns: int | None = None) -> None:
        """Ends the capture at `until_ns`, or at the end of the last batch."""
        end_ns = self._until_ns if until_ns is None else max(until_ns, self._until_ns)
        if self._last is None:
            self.begin(end_ns)
        out: list[str] = []
        if self._scale.from_ns(end_ns) > (self._last or 0):
            self._time(end_ns, out)
        self._stream.write("".join(out))

    def _write_header(self) -> None:
        lines = self._lines
        out = []
        if lines.date:
            out.append(f"$date {_plain(lines.date)} $end\n")
        if lines.version:
            out.append(f"$version {_plain(lines.version)} $end\n")
        for key, value in lines.metadata.items():
            if not _KEY.fullmatch(key):
                raise ValueError(f"metadata key `{key}`: expected lower-case letters, digits and underscores")
            out.append(f"$comment {key}={escape(value.encode())} $end\n")
        out.append(f"$timescale {self._scale.text} $end\n$scope module {_SCOPE} $end\n")
        sealed = [name + SEALED if name in lines.secret_links else name for name in lines.links]
        variables = [(name, "wire 1", VariableKind.WIRE) for name in lines.wires]
        variables += [(name, "real 64", VariableKind.REAL) for name in lines.reals]
        variables += [(name, "string 1", VariableKind.STRING) for name in (*sealed, COMMAND, LOST)]
        if len(variables) > MAX_VARIABLES:
            raise ValueError(f"{len(variables)} lines are more than the {MAX_VARIABLES} that a capture holds")
        for number, (name, declared, kind) in enumerate(variables):
            if not _NAME.fullmatch(name) or len(name) > MAX_NAME_LENGTH:
                raise ValueError(f"`{name}` is not a name for a line: expected letters, digits, `_`, `-` and `.`")
            if name in self._idents:
                raise ValueError(f"`{name}` is declared twice in one capture (`{COMMAND}` and `{LOST}` are taken)")
            ident = self._idents[name] = _ident(number)
            out.append(f"$var {declared} {ident} {name} $end\n")
            if kind is VariableKind.WIRE:
                self._changes.update({(name, level): f"{level}{ident}\n" for level in (0, 1)})
        out.append("$upscope $end\n$enddefinitions $end\n")
        self._stream.write("".join(out))

    def _time(self, t_ns: int, out: list[str]) -> None:
        units = self._scale.from_ns(t_ns)
        if units == self._last:
            return
        if units < (self._last or 0):
            written = f"{self._last or 0} × {self._scale.text}"
            raise ValueError(f"a capture goes forward from 0: {t_ns} ns comes after {written}")
        if units > self._scale.last_legal:
            raise ValueError(f"{t_ns} ns is past the last time that a capture holds, {MAX_T_NS} ns")
        self._last = units
        out.append(f"#{units}\n")

    def _edge(self, edge: Edge, out: list[str]) -> None:
        line, level, t_ns = edge
        change = self._changes.get((line, level))
        if change is None:
            raise ValueError(f"{edge}: expected level 0 or 1 of one of the lines {', '.join(self._lines.wires)}")
        self._time(t_ns, out)
        if self._levels[line] == level:
            out.append(self._string(LOST, again_text(line).encode()))
        else:
            self._levels[line] = level
            out.append(change)

    def _rare(self, value: Rare, out: list[str]) -> None:
        self._time(value.t_ns, out)
        out.append(self._rare_text(value))

    def _rare_text(self, value: Rare) -> str:
        match value:
            case Reading(line, number, _):
                if line not in self._lines.reals or not math.isfinite(number):
                    raise ValueError(f"{value}: expected a finite value of one of {', '.join(self._lines.reals)}")
                return f"r{float(number)!r} {self._idents[line]}\n"
            case Frame(link, _, _):
                if link not in self._lines.links:
                    raise ValueError(f"{value}: expected a frame of one of {', '.join(self._lines.links)}")
                held = self._sealer.seal(value) if self._sealer and link in self._lines.secret_links else value
                return self._string(held.link, held.data)
            case Command():
                return self._string(COMMAND, command_text(value).encode())
            case EdgesLost(line, cause, _, missing):
                known = self._levels.get(line) is not None
                if cause is Loss.UNPLUGGED and line in self._levels:
                    self._levels[line] = None
                    if known and missing is None:
                        return f"x{self._idents[line]}\n"
                return self._string(LOST, loss_text(value).encode())

    def _string(self, name: str, data: bytes) -> str:
        text = escape(data)
        if len(text) >= MAX_WORD_BYTES:
            raise ValueError(f"{len(data)} bytes on `{name}` are too long for a capture ({MAX_WORD_BYTES} escaped)")
        return f"s{text} {self._idents[name]}\n"


@contextmanager
def writing_capture(path: str | Path, lines: CaptureLines, *, sealer: FrameSealer | None = None) -> Iterator[VcdWriter]:
    """A writer whose capture is at `path`, complete and on the disk, when the block ends.

    After an error `path` is unchanged.
    """
    path = Path(path)
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(number, "w", encoding="ascii", newline="\n") as stream:
            writer = VcdWriter(stream, lines, sealer=sealer)
            yield writer
            writer.finish()
            stream.flush()
            os.fchmod(stream.fileno(), 0o644)
            os.fsync(stream.fileno())
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
    _sync_directory(path.parent)


def write_capture(
    path: str | Path, lines: CaptureLines, batches: Iterable[Batch], *, sealer: FrameSealer | None = None
) -> None:
    """Writes `batches` as the capture at `path`."""
    with writing_capture(path, lines, sealer=sealer) as writer:
        for batch in batches:
            writer.write(batch)


def _sync_directory(path: Path) -> None:
    number = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _plain(text: str) -> str:
    """Free text for the header: one line of ASCII that cannot end its section."""
    return " ".join(text.encode("ascii", "backslashreplace").decode().replace("$end", "end").split())


def _ident(number: int) -> str:
    """The shortest printable ids, in order: `!`, `"`, … `~`, `!!`, …"""
    ident = chr(33 + number % 94)
    while number := number // 94:
        number -= 1
        ident += chr(33 + number % 94)
    return ident
