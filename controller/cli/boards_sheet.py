"""The test sheet of a carrier board: walks a technician through it, looks at the port itself, and signs the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import click

from command_line.exit_codes import FATAL
from controller.boards.bench_sheet import (
    BenchReport,
    BenchSheetError,
    Sheet,
    SheetFinding,
    SheetStep,
    judge,
    load,
    read_answers,
    read_signed,
    report,
    write,
)
from controller.boards.detached_signature import signature_path
from hal.clock import NS_PER_S, SystemClock
from hal.wording import counted


class PortFinding(NamedTuple):
    """What the program found at the board's port."""

    passed: bool
    words: str
    board: str = ""
    """The identity that the board reported, in words."""


class Bench(NamedTuple):
    """Who tests which board, and where the report goes."""

    tester: str
    number: int
    """As written on the board; 0 for none."""
    path: Path
    key: Path | None
    answers: Path | None


def run_sheet(name: str, bench: Bench, looks: Mapping[str, Callable[[], PortFinding]]) -> int:
    """Walks through a sheet, writes the report, and returns the exit code.

    `looks` has, by the id of a step, what looks at the port.

    Raises:
        BenchSheetError: a file or a key cannot be used.
    """
    sheet = load(name)
    secret = None
    if bench.key is not None:
        from audit.signing import SigningKeyError
        from audit.signing import load as load_key

        try:
            secret = load_key(bench.key)
        except SigningKeyError as error:
            raise BenchSheetError(str(error)) from error
    given = None if bench.answers is None else read_answers(bench.answers, sheet)
    findings, board = _walk(sheet, given, looks)
    made = report(sheet, findings, serial=bench.number, board=board, tester=bench.tester, time=_now())
    write(bench.path, made, secret)
    _show(made)
    signed = f", signed: {signature_path(bench.path)}" if secret is not None else ", not signed"
    click.echo(f"report: {bench.path}{signed}")
    return 0 if made.passed else FATAL


def verify_report(path: Path, signers: tuple[bytes, ...]) -> int:
    """Checks the signature of a report, prints it, and returns the exit code.

    Raises:
        BenchSheetError: it cannot be read, or none of the keys signed it.
    """
    if not signers:
        raise click.UsageError(f"{path} is the report of a test sheet: --signer KEY checks its signature")
    found = read_signed(path, signers)
    _show(found)
    if found.sheet_sha256 != load(found.kind).sha256:
        click.echo("it was made with another version of the sheet than this software has")
    click.echo("the signature is good")
    return 0 if found.passed else FATAL


def _walk(
    sheet: Sheet, given: dict[str, bool | float] | None, looks: Mapping[str, Callable[[], PortFinding]]
) -> tuple[list[SheetFinding], str]:
    """The findings up to the first that failed, and the identity that the board reported.

    Raises:
        BenchSheetError: a file of answers ends before a step failed.
    """
    findings: list[SheetFinding] = []
    board = ""
    for number, step in enumerate(sheet.step, 1):
        click.echo(f"\n{number}/{len(sheet.step)} " + click.style(step.title, bold=True) + f" ({step.id})")
        click.echo(f"    do:       {step.action}")
        click.echo(f"    expected: {step.expected}")
        if step.port:
            if given is None and not click.confirm("    ready?", default=True):
                raise click.Abort
            seen = looks[step.id]()
            click.echo(f"    found:    {seen.words}")
            board = seen.board or board
            finding = SheetFinding(step.id, seen.passed, None, seen.words)
        elif given is None:
            finding = _asked(step)
        elif step.id not in given:
            raise BenchSheetError(f"step {step.id}: the answers have none for it; add it to the file")
        else:
            finding = judge(step, given[step.id])
        findings.append(finding)
        if not finding.passed:
            click.echo(click.style("    failed: the test ends here; repair the board and begin again", fg="red"))
            return findings, board
        click.echo(click.style("    passed", fg="green"))
    return findings, board


def _asked(step: SheetStep) -> SheetFinding:
    if step.unit:
        found: bool | float = click.prompt(f"    measured, in {step.unit}", type=float)
    else:
        found = click.confirm("    as expected?", default=None)
    finding = judge(step, found)
    if finding.passed:
        return finding
    return SheetFinding(finding.step, False, finding.value, click.prompt("    remark", default="", show_default=False))


def _now() -> str:
    return datetime.fromtimestamp(SystemClock().wall_time_ns() // NS_PER_S, UTC).isoformat()


def _show(made: BenchReport) -> None:
    number = f", number {made.serial}" if made.serial else ""
    verdict = click.style("passed", fg="green") if made.passed else click.style("FAILED", fg="red")
    click.echo(
        f"\n{made.kind} board{number}, {made.time}, {made.tester}: {verdict}, {counted(len(made.findings), 'step')}"
    )
    for finding in made.findings:
        if not finding.passed:
            value = "" if finding.value is None else f", measured {finding.value:g}"
            click.echo(f"    failed: {finding.step}{value}{': ' + finding.remark if finding.remark else ''}")
