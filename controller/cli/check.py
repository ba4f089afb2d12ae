"""`feltwire check`: checks tables' files."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from command_line.exit_codes import BAD_CONFIGURATION
from controller.cli.printing import show_problems
from controller.games.base.spec import spec_of
from controller.games.load import check
from controller.rules.cited import HOUSE_RULE
from controller.rules.house import rules_words
from hal.wording import counted


@click.command("check")
@click.argument("tables", metavar="TABLE.toml...", nargs=-1, required=True, type=click.Path(path_type=Path))
def command(tables: tuple[Path, ...]) -> None:
    """Check tables' files, and report every wrong key at once, and every conflict between keys that are right.

    Each mistake is one line: file, line, key, what is wrong, and how to fix it. Several files are also checked
    against each other, as the tables of one computer: for tables of the same name and wires used twice. A folder
    means all *.toml in it. No hardware is needed. The files of examples/ are of many computers: check them one by one.

    \b
    Examples:
        feltwire check roulette.toml
        feltwire check tables/*.toml

    Exit codes: 0 if every file is correct (there may be warnings), 2 if one is not.
    """
    report = check(tables)
    show_problems(report.problems)
    for table in report.tables:
        played = f"{table.game} by {rules_words(table.rules)}"
        click.echo(f"{table.file}: table {table.id}, {played}, backend {table.lines.backend}: ok")
        for notice in spec_of(table).notices(table):
            where = HOUSE_RULE if notice.ours else f"post at the table ({notice.cite})"
            click.echo(f"  {where}: {notice.value}")
    if report.errors:
        count = len(report.errors)
        click.echo(counted(count, "mistake"), err=True)
        if len({problem.file for problem in report.errors} | {table.file for table in report.tables}) > 1:
            click.echo(
                "these files were checked as the tables of one computer; check those of another one by themselves",
                err=True,
            )
        sys.exit(BAD_CONFIGURATION)
