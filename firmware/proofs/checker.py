"""Runs CBMC on a harness: preprocesses it as the board's or this computer's compiler does, and reads what it found."""

from __future__ import annotations

import itertools
import json
import re
import resource
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from firmware.proofs.table import FIRMWARE, Change, Proof, meant

INCLUDES = ("proofs", "core", "kinds", "ports/host")
CHECKS = ("--unsigned-overflow-check", "--conversion-check", "--pointer-overflow-check", "--enum-range-check")
"""Besides those that CBMC 6 makes by itself: bounds, pointers, division, shifts, signed overflow, unwinding."""
WRAPS = tuple(f"arithmetic overflow on {of}" for of in ("unsigned", "signed to unsigned", "signed type conversion"))
"""How CBMC describes what C, or gcc for a conversion to a signed type, defines as modulo: these may be meant."""
HANG_S = 1800.0


class ProofError(Exception):
    """A proof that could not be run."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a harness is compiled for."""

    name: str
    preprocessor: tuple[str, ...]
    widths: tuple[str, ...]


BOARD = Target("int of 16 bits", ("avr-gcc", "-mmcu=atmega328p", "-std=gnu99", "-ffreestanding", "-E"), ("--16",))
COMPUTER = Target("int of 32 bits", ("cc", "-std=gnu99", "-ffreestanding", "-E"), ("--64",))
MACHINES = (BOARD, COMPUTER)


@dataclass(frozen=True, slots=True)
class Found:
    """What a run showed."""

    properties: int
    refuted: tuple[str, ...]
    """Claims, and places with what is wrong there."""
    seconds: float
    """Of the processor."""


@cache
def cbmc() -> str:
    """The path of CBMC 6.6."""
    made = subprocess.run(
        ["sh", str(FIRMWARE / "debian.sh"), "cbmc"], capture_output=True, text=True, timeout=HANG_S, check=False
    )
    if made.returncode != 0:
        raise ProofError(f"firmware/debian.sh cbmc failed; it needs a mirror of Debian:\n{made.stderr}")
    return made.stdout.strip()


def write_changed(changes: tuple[Change, ...], folder: Path) -> None:
    """Writes the sources that are changed, as they are then."""
    sources: dict[str, str] = {}
    for change in changes:
        text = sources.get(change.source) or (FIRMWARE / change.source).read_text()
        if text.count(change.was) != 1:
            raise ProofError(f"{change.source}: {change.was!r} is there {text.count(change.was)} times; expected once")
        sources[change.source] = text.replace(change.was, change.becomes)
    for source, text in sources.items():
        (folder / Path(source).name).write_text(text)


def _source_of(name: str) -> str:
    """The source that a file which CBMC names is, or is a changed copy of."""
    for folder in ("core", "kinds", "proofs", "ports/host"):
        if (FIRMWARE / folder / Path(name).name).is_file():
            return f"{folder}/{Path(name).name}"
    return name


@cache
def _lines(source: str) -> tuple[str, ...]:
    return tuple((FIRMWARE / source).read_text().splitlines())


def is_meant(row: dict[str, Any]) -> bool:
    """Whether a property is of arithmetic that wraps, and is meant to: a line of `meant.toml`, or a harness's own."""
    if not row["description"].startswith(WRAPS):
        return False
    source = _source_of(row["sourceLocation"]["file"])
    line = _lines(source)[int(row["sourceLocation"]["line"]) - 1].strip()
    return source.startswith("proofs/") or line in meant().get(source, ())


def _rows(words: list[str], folder: Path) -> list[dict[str, Any]]:
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=HANG_S, check=False)
    if ran.returncode not in (0, 10):
        raise ProofError(
            f"{' '.join(words[:3])}: cbmc ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}"
        )
    answer: list[dict[str, Any]] = json.loads(ran.stdout)
    return answer


def _properties(words: list[str], folder: Path) -> list[dict[str, Any]]:
    for part in _rows([*words, "--show-properties"], folder):
        if "properties" in part:
            listed: list[dict[str, Any]] = part["properties"]
            return listed
    raise ProofError("cbmc listed no properties")


def words_of(row: dict[str, Any]) -> str:
    """A refuted property: the words of a claim, or what is wrong where."""
    if ".assertion." in row["property"]:
        return str(row["description"])
    place = row.get("sourceLocation", {})
    source = _source_of(place.get("file", ""))
    line = int(place.get("line", 0))
    text = _lines(source)[line - 1].strip() if line and (FIRMWARE / source).is_file() else ""
    return f"{source}:{line}: {row['description']}: {text}"


_CASE_ENDS = re.compile(r"(?<=\n)        break;\n")


def _with_ends(harness: str) -> str:
    """Its source, with a claim that is false where each case of its `main` ends, and where `main` does."""
    head, begins, main = harness.partition("int main(void)\n")
    numbers = itertools.count()
    main = _CASE_ENDS.sub(lambda end: f'        CLAIM(false, "the end of case {next(numbers)}");\n{end[0]}', main)
    before, ends, rest = main.rpartition("    return 0;\n")
    if not begins or not ends:
        raise ProofError("a harness ends with `int main(void)`, and this with `return 0;`")
    return f'{head}{begins}{before}    CLAIM(false, "the end");\n{ends}{rest}'


@contextmanager
def _prepared(
    proof: Proof, machine: Target, mistake: Change | None = None, *, reach: bool = False
) -> Iterator[tuple[list[str], Path]]:
    """The words that run CBMC on the preprocessed harness, and the folder to run it in."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_changed(proof.cuts + ((mistake,) if mistake else ()), folder)
        harness = FIRMWARE / "proofs" / f"{proof.name}.c"
        if reach:
            (folder / harness.name).write_text(_with_ends(harness.read_text()))
            harness = folder / harness.name
        # What includes a source finds its changed copy first, or its original.
        includes = [f"-I{folder}", *(f"-I{FIRMWARE / part}" for part in INCLUDES)]
        read = subprocess.run(
            [*machine.preprocessor, *includes, *(("-DREACH",) if reach else ()), str(harness), "-o", "harness.i"],
            cwd=folder, capture_output=True, text=True, timeout=HANG_S, check=False,
        )  # fmt: skip
        if read.returncode != 0:
            raise ProofError(f"{proof.name}: {machine.preprocessor[0]} failed:\n{read.stderr}")
        words = [cbmc(), *machine.widths, "harness.i", "--json-ui", "--verbosity", "4", "--drop-unused-functions"]
        yield [*words, "--nondet-static"], folder


def _results(proof: Proof, words: list[str], asked: Iterable[str], folder: Path) -> list[dict[str, Any]]:
    words = [*words, *proof.options, "--slice-formula", "--unwinding-assertions", "--unwind", str(proof.unwind)]
    words += [word for loop in proof.once for word in ("--unwindset", f"{loop}:1")]
    rows = _rows([*words, *(word for one in asked for word in ("--property", one))], folder)
    results: list[dict[str, Any]] = [row for part in rows for row in part.get("result", ())]
    if not results:
        raise ProofError(f"{proof.name}: cbmc looked at no property")
    return results


def _groups(proof: Proof, rows: list[dict[str, Any]], mistake: Change | None) -> list[list[str]]:
    """The names of the properties that a run of CBMC looks at, for each run."""
    claims = [row for row in rows if ".assertion." in row["name"]]
    if mistake:
        return [[row["name"] for row in claims if row["description"] == mistake.claim]]
    asked = [row["name"] for row in rows if not is_meant(row)]
    if not (proof.apart or proof.alone):
        return [asked]
    own = [row["name"] for row in claims]
    return [[name for name in asked if name not in own], *([[name] for name in own] if proof.alone else [own])]


def run(proof: Proof, machine: Target, mistake: Change | None = None) -> Found:
    """Proves it, or looks whether the claim that a planted mistake breaks is refuted with it."""
    with _prepared(proof, machine, mistake) as (words, folder):
        words += () if mistake else CHECKS
        groups = _groups(proof, _properties(words, folder), mistake)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        results = [row for asked in groups for row in _results(proof, words, asked, folder)]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    refuted = tuple(sorted({words_of(row) for row in results if row["status"] != "SUCCESS"}))
    properties = len({row["property"] for row in results})
    return Found(properties, refuted, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def reach(proof: Proof, machine: Target) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The claims of a harness, and the ends of its cases, that some path reaches; and those that none does.

    Each claim is made false for this: one that is not refuted then is never looked at, and shows nothing.
    """
    with _prepared(proof, machine, reach=True) as (words, folder):
        claims = [row["name"] for row in _properties(words, folder) if ".assertion." in row["name"]]
        results = [row for row in _results(proof, words, claims, folder) if ".assertion." in row["property"]]
    reached = [words_of(row) for row in results if row["status"] != "SUCCESS"]
    return tuple(reached), tuple(words_of(row) for row in results if row["status"] == "SUCCESS")


def wrong(proof: Proof, found: Found) -> tuple[str, ...]:
    """What is refuted and not known, and what is known and not refuted any more."""
    new = tuple(f"refuted: {words}" for words in found.refuted if words not in proof.known)
    gone = tuple(f"not refuted any more: {words}" for words in proof.known if words not in found.refuted)
    return new + gone
