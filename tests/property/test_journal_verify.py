"""Whatever is done to a journal, verification finds it and names the record."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from pathlib import Path
from random import Random
from shutil import copytree
from typing import NamedTuple

import pytest

from audit.findings import AuditReport
from audit.verify import verify
from tests.unit.audit import tampering as kinds
from tests.unit.audit.making import evening, tampering
from tests.unit.audit.tampering import Done, Tampered

QUICK, FULL = 6, 150


class Shape(NamedTuple):
    """Of a journal: how many tables, rounds of each, and records between two seals."""

    tables: int
    rounds: int
    seal_every: int


SHAPES = [Shape(*one) for one in product((1, 2, 3), (6, 9), (2, 7, 1000))]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a journal of each shape."""
    folder = tmp_path_factory.mktemp("journals")
    for number, shape in enumerate(SHAPES):
        (folder / str(number)).mkdir()
        tables = [f"wheel-{one + 1}" for one in range(shape.tables)]
        path = folder / str(number) / "journal.sqlite"
        evening(path, tables=tables, rounds=shape.rounds, seal_every=shape.seal_every)
    return folder


def tampered(kept: Path, tmp_path: Path, seed: int, tamper: Callable[[Tampered], Done]) -> tuple[Done, Path]:
    random = Random(seed)
    folder = tmp_path / str(seed)
    copytree(kept / str(random.randrange(len(SHAPES))), folder)
    path = folder / "journal.sqlite"
    with tampering(path) as connection:
        done = tamper(Tampered(connection, random))
    return done, path


def rows_of(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    return [row for table in ("record", "seal") for row in connection.execute(f"SELECT * FROM {table} ORDER BY n")]


CHANGES_OF_RECORDS = (*kinds.RECORDS, kinds.rewritten_to_the_end, kinds.rewritten_for_a_while)
EVERYTHING = (*CHANGES_OF_RECORDS, *kinds.SEALS)
FULL_OF_SEVERAL = pytest.param(range(60, 2_000), id="full", marks=pytest.mark.soak)
SEEDS = [
    pytest.param(range(QUICK), id="quick"),
    pytest.param(range(QUICK, FULL), id="full", marks=pytest.mark.soak),
]


def shown(report: AuditReport) -> str:
    return "\n".join(str(finding) for finding in report.findings) or "nothing was found"


@pytest.mark.parametrize("numbers", SEEDS)
@pytest.mark.parametrize("tamper", CHANGES_OF_RECORDS, ids=lambda one: one.__name__)
def test_a_change_of_records_is_the_first_finding_and_names_them(
    kept: Path, tmp_path: Path, tamper: Callable[[Tampered], Done], numbers: range
) -> None:
    for seed in numbers:
        done, path = tampered(kept, tmp_path, seed, tamper)
        report = verify(path)
        assert report.first is not None, f"seed {seed}: {done} was not found"
        if done.put_into is None or report.first.chain != done.put_into:
            assert done.is_reported_by(report.first), f"seed {seed}: {done}\n{shown(report)}"
        assert any(done.is_reported_by(finding) for finding in report.findings), f"seed {seed}: {done}\n{shown(report)}"


@pytest.mark.parametrize("numbers", SEEDS)
@pytest.mark.parametrize("tamper", kinds.SEALS, ids=lambda one: one.__name__)
def test_a_change_of_seals_is_found_and_names_them(
    kept: Path, tmp_path: Path, tamper: Callable[[Tampered], Done], numbers: range
) -> None:
    for seed in numbers:
        done, path = tampered(kept, tmp_path, seed, tamper)
        report = verify(path)
        assert any(done.is_reported_by(finding) for finding in report.findings), f"seed {seed}: {done}\n{shown(report)}"


def test_a_journal_that_nobody_touched_verifies(kept: Path) -> None:
    for number in range(len(SHAPES)):
        report = verify(kept / str(number) / "journal.sqlite")
        assert report.ok, shown(report)


@pytest.mark.parametrize("numbers", [pytest.param(range(60), id="quick"), FULL_OF_SEVERAL])
def test_several_things_done_at_once_never_go_unseen(kept: Path, tmp_path: Path, numbers: range) -> None:
    for seed in numbers:
        random = Random(seed)
        folder = tmp_path / str(seed)
        copytree(kept / str(random.randrange(len(SHAPES))), folder)
        path = folder / "journal.sqlite"
        done: list[Done] = []
        with tampering(path) as connection:
            before = rows_of(connection)
            for _ in range(random.randint(2, 5)):
                # What one did may leave another nothing to do: no record of that number, or no room for it.
                with suppress(sqlite3.Error, TypeError, ValueError, IndexError):
                    done.append(random.choice(EVERYTHING)(Tampered(connection, random)))
            is_as_it_was = rows_of(connection) == before
        # Two moves may undo each other: then nothing was done.
        assert verify(path).ok == is_as_it_was, f"seed {seed}: {done}"
