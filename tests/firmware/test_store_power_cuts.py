"""The store over power cuts: whatever one leaves in the byte under way, what was kept is found, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.firmware.store_memory import COUNTERS, StoredBytes, StoreOnMemory, store_library


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store_library(tmp_path_factory.mktemp("store"))


class Pending(NamedTuple):
    """What has come and is not kept yet."""

    counted: tuple[int, ...]
    note: bytes
    serial: int


def counted(store: StoreOnMemory) -> tuple[int, ...]:
    return tuple(store.counted(counter) for counter in range(COUNTERS))


def assert_nothing_else_is_found(found: StoredBytes, kept: StoredBytes, pending: Pending) -> None:
    """What is found is what was kept, and of what was being written all or nothing."""
    more = [now - then for now, then in zip(found.counts, kept.counts, strict=True)]
    assert sum(more) in (0, 1) and min(more) == 0, "at most the one event that was being written is found besides"
    assert all(now <= come for now, come in zip(found.counts, pending.counted, strict=True)), "nothing is counted twice"
    assert found.note in (kept.note, pending.note)
    assert found.serial in (kept.serial, pending.serial)


def a_busy_life(store: StoreOnMemory) -> Iterator[Pending]:
    """Events of all counters, notes, names and starts, through several banks; a turn of the main loop at each step."""
    note, serial = store.kept.note, store.kept.serial
    for turn in range(700):
        if turn % 3 == 0:
            store.add(turn // 3 % COUNTERS)
        if turn % 40 == 7 and store.note_kept:
            note = bytes((turn % 256, turn // 256, turn % 7, 1, 2, 3))
            assert store.take_note(note)
        if turn % 300 == 150:
            serial = turn
            assert store.name(serial)
        if turn == 400:
            store.begin()
            note, serial = store.kept.note, store.kept.serial
        store.step()
        yield Pending(counted(store), note, serial)


def test_a_cut_in_any_write_with_anything_left_in_its_byte(library: Path) -> None:
    store, later = StoreOnMemory(library), StoreOnMemory(library)
    store.begin()
    store.settle()
    cuts = 0
    for pending in a_busy_life(store):
        if store.write is None:
            continue
        kept = store.kept
        boots = store.kept.boots
        for byte in range(256):
            later.image = store.torn(byte)
            later.begin()
            assert not later.failed
            assert_nothing_else_is_found(later.kept, kept, pending)
            assert later.kept.boots - boots in (0, 1)
            cuts += 1
    assert cuts > 100_000


@pytest.mark.parametrize("broken", [(5, 512 + 5), (38, 512 + 38), (20,)])
def test_a_cut_in_any_write_where_cells_of_a_base_have_failed(library: Path, broken: tuple[int, ...]) -> None:
    """The banks then have their bases in the spare place."""
    store, later = StoreOnMemory(library), StoreOnMemory(library)
    store.begin()
    store.settle()
    for at in broken:
        store.break_cell(at, 0xFF)
    cuts = 0
    for pending in a_busy_life(store):
        assert not store.failed
        if store.write is None:
            continue
        kept, before = store.kept, store.image[store.write[0]]
        for byte in {0, 0xFF, 0xA5, 0xC3, before, store.write[1], before & store.write[1], before | store.write[1]}:
            later.image = store.torn(byte)
            later.begin()
            assert not later.failed
            assert_nothing_else_is_found(later.kept, kept, pending)
            cuts += 1
    assert cuts > 1_000


def test_a_cut_in_the_very_first_writes_leaves_a_new_memory_or_the_first_bank(library: Path) -> None:
    store, later = StoreOnMemory(library), StoreOnMemory(library)
    store.begin()
    store.add(2)
    while store.busy:
        store.step()
        if store.write is None:
            continue
        for byte in range(256):
            later.image = store.torn(byte)
            later.begin()
            assert not later.failed
            assert later.kept.counts in ((0, 0, 0, 0), (0, 0, 1, 0))
            assert later.kept.counts[2] <= store.counted(2)
            later.settle()
            assert later.ready


def test_a_cut_between_two_writes_loses_nothing(library: Path) -> None:
    store, later = StoreOnMemory(library), StoreOnMemory(library)
    store.begin()
    store.settle()
    for pending in a_busy_life(store):
        later.image = store.image
        later.begin()
        assert later.kept[:3] == store.kept[:3]
        assert_nothing_else_is_found(later.kept, store.kept, pending)


@pytest.mark.parametrize("last", [5, 9])
@pytest.mark.parametrize("turns", range(0, 50, 3))
def test_a_cut_after_a_serial_number_is_called_kept_finds_that_one(library: Path, last: int, turns: int) -> None:
    """Though another was asked for before it, and is anywhere on its way; until then it is one that was asked for."""
    store, later = StoreOnMemory(library), StoreOnMemory(library)
    store.begin()
    store.name(5)
    store.settle()
    assert store.name(7)
    for _ in range(turns):
        store.step()
    assert store.name(last)
    while store.busy:
        called_kept = store.serial_kept
        if store.write is not None:
            at, byte = store.write
            for left in (store.image[at], byte, 0, 0xFF):
                later.image = store.torn(left)
                later.begin()
                assert not later.failed
                assert later.kept.serial in ({last} if called_kept else {5, 7, last})
        store.step()
    store.begin()
    assert store.kept.serial == last


def many_lives(library: Path, seed: int, lives: int) -> int:
    """Lives that a cut ends anywhere, one after the other on one memory; how many events there were."""
    draw = random.Random(seed)
    store = StoreOnMemory(library)
    store.begin()
    store.settle()
    come = 0
    for _ in range(lives):
        note, serial = store.kept.note, store.kept.serial
        for _ in range(draw.choice((3, 30, 300))):
            if draw.random() < 0.4:
                store.add(draw.randrange(COUNTERS))
                come += 1
            if draw.random() < 0.02:
                new = draw.randbytes(6)
                note = new if store.take_note(new) else note
            if draw.random() < 0.005 and store.kept.serial == serial:
                serial = draw.getrandbits(32)
                assert store.name(serial)
            store.step()
        kept, pending = store.kept, Pending(counted(store), note, serial)
        if store.write is not None:
            at, byte = store.write
            before = store.image[at]
            store.image = store.torn(draw.choice((byte, before, 0xFF, 0, before & byte, draw.randrange(256))))
        store.begin()
        assert not store.failed
        assert_nothing_else_is_found(store.kept, kept, pending)
    return come


@pytest.mark.parametrize("seed", range(4))
def test_hundreds_of_lives_that_a_cut_ends(library: Path, seed: int) -> None:
    assert many_lives(library, seed, 150) > 1_000


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 140))
def test_very_many_lives_that_a_cut_ends(library: Path, seed: int) -> None:
    assert many_lives(library, seed, 3_000) > 20_000
