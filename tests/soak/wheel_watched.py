"""A wheel of some age under the watch: one table that plays on, round after round, and nothing is corrupted.

The tables of corrupted rounds are new for each run, so the watch over wear learns nothing there. Here it learns a worn
wheel and looks at it: a wheel wears little in half a day, so each of its warnings is a false alarm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from controller.games.assembly import geometry_of, table_for
from controller.games.load import check_text
from controller.table.wear_watch import WHEEL_WEAR
from feed import events
from simulators.base.truth import Truth
from simulators.roulette.wheel import RouletteSimulator
from simulators.wheel.wear import WheelWear
from tests.oracle.wear import worn

TABLE = """
[table]
id = "roulette-1"
game = "roulette"
[lines]
backend = "sim"
[device.wheel]
index_width_deg = 3.55
ball_sensors_deg = [0, 80, 200]
object_beams = 2
"""


def watched(seed: int, rounds: int) -> tuple[Mapping[str, int], list[str]]:
    """What became of some rounds of the wheel as old as the seed has it, and each outcome that is not the truth."""
    (config,) = check_text(TABLE).tables
    simulator = cast("RouletteSimulator", geometry_of(config).simulator(seed))
    pockets = simulator.geometry.pockets
    table = table_for(config, epoch="sim", simulated=True)
    table.open(0)
    counts = Counter(dict.fromkeys(("watched rounds", "watched sound rounds refused", "false alarms of wear"), 0))
    simulator.wear = _wear(seed)
    table.feed(simulator.start())
    spins: list[tuple[Truth, list[Any]]] = []
    outcomes: list[Any] = []
    for _ in range(rounds):
        played = simulator.round()
        before, outcomes = outcomes, []
        spins.append((played.truth, outcomes))
        # On a slow rotor the outcome may come when the next round's batch has begun, and before its spin.
        spun = len(spins) == 1
        for event in table.feed(played.batch):
            if isinstance(event.data, events.RoundStarted):
                spun = True
            elif isinstance(event.data, events.Outcome):
                (outcomes if spun else before).append(event.data.result["pocket"])
            elif isinstance(event.data, events.DeviceWarning):
                counts["false alarms of wear"] += event.data.warning == WHEEL_WEAR
            else:
                counts["histories of wear"] += isinstance(event.data, events.DeviceCondition)
    wrong: list[str] = []
    for number, (truth, given) in enumerate(spins, 1):
        if given and not (truth.valid and isinstance(truth.result, int) and given == [pockets[truth.result]]):
            wrong.append(f"seed {seed}, watched round {number}: {given} for {truth.detail}")
        counts["watched rounds"] += 1
        counts["watched sound rounds refused"] += truth.valid and not given
    return counts, wrong


def _wear(seed: int) -> WheelWear:
    wear = worn(seed, sensors=3)
    return WheelWear(
        bearing=wear.rotor_loss,
        ball_track=wear.ball_loss,
        pulse=wear.width,
        missed=wear.missed[0],
        uneven=wear.late,
        bounces=wear.bounces,
        tilt_deg=max(0.0, wear.tilt_deg),
    )
