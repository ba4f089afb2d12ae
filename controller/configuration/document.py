"""Reads one TOML file: its values, their line numbers, and every syntax error; writes values as TOML.

`tomllib` stops at the first error. Here the line with the error is blanked and the rest is parsed again, as long as
each error is below the one before and confined to its line: so all syntax errors are reported at once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, time
from pathlib import Path as FilePath
from typing import Any, NamedTuple

import msgspec

from controller.configuration.positions import Positions, locate
from controller.configuration.problems import Problem

LARGEST_BYTES = 64 * 1024
"""A table's file has some hundred lines; a larger file is something else."""
MOST_LINES = 2_000
LONGEST_LINE = 2_000
"""In characters. `tomllib` takes minutes for a key of ten thousand parts; a table's file has no line this long."""
MOST_SYNTAX_PROBLEMS = 20

SYNTAX = "(syntax)"
"""In place of the key where a line is not TOML."""

_PLACE = re.compile(r"^(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$", re.S)


class Document(NamedTuple):
    """One file, as far as it could be read."""

    file: str
    values: dict[str, Any]
    positions: Positions
    problems: list[Problem]
    complete: bool
    """Every line could be parsed. If not, a missing key may be on a line that could not."""
    readable: bool
    """Enough could be parsed for a check of the values to make sense."""


def read_document(path: FilePath) -> Document:
    """Reads a file; never raises for its content or its absence."""
    file = str(path).encode("utf-8", "replace").decode()
    try:
        with path.open("rb") as opened:
            raw = opened.read(LARGEST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return _unreadable(file, 1, "(file)", f"cannot be read: {reason}", "give the path of a table's TOML file")
    except ValueError as error:
        return _unreadable(file, 1, "(file)", f"cannot be opened: {error}", "give the path of a table's TOML file")
    if len(raw) > LARGEST_BYTES:
        wrong = f"is larger than {LARGEST_BYTES // 1024} KiB"
        return _unreadable(file, 1, "(file)", wrong, "give the path of a table's TOML file")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        wrong = f"byte {raw[error.start]:#04x} is not UTF-8"
        return _unreadable(file, line, SYNTAX, wrong, "save the file as UTF-8 text")
    return parse_document(file, text.removeprefix("\ufeff"))


def parse_document(file: str, text: str) -> Document:
    """Parses the text of a document; never raises for its content."""
    lines = text.replace("\r\n", "\n").split("\n")
    too_much = _too_much(file, lines)
    if too_much is not None:
        return Document(file, {}, locate(""), [too_much], False, False)
    problems: list[Problem] = []
    last_line = 0
    while True:
        try:
            values = tomllib.loads("\n".join(lines))
        except tomllib.TOMLDecodeError as error:
            problem = _syntax_problem(file, lines, str(error))
            problems.append(problem)
            if problem.line <= last_line or len(problems) >= MOST_SYNTAX_PROBLEMS:
                return Document(file, {}, locate(""), problems[:-1] or problems, False, False)
            last_line = problem.line
            if not _blank(lines, problem.line):
                return Document(file, {}, locate(""), problems, False, False)
        except RecursionError:
            line = _deepest_line(lines)
            problems.append(_nested(file, line))
            return Document(file, {}, locate(""), problems, False, False)
        except ValueError as error:  # a number with thousands of digits
            problems.append(Problem(file, _longest_line(lines), SYNTAX, str(error), "write a shorter number"))
            return Document(file, {}, locate(""), problems, False, False)
        else:
            positions = locate("\n".join(lines))
            return Document(file, values, positions, problems, not problems, True)


def _syntax_problem(file: str, lines: list[str], message: str) -> Problem:
    match = _PLACE.match(message)
    if match is None:
        return Problem(file, 1, SYNTAX, f"not TOML: {message}", "see https://toml.io/en/v1.0.0")
    what = match["what"]
    if match["line"] is None:
        line = _last_line_with_text(lines)
        wrong = f"not TOML: {_lower(what)} at the end of the file"
        return Problem(file, line, SYNTAX, wrong, fix_of(what, lines, line))
    line, column = int(match["line"]), int(match["column"])
    declared = _DECLARED_TWICE.search(what)
    if declared is not None:
        name = ".".join(re.findall(r"'([^']*)'", declared[1]))
        return Problem(file, line, SYNTAX, f"[{name}] is declared twice", fix_of(what, lines, line, column))
    wrong = f"not TOML at column {column}: {_lower(what)}"
    return Problem(file, line, SYNTAX, wrong, fix_of(what, lines, line, column))


def _blank(lines: list[str], line: int) -> bool:
    """Blanks the wrong line, and all of its section where it is a header; False where that could hide or add errors."""
    text = lines[line - 1]
    if names_header(text, TABLE) and any(names_header(one, TABLE) for one in lines[: line - 1]):
        # A second table: what follows is its own, and repeats what the first one has.
        lines[line - 1 :] = [""] * (len(lines) - line + 1)
        return True
    if KEY_OF_LINE.match(text) and text.rstrip().endswith("{"):
        # A table over several lines: the lines up to its end would be errors each.
        end = next((n for n in range(line, len(lines)) if lines[n].lstrip().startswith("}") or "}" in lines[n]), line)
        lines[line - 1 : end + 1] = [""] * (end - line + 2)
        return True
    if text.startswith("["):
        end = next((n for n in range(line, len(lines)) if lines[n].startswith("[")), len(lines))
        lines[line - 1 : end] = [""] * (end - line + 1)
        return True
    long_string = '"""' in text or "'''" in text
    if not KEY_OF_LINE.match(text) or long_string or text.count("[") != text.count("]"):
        return False
    lines[line - 1] = ""
    return True


def _unreadable(file: str, line: int, key: str, wrong: str, fix: str) -> Document:
    return Document(file, {}, locate(""), [Problem(file, line, key, wrong, fix)], False, False)


def _too_much(file: str, lines: list[str]) -> Problem | None:
    fix = "a table's file has some hundred lines; give the path of one"
    if len(lines) > MOST_LINES:
        return Problem(file, MOST_LINES, "(file)", f"has {len(lines)} lines, more than {MOST_LINES}", fix)
    longest = _longest_line(lines)
    length = len(lines[longest - 1])
    if length > LONGEST_LINE:
        wrong = f"the line has {length} characters, more than {LONGEST_LINE}"
        return Problem(file, longest, SYNTAX, wrong, "write long lists over several lines")
    return None


def _nested(file: str, line: int) -> Problem:
    return Problem(file, line, SYNTAX, "lists or tables are nested too deeply", "no key of a table's file needs that")


def _deepest_line(lines: list[str]) -> int:
    return max(range(len(lines)), key=lambda n: lines[n].count("[") + lines[n].count("{")) + 1


def _longest_line(lines: list[str]) -> int:
    return max(range(len(lines)), key=lambda n: len(lines[n])) + 1


def _last_line_with_text(lines: list[str]) -> int:
    return max((n for n, text in enumerate(lines, 1) if text.strip()), default=1)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


# Fixes for syntax errors: `tomllib` reports what it expected; the line itself often shows what was forgotten.


KEY_OF_LINE = re.compile(r"^\s*(?P<key>[A-Za-z0-9_.-]+)\s*=")
_HEADER = re.compile(r"^\s*\[\[?\s*(?P<key>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_DECIMAL_COMMA = re.compile(r"=\s*(?P<whole>[+-]?\d+),(?P<part>\d+)\s*(?:#.*)?$")
_COLON = re.compile(r"^\s*(?P<key>[A-Za-z0-9_.-]+)\s*:\s*(?P<value>.*?)\s*$")
_BARE_WORD = re.compile(r"=\s*(?P<word>[A-Za-z][A-Za-z0-9_./-]*)\s*(?:#.*)?$")
_CURLY_QUOTES = re.compile("[\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb]")
_BOOLEANS = frozenset({"true", "false"})


_DECLARED_TWICE = re.compile(r"annot declare \((.*?),?\) twice")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_GPIO_WORD = re.compile(r"(?i)(?:gpio|bcm)_?(\d{1,2})")
_UNIT = re.compile(
    r"(?<![\w.])(?P<number>[+-]?\d+(?:\.\d+)?) ?(?P<unit>°|%|µs|degrees|degree|deg|seconds|sec|ms|us|mm|cm|rpm|Hz|mA|"
    r"slots|spaces|pockets|s|m|V|A)(?![A-Za-z0-9])"
)
_BARE_SECTION = re.compile(r"\s*(?P<name>[A-Za-z][A-Za-z0-9_.-]*)\s*:?\s*(?:#.*)?\Z")
_QUOTED_OR_COMMENT = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")
_COMMAS_IN_NUMBERS = re.compile(r"\d,\d+\s+[+-]?\d")
TABLE = "table"
"""The section that every file has once."""


def fix_of(what: str, lines: list[str], line: int, column: int = 1) -> str:
    """The fix for an error that `tomllib` reports for a place."""
    plain_reason = _slip(lines[line - 1], column)
    return plain_reason or _fix_of(what, lines, line)


def _slip(text: str, column: int) -> str | None:
    """What the line itself shows that people write in other languages and formats; None where it shows nothing."""
    bare = _QUOTED_OR_COMMENT.sub("", text)
    _, _, value = bare.partition("=")
    unit = _UNIT.search(value)
    if unit is not None:
        return f"write the number without its unit: {unit['number']}"
    if bare.rstrip().endswith(";"):
        return "remove the semicolon at the end of the line"
    if "//" in bare:
        return "begin a comment with #, not with //"
    if text.rstrip().endswith("{"):
        return 'write it on one line, as in { gpio = 17, pull = "up" }'
    section = _BARE_SECTION.match(text)
    if section is not None:
        return f"write a section in brackets, [{section['name']}], and its keys below it as key = value"
    word = _WORD.match(text, max(0, column - 1)) if "{" in bare or "[" in value else None
    if word is not None and word.group().lower() in _BOOLEANS:
        return f"write {word.group().lower()}, in lower case"
    if word is not None and (gpio := _GPIO_WORD.fullmatch(word.group())) is not None:
        return f"write the number alone: {gpio[1]}"
    if "[" in value and _COMMAS_IN_NUMBERS.search(value):
        return "write decimal points, and a comma between two numbers: [0.0, 80.0]"
    if "[" in value and value.count("[") == value.count("]"):
        return "put a comma between the elements of the list"
    return None


def _fix_of(what: str, lines: list[str], line: int) -> str:
    text = lines[line - 1]
    key = KEY_OF_LINE.match(text)
    name = key["key"] if key else "id"
    if _CURLY_QUOTES.search(text):
        return f'write straight double quotes, as in {name} = "..."'
    if "overwrite" in what or "twice" in what or "redefine" in what or "already" in what:
        return _fix_of_duplicate(lines, line)
    if "Invalid value" in what:
        word = _BARE_WORD.search(text)
        if key and word and word["word"].lower() in _BOOLEANS:
            return f"write {name} = {word['word'].lower()}"
        if key and word:
            return f'write text in double quotes: {name} = "{word["word"]}"'
        return f'write text in double quotes, as in {name} = "...", and true or false in lower case'
    if "Expected '='" in what:
        colon = _COLON.match(text)
        if colon is not None:
            return f"write = and not a colon: {colon['key']} = {colon['value']}"
        return "write one key = value a line"
    if "nclosed array" in what:
        return 'close the list with "]" and put a comma between its elements'
    if "nclosed inline table" in what or "inline table" in what:
        return 'write it on one line, as in { gpio = 17, pull = "up" }'
    if "nterminated" in what or "Illegal character" in what:
        return "close the quotes on the same line"
    if "Expected ']'" in what:
        return "write a section as [name] on a line of its own"
    if "Expected newline" in what:
        decimal = _DECIMAL_COMMA.search(text)
        if decimal is not None:
            return f"write a decimal point: {name} = {decimal['whole']}.{decimal['part']}"
        return "write one key = value a line, and # before a comment"
    return "correct or remove this line"


def _fix_of_duplicate(lines: list[str], line: int) -> str:
    header = _HEADER.match(lines[line - 1])
    if header is not None:
        name = header["key"]
        first = next(n for n, text in enumerate(lines, 1) if names_header(text, name) or n == line)
        if name == TABLE and first != line:
            return (
                f"the table of line {first} is another one, and a file describes one: move this one, with all that "
                "follows, to a file of its own, and give feltwire both files"
            )
        if first != line:
            return f"it is on line {first} already; move these keys up there, and remove this header"
    else:
        key = KEY_OF_LINE.match(lines[line - 1])
        start = max((n for n in range(1, line) if _HEADER.match(lines[n - 1])), default=0)
        inside = range(start + 1, line)
        first = next((n for n in inside if key and _names_key(lines[n - 1], key["key"])), line)
    if first == line:
        return "it is given twice; keep one of the two"
    return f"it is on line {first} already; keep one of the two"


def names_header(text: str, name: str) -> bool:
    """Whether a line is the header of a section."""
    header = _HEADER.match(text)
    return header is not None and header["key"] == name


def _names_key(text: str, name: str) -> bool:
    key = KEY_OF_LINE.match(text)
    return key is not None and key["key"] == name


# Writing TOML

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(values: Mapping[str, Any]) -> str:
    """Values as a TOML document: the inverse of what `tomllib` reads, without comments.

    Raises:
        TypeError: a value is none of text, number, true or false, date or time, list and table.
    """
    return "\n".join(_table_lines(values, ())) + "\n"


def _table_lines(values: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    below = {key: value for key, value in values.items() if isinstance(value, Mapping) and len(path) < 2}
    if path and (len(below) < len(values) or not values):
        yield f"[{'.'.join(map(_key_text, path))}]"
    for key, value in values.items():
        if key not in below:
            yield f"{_key_text(key)} = {_value_text(value)}"
    for key, value in below.items():
        yield from _table_lines(value, (*path, key))


def _value_text(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            # A basic string of TOML is a string of JSON, but TOML also escapes the character DEL.
            return msgspec.json.encode(value).decode().replace("\x7f", "\\u007F")
        case date() | time():
            return value.isoformat()
        case list() | tuple():
            return "[" + ", ".join(map(_value_text, value)) + "]"
        case Mapping():
            return "{ " + ", ".join(f"{_key_text(key)} = {_value_text(one)}" for key, one in value.items()) + " }"
        case _:
            raise TypeError(f"a {type(value).__name__} cannot be written as TOML here")


def _key_text(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value_text(key)
