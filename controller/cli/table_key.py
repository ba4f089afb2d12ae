"""The key of a table, for the commands that sign what belongs to it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from command_line.exit_codes import BAD_CONFIGURATION
from controller.configuration.values import TableConfig

if TYPE_CHECKING:
    from nacl.signing import SigningKey


def table_key(config: TableConfig, state: Path | None) -> SigningKey:
    """The key that seals the table's journal; made here where the service never ran. Ends the command without one."""
    from audit.errors import JournalError
    from controller.journal.files import order_path
    from controller.service.opening import StartupCheckError, key_of_state
    from controller.service.state_paths import state_of_table, state_paths_for

    paths = state_paths_for(state_of_table(state, Path(config.file)), [config])
    new = not paths.signing_key.exists()
    try:
        key = key_of_state(paths)
    except (StartupCheckError, JournalError) as error:
        message = f"{error}; with --state DIR another folder is used, as the service has it"
        click.echo(click.style(message, fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
    if new:
        click.echo(f"made the table's key, {paths.signing_key}", err=True)
        owner = paths.root.stat()
        for made in (paths.signing_key, order_path(paths.journal)):
            if os.geteuid() == 0 and owner.st_uid != 0 and made.exists():
                # The service's user reads it: left to root, it would lock the service out.
                os.chown(made, owner.st_uid, owner.st_gid)
    return key


def signer_of_table(config: TableConfig, state: Path | None) -> bytes:
    """The public half of the key that seals the table's journal, without making one. Ends the command without one that
    can be used. Where there is none yet, it is of a key that has signed nothing.
    """
    from nacl.signing import SigningKey

    from audit.signing import SigningKeyError, load
    from controller.service.state_paths import state_of_table, state_paths_for

    path = state_paths_for(state_of_table(state, Path(config.file)), [config]).signing_key
    if not path.exists():
        return bytes(SigningKey.generate().verify_key)
    try:
        return bytes(load(path).verify_key)
    except SigningKeyError as error:
        click.echo(click.style(f"{error}; with --state DIR another folder is used", fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
