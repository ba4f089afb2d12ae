"""The devices of a dice table at one time, for drawings."""

from __future__ import annotations

from drivers.base.view import DeviceView


class CageView(DeviceView, frozen=True, kw_only=True, tag="cage"):
    """A cage that is turned over its ends."""

    inversions: int
    required: int
    moving: bool
    """Whether a run is under way: dice or cage move."""
    rocking: bool


class ChuteBeam(DeviceView, frozen=True, kw_only=True, tag="beam"):
    """One baffle of a chute."""

    broken: bool
    jammed: bool
    passes: int


class ChuteView(DeviceView, frozen=True, kw_only=True, tag="chute"):
    """A chute with its baffles, the uppermost first."""

    beams: tuple[ChuteBeam, ...]
    dice: int
    moving: bool


class ShakerView(DeviceView, frozen=True, kw_only=True, tag="shaker"):
    """A shaker that is covered and shaken by hand."""

    covered: bool | None
    """None where it is not known."""
    shakes: int
    required: int
    moving: bool


class AutomatedShakerView(DeviceView, frozen=True, kw_only=True, tag="automated_shaker"):
    """A shaker that the controller starts."""

    moving: bool
    trouble: bool
    present: bool
    stage: str = ""
    """What its actuator is doing; empty for the driver's half."""


class CageMotorView(DeviceView, frozen=True, kw_only=True, tag="cage_motor"):
    """The motor of a cage."""

    on: bool
    """Whether it is commanded to turn."""
    turning: bool
    """Whether its shaft turns."""
    home: bool


class KeypadView(DeviceView, frozen=True, kw_only=True, tag="dice_keypad"):
    """What is keyed, and which keys are down."""

    values: tuple[int, ...]
    dice: int
    spoilt: bool
    down: tuple[str, ...]


class ReaderView(DeviceView, frozen=True, kw_only=True, tag="dice_reader"):
    """What the reading board reports."""

    moving: bool
    values: tuple[int | None, ...]
    dice: int
    faulty: bool
