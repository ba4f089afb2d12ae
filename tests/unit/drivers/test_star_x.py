from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import Driver, Observation
from drivers.roulette.star_x import (
    AutoBallDirectionWrong,
    AutoBallNotDetected,
    AutoDoubt,
    AutoLaunchFailed,
    AutoLink,
    AutoNoMoreBets,
    AutoNoNumber,
    AutoNumber,
    AutoSpinDenied,
    AutoSpinStarted,
    AutoWheelFault,
    StarXConfig,
    StarXWheel,
)
from drivers.roulette.star_x_wire import WheelFlag, WheelState
from hal.values import Edge, EdgesLost, Frame, Loss, Reading
from simulators.roulette.star_x import StarXSimulator, frames

LINK = "wheel_serial"
MS = 1_000_000
S = 1000 * MS


class Feed:
    """A wheel that sends lines half a second apart, and the driver's observations."""

    def __init__(self, config: StarXConfig | None = None) -> None:
        self.driver: Driver = StarXWheel(config or StarXConfig(), "wheel")
        self.t_ns = 0
        self.seen: list[Observation] = []

    def line(self, data: bytes, after_ns: int = 500 * MS) -> "Feed":
        self.t_ns += after_ns
        self.seen += self.driver.frame(Frame(LINK, data, self.t_ns))
        return self

    def status(self, state: int, number: int = 117, ww: str = "13", f: str = "0", rpm: int = 170, d: int = 0) -> "Feed":
        return self.line(b"*X;%d;%03d;%2s;%s;%03d;%d" % (state, number, ww.encode(), f.encode(), rpm, d))

    def statuses(self, *states: int) -> "Feed":
        for state in states:
            self.status(state)
        return self

    def bare(self, ww: str) -> "Feed":
        return self.line(b"%2s" % ww.encode(), after_ns=470 * MS)

    def number(self, ww: str = "22", number: int = 117, rpm: int = 170, d: int = 0) -> "Feed":
        """The bare number, and at once the first status that has it."""
        self.bare(ww)
        self.t_ns -= 470 * MS
        return self.status(5, number, ww, rpm=rpm, d=d)

    def doubts(self) -> list[str]:
        return [seen.reason for seen in self.seen if isinstance(seen, AutoDoubt)]

    def numbers(self) -> list[AutoNumber]:
        return [seen for seen in self.seen if isinstance(seen, AutoNumber)]

    def kinds(self) -> list[str]:
        return [type(seen).__name__ for seen in self.seen]


def take(driver: Driver, value: Frame | EdgesLost) -> list[Observation]:
    return driver.frame(value) if isinstance(value, Frame) else driver.lost(value)


def test_a_sound_spin_is_reported_from_its_launch_to_its_number() -> None:
    feed = Feed().statuses(1, 1).status(2, 118).status(2, 118).status(3, 118).status(4, 118, rpm=165)
    feed.number("22", number=118, rpm=164).status(5, 118, "22").status(1, 118, "22")
    assert feed.seen == [
        AutoLink(t_ns=500 * MS, up=True),
        AutoSpinStarted(t_ns=3000 * MS, direction="cw", rpm=17.0, spin_number=118),
        AutoNoMoreBets(t_ns=3000 * MS, rpm=16.5),
        AutoNumber(t_ns=3500 * MS, pocket="22", spin_number=118, agreed=True, rpm_min=16.4, rpm_max=17.0),
    ]


def test_a_rotor_that_runs_counter_clockwise_is_reported_so() -> None:
    feed = Feed().status(1, d=1).status(2, d=1).status(3, d=1).status(3, d=1)
    assert feed.seen[-1] == AutoSpinStarted(t_ns=2 * S, direction="ccw", rpm=17.0, spin_number=117)


def launch_of_a_real_wheel() -> Feed:
    """Status lines of a real wheel: the rotor reverses in state 2, at the launch."""
    feed = Feed()
    for _ in range(36):
        feed.line(b"*X;2;001;  ;0;000;0")
    for _ in range(4):
        feed.line(b"*X;2;001;  ;0;000;1")
    return feed.line(b"*X;3;001;  ;0;162;1")


def test_the_rotor_reverses_in_state_2_and_the_spin_has_direction_and_speed_of_state_3() -> None:
    feed = launch_of_a_real_wheel()
    assert feed.seen == [
        AutoLink(t_ns=500 * MS, up=True),
        AutoSpinStarted(t_ns=feed.t_ns, direction="ccw", rpm=16.2, spin_number=1),
    ]
    feed.line(b"*X;4;001;  ;0;161;1").bare("22").line(b"*X;5;001;22;0;160;1", 30 * MS)
    number = feed.numbers()[0]
    assert (number.agreed, number.rpm_min, number.rpm_max) == (True, 16.0, 16.2)
    assert feed.doubts() == []


def test_a_launch_that_is_repeated_turns_the_rotor_again() -> None:
    feed = Feed().status(1).status(2, d=0).status(2, d=1).status(2, d=1, f="8").status(2, d=0).status(2, d=0)
    feed.statuses(3, 4).number()
    assert feed.numbers()[0].agreed
    assert [seen.direction for seen in feed.seen if isinstance(seen, AutoSpinStarted)] == ["cw"]


def test_a_game_that_is_open_and_closes_again_is_no_spin() -> None:
    feed = Feed().statuses(1, 2, 2, 2, 6, 6, 1, 2, 2, 1, 2)
    assert feed.kinds() == ["AutoLink"]


def test_double_zero_is_a_number_like_any_other() -> None:
    assert Feed().statuses(1, 2, 3, 4).number("00").numbers()[0].agreed


def test_a_european_wheel_has_no_double_zero() -> None:
    feed = Feed(StarXConfig(pockets="european")).statuses(1, 2, 3, 4).number("00")
    assert feed.doubts() == ["impossible_number"]
    assert feed.numbers() == []
    assert feed.seen[-1] == AutoNoNumber(t_ns=feed.t_ns, state=WheelState.WINNING_NUMBER, doubts=("impossible_number",))


def test_a_line_with_an_impossible_number_keeps_its_flags() -> None:
    feed = Feed(StarXConfig(pockets="european")).statuses(1, 2, 3).status(4, ww="00", f="4")
    assert AutoWheelFault(t_ns=2 * S, state=WheelState.NO_MORE_BETS) in feed.seen


def test_a_wheel_that_reports_that_the_ball_has_left_the_track_is_sound() -> None:
    assert Feed().statuses(1, 2, 3, 4, 7).number().numbers()[0].agreed


def test_the_same_number_twice_running_is_agreed_each_time() -> None:
    feed = Feed().statuses(1, 2, 3, 4).number("13").status(5).status(1).statuses(2, 3, 4).number("13")
    assert [number.agreed for number in feed.numbers()] == [True, True]
    assert feed.doubts() == []


def test_a_bare_number_that_disagrees_makes_no_agreed_number() -> None:
    feed = Feed().statuses(1, 2, 3, 4).bare("21").status(5, ww="22")
    assert feed.doubts() == ["number_disagrees"]
    number = feed.numbers()[0]
    assert (number.pocket, number.agreed, number.doubts) == ("22", False, ("number_disagrees",))


def test_without_a_bare_number_nothing_is_agreed() -> None:
    feed = Feed().statuses(1, 2, 3, 4).status(5, ww="22")
    assert feed.doubts() == ["bare_number_missing"]
    assert not feed.numbers()[0].agreed


def test_a_bare_number_without_its_status_is_stray_and_reported_when_it_is_overdue() -> None:
    feed = Feed().statuses(1, 2, 3, 4).bare("22")
    due_ns = feed.driver.next_due_ns
    assert due_ns == feed.t_ns + S
    feed.status(4).status(4)
    feed.seen += feed.driver.due(due_ns)
    assert feed.seen[-1] == AutoDoubt(
        t_ns=due_ns, reason="stray_number", detail="a bare 22, and no status with a number after it"
    )
    assert not feed.number("22").numbers()[0].agreed


@pytest.mark.parametrize("state", [1, 2, 3, 6])
def test_a_number_out_of_place_is_stray(state: int) -> None:
    assert Feed().status(state).bare("22").doubts()[-1] == "stray_number"


def test_two_bare_numbers_that_differ_disagree() -> None:
    feed = Feed().statuses(1, 2, 3, 4).bare("21").number("22")
    assert feed.doubts() == ["number_disagrees"]
    assert not feed.numbers()[0].agreed


def test_a_number_that_changes_while_it_is_shown_is_reported() -> None:
    feed = Feed().statuses(1, 2, 3, 4).number("22").status(5, ww="23")
    assert feed.doubts() == ["number_changed"]
    assert len(feed.numbers()) == 1
    detail = "the wheel shows 23 in state 5, after 22"
    assert feed.seen[-1] == AutoDoubt(t_ns=feed.t_ns, reason="number_changed", detail=detail)


@pytest.mark.parametrize(
    ("sent", "agreed"),
    [
        (["13", "13"], True),
        (["13", "22"], True),
        (["22", "22"], True),
        (["  ", "  "], True),
        (["13", "31"], True),
        (["31", "13"], True),
        (["31", "31"], False),
        (["13", "31", "31"], False),
        (["31", "31", "22"], True),
    ],
    ids=str,
)
def test_after_the_call_the_wheel_sends_the_last_number_or_already_the_next(sent: list[str], agreed: bool) -> None:
    """Any other, in two statuses in a row, is not of this spin."""
    feed = Feed().statuses(1, 2, 3, 3)
    for ww in sent:
        feed.status(4, ww=ww)
    assert feed.number("22").numbers()[0].agreed is agreed
    assert feed.doubts() == ([] if agreed else ["number_changed"])


def test_a_blank_number_is_no_number() -> None:
    feed = Feed().statuses(1, 2, 3, 4).status(5, ww="  ")
    assert "no_number" in feed.doubts()
    assert feed.numbers() == []
    assert feed.seen[-1] == AutoNoNumber(t_ns=feed.t_ns, state=WheelState.WINNING_NUMBER, doubts=("no_number",))


@pytest.mark.parametrize("states", [(3, 4), (4,), (7,), (3,)])
def test_a_wheel_first_received_in_the_middle_of_a_spin_gives_no_agreed_number(states: tuple[int, ...]) -> None:
    feed = Feed().statuses(*states).number()
    assert feed.doubts()[0] == "joined_mid_spin"
    assert not feed.numbers()[0].agreed
    feed.status(1, ww="22").status(2, ww="22").status(3, ww="22").status(4, ww="22").number("5")
    assert feed.numbers()[1].agreed


def test_a_wheel_first_received_while_it_shows_a_number_proves_nothing() -> None:
    feed = Feed().status(5, ww="22")
    assert feed.doubts() == ["joined_mid_spin", "bare_number_missing"]
    assert not feed.numbers()[0].agreed


@pytest.mark.parametrize(
    "states", [(1, 3, 4), (1, 2, 4), (1, 2, 3), (1, 4), (2, 3, 4, 3, 4), (2, 3, 3, 2, 3, 4), (2, 7, 3, 4), (6, 3, 4)]
)
def test_states_out_of_order_are_reported_and_give_no_agreed_number(states: tuple[int, ...]) -> None:
    feed = Feed().statuses(*states)
    feed.number() if states[-1] == 4 else feed.status(5, ww="22")
    assert "state_order" in feed.doubts()
    assert not feed.numbers()[-1].agreed


def test_after_a_spin_that_ended_without_a_number_the_next_is_sound() -> None:
    feed = Feed().status(1, 117).status(2, 118).status(3, 118).status(4, 118, f="4").status(6, 118)
    feed.status(1, 118).status(2, 119).status(3, 119).status(4, 119).number(number=119)
    assert feed.doubts() == []
    assert feed.numbers()[0].agreed


@pytest.mark.parametrize("state", [1, 2, 6])
def test_one_status_out_of_order_does_not_clear_a_doubt(state: int) -> None:
    feed = Feed().statuses(1, 2).status(3, f="2").status(state).statuses(3, 4).number()
    assert "ball_direction" in feed.numbers()[0].doubts
    assert not feed.numbers()[0].agreed


@pytest.mark.parametrize("states", [(1, 2), (2, 2), (6, 6), (6, 1), (1, 1)])
def test_a_spin_that_the_wheel_gives_up_is_over_with_what_it_reported(states: tuple[int, ...]) -> None:
    feed = Feed().statuses(1, 2, 3).status(4, f="1").statuses(*states)
    over = next(seen for seen in feed.seen if isinstance(seen, AutoNoNumber))
    assert over.t_ns == feed.t_ns
    assert over.state is WheelState(states[-1])
    assert over.doubts[0] == "ball_not_detected"
    feed.statuses(2, 3, 4).number()
    assert feed.numbers()[0].agreed


# --- one wrong byte, and spins that begin with it or in spite of it ---


@pytest.mark.parametrize("state", [3, 4, 7])
@pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 2), (2, 2), (6, 6), (6, 1)])
def test_one_status_of_a_spin_alone_begins_none(before: int, state: int, after: int) -> None:
    feed = Feed().statuses(1, before, state, after)
    assert feed.seen[-1] == AutoSpinDenied(t_ns=2 * S, state=WheelState(after))
    feed.statuses(after)
    assert not [seen for seen in feed.seen if isinstance(seen, AutoSpinStarted | AutoNoMoreBets | AutoNoNumber)]
    feed.statuses(2, 3, 3, 4).number()
    assert feed.numbers()[0].agreed


def test_a_flagged_status_alone_begins_no_spin() -> None:
    feed = Feed().statuses(1).status(2, f="8").status(3, f="8").status(2, f="8").status(2, f="8").status(2)
    assert feed.kinds()[-1] == "AutoSpinDenied"
    assert not [seen for seen in feed.seen if isinstance(seen, AutoSpinStarted | AutoNoNumber)]
    assert feed.statuses(3, 4).number().numbers()[0].agreed


def test_a_rotor_that_stood_and_turns_shows_by_itself_that_the_ball_was_launched() -> None:
    feed = Feed().statuses(1).status(2, rpm=0).status(2, rpm=0).status(3)
    started = AutoSpinStarted(t_ns=2 * S, direction="cw", rpm=17.0, spin_number=117)
    assert feed.seen[-1:] == [started]
    feed.status(2).status(2)
    assert feed.seen[-1] == AutoSpinDenied(t_ns=3 * S, state=WheelState.LAUNCH)


@pytest.mark.parametrize("end", [2, 6])
def test_a_launch_that_shows_by_itself_and_has_a_flag_is_a_spin_without_a_number(end: int) -> None:
    feed = Feed().statuses(1).status(2, rpm=0).status(3, f="1").statuses(end, end)
    assert feed.seen[-1] == AutoNoNumber(
        t_ns=feed.t_ns, state=WheelState(end), doubts=("ball_not_detected",) + ("state_order",) * (end == 2)
    )


@pytest.mark.parametrize("state", [3, 4, 7])
def test_one_status_of_a_spin_while_a_number_is_shown_begins_none(state: int) -> None:
    feed = Feed().statuses(1, 2, 3, 3, 4).number("22").status(5, ww="22").status(state, ww="22").status(5, ww="22")
    assert [seen for seen in feed.seen if isinstance(seen, AutoSpinStarted)] == [feed.seen[1]]
    assert not any(number.agreed for number in feed.numbers()[1:])
    feed.status(1, ww="22").status(2, ww="22").status(3, ww="22").status(3, ww="22").status(4, ww="22").number("5")
    assert feed.numbers()[-1].agreed


def test_a_spin_that_goes_on_after_a_number_is_the_one_that_ran() -> None:
    """A wrong byte makes a 4 a 5."""
    feed = Feed().statuses(1, 2, 3, 3, 4).status(5).statuses(4, 4, 4).number()
    started = [seen for seen in feed.seen if isinstance(seen, AutoSpinStarted)]
    assert [seen.resumed for seen in started] == [False, True]
    assert not any(number.agreed for number in feed.numbers())


def starts(feed: Feed) -> list[AutoSpinStarted]:
    return [seen for seen in feed.seen if isinstance(seen, AutoSpinStarted)]


def after_a_number() -> Feed:
    """Spin 117 has its number, 13."""
    return Feed().statuses(1, 2, 3, 3, 4).number("13").status(5)


@pytest.mark.parametrize("state", [3, 4, 7])
@pytest.mark.parametrize("numbers", [(118, 118, 118), (119, 118, 118), (118, 119, 118), (300, 300, 300)], ids=str)
def test_a_spin_with_another_spin_number_directly_after_a_number_is_another_spin(
    state: int, numbers: tuple[int, ...]
) -> None:
    """The statuses between are lost; also where one of its own has a wrong byte."""
    feed = after_a_number()
    for number in numbers:
        feed.status(state, number)
    assert [seen.resumed for seen in starts(feed)] == [False, False]
    assert not starts(feed)[1].in_order
    feed.number("22", 118)
    assert feed.numbers()[-1].pocket == "22"
    assert "state_order" in feed.numbers()[-1].doubts


@pytest.mark.parametrize("numbers", [(117, 118), (118, 117)], ids=str)
def test_a_spin_number_that_may_be_the_one_before_begins_no_other_spin(numbers: tuple[int, ...]) -> None:
    feed = after_a_number()
    for number in numbers:
        feed.status(4, number)
    assert [seen.resumed for seen in starts(feed)] == [False, True]


def test_a_spin_number_that_goes_up_while_the_number_is_shown_begins_no_other_spin() -> None:
    feed = after_a_number().status(5, 118).status(4, 118).status(5, 118)
    assert len(starts(feed)) == 1
    feed = after_a_number().status(5, 9).status(4).status(4)
    assert [seen.resumed for seen in starts(feed)] == [False, True], "a wrong byte in the last status of the number"


def test_one_status_of_another_spin_and_its_number_are_of_that_spin() -> None:
    feed = after_a_number().status(4, 118).number("22", 118)
    assert [seen.spin_number for seen in starts(feed)] == [117, 118]
    assert [(seen.pocket, seen.agreed) for seen in feed.numbers()] == [("13", True), ("22", False)]


@pytest.mark.parametrize("before", [1, 2, 6])
@pytest.mark.parametrize(("number", "ww"), [(118, "22"), (118, "13"), (117, "22")], ids=str)
def test_a_spin_of_which_the_number_alone_is_received_is_one_with_the_second_status(
    before: int, number: int, ww: str
) -> None:
    feed = after_a_number().statuses(before, before).status(5, number, ww)
    assert len(starts(feed)) == 1
    feed.status(5, number, ww)
    start = starts(feed)[1]
    assert (start.t_ns, start.spin_number, start.in_order, start.resumed) == (feed.t_ns, number, False, False)
    assert feed.numbers()[-1].pocket == ww
    assert "state_order" in feed.numbers()[-1].doubts
    count = len(feed.seen)
    feed.status(5, number, ww).status(5, number, ww)
    assert len(feed.seen) == count
    feed.status(1, 118, ww).status(2, 118, ww).status(3, 118, ww).status(4, 118, ww).number("5", 118)
    assert feed.numbers()[-1].agreed


@pytest.mark.parametrize("state", [1, 2, 6])
@pytest.mark.parametrize("flaw", [{}, {"number": 9}, {"ww": "31"}], ids=str)
@pytest.mark.parametrize("good_after", [1, 2])
def test_a_wrong_state_while_a_number_is_shown_makes_no_other_spin(
    state: int, flaw: dict[str, Any], good_after: int
) -> None:
    """Also with another wrong byte in a status before it, or after it."""
    feed = after_a_number().status(5, **flaw)
    for _ in range(good_after):
        feed.status(5)
    feed.status(state).status(5, **flaw).statuses(5, 5, 5)
    assert len(starts(feed)) == 1


@pytest.mark.parametrize("state", [1, 2, 6])
def test_a_wrong_state_in_the_first_status_that_is_heard_makes_no_spin_of_the_number_after_it(state: int) -> None:
    assert starts(Feed().status(state).statuses(5, 5, 5)) == []


@pytest.mark.parametrize(("false", "shown"), [("13", "13"), ("  ", "no number")])
def test_a_number_that_a_wrong_state_seemed_to_give_is_corrected_by_the_wheel(false: str, shown: str) -> None:
    feed = Feed().statuses(1, 2, 3, 3, 4).status(5, ww=false).statuses(4, 4, 4).number("22")
    told = [seen.detail for seen in feed.seen if isinstance(seen, AutoDoubt) and seen.reason == "number_changed"]
    assert told == [f"the wheel shows 22 in state 5, after {shown}"]


@pytest.mark.parametrize(("number", "resumed"), [(117, True), (118, False)])
def test_a_spin_that_runs_after_a_silence_is_the_same_if_its_number_is(number: int, resumed: bool) -> None:
    feed = Feed().statuses(1, 2, 3, 4)
    feed.seen += feed.driver.due(feed.t_ns + 10 * S)
    feed.t_ns += 10 * S
    feed.status(4, number).status(4, number)
    assert [seen.resumed for seen in feed.seen if isinstance(seen, AutoSpinStarted)] == [False, resumed]


def test_the_number_of_an_interrupted_spin_means_nothing_once_another_state_came() -> None:
    feed = Feed().statuses(1, 2, 3, 4)
    feed.seen += feed.driver.due(feed.t_ns + 10 * S)
    feed.t_ns += 10 * S
    feed.statuses(6, 6, 1, 2, 3, 3, 4).number()
    assert [seen.resumed for seen in feed.seen if isinstance(seen, AutoSpinStarted)] == [False, False]
    assert feed.numbers()[0].agreed


@pytest.mark.parametrize(
    "flaw", [{"number": 119}, {"number": 7}, {"ww": "31"}, {"ww": "  "}, {"f": "4"}, {"d": 1}], ids=str
)
@pytest.mark.parametrize("good_after", [0, 1, 2])
def test_a_wrong_field_of_the_open_game_does_not_cost_the_number(flaw: dict[str, Any], good_after: int) -> None:
    """Also in the last status before the ball is in the rim."""
    feed = Feed().statuses(1, 2, 2).status(2, **flaw)
    for _ in range(good_after):
        feed.status(2)
    assert feed.statuses(3, 3, 4).number().numbers()[0].agreed


def test_a_spin_number_that_goes_up_with_the_ball_in_the_rim_may_have_been_wrong_before() -> None:
    feed = Feed().status(1, 117).status(2, 118).status(2, 117).status(2, 117).status(3, 118).status(4, 118)
    assert feed.number(number=118).numbers()[0].agreed


def test_a_fault_that_comes_with_the_ball_in_the_rim_comes_after_the_start() -> None:
    feed = Feed().statuses(1, 2).status(3, f="4").status(4, f="4")
    assert feed.kinds()[1:] == ["AutoSpinStarted", "AutoNoMoreBets", "AutoWheelFault"]


def test_a_fault_of_the_first_status_alone_is_reported_and_over() -> None:
    feed = Feed().statuses(1, 2).status(3, f="4").status(3)
    assert [seen.active for seen in feed.seen if isinstance(seen, AutoWheelFault)] == [True, False]


@pytest.mark.parametrize(
    ("flag", "kind", "reason"),
    [
        ("1", AutoBallNotDetected, "ball_not_detected"),
        ("2", AutoBallDirectionWrong, "ball_direction"),
        ("4", AutoWheelFault, "wheel_fault"),
        ("8", AutoLaunchFailed, "launch_failed"),
    ],
)
def test_a_flag_after_the_launch_is_reported_once_and_makes_the_number_doubtful(
    flag: str, kind: type[Observation], reason: str
) -> None:
    feed = Feed().statuses(1, 2).status(3, f=flag).status(3, f=flag).status(4).number()
    reported = [seen for seen in feed.seen if isinstance(seen, kind) and getattr(seen, "active", True)]
    assert len(reported) == 1
    assert reported[0].t_ns == 2 * S
    assert feed.numbers()[0].doubts == (reason,)


def test_a_launch_that_failed_and_was_repeated_raises_no_doubt() -> None:
    feed = Feed().status(1).status(2, f="A").status(2).statuses(3, 4).number()
    assert AutoLaunchFailed(t_ns=S, state=WheelState.LAUNCH) in feed.seen
    assert AutoBallDirectionWrong(t_ns=S, state=WheelState.LAUNCH) in feed.seen
    assert feed.numbers()[0].agreed


def test_a_flag_that_is_still_up_when_the_launch_ends_makes_the_number_doubtful() -> None:
    feed = Feed().status(1).status(2, f="2").status(3, f="2").status(4).number()
    assert feed.numbers()[0].doubts == ("ball_direction",)


def test_the_end_of_a_fault_is_reported() -> None:
    feed = Feed().statuses(1, 2, 3).status(4, f="4").status(6, f="4").status(6)
    assert [seen for seen in feed.seen if isinstance(seen, AutoWheelFault | AutoNoNumber)] == [
        AutoWheelFault(t_ns=2 * S, state=WheelState.NO_MORE_BETS),
        AutoWheelFault(t_ns=3 * S, state=WheelState.CLOSED, active=False),
        AutoNoNumber(t_ns=3 * S, state=WheelState.CLOSED, doubts=("wheel_fault",)),
    ]


def test_its_view_has_the_flags_of_the_last_status() -> None:
    feed = Feed().status(1)
    assert isinstance(feed.driver, StarXWheel)
    assert dict(feed.driver.view(feed.t_ns).facts)["flags"] == "none"
    feed.status(2, f="3")
    assert dict(feed.driver.view(feed.t_ns).facts)["flags"] == "ball_not_detected, ball_direction"


@pytest.mark.parametrize("flag", ["0", "4"])
def test_the_first_status_after_a_gap_settles_the_fault(flag: str) -> None:
    feed = Feed().statuses(1, 2, 3).status(4, f="4")
    feed.seen += feed.driver.due(feed.t_ns + 60 * S)
    feed.t_ns += 60 * S
    feed.line(b"00;0").status(6, number=0, ww="  ", f=flag)
    last = [seen.active for seen in feed.seen if isinstance(seen, AutoWheelFault)]
    assert last == ([True, False] if flag == "0" else [True, True])


@pytest.mark.parametrize("flag", [AutoBallNotDetected, AutoBallDirectionWrong, AutoLaunchFailed])
def test_a_flag_that_is_up_before_and_after_a_gap_is_reported_twice(flag: type[Observation]) -> None:
    number = {AutoBallNotDetected: "1", AutoBallDirectionWrong: "2", AutoLaunchFailed: "8"}[flag]
    feed = Feed().status(1).status(1, f=number)
    feed.seen += feed.driver.due(feed.t_ns + 60 * S)
    feed.t_ns += 60 * S
    feed.status(1, f=number).status(1, f=number)
    assert sum(isinstance(seen, flag) for seen in feed.seen) == 2


@pytest.mark.parametrize("rpm", [401, 953, 983])
def test_a_speed_that_no_rotor_has_is_refused_with_its_line(rpm: int) -> None:
    feed = Feed().statuses(1, 2, 3).status(4, rpm=rpm).status(4, rpm=rpm).status(4).number()
    assert feed.doubts() == ["rotor_speed"]
    assert feed.numbers()[0].doubts == ("rotor_speed",)
    assert feed.numbers()[0].rpm_max == 17.0


def test_a_spin_of_which_no_speed_was_received_has_zeros_for_it() -> None:
    feed = Feed().statuses(1, 2).status(3, rpm=953).status(4, rpm=953).number(rpm=953)
    assert [(one.rpm_min, one.rpm_max) for one in feed.numbers()] == [(0.0, 0.0)]


def test_a_line_with_a_speed_that_no_rotor_has_keeps_its_flags_and_its_state() -> None:
    feed = Feed().statuses(1, 2).status(3, rpm=953, f="1").status(4, rpm=983, f="6")
    assert feed.seen[1:] == [
        AutoDoubt(t_ns=1500 * MS, reason="rotor_speed", detail="expected at most 40 rpm, saw 95.3"),
        AutoSpinStarted(t_ns=2 * S, direction="cw", rpm=None, spin_number=117, flags=WheelFlag(7)),
        AutoNoMoreBets(t_ns=2 * S, rpm=None),
        AutoBallNotDetected(t_ns=2 * S, state=WheelState.NO_MORE_BETS),
        AutoBallDirectionWrong(t_ns=2 * S, state=WheelState.NO_MORE_BETS),
        AutoWheelFault(t_ns=2 * S, state=WheelState.NO_MORE_BETS),
    ]
    doubts = feed.status(4).number().numbers()[0].doubts
    assert doubts == ("ball_not_detected", "rotor_speed", "ball_direction", "wheel_fault")


def test_a_rotor_that_changes_its_direction_during_a_spin_is_reported() -> None:
    feed = Feed().statuses(1, 2, 3).status(4, d=1).number(d=1)
    assert feed.doubts() == ["rotor_direction"]
    assert not feed.numbers()[0].agreed


def test_the_rotor_may_change_its_direction_between_spins() -> None:
    feed = Feed().statuses(1, 2, 3, 4).number("13").status(1, d=1)
    feed.status(2, d=1).status(3, d=1).status(4, d=1).number(d=1)
    assert [number.agreed for number in feed.numbers()] == [True, True]


@pytest.mark.parametrize(("old", "new"), [(117, 118), (999, 0), (999, 1)])
@pytest.mark.parametrize("step_at", [1, 2, 3, 4, 5])
def test_the_spin_number_goes_up_by_one_in_any_state_and_wraps(old: int, new: int, step_at: int) -> None:
    feed = Feed().status(6, old)
    for state in (1, 2, 3, 4):
        feed.status(state, new if state >= step_at else old)
    assert feed.number(number=new).numbers()[0].agreed


@pytest.mark.parametrize("states", [(1, 2, 1), (1, 2, 3, 4, 1, 1)])
def test_a_game_that_came_to_nothing_has_its_number_too(states: tuple[int, ...]) -> None:
    feed = Feed().status(1, 116)
    for state in states:
        feed.status(state, 117)
    feed.status(2, 117).status(3, 118).status(4, 118).number(number=118)
    assert feed.numbers()[0].agreed


@pytest.mark.parametrize("numbers", [(117, 117, 119), (117, 118, 119), (117, 118, 117), (117, 116, 116)])
def test_a_spin_number_that_jumps_during_a_spin_is_reported(numbers: tuple[int, int, int]) -> None:
    feed = Feed().status(1, 117).status(2, numbers[0]).status(3, numbers[1]).status(4, numbers[2])
    feed.number(number=numbers[2])
    assert "spin_number" in feed.doubts()
    assert not feed.numbers()[0].agreed


def test_repeated_lines_change_nothing() -> None:
    once = Feed().statuses(1, 2, 3, 3, 4).number()
    twice = Feed()
    for state in (1, 2, 3, 3, 4):
        twice.status(state).line(b"*X;%d;117;13;0;170;0" % state, after_ns=0)
    twice.number().line(b"*X;5;117;22;0;170;0", after_ns=0).line(b"22", after_ns=0)
    # A line that is sent twice has no wrong byte: it confirms the spin.
    started = next(seen for seen in once.seen if isinstance(seen, AutoSpinStarted))
    sooner = msgspec.structs.replace(started, t_ns=1500 * MS)
    assert twice.seen == [sooner if seen is started else seen for seen in once.seen]


def test_replies_and_bonuses_are_ignored() -> None:
    feed = Feed().statuses(1, 2, 3).line(b"*P OK").line(b"*Y;1;003").status(4).line(b"*V 2.50", 0).number()
    assert feed.doubts() == []
    assert feed.numbers()[0].agreed


def test_noise_during_a_spin_is_reported_once_and_makes_the_number_doubtful() -> None:
    feed = Feed().statuses(1, 2, 3).line(b"\xff\xfe", 10 * MS).line(b"*X;4;1", 10 * MS).status(4).number()
    assert feed.doubts() == ["malformed"]
    assert feed.numbers()[0].doubts == ("malformed",)


@pytest.mark.parametrize("flaw", [b"\xff", b"*X;2;1", b"17", b"*X;2;117;13;0;953;0", b"*X;2;119;13;8;170;1"], ids=repr)
def test_a_flaw_while_the_game_is_open_does_not_cost_the_number(flaw: bytes) -> None:
    feed = Feed().status(1).status(2).line(flaw).status(2).statuses(3, 4).number()
    assert feed.numbers()[0].agreed


def test_noise_before_the_game_is_open_raises_no_doubt() -> None:
    feed = Feed().line(b";0;170;0").status(1).line(b"\xff").statuses(2, 3, 4).number()
    assert feed.doubts() == ["malformed", "malformed"]
    assert feed.numbers()[0].agreed


def test_a_status_that_does_not_come_for_two_seconds_is_a_fault_of_the_link() -> None:
    feed = Feed().statuses(1, 2, 3)
    assert feed.driver.next_due_ns == feed.t_ns + 2 * S
    assert feed.driver.due(feed.t_ns + 2 * S - 1) == []
    feed.seen += feed.driver.due(feed.t_ns + 60 * S)
    assert feed.seen[-1] == AutoLink(t_ns=feed.t_ns + 2 * S, up=False)
    assert feed.driver.next_due_ns is None
    feed.t_ns += 60 * S
    feed.status(4)
    assert feed.seen[-2] == AutoLink(t_ns=feed.t_ns, up=True, spinning=True)
    feed.status(4)
    assert feed.kinds()[-3:] == ["AutoDoubt", "AutoSpinStarted", "AutoNoMoreBets"]
    assert not feed.number().numbers()[0].agreed


def test_a_wheel_that_never_sends_is_a_fault_of_the_link() -> None:
    feed = Feed()
    assert feed.driver.due(5 * S) == []
    assert feed.driver.next_due_ns == 7 * S
    assert feed.driver.due(8 * S) == [AutoLink(t_ns=7 * S, up=False)]


def test_a_link_that_is_unplugged_is_down_at_once_and_reported_once() -> None:
    feed = Feed().statuses(1, 2, 3)
    loss = EdgesLost(LINK, Loss.UNPLUGGED, feed.t_ns + 1)
    assert feed.driver.lost(loss) == [AutoLink(t_ns=feed.t_ns + 1, up=False)]
    assert feed.driver.lost(loss) == []
    assert feed.driver.due(feed.t_ns + 99 * S) == []


def test_lost_frames_make_the_spin_doubtful() -> None:
    feed = Feed().statuses(1, 2, 3)
    feed.seen += feed.driver.lost(EdgesLost(LINK, Loss.OVERFLOW, feed.t_ns))
    feed.status(4).number()
    assert feed.doubts() == ["frames_lost"]
    assert not feed.numbers()[0].agreed


def test_other_lines_are_ignored() -> None:
    feed = Feed()
    assert feed.driver.frame(Frame("shoe_serial", b"22", 1)) == []
    assert feed.driver.lost(EdgesLost("ball_1", Loss.OVERFLOW, 1)) == []
    assert feed.driver.edges([Edge("ball_1", 1, 1)]) == []
    assert feed.driver.reading(Reading("level_x", 0.0, 1)) == []


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.data())
def test_when_due_is_called_changes_nothing(seed: int, data: st.DataObject) -> None:
    fault = data.draw(st.sampled_from([None, "cut_cable", "stray_number", "noise", "bare_missing"]))
    spin = StarXSimulator(seed).spin(fault)
    lines = frames(spin.chunks)
    plain, watched = StarXWheel(StarXConfig(), "wheel"), StarXWheel(StarXConfig(), "wheel")
    expected = [seen for value in lines for seen in take(plain, value)] + plain.due(spin.until_ns)
    seen: list[Observation] = []
    for value in lines:
        if data.draw(st.booleans()):
            due_ns = watched.next_due_ns
            seen += watched.due(value.t_ns - 1 if due_ns is None else min(due_ns, value.t_ns - 1))
        seen += take(watched, value)
    seen += watched.due(spin.until_ns)
    # Before anything was received, only `due` tells the driver that time has begun.
    assert seen == expected


def test_observations_come_in_the_order_of_time() -> None:
    driver = StarXWheel(StarXConfig(), "wheel")
    lines = [value for spin in StarXSimulator(3).spins(5, {2: "cut_cable"}) for value in frames(spin.chunks)]
    times = [seen.t_ns for value in lines for seen in take(driver, value)]
    assert times == sorted(times)


def test_every_key_of_the_configuration_is_explained_and_bounded() -> None:
    for field in msgspec.json.schema(StarXConfig)["$defs"]["StarXConfig"]["properties"].items():
        name, schema = field
        assert name == "driver" or schema["description"]
    with pytest.raises(msgspec.ValidationError, match="max_rotor_rpm"):
        msgspec.convert({"max_rotor_rpm": 99}, StarXConfig)
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert({"max_rotor": 30}, StarXConfig)


def test_a_bare_number_may_not_outlive_the_link() -> None:
    assert StarXConfig().problems() == []
    assert StarXConfig(bare_number_s=2, status_timeout_s=1).problems()[0][0] == "bare_number_s"
