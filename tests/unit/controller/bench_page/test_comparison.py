"""Two captures, compared: every difference over the tolerance, none below it, and a bounded list."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.bench_page.comparison import (
    MOST_ALIGNED,
    MOST_LISTED,
    SPANS,
    VERDICTS,
    CaptureContent,
    Tolerance,
    VerdictAt,
    compare,
)
from controller.bench_page.replayed import replay_capture
from hal.values import Batch, Edge, Frame, Reading
from tests.fakes.bench import MONEY_WHEEL, captured, config_of

MS = 1_000_000
S = 1_000_000_000
TOLERANCE = Tolerance(time_ns=MS, value=0.1)


def recorded(values: Iterable[Edge | Frame | Reading], sealed: Iterable[str] = ()) -> CaptureContent:
    record = CaptureContent(sealed)
    both = list(values)
    edges = [one for one in both if isinstance(one, Edge)]
    rare = [one for one in both if not isinstance(one, Edge)]
    record.take(Batch(edges, list(rare), 10 * S), [], 0)
    return record


def pulses(times_ms: Iterable[float], width_ms: float = 5) -> list[Edge]:
    edges = [Edge("a", 0, 0)]
    for at_ms in times_ms:
        edges += [Edge("a", 1, round(at_ms * MS)), Edge("a", 0, round((at_ms + width_ms) * MS))]
    return edges


def of_file(path: Path, fault: str, drop: int | None = None) -> CaptureContent:
    config = config_of(MONEY_WHEEL)
    record = CaptureContent()
    replay_capture(config, captured(config, path, fault, drop=drop), path.name, record)
    return record


def test_equal_captures_have_no_difference_at_no_tolerance(tmp_path: Path) -> None:
    one, other = of_file(tmp_path / "1.vcd", "none"), of_file(tmp_path / "2.vcd", "none")
    assert one.verdicts
    found = compare(one, other, Tolerance(0, 0.0))
    assert (found.total, found.listed, found.spans, found.only_first, found.only_second) == (0, [], {}, [], [])


def test_a_capture_that_lacks_an_edge_differs_there_and_nowhere_else(tmp_path: Path) -> None:
    one, other = of_file(tmp_path / "1.vcd", "none"), of_file(tmp_path / "2.vcd", "none", drop=5)
    found = compare(one, other, TOLERANCE)
    listed = [(diff.what, diff.line, diff.first_ns, diff.second_ns) for diff in found.listed]
    assert ("edge", "wheel_index", one.edges["wheel_index"].times[4], None) in listed
    assert {diff.line for diff in found.listed} <= {"wheel_index", VERDICTS}


def test_captures_of_other_rounds_differ_in_their_verdict(tmp_path: Path) -> None:
    found = compare(of_file(tmp_path / "1.vcd", "none"), of_file(tmp_path / "2.vcd", "short_spin"))
    (verdict,) = [diff for diff in found.listed if diff.what == "verdict"]
    assert verdict.first.startswith("OUTCOME")
    assert "wheel_revolutions" in verdict.second
    assert found.counts[VERDICTS] == 1


@pytest.mark.parametrize(("by_ms", "moved"), [(0.0, False), (1.0, False), (-1.0, False), (1.1, True), (-3.0, True)])
def test_an_edge_that_moved_is_a_difference_beyond_the_tolerance(by_ms: float, moved: bool) -> None:
    first, second = pulses([100, 300, 500]), pulses([100, 300, 500])
    second[3] = Edge("a", 1, round((300 + by_ms) * MS))
    found = compare(recorded(first), recorded(second), TOLERANCE)
    expected = [("edge", 300 * MS, round((300 + by_ms) * MS), "1")] if moved else []
    assert [(diff.what, diff.first_ns, diff.second_ns, diff.first) for diff in found.listed] == expected


def test_a_pulse_that_one_capture_lacks_leaves_those_beside_it_the_same() -> None:
    found = compare(recorded(pulses([100, 110, 120, 130])), recorded(pulses([100, 120, 130])), TOLERANCE)
    assert [(diff.first_ns, diff.second_ns) for diff in found.listed] == [(110 * MS, None), (115 * MS, None)]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["same", "near", "moved", "first", "second"]), st.integers(200, 400)), max_size=12
    ),
    st.integers(-2 * S, 2 * S),
)
def test_every_difference_is_found_and_nothing_else(story: list[tuple[str, int]], shift_ns: int) -> None:
    first, second, expected, at_ms = list[float](), list[float](), 0, 3000.0
    for what, apart_ms in story:
        at_ms += apart_ms
        if what != "second":
            first.append(at_ms)
        if what != "first":
            second.append(at_ms + {"near": 0.9, "moved": 4.0}.get(what, 0.0))
        expected += 0 if what in ("same", "near") else 2
    later = [edge if edge.t_ns == 0 else edge._replace(t_ns=edge.t_ns - shift_ns) for edge in pulses(second)]
    found = compare(recorded(pulses(first)), recorded(later), TOLERANCE, shift_ns)
    assert found.total == len(found.listed) == expected
    assert sum(count for _, _, count in found.spans.get("a", [])) == expected
    assert [diff.at_ns for diff in found.listed] == sorted(diff.at_ns for diff in found.listed)
    swapped = compare(recorded(later), recorded(pulses(first)), TOLERANCE, -shift_ns)
    assert swapped.total == expected


def test_a_level_at_the_beginning_is_compared_as_a_level() -> None:
    found = compare(recorded([Edge("a", 1, 0)]), recorded([Edge("a", 0, 0)]), TOLERANCE)
    assert [(diff.what, diff.first, diff.second) for diff in found.listed] == [("level", "1", "0")]


def test_readings_that_differ_one_after_another_are_one_difference_with_their_number() -> None:
    def level(values: list[float]) -> CaptureContent:
        return recorded([Reading("level_x", value, (k + 1) * 100 * MS) for k, value in enumerate(values)])

    found = compare(level([0.0, 0.0, 0.0, 0.0, 0.0]), level([0.05, 0.0, 0.5, 0.4, 0.0]), TOLERANCE)
    (diff,) = found.listed
    assert (diff.what, diff.first, diff.second, diff.at_ns, diff.until_ns) == (
        *("reading", "0", "0.5"),
        *(300 * MS, 400 * MS),
    )
    assert (diff.count, found.total, found.more) == (2, 2, 0)
    assert compare(level([0.0, 0.0]), level([0.5, 0.0]), Tolerance(MS, 0.5)).total == 0


@pytest.mark.parametrize("late_ns", [0, MS, -MS])
def test_a_reading_that_both_have_within_the_tolerance_is_one_difference(late_ns: int) -> None:
    first = recorded(Reading("level_x", 0.0, k * 100 * MS) for k in range(1, 4))
    second = recorded(Reading("level_x", 2.0, k * 100 * MS + late_ns) for k in range(1, 4))
    for found in (compare(first, second, TOLERANCE), compare(second, first, TOLERANCE)):
        (diff,) = found.listed
        assert (diff.count, found.total) == (3, 3)


HELD = st.dictionaries(st.integers(1, 30), st.integers(0, 3).map(float), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@given(HELD, HELD, st.sampled_from([0, 1, 35]), st.integers(-5, 5))
def test_readings_differ_where_the_other_line_had_no_such_value_near_their_time(
    first: dict[int, float], second: dict[int, float], near_ms: int, shift: int
) -> None:
    def off(at: int, value: float, others: dict[int, float]) -> bool:
        before = [one for one in others if one * 10 < at * 10 - near_ms]
        held = [others[one] for one in others if abs(one - at) * 10 <= near_ms]
        held += [others[max(before)]] if before else []
        return bool(held) and not min(held) - 1 <= value <= max(held) + 1

    def line(values: dict[int, float], shift: int = 0) -> CaptureContent:
        return recorded(Reading("level_x", values[at], (at + shift) * 10 * MS) for at in sorted(values))

    differing = {at for at, value in first.items() if off(at, value, second)}
    differing |= {at for at, value in second.items() if off(at, value, first)}
    found = compare(line(first), line(second, -shift), Tolerance(near_ms * MS, 1.0), shift * 10 * MS)
    if near_ms < 10:
        assert found.total == len(differing)
    assert (found.total > 0) == bool(differing)


class Counted(array):  # type: ignore[type-arg]  # it takes no argument in Python 3.11
    """Values, and how many of them were read."""

    read = 0

    def __getitem__(self, at: Any) -> Any:
        self.read += len(range(*at.indices(len(self)))) if isinstance(at, slice) else 1
        return super().__getitem__(at)


def test_a_great_tolerance_reads_no_value_more_often() -> None:
    read = []
    for time_ns in (MS, S):
        both = [recorded(Reading("level_x", float(k % 7), k * MS) for k in range(2000)) for _ in range(2)]
        values = [Counted("d", one.readings["level_x"].values) for one in both]
        for one, counted in zip(both, values, strict=True):
            one.readings["level_x"] = one.readings["level_x"]._replace(values=counted)
        assert compare(both[0], both[1], Tolerance(time_ns, 0.1)).total == 0
        read.append(sum(one.read for one in values))
    assert read[1] <= 2 * read[0]


def test_a_spike_that_one_capture_alone_has_between_two_readings_is_found() -> None:
    slow = recorded([Reading("level_x", 0.0, k * 1000 * MS) for k in range(4)])
    values = [Reading("level_x", 3.0 if k == 7 else 0.0, k * 100 * MS) for k in range(30)]
    for found in (compare(slow, recorded(values), TOLERANCE), compare(recorded(values), slow, TOLERANCE)):
        assert [diff.at_ns for diff in found.listed] == [700 * MS]


def test_frames_are_compared_by_their_bytes_and_those_of_a_sealed_link_are_not_shown() -> None:
    first = [Frame("shoe", b"AS", 100 * MS), Frame("shoe", b"KH", 300 * MS), Frame("shoe", b"2C", 900 * MS)]
    second = [Frame("shoe", b"AS", 100 * MS), Frame("shoe", b"QH", 300 * MS), Frame("shoe", b"2C", 904 * MS)]
    found = compare(recorded(first), recorded(second), TOLERANCE)
    assert [(diff.first, diff.second) for diff in found.listed] == [("KH", "QH"), ("2C", "2C")]
    sealed = compare(recorded(first, ["shoe"]), recorded(second, ["shoe"]), TOLERANCE)
    assert {(diff.first, diff.second) for diff in sealed.listed} == {("sealed", "sealed")}
    assert b"KH" not in msgspec.json.encode(sealed)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([b"same", b"same", b"other"]), min_size=1, max_size=20),
    st.sets(st.integers(0, 19)),
    st.integers(-900, 900),
)
def test_lost_frames_leave_those_after_them_the_same(sent: list[bytes], lost: set[int], late_us: int) -> None:
    all_of_them = [Frame("shoe", data, (k + 1) * 20 * MS) for k, data in enumerate(sent)]
    lost &= set(range(1, len(sent)))
    rest = [one._replace(t_ns=one.t_ns + late_us * 1000) for k, one in enumerate(all_of_them) if k not in lost]
    expected = [(all_of_them[k].t_ns, None) for k in sorted(lost)]
    found = compare(recorded(all_of_them), recorded(rest), TOLERANCE)
    assert [(diff.first_ns, diff.second_ns) for diff in found.listed] == expected
    swapped = compare(recorded(rest), recorded(all_of_them), TOLERANCE)
    assert [(diff.second_ns, diff.first_ns) for diff in swapped.listed] == expected


def test_a_lost_frame_leaves_those_after_it_the_same_at_a_tolerance_beyond_their_distance() -> None:
    sent = [Frame("shoe", b"%d" % k, (k + 1) * 20 * MS) for k in range(6)]
    for found in (
        compare(recorded(sent), recorded(sent[:2] + sent[3:]), Tolerance(30 * MS)),
        compare(recorded(sent[:2] + sent[3:]), recorded(sent), Tolerance(30 * MS)),
    ):
        assert [{diff.first, diff.second} for diff in found.listed] == [{"2", ""}]


def test_a_round_that_one_capture_lacks_does_not_shift_the_verdicts_after_it() -> None:
    one, other = CaptureContent(), CaptureContent()
    one.verdicts = [VerdictAt(k * S, f"{k}", f"OUTCOME {k}") for k in range(1, 6)]
    other.verdicts = [verdict for verdict in one.verdicts if verdict.same != "3"]
    found = compare(one, other, TOLERANCE)
    assert [(diff.first, diff.second) for diff in found.listed] == [("OUTCOME 3", "")]


def test_of_any_number_of_equal_rounds_one_that_is_lost_is_one_difference() -> None:
    one, other = CaptureContent(), CaptureContent()
    one.verdicts = [VerdictAt(k * S, "7", "OUTCOME 7") for k in range(1, MOST_ALIGNED + 50)]
    other.verdicts = [*one.verdicts[:30], *one.verdicts[31:]]
    found = compare(one, other, TOLERANCE)
    assert [(diff.first_ns, diff.second_ns) for diff in found.listed] == [(31 * S, None)]


def test_a_line_that_one_capture_alone_has_is_named() -> None:
    found = compare(recorded([*pulses([100]), Edge("b", 0, 0)]), recorded([Edge("c", 0, 0), *pulses([100])]), TOLERANCE)
    assert (found.total, found.only_first, found.only_second) == (0, ["b"], ["c"])


def test_of_very_many_differences_the_earliest_are_listed_and_all_are_counted_and_drawn() -> None:
    first = recorded(pulses(range(10, 60_010, 10)))
    second = recorded([Edge("a", 0, 0)])
    found = compare(first, second, TOLERANCE)
    assert (found.total, len(found.listed), found.more) == (12_000, MOST_LISTED, 12_000 - MOST_LISTED)
    assert found.listed[-1].at_ns == first.edges["a"].times[MOST_LISTED]
    spans = found.spans["a"]
    assert len(spans) <= SPANS
    assert sum(count for _, _, count in spans) == 12_000
    assert (spans[0][0], spans[-1][1]) == (10 * MS, first.edges["a"].times[-1])


def test_captures_that_began_at_other_times_are_laid_on_their_first_change() -> None:
    first, second = recorded(pulses([1000, 1200])), recorded(pulses([40, 240]))
    shift_ns = first.first_change_ns - second.first_change_ns
    assert shift_ns == 960 * MS
    assert compare(first, second, TOLERANCE, shift_ns).total == 0
