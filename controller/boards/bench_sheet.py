"""Test sheets of carrier boards: their steps, the judgement of what was found, and the signed report.

A sheet is made from the board's circuit (`sheets/<kind>.toml`; with a Pico `<kind>-pico.toml`). A report is JSON, and
its signature is beside it, as that of a manifest of firmware is.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec
from nacl.signing import SigningKey

from controller.boards.detached_signature import signature_path, signature_text, signed_by_any
from hal.board.chips import PICOS, Chip

_DOMAIN: Final = b"feltwire board report\0"
"""The prefix of signed data: no other signature by the same key is valid for a report."""
_MOST_BYTES: Final = 1 << 20
"""A longer file is not a report and holds no answers (ours)."""
ANSWERS: Final = "answers"
"""The table of a file of answers."""


class BenchSheetError(Exception):
    """A sheet, a file of answers or a report that cannot be used: the file, the key, and the fix."""


class SheetStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step; with a unit, a value is measured, and is between the bounds.

    `port`: the program looks by itself, at the board's port.
    """

    id: str
    title: str
    action: str
    expected: str
    unit: str = ""
    least: float = 0.0
    most: float = 0.0
    port: bool = False


class Sheet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sheet of a carrier board."""

    kind: str
    """As `sheet_name`."""
    step: tuple[SheetStep, ...]
    terminals: dict[str, str]
    """Of the board's wires, in words, by the firmware's name of what they are for."""
    sha256: str = ""
    """Of the sheet's file: which version of the sheet a report is about."""


class SheetFinding(msgspec.Struct, frozen=True):
    """What was found at a step."""

    step: str
    passed: bool
    value: float | None = None
    """As measured, in the unit of the step; None where none is measured."""
    remark: str = ""


class BenchReport(msgspec.Struct, frozen=True):
    """A board's test at the bench."""

    kind: str
    serial: int
    """The number that is written on the board; 0 for none."""
    board: str
    """The identity that the board reported, in words; empty where the test did not come so far."""
    sheet_sha256: str
    tester: str
    time: str
    """Wall time of the report, UTC."""
    findings: tuple[SheetFinding, ...]
    passed: bool
    """Every step was done, and passed."""


def sheet_name(kind: str, chip: Chip) -> str:
    """The name of the sheet of a carrier board of this kind, with a module that has this chip."""
    return f"{kind}-pico" if chip.name in PICOS else kind


def load(kind: str) -> Sheet:
    """A sheet by its name.

    Raises:
        BenchSheetError: there is none, or it is damaged.
    """
    file = resources.files("controller.boards").joinpath("sheets", f"{kind}.toml")
    try:
        content = file.read_bytes()
        sheet = msgspec.convert(tomllib.loads(content.decode("utf-8")), Sheet)
    except FileNotFoundError as error:
        raise BenchSheetError(f"there is no test sheet of a {kind} board") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BenchSheetError(f"{file}: it is not a test sheet ({error}); install this software again") from error
    return msgspec.structs.replace(sheet, sha256=hashlib.sha256(content).hexdigest())


def judge(step: SheetStep, found: bool | float, remark: str = "") -> SheetFinding:
    """Whether what was found is what the step expects: a measured value within its bounds, or a plain yes.

    Raises:
        BenchSheetError: a value is given where none is measured, or the other way round, or it is not a finite number.
    """
    if step.unit == "":
        if not isinstance(found, bool):
            raise BenchSheetError(f"step {step.id}: expected true or false, found {found!r}")
        return SheetFinding(step.id, found, None, remark)
    if isinstance(found, bool) or not abs(found) < float("inf"):
        raise BenchSheetError(f"step {step.id}: expected a number in {step.unit}, found {found!r}")
    return SheetFinding(step.id, step.least <= found <= step.most, float(found), remark)


def read_answers(path: Path, sheet: Sheet) -> dict[str, bool | float]:
    """The answers of a file, for all steps of a sheet that a person does, or for the first up to the one that failed.

    Raises:
        BenchSheetError: it cannot be read, a step is unknown, or a value is of the wrong type.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise BenchSheetError(f"{path}: it is larger than any file of answers; give the right one")
        values = tomllib.loads(text.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BenchSheetError(f"{path}: it cannot be read ({error}); write a table [{ANSWERS}]") from error
    answers = values.get(ANSWERS)
    if not isinstance(answers, dict) or len(values) != 1:
        raise BenchSheetError(f"{path}: expected one table [{ANSWERS}], found {', '.join(values) or 'nothing'}")
    steps = {step.id: step for step in sheet.step}
    found: dict[str, bool | float] = {}
    for key, value in answers.items():
        if key not in steps:
            raise BenchSheetError(f"{path}: [{ANSWERS}] {key}: the {sheet.kind} sheet has no such step")
        if steps[key].port:
            raise BenchSheetError(f"{path}: [{ANSWERS}] {key}: the program looks by itself; take this line away")
        if not isinstance(value, bool | int | float):
            raise BenchSheetError(f"{path}: [{ANSWERS}] {key}: expected true, false or a number, found {value!r}")
        try:
            judge(steps[key], value)
        except BenchSheetError as error:
            raise BenchSheetError(f"{path}: [{ANSWERS}] {error}") from error
        found[key] = value
    return found


def report(
    sheet: Sheet, findings: Sequence[SheetFinding], *, serial: int, board: str, tester: str, time: str
) -> BenchReport:
    """A report: passed only where every step of the sheet has a finding that passed."""
    done: Mapping[str, SheetFinding] = {finding.step: finding for finding in findings}
    passed = all(step.id in done and done[step.id].passed for step in sheet.step)
    return BenchReport(sheet.kind, serial, board, sheet.sha256, tester, time, tuple(findings), passed)


def write(path: Path, made: BenchReport, key: SigningKey | None) -> None:
    """Writes a report, and its signature where there is a key. An older signature at that place is taken away.

    Raises:
        BenchSheetError: it cannot be written.
    """
    content = msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n"
    beside = signature_path(path)
    try:
        path.write_bytes(content)
        if key is None:
            beside.unlink(missing_ok=True)
        else:
            beside.write_text(signature_text(_DOMAIN, content, key) + "\n", encoding="ascii")
    except OSError as error:
        raise BenchSheetError(f"{error.filename}: it cannot be written ({error.strerror})") from error


def is_report(path: Path) -> bool:
    """Whether a file is a report, signed or not, by its content."""
    try:
        with path.open("rb") as file:
            msgspec.json.decode(file.read(_MOST_BYTES), type=BenchReport)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def read_signed(path: Path, signers: Sequence[bytes]) -> BenchReport:
    """A report that one of these public keys signed as it is.

    Raises:
        BenchSheetError: it cannot be read, it is not a report, or none of the keys signed it.
    """
    beside = signature_path(path)
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES)
        signature = bytes.fromhex(beside.read_text(encoding="ascii").strip())
        found = msgspec.json.decode(content, type=BenchReport)
    except OSError as error:
        raise BenchSheetError(f"{error.filename}: it cannot be read ({error.strerror})") from error
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise BenchSheetError(f"{path}: it is not a signed report ({error}); copy both files again") from error
    if not signed_by_any(_DOMAIN, content, signature, signers):
        keys = " or ".join(signer.hex() for signer in signers)
        raise BenchSheetError(
            f"{beside}: it is not a signature of {path.name} by {keys}: the report was changed since, or another key "
            "signed it"
        )
    return found
