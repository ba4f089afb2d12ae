"""Captures played through gpiozero's mock pins and the kernel's events give what their replay gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from controller.bench.replay import replay
from controller.configuration.values import TableConfig
from controller.games.assembly import table_for
from drivers.dealer.buttons import BUTTONS
from feed import events
from feed.events import Event
from hal.capture.command_text import read_command
from hal.capture.vcd_reader import open_capture
from hal.capture.vcd_writer import CaptureLines, write_capture
from hal.values import Batch, Command, Edge, EdgesLost, Rare
from simulators.base.truth import TableSimulator
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.money_wheel.wheel import MoneyWheelSimulator
from simulators.roulette.geometry import RouletteGeometry
from simulators.roulette.wheel import RouletteSimulator
from tests.fakes.play import play_through_fake_gpiod, play_through_mock_pins
from tests.tables.bench import EventList, configured

MONEY = '[table]\nid = "wheel-1"\ngame = "money_wheel"\n[lines]\nbackend = "capture"\n'
ROULETTE = '[table]\nid = "roulette-1"\ngame = "roulette"\n[lines]\nbackend = "capture"\n'
SINGLE_ZERO = ROULETTE + '[device.wheel]\npockets = "american_as_single_zero"\n'

Play = Callable[[Sequence[Edge], Sequence[Rare], int | None], list[Batch]]
BOTH = pytest.mark.parametrize("play", [play_through_mock_pins, play_through_fake_gpiod], ids=["gpiozero", "gpiod"])


def recorded(path: Path, simulator: TableSimulator, faults: Sequence[str | None], *commands: Command) -> Path:
    """Rounds of a simulator as a capture."""
    batches = [simulator.start(), *(simulator.round(fault).batch for fault in faults)]
    edges = [edge for batch in batches for edge in batch.edges]
    rare = sorted([*(value for batch in batches for value in batch.rare), *commands], key=lambda value: value.t_ns)
    reals = tuple(line for line in simulator.lines if line.startswith("level_"))
    wires = tuple(line for line in simulator.lines if line not in reals)
    write_capture(path, CaptureLines(wires, reals=reals), [Batch(edges, rare, batches[-1].until_ns)])
    return path


def through_pins(config: TableConfig, path: Path, play: Play) -> EventList:
    """What the table says when the lines of the capture come in through pins."""
    edges: list[Edge] = []
    rare: list[Rare] = []
    until_ns = 0
    with open_capture(path) as capture:
        for batch in capture.batches():
            edges += batch.edges
            rare += batch.rare
            until_ns = batch.until_ns
    wires = {edge.line for edge in edges}
    table = table_for(config, epoch="replay", simulated=True, wires=[b for b in BUTTONS if b in wires], opens=True)
    said: list[Event] = table.open(edges[0].t_ns)
    for batch in play(edges, [value for value in rare if not isinstance(value, EdgesLost)], until_ns):
        said += table.feed(batch)
    return EventList(said)


def replayed(config: TableConfig, path: Path) -> EventList:
    (said,) = replay(config, [path])
    return EventList(said)


def told(said: EventList) -> list[tuple[str, object, object]]:
    """What matters of the verdicts: which, of which round, and the revolutions to two places."""
    found: list[tuple[str, object, object]] = []
    for word, data in zip(said.verdicts(), _verdict_data(said), strict=True):
        turns = data.evidence.revolutions
        found.append((word, data.round, None if turns is None else round(turns, 2)))
    return found


def _verdict_data(said: EventList) -> list[events.Outcome | events.Void | events.Unresolved]:
    kinds = (events.Outcome, events.Void, events.Unresolved)
    return [event.data for event in said if isinstance(event.data, kinds)]


def check(config: TableConfig, path: Path, play: Play, at_least: int) -> None:
    expected = replayed(config, path)
    assert len(expected.verdicts()) >= at_least
    pins = through_pins(config, path, play)
    assert told(pins) == told(expected)
    assert pins.story() == expected.story()


@BOTH
@pytest.mark.parametrize("button", [True, False])
def test_a_money_wheels_evening_through_pins_gives_the_verdicts_of_its_replay(
    tmp_path: Path, play: Play, button: bool
) -> None:
    simulator = MoneyWheelSimulator(MoneyWheelGeometry(no_more_bets_button=button), 7)
    faults = [None, "short_spin", "wind_up", "reversed_spin", "near_limit", *(["spun_early"] if button else []), None]
    path = recorded(tmp_path / "money.vcd", simulator, faults)
    check(configured(MONEY), path, play, len(faults))


@BOTH
def test_a_roulette_wheels_evening_through_pins_gives_the_verdicts_of_its_replay(tmp_path: Path, play: Play) -> None:
    simulator = RouletteSimulator(RouletteGeometry(), 7)
    faults = [None, "same_direction", "short_spin", "near_limit", "foreign_object", None]
    path = recorded(tmp_path / "roulette.vcd", simulator, faults)
    check(configured(ROULETTE), path, play, len(faults))


@BOTH
def test_readings_and_commands_come_beside_the_pins(tmp_path: Path, play: Play) -> None:
    simulator = RouletteSimulator(RouletteGeometry(level_hz=2.0, no_more_bets_button=True), 3)
    path = recorded(
        tmp_path / "roulette.vcd",
        simulator,
        [None, "tilt"],
        read_command("settle", 1_000_000),
        read_command("void", 2_000_000),
    )
    check(configured(ROULETTE), path, play, 3)


@BOTH
def test_a_wheel_used_as_single_zero_through_pins_gives_the_verdicts_of_its_replay(tmp_path: Path, play: Play) -> None:
    simulator = RouletteSimulator(RouletteGeometry(single_zero=True), 5)
    path = recorded(tmp_path / "single.vcd", simulator, ["double_zero", None])
    config = configured(SINGLE_ZERO)
    assert replayed(config, path).verdicts()[0] == "void double_zero_as_single_zero"
    check(config, path, play, 2)


@BOTH
@pytest.mark.parametrize("fault", ["bounce", "jitter", "lost_pulse"])
def test_lines_that_are_spoilt_come_through_pins_as_they_come_from_the_file(
    tmp_path: Path, play: Play, fault: str
) -> None:
    simulator = RouletteSimulator(RouletteGeometry(), 11)
    path = recorded(tmp_path / "spoilt.vcd", simulator, [fault, None])
    check(configured(ROULETTE), path, play, 1)
