"""The trial of a table's outputs: each is driven while a person watches, and is safe again before the next.

lamp, signal     on ─► does the person see it? ─► off ─► is it off?
chain of lamps   all ─► every second ─► the others ─► none
display          36 ─► 00 ─► blank
motor            only after the person confirms that nobody is near: for a second, then off
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from controller.configuration.values import TableConfig
from drivers.dealer.indicators import NumberDisplay
from hal.lamp_fields import CHAIN
from hal.values import LightLamps, Output, RunMotor, SetLine

LAMPS: Final = 50
"""Lamps of a layout's chain, as many as sic bo has areas."""
MOTOR_SPEED: Final = 1.0
"""A board switches its motor on and off, and stops it by its own sensors."""
MOTOR_S: Final = 1.0
PULSE_S: Final = 0.5
"""How long a signal is given (ours): shakers start at half a second."""
_MOVING: Final = frozenset({"motor", "solenoid", "stepper"})


class OutputStep(NamedTuple):
    """One step: what is driven, and what the person must see."""

    name: str
    subject: str
    warning: str
    """What must be clear before it is driven; empty where it can hurt nobody."""
    drive: Callable[[int], list[Output]]
    """The outputs, at a time in nanoseconds."""
    question: str
    safe: Callable[[int], list[Output]]
    """What ends it."""
    hold_s: float | None = None
    """How long it is driven; None until the person has answered."""


class StepNote(msgspec.Struct, frozen=True):
    """What a person saw at a step."""

    step: str
    subject: str
    passed: bool
    remark: str = ""


class TrialReport(msgspec.Struct, frozen=True, kw_only=True):
    """The notes of a trial."""

    format: int = 1
    table: str
    by: str
    time: str
    software: str
    complete: bool
    """Whether every step was done, and passed."""
    notes: tuple[StepNote, ...]


def steps(config: TableConfig) -> list[OutputStep]:
    """The steps of a table, in the order of its lines."""
    found: list[OutputStep] = []
    for line, use in config.uses.items():
        if use.kind == "output" and config.wired(line):
            found += _line(line, use.purpose, use.drives)
        elif line == CHAIN and config.boards:
            found += _chain()
        elif line == NumberDisplay.link and line in config.links:
            found += _display()
    return found


def _line(line: str, purpose: str, drives: str) -> list[OutputStep]:
    def off(t_ns: int) -> list[Output]:
        return [RunMotor(line, 0.0, t_ns) if drives in _MOVING else SetLine(line, False, t_ns)]

    if drives in _MOVING:

        def run(t_ns: int) -> list[Output]:
            return [RunMotor(line, MOTOR_SPEED, t_ns)]

        warning = f"{purpose} will move for {MOTOR_S:g} s: are all hands and things clear of it?"
        return [OutputStep(f"run_{line}", purpose, warning, run, "did it move, and stop again?", off, MOTOR_S)]

    def on(t_ns: int) -> list[Output]:
        return [SetLine(line, True, t_ns)]

    if drives == "signal":
        warning = f"{purpose} will be given for {PULSE_S:g} s, and what hangs on it may move: is it clear?"
        return [OutputStep(f"give_{line}", purpose, warning, on, "did it do what it should?", off, PULSE_S)]
    return [
        OutputStep(f"light_{line}", purpose, "", on, "is it lit?", off),
        OutputStep(f"dark_{line}", purpose, "", off, "is it dark again?", off),
    ]


def _chain() -> list[OutputStep]:
    def light(lit: Sequence[int]) -> Callable[[int], list[Output]]:
        return lambda t_ns: [LightLamps(CHAIN, frozenset(lit), t_ns)]

    every = range(1, LAMPS + 1)
    dark = light(())
    subject = "lamps of the layout"
    return [
        OutputStep("lamps_all", subject, "", light(every), f"are all {LAMPS} lit, equally bright?", dark),
        OutputStep("lamps_odd", subject, "", light(every[::2]), "is every second one lit, from the first on?", dark),
        OutputStep("lamps_even", subject, "", light(every[1::2]), "are exactly the others lit?", dark),
        OutputStep("lamps_dark", subject, "", dark, "are all dark?", dark),
    ]


def _display() -> list[OutputStep]:
    display = NumberDisplay()
    subject = "winning number display"

    def show(number: str) -> Callable[[int], list[Output]]:
        return lambda t_ns: [display.show(number, t_ns)]

    def clear(t_ns: int) -> list[Output]:
        return [display.clear(t_ns)]

    return [
        OutputStep("display_36", subject, "", show("36"), "does it show 36?", clear),
        OutputStep("display_00", subject, "", show("00"), "does it show 00, with both noughts?", clear),
        OutputStep("display_blank", subject, "", clear, "is it blank?", clear),
    ]


class Watcher(Protocol):
    """Who watches, and answers."""

    async def clear(self, step: OutputStep) -> bool:
        """Whether the person has confirmed that it may be driven."""

    async def hold(self, seconds: float) -> None:
        """Lets this much time pass while it is driven."""

    async def seen(self, step: OutputStep) -> StepNote | None:
        """What the person saw; None where nobody answers any more."""


async def trial(
    todo: Sequence[OutputStep], show: Callable[[Output], None], watcher: Watcher, now_ns: Callable[[], int]
) -> list[StepNote]:
    """Walks through the steps. Whatever happens in a step, its output is made safe before the next, and at the end.

    Raises:
        LineError, LinkError: an output cannot be driven.
    """
    notes: list[StepNote] = []
    for step in todo:
        if step.warning and not await watcher.clear(step):
            notes.append(StepNote(step.name, step.subject, False, "not driven: it was not clear"))
            continue
        try:
            for output in step.drive(now_ns()):
                show(output)
            if step.hold_s is not None:
                await watcher.hold(step.hold_s)
                for output in step.safe(now_ns()):
                    show(output)
            note = await watcher.seen(step)
        finally:
            for output in step.safe(now_ns()):
                show(output)
        if note is None:
            break
        notes.append(note)
    return notes
