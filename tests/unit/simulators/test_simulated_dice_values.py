"""Simulated keypads and reading boards, heard by their drivers: what is entered and read is what was keyed and lay."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import Driver, Observation
from drivers.dice.keypad import KEYS, DiceKeypad, DiceKeypadConfig
from drivers.dice.observations import DiceEntered, DiceRead
from drivers.dice.reader import DiceReader, DiceReaderConfig, Format, ReaderActuator
from drivers.dice.reader_wire import Die
from hal.values import Batch, Edge, EdgesLost, Frame
from simulators.base.faults import FaultError
from simulators.dice.keypad import KEYPAD_FAULTS, KeypadSimulator
from simulators.dice.reader import BYTE_NS, READER_FAULTS, BoardReading, DiceReaderSimulator, frames
from tests.tables.commanded import Commanded
from tests.tables.tumbler_lines import MS, S, found, high, in_order, of, told


def hear(driver: Driver, batch: Batch) -> list[Observation]:
    seen: list[Observation] = []
    for value in sorted([*batch.edges, *batch.rare], key=lambda one: one.t_ns):
        if isinstance(value, Edge):
            seen += driver.edges([value])
        elif isinstance(value, EdgesLost):
            seen += driver.lost(value)
    return seen + driver.due(batch.until_ns)


@pytest.mark.parametrize("fault", KEYPAD_FAULTS)
def test_only_what_the_fingers_keyed_is_entered(fault: str) -> None:
    rng = Random(2)
    simulator, driver = KeypadSimulator(1), DiceKeypad(DiceKeypadConfig(), 3)
    hear(driver, simulator.start())
    for _ in range(6):
        keyed = simulator.enter([rng.randint(1, 6) for _ in range(3)], fault)
        entered = [one.dice for one in of(hear(driver, keyed.batch), DiceEntered)]
        wanted = [] if keyed.enters is None else [keyed.enters]
        assert entered == wanted if keyed.may_enter else entered in ([], wanted)
        # The next dealer is not troubled by it.
        after = simulator.enter((1, 2, 3))
        assert [one.dice for one in of(hear(driver, after.batch), DiceEntered)] == [(1, 2, 3)]


def test_equal_seeds_key_alike_and_an_unknown_fault_is_refused() -> None:
    one, other = KeypadSimulator(4), KeypadSimulator(4)
    assert [one.start(), one.enter((1, 2))] == [other.start(), other.enter((1, 2))]
    with pytest.raises(FaultError, match="nearest: wrong_key"):
        one.enter((1, 2), "wrong_keys")


PRESSES = st.lists(st.tuples(st.sampled_from(KEYS), st.integers(0, 900), st.integers(1, 600)), min_size=1, max_size=14)


@settings(max_examples=100, deadline=None)
@given(PRESSES, st.integers(1, 4))
def test_what_is_entered_was_keyed_alone_one_key_after_the_other(
    presses: list[tuple[str, int, int]], dice: int
) -> None:
    """Fingers that press anything for any time: the oracle replays them with nothing but their overlaps."""
    spans: list[tuple[str, int, int]] = []
    free = dict.fromkeys(KEYS, 0)
    t_ms = 1000
    for key, wait_ms, held_ms in presses:
        t_ms += wait_ms
        if t_ms >= free[key]:
            spans.append((key, t_ms, t_ms + held_ms))
            # Nearer than this it would be the bounce of the press before.
            free[key] = t_ms + held_ms + 30
    edges = in_order(found(*KEYS), *(high(key, at / 1000, until - at) for key, at, until in spans))
    values: list[int] = []
    expected: list[tuple[int, ...]] = []
    spoilt = False
    for key, at, until in spans:
        alone = all(other == (key, at, until) or other[1] >= until or other[2] <= at for other in spans)
        if until - at <= 20 or not alone:
            met_before = any(o[1] <= at + 20 and o[2] > at for o in spans if o != (key, at, until))
            if until - at <= 20 or met_before:
                continue
        if key == "key_clear":
            values, spoilt = [], False
        elif key == "key_enter":
            if len(values) == dice and not spoilt:
                expected.append(tuple(values))
                values = []
        elif not spoilt:
            spoilt = len(values) == dice
            values = values if spoilt else [*values, int(key[-1])]
    seen = told(DiceKeypad(DiceKeypadConfig(), dice), edges, until_s=t_ms / 1000 + 5)
    assert [one.dice for one in of(seen, DiceEntered)] == expected
    assert all(one.t_ns - one.entered_ns == 20 * MS for one in of(seen, DiceEntered))
    assert S


def read(driver: Commanded[ReaderActuator], board: DiceReaderSimulator, reading: BoardReading) -> list[DiceRead]:
    """What is read of a throw; a board that only answers is asked from the rest of the dice on."""
    framer, seen = board.framer(), list[Observation]()
    values = frames(reading.chunks, framer)
    asked = driver.outputs(lambda actuator: actuator.dice_rest(reading.rest_ns))
    while values or asked or (driver.next_due_ns or reading.until_ns) < reading.until_ns:
        if asked:
            values += frames((board.answer(board.answers, asked.pop().t_ns + 50 * MS),), framer)
        elif values:
            value = values.pop(0)
            seen += driver.frame(value) if isinstance(value, Frame) else driver.lost(value)
        else:
            seen += driver.due(driver.next_due_ns or 0)
        asked += driver.outputs()
    return of(seen + driver.due(reading.until_ns), DiceRead)


@pytest.mark.parametrize("fault", READER_FAULTS)
@pytest.mark.parametrize("format_", ["lines", "frames_7a", "state_words"])
def test_a_board_is_agreed_with_only_where_its_wire_proves_it(format_: Format, fault: str) -> None:
    rng = Random(7)
    config = DiceReaderConfig(format=format_)
    board, driver = DiceReaderSimulator(3, format_), Commanded(DiceReader(config, 3), ReaderActuator(config, 3))
    read(driver, board, board.idle(2.0))
    read(driver, board, board.throw([Die("flat", 1)] * 3))
    for _ in range(5):
        dice = [Die("flat", rng.randint(1, 6)) for _ in range(3)]
        reading = board.throw(dice, fault)
        last = read(driver, board, reading)[-1:]
        for one in last:
            if one.agreed:
                assert reading.provable
                assert (one.dice == tuple(die.value for die in dice)) is reading.true
        if fault == "none" and format_ != "state_words":
            assert [one.agreed for one in last] == [True]
        after = board.throw(dice)
        told_ = read(driver, board, after)[-1:]
        assert format_ == "state_words" or told_[0].dice == tuple(die.value for die in dice)


def test_equal_seeds_send_alike_and_an_unknown_fault_is_refused() -> None:
    dice = [Die("flat", 4)] * 3
    assert DiceReaderSimulator(1).throw(dice) == DiceReaderSimulator(1).throw(dice)
    assert DiceReaderSimulator(1).throw(dice) != DiceReaderSimulator(2).throw(dice)
    with pytest.raises(FaultError, match="nearest: reader_silent"):
        DiceReaderSimulator(1).throw(dice, "reader_silence")


def test_a_board_sends_one_line_after_the_other_however_short_a_throw_is() -> None:
    board, chunks = DiceReaderSimulator(8), list[tuple[int, int]]()
    for _ in range(20):
        for reading in (board.throw((Die("flat", 3), Die("flat", 5)), moving_s=0.02, resting_s=0.02), board.idle(0.01)):
            chunks += [(chunk.t_ns, len(chunk.data)) for chunk in reading.chunks]
    assert all(after - length * BYTE_NS >= before for (before, _), (after, length) in pairwise(chunks))


def test_an_answer_waits_until_the_wire_is_free_for_it() -> None:
    board = DiceReaderSimulator(8, "state_words")
    chunks = board.throw((Die("flat", 3),), moving_s=1.0, resting_s=3.0).chunks
    dice, length, last = board.answers, 4 * BYTE_NS, chunks[-1].t_ns
    # Between two frames that are on the wire later; behind one that is on it; behind another answer.
    assert board.answer(dice, last - 500 * MS).t_ns == last - 500 * MS + length
    assert board.answer(dice, last - BYTE_NS).t_ns == last + length
    assert board.answer(dice, last).t_ns == last + 2 * length
    after = board.idle(0.1).chunks[0]
    assert after.t_ns - len(after.data) * BYTE_NS >= last + 2 * length
