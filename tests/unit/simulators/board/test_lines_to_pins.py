"""Lines played into pins: each change once, at its time, on its wire."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from hal.board.messages import KINDS
from hal.capture.command_text import read_command
from hal.values import Batch, Edge, EdgesLost, Loss, Rare, Reading
from simulators.board.lines_to_pins import (
    AnalogueWire,
    LinesPlayer,
    PinWire,
    PinWiring,
    WiringError,
    rounds_of,
    wired,
    wired_in_order,
)
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.money_wheel.wheel import MoneyWheelSimulator
from simulators.roulette.geometry import RouletteGeometry
from simulators.roulette.wheel import RouletteSimulator

WHEEL = KINDS["wheel"]


class Pins:
    """A board that records the calls."""

    def __init__(self) -> None:
        self.levels: list[tuple[str, int | None, int]] = []
        self.shares: list[tuple[str, float, int | None]] = []

    def drive_many(self, levels: Iterable[tuple[str, int | None, int]]) -> None:
        self.levels += levels

    def supply(self, channel: str, share: float, t_ns: int | None = None) -> None:
        self.shares.append((channel, share, t_ns))


def test_edges_go_to_their_pins_at_their_times() -> None:
    pins = Pins()
    wiring = PinWiring({"a": PinWire("D2"), "b": PinWire("D3", inverted=True)})
    batch = Batch([Edge("a", 0, 0), Edge("b", 0, 0), Edge("a", 1, 50), Edge("b", 1, 60), Edge("c", 1, 70)], [], 100)
    LinesPlayer(pins, wiring, [batch], start_ns=1_000).play_until(2_000)
    assert pins.levels == [("D2", 0, 1_000), ("D3", 1, 1_000), ("D2", 1, 1_050), ("D3", 0, 1_060)]


def test_it_plays_no_further_ahead_than_the_batch_that_holds_the_time() -> None:
    pins = Pins()
    batches = [Batch([Edge("a", n & 1, 100 * n)], [], 100 * n + 99) for n in range(5)]
    player = LinesPlayer(pins, PinWiring({"a": PinWire("D2")}), batches)
    player.play_until(150)
    assert [t_ns for _, _, t_ns in pins.levels] == [0, 100]
    assert not player.ended
    player.play_until(150)
    assert player.edges == 2
    player.play_until(10_000)
    assert (player.ended, player.edges) == (True, 5)


def test_equal_levels_are_one_and_an_unplugged_line_releases_its_pin() -> None:
    pins = Pins()
    rare: list[Rare] = [EdgesLost("a", Loss.UNPLUGGED, 30), EdgesLost("a", Loss.OVERFLOW, 35), read_command("void", 50)]
    edges = [Edge("a", 1, 10), Edge("a", 1, 20), Edge("a", 1, 40)]
    LinesPlayer(pins, PinWiring({"a": PinWire("D2")}), [Batch(edges, rare, 100)]).play_until(100)
    assert pins.levels == [("D2", 1, 10), ("D2", None, 30), ("D2", 1, 40)]


def test_readings_become_shares_of_the_supply() -> None:
    pins = Pins()
    wiring = PinWiring({}, {"level_x": AnalogueWire("C2", low=-1.0, high=1.0)})
    readings = [Reading("level_x", value, 10) for value in (0.0, 0.5, -9.0, 9.0)]
    LinesPlayer(pins, wiring, [Batch([], [*readings, Reading("other", 1.0, 20)], 100)]).play_until(100)
    assert pins.shares == [("C2", 0.5, 10), ("C2", 0.75, 10), ("C2", 0.0, 10), ("C2", 1.0, 10)]


def test_lines_are_wired_as_a_configuration_numbers_them() -> None:
    wiring = wired(WHEEL, {"rotor_a": 1, "pocket": 8}, {"level_x": 2}, inverted=["pocket"])
    assert wiring.pins == {"rotor_a": PinWire("D2"), "pocket": PinWire("C1", inverted=True)}
    assert wiring.analogues == {"level_x": AnalogueWire("C3")}


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"rotor_a": 9}, r"line 'rotor_a': a wheel board has inputs 1 to 8, not 9"),
        ({"rotor_a": 0}, r"inputs 1 to 8, not 0"),
        ({"rotor_a": 1, "rotor_b": 1}, r"line 'rotor_b': input 1 is already that of line 'rotor_a'"),
    ],
)
def test_wires_that_a_board_does_not_have_are_refused(inputs: dict[str, int], message: str) -> None:
    with pytest.raises(WiringError, match=message):
        wired(WHEEL, inputs)


def test_a_tables_lines_are_wired_in_order_if_there_are_enough() -> None:
    wheel = MoneyWheelSimulator(MoneyWheelGeometry(), 1)
    wiring = wired_in_order(WHEEL, wheel.lines)
    assert [pin.pin for pin in wiring.pins.values()] == ["D2", "D3", "D4", "D5"][: len(wheel.lines)]
    many = RouletteSimulator(RouletteGeometry(no_more_bets_button=True, settled_button=True), 1)
    with pytest.raises(WiringError, match="inputs 1 to 8, not 9"):
        wired_in_order(WHEEL, many.lines)


def test_a_simulator_plays_into_pins_what_it_plays_into_lines() -> None:
    geometry = RouletteGeometry(object_beams=0, level_hz=2.0)
    pins, wiring = Pins(), wired_in_order(WHEEL, RouletteSimulator(geometry, 3).lines)
    player = LinesPlayer(pins, wiring, rounds_of(RouletteSimulator(geometry, 3), {2: "short_spin"}))
    player.play_until(200 * 1_000_000_000)
    again = RouletteSimulator(geometry, 3)
    edges = [*again.start().edges, *again.round(None).batch.edges, *again.round("short_spin").batch.edges]
    lines = {pin.pin: line for line, pin in wiring.pins.items()}
    played = [Edge(lines[pin], level, t_ns) for pin, level, t_ns in pins.levels if level is not None]
    assert played[: len(edges)] == edges
    assert len(pins.shares) > 100
