"""The calibration of a table: which movements each device has passed, and what they measured.

    roulette.toml               the table's file
    roulette.calibration        its calibration (TOML): by whom, when, and for each device its digest and measures
    roulette.calibration.sig    the signature by the table's key, the one that seals its journal

It fits as long as every device's digest is that of the file: a line on another pin, an index of another width or
another board needs its movements again. Beside `roulette.toml` it has a suffix of its own, so that `*.toml` still names
the tables of a folder.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
from nacl.signing import SigningKey

from controller.boards.detached_signature import (
    SignedFileError,
    read_at_most,
    read_signed,
    toml_value,
    write_signed,
)
from controller.calibration.movements import digest_of, movements_of
from controller.configuration.values import TableConfig
from drivers.base.movement import Movement
from hal.plain_text import plain

_DOMAIN: Final = b"feltwire calibration\0"
"""The prefix of signed data: no other signature by the same key is valid for a calibration."""
SUFFIX: Final = ".calibration"
MOST_BYTES: Final = 1 << 18
"""A longer file is not a calibration (ours)."""
DEVICE_NAME: Final = "calibration"
"""The device under which a table reports its calibration."""
NOT_CALIBRATED: Final = "not_calibrated"
WAIVED: Final = "calibration_waived"
CAUSE: Final = "no calibration that fits"

Measured: TypeAlias = Mapping[str, float | list[float]]


class CalibrationError(Exception):
    """A calibration that cannot be read or written; the message names the file, the cause and what to do."""


class DeviceCalibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one device's movements have shown."""

    driver: str
    digest: str
    """Of what it depends on, when it was made."""
    movements: tuple[str, ...]
    """Those that passed."""
    by: str
    time: str
    """Wall time, UTC."""
    measured: dict[str, float | list[float]] = {}


class TableCalibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The calibration of one table."""

    table: str
    software: str
    device: dict[str, DeviceCalibration] = {}


class CalibrationState(NamedTuple):
    """The state of a table's calibration."""

    kind: Literal["not needed", "waived", "fits", "missing"]
    words: str
    """What there is, or what is missing and how to get it."""
    measured: Mapping[str, Measured] = {}
    """What each device's movements have measured, where it fits."""

    @property
    def shuts(self) -> bool:
        """Whether the table stays shut for it."""
        return self.kind == "missing"


def calibration_path(config: TableConfig) -> Path:
    """The file of a table's calibration."""
    return Path(config.file).with_suffix(SUFFIX)


def state_of(config: TableConfig, signer: bytes) -> CalibrationState:
    """The state of a table's calibration; `signer` is the public half of the table's key.

    A calibration that is damaged, unsigned, or of another file is as good as none: the table stays shut, and the words
    say why.
    """
    needed = movements_of(config)
    if not config.live or config.simulated or not needed:
        return CalibrationState("not needed", "not needed")
    if config.table.calibration == "waived":
        return CalibrationState("waived", 'waived by calibration = "waived" in the file: nobody has proven the wiring')
    remedy = f"close the table, stop the service, and run feltwire calibrate {config.file}"
    path = calibration_path(config)
    try:
        made = read(path, signer)
    except CalibrationError as error:
        return CalibrationState("missing", f"{error}; {remedy}")
    wrong = _misfits(config, made, needed)
    if wrong:
        return CalibrationState("missing", f"{path}: {wrong}; {remedy}")
    latest = max(made.device.values(), key=lambda one: one.time)
    measured = {name: made.device[name].measured for name in needed}
    return CalibrationState("fits", plain(f"by {latest.by}, {latest.time}"), measured)


def measures_beside(config: TableConfig) -> CalibrationState | None:
    """The measures of the calibration beside a table's file, whoever signed it, where it fits: for a replay, which
    journals nothing and has no key of the table. None where there is none, or the table has no real wires.
    """
    needed = movements_of(config)
    path = calibration_path(config)
    if not config.live or not path.exists():
        return None
    try:
        made = _decoded(path, read_at_most(path, MOST_BYTES))
    except (CalibrationError, SignedFileError):
        return None
    if _misfits(config, made, needed):
        return None
    return CalibrationState("fits", str(path), {name: made.device[name].measured for name in needed})


def _misfits(config: TableConfig, made: TableCalibration, needed: Mapping[str, list[Movement]]) -> str:
    """Why a calibration is not that of the table as it is; empty where it is."""
    if made.table != config.id:
        return f"it is of table {made.table}, not of {config.id}"
    return "; ".join(why for name, movements in needed.items() if (why := _misfit(config, made, name, movements)))


def _misfit(config: TableConfig, made: TableCalibration, name: str, movements: list[Movement]) -> str | None:
    device = config.devices[name]
    one = made.device.get(name)
    if one is None:
        return f"{name} was never calibrated"
    if one.driver != device.driver or one.digest != digest_of(config, device):
        return f"the keys or wires of {name} were changed since {one.time}"
    missing = [movement.name for movement in movements if movement.name not in one.movements]
    if missing:
        return f"{name} lacks {', '.join(missing)}"
    return (
        None if _fitted(config, name, one.measured) is not None else f"what was measured of {name} contradicts itself"
    )


def calibrated(config: TableConfig, state: CalibrationState) -> TableConfig:
    """The table with what its calibration has measured; as it is where none fits."""
    devices = dict(config.devices)
    for name, measured in state.measured.items():
        fitted = _fitted(config, name, measured)
        if fitted is not None:
            devices[name] = devices[name]._replace(config=fitted)
    return config._replace(devices=devices)


def _fitted(config: TableConfig, name: str, measured: Measured) -> msgspec.Struct | None:
    """A device's keys with its measures; None where they contradict each other."""
    device = config.devices[name]
    fitted: msgspec.Struct = device.spec.measured(device.config, measured)
    problems = getattr(fitted, "problems", None)
    return None if problems is not None and problems() else fitted


# --- the files ---


def read(path: Path, signer: bytes) -> TableCalibration:
    """A calibration that the table's key signed as it is.

    Raises:
        CalibrationError: there is none, it cannot be read, or it is not signed by this key.
    """
    try:
        return _decoded(path, read_signed(_DOMAIN, path, signer, MOST_BYTES))
    except SignedFileError as error:
        raise CalibrationError(str(error)) from error


def _decoded(path: Path, content: bytes) -> TableCalibration:
    try:
        return msgspec.convert(tomllib.loads(content.decode("utf-8")), TableCalibration)
    except (ValueError, msgspec.ValidationError, RecursionError) as error:
        raise CalibrationError(f"{path}: it is not a calibration ({error})") from error


def write(path: Path, made: TableCalibration, key: SigningKey) -> None:
    """Writes a calibration and its signature. The old signature goes first: after a power cut none fits, or both do.

    Raises:
        CalibrationError: one of the two cannot be written.
    """
    try:
        write_signed(_DOMAIN, path, _toml(made).encode("utf-8"), key)
    except SignedFileError as error:
        raise CalibrationError(str(error)) from error


def _toml(made: TableCalibration) -> str:
    """A calibration as TOML."""
    rows = [
        "# Written and signed by feltwire calibrate: a change by hand makes it void.",
        f"table = {toml_value(made.table)}",
        f"software = {toml_value(made.software)}",
    ]
    for name, device in made.device.items():
        rows += ["", f"[device.{toml_value(name)}]"]
        rows += [
            f"{key} = {toml_value(getattr(device, key))}" for key in ("driver", "digest", "movements", "by", "time")
        ]
        if device.measured:
            rows += ["", f"[device.{toml_value(name)}.measured]"]
            rows += [f"{toml_value(key)} = {toml_value(value)}" for key, value in device.measured.items()]
    return "\n".join(rows) + "\n"
