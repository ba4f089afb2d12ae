"""The store: what is counted is kept, what is kept is found again, and a memory that fails is told."""

from __future__ import annotations

from binascii import crc_hqx
from pathlib import Path

import pytest

from tests.firmware.store_memory import SIZE, StoreOnMemory, store_library

NOTHING = bytes(6)
ENDURANCE = 100_000
"""Writes that the data sheet promises of a cell."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store_library(tmp_path_factory.mktemp("store"))


@pytest.fixture
def store(library: Path) -> StoreOnMemory:
    """A store on a new memory, begun and settled."""
    store = StoreOnMemory(library)
    store.begin()
    store.settle()
    return store


def test_a_new_memory_has_counted_nothing_and_the_first_start(store: StoreOnMemory) -> None:
    assert store.kept == ((0, 0, 0, 0), NOTHING, 0, 1)
    assert store.ready
    assert not store.failed


def test_a_new_memory_is_not_ready_before_a_bank_is_there(library: Path) -> None:
    store = StoreOnMemory(library)
    store.begin()
    assert not store.ready
    store.settle()
    assert store.ready


def test_events_before_the_first_bank_are_kept_with_it(library: Path) -> None:
    store = StoreOnMemory(library)
    store.begin()
    for _ in range(3):
        store.add(0)
    for _ in range(20):
        store.step()
    store.add(0)
    store.add(2)
    store.settle()
    assert store.kept.counts == (4, 0, 1, 0)
    store.begin()
    assert store.kept.counts == (4, 0, 1, 0)


def test_an_event_is_kept_by_one_byte_and_told_once(store: StoreOnMemory) -> None:
    before = sum(store.writes)
    store.add(1)
    assert store.counted(1) == 1
    store.poll()
    assert store.kept.counts == (0, 0, 0, 0), "its byte is under way"
    assert not store.take_kept()
    store.step()
    assert store.kept.counts == (0, 1, 0, 0)
    assert sum(store.writes) == before + 1
    assert store.take_kept()
    assert not store.take_kept()


def test_counters_do_not_mix(store: StoreOnMemory) -> None:
    for counter, times in enumerate((5, 0, 7, 2)):
        for _ in range(times):
            store.add(counter)
    store.settle()
    assert store.kept.counts == (5, 0, 7, 2)
    store.begin()
    assert store.kept.counts == (5, 0, 7, 2)


def test_each_start_is_counted_also_where_the_next_comes_at_once(store: StoreOnMemory) -> None:
    for boots in range(2, 22):
        store.begin()
        assert store.kept.boots == boots
        store.poll()
        store.step()


def test_thousands_of_events_over_many_banks_and_starts(store: StoreOnMemory) -> None:
    truth = [0, 0, 0, 0]
    for turn in range(4_000):
        counter = (turn * 7 + turn // 100) % 4
        store.add(counter)
        truth[counter] += 1
        store.step()
        store.step()
        if turn % 333 == 0:
            store.settle()
            store.begin()
            assert store.kept.counts == tuple(truth)
    store.settle()
    assert store.kept.counts == tuple(truth)


def test_events_go_on_while_the_next_bank_is_written(store: StoreOnMemory) -> None:
    store.begin()
    store.step()
    store.step()
    store.step()
    assert store.busy
    store.add(3)
    store.step()
    store.step()
    assert store.kept.counts == (0, 0, 0, 1), "within two bytes, though the move is not over"
    assert store.busy
    store.settle()
    store.begin()
    assert store.kept.counts == (0, 0, 0, 1)


def test_a_note_replaces_the_one_before(store: StoreOnMemory) -> None:
    for number in range(40):
        note = bytes((number, 1, 2, 3, 4, 255 - number))
        assert store.take_note(note)
        assert not store.take_note(NOTHING), "one is being kept"
        assert not store.note_kept
        store.settle()
        assert store.note_kept
        assert store.kept.note == note
    store.begin()
    assert store.kept.note == bytes((39, 1, 2, 3, 4, 216))


def test_what_was_counted_before_a_note_is_kept_before_it(store: StoreOnMemory) -> None:
    store.add(1)
    store.take_note(b"latest")
    while store.kept.note != b"latest":
        assert store.kept.counts[1] == 1 or store.kept.note == NOTHING
        store.step()
    assert store.kept.counts[1] == 1


def test_a_serial_number_is_said_only_when_it_is_kept(store: StoreOnMemory) -> None:
    assert store.name(0xDEADBEEF)
    assert store.kept.serial == 0
    store.settle()
    assert store.kept.serial == 0xDEADBEEF
    store.begin()
    assert store.kept.serial == 0xDEADBEEF


def test_a_serial_number_that_is_changed_while_it_is_written_is_the_last_one(store: StoreOnMemory) -> None:
    store.name(1)
    for _ in range(30):
        store.step()
    store.name(2)
    store.settle()
    assert store.kept.serial == 2


def test_a_serial_number_is_called_kept_only_when_no_other_is_being_written(store: StoreOnMemory) -> None:
    store.name(5)
    store.settle()
    assert store.serial_kept
    store.name(1)
    assert not store.serial_kept
    for _ in range(10):
        store.step()
    store.name(5)
    assert store.kept.serial == 5
    assert not store.serial_kept, "the next bank begins with the other"
    while not store.serial_kept:
        store.step()
    while store.busy:
        assert store.kept.serial == 5
        store.step()
    store.begin()
    assert store.kept.serial == 5


def test_a_serial_number_that_is_the_kept_one_is_kept_at_once(store: StoreOnMemory) -> None:
    store.name(5)
    store.settle()
    store.begin()
    store.step()
    assert store.busy, "this start goes into the next bank, and the number with it"
    store.name(5)
    assert store.serial_kept


def test_a_board_of_another_kind_counts_from_nothing_and_keeps_its_name(library: Path, tmp_path: Path) -> None:
    store = StoreOnMemory(library)
    store.begin()
    store.name(77)
    store.add(0)
    store.take_note(b"noting")
    store.settle()
    other = StoreOnMemory(store_library(tmp_path, "KIND_REEL"))
    other.image = store.image
    other.begin()
    assert other.kept == ((0, 0, 0, 0), NOTHING, 77, 2)
    assert not other.ready
    other.add(0)
    other.settle()
    other.begin()
    assert other.kept == ((1, 0, 0, 0), NOTHING, 77, 3)


def test_when_the_power_fails_events_go_first_and_nothing_else_is_begun(store: StoreOnMemory) -> None:
    store.name(5)
    store.take_note(b"counts")
    store.step()
    store.power_fail()
    before = sum(store.writes)
    for counter in range(4):
        store.add(counter)
    for _ in range(6):
        store.step()
    assert store.kept.counts == (1, 1, 1, 1)
    assert sum(store.writes) == before + 5, "the byte that was under way, and one for each event"
    assert store.write is None
    store.power_back()
    store.settle()
    assert (store.kept.note, store.kept.serial) == (b"counts", 5)


def test_when_the_power_fails_and_the_log_is_full_the_next_bank_is_finished(store: StoreOnMemory) -> None:
    for _ in range(65):
        store.add(0)
    store.settle()
    store.power_fail()
    for _ in range(100):
        store.add(0)
    store.settle()
    assert store.kept.counts[0] == 165


def first_write(store: StoreOnMemory, byte: int | None = None) -> tuple[int, int]:
    """Goes on until a byte is being written (this one)."""
    while store.write is None or (byte is not None and store.write[1] != byte):
        store.step()
    return store.write


BANK = 512
BASE, COMMIT = range(1, 38), 38
SPARE_BASE, SPARE_COMMIT = range(473, 510), range(510, 512)


@pytest.mark.parametrize("bank", [0, 1])
@pytest.mark.parametrize("cell", [*BASE[::5], 37, COMMIT])
def test_a_cell_of_a_base_that_fails_is_survived_and_no_event_is_lost(
    store: StoreOnMemory, bank: int, cell: int
) -> None:
    store.break_cell(bank * BANK + cell, 0xFF)
    for number in range(330):
        store.add(number % 3 and 3)
        if number % 50 == 10:
            assert store.take_note(bytes((number % 256, 1, 2, 3, 4, 5)))
        store.settle()
        assert not store.failed
        kept = store.kept
        assert sum(kept.counts) == number + 1
        if number % 23 == 0:
            store.begin()
            assert store.kept[:3] == kept[:3]
            store.settle()
    assert store.kept.counts == (110, 0, 0, 220)
    assert store.kept.note[1:] == bytes((1, 2, 3, 4, 5))


@pytest.mark.parametrize(
    ("first", "second"), [(BASE[4], SPARE_BASE[4]), (COMMIT, SPARE_COMMIT[0]), (COMMIT, SPARE_COMMIT[1])]
)
def test_a_bank_whose_bases_both_fail_has_failed_and_what_was_kept_stays(
    store: StoreOnMemory, first: int, second: int
) -> None:
    """After three tries at each."""
    for bank in range(2):
        store.break_cell(bank * BANK + first, 0xFF)
        store.break_cell(bank * BANK + second, 0xFF)
    store.add(1)
    store.settle()
    kept = store.kept
    store.name(3)
    before = store.writes
    store.settle()
    assert store.failed
    assert not store.ready
    assert not store.busy, "nothing more is written"
    assert store.kept == kept
    more = [after - then for after, then in zip(store.writes, before, strict=True)]
    assert max(more) == 3
    assert not store.take_note(NOTHING)
    assert not store.name(9)
    store.begin()
    assert store.kept.counts == kept.counts


def test_a_cell_of_a_log_that_fails_is_left_out_and_no_event_is_lost(store: StoreOnMemory) -> None:
    for number in range(200):
        counted = number + 1
        store.add(0)
        store.poll()
        assert store.write is not None
        if number % 9 == 0:
            store.break_cell(store.write[0], 0x5A)
        store.settle()
        assert not store.failed
        assert store.kept.counts == (counted, 0, 0, 0)
        if number % 7 == 0:
            store.begin()
            store.settle()
            assert store.kept.counts == (counted, 0, 0, 0)


def test_a_record_of_a_note_that_fails_is_left_out(store: StoreOnMemory) -> None:
    store.take_note(b"before")
    store.settle()
    for number in range(12):
        note = bytes((number, 1, 2, 3, 4, 5))
        store.take_note(note)
        at, _ = first_write(store, None)
        if number % 5 == 0:
            store.break_cell(at, 0xFF)
        store.settle()
        assert not store.failed
        assert store.kept.note == note
        store.begin()
        store.settle()
        assert store.kept.note == note


def test_an_eeprom_says_at_four_fifths_of_its_life_that_it_is_worn(store: StoreOnMemory) -> None:
    """The hottest cells are written twice in every second bank: 100,000 banks are its life."""
    assert not store.worn
    base = bytearray(store.image[1:38])
    for moves, worn in ((79_990, False), (80_000, True), (99_999, True)):
        base[0:4] = moves.to_bytes(4, "little")
        base[-2:] = crc_hqx(base[:-2], 0xFFFF).to_bytes(2, "little")
        store.image = store.image[:1] + bytes(base) + store.image[38:]
        store.begin()
        assert store.worn == worn


def test_one_bad_write_is_written_again(store: StoreOnMemory) -> None:
    store.add(0)
    store.poll()
    assert store.write is not None
    at, _ = store.write
    store.break_cell(at, 0x80)
    store.step()
    store.break_cell(at, 0)
    store.settle()
    assert not store.failed
    assert store.kept.counts == (1, 0, 0, 0)
    store.begin()
    assert store.kept.counts == (1, 0, 0, 0)


def test_a_base_that_decayed_is_a_failure_and_what_is_there_stays(store: StoreOnMemory) -> None:
    for at in range(1, 38):
        image = bytearray(store.image)
        image[at] ^= 0x10
        spoiled = bytes(image)
        store.image = spoiled
        store.begin()
        assert store.failed
        for _ in range(100):
            store.step()
        assert store.image == spoiled
        image[at] ^= 0x10
        store.image = bytes(image)


def test_a_spare_base_that_decayed_is_a_failure_too(store: StoreOnMemory) -> None:
    for bank in range(2):
        store.break_cell(bank * BANK + COMMIT, 0xFF)
    store.name(3)
    store.settle()
    image = bytearray(store.image)
    bank = 0 if image[SPARE_COMMIT[1]] == 0xA5 else 1
    image[bank * BANK + SPARE_BASE[7]] ^= 0x10
    store.image = bytes(image)
    store.begin()
    assert store.failed


def test_a_note_that_decayed_is_a_failure(store: StoreOnMemory) -> None:
    store.take_note(b"123456")
    store.settle()
    at = store.image.index(b"123456")
    image = bytearray(store.image)
    image[at] ^= 1
    store.image = bytes(image)
    store.begin()
    assert store.failed


def test_a_memory_full_of_anything_is_a_new_one_or_a_failure(library: Path) -> None:
    store = StoreOnMemory(library)
    for byte in range(256):
        store.image = bytes((byte,)) * SIZE
        store.begin()
        assert store.failed == (byte == 0xA5)
        if store.failed:
            continue
        store.add(2)
        store.settle()
        assert store.kept.counts == (0, 0, 1, 0)
        store.begin()
        assert store.kept.counts == (0, 0, 1, 0)


def test_each_cell_is_written_as_seldom_as_store_h_says(store: StoreOnMemory) -> None:
    before = store.writes
    for _ in range(20_000):
        store.add(0)
        store.settle()
    worst = max(now - then for now, then in zip(store.writes, before, strict=True))
    assert 20_000 / worst * ENDURANCE > 7_000_000
    before = store.writes
    for number in range(4_000):
        store.take_note(number.to_bytes(6, "little"))
        store.settle()
    worst = max(now - then for now, then in zip(store.writes, before, strict=True))
    assert 4_000 / worst * ENDURANCE > 1_300_000
    before = store.writes
    for _ in range(1_000):
        store.begin()
        store.settle()
    worst = max(now - then for now, then in zip(store.writes, before, strict=True))
    assert 1_000 / worst * ENDURANCE >= 100_000


def test_address_zero_is_never_written(store: StoreOnMemory) -> None:
    for _ in range(500):
        store.add(0)
        store.settle()
    assert store.writes[0] == 0
