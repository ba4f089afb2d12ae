"""A reading board: a value is agreed only when nothing at all speaks against it."""

from __future__ import annotations

import msgspec
import pytest

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dice.frame_wire import FrameCommand, ShakerFrame, encode_frame
from drivers.dice.observations import DiceMoving, DiceRead, DiceShaken, ReaderDoubt, ReaderFault
from drivers.dice.reader import DiceReader, DiceReaderConfig, ReaderActuator
from drivers.dice.reader_wire import BoardLine, BoardState, Die, Lying, encode_line
from hal.values import Edge, EdgesLost, Frame, Loss, Reading, SendFrame
from tests.tables.commanded import Commanded
from tests.tables.tumbler_lines import MS, S, of, one_of

LINK = "dice_serial"
GOOD = (4, 4, 1)


def reader(dice: int = 3, **keys: object) -> Commanded[ReaderActuator]:
    config = msgspec.convert({"driver": "dice_reader", **keys}, DiceReaderConfig)
    return Commanded(DiceReader(config, dice), ReaderActuator(config, dice))


def asked(driver: Commanded[ReaderActuator], t_ns: int) -> SendFrame:
    """The question that is sent."""
    question = driver.outputs(lambda board: board.ask(t_ns))[-1]
    assert isinstance(question, SendFrame)
    return question


def flat(*values: int) -> tuple[Die, ...]:
    return tuple(Die("flat", value) for value in values)


def line(state: str, throw: int = 17, dice: tuple[Die, ...] = ()) -> bytes:
    return encode_line(BoardLine(throw, BoardState(state), dice)).removesuffix(b"\r\n")


def heard(
    driver: Commanded[ReaderActuator], *frames: bytes, from_s: float = 0.0, every_s: float = 0.5
) -> list[Observation]:
    seen: list[Observation] = []
    for k, data in enumerate(frames):
        seen += driver.frame(Frame(LINK, data, round((from_s + every_s * (k + 1)) * S)))
    return seen


def throw(number: int, *values: int, times: int = 3) -> list[bytes]:
    return [*[line("M", number)] * 2, *[line("R", number, flat(*values))] * times]


def test_a_throw_that_was_heard_from_its_beginning_and_said_twice_is_agreed() -> None:
    seen = heard(reader(), line("E", 16), *throw(17, *GOOD))
    assert [type(one) for one in seen] == [DiceMoving, DiceRead]
    read = one_of(seen, DiceRead)
    assert (read.dice, read.lying, read.total, read.throw) == (GOOD, ("flat",) * 3, 9, 17)
    assert (read.agreed, read.doubts, read.t_ns) == (True, (), 2_500 * MS)


def test_throw_after_throw_is_agreed_also_over_the_end_of_the_count() -> None:
    frames = [line("E", 997), *throw(998, 1, 2, 3), *throw(999, 1, 2, 3), *throw(0, 1, 2, 3)]
    assert [(one.throw, one.agreed) for one in of(heard(reader(), *frames), DiceRead)] == [
        (998, True),
        (999, True),
        (0, True),
    ]


@pytest.mark.parametrize(
    ("lying", "doubt"),
    [
        ("cocked", "dice_not_flat"),
        ("two_sides", "die_on_two_sides"),
        ("stacked", "die_on_die"),
        ("off_table", "die_off_table"),
        ("unread", "not_recognised"),
    ],
)
def test_s13_d6_d9_a_die_that_does_not_lie_flat_is_told_as_it_lies(lying: Lying, doubt: str) -> None:
    dice = (*flat(4, 4), Die(lying, 1 if lying == "cocked" else None))
    seen = heard(reader(), line("E", 16), line("M"), *[line("R", 17, dice)] * 2)
    read = one_of(seen, DiceRead)
    assert (read.agreed, read.doubts, read.lying[2]) == (False, (doubt,), lying)
    assert (read.dice[2], read.total) == ((1, 9) if lying == "cocked" else (None, None))


def test_dice_that_lie_there_when_the_board_is_first_heard_were_thrown_by_nobody_knows_whom() -> None:
    seen = heard(reader(), *[line("R", 17, flat(*GOOD))] * 4)
    assert (one_of(seen, DiceRead).agreed, one_of(seen, DiceRead).doubts) == (False, ("joined_mid_throw",))
    assert one_of(seen, ReaderDoubt).reason == "joined_mid_throw"


def test_dice_that_move_when_the_board_is_first_heard_give_nothing_agreed() -> None:
    seen = heard(reader(), *throw(17, *GOOD))
    assert one_of(seen, DiceMoving).joined
    assert one_of(seen, DiceRead).doubts == ("joined_mid_throw",)


def test_a_value_that_changes_without_a_movement_is_not_agreed() -> None:
    seen = heard(reader(), line("E", 16), *throw(17, *GOOD), *[line("R", 17, flat(4, 4, 2))] * 2)
    assert [(one.dice, one.agreed, one.doubts) for one in of(seen, DiceRead)] == [
        (GOOD, True, ()),
        ((4, 4, 2), False, ("value_changed",)),
    ]


def test_a_value_said_once_is_none() -> None:
    seen = heard(reader(), line("E", 16), line("M"), line("R", 17, flat(*GOOD)), line("M", 18))
    assert of(seen, DiceRead) == []


def test_a_throw_whose_movement_was_not_heard_is_not_agreed() -> None:
    seen = heard(reader(), line("E", 16), *throw(17, *GOOD), *[line("R", 18, flat(*GOOD))] * 2)
    last = of(seen, DiceRead)[-1]
    assert (last.throw, last.agreed) == (18, False)
    assert set(last.doubts) == {"throw_order", "joined_mid_throw", "value_changed"}


def test_a_throw_that_begins_with_the_number_of_the_last_is_doubted() -> None:
    seen = heard(reader(), line("E", 16), *throw(17, *GOOD), *throw(17, 1, 1, 1))
    assert of(seen, DiceRead)[-1].doubts == ("throw_order",)


@pytest.mark.parametrize("late", [16, 999])
def test_a_number_that_goes_backwards_does_not_make_the_number_before_it_the_next_throw(late: int) -> None:
    last = (late + 1) % 1000
    stale = line("R", late, flat(2, 2, 2))
    seen = heard(reader(), line("E", late), *throw(last, *GOOD), stale, *throw(last, 1, 1, 1))
    assert of(seen, DiceRead)[-1].dice == (1, 1, 1)
    assert of(seen, DiceRead)[-1].doubts == ("throw_order",)


@pytest.mark.parametrize(("number", "doubts"), [(516, ("throw_order",)), (517, ())])
def test_a_number_is_later_than_another_by_less_than_half_of_the_count(number: int, doubts: tuple[str, ...]) -> None:
    """One that is later was received already when the next throw has it too; one that is not is late, and dropped."""
    unmoved = line("R", number, flat(2, 2, 2))
    seen = heard(reader(), line("E", 16), *throw(17, *GOOD), unmoved, *throw(number, 1, 1, 1))
    assert of(seen, DiceRead)[-1].doubts == doubts


@pytest.mark.parametrize("values", [(4,), (4, 4), (4, 4, 1, 1)])
def test_another_number_of_dice_than_the_game_has_is_not_agreed(values: tuple[int, ...]) -> None:
    seen = heard(reader(), line("E", 16), *throw(17, *values))
    assert (one_of(seen, DiceRead).agreed, one_of(seen, DiceRead).doubts) == (False, ("dice_count",))


def test_noise_between_numbered_lines_is_told_once_and_takes_nothing_away() -> None:
    frames = [line("E", 16), b"\xff\xfe", b"garbage", line("M"), b"D;017;R;F1F1F1;0000", *throw(17, *GOOD)[2:]]
    seen = heard(reader(), *frames)
    assert [one.reason for one in of(seen, ReaderDoubt)] == ["malformed", "malformed"]
    assert one_of(seen, DiceRead).agreed


def test_a_board_that_is_silent_is_a_fault_and_what_lies_there_afterwards_is_not_agreed() -> None:
    driver = reader()
    seen = heard(driver, line("E", 16), line("M")) + driver.due(10 * S)
    dead = one_of(seen, SensorDead)
    assert (dead.line, dead.fault, dead.t_ns) == (LINK, "sensor_missing", 3 * S)
    later = heard(driver, *[line("R", 17, flat(*GOOD))] * 2, from_s=20.0)
    assert one_of(later, SensorAlive).line == LINK
    assert one_of(later, DiceRead).doubts == ("joined_mid_throw",)


def test_a_board_that_was_never_heard_is_a_fault() -> None:
    driver = reader()
    assert driver.due(0) == []
    assert driver.next_due_ns == 2 * S
    assert one_of(driver.due(2 * S), SensorDead).fault == "sensor_missing"
    assert driver.due(60 * S) == []


def test_a_link_that_is_down_is_a_fault_at_once() -> None:
    driver = reader()
    heard(driver, line("E", 16), *throw(17, *GOOD))
    (dead,) = driver.lost(EdgesLost(LINK, Loss.UNPLUGGED, 4 * S))
    assert isinstance(dead, SensorDead)
    assert driver.due(60 * S) == []


def test_a_reading_that_waits_to_be_confirmed_is_dropped_when_the_link_is_down() -> None:
    driver = reader()
    heard(driver, line("E", 16), *throw(17, *GOOD, times=1))
    driver.lost(EdgesLost(LINK, Loss.UNPLUGGED, 3 * S))
    assert driver.due(60 * S) == []


def test_bytes_thrown_away_between_numbered_lines_are_told() -> None:
    driver = reader()
    heard(driver, line("E", 16), line("M"))
    (doubt,) = driver.lost(EdgesLost(LINK, Loss.OVERFLOW, 2 * S, 1))
    assert isinstance(doubt, ReaderDoubt)
    assert doubt.reason == "frames_lost"
    assert one_of(heard(driver, *throw(17, *GOOD)[2:], from_s=2.0), DiceRead).agreed


def test_a_board_that_says_that_it_is_at_fault_is_told_once_and_again_when_it_is_not() -> None:
    frames = [line("E", 16), line("M"), line("F"), line("F"), line("R", 17, flat(*GOOD)), line("R", 17, flat(*GOOD))]
    seen = heard(reader(), *frames)
    assert [one.active for one in of(seen, ReaderFault)] == [True, False]
    assert one_of(seen, DiceRead).doubts == ("joined_mid_throw",)


def test_its_view_shows_a_board_that_reports_a_fault() -> None:
    driver = reader()
    shown = []
    for k, state in enumerate("EF"):
        heard(driver, line(state, 16), from_s=k)
        view = driver.actuator.view((k + 1) * S)
        shown.append((view.faulty, dict(view.facts)["board"]))
    assert shown == [(False, "in order"), (True, "AT FAULT")]


# --- the frames of a serial shaker -------------------------------------------------------------------------------

ANSWER = encode_frame(ShakerFrame(FrameCommand.QUERY, 2, bytes(GOOD)))
STARTED = encode_frame(ShakerFrame(FrameCommand.START, 2))
STOPPED = encode_frame(ShakerFrame(FrameCommand.STOP, 2))


def shaker(dice: int = 3) -> Commanded[ReaderActuator]:
    driver = reader(dice, format="frames_7a")
    heard(driver, STOPPED, from_s=-1.0)
    return driver


def test_a_frame_with_a_sum_of_one_byte_must_be_said_twice() -> None:
    driver = shaker()
    first = heard(driver, STARTED, STOPPED, ANSWER)
    assert [type(one) for one in first] == [DiceMoving]
    read = one_of(heard(driver, ANSWER, from_s=2.0), DiceRead)
    assert (read.dice, read.agreed, read.throw) == (GOOD, True, None)


def test_a_reading_that_is_not_said_again_is_told_with_that_doubt() -> None:
    driver = shaker()
    heard(driver, STARTED, STOPPED, ANSWER)
    seen = driver.due(60 * S)
    assert (one_of(seen, DiceRead).agreed, one_of(seen, DiceRead).doubts) == (False, ("unconfirmed",))


def test_two_readings_that_differ_are_not_agreed() -> None:
    other = encode_frame(ShakerFrame(FrameCommand.QUERY, 2, bytes((4, 4, 2))))
    seen = heard(shaker(), STARTED, STOPPED, ANSWER, other, other)
    assert one_of(seen, DiceRead).doubts == ("value_changed",)


def test_one_byte_for_three_dice_is_their_total_and_names_no_die() -> None:
    total = encode_frame(ShakerFrame(FrameCommand.QUERY, 2, bytes((9,))))
    read = one_of(heard(shaker(), STARTED, STOPPED, total, total), DiceRead)
    assert (read.dice, read.total, read.agreed, read.doubts) == ((), 9, False, ("total_only",))


@pytest.mark.parametrize("values", [b"\x02", b"\x13", b"", b"\x00\x01\x02", b"\x07\x01\x02"])
def test_values_that_no_dice_have_are_refused(values: bytes) -> None:
    bad = encode_frame(ShakerFrame(FrameCommand.QUERY, 2, values))
    seen = heard(shaker(), STARTED, STOPPED, bad, bad)
    assert one_of(seen, ReaderDoubt).reason == "impossible_value"
    assert of(seen, DiceRead) == []


def test_an_answer_without_success_is_no_value() -> None:
    seen = heard(shaker(), STARTED, STOPPED, encode_frame(ShakerFrame(FrameCommand.QUERY, 3)))
    assert one_of(seen, ReaderDoubt).reason == "not_recognised"


def test_shake_and_report_is_a_throw_by_itself() -> None:
    report = encode_frame(ShakerFrame(FrameCommand.SHAKE_AND_REPORT, 2, bytes(GOOD)))
    seen = heard(shaker(), report, ANSWER)
    assert [type(one) for one in seen] == [DiceMoving, DiceRead]
    assert one_of(seen, DiceRead).agreed


def test_noise_between_frames_without_numbers_is_a_doubt() -> None:
    driver = shaker()
    heard(driver, STARTED)
    driver.lost(EdgesLost(LINK, Loss.OVERFLOW, S, 1))
    read = one_of(heard(driver, ANSWER, ANSWER, from_s=2.0), DiceRead)
    assert (read.agreed, read.doubts) == (False, ("frames_lost",))


def test_dice_that_are_known_to_be_at_rest_are_asked_for_until_they_are_read_twice_alike() -> None:
    driver = reader(format="frames_7a")
    assert len(driver.outputs(lambda board: board.dice_rest(S))) == 1
    assert heard(driver, ANSWER, from_s=1.0) == []
    assert len(driver.outputs()) == 1
    read = one_of(heard(driver, ANSWER, from_s=2.0), DiceRead)
    assert (read.dice, read.agreed) == (GOOD, True)
    assert driver.due(600 * S) == []
    assert driver.outputs() == []


def test_an_answer_to_a_question_of_before_the_rest_does_not_count() -> None:
    driver = reader(format="frames_7a")
    before = encode_frame(ShakerFrame(FrameCommand.QUERY, 2, bytes((1, 1, 1))))
    asked(driver, S)
    driver.actuator.dice_rest(2 * S)
    (read,) = heard(driver, before, ANSWER, ANSWER, from_s=2.0)
    assert isinstance(read, DiceRead)
    assert (read.dice, read.agreed) == (GOOD, True)


def test_a_board_that_cannot_read_the_dice_is_asked_again_for_a_while_and_is_not_silent() -> None:
    driver, told = reader(format="frames_7a"), list[Observation]()
    unread = encode_frame(ShakerFrame(FrameCommand.QUERY, 0))
    questions = driver.outputs(lambda board: board.dice_rest(S))
    for second in range(1, 60):
        if questions:
            told += driver.frame(Frame(LINK, unread, second * S + S // 10))
        told += driver.due((second + 1) * S + S // 2)
        questions = driver.outputs()
        assert bool(questions) is (second < 15)
    assert [type(one) for one in told] == [ReaderDoubt]


@pytest.mark.parametrize("format_", ["frames_7a", "state_words"])
def test_a_board_that_only_answers_is_asked_after_its_link_was_lost_until_it_answers(format_: str) -> None:
    driver = reader(format=format_)
    driver.lost(EdgesLost(LINK, Loss.UNPLUGGED, S))
    driver.due(50 * S)
    assert [one.t_ns for one in driver.outputs()] == [16 * S, 31 * S, 46 * S]
    answer = ANSWER if format_ == "frames_7a" else b"S0"
    assert SensorAlive in [type(one) for one in heard(driver, answer, from_s=50.0)]
    driver.outputs()
    heard(driver, answer, from_s=51.0)
    driver.due(600 * S)
    assert driver.outputs() == []


def test_a_shaker_that_does_not_answer_is_a_fault() -> None:
    driver = shaker()
    assert driver.due(60 * S) == []
    assert asked(driver, 60 * S) == SendFrame(LINK, bytes.fromhex("7a 03 06 01 0a 55"), 60 * S)
    assert driver.next_due_ns == 75 * S
    assert one_of(driver.due(80 * S), SensorDead).t_ns == 75 * S


def test_state_words_tell_movement_and_faults_and_never_a_value() -> None:
    driver = reader(format="state_words")
    seen = heard(driver, b"S0", b"S2", b"S1", b"S1", b"S0", b"S90", b"S0", b"S3")
    assert [type(one) for one in seen] == [DiceMoving, DiceShaken, ReaderFault, ReaderFault, ReaderDoubt]
    assert asked(driver, 9 * S).data == b"/state\r\n"


def test_what_is_not_its_own_is_passed_over() -> None:
    driver = reader()
    assert driver.frame(Frame("wheel_serial", b"", 1)) == []
    assert driver.lost(EdgesLost("kettle", Loss.UNPLUGGED, 2)) == []
    assert driver.edges([Edge(LINK, 1, 3)]) == driver.reading(Reading(LINK, 1.0, 3)) == []


def test_a_reader_of_no_dice_is_refused() -> None:
    with pytest.raises(ValueError, match="one die or more, not 0"):
        reader(0)
