"""The trial of outputs: each is asked for, noted, and safe again however its step ends."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.commissioning.output_trial import OutputStep, StepNote, steps, trial
from controller.games.load import check
from controller.live.board_lines import outputs_of
from hal.lines import LineError
from hal.values import LightLamps, Output, RunMotor, SetLine

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"


class Answers:
    """A person who answers the same to everything."""

    def __init__(self, seen: bool | None = True, clear: bool = True) -> None:
        self.answer = seen
        self.is_clear = clear
        self.held: list[float] = []

    async def clear(self, step: OutputStep) -> bool:
        return self.is_clear

    async def hold(self, seconds: float) -> None:
        self.held.append(seconds)

    async def seen(self, step: OutputStep) -> StepNote | None:
        return None if self.answer is None else StepNote(step.name, step.subject, self.answer)


def steps_of(name: str) -> list[OutputStep]:
    return steps(check([EXAMPLES / name]).tables[0])


def ends_safe(done: list[Output]) -> bool:
    last: dict[str, Output] = {}
    for output in done:
        match output:
            case SetLine(line, _, _):
                last[line] = output
            case RunMotor(motor, _, _):
                last[motor] = output
            case LightLamps(chain, _, _):
                last[chain] = output
    return all(
        not (isinstance(one, SetLine) and one.on)
        and not (isinstance(one, RunMotor) and one.speed)
        and not (isinstance(one, LightLamps) and one.lit)
        for one in last.values()
    )


@pytest.mark.parametrize(
    "name", ["roulette_on_pi.toml", "sic_bo_board.toml", "beat_the_dealer_board.toml", "craps_automated.toml"]
)
def test_every_step_ends_safe_whatever_is_answered(name: str) -> None:
    for watcher in (Answers(), Answers(seen=False), Answers(clear=False), Answers(seen=None)):
        done: list[Output] = []
        asyncio.run(trial(steps_of(name), done.append, watcher, lambda: 5))
        assert ends_safe(done)


def test_a_motor_moves_only_after_the_person_said_so_and_for_its_time_only() -> None:
    motor = [step for step in steps_of("beat_the_dealer_board.toml") if step.name.startswith("run_")]
    assert motor
    done: list[Output] = []
    [note] = asyncio.run(trial(motor, done.append, Answers(clear=False), lambda: 5))
    assert (done, note.passed) == ([], False)
    watcher = Answers()
    asyncio.run(trial(motor, done.append, watcher, lambda: 5))
    assert watcher.held == [1.0]
    assert [output.speed for output in done if isinstance(output, RunMotor)][:2] == [1.0, 0.0]


def test_every_output_can_take_what_its_steps_drive() -> None:
    for name in ("beat_the_dealer_board.toml", "under_over_board.toml", "roulette_board.toml"):
        config = check([EXAMPLES / name]).tables[0]
        specs = {spec.name: spec for board in config.boards for spec in outputs_of(config, board)}
        done: list[Output] = []
        asyncio.run(trial(steps(config), done.append, Answers(), lambda: 5))
        for output in done:
            if isinstance(output, RunMotor):
                assert specs[output.motor].takes(output.speed)
            elif isinstance(output, SetLine):
                assert specs[output.line].takes(float(output.on))


@pytest.mark.parametrize("failing", [LineError("the board was lost"), KeyboardInterrupt()])
def test_an_error_while_a_person_is_asked_leaves_the_output_safe(failing: BaseException) -> None:
    class Fails(Answers):
        async def seen(self, step: OutputStep) -> StepNote | None:
            raise failing

    done: list[Output] = []

    async def run() -> None:
        with pytest.raises(type(failing)):
            await trial(steps_of("roulette_on_pi.toml"), done.append, Fails(), lambda: 5)

    asyncio.run(run())
    assert isinstance(done[0], SetLine)
    assert ends_safe(done)


def test_the_lamps_of_a_layout_and_the_display_have_their_steps() -> None:
    assert [step.name for step in steps_of("sic_bo_board.toml")][:2] == ["lamps_all", "lamps_odd"]
    names = [step.name for step in steps_of("roulette_on_pi.toml")]
    assert {"light_no_more_bets_lamp", "display_36", "display_blank"} <= {*names}


@pytest.mark.parametrize("options", [[], ["--list"]])
def test_a_table_without_outputs_is_told_so(options: list[str]) -> None:
    shown = CliRunner().invoke(main, ["selftest", str(EXAMPLES / "chuck_a_luck_on_pi.toml"), *options])
    assert (shown.exit_code, shown.output) == (0, "table chuck-a-luck-2 has no output\n")
