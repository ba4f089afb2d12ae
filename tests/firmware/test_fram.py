"""A FRAM on a money board's two-wire bus: counters kept in it by the real binary, through everything a bus can do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from hal.board.messages import AcceptCommand, CountsAnswer, CountsCommand, Flag, PayCommand, RefusalCode, StateReport
from tests.firmware.conftest import make_firmware
from tests.firmware.core_board import EEPROM_SIZE, CoreBoard
from tests.firmware.core_board import MS as TICKS
from tests.firmware.emulated import MS
from tests.firmware.kind_bench import KindBench
from tests.firmware.worlds import Hopper

SIZE = 32_768
EMPTY = bytes(SIZE)
MARK_AT, MARK = 512, 0x5A
"""What cells.c writes into the EEPROM of a board that has used a FRAM."""
READY_MS = 200


@pytest.fixture
def bench() -> Iterator[KindBench]:
    with KindBench("pusher", fram=EMPTY) as bench:
        bench.run(READY_MS)
        bench.reported.clear()
        yield bench


def tokens(bench: KindBench, count: int, every_ms: int = 40) -> None:
    for number in range(count):
        bench.pulse("token", 25, number * every_ms)
    bench.run(count * every_ms + 40)


def counted(bench: KindBench) -> int:
    answer = bench.ask(CountsCommand())
    assert isinstance(answer, CountsAnswer)
    return answer.first


def flags(bench: KindBench) -> Flag:
    bench.run(120)
    return Flag(bench.last(StateReport).flags)


def test_tokens_are_kept_in_the_fram_and_no_cell_of_the_eeprom_is_written_for_them(bench: KindBench) -> None:
    assert bench.board.eeprom[MARK_AT] == MARK
    writes = bench.board.eeprom_writes
    tokens(bench, 300)
    assert counted(bench) == 300
    assert bench.board.eeprom_writes == writes
    assert bench.board.fram_writes > 300
    with KindBench("pusher", eeprom=bench.board.power_cut(), fram=bench.board.fram) as later:
        assert counted(later) == 300
        assert Flag.STORE_FAILED not in flags(later)


def test_an_event_is_kept_within_two_milliseconds(bench: KindBench) -> None:
    bench.pulse("token", 25)
    bench.run(30)
    kept = bench.board.fram_writes
    bench.run(2)
    assert bench.board.fram_writes > kept or counted(bench) == 1
    with KindBench("pusher", eeprom=bench.board.power_cut(), fram=bench.board.fram) as later:
        assert counted(later) == 1


def test_a_board_takes_what_its_eeprom_had_into_its_first_fram() -> None:
    with KindBench("pusher") as before:
        before.run(300)
        tokens(before, 7)
        boots = before.identity().boots
        image = before.board.power_cut()
    with KindBench("pusher", eeprom=image, fram=EMPTY) as bench:
        bench.run(READY_MS)
        assert counted(bench) == 7
        tokens(bench, 2)
        assert counted(bench) == 9
        assert bench.identity().boots == boots + 1
        with KindBench("pusher", eeprom=bench.board.power_cut(), fram=bench.board.fram) as later:
            assert counted(later) == 9


@pytest.mark.parametrize("cut_ms", [1, 5, 12, 20, 28, 36, 44, 60, 90])
def test_a_power_cut_while_the_first_fram_is_taken_into_use_loses_nothing(cut_ms: int) -> None:
    with KindBench("pusher") as before:
        before.run(300)
        tokens(before, 7)
        image = before.board.power_cut()
    with KindBench("pusher", eeprom=image, fram=EMPTY, session=None) as bench:
        bench.run(cut_ms)
        with KindBench("pusher", eeprom=bench.board.power_cut(), fram=bench.board.fram) as later:
            later.run(READY_MS)
            assert counted(later) == 7
            assert Flag.STORE_FAILED not in flags(later)


@pytest.mark.parametrize("fram", [None, EMPTY], ids=["missing", "another one, which is empty"])
def test_without_its_fram_a_board_counts_nothing_rather_than_on_from_what_is_old(
    bench: KindBench, fram: bytes | None
) -> None:
    tokens(bench, 5)
    with KindBench("pusher", eeprom=bench.board.power_cut(), fram=fram) as later:
        assert Flag.STORE_FAILED in flags(later)
        assert later.refused(AcceptCommand(1)) == RefusalCode.STORE_FAILED
        assert later.refused(PayCommand(1, 1)) == RefusalCode.STORE_FAILED


def test_a_fram_that_stops_answering_stops_the_acceptor(bench: KindBench) -> None:
    bench.ask(AcceptCommand(1))
    bench.board.fram_faults(missing=True)
    tokens(bench, 1)
    assert bench.output("accept") == 0
    assert Flag.STORE_FAILED in flags(bench)
    assert bench.refused(AcceptCommand(1)) == RefusalCode.STORE_FAILED


@pytest.mark.parametrize("lost", [1, 2])
def test_bytes_that_are_lost_on_the_bus_are_sent_again(bench: KindBench, lost: int) -> None:
    for number in range(40):
        bench.board.fram_faults(next_bytes=lost)
        tokens(bench, 1)
        assert counted(bench) == number + 1
    assert Flag.STORE_FAILED not in flags(bench)


@pytest.mark.parametrize("clocks", [1, 4, 8, 9])
def test_a_bus_that_is_held_low_is_clocked_free(bench: KindBench, clocks: int) -> None:
    bench.board.fram_faults(held_clocks=clocks)
    tokens(bench, 3)
    assert counted(bench) == 3
    assert Flag.STORE_FAILED not in flags(bench)


def test_a_bus_that_stays_held_is_a_failed_store_and_no_hung_board(bench: KindBench) -> None:
    bench.board.fram_faults(held_clocks=10_000)
    tokens(bench, 1)
    assert Flag.STORE_FAILED in flags(bench)
    assert bench.board.resets == 0


def test_a_board_that_was_reset_in_the_middle_of_a_byte_frees_the_bus_at_its_start(bench: KindBench) -> None:
    tokens(bench, 2)
    bench.board.fram_faults(held_clocks=5)
    bench.reset()
    bench.run(READY_MS)
    bench.open(2)
    assert counted(bench) == 2
    assert Flag.STORE_FAILED not in flags(bench)


def cuts(seed: int, count: int) -> None:
    """Power cuts at random cycles: of what was counted at most the one token is missing that was not yet one."""
    draw = Random(seed)
    come = paid = 0
    with KindBench("pusher", fram=EMPTY) as bench:
        bench.run(READY_MS)
        eeprom, fram = bench.board.power_cut(), bench.board.fram
    number = 0
    for _ in range(count):
        cut_ns = draw.randrange(700 * MS)
        at_ns = 90 * MS + draw.randrange(20 * MS)
        decided: list[int] = []
        with KindBench("pusher", eeprom=eeprom, fram=fram, session=None) as bench:
            world = Hopper("hopper", "hopper_coin", tokens=100, period_ms=60)
            bench.worlds.append(world)
            while at_ns < cut_ns:
                width_ns = round(draw.uniform(21, 60) * MS)
                bench.pulse("token", width_ns / MS, at_ns / MS)
                decided.append(at_ns + width_ns + 5 * MS)
                at_ns += width_ns + 20 * MS + draw.randrange(30 * MS)
            if cut_ns > 150 * MS:
                bench.run(100)
                bench.open(seed)
                number += 1
                bench.say(PayCommand(number, 3))
            bench.run_until(cut_ns)
            cut_ns = bench.now_ns
            eeprom, fram = bench.board.power_cut(seed), bench.board.fram
        with KindBench("pusher", eeprom=eeprom, fram=fram) as later:
            answer = later.ask(CountsCommand())
            assert isinstance(answer, CountsAnswer)
            assert Flag.STORE_FAILED not in flags(later)
        surely = come + sum(each + 2 * MS <= cut_ns for each in decided)
        perhaps = come + sum(each <= cut_ns for each in decided)
        assert surely <= answer.first <= perhaps
        come = answer.first
        assert paid + world.paid - 1 <= answer.second <= paid + world.paid
        paid = answer.second


@pytest.mark.parametrize("seed", [1])
def test_power_cuts_at_any_cycle_lose_no_token_that_was_one(seed: int) -> None:
    cuts(seed, 25)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 22))
def test_a_thousand_power_cuts_at_any_cycle_lose_no_token_that_was_one(seed: int) -> None:
    cuts(seed, 50)


def test_the_core_as_a_library_keeps_its_counters_in_a_fram_too(tmp_path: Path) -> None:
    library, copy = make_firmware("build/libcore_pusher.so"), tmp_path / "pusher.so"
    with CoreBoard(library, copy, fram=bytes(EEPROM_SIZE)) as board:
        board.run(300 * TICKS)
        before = board.eeprom()
        assert before[MARK_AT] == MARK
        for number in range(3):
            board.drive(1, 1, board.now + number * 100 * TICKS)
            board.drive(1, 0, board.now + (number * 100 + 50) * TICKS)
        board.run(400 * TICKS)
        assert board.eeprom() == before, "for tokens nothing is written there"
        fram = board.fram
    with CoreBoard(library, copy, eeprom=before, fram=fram) as later:
        later.run(100 * TICKS)
        later.open()
        assert later.tell(CountsCommand()) == CountsAnswer(3, 0, 0, 0)
    with CoreBoard(library, copy, eeprom=before) as without:
        without.run(200 * TICKS)
        without.open()
        without.run(200 * TICKS)
        assert without.reports(StateReport)[-1].flags & Flag.STORE_FAILED
