"""A guided calibration: what passes is kept, what fails is asked again, and what was left is not signed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from click.testing import CliRunner

from controller.calibration.table_calibration import TableCalibration
from controller.cli import main
from controller.commissioning.calibrating import CalibrationOutcome, Choice, calibrate, made_of, summary, uncalibrated
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from drivers.base.movement import Movement, MovementResult, Recording
from simulators.base.hand import HandMoved, WiringMistake, parse_mistake
from tests.tables.bench import configured
from tests.tables.movements import RIGHT

ROULETTE = configured('[table]\nid = "r-1"\ngame = "roulette"\n[lines]\nbackend = "sim"\n')


class HandGuide:
    """A simulated hand, with a mistake that is fixed after this many tries."""

    def __init__(self, mistake: WiringMistake = RIGHT, *, tries: int = 99, left: Sequence[str] = ()) -> None:
        geometry = geometry_of(ROULETTE)
        assert isinstance(geometry, HandMoved)
        self.hand = geometry.hand(3)
        self.mistake = mistake
        self.tries = tries
        self.left = left
        self.shown: list[tuple[str, bool]] = []
        self.choice: Choice = "again"

    async def record(self, movement: Movement) -> Recording | None:
        if movement.name in self.left:
            return None
        batch = self.hand.move(movement.name, movement.lines, movement.asked)
        if self.tries > 0:
            batch = self.mistake.lines(batch)
        return Recording(batch.edges, batch.rare, batch.until_ns)

    def show(self, movement: Movement, result: MovementResult) -> None:
        self.shown.append((movement.name, result.passed))

    def leave_out(self, movement: Movement, why: str) -> None:
        self.shown.append((f"{movement.name}: {why}", False))

    async def choose(self, movement: Movement, result: MovementResult) -> Choice:
        self.tries -= 1
        return self.choice


def made(
    outcome: CalibrationOutcome, before: TableCalibration | None = None, config: TableConfig = ROULETTE
) -> TableCalibration:
    return made_of(config, outcome, before, by="ann", time="2026-11-22T20:00:00Z", software="feltwire")


def test_a_mistake_that_is_mended_on_the_way_passes_at_the_next_try() -> None:
    guide = HandGuide(parse_mistake("exchange:rotor_a,rotor_b"), tries=2)
    outcome = asyncio.run(calibrate(ROULETTE, guide))
    assert outcome.complete
    assert guide.shown[:3] == [("turn_rotor", False), ("turn_rotor", False), ("turn_rotor", True)]
    calibration = made(outcome)
    assert uncalibrated(ROULETTE, calibration) == []
    assert len(calibration.device["wheel"].measured["ball_sensors_deg"]) == 3  # type: ignore[arg-type]


def test_a_device_of_which_a_movement_was_left_out_is_not_calibrated_and_keeps_what_it_had() -> None:
    first = made(asyncio.run(calibrate(ROULETTE, HandGuide())))
    outcome = asyncio.run(calibrate(ROULETTE, HandGuide(left=["known_pocket"])))
    assert not outcome.complete
    assert uncalibrated(ROULETTE, made(outcome)) == ["wheel"]
    assert made(outcome, first).device["wheel"] == first.device["wheel"]


def test_a_device_that_failed_loses_what_it_had() -> None:
    first = made(asyncio.run(calibrate(ROULETTE, HandGuide())))
    guide = HandGuide(parse_mistake("exchange:ball_1,ball_3"))
    guide.choice = "skip"
    outcome = asyncio.run(calibrate(ROULETTE, guide))
    assert uncalibrated(ROULETTE, made(outcome, first)) == ["wheel"]
    assert "ball_1 and ball_3 are exchanged" in str(summary(outcome)["failed"])


def test_a_movement_that_rests_on_one_that_failed_is_not_asked_for() -> None:
    guide = HandGuide(parse_mistake("exchange:rotor_a,rotor_b"))
    guide.choice = "skip"
    outcome = asyncio.run(calibrate(ROULETTE, guide))
    assert ("known_pocket: turn_rotor must pass first", False) in guide.shown
    assert [step.movement.name for step in outcome.left] == ["known_pocket"]
    assert [*outcome.failed["wheel"]] == ["turn_rotor"]


def test_leaving_after_a_failure_leaves_out_all_that_follows() -> None:
    guide = HandGuide(parse_mistake("dead:rotor_a"))
    guide.choice = "leave"
    outcome = asyncio.run(calibrate(ROULETTE, guide))
    assert [step.movement.name for step in outcome.left][:2] == ["roll_ball", "known_pocket"]


def test_practice_finds_the_planted_mistake_and_writes_nothing(tmp_path: Path) -> None:
    runner = CliRunner()
    table = tmp_path / "t.toml"
    table.write_text('[table]\nid = "r-1"\ngame = "roulette"\n[lines]\nbackend = "sim"\n')
    good = runner.invoke(main, ["calibrate", str(table), "--practice"])
    assert good.exit_code == 0, good.output
    assert "nothing is written" in good.output
    bad = runner.invoke(main, ["calibrate", str(table), "--practice", "--mistake", "exchange:ball_2,ball_3"])
    assert bad.exit_code == 1
    assert "ball_2 and ball_3 are exchanged" in bad.output
    unknown = runner.invoke(main, ["calibrate", str(table), "--practice", "--mistake", "dead:ball_9"])
    assert unknown.exit_code == 2
    assert "no movement has the line ball_9" in unknown.output
    unreal = runner.invoke(main, ["calibrate", str(table)])
    assert unreal.exit_code == 2
    assert "has no real wires" in unreal.output
    assert [path.name for path in tmp_path.iterdir()] == ["t.toml"]
