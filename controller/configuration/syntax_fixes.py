"""What to do about a line that is not TOML.

`tomllib` tells what it expected, seldom what the writer forgot; the line itself tells more.
"""

from __future__ import annotations

import re

KEY_OF_LINE = re.compile(r"^\s*(?P<key>[A-Za-z0-9_.-]+)\s*=")
_HEADER = re.compile(r"^\s*\[\[?\s*(?P<key>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_DECIMAL_COMMA = re.compile(r"=\s*(?P<whole>[+-]?\d+),(?P<part>\d+)\s*(?:#.*)?$")
_COLON = re.compile(r"^\s*(?P<key>[A-Za-z0-9_.-]+)\s*:\s*(?P<value>.*?)\s*$")
_BARE_WORD = re.compile(r"=\s*(?P<word>[A-Za-z][A-Za-z0-9_./-]*)\s*(?:#.*)?$")
_CURLY_QUOTES = re.compile("[\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb]")
_BOOLEANS = frozenset({"true", "false"})


def fix_of(what: str, lines: list[str], line: int) -> str:
    """What to do about `tomllib`'s complaint of a line."""
    text = lines[line - 1]
    key = KEY_OF_LINE.match(text)
    name = key["key"] if key else "id"
    if _CURLY_QUOTES.search(text):
        return f'write straight double quotes, as in {name} = "..."'
    if "overwrite" in what or "twice" in what or "redefine" in what or "already" in what:
        return _fix_of_a_second_time(lines, line)
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
    return "mend or remove this line"


def _fix_of_a_second_time(lines: list[str], line: int) -> str:
    header = _HEADER.match(lines[line - 1])
    if header is not None:
        name = header["key"]
        first = next(n for n, text in enumerate(lines, 1) if _names_header(text, name) or n == line)
    else:
        key = KEY_OF_LINE.match(lines[line - 1])
        start = max((n for n in range(1, line) if _HEADER.match(lines[n - 1])), default=0)
        inside = range(start + 1, line)
        first = next((n for n in inside if key and _names_key(lines[n - 1], key["key"])), line)
    if first == line:
        return "it was given before; keep one of the two"
    return f"it stands on line {first} already; keep one of the two"


def _names_header(text: str, name: str) -> bool:
    header = _HEADER.match(text)
    return header is not None and header["key"] == name


def _names_key(text: str, name: str) -> bool:
    key = KEY_OF_LINE.match(text)
    return key is not None and key["key"] == name
