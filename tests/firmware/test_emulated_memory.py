"""The emulated board's EEPROM and outputs: how long a byte takes, what a power cut leaves of it, and what pins show."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.firmware.emulated import DDRB, MS, OCR2A, PORTB, TCCR2A, TCCR2B, Probe

WRITE_NS = 3_400_000
EECR = 0x3F
ERASED = b"\xff" * 1024


def writing(board: Probe, address: int, value: int) -> int:
    """Begins to write a byte; returns when, to the cycle."""
    board.receive(bytes((ord("w"), address >> 8, address & 255, value)))
    while not board.eeprom_busy:
        board.run_until(board.now_ns + 1)
    return board.now_ns


def test_a_byte_is_kept_and_takes_its_time() -> None:
    with Probe() as board:
        began_ns = writing(board, 300, 0x5A)
        board.run_until(began_ns + WRITE_NS - 1_000)
        assert board.eeprom_busy
        assert board.eeprom == ERASED
        board.run_until(began_ns + WRITE_NS + 1_000)
        assert not board.eeprom_busy
        assert board.eeprom == ERASED[:300] + b"\x5a" + ERASED[301:]
        board.run_for(MS)
        assert board.told() == b"w"
        assert board.ask(b"r\x01\x2c") == b"\x5a"
        assert board.eeprom_writes == 1


def test_what_was_kept_is_there_after_every_kind_of_reset() -> None:
    with Probe(eeprom=b"counters") as board:
        assert board.eeprom[:9] == b"counters\xff"
        for harm in (board.reset, board.hang, board.power_cut):
            harm()
            board.run_for(MS)
            board.power_on()
            board.run_for(300 * MS)
            board.told()
            assert board.ask(b"r\x00\x03") == b"n"


def test_the_interrupt_asks_for_byte_after_byte() -> None:
    with Probe() as board:
        began_ns = board.now_ns
        board.receive(b"i\x00\x10\x77\x05")
        board.run_until(began_ns + 5 * WRITE_NS)
        assert board.told() == b""
        board.run_for(2 * MS)
        assert board.told() == b"i"
        assert board.eeprom[0x0F:0x16] == b"\xff" + 5 * b"\x77" + b"\xff"


def test_a_reset_does_not_stop_a_byte_that_is_being_written() -> None:
    with Probe() as board:
        began_ns = writing(board, 5, 0x00)
        board.run_until(began_ns + WRITE_NS // 2)
        board.reset()
        board.run_for(MS)
        assert board.eeprom_busy
        board.run_until(began_ns + WRITE_NS + 1_000)
        assert board.eeprom[5] == 0x00


@given(gone=st.floats(0.0, 0.999), seed=st.integers(0, 2**32), value=st.integers(0, 255), before=st.integers(0, 255))
@settings(max_examples=60)
def test_a_power_cut_tears_the_byte_that_is_being_written_and_no_other(
    gone: float, seed: int, value: int, before: int
) -> None:
    with Probe(eeprom=bytes(5) + bytes((before, 7))) as board:
        began_ns = writing(board, 5, value)
        board.run_until(began_ns + round(gone * WRITE_NS))
        image = board.power_cut(seed)
        assert image[:5] + image[6:] == bytes(5) + b"\x07" + ERASED[7:]
        # Bits go from what was to 1, and then to what shall be: those that are 1 in both are 1 all the time.
        assert image[5] & before & value == before & value
        if gone > 0.5:
            assert image[5] & value == value


def test_a_torn_byte_goes_from_what_was_over_all_ones_to_what_shall_be() -> None:
    def left_at(gone: float) -> int:
        with Probe(eeprom=bytes(6)) as board:
            began_ns = writing(board, 5, 0x0F)
            board.run_until(began_ns + round(gone * WRITE_NS))
            return board.power_cut(3)[5]

    assert (left_at(0.0), left_at(0.499999), left_at(0.999999)) == (0x00, 0xFF, 0x0F)
    assert left_at(0.25) not in (0x00, 0xFF)


def test_power_cuts_with_equal_seeds_tear_alike_and_a_new_board_finds_what_was_left() -> None:
    def cut(seed: int) -> bytes:
        with Probe(eeprom=bytes(6)) as board:
            board.run_until(writing(board, 5, 0x55) + WRITE_NS // 4)
            return board.power_cut(seed)

    assert cut(1) == cut(1)
    assert len({cut(seed) for seed in range(20)}) > 5
    with Probe(eeprom=cut(1)) as board:
        assert board.ask(b"r\x00\x05")[0] == cut(1)[5]


def test_a_write_without_its_key_is_none() -> None:
    with Probe() as board:
        board.put(EECR, 0x02)  # EEPE alone
        board.put(EECR, 0x04)  # EEMPE, and its four cycles are over when the next command comes
        board.put(EECR, 0x02)
        board.run_for(5 * MS)
        assert (board.eeprom, board.eeprom_writes) == (ERASED, 0)


@pytest.mark.parametrize(("mode", "left"), [(0x10, 0xFF), (0x20, 0x0A & 0x33)])
def test_a_byte_can_be_erased_or_written_alone_in_half_the_time(mode: int, left: int) -> None:
    with Probe(eeprom=b"\x0a") as board:
        board.put(EECR, mode)
        # The program sets EEMPE and EEPE with `sbi`, so the mode stays.
        began_ns = writing(board, 0, 0x33)
        board.run_until(began_ns + 1_801_000)
        assert not board.eeprom_busy
        assert board.eeprom[0] == left


# --- outputs ----------------------------------------------------------------------------------------------------------


def test_outputs_tell_each_level_with_its_time() -> None:
    with Probe() as board:
        board.put(DDRB, 0x03)
        start_ns = board.now_ns
        board.put(PORTB, 0x01)
        board.put(PORTB, 0x01)
        board.put(PORTB, 0x02)
        board.put(DDRB, 0x00)
        told = board.take_changes()
        assert [(change.pin, change.level) for change in told] == [
            ("B0", 0.0),
            ("B1", 0.0),
            ("B0", 1.0),
            ("B0", 0.0),
            ("B1", 1.0),
            ("B0", None),
            ("B1", None),
        ]
        assert start_ns + 3 * 40_000 < told[2].t_ns < start_ns + 3 * 40_000 + 10_000
        assert board.take_changes() == []


def test_a_timer_that_drives_an_output_shows_as_a_share() -> None:
    with Probe() as board:
        board.put(DDRB, 0x08)
        board.put(OCR2A, 51)
        board.put(TCCR2A, 0x83)  # fast PWM on B3
        assert board.output("B3") == 0
        board.put(TCCR2B, 0x04)
        assert board.output("B3") == pytest.approx(0.2)
        board.put(OCR2A, 255)
        assert board.output("B3") == 1
        board.run_for(100 * MS)
        assert [change.level for change in board.take_changes()] == [0, pytest.approx(0.2), 1]
        board.put(TCCR2A, 0xC3)  # inverted
        assert board.output("B3") == 0
        board.put(TCCR2A, 0x00)
        board.put(PORTB, 0x08)
        assert board.output("B3") == 1


def test_what_the_world_does_to_an_output_shows_when_it_is_an_input_again() -> None:
    with Probe() as board:
        board.put(0x2A, 0x10)  # DDRD
        board.drive("D4", 1)
        board.run_for(MS)
        assert board.seen() == []
        board.put(0x2A, 0x00)
        assert [levels for _, levels in board.seen()] == [0x10]
