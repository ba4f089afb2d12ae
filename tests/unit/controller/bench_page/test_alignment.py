"""What a page asks two captures to be compared by: each key that is wrong is named, with what it has."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.bench_page.captures import Alignment, CaptureRefusal, alignment_of
from controller.bench_page.comparison import Tolerance

BOTH = {"first": 1, "second": 2}
NS = "nanoseconds, a whole number from 0 to 1000000000"
WHOLE = "an object with `first`, `second`, and maybe `at` and `tolerance`"
SCALARS = st.sampled_from([None, True, 3, -1, 0.5, 1e300, "", "1", "beginning"])
JSON = (
    SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.sampled_from(["time_ns", "value", "", "ns"]), SCALARS)
)


@pytest.mark.parametrize(
    ("asked", "said", "fix"),
    [
        ({"second": 2}, "missing required field `first`", "first is the number of a capture"),
        ({"first": 1}, "missing required field `second`", "second is the number of a capture"),
        ({"first": 1, "second": "2"}, "Expected `int`, got `str`", "second is the number of a capture"),
        (BOTH | {"at": "noon"}, "Invalid enum value 'noon'", "at is `beginning` or `first_change`"),
        (BOTH | {"tolerance": 5}, "Expected `object`", "tolerance is an object with `time_ns` and `value`"),
        (BOTH | {"tolerance": {"ns": 5}}, "unknown field `ns`", "tolerance is an object with `time_ns` and `value`"),
        (BOTH | {"tolerance": {"time_ns": "1 ms"}}, "Expected `int`", f"tolerance.time_ns is {NS}"),
        (
            BOTH | {"tolerance": {"value": None}},
            "Expected `float`",
            "tolerance.value is a number from 0 to 1e+09, in the unit of the readings",
        ),
        (BOTH | {"third": 3}, "unknown field `third`", f"expected {WHOLE}"),
    ],
)
def test_a_wrong_key_is_named_with_what_it_has_and_no_other_is(asked: dict[str, Any], said: str, fix: str) -> None:
    with pytest.raises(CaptureRefusal) as refused:
        alignment_of(asked)
    assert said in str(refused.value)
    assert str(refused.value).endswith(f": {fix}")


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from(["first", "second", "at", "tolerance", "third"]), JSON))
def test_anything_else_is_refused_in_words(asked: dict[str, Any]) -> None:
    try:
        assert isinstance(alignment_of(BOTH | asked), Alignment)
    except CaptureRefusal as refusal:
        assert ": " in str(refusal)


def test_what_is_not_asked_for_is_as_the_page_has_it() -> None:
    assert alignment_of(dict(BOTH)) == Alignment(1, 2, "beginning", Tolerance())
