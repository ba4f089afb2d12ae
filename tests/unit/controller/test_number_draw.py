"""A number that a generator draws, at a table of the house: from the example to the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.bench.simulation import Score, simulate
from controller.games.assembly import geometry_of, table_for
from controller.games.load import check_text
from drivers.numbers.generator_wire import DrawState, GeneratorLine, encode
from feed import events
from hal.values import Batch, Command, Edge, Frame
from simulators.base.faults import faults_for
from tests.tables.bench import EventList, configured
from tests.tables.problems import problem_lines

EXAMPLE = (Path(__file__).resolve().parents[3] / "examples" / "house_number_draw.toml").read_text(encoding="utf-8")
S = 1_000_000_000


def test_the_example_plays_from_end_to_end_by_house_rules() -> None:
    score, said = Score(), EventList()
    for one in simulate(configured(EXAMPLE), 30, 1, {}):
        score.add(one)
        said += one.events
    assert (score.unsupported, score.refused) == ([], [])
    assert score.verdicts["outcome"] == 30
    assert all(b'"house_rules":true' in line for line in said.body().splitlines())
    assert {one.result["face"] for one in said.of(events.Outcome)} == set("1234567")
    (opened,) = said.of(events.TableOpened)
    assert "number_generator" in {device["driver"] for device in opened.devices}


def test_each_fault_has_its_verdict_and_none_gives_a_number_that_was_not_drawn() -> None:
    config = configured(EXAMPLE)
    found = {}
    for number, fault in enumerate(faults_for(geometry_of(config))):
        score, said = Score(), EventList()
        for one in simulate(config, 3, number, {2: fault.name}):
            score.add(one)
            said += one.events
        assert (score.unsupported, score.refused) == ([], []), fault.name
        assert score.verdicts["outcome"] >= 2, fault.name
        found[fault.name] = said.verdicts()[1].split()[-1]
    assert [name for name, verdict in found.items() if verdict.isdecimal()] == ["none", "line_garbled"]
    assert {found.pop("silent"), found.pop("own_fault")} == {"sensor_missing"}
    assert found.pop("drawn_before_call") == "spun_before_no_more_bets"
    assert {verdict for verdict in found.values() if not verdict.isdecimal()} == {"no_number_read"}


# --- by hand ---


class Hands:
    """Lines of the generator, calls and orders, each at its second."""

    def __init__(self) -> None:
        self.table = table_for(configured(EXAMPLE), epoch="sim", simulated=True)
        self.said = EventList(self.table.open(0))
        self.said += self.table.feed(Batch([Edge("dealer_no_more_bets", 0, 0)], [], 0))
        self.until({0.1: "0R"})

    def until(self, lines: dict[float, str], *, call_s: float | None = None, order: Command | None = None) -> Hands:
        """Sends lines, `2D7`, by second; `!` is a malformed one."""
        button = "dealer_no_more_bets"
        pressed = (
            [] if call_s is None else [Edge(button, 1, round(call_s * S)), Edge(button, 0, round(call_s * S) + S // 5)]
        )
        frames = [Frame("generator_serial", _bytes(words), round(at_s * S)) for at_s, words in lines.items()]
        times = [*(edge.t_ns for edge in pressed), *(frame.t_ns for frame in frames)]
        until_ns = max(times) + S // 10 if order is None else order.t_ns
        self.said += self.table.feed(Batch(pressed, [*frames, *([] if order is None else [order])], until_ns))
        return self


def _bytes(words: str) -> bytes:
    if words == "!":
        return b"!"
    state = next(one for one in DrawState if one in words)
    draw, _, number = words.partition(state)
    return encode(GeneratorLine(int(draw), state, int(number) if number else None))


def test_a_call_in_a_gap_of_the_lines_is_not_proven_to_be_before_the_draw() -> None:
    gap = Hands().until({0.5: "0R", 1.0: "!", 1.5: "1B", 2.0: "1D7", 2.5: "1D7"}, call_s=1.0)
    sound = Hands().until({0.5: "0R", 1.0: "0R", 1.5: "1B", 2.0: "1D7", 2.5: "1D7"}, call_s=1.0)
    assert gap.said.verdicts() == ["unresolved no_number_read"]
    assert sound.said.one(events.Outcome).result == {"space": 6, "face": "7"}
    assert "may have begun before the call" in gap.said.one(events.Unresolved).evidence.detail


def test_a_doubtful_number_is_confirmed_by_its_name_and_a_draw_before_settling_does_not_count() -> None:
    lines = {0.5: "0R", 1.5: "2B", 2.0: "2D7", 2.5: "2D7", 3.0: "3B", 3.5: "3D1", 4.0: "3D1"}
    order = Command("confirm", (("by", "ann"), ("face", "7")), round(4.2 * S))
    table = Hands().until(lines, call_s=0.7, order=order)
    assert table.said.verdicts() == ["unresolved no_number_read"]
    assert table.said.one(events.RoundCorrected).to.result == {"space": 6, "face": "7"}
    assert [one.warning for one in table.said.of(events.DeviceWarning)] == ["ball_before_settled"]


# --- the file ---


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            EXAMPLE.split("[house]")[0].replace('"house"', '"njac-13:47-20"'),
            "device.wheel.driver: is a generator of which njac-13:47-20 says nothing: a money wheel has other faces",
        ),
        (EXAMPLE.replace("numbers = 7", "numbers = 8"), "device.wheel.numbers: '8' is not a face of "),
        (EXAMPLE.replace("numbers = 7", "numbers = 6"), "device.wheel.numbers: 0 spaces show 7, and the house's rules"),
    ],
)  # fmt: skip
def test_the_state_s_rules_have_no_such_device_and_the_numbers_are_those_of_the_house(text: str, problem: str) -> None:
    found = problem_lines(check_text(text))
    assert any(problem in line for line in found), found
