"""Shakers and a wheel of which the rules have the title alone, at games of the house: played from end to end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.bench.simulation import Score, simulate
from controller.games.assembly import geometry_of, table_for
from controller.games.load import check_text
from drivers.dice.keypad import CLEAR, ENTER, VALUES
from feed import events
from feed.data import Tumbling
from hal.values import Batch, Edge, EdgesLost, Loss
from simulators.base.faults import faults_for
from tests.tables.bench import EventList, configured
from tests.tables.problems import problem_lines

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NAMES = ("pai_gow", "pai_gow_poker", "mini_dice", "pokette")
TABLE = '[table]\nid = "t"\ngame = "under_over"\nrules = "{rules}"\n[lines]\nbackend = "sim"\n{devices}'
SHAKER = '[device.shaker]\ndriver = "mini_dice_shaker"\n'
HOUSE = TABLE.format(rules="house", devices=SHAKER)
KEYPAD = (*VALUES, ENTER, CLEAR)
MS = 1_000_000
S = 1_000_000_000


def text_of(name: str) -> str:
    return (EXAMPLES / f"house_{name}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_each_device_plays_from_end_to_end_by_house_rules(name: str) -> None:
    score, said = Score(), EventList()
    for one in simulate(configured(text_of(name)), 6, 1, {}):
        score.add(one)
        said += one.events
    assert (score.unsupported, score.refused) == ([], [])
    assert score.verdicts["outcome"] == 6
    assert all(b'"house_rules":true' in line for line in said.body().splitlines())
    (opened,) = said.of(events.TableOpened)
    drivers = {device["driver"] for device in opened.devices}
    assert drivers & {"pai_gow_shaker", "pai_gow_poker_shaker", "mini_dice_shaker", "pokette_wheel"}


def test_no_fault_of_a_shaken_round_gives_a_result_that_is_not_there_and_none_refuses_a_sound_one() -> None:
    config = configured(HOUSE + "[device.keypad]\n[device.reader]\n")
    for number, fault in enumerate(faults_for(geometry_of(config))):
        score = Score()
        for one in simulate(config, 2, number, {None: fault.name}):
            score.add(one)
        assert (score.unsupported, score.refused) == ([], []), fault.name


# --- by hand ---


class Hands:
    """Hands at the table: every movement lets time pass."""

    def __init__(self) -> None:
        self.t_ns = 0
        self.table = table_for(configured(HOUSE), epoch="sim", simulated=True)
        self.said = EventList(self.table.open(0))

        self._feed([Edge(line, 0, 0) for line in ("cover", "shake", "dealer_no_more_bets", *KEYPAD)], 5.0)

    def _feed(self, edges: list[Edge], wait_s: float) -> Hands:
        self.t_ns += round(wait_s * S)
        self.said += self.table.feed(Batch(sorted(edges, key=lambda edge: edge.t_ns), [], self.t_ns))
        return self

    def _pulse(self, line: str, at_ns: int, ms: float) -> list[Edge]:
        return [Edge(line, 1, at_ns), Edge(line, 0, at_ns + round(ms * MS))]

    def call(self) -> Hands:
        return self._feed(self._pulse("dealer_no_more_bets", self.t_ns + MS, 100), 0.5)

    def cover(self, on: int = 1) -> Hands:
        return self._feed([Edge("cover", on, self.t_ns + MS)], 0.3)

    def uncover(self) -> Hands:
        return self.cover(0)

    def shake(self, times: int, rest_s: float = 2.5) -> Hands:
        edges = [
            edge for number in range(times) for edge in self._pulse("shake", self.t_ns + (1 + 400 * number) * MS, 10)
        ]
        return self._feed(edges, 0.4 * times + rest_s)

    def knock(self, wait_s: float = 2.5) -> Hands:
        return self._feed(self._pulse("shake", self.t_ns + MS, 1), wait_s)

    def wait(self, s: float) -> Hands:
        return self._feed([], s)

    def knocks(self, times: int) -> Hands:
        """One every half second: the dice are not at rest between them."""
        for _ in range(times):
            self.knock(0.5)
        return self

    def lose(self, line: str) -> Hands:
        self.t_ns += S
        self.said += self.table.feed(Batch([], [EdgesLost(line, Loss.OVERFLOW, self.t_ns)], self.t_ns))
        return self.wait(3)

    def key(self, *values: int) -> Hands:
        names = {value: line for line, value in VALUES.items()}
        for name in (*(names[value] for value in values), ENTER):
            self._feed(self._pulse(name, self.t_ns + MS, 100), 0.4)
        return self

    @property
    def verdicts(self) -> list[str]:
        return self.said.verdicts()


def test_values_count_once_the_cover_is_off_and_the_evidence_is_of_the_last_shaking() -> None:
    table = Hands().call().cover().shake(4)
    assert table.key(1, 2).verdicts == []
    (early,) = table.said.of(events.DeviceWarning)
    assert early.warning == "keyed_too_early"
    assert table.shake(3).uncover().key(3, 4).verdicts == ["3-4"]
    (tumble,) = table.said.one(events.Outcome).evidence.tumbles or [Tumbling()]
    assert (tumble.shakes, tumble.minimum_shakes, tumble.pulses) == (3, 3, 3)
    assert table.said.one(events.RoundStarted).tumble is None


@pytest.mark.parametrize(
    ("play", "verdict"),
    [
        (lambda: Hands().cover().shake(4), "void tumbled_before_no_more_bets"),
        (lambda: Hands().call().cover().shake(2).uncover(), "void too_few_shakes"),
        (lambda: Hands().call().cover().shake(2).shake(2).uncover(), "void too_few_shakes"),
        (lambda: Hands().call().shake(4), "void shaken_uncovered"),
        (lambda: Hands().call().cover().shake(4, 0.2).uncover().wait(3), "void shaken_uncovered"),
        (lambda: Hands().call().cover().shake(4).uncover().wait(2).knock().key(3, 4), "unresolved dice_disturbed"),
        (lambda: Hands().call().cover().shake(4).uncover().wait(2).shake(3), "unresolved dice_disturbed"),
        (lambda: Hands().call().cover().shake(4).uncover().knocks(4).wait(2).key(3, 4), "unresolved dice_disturbed"),
        (lambda: Hands().call().cover().shake(4).uncover().knocks(4).key(3, 4).wait(3), "unresolved dice_disturbed"),
        (lambda: Hands().call().cover().shake(4).lose("cover").uncover().key(3, 4), "unresolved edges_lost"),
        (lambda: Hands().call().cover().shake(4).lose("shake").uncover().key(3, 4), "unresolved edges_lost"),
    ],
)  # fmt: skip
def test_a_shaking_that_is_none_gives_no_result_and_cites_no_rule(play: Callable[[], Hands], verdict: str) -> None:
    table = play()
    assert table.verdicts == [verdict]
    refused: list[events.Void | events.Unresolved] = [*table.said.of(events.Void), *table.said.of(events.Unresolved)]
    assert [one.rule for one in refused] == ["ours"]


def test_knocks_under_the_cover_and_those_of_the_cover_itself_disturb_nothing() -> None:
    for lifted in (Hands().call().cover().shake(4).knock(), Hands().call().cover().shake(4).knock(0.3)):
        table = lifted.uncover().knock(0.5)
        assert table.key(6, 1).wait(2).verdicts == ["6-1"]


def test_whoever_puts_the_cover_on_knocks_at_the_shaker_and_tumbles_nothing() -> None:
    table = Hands().call().knock(0.1).cover().wait(3)
    assert table.said.of(events.DeviceWarning) == []
    assert table.shake(4).uncover().key(2, 2).verdicts == ["2-2"]
    assert Hands().call().knock().key(2, 2).verdicts == ["void too_few_shakes"]


# --- the file ---


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            TABLE.format(rules="njac-13:47-20", devices=SHAKER),
            "device.shaker: is given, and njac-13:47-20 has the dice tumbled in a cage or a chute; write rules = ",
        ),
        (HOUSE + "[device.chute]\n", "device.shaker: is given beside device.chute; remove one of the two"),
        (HOUSE + "[device.motor]\n", "device.shaker: is given beside device.motor; remove one of the two"),
        (
            TABLE.format(rules="house", devices="[device.shaker]\ndriver = 'shaker'\n"),
            'device.shaker.driver: "shaker" is not a driver of this device',
        ),
        (
            TABLE.format(rules="njac-13:47-20", devices='[device.wheel]\ndriver = "pokette_wheel"\n').replace(
                "under_over", "money_wheel"
            ),
            'device.wheel.driver: is a wheel of which njac-13:47-20 says nothing: a money wheel has other faces; write',
        ),
    ],
)  # fmt: skip
def test_the_state_s_rules_have_no_such_device_and_the_message_names_the_house(text: str, problem: str) -> None:
    found = problem_lines(check_text(text))
    assert any(problem in line for line in found), found
