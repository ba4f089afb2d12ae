"""The bench on real devices: it reads, drives nothing, and tests a lamp with its table closed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from pytest_mock import MockerFixture

from controller.bench_page.actions import ActionError
from controller.bench_page.host import BenchHost
from controller.bench_page.output_test import LIT_NS, OutputTest, OutputTestError
from controller.bench_page.said import Said
from controller.cli import main
from controller.configuration.values import TableConfig
from controller.games.load import load
from controller.live.wiring import Wiring
from hal.backends.sim import SimLines
from hal.clock import VirtualClock
from hal.lines import LineError
from hal.outputs import Outputs
from hal.values import Edge, Output, SetLine
from tests.fakes.bench import MONEY_WHEEL, SteppedBench

ROOT = Path(__file__).resolve().parents[4]
S = 1_000_000_000


def on_a_pi() -> TableConfig:
    return load([ROOT / "examples/money_wheel_on_pi.toml"])[0]


class Pins:
    """Notes what is driven on pins."""

    def __init__(self, refused: bool = False) -> None:
        self.done: list[object] = []
        self.refused = refused

    def open(self, wires: Mapping[str, float]) -> None:
        if self.refused:
            raise LineError("GPIO4 is in use by feltwire; stop the service first")
        self.done.append(("open", dict(wires)))

    def write(self, name: str, wire: float) -> None:
        self.done.append((name, wire))

    def close(self) -> None:
        self.done.append("closed")


def outputs(pins: Pins, clock: VirtualClock) -> Outputs:
    specs = [pin.output_spec("lamp") for line, pin in on_a_pi().pins.items() if on_a_pi().uses[line].kind == "output"]
    return Outputs(specs, pins, clock)


class RealBench:
    """A bench whose real lines are in memory."""

    def __init__(self, mocker: MockerFixture, pins: Pins) -> None:
        self.clock = VirtualClock(S)
        config = on_a_pi()
        lines = [line for line, use in config.uses.items() if use.kind == "input" and config.wired(line)]
        self.lines = SimLines(lines, start_ns=S)
        self.wiring = Wiring(sources=[self.lines], outputs=outputs(pins, self.clock))
        mocker.patch("controller.bench_page.host.wire", return_value=self.wiring)
        self.host = BenchHost(config, self.clock, seed=1)
        self.host.output_test._claim = lambda: outputs(pins, self.clock)

    def passed(self, seconds: float) -> None:
        self.clock.advance_to(self.clock.now_ns() + round(seconds * S))
        self.lines.passed(self.clock.now_ns())
        self.host.tick()


def test_lines_are_read_and_nothing_is_claimed_or_driven(mocker: MockerFixture) -> None:
    pins = Pins()
    bench = RealBench(mocker, pins)
    assert bench.host.open() is None
    bench.lines.play([Edge("wheel_a", 1, 2 * S), Edge("wheel_b", 1, 2 * S + 1000)])
    bench.passed(2)
    shown: list[Output] = []
    bench.wiring.shown = shown.append
    bench.wiring.show(SetLine("no_more_bets_lamp", True, 3 * S))
    assert shown == [SetLine("no_more_bets_lamp", True, 3 * S)]
    assert pins.done == []
    assert bench.host.update().lines["wheel_a"].edges[-1] == (S, 1)
    assert not bench.host.session.simulated
    bench.host.close()
    assert pins.done == []


@pytest.mark.parametrize(
    "asked",
    [
        {"action": "arm", "fault": "short_spin"},
        {"action": "speed", "speed": 2},
        {"action": "press", "button": "dealer_no_more_bets"},
        {"action": "order", "verb": "void"},
        {"action": "order", "verb": "no_more_bets"},
    ],
)
def test_nothing_that_plays_is_taken(mocker: MockerFixture, asked: dict[str, object]) -> None:
    bench = RealBench(mocker, Pins())
    bench.host.open()
    with pytest.raises(ActionError, match="real"):
        bench.host.act(asked)


def test_a_lamp_lights_for_a_second_with_the_table_closed_and_not_before(mocker: MockerFixture) -> None:
    pins = Pins()
    bench = RealBench(mocker, pins)
    bench.host.open()
    bench.passed(1)
    test = {"action": "test", "line": "no_more_bets_lamp"}
    with pytest.raises(ActionError, match="close it first"):
        bench.host.act(test)
    bench.host.act({"action": "order", "verb": "close", "given": {"reason": "tests"}})
    bench.passed(1)
    assert bench.host.live.state == "closed"

    async def lit() -> None:
        assert bench.host.act(test) == Said("done.lit", {"line": "no_more_bets_lamp"})

    asyncio.run(lit())
    assert ("no_more_bets_lamp", 1.0) in pins.done
    assert "closed" not in pins.done
    with pytest.raises(ActionError, match="another lamp"):
        bench.host.act(test)
    bench.passed(LIT_NS / S)
    assert pins.done[-1] == "closed"


def test_a_lamp_that_is_in_use_is_named_and_can_be_tried_again() -> None:
    clock = VirtualClock()
    test = OutputTest(on_a_pi(), clock, lambda: outputs(Pins(refused=True), clock))

    async def refused() -> None:
        for _ in range(2):
            with pytest.raises(OutputTestError, match="stop the service first"):
                test.light("no_more_bets_lamp")

    asyncio.run(refused())


def test_what_is_no_lamp_is_not_driven() -> None:
    test = OutputTest(on_a_pi(), VirtualClock(), lambda: None)
    assert test.lamps == ("no_more_bets_lamp",)
    with pytest.raises(OutputTestError, match="no lamp on a pin"):
        test.light("wheel_a")


def test_lines_that_cannot_be_had_are_a_fault_on_the_page(mocker: MockerFixture) -> None:
    bench = RealBench(mocker, Pins())
    mocker.patch.object(bench.lines, "open", side_effect=LineError("chip pinctrl-rp1: it is not there"))
    failed = bench.host.open()
    assert failed is not None
    situation = bench.host.update().situation
    assert situation is not None
    assert situation.faults[0].fault == "wires_failed"
    assert "pinctrl-rp1" in situation.faults[0].detail


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["examples/money_wheel_on_pi.toml", "--speed", "2"], "only simulated devices"),
        (["examples/roulette.toml", "--speed", "200"], "at most 50"),
        (["examples/roulette.toml", "--speed", "quick"], "is not a speed"),
        (["examples/nothing.toml"], "nothing.toml"),
    ],
)
def test_a_command_that_cannot_be_done_says_why(
    arguments: list[str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, ["bench", *arguments])
    assert result.exit_code == 2
    assert why in result.output


def test_a_table_of_captures_has_no_lines_to_look_at(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(MONEY_WHEEL.replace('"sim"', '"capture"'), encoding="utf-8")
    result = CliRunner().invoke(main, ["bench", str(path)])
    assert result.exit_code == 2
    assert "drop the capture on its page" in result.output


def test_an_address_that_cannot_be_listened_on_ends_the_command_with_its_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, ["bench", "examples/money_wheel.toml", "--host", "192.0.2.1", "--port", "0"])
    assert result.exit_code == 1
    assert "192.0.2.1 is not an address of this computer" in result.output


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
BENCH = SteppedBench(MONEY_WHEEL)
ACTIONS = ("order", "arm", "speed", "hold", "play", "by_hand", "press", "supervised", "truth", "test")


@given(
    action=st.sampled_from(
        ["order", "arm", "speed", "hold", "play", "by_hand", "press", "supervised", "truth", "test"]
    ),
    given_=st.dictionaries(st.sampled_from(["verb", "given", "fault", "speed", "on", "button", "line"]), JSON),
)
def test_whatever_a_page_asks_for_is_done_or_refused_in_words(action: str, given_: dict[str, object]) -> None:
    try:
        assert BENCH.host.act({**given_, "action": action}).key.startswith("done.")
    except ActionError as error:
        assert str(error)
    BENCH.advance(0.04)
