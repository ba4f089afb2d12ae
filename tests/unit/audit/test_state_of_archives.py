"""The state with which a file goes on, compared with the one that its archive proves."""

from __future__ import annotations

from msgspec.structs import replace

from audit.continuing import other_values
from feed.state import ProgressiveState, Snapshot

PROVEN = Snapshot(
    table="stud-1",
    epoch="e1",
    last=9,
    course={"meter_cents": 1_000_140},
    progressive=ProgressiveState(meter_cents=1_000_140),
)


def test_the_same_state_is_no_break() -> None:
    assert other_values(PROVEN, PROVEN) == ""


def test_a_state_that_an_older_version_wrote_has_no_meter_of_its_own_and_is_no_break() -> None:
    assert other_values(replace(PROVEN, progressive=None), PROVEN) == ""


def test_another_meter_is_named_with_the_one_that_is_proven() -> None:
    other = replace(PROVEN, progressive=ProgressiveState(meter_cents=1), course={"meter_cents": 1})
    assert other_values(other, PROVEN) == (
        'course is {"meter_cents":1}, proven is {"meter_cents":1000140}; '
        'progressive is {"meter_cents":1}, proven is {"meter_cents":1000140}'
    )
