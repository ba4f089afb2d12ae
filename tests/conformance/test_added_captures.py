"""The captures of the conformance suite are as they were made, and so are the verdicts and words of its index."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.conformance.captures import Capture, suite
from controller.conformance.line_text import time_of
from controller.conformance.ours import answers
from feed.events import Outcome, decode
from tests.conformance import added, index, made
from tests.conformance.needed import needed_ns, void_of


@pytest.mark.parametrize("name", added.TURNED)
def test_a_capture_of_a_wheel_that_a_hand_turns_is_as_it_was_made(name: str) -> None:
    capture, lines = added.made_again(name)
    kept = next(one for one in suite().captures if one.name == name)
    assert kept.lines() == lines
    assert kept == capture
    data = [decode(line).data for line in answers(lines) if not line.startswith(b'{"until"')]
    counted = {one.round: one.evidence.revolutions for one in data if isinstance(one, Outcome)}
    assert counted == {
        one.round: right.revolutions for one in kept.rounds for right in one.accepted if right.verdict == "outcome"
    }, "ours are the same, to the count"


def test_a_capture_that_the_suite_has_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "FOLDER", tmp_path)
    made.add("1.0", [(one, []) for one in suite().captures])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("capture", suite().captures, ids=[one.name for one in suite().captures])
def test_verdicts_and_words_of_a_capture_are_as_they_are_made_again(capture: Capture) -> None:
    assert index.renewed(capture) == capture


@pytest.mark.parametrize(("number", "reason"), [(2, "wheel_revolutions"), (4, "wheel_reversed")])
def test_a_void_verdict_needs_the_value_without_which_there_is_none(number: int, reason: str) -> None:
    capture = next(one for one in suite().captures if one.name == "money_wheel_bounds")
    lines, one = capture.lines(), capture.rounds[number - 1]
    t_ns = needed_ns(lines, number, reason, one.by_ns - made.LATE_NS, 0, 0)
    assert one.after_ns < t_ns <= one.by_ns - made.LATE_NS
    for end_ns, given in ((t_ns, True), (t_ns - 1, False)):
        left = [line for line in lines if not line.startswith("edge ") or time_of(line) <= end_ns]
        assert (void_of(left, number) == reason) == given
