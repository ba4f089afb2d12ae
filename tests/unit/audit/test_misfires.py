"""The misfire table counts refusals by cause and hour, and by dealer only with the house's own list."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from audit.misfires import CLEAR, Misfire, PlayedRound, PlayedRounds, misfires, trend
from audit.shifts import ShiftsError, by_dealer, read_shifts
from feed.events import DeviceFault, Evidence, Outcome, Unresolved, Void

HOUR_NS = 3600 * 10**9
TABLES = ("r-1", "r-2")
SHIFTS = """[[shift]]
dealer = "d17"
since = 1970-01-01T00:00:00Z
until = 1970-01-01T02:00:00Z
[[shift]]
dealer = "d4"
table = "r-2"
since = 1970-01-01T02:00:00Z
until = 1970-01-01T04:00:00Z
"""


def rounds_of(story: str, table: str = "r-1") -> list[PlayedRound]:
    """Rounds of a quarter of an hour: `.` has a result, `d` a wrong direction, `n` no number."""
    causes = {".": "", "d": "void: ball_direction", "n": "unresolved: no_number_read"}
    return [PlayedRound(table, at + 1, at * HOUR_NS // 4, causes[one]) for at, one in enumerate(story)]


def hour(time_ns: int) -> str:
    return f"{time_ns // HOUR_NS}:00"


def test_causes_are_counted_by_hour_with_what_the_next_round_made_good() -> None:
    assert misfires([rounds_of("..dd.n..d"), rounds_of("n.", "r-2")], hour) == [
        Misfire("r-1", "void: ball_direction", "", 3, 9, 2, 1, {"0:00": 2, "2:00": 1}, 0),
        Misfire("r-1", "unresolved: no_number_read", "", 1, 9, 1, 1, {"1:00": 1}, 0),
        Misfire("r-2", "unresolved: no_number_read", "", 1, 2, 1, 1, {"0:00": 1}, 0),
    ]
    assert misfires([], hour) == []
    assert misfires([rounds_of("....")], hour) == []


@pytest.mark.parametrize(
    ("story", "found"),
    [("." * 30 + "d." * 6 + "d" * 4, 1), ("ddd.d.d.dd" + "." * 30, -1), (".d" * 20, 0), ("d" * 9, 0)],
)
def test_the_trend_is_named_where_refusals_are_late_or_early_as_a_whole(story: str, found: int) -> None:
    (row,) = misfires([rounds_of(story)], hour)
    assert row.trend == found


def test_a_trend_is_named_by_its_chance_over_all_rows() -> None:
    """One of p 0.004 by itself: named alone, and not where two other causes were looked at too."""
    late = rounds_of("." * 20 + "d.d.dd")
    assert [one.trend for one in misfires([late], hour)] == [1]
    others = rounds_of("n..d..n...d.", "r-2")
    assert [one.trend for one in misfires([late, others], hour)] == [0, 0, 0]


def test_a_sum_counts_by_half_a_place_less_since_sums_are_whole_numbers() -> None:
    assert [trend([0, 1, 2, last], 20)[1] < CLEAR for last in (7, 8)] == [True, False]


def test_chance_names_a_trend_about_as_seldom_as_stated() -> None:
    """Over every order of five refused rounds in twenty."""
    named = fmean(trend(places, 20)[1] < CLEAR for places in combinations(range(20), 5))
    assert CLEAR / 3 < named < CLEAR


def seen(kind: Any, at: int, **fields: Any) -> Any:
    about = {"rule": "ours", "evidence": Evidence()} if kind in (Outcome, Void, Unresolved) else {}
    return kind(table="r-1", game="roulette", simulated=False, mono_ns=at * HOUR_NS, round=at, **about, **fields)


def test_a_fault_names_the_device_and_a_round_that_the_end_of_the_service_left_is_none() -> None:
    table = PlayedRounds()
    for data in (
        seen(DeviceFault, 1, device="wheel", fault="sensor_missing", detail="ball_2", blocks_play=True),
        seen(Unresolved, 1, reason="sensor_missing", candidates=[]),
        seen(DeviceFault, 2, device="display", fault="lamps_failed", detail="", blocks_play=False),
        seen(Void, 2, call="No spin", reason="ball_direction"),
        seen(Outcome, 3, result={}, winning=[]),
        seen(Void, 4, call="No spin", reason="service_stopped"),
    ):
        table.take(data, data.mono_ns)
    played = table.rounds("r-1")
    assert [(one.number, one.refused, one.device) for one in played] == [
        (1, "unresolved: sensor_missing", "wheel"),
        (2, "void: ball_direction", ""),
        (3, "", ""),
    ]
    assert [(one.cause, one.device, one.times) for one in misfires([played], hour)] == [
        ("unresolved: sensor_missing", "wheel", 1),
        ("void: ball_direction", "", 1),
    ]


def private(folder: Path, text: str) -> Path:
    path = folder / "shifts.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    return path


def test_rounds_are_counted_by_dealer_where_the_house_lists_its_shifts(tmp_path: Path) -> None:
    shifts = read_shifts(private(tmp_path, SHIFTS), TABLES)
    played = [*rounds_of("d.......dd"), *rounds_of("........n.n.", "r-2")]
    found = by_dealer(played, shifts)
    assert [(one.dealer, len(one.played), one.refused, one.causes) for one in found] == [
        ("d17", 16, 1, {"void: ball_direction": 1}),
        ("d4", 4, 2, {"unresolved: no_number_read": 2}),
    ]
    assert all(one in played for line in found for one in line.played)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "it has no shift; write [[shift]]"),
        ("shift = 3", "it has no shift; write [[shift]]"),
        ("[[shifts]]", "unknown key shifts; write [[shift]]"),
        ("[[shift]", "is not TOML"),
        (SHIFTS + "[[shift]]\n", "shift 3: Object missing required field `dealer`"),
        (SHIFTS.replace('"d4"', '"Ann Smith"'), "shift 2: Expected `str` matching regex"),
        (SHIFTS.replace('table = "r-2"', "tabel = 1"), "shift 2: Object contains unknown field `tabel`"),
        (SHIFTS.replace("02:00:00Z", "02:00:00"), "shift 1: until has no zone; write 1970-01-01T02:00:00-04:00"),
        (SHIFTS.replace("04:00:00Z", "01:00:00Z"), "shift 2: until is not after since; exchange them"),
        (SHIFTS.replace('"r-2"', '"r2"'), "shift 2: the journal has no table r2; write one of: r-1, r-2"),
        (
            SHIFTS.replace(
                "1970-01-01T02:00:00Z\nuntil = 1970-01-01T04", "1970-01-01T01:59:00Z\nuntil = 1970-01-01T04"
            ),
            "shift 2: from 1970-01-01T01:59:00+00:00 shift 1 has the table too; end the one when the other begins",
        ),
    ],
)
def test_a_wrong_list_is_refused_with_file_entry_and_fix(text: str, wrong: str, tmp_path: Path) -> None:
    path = private(tmp_path, text)
    with pytest.raises(ShiftsError) as refused:
        read_shifts(path, TABLES)
    assert str(refused.value).startswith(f"{path}: {wrong}")


def test_a_list_that_others_may_read_or_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = private(tmp_path, SHIFTS)
    path.chmod(0o640)
    with pytest.raises(ShiftsError, match=r"mode 0640 lets others read who dealt; run chmod 600"):
        read_shifts(path, TABLES)
    with pytest.raises(ShiftsError, match="cannot be read"):
        read_shifts(tmp_path / "none.toml", TABLES)
