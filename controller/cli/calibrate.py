"""`feltwire calibrate`: the guided movements that prove what no software can see."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
import msgspec

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from controller.cli.person import LEFT, ask
from controller.cli.plots import plot
from controller.cli.printing import load_one
from controller.cli.send import person, user_name
from controller.cli.services_here import refusal, service_of, services
from controller.cli.table_key import signer_of_table, table_key
from controller.configuration.values import TableConfig
from drivers.base.movement import Movement, MovementResult, Recording
from hal.clock import NS_PER_S, SystemClock
from hal.version import SOFTWARE

if TYPE_CHECKING:
    from nacl.signing import SigningKey

    from controller.calibration.table_calibration import TableCalibration
    from controller.commissioning.calibrating import CalibrationOutcome, Choice
    from controller.commissioning.listening import LineListener
    from simulators.base.hand import SimulatedHand, WiringMistake


@click.command("calibrate")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--device", "devices", multiple=True, metavar="NAME", help="Only this device; repeat for more.")
@click.option(
    "--state", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="The folder with the key."
)
@click.option("--by", default="", callback=person, metavar="NAME", help="Who calibrates; without it, the user.")
@click.option(
    "--seconds", type=click.FloatRange(min=0.5), help="End each movement after this many seconds, without ENTER."
)
@click.option("--check", "only_check", is_flag=True, help="Only report the state of the table's calibration.")
@click.option("--practice", is_flag=True, help="Simulated devices and a simulated hand; nothing is written.")
@click.option("--seed", type=int, default=1, show_default=True, help="With --practice: equal seeds move equally.")
@click.option(
    "--mistake",
    "mistakes",
    multiple=True,
    metavar="KIND:LINES",
    help="With --practice: exchange:LINE,LINE, invert:LINE, dead:LINE or reverse:LINE.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON at the end.")
def command(
    table: Path,
    devices: tuple[str, ...],
    state: Path | None,
    by: str,
    seconds: float | None,
    only_check: bool,
    practice: bool,
    seed: int,
    mistakes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Prove the wiring of a table by guided movements, and write its signed calibration.

    No software sees that two equal sensors are exchanged, or that the indicator is over another space than the
    count says. You move the wheel, the ball, a die or a card as instructed; each movement is judged at once, with
    what is wrong and how to fix it. What is measured (the angles of the track sensors, the flapper's zone) is shown,
    kept, and used in play. No round is open meanwhile, and no output is driven.

    When every movement of a device has passed, TABLE.calibration and its signature are written beside the file. A table
    with real wires stays shut without one that fits the file (not_calibrated); a change of a pin or of the device's
    keys needs that device's movements again.

    \b
    Examples:
        feltwire calibrate /etc/feltwire/roulette.toml --by "A. Miller"
        feltwire calibrate roulette.toml --device wheel
        feltwire calibrate roulette.toml --check
        feltwire calibrate examples/roulette.toml --practice --mistake exchange:ball_2,ball_3

    After a movement that did not pass, type ENTER to make it again, s to go on without it, or q to leave.
    Exit codes: 0 if all movements passed; 1 if one did not, or the lines cannot be opened; 2 for a file or an option
    that cannot be used.
    """
    from controller.calibration.movements import movements_of
    from controller.calibration.table_calibration import calibration_path

    config = load_one(table)
    there = movements_of(config)
    for name in devices:
        if name not in there:
            raise click.UsageError(f"--device {name}: there is no such movement; there are {', '.join(there)}")
    if (mistakes or seed != 1) and not practice:
        raise click.UsageError("--mistake and --seed are for --practice: a real table has mistakes of its own")
    if practice:
        sys.exit(_practise(config, devices, seed, mistakes, as_json=as_json))
    if not config.live:
        raise click.UsageError(
            f"{config.file}: its backend {config.lines.backend} has no real wires, so there is nothing to prove; "
            "--practice shows how it goes"
        )
    if only_check:
        sys.exit(_show_state(config, state))
    if not there:
        click.echo(f"table {config.id} has no device that needs a calibration")
        return
    running = service_of(config, services())
    if running is not None:
        _leave(refusal(config.id, running, "a calibration needs the lines for itself"), FATAL)
    key = table_key(config, state)
    path = calibration_path(config)
    before = _before(path, key)
    if not os.access(path.parent, os.W_OK):
        # Reported now, and not after ten minutes of work.
        _leave(f"{path.parent}: the calibration is written there, and this user may not; use sudo", BAD_CONFIGURATION)
    guide = TerminalGuide(seconds)
    outcome = _listen(config, guide, devices)
    sys.exit(_write(config, outcome, before, key, by or user_name(), as_json=as_json))


def _listen(config: TableConfig, guide: TerminalGuide, devices: Sequence[str]) -> CalibrationOutcome:
    from controller.commissioning.calibrating import calibrate
    from controller.commissioning.listening import TooManyValuesError, open_lines
    from hal.lines import LineError

    async def main() -> CalibrationOutcome:
        async with open_lines(config, SystemClock()) as opened:
            for name, why in opened.boards_down.items():
                raise LineError(f"board {name}: {why}")
            guide.listener = opened.listener
            return await calibrate(config, guide, devices)

    try:
        return asyncio.run(main())
    except (LineError, TooManyValuesError) as error:
        _leave(str(error), FATAL)
    except KeyboardInterrupt:
        _leave("left; nothing was written", FATAL)


class TerminalGuide:
    """Leads a person at the terminal (see `controller.commissioning.calibrating.Guide`)."""

    def __init__(self, seconds: float | None) -> None:
        self.listener: LineListener | None = None
        self._seconds = seconds

    async def record(self, movement: Movement) -> Recording | None:
        """Shows the instruction and records until ENTER is pressed, or the seconds are over."""
        if self.listener is None:
            raise RuntimeError("the lines are not open")
        click.echo(f"\n{click.style(movement.name, bold=True)}: {movement.instruction}")
        click.echo(f"    lines: {', '.join(movement.lines)}")
        self.listener.begin()
        if self._seconds is not None:
            click.echo(f"    recording for {self._seconds:g} s …")
            await self.listener.wait(self._seconds)
            return self.listener.recording()
        waiting = asyncio.ensure_future(ask("    then press ENTER (s: leave this one out) "))
        while not waiting.done():
            await self.listener.wait(0.1)
        answer = waiting.result()
        return None if answer in ("s", "skip", LEFT) else self.listener.recording()

    def show(self, movement: Movement, result: MovementResult) -> None:
        """Shows what was found, its plot, and the fix."""
        show(result)

    def leave_out(self, movement: Movement, why: str) -> None:
        """Shows that a movement is not asked for."""
        show_left(movement, why)

    async def choose(self, movement: Movement, result: MovementResult) -> Choice:
        """Asks what to do after a movement that did not pass."""
        if self._seconds is not None:
            return "skip"
        answer = await ask("    ENTER: make it again, s: go on without it, q: leave ")
        return "leave" if answer in ("q", "quit", LEFT) else "skip" if answer in ("s", "skip") else "again"


class Practice:
    """A simulated hand in place of a person, with planted wiring mistakes."""

    def __init__(self, hand: SimulatedHand, mistakes: Sequence[WiringMistake]) -> None:
        self._hand = hand
        self._mistakes = mistakes

    async def record(self, movement: Movement) -> Recording | None:
        """Makes the movement; one that no simulated hand makes is left out."""
        from simulators.base.hand import HandMovementError

        click.echo(f"\n{click.style(movement.name, bold=True)}: {movement.instruction}")
        try:
            batch = self._hand.move(movement.name, movement.lines, movement.asked)
        except HandMovementError as error:
            click.echo(f"    left out: {error}")
            return None
        for mistake in self._mistakes:
            batch = mistake.lines(batch)
        return Recording(batch.edges, batch.rare, batch.until_ns)

    def show(self, movement: Movement, result: MovementResult) -> None:
        """Shows what was found, its plot, and the fix."""
        show(result)

    def leave_out(self, movement: Movement, why: str) -> None:
        """Shows that a movement is not asked for."""
        show_left(movement, why)

    async def choose(self, movement: Movement, result: MovementResult) -> Choice:
        """Goes on: the mistake stays."""
        return "skip"


def show_left(movement: Movement, why: str) -> None:
    """Prints that a movement is not asked for."""
    click.echo(f"\n{click.style(movement.name, bold=True)}: left out, {why}")


def show(result: MovementResult) -> None:
    """Prints what a movement has shown."""
    mark = click.style("passed", fg="green") if result.passed else click.style("NOT PASSED", fg="red")
    click.echo(f"    {mark}: {result.found}")
    if result.fix:
        click.echo(f"    to do: {result.fix}")
    for row in plot(result.plot):
        click.echo(f"      {row}")


def _practise(config: TableConfig, devices: Sequence[str], seed: int, mistakes: Sequence[str], *, as_json: bool) -> int:
    from controller.commissioning.calibrating import calibrate
    from controller.games.assembly import geometry_of
    from controller.games.base.spec import NoSimulatorError
    from simulators.base.hand import HandMoved, parse_mistake

    try:
        planted = [parse_mistake(text) for text in mistakes]
    except ValueError as error:
        raise click.UsageError(f"--mistake {error}") from error
    known = {line for step in _all_lines(config) for line in step}
    for one, text in zip(planted, mistakes, strict=True):
        unknown = {*one.exchanged, *one.inverted, *one.dead, *one.reversed_readings} - known
        if unknown:
            raise click.UsageError(
                f"--mistake {text}: no movement has the line {', '.join(sorted(unknown))}; "
                f"there are {', '.join(sorted(known))}"
            )
    try:
        geometry = geometry_of(config)
    except NoSimulatorError as error:
        _leave(str(error), BAD_CONFIGURATION)
    if not isinstance(geometry, HandMoved):
        _leave(f"no simulated hand moves the devices of {config.game} as this file has them", BAD_CONFIGURATION)
    click.echo("practice: simulated devices and a simulated hand; nothing is written")
    outcome = asyncio.run(calibrate(config, Practice(geometry.hand(seed), planted), devices))
    return _sum_up(outcome, as_json=as_json)


def _all_lines(config: TableConfig) -> list[tuple[str, ...]]:
    from controller.calibration.movements import movements_of

    return [movement.lines for movements in movements_of(config).values() for movement in movements]


def _sum_up(outcome: CalibrationOutcome, *, as_json: bool) -> int:
    from controller.commissioning.calibrating import summary

    if as_json:
        click.echo(msgspec.json.encode(summary(outcome)))
    passed = sum(map(len, outcome.passed.values()))
    failed = sum(map(len, outcome.failed.values()))
    click.echo(f"\n{passed} movements passed, {failed} did not, {len(outcome.left)} left out", err=as_json)
    return 0 if outcome.complete else FATAL


def _write(
    config: TableConfig,
    outcome: CalibrationOutcome,
    before: TableCalibration | None,
    key: SigningKey,
    by: str,
    *,
    as_json: bool,
) -> int:
    from controller.calibration.table_calibration import CalibrationError, calibration_path, write
    from controller.commissioning.calibrating import made_of, uncalibrated

    code = _sum_up(outcome, as_json=as_json)
    time = datetime.fromtimestamp(SystemClock().wall_time_ns() // NS_PER_S, UTC).isoformat().replace("+00:00", "Z")
    made = made_of(config, outcome, before, by=by, time=time, software=SOFTWARE)
    path = calibration_path(config)
    if not made.device and before is None:
        click.echo(f"{path} was not written: no device passed all its movements", err=True)
        return FATAL
    try:
        write(path, made, key)
    except CalibrationError as error:
        _leave(str(error), FATAL)
    click.echo(f"written and signed: {path}", err=as_json)
    missing = uncalibrated(config, made)
    if missing:
        click.echo(f"the table stays shut: {', '.join(missing)} without a calibration", err=True)
        return FATAL
    click.echo("the table may open: start the service, and clear not_calibrated if it is latched", err=as_json)
    return code


def _show_state(config: TableConfig, state: Path | None) -> int:
    from controller.calibration.table_calibration import calibrated, state_of

    found = state_of(config, signer_of_table(config, state))
    click.echo(f"table {config.id}: calibration {found.kind}: {found.words}")
    with_measures = calibrated(config, found)
    for name, measured in found.measured.items():
        for what, value in measured.items():
            click.echo(f"    {name}: {what} = {value}")
        if with_measures.devices[name].config != config.devices[name].config:
            click.echo(f"    {name}: its driver uses these in place of the file's")
    return FATAL if found.shuts else 0


def _before(path: Path, key: SigningKey) -> TableCalibration | None:
    """The calibration that there was; None where there is none that counts."""
    from controller.calibration.table_calibration import CalibrationError, read

    try:
        return read(path, bytes(key.verify_key))
    except CalibrationError as error:
        if path.exists():
            click.echo(f"the calibration that is there does not count: {error}", err=True)
        return None


def _leave(message: str, code: int) -> NoReturn:
    click.echo(click.style(message, fg="red"), err=True)
    sys.exit(code)
