"""Where keys stand: a document is written from known lines, and found again."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.configuration.positions import locate
from controller.configuration.problems import Path


class Writer:
    """Writes TOML in every way the language has, and notes on which line it wrote what."""

    def __init__(self) -> None:
        self.text = ""
        self.lines: dict[Path, int] = {}

    @property
    def line(self) -> int:
        return self.text.count("\n") + 1

    def note(self, path: Path) -> None:
        self.lines.setdefault(path, self.line)

    def value(self, path: Path, value: Any, spread: bool) -> None:
        """A value, whose lists go over several lines if `spread`."""
        if isinstance(value, list):
            self.text += "["
            for index, item in enumerate(value):
                self.text += "\n  # ] [ a comment \" '\n  " if spread else " "
                self.note((*path, index))
                self.value((*path, index), item, spread)
                self.text += ","
            self.text += "\n]" if spread else " ]"
        elif isinstance(value, dict):
            self.text += "{"
            for index, (key, item) in enumerate(value.items()):
                self.text += ", " if index else " "
                self.note((*path, key))
                self.text += f"{quoted(key)} = "
                self.value((*path, key), item, spread=False)
            self.text += " }"
        elif isinstance(value, str):
            self.text += written(value, spread)
        else:
            self.text += "true" if value is True else str(value)


def quoted(key: str) -> str:
    if key and key.isascii() and key.replace("_", "").isalnum():
        return key
    return '"' + "".join(f"\\U{ord(c):08x}" for c in key) + '"'


def written(text: str, spread: bool) -> str:
    escaped = "".join(f"\\U{ord(c):08x}" for c in text)
    if spread and len(text) % 2:
        return f'"""\n{escaped}\n\\\n  """'
    if "'" not in text and text.isprintable():
        return f"'''\n{text}\n'''" if spread else f"'{text}'"
    return f'"{escaped}"'


keys = st.one_of(st.sampled_from(["a", "b", "c", "id", "x_1", "17"]), st.text("aé\t\"'.\\ \U0001f3b2", max_size=4))
scalars = st.one_of(
    st.integers(-99, 99),
    st.just(True),
    st.sampled_from(["", "# no comment", "[x]", "a = 1", "it's", '"', "]]", "}", "\\", "'''", 'x"""']),
    st.text("a é\n\"'\\#\U0001f3b2", max_size=6),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def documents(draw: st.DrawFn) -> tuple[Writer, dict[str, Any]]:
    writer = Writer()
    expected: dict[str, Any] = {}
    names = draw(st.lists(keys, unique=True, max_size=3))
    for name in [None, *names]:
        array = name is not None and draw(st.booleans())
        for occurrence in range(draw(st.integers(1, 2)) if array else 1):
            writer.text += draw(st.sampled_from(["", "\n", "# [not.a.table] x = 1\n", "  \t\n"]))
            base: Path = ()
            here = expected
            if name is not None:
                base = (name, occurrence) if array else (name,)
                writer.note((name,))
                writer.note(base)
                writer.text += f"[[ {quoted(name)} ]] # here\n" if array else f"[{quoted(name)}]\n"
                here = {}
                if array:
                    expected.setdefault(name, []).append(here)
                else:
                    expected[name] = here
            taken = set(names) if name is None else set()
            for key in draw(st.lists(keys.filter(lambda k: k not in taken), unique=True, max_size=3)):  # noqa: B023
                value = draw(values)
                parts = draw(st.sampled_from([(key,), (key, "z"), (key, "y z", "w")]))
                for length in range(1, len(parts) + 1):
                    writer.note(base + parts[:length])
                writer.text += draw(st.sampled_from(["", "  "])) + " . ".join(quoted(p) for p in parts) + " = "
                writer.value(base + parts, value, spread=draw(st.booleans()))
                writer.text += draw(st.sampled_from(["\n", " # x = [\n", "\n\n"]))
                inside = here
                for part in parts[:-1]:
                    inside = inside.setdefault(part, {})
                inside[parts[-1]] = value
    return writer, expected


def paths_of(value: Any, path: Path = ()) -> set[Path]:
    below: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        below = list(value.items())
    elif isinstance(value, list):
        below = list(enumerate(value))
    found = {path} if path else set()
    return found.union(*(paths_of(item, (*path, key)) for key, item in below))


@pytest.mark.long
@settings(max_examples=75, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_every_key_of_a_document_is_found_on_the_line_it_was_written_on(case: tuple[Writer, dict[str, Any]]) -> None:
    writer, _ = case
    read = tomllib.loads(writer.text)
    found = dict(locate(writer.text).paths())
    assert set(found) == paths_of(read)
    assert {path: found[path] for path in writer.lines} == writer.lines


@pytest.mark.long
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_windows_line_ends_do_not_move_a_key(case: tuple[Writer, dict[str, Any]]) -> None:
    text = case[0].text
    if "'''" in text or '"""' in text:
        return  # the line end is part of the value there
    assert dict(locate(text.replace("\n", "\r\n")).paths()) == dict(locate(text).paths())


def test_a_key_that_is_not_there_is_placed_at_its_section() -> None:
    positions = locate("[table]\nid = 'a'\n\n[device.wheel]\ndriver = 'x'\n")
    assert positions.line(("device", "wheel", "encoder_slots")) == 4
    assert positions.line(("device", "lamp")) == 4
    assert positions.line(("pins", "rotor_a")) == 1


def test_a_section_is_at_its_own_header_although_a_subsection_came_first() -> None:
    positions = locate("[device.wheel]\na = 1\n[device]\nb = 2\n")
    assert positions.line(("device",)) == 3
    assert positions.line(("device", "wheel")) == 1


@settings(max_examples=75, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.sampled_from("[]{}=.,'\"\n\\# ab1\r\t"), max_size=60))
def test_text_that_is_no_toml_gives_lines_and_no_error(text: str) -> None:
    assert all(1 <= line <= text.count("\n") + 1 for _, line in locate(text).paths())


def test_values_nested_beyond_reason_are_placed_at_the_nearest_key() -> None:
    positions = locate("a = 1\nb = " + "[" * 300 + "]" * 300 + "\nc = 1\n")
    assert positions.line(("b", 0, 0, 0)) == 2
    assert positions.line(("a",)) == 1
