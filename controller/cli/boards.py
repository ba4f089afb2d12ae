"""`feltwire boards`: boards on their serial ports, and the firmware in them."""

from __future__ import annotations

import click

from controller.cli.boards_emulate import emulate_command
from controller.cli.boards_firmware import check_command, flash_command, sign_command
from controller.cli.boards_name import name_command
from controller.cli.boards_ports import identify_command, list_command
from controller.cli.boards_trace import trace_command


@click.group("boards")
def command() -> None:
    """Find, identify, flash and listen to boards.

    A board is an ATmega328P (an Arduino Nano or Uno) with Feltwire's firmware: it times edges, drives what moves, and
    makes everything safe when its host falls silent. docs/boards.md says which to buy and how to wire it.

    \b
    The first evening:
        make firmware                                  builds the firmware and its manifest
        feltwire boards list                           which ports there are, and what is on them
        feltwire boards flash wheel PORT               checks the firmware, writes it, and asks the board
        feltwire pins table.toml                       which wire goes to which terminal
        feltwire boards trace PORT                     every frame in words: turn the wheel, and see the edges

    \b
    Without a board:
        feltwire boards emulate table.toml             the real firmware in an emulated chip, on a port of its own

    A board that a service uses is left alone: its port is locked. Exit codes: 0; 1 where a board does not answer or is
    not what it should be; 2 for a file or an option that cannot be used.
    """


for _one in (
    list_command,
    identify_command,
    check_command,
    sign_command,
    flash_command,
    name_command,
    trace_command,
    emulate_command,
):
    command.add_command(_one)
