"""What the driver of an automated shaker makes of its lines and frames."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dice.automated_shaker import (
    AutomatedShaker,
    AutomatedShakerConfig,
    ShakerActuator,
    ShakerPresent,
    ShakerQuiet,
    ShakerTrouble,
    TossAnswered,
    TossDoubt,
    TossLies,
    TossMoving,
)
from drivers.dice.frame_wire import SUCCESS, FrameCommand, ShakerFrame, encode_frame
from hal.values import Edge, EdgesLost, Frame, Loss

MS = 1_000_000
LINES = AutomatedShakerConfig(present_sensor=True)
SERIAL = AutomatedShakerConfig(control="serial")


def heard(shaker: AutomatedShaker, *edges: tuple[str, int, int], until: int = 10_000) -> list[Observation]:
    """What is said of edges at these milliseconds."""
    said = shaker.edges([Edge(line, level, ms * MS) for line, level, ms in edges])
    return [*said, *shaker.due(until * MS)]


def test_it_wants_the_lines_of_its_control_and_its_place_where_that_has_a_sensor() -> None:
    assert AutomatedShaker(LINES).lines == {"shaker_busy", "shaker_fault", "automated_shaker_present"}
    assert AutomatedShaker(SERIAL).lines == {"shaker_serial"}


def test_a_toss_is_told_when_its_contact_has_held_and_dated_when_it_closed() -> None:
    said = heard(AutomatedShaker(LINES), ("shaker_busy", 0, 0), ("shaker_busy", 1, 1000), ("shaker_busy", 0, 6000))
    assert said == [
        TossMoving(t_ns=1020 * MS, moving=True, since_ns=1000 * MS),
        TossMoving(t_ns=6020 * MS, moving=False, since_ns=6000 * MS),
    ]


def test_a_toss_that_is_given_up_before_it_begins_is_over_when_its_start_is_overdue() -> None:
    actuator = ShakerActuator(LINES)
    actuator.start_toss(0)
    actuator.stop(1 * MS)
    start_ns = round(LINES.start_s * 1e9)
    found: list[Observation] = []
    while actuator.next_due_ns <= start_ns:
        found += actuator.due(actuator.next_due_ns)
    assert found == [ShakerQuiet(t_ns=start_ns)]


def test_a_serial_toss_is_quiet_when_its_dice_are_reported_and_at_no_deadline_before() -> None:
    actuator = ShakerActuator(SERIAL)
    actuator.start_toss(0)
    found: list[Observation] = []
    for command in (FrameCommand.START, FrameCommand.STOP):
        found += actuator.observe(TossAnswered(t_ns=actuator.next_due_ns - 1, command=command, done=True))
        assert actuator.due(actuator.next_due_ns) == [], "it is sent what ends the toss, or what asks for its dice"
    lies_ns = actuator.next_due_ns - 1
    found += actuator.observe(TossAnswered(t_ns=lies_ns, command=FrameCommand.QUERY, done=True, values=(1, 2, 3)))
    assert found[1:] == [TossLies(t_ns=lies_ns, values=(1, 2, 3)), ShakerQuiet(t_ns=lies_ns)]


def test_a_contact_that_trembles_has_not_changed() -> None:
    assert heard(AutomatedShaker(LINES), ("shaker_busy", 0, 0), ("shaker_busy", 1, 100), ("shaker_busy", 0, 110)) == []


def test_its_fault_and_its_place_are_told_both_ways() -> None:
    said = heard(
        AutomatedShaker(LINES),
        *(("shaker_fault", 0, 0), ("automated_shaker_present", 1, 0), ("shaker_fault", 1, 100)),
        *(("shaker_fault", 0, 200), ("automated_shaker_present", 0, 300)),
    )
    assert said == [
        ShakerPresent(t_ns=0, present=True),
        ShakerTrouble(t_ns=120 * MS, active=True),
        ShakerTrouble(t_ns=220 * MS, active=False),
        ShakerPresent(t_ns=320 * MS, present=False),
    ]


def test_its_view_shows_what_its_contacts_report() -> None:
    shaker = AutomatedShaker(LINES)
    heard(shaker, ("shaker_busy", 0, 0), ("shaker_fault", 0, 0), until=50)
    view = shaker.view(50 * MS)
    assert (view.moving, view.trouble, dict(view.facts)["trouble"]) == (False, False, "none")
    heard(shaker, ("shaker_busy", 1, 100), ("shaker_fault", 1, 100), until=200)
    view = shaker.view(200 * MS)
    assert (view.moving, view.trouble, dict(view.facts)["trouble"]) == (True, True, "reported")


def test_a_line_that_was_gone_and_is_back_tells_what_it_is_now() -> None:
    shaker = AutomatedShaker(LINES)
    heard(shaker, ("shaker_busy", 0, 0), ("shaker_busy", 1, 100), until=200)
    lost = shaker.lost(EdgesLost("shaker_busy", Loss.UNPLUGGED, 300 * MS))
    assert [type(one) for one in lost] == [TossDoubt, SensorDead]
    back = heard(shaker, ("shaker_busy", 0, 900))
    assert back[0] == SensorAlive(t_ns=900 * MS, line="shaker_busy")
    assert back[1] == TossMoving(t_ns=900 * MS, moving=False, since_ns=900 * MS)


def test_a_serial_shakers_answers_are_told_with_the_values_of_a_query() -> None:
    shaker = AutomatedShaker(SERIAL)
    started = shaker.frame(Frame("shaker_serial", encode_frame(ShakerFrame(FrameCommand.START, SUCCESS)), 5))
    asked = shaker.frame(Frame("shaker_serial", encode_frame(ShakerFrame(FrameCommand.QUERY, SUCCESS, b"\1\2\3")), 6))
    assert started == [TossAnswered(t_ns=5, command=FrameCommand.START, done=True)]
    assert asked == [TossAnswered(t_ns=6, command=FrameCommand.QUERY, done=True, values=(1, 2, 3))]
    refused = shaker.frame(Frame("shaker_serial", encode_frame(ShakerFrame(FrameCommand.STOP, 0)), 7))
    assert refused == [TossAnswered(t_ns=7, command=FrameCommand.STOP, done=False)]


@given(st.binary(max_size=20))
def test_any_bytes_on_its_link_are_an_answer_or_a_doubt(data: bytes) -> None:
    said = AutomatedShaker(SERIAL).frame(Frame("shaker_serial", data, 5))
    assert [type(one) in (TossAnswered, TossDoubt) for one in said] == [True]


def test_other_lines_and_links_mean_nothing_to_it() -> None:
    shaker = AutomatedShaker(LINES)
    assert shaker.edges([Edge("cover", 1, 1)]) == []
    assert shaker.frame(Frame("shaker_serial", b"", 1)) == []
    assert shaker.lost(EdgesLost("cover", Loss.UNPLUGGED, 1)) == []


def test_a_toss_that_could_never_be_long_enough_is_a_mistake_in_the_file() -> None:
    assert [key for key, _, _ in AutomatedShakerConfig(shortest_s=20.0, longest_s=5.0).problems()] == ["shortest_s"]
    assert LINES.problems() == []
