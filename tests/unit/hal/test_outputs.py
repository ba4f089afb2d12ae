"""Outputs go safe: at their longest on-time, on a fault, at the close and at the exit."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin
from hypothesis import given
from hypothesis import strategies as st

from hal.backends.gpiozero import GpiozeroLines
from hal.clock import NS_PER_S, VirtualClock
from hal.lines import LineError, LineSpec
from hal.loop import VirtualLoop
from hal.outputs import MOVING, OutputGuard, Outputs, OutputSpec, OutputWatcher
from hal.outputs_gpiod import GpiodOutputs
from hal.outputs_gpiozero import GpiozeroOutputs
from tests.fakes.fake_gpiod import FakeChip, FakeKernel
from tests.fakes.time_limits import HANG_S

ROOT = Path(__file__).parents[3]
LAMP = OutputSpec("lamp", 22, max_on_ns=100)


class Wires:
    """A writer that remembers."""

    def __init__(self) -> None:
        self.written: list[tuple[str, float]] = []
        self.opened: dict[str, float] = {}
        self.closed = 0
        self.broken = False

    def open(self, wires: Mapping[str, float]) -> None:
        self.opened = dict(wires)

    def write(self, name: str, wire: float) -> None:
        if self.broken:
            raise OSError(errno.ENODEV, "No such device")
        self.written.append((name, wire))

    def close(self) -> None:
        self.closed += 1


# The guard, sans-I/O.


def test_an_output_begins_safe_and_takes_what_it_is_set_to() -> None:
    guard = OutputGuard(LAMP)
    assert (guard.value, guard.next_due_ns) == (0.0, None)
    assert guard.set(1, 10) == 1
    assert guard.next_due_ns == 110
    assert guard.set(0, 20) == 0
    assert guard.next_due_ns is None


def test_what_it_is_already_is_not_written_again() -> None:
    guard = OutputGuard(LAMP)
    assert guard.set(0, 5) is None
    guard.set(1, 10)
    assert guard.set(1, 20) is None


def test_at_its_longest_on_time_it_goes_safe_and_not_a_nanosecond_before() -> None:
    guard = OutputGuard(LAMP)
    guard.set(1, 10)
    assert guard.due(109) is None
    assert guard.due(110) == 0
    assert guard.due(111) is None
    assert guard.timed_out


def test_repeating_a_command_does_not_extend_the_time() -> None:
    guard = OutputGuard(LAMP)
    guard.set(1, 10)
    guard.set(1, 100)
    assert guard.next_due_ns == 110


def test_after_a_time_out_it_stays_safe_until_it_was_set_to_safe() -> None:
    guard = OutputGuard(LAMP)
    guard.set(1, 10)
    guard.due(110)
    assert guard.set(1, 120) is None
    assert guard.value == 0
    guard.set(0, 130)
    assert guard.set(1, 140) == 1


def test_a_command_after_an_unserved_deadline_finds_the_output_timed_out() -> None:
    guard = OutputGuard(LAMP)
    guard.set(1, 10)
    assert guard.set(1, 500) == 0
    assert guard.timed_out


def test_a_fault_holds_it_safe_until_it_is_cleared() -> None:
    guard = OutputGuard(LAMP)
    guard.set(1, 10)
    assert guard.fail("door open") == 0
    assert guard.set(1, 20) is None
    assert guard.fault == "door open"
    guard.clear()
    assert guard.value == 0
    assert guard.set(1, 30) == 1


def test_safe_can_be_on() -> None:
    guard = OutputGuard(replace(LAMP, safe=1.0))
    assert guard.value == 1
    assert guard.set(0, 10) == 0
    assert guard.due(110) == 1


def test_values_between_need_pwm() -> None:
    with pytest.raises(ValueError, match=r"'lamp'.*0\.5"):
        OutputGuard(LAMP).set(0.5, 10)
    dimmed = OutputGuard(replace(LAMP, pwm_hz=200.0))
    assert dimmed.set(0.5, 10) == 0.5
    assert dimmed.set(0.25, 20) == 0.25
    assert dimmed.next_due_ns == 110
    with pytest.raises(ValueError, match=r"1\.5"):
        dimmed.set(1.5, 30)


@given(st.lists(st.tuples(st.sampled_from(["on", "off", "due", "fail", "clear"]), st.integers(0, 60))))
def test_it_is_never_on_for_longer_than_its_longest_on_time(steps: list[tuple[str, int]]) -> None:
    guard, t_ns, on_since_ns = OutputGuard(LAMP), 0, None
    for what, pause_ns in steps:
        until_ns = t_ns + pause_ns
        if guard.next_due_ns is not None and guard.next_due_ns <= until_ns:
            guard.due(guard.next_due_ns)  # What the timer does.
            assert guard.value == 0
            on_since_ns = None
        t_ns = until_ns
        if what in ("on", "off"):
            guard.set(float(what == "on"), t_ns)
        elif what == "due":
            guard.due(t_ns)
        elif what == "fail":
            guard.fail("why")
        else:
            guard.clear()
        on_since_ns = (t_ns if on_since_ns is None else on_since_ns) if guard.value else None
        assert on_since_ns is None or t_ns - on_since_ns < 100
        assert (guard.next_due_ns is None) == (guard.value == 0)


@pytest.mark.parametrize("kind", MOVING)
def test_what_moves_is_refused_and_sent_to_a_board(kind: str) -> None:
    with pytest.raises(LineError, match=rf"a {kind} moves.*board"):
        OutputGuard(replace(LAMP, kind=kind))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (replace(LAMP, kind="lmap"), "expected kind = lamp or signal, got 'lmap'"),
        (replace(LAMP, gpio=None), "expected a GPIO number"),
        (replace(LAMP, max_on_ns=0), "longest on-time above 0"),
        (replace(LAMP, pwm_hz=0.0), "PWM frequency above 0"),
        (replace(LAMP, safe=0.5), "safe value 0.5"),
    ],
)
def test_an_output_that_cannot_be_is_refused(spec: OutputSpec, said: str) -> None:
    assert said in (spec.refusal() or "")
    with pytest.raises(LineError, match="'lamp'"):
        OutputGuard(spec)


# On the event loop.


class Table:
    def __init__(self, *specs: OutputSpec) -> None:
        self.wires = Wires()
        self.clock = VirtualClock()
        self.loop = VirtualLoop(self.clock)
        self.outputs = Outputs(specs, self.wires, self.clock, loop=self.loop)
        self.outputs.open()

    def pass_time(self, seconds: float) -> None:
        self.loop.call_later(seconds, self.loop.stop)
        self.loop.run_forever()


@pytest.fixture
def make_table() -> Iterator[Callable[..., Table]]:
    tables: list[Table] = []

    def make(*specs: OutputSpec) -> Table:
        tables.append(Table(*specs))
        return tables[-1]

    yield make
    for table in tables:
        table.outputs.close()
        table.loop.close()


LONG = OutputSpec("lamp", 22, max_on_ns=10 * NS_PER_S)
OTHER = OutputSpec("sign", 23, kind="signal", inverted=True, max_on_ns=3 * NS_PER_S)


def test_outputs_are_opened_safe_with_inversion_on_the_wire(make_table: Callable[..., Table]) -> None:
    assert make_table(LONG, OTHER).wires.opened == {"lamp": 0.0, "sign": 1.0}


def test_the_loop_turns_outputs_off_each_at_its_own_time(make_table: Callable[..., Table]) -> None:
    table = make_table(LONG, OTHER)
    table.outputs.set("lamp", 1)
    table.outputs.set("sign", 1)
    assert table.wires.written == [("lamp", 1.0), ("sign", 0.0)]
    table.pass_time(2.9)
    assert len(table.wires.written) == 2
    table.pass_time(0.2)
    assert table.wires.written[2:] == [("sign", 1.0)]
    table.pass_time(7.0)
    assert table.wires.written[3:] == [("lamp", 0.0)]


def test_a_command_that_is_not_obeyed_is_answered_with_its_cause(make_table: Callable[..., Table]) -> None:
    table = make_table(LONG)
    table.outputs.set("lamp", 1)
    table.pass_time(11)
    with pytest.raises(LineError, match="held safe: it was on for 10 s"):
        table.outputs.set("lamp", 1)
    table.outputs.fail("encoder_slip")
    with pytest.raises(LineError, match="held safe: encoder_slip"):
        table.outputs.set("lamp", 1)


def test_a_fault_makes_all_outputs_safe_until_it_is_cleared(make_table: Callable[..., Table]) -> None:
    table = make_table(LONG, OTHER)
    table.outputs.set("lamp", 1)
    table.outputs.fail("not_level")
    assert table.wires.written == [("lamp", 1.0), ("lamp", 0.0)]
    assert table.outputs.faults == {"lamp": "not_level", "sign": "not_level"}
    table.outputs.clear()
    assert table.outputs.faults == {}
    table.outputs.set("lamp", 1)


def test_closing_makes_outputs_safe_once_and_refuses_commands(make_table: Callable[..., Table]) -> None:
    table = make_table(LONG)
    table.outputs.set("lamp", 1)
    table.outputs.close()
    table.outputs.close()
    assert table.wires.written == [("lamp", 1.0), ("lamp", 0.0)]
    assert table.wires.closed == 1
    with pytest.raises(LineError, match="not open"):
        table.outputs.set("lamp", 1)


def test_a_wire_that_cannot_be_written_is_a_fault_and_no_traceback_in_the_loop(
    make_table: Callable[..., Table],
) -> None:
    table = make_table(LONG)
    table.outputs.set("lamp", 1)
    table.wires.broken = True
    table.pass_time(11)
    assert "No such device" in table.outputs.faults["lamp"]
    with pytest.raises(LineError, match="No such device"):
        table.outputs.set("lamp", 1)


def test_an_output_that_is_not_there_is_answered_with_those_that_are(make_table: Callable[..., Table]) -> None:
    with pytest.raises(LineError, match=r"'lmap'.*there are lamp, sign"):
        make_table(LONG, OTHER).outputs.set("lmap", 1)


def test_two_outputs_of_one_name_are_refused() -> None:
    with pytest.raises(LineError, match=r"'lamp'.*twice"):
        Outputs([LONG, LONG], Wires(), VirtualClock())


# A writer that tells what became of its outputs.


class Answering(Wires):
    """A writer that remembers whom it tells."""

    def report_to(self, watcher: OutputWatcher) -> None:
        self.watcher = watcher


@pytest.fixture
def answering() -> Iterator[tuple[Outputs, Answering]]:
    """Two outputs of such a writer, open."""
    wires, loop = Answering(), VirtualLoop()
    outputs = Outputs([LONG, OTHER], wires, loop.clock, loop=loop)
    outputs.open()
    yield outputs, wires
    outputs.close()
    loop.close()


def test_while_the_outputs_are_unreachable_nothing_is_written_and_only_safe_is_accepted(
    answering: tuple[Outputs, Answering],
) -> None:
    outputs, wires = answering
    outputs.set("lamp", 1)
    wires.watcher.gone("the cable is out")
    assert outputs.faults == {"lamp": "the cable is out", "sign": "the cable is out"}
    with pytest.raises(LineError, match="'sign': it is held safe: the cable is out"):
        outputs.set("sign", 1)
    outputs.set("lamp", 0)
    outputs.set("sign", 0)
    assert wires.written == [("lamp", 1.0)]
    wires.watcher.back()
    assert outputs.faults == {}
    outputs.set("lamp", 1)
    assert wires.written[1:] == [("lamp", 1.0)]


def test_a_refusal_holds_one_output_until_it_is_cleared_or_its_hardware_is_back(
    answering: tuple[Outputs, Answering],
) -> None:
    outputs, wires = answering
    for end in (outputs.clear, wires.watcher.back):
        outputs.set("lamp", 1)
        wires.watcher.refused("lamp", "busy")
        assert wires.written[-1] == ("lamp", 0.0)
        assert outputs.faults == {"lamp": "busy"}
        with pytest.raises(LineError, match="held safe: busy"):
            outputs.set("lamp", 1)
        end()
        assert outputs.faults == {}


def test_what_its_hardware_stopped_is_held_until_it_is_set_to_safe(answering: tuple[Outputs, Answering]) -> None:
    outputs, wires = answering
    outputs.set("lamp", 1)
    wires.watcher.stopped(["lamp", "sign"], "the host was silent")
    assert outputs.faults == {"lamp": "the host was silent"}
    with pytest.raises(LineError, match="the host was silent; set it to its safe value first"):
        outputs.set("lamp", 1)
    outputs.set("lamp", 0)
    assert outputs.faults == {}


EXITING = """
from hal.clock import SystemClock
from hal.outputs import OutputSpec
from hal.outputs import Outputs
import asyncio

class Wires:
    def open(self, wires): print("open", wires)
    def write(self, name, wire): print(name, wire)
    def close(self): print("closed")

async def main():
    outputs = Outputs([OutputSpec("lamp", 22)], Wires(), SystemClock())
    outputs.open()
    outputs.set("lamp", 1)
    raise RuntimeError("nobody closed it")

asyncio.run(main())
"""


def test_a_program_that_ends_by_an_error_leaves_its_outputs_safe() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", EXITING], cwd=ROOT, capture_output=True, text=True, check=False, timeout=HANG_S
    )
    assert ended.returncode == 1
    assert "nobody closed it" in ended.stderr
    assert ended.stdout.splitlines() == ["open {'lamp': 0.0}", "lamp 1.0", "lamp 0.0", "closed"]


# On libgpiod.


@pytest.fixture
def kernel() -> Iterator[FakeKernel]:
    kernel = FakeKernel()
    with kernel.installed():
        yield kernel


@pytest.fixture
def chip(kernel: FakeKernel) -> FakeChip:
    return kernel.add_chip()


def test_gpiod_wires_have_their_value_from_the_start_and_keep_the_last_one(kernel: FakeKernel, chip: FakeChip) -> None:
    writer = GpiodOutputs([LONG, OTHER], devices=kernel.devices)
    writer.open({"lamp": 0.0, "sign": 1.0})
    assert (chip.lines[22].level, chip.lines[23].level) == (0, 1)
    writer.write("lamp", 1.0)
    assert chip.lines[22].level == 1
    writer.close()
    writer.close()
    assert chip.lines[22].level == 1
    assert not chip.lines[22].used


def test_gpiod_lines_in_use_are_answered_with_who_holds_them(kernel: FakeKernel, chip: FakeChip) -> None:
    chip.hold(22, "led0")
    with pytest.raises(LineError, match=r"'lamp' \(GPIO22\) is held by 'led0'"):
        GpiodOutputs([LONG], devices=kernel.devices).open({"lamp": 0.0})


def test_a_gpiod_chip_that_was_removed_is_an_os_error(kernel: FakeKernel, chip: FakeChip) -> None:
    writer = GpiodOutputs([LONG], devices=kernel.devices)
    with pytest.raises(OSError, match="not open"):
        writer.write("lamp", 1.0)
    writer.open({"lamp": 0.0})
    chip.unplug()
    with pytest.raises(OSError, match="No such device"):
        writer.write("lamp", 1.0)
    writer.close()


def test_gpiod_refuses_pwm_and_several_chips(kernel: FakeKernel) -> None:
    with pytest.raises(LineError, match=r"gpiod has no PWM.*gpiozero"):
        GpiodOutputs([replace(LONG, pwm_hz=200.0)])
    with pytest.raises(LineError, match="one writer for each chip"):
        GpiodOutputs([LONG, replace(OTHER, chip="other")])
    with pytest.raises(LineError, match="at least one"):
        GpiodOutputs([])


# On gpiozero's pins.


def test_an_output_of_a_board_is_on_no_pin_of_this_computer(kernel: FakeKernel) -> None:
    motor = replace(LONG, kind="motor", board="wheel")
    with pytest.raises(LineError, match="'lamp': expected a pin of this computer, got a terminal of board 'wheel'"):
        GpiodOutputs([motor])
    with pytest.raises(LineError, match="expected a pin of this computer"):
        GpiozeroOutputs([motor], MockFactory(pin_class=MockPin))


def test_gpiozero_pins_become_outputs_with_their_value() -> None:
    factory = MockFactory(pin_class=MockPin)
    writer = GpiozeroOutputs([LONG, OTHER], factory)
    writer.open({"lamp": 0.0, "sign": 1.0})
    assert [factory.pin(gpio).function for gpio in (22, 23)] == ["output", "output"]
    assert [factory.pin(gpio).state for gpio in (22, 23)] == [False, True]
    writer.write("lamp", 1.0)
    assert factory.pin(22).state
    writer.close()
    writer.close()
    factory.close()


def test_gpiozero_dims_where_the_factory_has_pwm_and_says_so_where_it_has_not() -> None:
    dimmed = replace(LONG, pwm_hz=200.0)
    factory = MockFactory(pin_class=MockPWMPin)
    writer = GpiozeroOutputs([dimmed], factory)
    writer.open({"lamp": 0.25})
    assert (factory.pin(22).frequency, factory.pin(22).state) == (200.0, 0.25)
    writer.close()
    plain = MockFactory(pin_class=MockPin)
    with pytest.raises(LineError, match=r"'lamp'.*PinPWMUnsupported"):
        GpiozeroOutputs([dimmed], plain).open({"lamp": 0.25})
    GpiozeroOutputs([LONG], plain).open({"lamp": 0.0})  # The pin was given back.


def test_two_outputs_on_one_wire_are_refused(kernel: FakeKernel, chip: FakeChip) -> None:
    twice = [LONG, replace(OTHER, gpio="GPIO22")]
    with pytest.raises(LineError, match=r"'sign'.*GPIO22 is the wire of another output"):
        GpiodOutputs(twice, devices=kernel.devices).open({"lamp": 0.0, "sign": 1.0})
    with pytest.raises(LineError, match=r"'sign'.*the wire of another output"):
        GpiozeroOutputs(twice, MockFactory(pin_class=MockPin)).open({"lamp": 0.0, "sign": 1.0})


def test_an_input_and_an_output_cannot_share_a_pin() -> None:
    factory = MockFactory(pin_class=MockPin)
    writer = GpiozeroOutputs([LONG], factory)
    writer.open({"lamp": 0.0})
    loop = VirtualLoop()
    lines = GpiozeroLines([LineSpec("a", 22)], loop.clock, factory, loop=loop)
    with pytest.raises(LineError, match="GPIOPinInUse"):
        lines.open(Ignoring())
    writer.close()
    loop.close()


class Ignoring:
    """A sink that nothing should reach."""

    def deliver(self, source: str, edges: object, rare: object) -> None:
        raise AssertionError("nothing was open")


def test_a_gpiozero_pin_that_cannot_be_written_is_an_os_error() -> None:
    factory = MockFactory(pin_class=MockPin)
    writer = GpiozeroOutputs([LONG], factory)
    writer.open({"lamp": 0.0})
    factory.pin(22).function = "input"
    with pytest.raises(OSError, match="PinSetInput"):
        writer.write("lamp", 1.0)
    writer.close()
