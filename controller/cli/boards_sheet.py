"""`feltwire boards sheet`: walks a technician through the test sheet of a carrier board, and signs what was found."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import click

from controller.boards.bench_sheet import (
    BenchReport,
    BenchSheetError,
    Finding,
    Sheet,
    Step,
    judge,
    load,
    read_answers,
    read_signed,
    report,
    write,
)
from controller.boards.detached_signature import signature_path
from controller.boards.identity import kind_name, misfit, words
from controller.cli import BAD_CONFIGURATION, FATAL
from controller.cli.options import public_keys
from hal.board.errors import BoardError
from hal.board.messages import KINDS
from hal.board.ports import ask_identity
from hal.clock import NS_PER_S, SystemClock
from hal.lines import LineError


@click.command("sheet")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.option("--port", help="The board's port: its identity goes into the report, and must be of this kind.")
@click.option("--number", type=click.IntRange(0, 4_294_967_295), default=0, help="The number written on the board.")
@click.option("--tester", help="Name of the person at the bench, for the report.")
@click.option("--report", "path", type=click.Path(path_type=Path), help="File of the report.")
@click.option("--key", type=click.Path(path_type=Path), help="Secret key that signs: 64 hexadecimal digits, 0600.")
@click.option("--answers", type=click.Path(path_type=Path), help="TOML with the answers; without it, each is asked.")
@click.option("--verify", "verified", type=click.Path(path_type=Path), help="Check a signed report instead.")
@click.option(
    "--signer", "signers", metavar="KEY|FILE", multiple=True, callback=public_keys, help="For --verify: public key."
)
def sheet_command(
    kind: str,
    port: str | None,
    number: int,
    tester: str | None,
    path: Path | None,
    key: Path | None,
    answers: Path | None,
    verified: Path | None,
    signers: tuple[bytes, ...],
) -> None:
    """Walk through the test sheet of a carrier board of KIND, and write a signed report.

    Each step says what to do and what must be found; answer y or n, or the value that was measured. The test ends at
    the first step that fails: mend the board, and begin again. Nothing is sent to the board but the query of its
    identity, with --port. The key file has the form that feltwire keys new --signing makes.

    \b
    Examples:
        feltwire boards sheet wheel --tester "A. Miller" --number 7 --report board-7.json --key bench.key
        feltwire boards sheet wheel --verify board-7.json --signer bench.pub

    A file for --answers has a table [answers] with the id of each step: true, false, or the measured number.

    Exit codes: 0 if every step passed; 1 if one failed or the test was left; 2 for a file, a key or an option that
    cannot be used.
    """
    try:
        sheet = load(kind)
        if verified is not None:
            _verify(sheet, verified, signers)
            return
        if tester is None or path is None:
            raise click.UsageError("a test needs --tester NAME and --report FILE")
        secret = None
        if key is not None:
            from controller.journal.signing import SigningKeyError
            from controller.journal.signing import load as load_key

            try:
                secret = load_key(key)
            except SigningKeyError as error:
                raise BenchSheetError(str(error)) from error
        given = None if answers is None else read_answers(answers, sheet)
        board = "" if port is None else _identity(port, kind)
        findings = _walk(sheet, given)
        made = report(sheet, findings, serial=number, board=board, tester=tester, time=_now())
        write(path, made, secret)
    except BenchSheetError as error:
        _leave(str(error), BAD_CONFIGURATION)
    _show(made)
    click.echo(f"report: {path}" + (f", signed: {signature_path(path)}" if secret is not None else ", not signed"))
    sys.exit(0 if made.passed else FATAL)


def _walk(sheet: Sheet, given: dict[str, bool | float] | None) -> list[Finding]:
    """The findings up to the first that failed.

    Raises:
        BenchSheetError: a file of answers ends before a step failed.
    """
    findings: list[Finding] = []
    for number, step in enumerate(sheet.step, 1):
        click.echo(f"\n{number}/{len(sheet.step)} " + click.style(step.title, bold=True) + f" ({step.id})")
        click.echo(f"    do:       {step.action}")
        click.echo(f"    expected: {step.expected}")
        if given is not None and step.id not in given:
            raise BenchSheetError(f"step {step.id}: the answers have none for it; add it to the file")
        finding = _asked(step) if given is None else judge(step, given[step.id])
        findings.append(finding)
        if not finding.passed:
            click.echo(click.style("    failed: the test ends here; mend the board and begin again", fg="red"))
            return findings
        click.echo(click.style("    passed", fg="green"))
    return findings


def _asked(step: Step) -> Finding:
    if step.unit:
        found: bool | float = click.prompt(f"    measured, in {step.unit}", type=float)
    else:
        found = click.confirm("    as expected?", default=None)
    finding = judge(step, found)
    if finding.passed:
        return finding
    return Finding(finding.step, False, finding.value, click.prompt("    remark", default="", show_default=False))


def _identity(port: str, kind: str) -> str:
    """The identity of the board on a port, in words.

    Raises:
        BenchSheetError: it does not answer, or it is of another kind.
    """
    try:
        identity = asyncio.run(ask_identity(port, SystemClock()))
    except (BoardError, LineError) as error:
        raise BenchSheetError(str(error)) from error
    if kind_name(identity) != kind:
        raise BenchSheetError(f"{port}: expected a {kind} board, found: {words(identity)}")
    click.echo(f"board: {words(identity)}")
    wrong = misfit(identity)
    if wrong is not None:
        click.echo(f"the step identify will fail: {wrong}")
    return words(identity)


def _now() -> str:
    return datetime.fromtimestamp(SystemClock().wall_time_ns() // NS_PER_S, UTC).isoformat()


def _verify(sheet: Sheet, path: Path, signers: tuple[bytes, ...]) -> None:
    if not signers:
        raise click.UsageError("--verify needs --signer KEY")
    found = read_signed(path, signers)
    if found.kind != sheet.kind:
        raise BenchSheetError(f"{path}: it is the report of a {found.kind} board, not of a {sheet.kind} board")
    _show(found)
    if found.sheet_sha256 != sheet.sha256:
        click.echo("it was made with another version of the sheet than this software has")
    click.echo("the signature is good")
    sys.exit(0 if found.passed else FATAL)


def _show(made: BenchReport) -> None:
    number = f", number {made.serial}" if made.serial else ""
    verdict = click.style("passed", fg="green") if made.passed else click.style("FAILED", fg="red")
    click.echo(f"\n{made.kind} board{number}, {made.time}, {made.tester}: {verdict}, {len(made.findings)} steps")
    for finding in made.findings:
        if not finding.passed:
            value = "" if finding.value is None else f", measured {finding.value:g}"
            click.echo(f"    failed: {finding.step}{value}{': ' + finding.remark if finding.remark else ''}")


def _leave(message: str, code: int) -> NoReturn:
    click.echo(click.style(message, fg="red"), err=True)
    sys.exit(code)
