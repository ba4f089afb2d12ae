"""Values written as TOML are the values that are read again."""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.configuration.document import toml_text

EXAMPLES = sorted((Path(__file__).resolve().parents[4] / "examples").glob("*.toml"))
KEYS = st.text(min_size=1, max_size=8)
SCALARS = st.one_of(
    st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False), st.text(max_size=20)
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_written_as_it_was_read(path: Path) -> None:
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    assert tomllib.loads(toml_text(values)) == values


def test_dates_and_times_are_written_as_they_are_read() -> None:
    values = {"d": date(2026, 7, 5), "t": time(10, 0, 1, 500), "m": datetime(2026, 7, 5, 10, tzinfo=UTC)}
    assert tomllib.loads(toml_text(values)) == values


@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_any_values_are_written_so_that_they_are_read_again(values: dict[str, Any]) -> None:
    assert tomllib.loads(toml_text(values)) == values


def test_sections_stand_as_people_write_them() -> None:
    text = toml_text({"table": {"id": "t"}, "board": {"wheel": {"kind": "wheel"}}, "pins": {"a": {"input": 1}}})
    assert text == '[table]\nid = "t"\n[board.wheel]\nkind = "wheel"\n[pins.a]\ninput = 1\n'


def test_what_toml_has_and_we_do_not_write_is_refused() -> None:
    with pytest.raises(TypeError, match="a bytes cannot be written as TOML here"):
        toml_text({"when": b"2026"})
