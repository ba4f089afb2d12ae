"""Where libsimavr 1.6 is not like the chip, the emulated board is: each difference that it fixes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.firmware.emulated import (
    CYCLE_NS,
    DDRB,
    MS,
    PINB,
    PIND,
    PORTB,
    PORTD,
    UBRR0L,
    UCSR0A,
    Probe,
    S,
    square,
)

BYTE_NS = 40_000
"""10 bits at 250,000 baud."""


# --- the UART -------------------------------------------------------------------------------------------------------


def test_a_byte_has_ten_bits_and_is_there_when_they_are_over() -> None:
    with Probe() as board:
        board.receive(b"p")
        board.run_for(50 * MS)
        board.drive_many([("D2", edge.level, edge.t_ns) for edge in square("D2", board.now_ns + MS, 100_000, 20)])
        board.run_for(5 * MS)
        board.take_sent()
        board.receive(b"p")
        board.run_for(50 * MS)
        ends_ns = [t_ns for t_ns, _ in board.take_sent()]
        assert len(ends_ns) == 61
        assert {late - early for early, late in pairwise(ends_ns)} == {BYTE_NS}


def test_the_baud_is_that_of_the_registers_in_whatever_order_they_were_written() -> None:
    with Probe() as board:
        assert board.baud == 250_000
        board.put(UBRR0L, 16)
        assert board.baud == pytest.approx(117_647, abs=1)
        board.host_baud = board.baud
        board.put(UBRR0L, 7)
        board.host_baud = board.baud
        board.put(UCSR0A, 0)  # U2X off, after UBRR was written
        assert board.baud == 125_000
        board.host_baud = 125_000
        start_ns = board.now_ns
        board.receive(b"eX")
        board.run_for(MS)
        ((end_ns, byte),) = board.take_sent()
        assert byte == ord("X")
        assert 3 * 80_000 < end_ns - start_ns < 3 * 80_000 + 10_000


def test_at_another_baud_nothing_is_understood() -> None:
    with Probe() as board:
        board.host_baud = 115_200
        assert board.ask(b"eX") != b"X"
        board.host_baud = 250_000
        board.reset()
        board.run_for(MS)
        board.told()
        board.host_baud = 250_000 * 1.02  # a crystal and a resonator
        assert board.ask(b"eX") == b"X"


@pytest.mark.parametrize(("ms", "count", "heard"), [(1, 3, 3), (1, 4, 3), (2, 30, 3), (0, 30, 30)])
def test_a_deaf_program_loses_all_but_the_last_three_bytes_and_it_is_counted(ms: int, count: int, heard: int) -> None:
    # The chip keeps two bytes, and one in its shift register until the next begins.
    with Probe() as board:
        board.ask(bytes((ord("o"), ms)), 0)
        board.run_for(2 * BYTE_NS + 50_000)
        board.receive(b"tttttttttttttttttttttttttttttt"[:count])
        board.run_for(20 * MS)
        assert board.told().count(b"o") >= 1
        assert board.overruns == count - heard


def test_a_host_that_pauses_between_bytes_loses_none() -> None:
    with Probe() as board:
        for _ in range(30):
            board.receive(b"e.")
            board.run_for(MS)
        assert board.told() == b"." * 30
        assert (board.overruns, board.unread) == (0, 0)


def test_bytes_of_the_host_wait_for_those_before_them() -> None:
    with Probe() as board:
        start_ns = board.now_ns
        board.receive(b"eA")
        board.receive(b"eB")
        board.run_for(MS)
        (_, _), (end_ns, byte) = board.take_sent()
        assert byte == ord("B")
        assert 4 * BYTE_NS < end_ns - start_ns < 5 * BYTE_NS + 15_000


# --- pins -----------------------------------------------------------------------------------------------------------


def test_switching_a_resistor_on_leaves_a_pin_where_it_is_driven() -> None:
    with Probe() as board:
        board.drive("D2", 0)
        board.drive("D4", 0)
        for value in (0x10, 0x00, 0x14, 0x10):
            board.put(PORTD, value)
        assert board.seen() == []
        assert board.get(PIND) & 0x10 == 0


def test_a_pin_that_nobody_drives_is_pulled_up_by_the_resistor() -> None:
    with Probe() as board:
        board.put(PORTD, 0x10)
        assert board.get(PIND) & 0x10
        board.drive("D4", 0)
        board.run_for(MS)
        assert not board.get(PIND) & 0x10
        board.drive("D4", None)
        board.run_for(MS)
        assert board.get(PIND) & 0x10


def test_setting_a_bit_of_a_pin_register_toggles_that_output_alone() -> None:
    with Probe() as board:
        board.put(DDRB, 0x0F)
        board.put(PORTB, 0x0D)
        board.ask(b"s\x00\x00")
        assert board.get(PORTB) == 0x0F
        assert [change.pin for change in board.take_changes()][-1] == "B1"


def test_writing_a_pin_register_toggles_the_outputs_that_are_written_as_one() -> None:
    with Probe() as board:
        board.put(DDRB, 0x0F)
        board.put(PINB, 0x05)
        assert [board.output(f"B{bit}") for bit in range(5)] == [1, 0, 1, 0, None]


def test_a_low_pin_of_an_interrupt_that_is_off_costs_nothing() -> None:
    # INT0 begins as a level interrupt, at which libsimavr looks in every cycle while D2 is low.
    with Probe() as board:
        board.drive("D2", 1)
        board.drive("D2", 0, board.now_ns + MS)
        board.run_for(3_000 * S)
        assert len(board.seen()) == 2


# --- resets ---------------------------------------------------------------------------------------------------------


def test_the_watchdog_bites_a_hung_program_and_says_so_and_the_world_is_as_it_was() -> None:
    with Probe() as board:
        board.drive("D2", 1)
        board.drive("D3", 1, board.now_ns + 900 * MS)
        board.supply("C2", 0.75)
        board.run_for(MS)
        board.hang()
        hung_ns = board.now_ns
        board.run_for(200 * MS)
        assert (board.resets, board.told()) == (0, b"")
        board.run_for(100 * MS)
        assert (board.resets, board.last_cause) == (1, 8)
        sent = board.take_sent()
        assert bytes(byte for _, byte in sent) == b"B\x08\x01"
        assert 200 * MS < sent[0][0] - hung_ns < 260 * MS
        assert board.get(PIND) & 0x04
        assert int.from_bytes(board.ask(b"a\x02"), "big") == 768
        board.seen()
        board.run_until(hung_ns + 901 * MS)
        assert [levels for _, levels in board.seen()] == [0x0C]


def test_the_watchdog_bites_again_and_again() -> None:
    with Probe() as board:
        for times in range(1, 6):
            board.hang()
            board.run_for(S)
            assert (board.resets, board.told()) == (times, b"B\x08" + (b"\x08" if times > 1 else b"\x01"))


def test_a_program_that_sleeps_with_its_interrupts_off_sleeps_until_the_watchdog() -> None:
    with Probe() as board:
        board.drive("D2", 1, board.now_ns + 10 * MS)
        assert board.ask(b"z", 240 * MS) == b""
        assert board.ask(b"", 100 * MS) == b"B\x08\x01"


def test_the_reset_line_is_told_as_the_cause_and_ram_is_kept() -> None:
    with Probe() as board:
        assert board.hello[:2] == b"B\x01"
        board.reset()
        assert board.ask(b"", MS) == b"B\x02\x01"
        assert (board.resets, board.last_cause) == (1, 2)


def test_a_power_cut_loses_the_ram() -> None:
    with Probe() as board:
        noise = board.hello[2]
        board.reset()
        board.run_for(MS)
        board.power_cut()
        assert not board.powered
        board.told()
        board.run_for(S)
        assert board.told() == b""
        board.power_on()
        assert board.ask(b"", MS) == bytes((ord("B"), 1, noise))


def test_a_reset_lets_all_outputs_go_at_once_and_a_byte_under_way_is_never_sent() -> None:
    with Probe(start_up_ns=5 * MS) as board:
        board.put(DDRB, 0x0F)
        board.put(PORTB, 0x05)
        board.take_changes()
        board.receive(b"eX")
        board.run_for(3 * BYTE_NS - 10_000)
        reset_ns = board.now_ns
        board.reset()
        board.run_for(4 * MS)
        changes = board.take_changes()
        assert {(change.pin, change.level) for change in changes} == {(f"B{bit}", None) for bit in range(4)}
        assert all(change.t_ns == reset_ns for change in changes)
        assert board.told() == b""
        board.run_for(2 * MS)
        assert board.told() == b"B\x02\x01"


# --- interrupts -----------------------------------------------------------------------------------------------------


def test_a_flag_is_cleared_by_writing_one_to_it() -> None:
    with Probe() as board:
        board.drive("D2", 1)
        board.run_for(MS)
        assert len(board.seen()) == 1  # writes PCIFR before it lets the interrupt in again
        assert board.seen() == []
        assert board.get(0x3B) == 0


def test_clearing_one_flag_leaves_the_others() -> None:
    with Probe() as board:
        board.put(0x6F, 0)  # TIMSK1: no interrupt takes the flags away
        board.run_for(100 * MS)
        flags = board.get(0x36)
        assert flags & 0x07 == 0x07  # OCF1B, OCF1A, TOV1
        board.put(0x36, 0x02)
        assert board.get(0x36) & 0x07 == 0x05


def test_an_interrupt_that_is_let_in_late_comes_at_once() -> None:
    with Probe() as board:
        board.put(0x68, 0)  # PCICR
        board.drive("D2", 1)
        board.run_for(MS)
        board.put(0x68, 4)
        assert [levels for _, levels in board.seen()] == [4]


def test_an_interrupt_takes_four_cycles_and_eight_out_of_sleep() -> None:
    # Each edge is answered by B5, after the same instructions. libsimavr alone takes 1 or 2 cycles.
    def cycles_to_answer(board: Probe, number: int, pause_ns: float) -> int:
        t_ns = board.now_ns + round(pause_ns)
        board.drive("D2", number % 2, t_ns)
        board.run_until(t_ns + 100_000)
        (change,) = board.take_changes()
        return round((change.t_ns - t_ns) / CYCLE_NS)

    with Probe() as board:
        board.put(DDRB, 0x20)
        board.take_changes()
        asleep = [cycles_to_answer(board, number, 1_000_000) for number in (1, 2, 3, 4)]
        board.receive(b"w\x00\x00\x00")
        board.run_for(500_000)  # now it waits awake until the byte is written
        assert board.eeprom_busy
        awake = [cycles_to_answer(board, number, 50_000 + CYCLE_NS * number) for number in range(5, 21)]
        assert board.eeprom_busy
        assert max(asleep) - min(asleep) <= 1  # the cycle in which the edge falls
        assert min(awake) == min(asleep) - 4
        assert max(awake) - min(awake) <= 5  # an instruction was under way


@pytest.mark.parametrize("share", [0.0, 0.1, 1 / 3, 0.5, 0.999, 1.0])
def test_the_converter_finds_the_share_of_the_supply(share: float) -> None:
    with Probe() as board:
        board.supply("C5", share)
        assert int.from_bytes(board.ask(b"a\x05"), "big") == min(1023, int(share * 1024))


def test_a_share_is_planned_like_a_level() -> None:
    with Probe() as board:
        board.supply("C0", 1.0, board.now_ns + 20 * MS)
        assert int.from_bytes(board.ask(b"a\x00"), "big") == 0
        board.run_for(20 * MS)
        assert int.from_bytes(board.ask(b"a\x00"), "big") == 1023


# --- what is not in the chip --------------------------------------------------------------------------------------


def test_the_stacks_low_water_mark_is_known() -> None:
    with Probe() as board:
        left = board.stack_left
        assert 1_000 < left < 2_048 - 440
        board.ask(b"p")
        assert left - 60 < board.stack_left <= left


def test_a_frozen_board_does_nothing_and_goes_on_where_it_was() -> None:
    with Probe() as board:
        before = int.from_bytes(board.ask(b"t", MS), "big")
        board.drive("D2", 1, board.now_ns + 50 * MS)
        board.drive("D3", 1, board.now_ns + 900 * MS)
        board.freeze(True)
        board.freeze(True)
        cycle = board.cycle
        board.receive(b"eX")
        board.run_for(600 * MS)
        assert (board.cycle, board.told(), board.resets) == (cycle, b"", 0)
        assert board.now_ns == pytest.approx(602 * MS, abs=200)
        board.freeze(False)
        assert board.now_ns == pytest.approx(602 * MS, abs=200)
        after = int.from_bytes(board.ask(b"t", MS), "big")
        assert (after - before) % 65536 == pytest.approx(2_000, abs=5)
        assert board.unread == 2
        assert [levels for _, levels in board.seen()] == [0x04]
        board.run_until(903 * MS)
        assert [levels for _, levels in board.seen()] == [0x0C]


def test_what_was_sent_before_a_freeze_keeps_its_time() -> None:
    with Probe() as board:
        board.receive(b"eX")
        board.run_for(MS)
        board.freeze(True)
        board.run_for(S)
        board.freeze(False)
        ((end_ns, _),) = board.take_sent()
        assert end_ns < 2 * MS


def test_a_clock_that_stands_has_no_rate() -> None:
    with Probe() as board:
        board.freeze(True)
        with pytest.raises(ValueError, match="expected a clock that runs"):
            board.set_clock_hz(16_000_100)
