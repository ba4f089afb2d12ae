"""The test sheet of a money board, walked through: at the emulated board where the chip answers, in ngspice where a
meter does. The inputs read what the netlist makes of what is at their terminals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from firmware.hardware import parts as p
from firmware.hardware import simulations as sim
from firmware.hardware.blocks import SENSE, TEST, V12, CarrierBoard
from firmware.hardware.boards import CARRIERS, carrier, circuit
from firmware.hardware.sheets import Step, steps
from hal.board.messages import (
    AcceptCommand,
    ArmCommand,
    CountsAnswer,
    CountsCommand,
    HopperReport,
    MotorCommand,
    PayCommand,
    ReelReport,
    RefusalCode,
    SensorsReport,
    SetCommand,
    SpinCommand,
    StateReport,
)
from tests.firmware.kind_bench import KindBench
from tests.firmware.worlds import Hopper, Reel, Shaft

AT_THE_BENCH = {
    "look", "work_1", "work_2", "work_3", "short_12", "short_5", "motor_current", "hopper_current", "mains",
    "supply_12", "supply_5", "identify", "stop_motor", "stop_one", "stop_back", "warning", "reset_cut", "hold_up",
}  # fmt: skip
"""Steps that neither concern the inputs nor what they let begin; the figures of the page have those of the supply."""


def _metered(board: str, step: Step, **how: Any) -> float:
    """What a meter reads at a step at the switches of a motor."""
    use = step.id.split("_")[0]
    if step.id.endswith("_gate"):
        return sim.gate_ohm(board, use)
    if step.id.endswith("_base"):
        return sim.base_ohm(board, use)
    return sim.wire_step(board, use, plus=step.id.endswith("_plus_at_12"), **how)


class Walk:
    """One board under test: nothing at its terminals at first."""

    def __init__(self, bench: KindBench) -> None:
        self.bench = bench
        self.inputs = [name for name, _ in bench.kind.inputs if name != "power_fail"]
        self._session = 1
        for use in self.inputs:
            bench.wire(use, "open")
        self.restart()

    def restart(self) -> SensorsReport:
        """Supply off and on, then a trace: what the report of the sensors says."""
        self._session += 1
        self.bench.reset()
        self.bench.run(30)
        self.bench.open(self._session)
        self.bench.run(30)
        return self.bench.last(SensorsReport)

    def level(self, use: str) -> int:
        self.bench.run(150)
        return self.bench.last(StateReport).levels >> self.inputs.index(use) & 1

    def tokens_in(self) -> int:
        answer = self.bench.ask(CountsCommand())
        assert isinstance(answer, CountsAnswer)
        return answer.first

    def do(self, step: Step) -> bool:
        """Whether a step finds what it expects."""
        for ending, state, level in (("_open", "open", 1), ("_low", "shorted", 0)):
            if step.id.endswith(ending):
                use = step.id.removesuffix(ending)
                self.bench.wire(use, "open" if state == "open" else "shorted")
                found = self.level(use)
                self.bench.wire(use, "open")
                return found == level
        for ending, state in (("_cut_found", "open"), ("_short_found", "shorted")):
            if step.id.endswith(ending):
                use = step.id.removesuffix(ending)
                self.bench.wire(use, "open" if state == "open" else "shorted")
                report = self.restart()
                self.bench.wire(use, "rest")
                return step.expected == f"the report sensors: shorted {report.shorted}, dark {report.dark}"
        if step.id == "lines_rest":
            for use in self.inputs:
                self.bench.wire(use, "rest")
            report = self.restart()
            return step.expected == f"the report sensors: shorted {report.shorted}, dark {report.dark}"
        if step.id in ("sense", "line_test_off", "line_test_on"):
            return step.least <= self._volts(step.id) <= step.most
        if step.id.endswith(("_minus_at_0", "_plus_at_12", "_gate", "_base")):
            return step.least <= _metered(self.bench.kind.name, step) <= step.most
        use = step.id.removesuffix("_safe").removesuffix("_on")
        if step.id.endswith("_safe"):
            return self.bench.output(use) == 0
        return self._acts(use)

    def _volts(self, step: str) -> float:
        on = step != "line_test_on"
        drives = {V12: "V12 {n} 0 12", "sense": f"Vs {{n}} 0 {4.2 if on else 0}"}
        rows = ["field", "sense", "sense_limit", "line_test"]
        load = {SENSE: "Rl {n} 0 82"} if step == "sense" else {}
        return sim.level(self.bench.kind.name, rows, SENSE if step == "sense" else TEST, drives=drives | load)

    def _acts(self, output: str) -> bool:
        if output == "accept":
            self.bench.ask(AcceptCommand(1))
            return self.bench.output(output) == 1
        if output == "motor":
            self.bench.worlds.append(Shaft("motor", "shaft", period_ms=50))
            self.bench.ask(MotorCommand(127, 0, 0))
            self.bench.run(200)
            turned = self.bench.output(output) > 0
            self.bench.ask(MotorCommand(0, 0, 0))
            return turned
        if output == "hopper":
            self.bench.worlds.append(Hopper("hopper", "hopper_coin", tokens=100, period_ms=140))
            self.bench.ask(PayCommand(1, 3))
            self.bench.run(1_500)
            return (report := self.bench.last(HopperReport)).seen == 3 and report.state == 0
        if output.startswith("reel_"):
            number = int(output[-1])
            self.bench.worlds.append(Reel(number))
            self.bench.ask(SpinCommand(number, 200, 0))
            self.bench.run(2_500)
            self.bench.ask(ArmCommand(number, 1))
            self.bench.pulse(f"stop_{number}", 60)
            self.bench.run(1_000)
            stood = [each for each in self.bench.reports(ReelReport) if each.reel == number][-1]
            return (stood.moving, stood.button) == (0, 1)
        self.bench.ask(SetCommand(4, 255, 0))
        return self.bench.output(output) == 1


@pytest.fixture(params=["pusher", "reel"])
def walk(request: pytest.FixtureRequest) -> Iterator[Walk]:
    with KindBench(request.param) as bench:
        yield Walk(bench)


def test_the_test_sheet_can_be_passed_and_tokens_come_in_and_go_out(walk: Walk) -> None:
    board = circuit(walk.bench.kind.name)
    assert isinstance(board, CarrierBoard)
    sheet = [step for step in steps(board) if step.id not in AT_THE_BENCH]
    assert [step.id for step in sheet if not walk.do(step)] == []
    before = walk.tokens_in()
    for number in range(5):
        walk.bench.pulse("token", 45, number * 100)
    walk.bench.run(600)
    assert walk.tokens_in() - before == 5


def test_a_contact_to_ground_without_its_resistor_reads_as_shorted_and_takes_nothing(walk: Walk) -> None:
    """As the boards were drawn before: such a line stays low without the feed."""
    for use in walk.inputs:
        walk.bench.wire(use, "shorted" if use == "token" else "rest")
    assert walk.restart().shorted == 1 << walk.inputs.index("token")
    assert walk.bench.refused(AcceptCommand(1)) == RefusalCode.NOT_SAFE


MOTORS = [("pusher-pico", "hopper"), ("table", "motor")]


@pytest.mark.long
@pytest.mark.parametrize(("name", "use"), MOTORS)
def test_the_steps_at_a_motors_wires_fail_whatever_else_is_wrong_while_a_switch_conducts_for_ever(
    name: str, use: str
) -> None:
    found = {step.id: step for step in steps(carrier(name))}
    for step, bad in ((found[f"{use}_minus_at_0"], "pfet"), (found[f"{use}_plus_at_12"], "nfet")):
        for stopped, joined, connected in product((False, True), repeat=3):
            how = {"stopped": stopped, "joined": joined, "connected": connected}
            assert not step.least <= _metered(name, step, failed=bad, **how) <= step.most, (step.id, how)
        # A motor that is not connected is found where it must act: the flyback diode leaks more than a meter takes.
        for stopped, joined in ((False, True), (True, True), (False, False)):
            found_good = step.least <= _metered(name, step, stopped=stopped, joined=joined) <= step.most
            assert found_good == (joined and not stopped), (step.id, stopped, joined)


WRONG_RESISTORS = {"22 kΩ": ("gate", 1e6), "2.2 kΩ": ("base", 1e6), "4.7 kΩ": ("base", 1e6)}
"""At the switch of a motor's + wire: the step that finds it missing."""


@pytest.mark.parametrize("value", WRONG_RESISTORS)
@pytest.mark.parametrize("name", ["pusher-pico", "table"])
def test_a_resistor_that_is_missing_at_the_switch_of_a_motors_plus_wire_is_measured(name: str, value: str) -> None:
    board, (ending, ohm) = CARRIERS[name](), WRONG_RESISTORS[value]
    step = next(each for each in steps(board) if each.id == f"motor_{ending}")
    measure = sim.gate_ohm if ending == "gate" else sim.base_ohm
    assert step.least <= measure(board, "motor") <= step.most
    wrong = next(each for each in board.tagged("motor_high") if each.type.value == value)
    wrong.type = replace(wrong.type, number=ohm)
    assert not step.least <= measure(board, "motor") <= step.most


def test_an_inverter_whose_output_lets_nothing_through_is_within_the_step_too() -> None:
    step = next(each for each in steps(carrier("pusher-pico")) if each.id == "hopper_base")
    assert step.least <= sim.base_ohm("pusher-pico", "hopper", inverter=False) <= step.most
    assert p.R2K2.number > step.most  # the 4.7 kΩ missing
