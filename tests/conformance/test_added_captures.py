"""The captures that the conformance suite has had since version 1.1 are as they were made."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.conformance.captures import suite
from tests.conformance import added, made


@pytest.mark.parametrize("name", added.TURNED)
def test_a_capture_of_a_wheel_that_a_hand_turns_is_as_it_was_made(name: str) -> None:
    capture, lines = added.made_again(name)
    kept = next(one for one in suite().captures if one.name == name)
    assert kept.lines() == lines
    assert kept == capture


def test_a_capture_that_the_suite_has_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "FOLDER", tmp_path)
    made.add("1.0", [(one, []) for one in suite().captures])
    assert list(tmp_path.iterdir()) == []
