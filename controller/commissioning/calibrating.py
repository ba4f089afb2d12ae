"""A guided calibration: each movement is asked for, recorded and judged, and what passed is kept.

for each device ─► instruction ─► a person moves it ─► judge ──passed──► kept, with its measures
                      ▲                                  │
                      └───────── again ◄── not passed ───┘ or left: what passed before stays
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from controller.calibration.movements import digest_of, movements_of
from controller.calibration.table_calibration import DeviceCalibration, TableCalibration
from controller.configuration.values import TableConfig
from drivers.base.movement import Movement, MovementResult, Recording

Choice: TypeAlias = Literal["again", "skip", "leave"]


class Guide(Protocol):
    """Who asks the person, and shows what was found."""

    async def record(self, movement: Movement) -> Recording | None:
        """Shows the instruction, and returns what the lines did; None where the person leaves the movement out."""

    def show(self, movement: Movement, result: MovementResult) -> None:
        """Shows what a movement has shown."""

    def leave_out(self, movement: Movement, why: str) -> None:
        """Shows that a movement is not asked for."""

    async def choose(self, movement: Movement, result: MovementResult) -> Choice:
        """What to do after a movement that did not pass."""


class CalibrationStep(NamedTuple):
    """One movement of one device."""

    device: str
    movement: Movement


def steps(config: TableConfig, devices: Sequence[str] = ()) -> Iterator[CalibrationStep]:
    """The movements of a table, or of some of its devices, in their order."""
    for device, movements in movements_of(config).items():
        if not devices or device in devices:
            yield from (CalibrationStep(device, movement) for movement in movements)


@dataclass
class CalibrationOutcome:
    """What a calibration has shown."""

    passed: dict[str, dict[str, MovementResult]] = field(default_factory=dict)
    """By device and movement."""
    failed: dict[str, dict[str, MovementResult]] = field(default_factory=dict)
    left: list[CalibrationStep] = field(default_factory=list)
    """Movements that the person left out."""

    @property
    def complete(self) -> bool:
        """Whether every movement passed."""
        return not self.left and not any(self.failed.values())


async def calibrate(config: TableConfig, guide: Guide, devices: Sequence[str] = ()) -> CalibrationOutcome:
    """Walks a person through the movements."""
    outcome = CalibrationOutcome()
    todo = list(steps(config, devices))
    for number, step in enumerate(todo):
        missing = [name for name in step.movement.after if name not in outcome.passed.get(step.device, {})]
        if missing:
            outcome.left.append(step)
            guide.leave_out(step.movement, f"{', '.join(missing)} must pass first")
            continue
        while True:
            recording = await guide.record(step.movement)
            if recording is None:
                outcome.left.append(step)
                break
            result = step.movement.judge(recording)
            guide.show(step.movement, result)
            failed = outcome.failed.setdefault(step.device, {})
            failed.pop(step.movement.name, None)
            if result.passed:
                outcome.passed.setdefault(step.device, {})[step.movement.name] = result
                break
            failed[step.movement.name] = result
            choice = await guide.choose(step.movement, result)
            if choice == "leave":
                outcome.left += todo[number + 1 :]
                return outcome
            if choice == "skip":
                break
    return outcome


def made_of(
    config: TableConfig,
    outcome: CalibrationOutcome,
    before: TableCalibration | None,
    *,
    by: str,
    time: str,
    software: str,
) -> TableCalibration:
    """The calibration that results: devices whose movements all passed, and those that were calibrated before and have
    not changed since. A device that failed loses what it had: its wiring was just seen to be wrong.
    """
    devices: dict[str, DeviceCalibration] = {}
    for name, movements in movements_of(config).items():
        passed = outcome.passed.get(name, {})
        device = config.devices[name]
        digest = digest_of(config, device)
        if all(movement.name in passed for movement in movements):
            measured: dict[str, Any] = {}
            for result in passed.values():
                measured |= result.measured
            names = tuple(movement.name for movement in movements)
            devices[name] = DeviceCalibration(device.driver, digest, names, by, time, measured)
        elif before is not None and name in before.device and not outcome.failed.get(name):
            old = before.device[name]
            if old.digest == digest:
                devices[name] = old
    return TableCalibration(config.id, software, devices)


def uncalibrated(config: TableConfig, made: TableCalibration) -> list[str]:
    """The devices that still have no calibration."""
    return [name for name in movements_of(config) if name not in made.device]


def summary(outcome: CalibrationOutcome) -> Mapping[str, Any]:
    """What a calibration has shown, for a report in JSON."""
    return {
        "complete": outcome.complete,
        "passed": {name: [*found] for name, found in outcome.passed.items()},
        "failed": {
            name: {one: {"found": result.found, "fix": result.fix} for one, result in found.items()}
            for name, found in outcome.failed.items()
            if found
        },
        "left": [f"{step.device}.{step.movement.name}" for step in outcome.left],
        "measured": {
            name: {key: value for result in found.values() for key, value in result.measured.items()}
            for name, found in outcome.passed.items()
        },
    }
