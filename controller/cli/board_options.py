"""The option of commands that talk to a board by its port alone."""

from __future__ import annotations

import click

from hal.board.chips import ATMEGA328P, CHIPS, Chip


def _chip(context: click.Context, option: click.Parameter, name: str) -> Chip:
    return CHIPS[name]


chip_option = click.option(
    "--chip",
    type=click.Choice(list(CHIPS)),
    default=ATMEGA328P.name,
    show_default=True,
    callback=_chip,
    help="What the board is built on.",
)
