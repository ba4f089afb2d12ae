"""The emulated board's time: exact to the cycle, the same each time, however it is cut into steps."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulators.board.emulated import START_UP_NS, EmulationError
from tests.firmware.emulated import CYCLE_NS, MS, Probe, S, built
from tests.firmware.inspected_board import InspectedBoard

LONGEST_STEP_BEYOND_NS = 3 * CYCLE_NS


def test_it_runs_to_the_time_asked_for_and_at_most_three_cycles_further() -> None:
    rng = Random(1)
    with Probe() as board:
        for _ in range(2_000):
            until_ns = board.now_ns + rng.randint(1, 3 * MS)
            board.run_until(until_ns)
            assert 0 <= board.now_ns - until_ns <= LONGEST_STEP_BEYOND_NS


def test_a_sleeping_core_stops_at_the_very_cycle_however_far_its_next_timer_is() -> None:
    with Probe() as board:
        for until_ns in range(2 * MS, 60 * MS, 1_000_000 - 625):
            board.run_until(until_ns)
            assert board.now_ns - until_ns < CYCLE_NS + 1


def test_running_to_the_past_does_nothing() -> None:
    with Probe() as board:
        cycle = board.cycle
        board.run_until(0)
        assert board.cycle == cycle


def evening(seed: int, step_ns: int | None) -> tuple[list[object], int]:
    """A life of all kinds of things, run in steps of one length, or of random ones."""
    rng = Random(seed)
    said: list[object] = []
    with Probe() as board:
        for number in range(30):
            now_ns = board.now_ns
            board.drive_many(
                [(f"D{rng.randint(2, 7)}", rng.randint(0, 1), now_ns + rng.randint(0, 5 * MS)) for _ in range(20)]
            )
            board.supply("C3", rng.random(), now_ns + rng.randint(0, 5 * MS))
            board.receive(rng.choice([b"p", b"a\x03", b"t", b"w\x00\x01\x07", b"d\x24\x3f", b"d\x25\x15", b"o\x02"]))
            if number % 10 == 9:
                rng.choice([board.reset, board.hang])()
            end_ns = (number + 1) * 20 * MS
            while step_ns and board.now_ns < end_ns - step_ns:
                board.run_until(board.now_ns + step_ns)
            board.run_until(end_ns)
            said += [board.take_sent(), board.take_changes(), board.resets]
        board.run_for(S)
        said += [board.take_sent(), board.eeprom]
        return said, board.cycle


@pytest.mark.parametrize("seed", range(3))
def test_the_same_life_gives_the_same_bytes_at_the_same_cycles(seed: int) -> None:
    assert evening(seed, None) == evening(seed, None)


@pytest.mark.parametrize("step_ns", [10_000, 62_500, 777_777])
def test_the_steps_in_which_it_runs_change_nothing(step_ns: int) -> None:
    said, _ = evening(7, None)
    assert evening(7, step_ns)[0] == said


@given(gaps_ns=st.lists(st.integers(30_000, 400_000), min_size=1, max_size=90))
@settings(max_examples=30)
def test_edges_come_at_their_cycles(gaps_ns: list[int]) -> None:
    with Probe() as board:
        times_ns = [board.now_ns + sum(gaps_ns[: i + 1]) for i in range(len(gaps_ns))]
        board.drive_many([("D2", (i + 1) % 2, t_ns) for i, t_ns in enumerate(times_ns)])
        board.run_until(times_ns[-1] + MS)
        seen = board.seen()
        assert [levels >> 2 & 1 for _, levels in seen] == [(i + 1) % 2 for i in range(len(times_ns))]
        for (early, late), (before, after) in zip(pairwise(times_ns), pairwise(seen), strict=True):
            measured_ns = ((after[0] - before[0]) % 65536) * 500
            assert abs(measured_ns - (late - early)) <= 1_500


def test_edges_planned_in_any_order_come_in_the_order_of_time() -> None:
    with Probe() as board:
        now_ns = board.now_ns
        board.drive("D3", 1, now_ns + 3 * MS)
        board.drive("D2", 1, now_ns + MS)
        board.drive("D2", 0, now_ns + 2 * MS)
        assert board.planned == 3
        board.run_for(5 * MS)
        assert [levels & 0xFC for _, levels in board.seen()] == [0b0100, 0b0000, 0b1000]
        assert board.planned == 0


def test_a_byte_from_the_board_pauses_it_if_wanted() -> None:
    with Probe() as board:
        board.receive(b"e!eXeY")
        board.run_until(S, pause_at=ord("X"))
        assert board.now_ns < 2 * MS
        assert board.told() == b"!X"
        board.run_until(S, pause_after=1)
        assert (board.told(), board.now_ns < 2 * MS) == (b"Y", True)
        board.run_until(S)
        assert board.now_ns >= S


def test_half_an_hour_of_sleep_is_soon_over_and_its_clock_wraps() -> None:
    with Probe() as board:
        board.run_until(2_200 * S)
        before = int.from_bytes(board.ask(b"t"), "big")
        board.run_for(12_345_000)
        after = int.from_bytes(board.ask(b"t"), "big")
        assert (after - before) % 65536 == pytest.approx((12_345_000 + 10 * MS) / 500 % 65536, abs=2)


@pytest.mark.parametrize("ppm", [-200, 50])
def test_a_board_whose_crystal_is_off_counts_another_number_of_ticks(ppm: int) -> None:
    with Probe(clock_hz=16_000_000 + 16 * ppm) as board:
        first = int.from_bytes(board.ask(b"t"), "big")
        board.run_for(1_000 * S - 10 * MS)
        second = int.from_bytes(board.ask(b"t"), "big")
        assert (second - first) % 65536 == pytest.approx(2_000_000_000 * (1 + ppm / 1e6) % 65536, abs=3)


def test_a_crystal_that_drifts_leaves_what_is_planned_at_its_time() -> None:
    with Probe() as board:
        t_ns = board.now_ns + 10 * S
        board.drive("D2", 1, t_ns)
        for hz in (16_003_000, 15_990_000, 16_000_016):
            board.set_clock_hz(hz)
            board.run_for(2 * S)
        board.run_until(t_ns - 1_000)
        assert board.planned == 1
        board.run_until(t_ns + 1_000)
        assert board.planned == 0


def test_it_starts_when_the_fuses_say() -> None:
    with InspectedBoard(built("probe.elf"), start_up_ns=START_UP_NS) as board:
        board.run_until(START_UP_NS)
        assert board.take_sent() == []
        board.run_until(START_UP_NS + MS)
        assert bytes(byte for _, byte in board.take_sent())[:1] == b"B"


def test_its_power_may_come_late() -> None:
    with InspectedBoard(built("probe.elf"), begins_ns=5 * S) as board:
        assert board.now_ns == 5 * S
        board.run_until(5 * S + MS)
        assert all(t_ns > 5 * S for t_ns, _ in board.take_sent())


def test_what_is_no_program_is_refused_by_name() -> None:
    with pytest.raises(EmulationError, match=r"no file .*nothing\.elf; build it"):
        InspectedBoard(built("probe.elf").with_name("nothing.elf"))
    with pytest.raises(EmulationError, match=r"cannot run .*test_emulated_time\.py: it is not a program for an AVR"):
        InspectedBoard(Path(__file__))


def test_a_program_that_leaves_its_code_is_told_with_the_place() -> None:
    with Probe() as board, pytest.raises(EmulationError, match=r"probe\.elf.*pc 0x.*Invalid Opcode"):
        board.ask(b"x")


@pytest.mark.parametrize("pin", ["A0", "B6", "C6", "d2", "D8"])
def test_pins_that_a_board_does_not_have_are_refused(pin: str) -> None:
    with Probe() as board, pytest.raises(ValueError, match=pin):
        board.drive(pin, 1)


def test_levels_and_shares_that_no_wire_has_are_refused() -> None:
    with Probe() as board:
        with pytest.raises(ValueError, match="level 0, 1 or None, got 2"):
            board.drive("D2", 2)
        with pytest.raises(ValueError, match=r"0 to 1 of the supply, got 1\.5"):
            board.supply("C2", 1.5)
