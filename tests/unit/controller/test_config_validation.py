"""One declaration of a key gives its check, its message and its documentation."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Meta

from controller.configuration.declaration import describe
from controller.configuration.problems import ConfigFinding, dotted
from controller.configuration.validation import validate


class Inner(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    width_deg: Annotated[float, Meta(gt=0, lt=90, description="width of the pulse")] = 3.0


class Example(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    slots: Annotated[int, Meta(ge=1, le=5000, description="slots of the encoder", examples=[38])]
    mode: Literal["quadrature", "pegs"] = "quadrature"
    angles: Annotated[tuple[Annotated[float, Meta(ge=0, lt=360)], ...], Meta(min_length=2, max_length=8)] = (0.0, 120.0)
    label: str | None = None
    on: bool = False
    wait_s: Annotated[float, Meta(ge=0, le=60, description="pause", extra={"cite": "ours"})] = 1.5
    index: Inner = Inner()

    def problems(self) -> list[tuple[str, str, str]]:
        if self.mode == "pegs" and self.slots < 50:
            return [("slots", f"{self.slots} is too few for pegs", "write 50")]
        return []


def findings(values: object) -> dict[str, str]:
    _, found = validate(values, Example, ("device", "wheel"))
    return {dotted(finding.path): f"{finding.wrong}; {finding.fix}" for finding in found}


def test_values_that_fit_become_the_struct() -> None:
    made, found = validate({"slots": 38, "angles": [0, 100], "index": {"width_deg": 2}}, Example, ())
    assert found == []
    assert made == Example(slots=38, angles=(0, 100), index=Inner(width_deg=2))


@pytest.mark.parametrize(
    ("values", "key", "said"),
    [
        ({}, "slots", "is missing; add slots = 38 (slots of the encoder)"),
        ({"slots": 0}, "slots", "0 is out of range; write a whole number from 1 to 5000"),
        ({"slots": 5001}, "slots", "5001 is out of range; write a whole number from 1 to 5000"),
        ({"slots": 10**30}, "slots", "a huge number is out of range; write a whole number from 1 to 5000"),
        ({"slots": 2.5}, "slots", "2.5 is not a whole number from 1 to 5000; write a whole number from 1 to 5000"),
        ({"slots": True}, "slots", "true is not a whole number from 1 to 5000; write a whole number from 1 to 5000"),
        ({"slots": "38"}, "slots", '"38" is not a whole number from 1 to 5000; write 38 without quotes'),
        ({"slots": 38, "mode": "quadratur"}, "mode", 'did you mean "quadrature"? (one of "pegs", "quadrature")'),
        ({"slots": 38, "mode": "zzz"}, "mode", '"zzz" is not known; write one of "pegs", "quadrature"'),
        ({"slots": 38, "mode": 3}, "mode", '3 is not known; write one of "pegs", "quadrature"'),
        ({"slots": 38, "angles": [0, 400]}, "angles[1]", "400 is out of range; write a number (0 or more and less"),
        ({"slots": 38, "angles": [0, "a"]}, "angles[1]", '"a" is not a number'),
        ({"slots": 38, "angles": [0]}, "angles", "the list has 1; write a list of numbers (2 to 8 of them"),
        ({"slots": 38, "angles": 120}, "angles", "write it as a list: [120, ...], 2 to 8 of them, each 0 or more"),
        ({"slots": 38, "angles": "0"}, "angles", "write it as a list: [0, ...], 2 to 8 of them, each 0 or more"),
        ({"slots": 38, "angles": "0, 100 220"}, "angles", "write it as a list: [0, 100, 220]"),
        ({"slots": 38, "angles": "[0, 100]"}, "angles", "write it as a list: [0, 100]"),
        ({"slots": 38, "angles": "wide"}, "angles", '"wide" is not a list of numbers'),
        ({"slots": 38, "angles": ""}, "angles", "write a list of numbers (2 to 8 of them, each 0 or more"),
        ({"slots": 38, "label": 5}, "label", '5 is not text; write it in quotes: "5"'),
        ({"slots": 38, "on": "True"}, "on", '"True" is not true or false; write true without quotes'),
        ({"slots": 38, "on": 1}, "on", "1 is not true or false; write true or false"),
        ({"slots": 38, "wait_s": math.nan}, "wait_s", "nan is not a finite number; write a number from 0 to 60"),
        ({"slots": 38, "wait_s": math.inf}, "wait_s", "inf is not a finite number"),
        ({"slots": 38, "index": 3}, "index", "is 3, and a table of keys was expected"),
        ({"slots": 38, "index": {"width": 3}}, "index.width", 'unknown key; did you mean "width_deg"?'),
        ({"slots": 38, "zzzzz": 3}, "zzzzz", "unknown key; the keys here are slots, mode, angles"),
        ({"slots": 10, "mode": "pegs"}, "slots", "10 is too few for pegs; write 50"),
    ],
)
def test_a_mistake_is_told_with_its_key_and_the_fix(values: dict[str, Any], key: str, said: str) -> None:
    found = findings(values)
    assert list(found) == [f"device.wheel.{key}"]
    assert said in found[f"device.wheel.{key}"]


def test_every_mistake_of_a_section_is_told_at_once() -> None:
    found = findings({"slots": 0, "mode": "x", "angles": [0, 500, "b"], "lable": "a", "index": {"width_deg": 90}})
    assert sorted(key.removeprefix("device.wheel.") for key in found) == [
        "angles[1]",
        "angles[2]",
        "index.width_deg",
        "lable",
        "mode",
        "slots",
    ]


def test_a_misspelt_required_key_is_one_mistake_and_not_two() -> None:
    assert list(findings({"slot": 38})) == ["device.wheel.slot"]


def test_what_stands_where_a_section_should_is_told() -> None:
    assert validate([], Example, ("game",))[1] == [
        ConfigFinding(("game",), "is [], and a table of keys was expected", "write it as a section, [game]")
    ]


def test_documentation_is_made_of_the_same_declaration() -> None:
    rows = {row.key: row for row in describe(Example)}
    assert rows["slots"] == ("slots", "whole number", "required", "from 1 to 5000", "slots of the encoder", "")
    assert rows["mode"].type == 'one of "pegs", "quadrature"'
    assert rows["angles"][1:4] == ("list of numbers", "[0, 120]", "2 to 8 of them, each 0 or more and less than 360")
    assert rows["label"].default == "not set"
    assert rows["wait_s"].cite == "ours"
    assert rows["index.width_deg"][2:5] == ("3", "more than 0 and less than 90", "width of the pulse")


words = st.sampled_from(["quadrature", "pegs", "width_deg", "", "17"])
json_like = st.recursive(
    st.booleans() | st.integers() | st.integers(0, 400) | st.floats() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=2),
    max_leaves=6,
)


@pytest.mark.long
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["slots", "mode", "angles", "label", "on", "wait_s", "index", "x"]), json_like))
def test_values_are_right_exactly_when_msgspec_converts_them(values: dict[str, Any]) -> None:
    made, found = validate(values, Example, ())
    try:
        expected = msgspec.convert(values, Example)
    except msgspec.ValidationError:
        assert found
        assert made is None
    else:
        numbers = [*expected.angles, expected.wait_s, expected.index.width_deg]
        if all(map(math.isfinite, numbers)):
            assert (made, found) == (expected, []) or expected.problems()
        else:
            assert found
