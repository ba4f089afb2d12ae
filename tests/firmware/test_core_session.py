"""The core: sessions, and commands that are carried out exactly once."""

from __future__ import annotations

from binascii import crc_hqx

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.board import cobs, frames
from hal.board.firmware import VERSION
from hal.board.message import BoardAnswer, BoardCommand
from hal.board.messages import (
    COMMANDS,
    DEADMAN_MS,
    DICTIONARY,
    PROTOCOL,
    AcceptCommand,
    AliveCommand,
    AllSafeCommand,
    BootReport,
    ClockAnswer,
    ClockCommand,
    Flag,
    IdentifyCommand,
    IdentityAnswer,
    LampsCommand,
    MotorCommand,
    NameBoardCommand,
    OkAnswer,
    OpenCommand,
    PayCommand,
    RefusalCode,
    RefusedAnswer,
    Reset,
    SampleCommand,
    SampleReport,
    SetCommand,
    SpinCommand,
    StateReport,
    StopCommand,
    WatchCommand,
)
from tests.firmware.conftest import NewBoard, examples
from tests.firmware.core_board import BYTE, MS, SESSION, CoreBoard


def state_of(board: CoreBoard) -> StateReport:
    """The next `state`."""
    seen = len(board.said)
    board.run(101 * MS)
    return board.reports(StateReport, seen)[0]


def lamp_on(board: CoreBoard, for_ms: int = 0) -> None:
    board.do(SetCommand(1, 255, for_ms))


# --- the beginning ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["wheel", "table", "reel", "pusher"])
def test_a_board_says_once_that_it_began_and_then_nothing_until_a_session_is_open(
    new_board: NewBoard, kind: str
) -> None:
    with new_board(kind, cause=int(Reset.WATCHDOG)) as board:
        board.run(1000 * MS)
        assert [said.message for said in board.said] == [BootReport(int(Reset.WATCHDOG), 1, board.kind.id)]


@pytest.mark.parametrize("kind", ["wheel", "table", "reel", "pusher"])
def test_it_says_what_it_is_without_a_session(new_board: NewBoard, kind: str) -> None:
    with new_board(kind) as board:
        board.run(10 * MS)
        identity = board.tell(IdentifyCommand())
        assert isinstance(identity, IdentityAnswer)
        assert (identity.protocol, identity.dictionary, identity.kind) == (PROTOCOL, DICTIONARY, board.kind.id)
        assert (identity.major, identity.minor, identity.patch) == VERSION
        assert identity.build == 0, "there is no flash here"
        assert (identity.oldest, identity.hung_at) == (board.kind.oldest, 0)
        assert (identity.inputs, identity.outputs) == (len(board.kind.inputs), len(board.kind.outputs))
        assert (identity.analogues, identity.counters) == (len(board.kind.analogues), len(board.kind.counters))
        assert (identity.boots, identity.cause) == (1, Reset.POWER_ON)


@pytest.mark.parametrize("command", [AliveCommand(), SetCommand(1, 255, 0), WatchCommand(1, 0), ClockCommand()])
def test_without_a_session_everything_is_refused(new_board: NewBoard, command: BoardCommand) -> None:
    with new_board() as board:
        board.send(command, number=17)
        board.run(20 * MS)
        assert board.answers() == [(17, RefusedAnswer(command.id, RefusalCode.NO_SESSION))]
        assert board.pin("B0") == 0


def test_frames_of_number_0_that_are_neither_identify_nor_open_are_nothing(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        before = len(board.said)
        board.send(SetCommand(1, 255, 0), number=0)
        board.run(20 * MS)
        assert board.answers(before) == []
        assert board.pin("B0") == 0


def test_identify_and_open_with_a_commands_number_are_unknown(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        for number, command in ((1, IdentifyCommand()), (2, OpenCommand(99))):
            before = len(board.said)
            board.send(command, number=number)
            board.run(20 * MS)
            assert board.answers(before) == [(number, RefusedAnswer(command.id, RefusalCode.UNKNOWN_COMMAND))]


# --- opening ----------------------------------------------------------------------------------------------------------


def test_a_new_session_makes_the_outputs_safe_and_ends_all_reports(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open(1)
        board.do(WatchCommand(0xFF, 0), SampleCommand(0xF, 20), SetCommand(1, 255, 0))
        board.run(100 * MS)
        board.open(2)
        before = len(board.said)
        board.run(400 * MS)
        assert board.pin("B0") == 0
        assert {type(said.message) for said in board.said[before:]} == {StateReport}
        assert not any(state.flags & Flag.WATCHING for state in board.reports(StateReport, before))


def test_the_session_that_is_open_already_goes_on(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open(1)
        lamp_on(board)
        number = board.number
        board.open(1)
        assert board.pin("B0") == 255
        board.number = number
        board.do(AliveCommand())


def test_in_a_new_session_commands_begin_with_1_and_reports_with_0(new_board: NewBoard) -> None:
    with new_board() as board:
        for session in (1, 2):
            board.open(session)
            before = len(board.said)
            board.do(AliveCommand(), AliveCommand(), AliveCommand())
            board.run(350 * MS)
            assert [number for number, _ in board.answers(before)] == [1, 2, 3]
            reports = [said.number for said in board.said[before:] if not isinstance(said.message, BoardAnswer)]
            assert reports == list(range(len(reports)))
            assert len(reports) >= 3


def test_after_255_comes_1_again(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        numbers = []
        for _ in range(520):
            before = len(board.said)
            board.do(AliveCommand())
            numbers += [number for number, _ in board.answers(before)]
        assert numbers == [at % 255 + 1 for at in range(520)]


def test_reports_are_numbered_modulo_256(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        board.do(WatchCommand(1, 0))
        for _ in range(70):
            board.do(AliveCommand())
            board.run(90 * MS)
        numbers = [said.number for said in board.said if not isinstance(said.message, BoardAnswer)]
        assert numbers[1:] == [at & 0xFF for at in range(len(numbers) - 1)]
        assert len(numbers) > 300


# --- exactly once -----------------------------------------------------------------------------------------------------


def test_a_command_that_is_sent_again_gets_the_same_answer_and_is_not_done_again(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        lamp_on(board, for_ms=300)
        since = board.changes[-1].ticks
        for _ in range(5):
            before = len(board.said)
            board.run(40 * MS)
            board.send(SetCommand(1, 255, 300), number=1)
            board.run(10 * MS)
            assert board.answers(before) == [(1, OkAnswer())]
        board.run(100 * MS)
        assert board.pin("B0") == 0
        assert board.changes[-1].ticks - since <= 301 * MS


def test_a_refusal_is_kept_too(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        refused = RefusedAnswer(SetCommand.id, RefusalCode.WRONG_VALUE)
        assert board.tell(SetCommand(9, 255, 0)) == refused
        before = len(board.said)
        board.send(SetCommand(1, 255, 0), number=1)  # not what it was the first time: no host does so
        board.run(10 * MS)
        assert board.answers(before) == [(1, refused)]
        assert board.pin("B0") == 0


OUTPUTS = 4
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("next"), st.integers(1, OUTPUTS), st.sampled_from([0, 255])),
        st.tuples(st.just("again"), st.integers(0, 3), st.just(0)),
        st.tuples(st.just("number"), st.integers(0, 255), st.integers(1, OUTPUTS)),
        st.tuples(st.just("cut"), st.integers(0, 12), st.integers(1, OUTPUTS)),
        st.tuples(st.just("open"), st.integers(1, 3), st.just(0)),
        st.tuples(st.just("wait"), st.integers(0, 40), st.just(0)),
    ),
    max_size=60,
)


class Model:
    """What a board should have done."""

    def __init__(self) -> None:
        self.session: int | None = None
        self.number = 0
        self.on = [0] * OUTPUTS
        self.done = 0
        self.answers: list[tuple[int, str]] = []

    def take(self, number: int, command: BoardCommand) -> None:
        if isinstance(command, OpenCommand):
            if command.session != self.session:
                self.session, self.number, self.on = command.session, 0, [0] * OUTPUTS
            self.answers.append((0, "ok"))
        elif number == 0:
            return
        elif self.session is None:
            self.answers.append((number, "refused"))
        elif number == self.number:
            self.answers.append((number, "ok"))
        elif number == self.number % 255 + 1 and isinstance(command, SetCommand):
            self.number = number
            self.on[command.output - 1] = command.value
            self.done += 1
            self.answers.append((number, "ok"))


@examples(150)
@given(steps=_STEPS)
def test_whatever_is_sent_each_command_is_done_once_or_not_at_all(
    new_board: NewBoard, steps: list[tuple[str, int, int]]
) -> None:
    with new_board() as board:
        model = Model()
        last: tuple[int, BoardCommand] = (1, SetCommand(1, 255, 0))
        for what, first, second in steps:
            command: BoardCommand
            if what == "wait":
                board.run(first * MS)
                continue
            if what == "next":
                number, command = model.number % 255 + 1, SetCommand(first, second, 0)
                last = (number, command)
            elif what == "again":
                number, command = last
            elif what == "open":
                number, command = 0, OpenCommand(first)
            elif what == "cut":
                # A part of the next command, then its end: no frame.
                whole = frames.encode(model.number % 255 + 1, SetCommand(second, 255, 0))
                board.receive(whole[: min(first, len(whole) - 2)] + b"\0")
                board.run(5 * MS)
                continue
            else:
                number, command = first, SetCommand(second, 255, 0)
            board.send(command, number)
            model.take(number, command)
            board.run(10 * MS)
            assert [board.pin(f"B{pin}") for pin in range(OUTPUTS)] == model.on
        said = [(number, "ok" if isinstance(answer, OkAnswer) else "refused") for number, answer in board.answers()]
        assert said == model.answers


# --- what a command must be -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "id", "why"),
    [
        (b"\1\xff\0", SetCommand.id, RefusalCode.WRONG_LENGTH),
        (b"\1\xff\0\0\0", SetCommand.id, RefusalCode.WRONG_LENGTH),
        (b"\0", AliveCommand.id, RefusalCode.WRONG_LENGTH),
        (b"", 19, RefusalCode.UNKNOWN_COMMAND),
        (b"", 255, RefusalCode.UNKNOWN_COMMAND),
        (b"", 0, RefusalCode.UNKNOWN_COMMAND),
        (b"\1\0\0\0", MotorCommand.id, RefusalCode.UNKNOWN_COMMAND),
        (b"\0\xff\0\0", SetCommand.id, RefusalCode.WRONG_VALUE),
        (b"\5\xff\0\0", SetCommand.id, RefusalCode.WRONG_VALUE),
        (b"\1\1\0\0", SetCommand.id, RefusalCode.WRONG_VALUE),
    ],
)
def test_what_is_wrong_is_refused_with_why(new_board: NewBoard, fields: bytes, id: int, why: RefusalCode) -> None:
    with new_board() as board:
        board.open()
        before = len(board.said)
        board.receive(frame_of(1, id, fields))
        board.run(20 * MS)
        assert board.answers(before) == [(1, RefusedAnswer(id, why))]


def test_identify_and_open_of_a_wrong_length_are_refused(new_board: NewBoard) -> None:
    with new_board() as board:
        board.receive(frame_of(0, OpenCommand.id, b"\1"))
        board.run(10 * MS)
        board.receive(frame_of(0, IdentifyCommand.id, b"\1"))
        board.run(10 * MS)
        assert board.answers() == [
            (0, RefusedAnswer(OpenCommand.id, RefusalCode.WRONG_LENGTH)),
            (0, RefusedAnswer(IdentifyCommand.id, RefusalCode.WRONG_LENGTH)),
        ]


def frame_of(number: int, id: int, fields: bytes) -> bytes:
    """A sound frame of any content."""
    head = bytes((len(fields) + frames.OVERHEAD, number, id)) + fields
    return cobs.encode(head + crc_hqx(head, 0xFFFF).to_bytes(2, "big")) + frames.END


# --- the name ---------------------------------------------------------------------------------------------------------


def test_a_name_is_answered_when_it_is_kept_and_outlives_a_power_cut(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        assert board.tell(NameBoardCommand(0xCAFE1234)) == OkAnswer()
        image = board.eeprom()
    with new_board(eeprom=image) as board:
        identity = board.tell(IdentifyCommand())
        assert isinstance(identity, IdentityAnswer)
        assert (identity.serial, identity.boots) == (0xCAFE1234, 2)


@pytest.mark.parametrize("last", [0, 99])
def test_a_name_is_answered_when_no_name_of_an_earlier_session_can_take_its_place(
    new_board: NewBoard, last: int
) -> None:
    with new_board() as board:
        board.run(400 * MS)
        board.open()
        board.send(NameBoardCommand(77))
        board.run(20 * MS)
        board.open(SESSION + 1)
        assert board.tell(NameBoardCommand(last)) == OkAnswer()
        for _ in range(60):
            with new_board(eeprom=board.eeprom()) as later:
                identity = later.tell(IdentifyCommand())
                assert isinstance(identity, IdentityAnswer)
                assert identity.serial == last
            board.run(5 * MS)


def test_asking_again_while_a_name_is_being_kept_changes_nothing(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        before = len(board.said)
        for _ in range(30):
            board.send(NameBoardCommand(77), number=1)
            board.run(2 * MS)
        board.run(450 * MS)
        answers = board.answers(before)
        assert answers
        assert set(answers) == {(1, OkAnswer())}
        board.number = 1
        board.do(AliveCommand())


# --- the clock --------------------------------------------------------------------------------------------------------


@examples(60)
@given(
    start=st.integers(0, (1 << 32) - 1),
    waits=st.lists(st.integers(1, 300 * MS), min_size=1, max_size=6),
    watching=st.booleans(),
)
def test_the_clock_tells_when_the_command_ended_and_when_its_answer_begins(
    new_board: NewBoard, start: int, waits: list[int], watching: bool
) -> None:
    with new_board(ticks=start) as board:
        board.open()
        board.do(WatchCommand(0xFF if watching else 0, 0))
        for wait in waits:
            board.run(wait)
            asked = board.now
            length = len(frames.encode(board.number % 255 + 1, ClockCommand()))
            before = len(board.said)
            answer = board.tell(ClockCommand())
            assert isinstance(answer, ClockAnswer)
            received = answer.received_high << 32 | answer.received
            assert received == asked + length * BYTE
            begins = next(said.begins for said in board.said[before:] if said.message is answer)
            assert begins == received + answer.kept


def test_the_clock_is_told_the_same_when_it_is_asked_with_the_same_frame_again(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        answer = board.tell(ClockCommand())
        board.run(50 * MS)
        before = len(board.said)
        board.send(ClockCommand(), number=1)
        board.run(20 * MS)
        assert board.answers(before) == [(1, answer)]


# --- the dead-man -----------------------------------------------------------------------------------------------------


def test_outputs_are_safe_before_the_host_was_silent_for_500_ms(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        lamp_on(board)
        heard = board.now
        board.run(600 * MS)
        assert board.changes[-1] == (board.changes[-1].ticks, "B0", 0)
        assert (DEADMAN_MS - 5) * MS < board.changes[-1].ticks - heard + 5 * MS <= (DEADMAN_MS + 5) * MS
        assert board.changes[-1].ticks <= last_heard(board) + DEADMAN_MS * MS
        assert state_of(board).flags & Flag.DEADMAN


def last_heard(board: CoreBoard) -> int:
    """When the last command's answer began: a bound for when the command ended."""
    return max(said.begins for said in board.said if isinstance(said.message, BoardAnswer))


def test_any_good_frame_keeps_the_outputs_on_but_broken_ones_and_identify_do_not(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        lamp_on(board)
        for _ in range(20):
            board.run(400 * MS)
            board.do(AliveCommand())
        assert board.pin("B0") == 255
        for _ in range(6):
            board.run(90 * MS)
            board.receive(frames.encode(0, OpenCommand(SESSION))[:-3] + b"\x05\0")
            board.tell(IdentifyCommand())
        assert board.pin("B0") == 0


def test_the_flag_stays_until_the_host_makes_all_safe_and_the_dead_man_bites_again(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        for _ in range(2):
            lamp_on(board)
            board.run(600 * MS)
            assert board.pin("B0") == 0
            board.do(AliveCommand())
            assert state_of(board).flags & Flag.DEADMAN
            board.do(AllSafeCommand())
            assert not state_of(board).flags & Flag.DEADMAN


STARTS: dict[str, list[BoardCommand]] = {
    "wheel": [SetCommand(1, 255, 0)],
    "table": [SetCommand(1, 255, 0), MotorCommand(-100, 0, 0), LampsCommand(b"\0\1" + bytes(6))],
    "reel": [SetCommand(4, 255, 0), SpinCommand(1, 100, 0), AcceptCommand(1), LampsCommand(b"\1" + bytes(7))],
    "pusher": [SetCommand(1, 255, 0), MotorCommand(100, 0, 0), PayCommand(1, 3), AcceptCommand(1)],
}
STOPS: dict[str, list[BoardCommand]] = {
    "wheel": [SetCommand(1, 0, 0)],
    "table": [SetCommand(1, 0, 0), MotorCommand(0, 0, 0), LampsCommand(bytes(8))],
    "reel": [SetCommand(4, 0, 0), AcceptCommand(0)],
    "pusher": [SetCommand(1, 0, 0), MotorCommand(0, 0, 0), AcceptCommand(0)],
}


@pytest.mark.parametrize("way_back", [AllSafeCommand(), OpenCommand(SESSION + 1)])
@pytest.mark.parametrize(("kind", "command"), [(kind, one) for kind, many in STARTS.items() for one in many], ids=str)
def test_after_the_dead_man_nothing_starts_until_the_host_has_said_all_safe_or_open(
    new_board: NewBoard, kind: str, command: BoardCommand, way_back: BoardCommand
) -> None:
    with new_board(kind) as board:
        for number in range(1, len(board.kind.inputs) + 1):
            rests = 0 if board.kind.inputs[number - 1][0] in board.kind.active_high else 1
            board.drive(number, rests)  # no interlock is in the way
        board.open()
        board.run(600 * MS)
        assert state_of(board).flags & Flag.DEADMAN
        before = len(board.changes)
        for _ in range(3):
            assert board.tell(command) == RefusedAnswer(command.id, RefusalCode.SILENT)
        board.do(*STOPS[kind])
        assert state_of(board).flags & Flag.DEADMAN, "what stops is done, and is not a word that the host knows"
        assert board.tell(command) == RefusedAnswer(command.id, RefusalCode.SILENT)
        outputs = board.kind.output_pins
        assert [change for change in board.changes[before:] if change.value and change.pin in outputs] == []
        if isinstance(way_back, OpenCommand):
            board.open(SESSION + 1)
        else:
            board.do(way_back)
        board.do(command)


def test_every_command_that_starts_something_says_by_which_field() -> None:
    starting = {command.starting for command in COMMANDS.values() if command.starting}
    assert starting == {"value", "speed", "lit", "steps_per_s", "tokens", "on"}
    assert all(one.starts for many in STARTS.values() for one in many)
    assert not any(one.starts for many in STOPS.values() for one in many)
    assert not StopCommand(1, 7).starts


def test_all_safe_makes_all_outputs_safe(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        board.do(*(SetCommand(output, 255, 0) for output in range(1, 5)))
        assert state_of(board).outputs == 0b1111
        board.do(AllSafeCommand())
        assert [board.pin(f"B{pin}") for pin in range(4)] == [0, 0, 0, 0]
        assert state_of(board).outputs == 0


# --- what is owed goes first ------------------------------------------------------------------------------------------


def test_an_answer_waits_for_no_more_than_what_is_in_the_line_already(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        board.do(WatchCommand(1, 0), SampleCommand(0xF, 1))
        for at in range(4000):
            board.drive(1, (at + 1) & 1, board.now + at * 200)
        for _ in range(30):
            before = len(board.said)
            board.send(AliveCommand())
            asked = board.now
            board.run(12 * MS)
            [ends] = [said.ends for said in board.said[before:] if isinstance(said.message, BoardAnswer)]
            assert ends - asked < 8 * MS
        assert board.reports(SampleReport)
