"""What every actuator of the catalogue keeps to, whatever its device: deadlines advance, rest changes nothing."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.catalogue import DEVICES
from drivers.base.actuator import Actuator
from drivers.base.device_spec import DeviceSpec
from drivers.base.driver import NEVER_NS
from drivers.cards.progressive import AcceptorActuator
from drivers.coins.coin_bus import CoinBus
from drivers.dice.automated_shaker import ShakerActuator
from drivers.dice.cage_motor import CageMotorActuator
from drivers.dice.reader import ReaderActuator
from drivers.lamps.lamp_board import LampActuator
from drivers.lamps.puck import LINES, PuckActuator
from drivers.pusher.board import PusherBoardUp
from drivers.pusher.board_actuator import PusherBoardActuator
from drivers.reels.actuator import ReelsActuator
from drivers.reels.reels import ReelsReachable
from drivers.reels.reels_wire import place_of
from drivers.screen.actuator import ScreenActuator, ScreenModel
from drivers.screen.screen import ScreenUp
from drivers.screen.screen_wire import ScreenHello
from hal.values import EdgesLost, Frame, Loss

PARTS: Final = [f"part {number}" for number in range(1, 51)]
S: Final = 1_000_000_000
HELLO: Final = ScreenHello(
    session="1", at=0, program="p", display="d", width=1, height=1, refresh_mhz=0, synchronised=True, touch=""
)


def commanded(spec: DeviceSpec) -> bool:
    """Whether the device has an actuator."""
    return spec.make(spec.keys(), spec.name, parts_of(spec)).actuator is not None


def parts_of(spec: DeviceSpec) -> list[str]:
    """Parts that the device can have."""
    return {"lamp_board": PARTS, "puck": list(LINES), "buttons": []}.get(spec.name, PARTS[:3])


COMMANDED: Final = [spec for spec in DEVICES if commanded(spec)]


AT_ONCE: Final = [spec for spec in COMMANDED if spec.name != "cctalk"]
"""Those whose commands are outputs at once: a bus asks one device after the other, and leaves it quiet after `rest`."""


def made(spec: DeviceSpec) -> Actuator:
    actuator = spec.make(spec.keys(), spec.name, parts_of(spec)).actuator
    assert actuator is not None
    return actuator


def command(actuator: Actuator, t_ns: int) -> None:
    """Whatever sets the device going."""
    match actuator:
        case ShakerActuator():
            actuator.start_toss(t_ns)
        case CageMotorActuator():
            actuator.turn(t_ns, 3)
        case LampActuator():
            actuator.light({1, 2}, t_ns)
        case ReaderActuator():
            actuator.ask(t_ns)
        case AcceptorActuator():
            actuator.lock(True, t_ns)
        case PuckActuator():
            actuator.show(True, 4, t_ns)
        case CoinBus():
            actuator.accept(True, t_ns)
        case PusherBoardActuator():
            actuator.observe(PusherBoardUp(t_ns=t_ns, serial=0))
        case ReelsActuator():
            actuator.observe(ReelsReachable(t_ns=t_ns, link=place_of(1)[0]))
            actuator.spin(1, t_ns)
        case ScreenActuator():
            actuator.set_up(ScreenModel("test", (("a", "b", "c", "d"),) * 3, ((0, 0, 0),), (), 100_000_000))
            actuator.observe(ScreenUp(t_ns=t_ns, hello=HELLO, again=False))
            actuator.spin(1, t_ns)
        case _:
            raise AssertionError(f"tell this test what sets a {type(actuator).__name__} going")


def test_the_commanded_devices_are_found() -> None:
    names = {spec.name for spec in COMMANDED}
    assert names >= {"dice_reader", "cage_motor", "automated_shaker", "lamp_board", "puck"}


@pytest.mark.parametrize("spec", AT_ONCE, ids=lambda spec: spec.name)
def test_a_command_gives_outputs_of_its_own_time(spec: DeviceSpec) -> None:
    actuator = made(spec)
    command(actuator, 7 * S)
    assert actuator.outputs
    assert {output.t_ns for output in actuator.outputs} == {7 * S}


@pytest.mark.parametrize("spec", AT_ONCE, ids=lambda spec: spec.name)
def test_rest_changes_nothing_of_what_is_under_way(spec: DeviceSpec) -> None:
    actuator, other = made(spec), made(spec)
    for one in (actuator, other):
        command(one, S)
    assert all(output.t_ns == 2 * S for output in actuator.rest(2 * S))
    assert (actuator.outputs, actuator.next_due_ns) == (other.outputs, other.next_due_ns)
    assert actuator.due(100 * S) == other.due(100 * S)


@pytest.mark.parametrize("spec", COMMANDED, ids=lambda spec: spec.name)
@given(steps=st.lists(st.integers(1, 40 * S), max_size=12))
def test_its_deadlines_advance_and_its_reports_come_at_them(spec: DeviceSpec, steps: list[int]) -> None:
    actuator = made(spec)
    t_ns = S
    for step in steps:
        command(actuator, t_ns)
        t_ns += step
        for _ in range(1000):
            due_ns = actuator.next_due_ns
            if due_ns > t_ns:
                break
            assert all(report.t_ns == due_ns for report in actuator.due(due_ns))
            assert all(output.t_ns <= due_ns for output in actuator.outputs)
        assert actuator.next_due_ns > t_ns


@pytest.mark.long
@pytest.mark.parametrize("spec", COMMANDED, ids=lambda spec: spec.name)
@given(data=st.lists(st.tuples(st.binary(max_size=30), st.integers(0, 5 * S)), max_size=20))
def test_no_garbage_of_its_link_breaks_it(spec: DeviceSpec, data: list[tuple[bytes, int]]) -> None:
    driver, actuator = spec.make(spec.keys(), spec.name, parts_of(spec))
    assert actuator is not None
    t_ns = S
    command(actuator, t_ns)
    for garbage, wait_ns in data:
        t_ns += wait_ns
        for line in sorted(driver.lines) if driver is not None else ():
            values = driver.frame(Frame(line, garbage, t_ns)) if driver is not None else []
            values += driver.lost(EdgesLost(line, Loss.UNPLUGGED, t_ns)) if driver is not None else []
            for seen in values:
                if type(seen) in actuator.observes:
                    assert all(report.t_ns == t_ns for report in actuator.observe(seen))
    assert actuator.next_due_ns <= NEVER_NS
