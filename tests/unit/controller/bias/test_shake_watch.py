"""The watch over shaken dice: what devices measure, what is warned of by its keys, and that no verdict differs."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from controller.bench.simulation import simulate
from controller.games.assembly import geometry_of, table_for
from controller.games.load import check_text
from controller.table.shake_watch import BLOCK, FIRST, ShakeLimits, ShakeWatch
from controller.table.table import Table
from drivers.dice.shake_line import unevenness
from feed import events
from feed.events import Data, Evidence, Tumbling
from simulators.base.faults import faults_for
from tests.costs.counting import instructions_of
from tests.tables.bench import EventList, configured

TABLE = '[table]\nid = "t"\ngame = "{game}"\n{more}[lines]\nbackend = "sim"\n{devices}'
CAGE = TABLE.format(game="chuck_a_luck", more="", devices="")
CHUTE = TABLE.format(game="under_over", more="", devices="[device.chute]\n")
SHAKER = TABLE.format(game="sic_bo", more='rules = "njac-19:47"\n', devices="")
TOSSED = TABLE.format(game="sic_bo", more='rules = "njac-13:69F"\n', devices="[device.automated_shaker]\n")
THROWN = TABLE.format(game="craps", more='rules = "njac-19:47"\n', devices="[device.reader]\n")
TABLES = {"cage": CAGE, "chute": CHUTE, "shaker": SHAKER, "tossed": TOSSED, "thrown": THROWN}


def table_of(text: str) -> Table:
    return table_for(configured(text), epoch="sim", simulated=True)


def played(text: str, rounds: int, fault: str | None = None, seed: int = 1) -> EventList:
    """The events of simulated rounds."""
    shown = simulate(configured(text), rounds, seed, {None: fault} if fault else {})
    return EventList(event for one in shown for event in one.events)


# --- what is measured ---


def test_unevenness_is_the_deviation_of_intervals_over_their_mean() -> None:
    assert unevenness([0, 10, 20, 30]) == 0
    assert unevenness([0, 10, 40]) == 0.5
    assert unevenness([0, 10]) is None
    assert unevenness([]) is None


@pytest.mark.parametrize(
    ("device", "measured"),
    [
        ("cage", "moved_s pulses unevenness"),
        ("chute", "moved_s pulses"),
        ("shaker", "moved_s pulses unevenness"),
        ("tossed", "moved_s"),
        ("thrown", "moved_s"),
    ],
)
def test_every_proven_tumble_has_what_its_device_measures(device: str, measured: str) -> None:
    outcomes = played(TABLES[device], 4).of(events.Outcome)
    assert len(outcomes) >= 3
    tumbles = [one for data in outcomes for one in data.evidence.tumbles or ()]
    for one in tumbles:
        found = [name for name in ("moved_s", "pulses", "unevenness") if getattr(one, name) is not None]
        assert " ".join(found) == measured
        assert 0.2 < (one.moved_s or 0) < 20
        assert one.pulses is None or one.pulses >= 3
        assert one.unevenness is None or 0 <= one.unevenness < 1
    assert len({one.moved_s for one in tumbles}) == len(tumbles)


# --- what is warned of ---


def outcome(*tumbles: Tumbling) -> Any:
    about: dict[str, Any] = {"table": "t", "game": "sic_bo", "simulated": True, "mono_ns": 1, "round": 1}
    return events.Outcome(**about, result={}, winning=[], rule="ours", evidence=Evidence(tumbles=list(tumbles)))


def test_dice_that_are_shaken_less_well_than_the_first_ones_are_warned_of_at_the_end_of_a_block() -> None:
    watch, rng = ShakeWatch(ShakeLimits()), Random(1)

    def shaken(share: float) -> list[str]:
        return [
            one.detail
            for _ in range(BLOCK)
            for one in watch.see(outcome(Tumbling(shakes=3, moved_s=share * rng.uniform(2, 4), pulses=30)))
        ]

    sound = [shaken(1) for _ in range(FIRST // BLOCK + 5)]
    assert sound == [[]] * len(sound)
    (found,) = shaken(0.6)
    assert found.startswith("the dice are shaken less well: the time in s has a median of 1.")
    assert shaken(1) == []


def test_a_shaker_is_compared_with_itself_and_not_with_another_device_of_its_table() -> None:
    watch = ShakeWatch(ShakeLimits())
    by_hand, tossed = Tumbling(shakes=3, moved_s=9.0, pulses=30), Tumbling(moved_s=4.0)
    said = [watch.see(outcome(one)) for _ in range(FIRST + BLOCK) for one in (by_hand, tossed)]
    assert not any(said)


def test_a_shake_below_a_bound_is_stated_once_until_one_is_above() -> None:
    watch = ShakeWatch(ShakeLimits(2.0, 20))
    shakes = [(3.0, 30), (1.9, 30), (1.5, 19), (1.0, 10), (2.0, 20), (2.5, 5)]
    found = [watch.see(outcome(Tumbling(moved_s=moved_s, pulses=pulses))) for moved_s, pulses in shakes]
    assert [[one.detail.partition(": ")[2] for one in of] for of in found] == [
        [],
        ["1.9 s, below the least, 2"],
        ["19 pulses, below the least, 20"],
        [],
        [],
        ["5 pulses, below the least, 20"],
    ]
    assert {one.warning for of in found for one in of} == {"weak_shakes"}
    assert watch.see(outcome(Tumbling(keyed=[1]))) == []


def test_what_another_device_or_none_measures_says_nothing_of_the_bound_of_this_one() -> None:
    watch, weak = ShakeWatch(ShakeLimits(2.0)), Tumbling(shakes=3, moved_s=1.0)
    assert len(watch.see(outcome(weak))) == 1
    for other in (Tumbling(keyed=[1, 2]), Tumbling(moved_s=8.0), Tumbling(shakes=3, pulses=9)):
        assert watch.see(outcome(other, weak)) == []
    assert len(watch.see(outcome(Tumbling(shakes=3, moved_s=3.0), weak))) == 1


@pytest.mark.parametrize("key", ["", "least_moved_s = 60", "least_pulses = 100000"])
def test_each_key_decides_what_is_warned_of(key: str) -> None:
    said = played(f"{CAGE}[watch]\n{key}\n", 3)
    warned = [one.detail for one in said.of(events.DeviceWarning) if one.warning == "weak_shakes"]
    assert len(warned) == bool(key)
    assert not key or ("pulses" in warned[0]) is ("pulses" in key)


@pytest.mark.parametrize("key", ["least_moved_s = 0", "least_pulses = 0", "same_direction = 3"])
def test_a_wrong_key_is_refused(key: str) -> None:
    (error,) = check_text(f"{CAGE}[watch]\n{key}\n").errors
    assert f"watch.{key.split()[0]}" in str(error)


# --- it changes nothing, and costs little ---


@pytest.mark.parametrize("device", TABLES)
def test_no_verdict_of_a_simulated_round_is_another_one_for_it(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TABLES[device]
    strict = f"{text}[watch]\nleast_moved_s = 60\nleast_pulses = 100000\n"
    faults = [None, *(fault.name for fault in faults_for(geometry_of(configured(text))))][::5]

    def said(text: str) -> list[list[Data]]:
        nights = [played(text, 2, fault, number) for number, fault in enumerate(faults)]
        return [[one.data for one in night if getattr(one.data, "warning", "") != "weak_shakes"] for night in nights]

    watched = said(strict)
    warned = played(strict, 2).of(events.DeviceWarning)
    assert {one.warning for one in warned} == {"weak_shakes"}
    monkeypatch.setattr("controller.games.assembly._watch", lambda config: None)
    assert said(text) == watched


MOST_COST = 0.02
"""Of a round's own instructions."""


def test_the_watch_costs_less_than_two_hundredths_of_a_round() -> None:
    """Counted by instructions, with a comparison in every thirtieth round."""
    simulator = geometry_of(configured(CHUTE)).simulator(1)
    rounds = [simulator.start(), *(simulator.round().batch for _ in range(3))]
    said: list[Data] = []

    def plays() -> Callable[[], int]:
        table = table_of(CHUTE)
        table._watch = None

        def run() -> int:
            found = [event.data for batch in rounds for event in [*table.feed(batch)]]
            said[:] = [one for one in found if not isinstance(one, events.RoundProgress)]
            return len([one for one in found if isinstance(one, events.Outcome)])

        table.open(0)
        return run

    def watches() -> Callable[[], int]:
        watch = ShakeWatch(ShakeLimits())
        for number in range(FIRST):
            watch.see(outcome(Tumbling(moved_s=number / FIRST, pulses=number // 3)))
        return lambda: sum(len(watch.see(one)) for _ in range(BLOCK // 3) for one in said)

    whole = instructions_of(plays, 3)
    watched = instructions_of(watches, 0) / (BLOCK // 3)
    assert watched < MOST_COST * whole, f"{watched / whole:.2%}"
