"""The header of a VCD file: timescale, variables and comments; and which variable is which line of the table.

IEEE 1364-2005, 18.2, with the variable types of SystemVerilog and GTKWave's `string`.

A selected name matches a variable by its own name if that is unique, and always by its dotted path. Two variables with
one id are one signal under two names, which is not ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from hal.capture.errors import CaptureError, shown
from hal.capture.string_values import unescape
from hal.capture.words import Words

MAX_T_NS = 2**63 - 1
"""The last time that a capture can hold, in nanoseconds: 292 years, the range of the kernel's clock."""

_FEMTOSECONDS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
_FEMTOSECONDS_A_NANOSECOND = 10**6
_LEGAL = re.compile(r"(1|10|100)\s*(s|ms|us|ns|ps|fs)")

COMMAND = "command"
"""The line of people's commands; its values are `Command`."""

LOST = "lost"
"""The line of the losses reported while recording; its values are `EdgesLost`."""

MAX_VARIABLES = 4096
MAX_SCOPES = 32
MAX_NAME_LENGTH = 256
MAX_ID_LENGTH = 32
"""Limits for reading (ours), far above any table: they bound memory whatever a file contains."""

_TYPES = frozenset(
    b"wire reg logic bit tri tri0 tri1 triand trior trireg wand wor supply0 supply1 port integer int byte shortint "
    b"longint time parameter enum event real realtime shortreal real_parameter string".split()
)
_REALS = frozenset((b"real", b"realtime", b"shortreal", b"real_parameter"))
_METADATA = re.compile(r"([a-z][a-z0-9_]*)=(\S*)")


class Timescale(NamedTuple):
    """The unit of a file's timestamps, exact: `multiplier / divisor` nanoseconds; one of the two is 1.

    IEEE 1364-2005, 18.2.3.6: 1, 10 or 100 of s, ms, us, ns, ps or fs.
    """

    multiplier: int
    divisor: int
    text: str

    @classmethod
    def parse(cls, text: str) -> Timescale:
        """`1 us`, `100ps` and so on; `ValueError` for anything that is not a legal timescale."""
        match = _LEGAL.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"expected 1, 10 or 100 of s, ms, us, ns, ps or fs, saw `{text[:40]}`")
        femtoseconds = int(match[1]) * _FEMTOSECONDS[match[2]]
        if femtoseconds >= _FEMTOSECONDS_A_NANOSECOND:
            return cls(femtoseconds // _FEMTOSECONDS_A_NANOSECOND, 1, f"{match[1]} {match[2]}")
        return cls(1, _FEMTOSECONDS_A_NANOSECOND // femtoseconds, f"{match[1]} {match[2]}")

    @property
    def last_legal(self) -> int:
        """The last timestamp that is not past `MAX_T_NS`."""
        return MAX_T_NS * self.divisor // self.multiplier

    def to_ns(self, units: int) -> int:
        """The time of a timestamp, rounded half up to a nanosecond."""
        return (units * self.multiplier * 2 + self.divisor) // (2 * self.divisor)

    def from_ns(self, t_ns: int) -> int:
        """The timestamp of a time, rounded half up to a unit."""
        return (t_ns * self.divisor * 2 + self.multiplier) // (2 * self.multiplier)


class VariableKind(StrEnum):
    """The kinds of variables."""

    WIRE = "wire"
    """One bit: a digital line."""
    REAL = "real"
    """An analogue line."""
    STRING = "string"
    """Frames of a serial link, commands or losses."""
    OTHER = "other"
    """Wider than a bit, or an event: not used by a table."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One declared variable; `line` is its line in the file."""

    name: str
    scope: tuple[str, ...]
    kind: VariableKind
    width: int
    ident: str
    line: int

    @property
    def path(self) -> str:
        """The name with its scopes, which always selects it: `table.wheel_a`."""
        return ".".join((*self.scope, self.name))


@dataclass(frozen=True, slots=True)
class CaptureHeader:
    """The header of a capture. `metadata` are the comments of the form `key=value`."""

    timescale: Timescale
    variables: tuple[Variable, ...]
    date: str = ""
    version: str = ""
    comments: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


def read_header(words: Words) -> CaptureHeader:
    """Reads up to and including `$enddefinitions $end`; raises `CaptureError` if it is invalid."""
    if not words.refill():
        words.fail("the file is empty", "record or copy the capture again", line=1)
    parser = _HeaderParser(words)
    parser.run()
    return parser.header()


class _HeaderParser:
    """The header as far as it has been read."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._timescale: Timescale | None = None
        self._texts = {b"$date": "", b"$version": ""}
        self._comments: list[str] = []
        self._scopes: list[str] = []
        self._variables: list[Variable] = []
        self._shapes: dict[str, tuple[VariableKind, int]] = {}

    def run(self) -> None:
        """Reads section by section."""
        words = self._words
        while True:
            keyword = words.take("`$enddefinitions`")
            if keyword == b"$enddefinitions":
                self._section(keyword)
                break
            if keyword == b"$var":
                self._variable()
            elif keyword == b"$scope":
                self._scope()
            elif keyword == b"$upscope":
                self._section(keyword)
                if not self._scopes:
                    words.fail("`$upscope` without a scope that is open", "export the capture again")
                self._scopes.pop()
            elif keyword == b"$timescale":
                self._read_timescale()
            elif keyword in self._texts:
                self._texts[keyword] = self._text(keyword)
            elif keyword == b"$comment":
                self._comments.append(self._text(keyword))
            elif keyword in (b"$attrbegin", b"$attrend"):
                self._section(keyword)
            elif keyword[:1] in (b"#", b"0", b"1", b"x", b"z") or keyword == b"$dumpvars":
                words.fail(
                    f"data begins with {shown(keyword)} before `$enddefinitions`",
                    "the header is cut or damaged: record or export the capture again",
                )
            else:
                words.fail(
                    f"expected a section of a VCD header such as `$var`, saw {shown(keyword)}",
                    "give a VCD file, or export the capture again",
                )

    def header(self) -> CaptureHeader:
        """The header, once `run` has returned."""
        if self._timescale is None:
            self._words.fail("the header has no `$timescale`", "add one, such as `$timescale 1 us $end`")
        return CaptureHeader(
            timescale=self._timescale,
            variables=tuple(self._variables),
            date=self._texts[b"$date"],
            version=self._texts[b"$version"],
            comments=tuple(self._comments),
            metadata=_metadata(self._comments),
        )

    def _section(self, keyword: bytes) -> list[bytes]:
        return self._words.take_to_end(keyword.decode())

    def _text(self, keyword: bytes) -> str:
        return b" ".join(self._section(keyword)).decode("utf-8", "backslashreplace")

    def _read_timescale(self) -> None:
        line = self._words.line()
        text = self._text(b"$timescale")
        if self._timescale is not None:
            self._words.fail("a second `$timescale`", "keep one", line=line)
        try:
            self._timescale = Timescale.parse(text)
        except ValueError as error:
            self._words.fail(f"bad timescale: {error}", "write it as `$timescale 1 us $end`", line=line)

    def _scope(self) -> None:
        line = self._words.line()
        parts = self._section(b"$scope")
        if len(parts) != 2:
            self._words.fail(
                f"expected `$scope`, a type, a name and `$end`, saw {shown(b' '.join(parts))}",
                "export the capture again",
                line=line,
            )
        if len(self._scopes) == MAX_SCOPES:
            self._words.fail(
                f"more than {MAX_SCOPES} scopes inside each other", "export only the lines of the table", line=line
            )
        self._scopes.append(self._name(parts[1:], line))

    def _variable(self) -> None:
        words = self._words
        line = words.line()
        parts = self._section(b"$var")
        if len(parts) < 4:
            words.fail(
                f"expected `$var`, type, width, id, name and `$end`, saw {shown(b' '.join(parts))}",
                "export the capture again",
                line=line,
            )
        type_, width_text, ident = parts[:3]
        if type_ not in _TYPES:
            words.fail(f"{shown(type_)} is not a type of variable", "declare a line as `wire`", line=line)
        if not (width_text.isdigit() and len(width_text) <= 9):
            words.fail(f"expected the width in bits, saw {shown(width_text)}", "a line is `wire 1`", line=line)
        if len(ident) > MAX_ID_LENGTH or not all(33 <= byte <= 126 for byte in ident):
            words.fail(
                f"{shown(ident)} is not an id: expected 1 to {MAX_ID_LENGTH} printable ASCII characters",
                "export the capture again",
                line=line,
            )
        if len(self._variables) == MAX_VARIABLES:
            words.fail(f"more than {MAX_VARIABLES} variables", "export only the lines of the table", line=line)
        variable = Variable(
            name=self._name(parts[3:], line),
            scope=tuple(self._scopes),
            kind=_kind(type_, int(width_text)),
            width=int(width_text),
            ident=ident.decode("ascii"),
            line=line,
        )
        shape = (variable.kind, variable.width)
        if self._shapes.setdefault(variable.ident, shape) != shape:
            words.fail(
                f"id `{variable.ident}` of `{variable.path}` belongs to a variable of another type or width",
                "give every variable an id of its own",
                line=line,
            )
        self._variables.append(variable)

    def _name(self, parts: list[bytes], line: int) -> str:
        """The name, keeping a space (logic analysers write `Channel 0`) and joining a bit select to it."""
        text = b" ".join(parts).replace(b" [", b"[").removeprefix(b"\\")
        if not 0 < len(text) <= MAX_NAME_LENGTH:
            self._words.fail(
                f"expected a name of 1 to {MAX_NAME_LENGTH} bytes, saw {shown(text)}", "rename it", line=line
            )
        return text.decode("utf-8", "backslashreplace")


def _kind(type_: bytes, width: int) -> VariableKind:
    if type_ in _REALS:
        return VariableKind.REAL
    if type_ == b"string":
        return VariableKind.STRING
    if width == 1 and type_ != b"event":
        return VariableKind.WIRE
    return VariableKind.OTHER


def _metadata(comments: list[str]) -> dict[str, str]:
    """The `key=value` comments; one with an unknown escape stays a plain comment."""
    found: dict[str, str] = {}
    for comment in comments:
        match = _METADATA.fullmatch(comment)
        if match is None:
            continue
        try:
            found[match[1]] = unescape(match[2].encode()).decode("utf-8", "backslashreplace")
        except ValueError:
            continue
    return found


class SelectedVariable(NamedTuple):
    """A variable to deliver, and the name of its line."""

    line: str
    variable: Variable


def resolve(header: CaptureHeader, names: Mapping[str, str] | None, path: str) -> list[SelectedVariable]:
    """The declared variables selected by `names` (name in the file -> line).

    None selects every line under its own name, or under its dotted path if the name is not unique. `command` and `lost`
    are always selected. Raises `CaptureError` for an ambiguous name, a variable that cannot be a line, and two
    variables for one line.
    """
    by_name: dict[str, list[Variable]] = {}
    for variable in header.variables:
        by_name.setdefault(variable.name, []).append(variable)
    if names is None:
        names = {
            name: name
            for variable in header.variables
            if variable.kind is not VariableKind.OTHER
            for name in [variable.name if _one_signal(by_name[variable.name]) else variable.path]
        }
    wanted: dict[str, Variable] = {}
    for name, line in names.items():
        found = _find(header, by_name, name, path)
        if found is None:
            continue
        if found.kind is VariableKind.OTHER:
            raise CaptureError(
                path,
                found.line,
                f"`{found.path}` is wanted as line `{line}`, but it is {found.width} bits wide or an event",
                "a line is one `wire` of 1 bit: export its bits one by one, or name another variable",
            )
        if line in wanted and wanted[line].ident != found.ident:
            raise CaptureError(
                path,
                found.line,
                f"`{found.path}` and `{wanted[line].path}` are both wanted as line `{line}`",
                "map one variable to each line",
            )
        wanted[line] = found
    for reserved in (COMMAND, LOST):
        strings = [variable for variable in by_name.get(reserved, ()) if variable.kind is VariableKind.STRING]
        if reserved not in wanted and strings:
            wanted[reserved] = _the_one(strings, reserved, path)
    return [SelectedVariable(line, variable) for line, variable in wanted.items()]


def _find(header: CaptureHeader, by_name: Mapping[str, list[Variable]], name: str, path: str) -> Variable | None:
    found = by_name.get(name) or [
        variable for variable in header.variables if name.endswith(variable.name) and variable.path == name
    ]
    return _the_one(found, name, path) if found else None


def _the_one(found: list[Variable], name: str, path: str) -> Variable:
    if _one_signal(found):
        return found[0]
    paths = ", ".join(sorted(f"`{variable.path}`" for variable in found[:8]))
    raise CaptureError(
        path,
        found[1].line,
        f"`{name}` is wanted, and means {len(found)} variables: {paths}",
        "name the one by its dotted path, or rename it in the file",
    )


def _one_signal(variables: list[Variable]) -> bool:
    return len({variable.ident for variable in variables}) == 1
