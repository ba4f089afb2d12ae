"""Mishaps of boards and links while a table plays: outputs safe on the pins, no false outcome, and back to play."""

from __future__ import annotations

import re
import secrets
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import example as also
from hypothesis import strategies as st
from msgspec import structs

from controller.live.board_watch import BOARD_LOST
from feed import events
from hal.board import identity as identity_check
from hal.board.messages import DEADMAN_MS, KINDS, PROTOCOL, WatchCommand
from simulators.board.link_faults import ByteFaults, LinkFault, PlannedLinkFault
from simulators.board.lockstep import LockStep
from tests.firmware.command_log import check_pins, failed
from tests.firmware.emulated import MS, S
from tests.firmware.live_evening import TableEvening, example, simulated
from tests.firmware.noisy_session import ONE_IN_1000, BusyTable, compare, rounds_of
from tests.firmware.table_on_boards import Conditions
from tests.firmware.table_on_pins import TableOnPins
from tests.firmware.test_tables_on_board import wrong_outcomes
from tests.tables.bench import VERDICTS, EventList

MONEY, ROULETTE = "money_wheel_board", "roulette_board"
BEFORE_REST_NS = {MONEY: 9 * S, ROULETTE: 4 * S}
"""This long before the wheel or the ball rests it turns or runs, with the lamp lit."""
BACK_WITHIN_NS = 8 * S
"""From a mishap's end until the board is up again (ours): its boot, the silence before a session, the clock."""
LAMP = {MONEY: "wheel", ROULETTE: "desk"}
"""The board that has the lamp, on B0."""


@pytest.fixture(autouse=True)
def same_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions have random numbers; here the same ones in every run."""
    monkeypatch.setattr(secrets, "randbits", Random(1).getrandbits)


def evening_of(name: str, rounds: int = 2, seed: int = 1) -> TableEvening:
    return simulated(example(name), [None] * rounds, seed)


def mid_spin_ns(name: str, evening: TableEvening, number: int = 0) -> int:
    rest_ns = evening.truths[number].rest_ns
    assert rest_ns is not None
    return rest_ns - BEFORE_REST_NS[name]


def played(
    name: str, folder: Path, happen: Callable[[LockStep], object], *, board: str = "wheel", supervised: bool = True
) -> BusyTable:
    """An evening in whose first spin something happens to a board."""
    evening = evening_of(name)
    table = BusyTable(example(name), folder, evening, supervised=supervised)
    table.run(script=lambda: table.at(mid_spin_ns(name, evening), lambda: happen(table.steps[board])))
    return table


def check_lived_through(table: BusyTable, name: str) -> None:
    """No false outcome, the last round is decided, and the pins did what the host was told."""
    assert wrong_outcomes(table) == []
    compare(table, TableOnPins(example(name), table.evening).run())
    last = [event.data for event in table.said if isinstance(event.data, VERDICTS)][-1]
    assert isinstance(last, events.Outcome), "it plays again without a restart"
    assert last.mono_ns > table.evening.batches[-2].until_ns
    table.check_commands()


def check_lost(table: BusyTable, device: str, why: str, log: str) -> events.DeviceFault:
    """The first fault is that the board is lost, and why; the round is not decided."""
    lost = table.said.of(events.DeviceFault)[0]
    assert (lost.device, lost.fault) == (device, BOARD_LOST)
    assert re.search(why, lost.detail), lost.detail
    assert re.search(why, log)
    first = next(event.data for event in table.said if isinstance(event.data, VERDICTS))
    assert isinstance(first, events.Void | events.Unresolved)
    assert lost.mono_ns - S < first.mono_ns < lost.mono_ns + S
    return lost


# --- the dead-man ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frozen_ms", [700, pytest.param(3_000, marks=pytest.mark.soak)])
def test_when_the_host_freezes_every_output_is_safe_on_its_pin_after_half_a_second(
    tmp_path: Path, frozen_ms: int
) -> None:
    table = played(MONEY, tmp_path, lambda step: step.freeze_host(frozen_ms * MS))
    frozen_ns = mid_spin_ns(MONEY, table.evening)
    changes = [change for change in table.changes["wheel"] if change.pin in KINDS["wheel"].output_pins]
    levels = {change.pin: change.level for change in changes if change.t_ns <= frozen_ns}
    lit = {pin for pin, level in levels.items() if level}
    assert "B0" in lit, "the lamp of the call was on"
    safe = [change for change in changes if frozen_ns < change.t_ns <= frozen_ns + frozen_ms * MS]
    assert {change.pin for change in safe} == lit
    assert all(change.level == 0.0 for change in safe)
    # The last frame came a little before, and what is late by a round of the board's main loop is late by that.
    assert all(frozen_ns + (DEADMAN_MS - 110) * MS < change.t_ns < frozen_ns + (DEADMAN_MS + 1) * MS for change in safe)
    again = next(change for change in changes if change.pin == "B0" and change.t_ns > safe[-1].t_ns)
    assert again.level, "bets are still closed"
    assert 0 < again.t_ns - (frozen_ns + frozen_ms * MS) < S
    assert any(change.pin == "B0" and change.level for change in changes if change.t_ns > next_call_ns(table))
    assert wrong_outcomes(table) == []
    assert table.check_commands().made_safe <= 1
    assert rounds_of(table.said, table.evening)[-1] == rounds_of(on_pins(MONEY, table.evening), table.evening)[-1]


def next_call_ns(table: BusyTable) -> int:
    """When bets were next called off after the first round."""
    return next(
        data.mono_ns for data in table.said.of(events.NoMoreBets) if data.mono_ns > table.evening.batches[1].until_ns
    )


def on_pins(name: str, evening: TableEvening) -> EventList:
    return TableOnPins(example(name), evening).run()


# --- boards that begin again -----------------------------------------------------------------------------------------


def power_cut(step: LockStep) -> None:
    step.plan([PlannedLinkFault(now_of(step), LinkFault.POWER, 400 * MS)])


def unplugged(step: LockStep) -> None:
    step.plan([PlannedLinkFault(now_of(step), LinkFault.CABLE, 2 * S)])


def now_of(step: LockStep) -> int:
    return step.board.now_ns + 1 * MS


ANEW: dict[str, tuple[Callable[[LockStep], object], str]] = {
    "hung": (LockStep.hang_board, "it was reset: its watchdog: its program hung"),
    "reset": (LockStep.reset_board, "it was reset: its reset button, or the opening of its port"),
    "power cut": (power_cut, "it was reset: its power came on|no answer to .* for 1000 ms"),
    "unplugged": (unplugged, "its port is down: .*check its cable"),
}


def goes_in_mid_spin(folder: Path, name: str, board: str, what: str, log: pytest.LogCaptureFixture) -> BusyTable:
    """A board goes in the first spin: the round is undecided, the reason is told, and the table plays again."""
    happen, why = ANEW[what]
    table = played(name, folder, happen, board=board)
    lost = check_lost(table, f"board.{board}", why, log.text)
    assert lost.mono_ns < mid_spin_ns(name, table.evening) + 2 * S
    check_lived_through(table, name)
    return table


@pytest.mark.parametrize(
    ("name", "board", "what"),
    [
        # Every kind of mishap comes in the test of one after the other, too.
        *(pytest.param(MONEY, "wheel", what, marks=pytest.mark.soak) for what in ANEW if what != "hung"),
        *(pytest.param(ROULETTE, board, what, marks=pytest.mark.soak) for board in ("wheel", "desk") for what in ANEW),
    ],
)
def test_a_board_that_goes_in_mid_spin_leaves_the_round_undecided_says_why_and_plays_again(
    tmp_path: Path, name: str, board: str, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    goes_in_mid_spin(tmp_path, name, board, what, caplog)


def test_a_board_that_hangs_in_mid_spin_has_its_outputs_safe_within_half_a_second_and_plays_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = goes_in_mid_spin(tmp_path, MONEY, "wheel", "hung", caplog)
    hung_ns = mid_spin_ns(MONEY, table.evening)
    changes = [change for change in table.changes["wheel"] if change.pin == "B0"]
    dark = next(change for change in changes if change.t_ns > hung_ns)
    assert not dark.level
    assert dark.t_ns - hung_ns < DEADMAN_MS * MS


def test_a_board_that_was_unplugged_plays_again_when_a_supervisor_has_cleared_it_and_not_before(tmp_path: Path) -> None:
    evening = evening_of(MONEY)
    table = BusyTable(example(MONEY), tmp_path, evening, supervised=False)
    pulled_ns = mid_spin_ns(MONEY, evening)
    cleared_ns = pulled_ns + 2 * S + BACK_WITHIN_NS

    def script() -> None:
        table.steps["wheel"].plan([PlannedLinkFault(pulled_ns, LinkFault.CABLE, 2 * S)])
        table.at(pulled_ns + S, lambda: table.clear("board.wheel", "wheel", "dealer"))
        table.at(cleared_ns, lambda: table.clear("board.wheel", "wheel", "dealer"))

    said = table.run(script=script)
    told = [data.mono_ns for data in said.of(events.DeviceCleared)]
    assert len(told) >= 2
    assert all(cleared_ns <= t_ns < cleared_ns + S for t_ns in told), "what is wrong still cannot be cleared"
    opened = [data.mono_ns for data in said.of(events.RoundOpened)]
    assert [t_ns for t_ns in opened if pulled_ns < t_ns < cleared_ns] == []
    assert opened[-1] > cleared_ns
    check_lived_through(table, MONEY)


# --- bytes that come late, or twice ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param(ByteFaults(delayed=ONE_IN_1000), id="delayed", marks=pytest.mark.soak),
        pytest.param(ByteFaults(repeated=ONE_IN_1000), id="repeated", marks=pytest.mark.soak),
        pytest.param(ByteFaults(delayed=0.01), id="often delayed", marks=pytest.mark.soak),
        # Commands over such a link are among the quick tests of `test_noisy_session`.
        pytest.param(
            ByteFaults(repeated=ONE_IN_1000, delayed=0.01), id="repeated and often delayed", marks=pytest.mark.soak
        ),
    ],
)
def test_bytes_that_come_late_or_twice_change_no_verdict_and_repeat_no_command(
    tmp_path: Path, faults: ByteFaults
) -> None:
    evening = evening_of(MONEY, 2)
    table = BusyTable(example(MONEY), tmp_path, evening, Conditions(to_board=faults, to_host=faults, seed=3))
    table.run()
    assert compare(table, on_pins(MONEY, evening)) == {"same": 2}
    assert failed(table.logs["wheel"].log) == []
    followed = check_pins(table.logs["wheel"].log, table.changes["wheel"], KINDS["wheel"])
    assert followed.changed > 150
    assert followed.made_safe == 0


# --- boards that are not the ones that are wanted -------------------------------------------------------------------

FLASH = "flash its firmware with: feltwire boards flash wheel PORT"


def newer_hosts_only(patch: pytest.MonkeyPatch) -> None:
    """This software is as old as the first, and the board works with later ones only."""
    patch.setattr(identity_check, "PROTOCOL", 0)


def newer_boards_only(patch: pytest.MonkeyPatch) -> None:
    """This software works with later boards only."""
    kinds = {name: structs.replace(kind, oldest=99) for name, kind in KINDS.items()}
    patch.setattr(identity_check, "KINDS", kinds)


@pytest.mark.parametrize(
    ("differs", "kind", "words"),
    [
        (None, "pusher", ["expected a board of kind 'wheel', found kind 'pusher'", "feltwire boards flash wheel PORT"]),
        (newer_hosts_only, None, [f"found protocol {PROTOCOL}, which works with hosts of protocol 1 and later", FLASH]),
        (newer_boards_only, None, [f"found protocol {PROTOCOL}", FLASH]),
    ],
    ids=["kind", "newer hosts", "newer boards"],
)
def test_a_board_that_is_not_the_one_that_is_wanted_is_refused_with_both_names_and_the_fix(
    tmp_path: Path,
    differs: Callable[[pytest.MonkeyPatch], None] | None,
    kind: str | None,
    words: Sequence[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if differs is not None:
        differs(monkeypatch)
    evening = evening_of(MONEY, 1)
    table = BusyTable(example(MONEY), tmp_path, evening, Conditions(kind=kind))
    said = table.run(10 * S)
    lost = said.of(events.DeviceFault)[0]
    assert (lost.device, lost.fault) == ("board.wheel", BOARD_LOST)
    for word in words:
        assert word in lost.detail
        assert word in caplog.text
    assert said.of(events.NoMoreBets) == []
    assert said.of(events.Outcome) == []
    assert table.logs["wheel"].log == [] or not any(
        isinstance(told.command, WatchCommand) for told in table.logs["wheel"].log
    )
    assert not any(change.level for change in table.changes["wheel"] if change.pin == "B0")


def test_a_board_that_was_refused_plays_when_it_was_flashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer_hosts_only(monkeypatch)
    evening = evening_of(MONEY, 2)
    table = BusyTable(example(MONEY), tmp_path, evening)
    put_right = evening.batches[1].until_ns - 12 * S
    table.run(script=lambda: table.at(put_right, lambda: monkeypatch.setattr(identity_check, "PROTOCOL", PROTOCOL)))
    check_lived_through(table, MONEY)


# --- any sequence of mishaps ----------------------------------------------------------------------------------------

ROUNDS = 4
HIT_ROUNDS = 2
"""In this many of the rounds there are mishaps; the next may be spoilt by what they left; the last must be decided."""


def live_through(plan: Sequence[PlannedLinkFault], name: str = MONEY, board: str = "wheel", seed: int = 1) -> BusyTable:
    """Plays an evening with mishaps; nothing false, and back to play."""
    evening = evening_of(name, ROUNDS, seed)
    with tempfile.TemporaryDirectory() as folder:
        table = BusyTable(example(name), Path(folder), evening)
        table.run(script=lambda: table.steps[board].plan(plan))
    check_lived_through(table, name)
    return table


def planned(steps: Sequence[tuple[LinkFault, int, int]], until_ns: int) -> list[PlannedLinkFault]:
    """Mishaps one after the other: (kind, milliseconds since the last one's end, milliseconds that it lasts)."""
    plan: list[PlannedLinkFault] = []
    t_ns = 0
    for kind, gap_ms, lasts_ms in steps:
        t_ns += gap_ms * MS
        if t_ns + lasts_ms * MS >= until_ns:
            break
        plan.append(PlannedLinkFault(t_ns, kind, lasts_ms * MS))
        t_ns += lasts_ms * MS
    return plan


END_NS = evening_of(MONEY, ROUNDS).batches[HIT_ROUNDS].until_ns
STEPS: Any = st.lists(
    st.tuples(st.sampled_from(LinkFault), st.integers(1, 15_000), st.integers(1, 3_000)), min_size=1, max_size=8
)
EACH = [(kind, 6_000, 900) for kind in LinkFault]


@pytest.mark.soak
def test_one_mishap_after_the_other_gives_no_false_outcome_and_the_table_plays_again() -> None:
    table = live_through(planned(EACH, END_NS))
    assert len(table.said.of(events.DeviceFault)) >= 5


@pytest.mark.soak
@pytest.mark.timeout(7_200)
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=STEPS)
@also(steps=[(LinkFault.HANG, 15_000, 1), (LinkFault.HANG, 300, 1), (LinkFault.CABLE, 1, 1)])
def test_no_sequence_of_mishaps_gives_a_false_outcome_and_the_table_always_plays_again(
    steps: list[tuple[LinkFault, int, int]],
) -> None:
    live_through(planned(steps, END_NS))
