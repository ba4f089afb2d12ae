"""The captures of the conformance suite: what was on the wires of tables, and which verdicts are right.

`suite/suite.json` has the texts and the verdicts, `suite/NAME.lines.xz` what was on the wires, as `line_text` has it.
"""

from __future__ import annotations

import lzma
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

FOLDER: Final = Path(__file__).with_name("suite")
INDEX: Final = "suite.json"
SUFFIX: Final = ".lines.xz"
SAME_REVOLUTIONS: Final = 0.05
"""Revolutions that differ by no more than this are equal (ours): 5 counts of a wheel of 400 are 0.0125."""


class SuiteError(Exception):
    """The files of the suite are not as they were written; the message names which."""


class RightVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A verdict that is right."""

    verdict: Literal["outcome", "void", "unresolved"]
    """The event: `round.outcome`, `round.void` or `round.unresolved`."""
    reason: str = ""
    """Of a void or unresolved round, its code."""
    result: dict[str, Any] = {}
    """Of an outcome, the fields that its result must have; it may have others."""
    revolutions: float | None = None
    """`evidence.revolutions` of an outcome, where the lines show them."""
    absent: list[str] = []
    """Of an outcome, fields that its result must not have: nobody knows them."""

    def __str__(self) -> str:
        if self.verdict != "outcome":
            return f"{self.verdict} {self.reason}"
        turns = "" if self.revolutions is None else f" after {self.revolutions:g} revolutions"
        without = f" without {', '.join(self.absent)}" if self.absent else ""
        return f"outcome {msgspec.json.encode(self.result).decode()}{without}{turns}"


class Round(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One round of a capture."""

    round: int
    """Its number: rounds count from 1."""
    accepted: list[RightVerdict]
    """The right verdict; where the lines leave more than one open, all of them, ours first."""
    why: str = ""
    """Why the lines leave more than one open, where they do."""
    text: str
    """What happened."""
    rule: str
    """The rule that the verdict applies; `ours` where no text has one."""
    after_ns: int
    """A verdict that is given at this time, or a nanosecond later, is a guess."""
    by_ns: int
    """A verdict that is given after this time is too late."""


class Capture(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One capture."""

    name: str
    device: str
    """The game, and how its device is sensed: `money_wheel/quadrature`."""
    shows: str
    """What it shows, in words."""
    source: str
    """Where the lines are from."""
    sha256: str
    """Of its lines."""
    keeps_times: bool = False
    """Whether its frames have times of its own clock in them, so that a copy cannot be at other times."""
    rounds: list[Round]

    def lines(self) -> list[str]:
        """What was on the wires, up to `end`, without `until`.

        Raises:
            SuiteError: the file is missing or was changed.
        """
        path = FOLDER / f"{self.name}{SUFFIX}"
        try:
            data = lzma.decompress(path.read_bytes())
        except (OSError, lzma.LZMAError) as error:
            raise SuiteError(f"{path}: cannot be read ({error}); install feltwire again") from error
        if sha256(data).hexdigest() != self.sha256:
            raise SuiteError(f"{path}: is not the capture that {INDEX} names; install feltwire again")
        return data.decode().splitlines()


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """The whole suite."""

    version: str
    """Captures are added with a new minor version; a new major one changes the format or a verdict."""
    captures: list[Capture]
    reasons: dict[str, str]
    """Every reason of the verdicts, and what it means."""

    @property
    def devices(self) -> list[str]:
        """Every device that it has a capture of."""
        return sorted({capture.device for capture in self.captures})

    def words(self, one: Round) -> str:
        """What happened in a round, why more than one verdict is right, and what their reasons mean."""
        reasons = dict.fromkeys(right.reason for right in one.accepted if right.reason)
        return " ".join(filter(None, [one.text, one.why, *(f"{code}: {self.reasons[code]}." for code in reasons)]))


@cache
def index_bytes() -> bytes:
    """The file of texts and verdicts.

    Raises:
        SuiteError: it is missing.
    """
    try:
        return (FOLDER / INDEX).read_bytes()
    except OSError as error:
        raise SuiteError(f"{FOLDER / INDEX}: {error.strerror}; install feltwire again") from error


@cache
def suite() -> Suite:
    """The suite that is installed.

    Raises:
        SuiteError: its files are missing or damaged.
    """
    try:
        return msgspec.json.decode(index_bytes(), type=Suite)
    except msgspec.DecodeError as error:
        raise SuiteError(f"{FOLDER / INDEX}: {error}; install feltwire again") from error


def digest() -> str:
    """SHA-256 of the index, which names that of every capture: two suites with the same are the same."""
    return sha256(index_bytes()).hexdigest()


def handles(declared: str, device: str) -> bool:
    """Whether who declares this handles a device: `money_wheel` is every way in which one is sensed."""
    return device == declared or device.startswith(f"{declared}/")
