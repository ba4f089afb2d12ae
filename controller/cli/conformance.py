"""`feltwire conformance`: whether a game keeps what every game must."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import Final

import click

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from controller.cli.printing import load_one

NAMED: Final = 5
"""This many findings of one check are printed (ours): more are alike."""


@click.group("conformance")
def command() -> None:
    """Check what others add to Feltwire."""


@command.command("game")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--rounds", type=click.IntRange(min=6), default=12, show_default=True, help="Rounds of each seed.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="How many seeds are played.")
@click.option("--only", metavar="TEXT", default="", help="Only the checks whose words have this text.")
def game(table: Path, rounds: int, seeds: int, only: str) -> None:
    """Check nine properties of the game of a simulated table, for the author of the game.

    The table's file names the game and the package that brings it. Every fault of its simulator is played and judged
    against the truth, streams are cut and damaged, captures are replayed, and words are compared. More rounds and
    seeds find more.

    \b
    Examples:
        feltwire conformance game fair-wheel.toml
        feltwire conformance game fair-wheel.toml --rounds 60 --seeds 20
        feltwire conformance game fair-wheel.toml --only words

    Exit codes: 0 if the game keeps everything; 1 if it does not; 2 for a file that cannot be used.
    """
    from controller.conformance.game import CHECKS, Effort

    config = load_one(table)
    if not config.backend.simulated:
        wrong = f'{config.file}: lines.backend: is "{config.lines.backend}", and the game is played: write "sim"'
        click.echo(wrong, err=True)
        sys.exit(BAD_CONFIGURATION)
    failed = 0
    checks = [check for check in CHECKS if only in check.says]
    if not checks:
        raise click.BadParameter(f"no check has the words {only!r}", param_hint="--only")
    for check in checks:
        found = list(islice(check.found(config, Effort(rounds, seeds)), NAMED + 1))
        failed += bool(found)
        click.echo(click.style("no  " if found else "yes ", fg="red" if found else "green") + check.says)
        for line in found[:NAMED]:
            click.echo(f"      {line}")
        if len(found) > NAMED:
            click.echo("      and more like these")
    passed = len(checks) - failed
    click.echo(f"{config.game}: {passed} of {len(checks)} checks pass")
    if failed:
        sys.exit(FATAL)
