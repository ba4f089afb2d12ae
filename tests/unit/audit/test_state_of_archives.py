"""The state with which a file goes on, compared with the one that its archive proves."""

from __future__ import annotations

from msgspec.structs import replace

from audit.continuing import other_values
from feed.data import Verdict
from feed.state import Correction, ProgressiveState, RoundRecord, Snapshot

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


def test_a_state_that_an_older_version_wrote_has_no_epochs_and_one_that_has_some_is_compared() -> None:
    def state(verdict_epoch: str, correction_epoch: str) -> Snapshot:
        corrected = Correction(sequence=7, epoch=correction_epoch, by="ann", to=Verdict(verdict="void"))
        record = RoundRecord(round=1, verdict="void", sequence=5, epoch=verdict_epoch, time="", corrections=[corrected])
        return replace(PROVEN, rounds=[record])

    assert other_values(state("", ""), state("e1", "e1")) == ""
    assert other_values(state("", "e2"), state("", "e2")) == "", "corrected since an older version archived it"
    assert other_values(state("e1", "e2"), state("e1", "e1")).startswith("rounds is ")


def test_another_meter_is_named_with_the_one_that_is_proven() -> None:
    other = replace(PROVEN, progressive=ProgressiveState(meter_cents=1), course={"meter_cents": 1})
    assert other_values(other, PROVEN) == (
        'course is {"meter_cents":1}, proven is {"meter_cents":1000140}; '
        'progressive is {"meter_cents":1}, proven is {"meter_cents":1000140}'
    )
