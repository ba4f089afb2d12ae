"""`feltwire keys`: who may connect over the network."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import NoReturn

import click

from command_line.exit_codes import BAD_CONFIGURATION
from feed.allow_list import CLASSES, POSITIONS, ROLES, Allowed, AllowList, OperatorClass, Position, Role
from feed.keys import (
    PUBLIC_SUFFIX,
    SECRET_SUFFIX,
    SERVER,
    BadKeyError,
    new_pair,
    parse_name,
    parse_public,
    read_public,
    write_pair,
)

ALLOWED = "allowed"
"""The folder of allowed keys, below that of keys."""

_dir = click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder of keys; without it, `keys` in the state directory.",
)


@click.group("keys")
def command() -> None:
    """Make keys, and allow or revoke the keys of clients.

    Over tcp:// only clients with an allowed key can connect; over ipc:// no keys are needed. Each side has its own
    pair: the secret half stays on the computer where it was made, the public half goes to the other side.

    \b
    On the table's computer, once:
        feltwire keys new --server
    On the scoreboard's computer:
        feltwire keys new --client board-1
    On the table's computer, with the public key that this printed:
        feltwire keys allow board-1 'PUBLIC KEY' --role read-only

    A running service applies a change within seconds.

    Exit codes: 0; 2 for a name, a key or a file that cannot be used.
    """


@command.command("new")
@click.option("--server", is_flag=True, help="The key by which clients recognise this service.")
@click.option("--client", metavar="NAME", help="A client's key, named after its owner.")
@click.option("--signing", is_flag=True, help="The key that seals the journal (made by itself when there is none).")
@click.option("--force", is_flag=True, help="Overwrite an existing key: whatever relies on it stops working.")
@_dir
def new(server: bool, client: str | None, signing: bool, force: bool, folder: Path | None) -> None:
    """Make a key. The secret half goes into a file of mode 0600 and is never shown.

    \b
    Examples:
        feltwire keys new --server
        feltwire keys new --client board-1
        feltwire keys new --client pit-boss --dir ~/keys

    Exit codes: 0; 2 if the key exists already, or it cannot be written.
    """
    if sum((server, client is not None, signing)) != 1:
        raise click.UsageError("give one of --server, --client NAME and --signing")
    if signing:
        _new_signing(folder, force)
        return
    place = _folder(folder)
    try:
        if client == SERVER:
            raise BadKeyError(f'"{SERVER}" is the name of the service\'s own key; give the client another one')
        secret, public = write_pair(place, pair := new_pair(SERVER if client is None else client), overwrite=force)
    except BadKeyError as error:
        _fail(error, "it is overwritten only with --force" if not force else "")
    click.echo(f"secret key  {secret}  stays here")
    click.echo(f"public key  {public}")
    click.echo(f"            {pair.public}")
    click.echo()
    if client is None:
        click.echo("Give the public key to every client: it recognises this service by it.")
    else:
        click.echo("On the table's computer:")
        click.echo(f"    feltwire keys allow {client} {shlex.quote(pair.public)} --role read-only")


@command.command("allow")
@click.argument("name")
@click.argument("key", metavar="PUBLICKEY")
@click.option("--role", required=True, type=click.Choice(ROLES), help="What its owner may do.")
@click.option("--class", "operator_class", type=click.Choice(CLASSES), help="Of a dealer or a supervisor.")
@click.option(
    "--position",
    "positions",
    multiple=True,
    type=click.Choice(POSITIONS),
    help="In which a dealer or a supervisor may act at a craps table (as=…); give it once for each.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing entry of this name, even a revoked one.")
@_dir
def allow(
    name: str,
    key: str,
    role: Role,
    operator_class: OperatorClass | None,
    positions: tuple[Position, ...],
    force: bool,
    folder: Path | None,
) -> None:
    """Allow a key to connect. PUBLICKEY is the key itself, in single quotes, or its .public file.

    \b
    read-only    reads events and history
    dealer       also sends the commands of a dealer, as the rules allow the class
    supervisor   also opens, corrects and clears, as the rules allow the class
    technician   also starts inspections and reports failures; changes no result

    \b
    Examples:
        feltwire keys allow board-1 board-1.public --role read-only
        feltwire keys allow pit-boss pit-boss.public --role supervisor --class A
        feltwire keys allow zoe zoe.public --role dealer --class A --position stickperson

    Exit codes: 0; 2 if the name or the key cannot be used, or exists already.
    """
    from feed.allow_list import allow as write

    place = _folder(folder) / ALLOWED
    try:
        entry = Allowed(
            name=parse_name(name),
            public=_public(key),
            role=role,
            operator_class=operator_class,
            positions=tuple(dict.fromkeys(positions)),
        )
        path = write(place, entry, overwrite=force)
    except BadKeyError as error:
        _fail(error, "it is overwritten only with --force" if not force else "")
    click.echo(f"{path}: {name} may connect as {_role(entry)}")


@command.command("revoke")
@click.argument("name")
@_dir
def revoke(name: str, folder: Path | None) -> None:
    """Revoke a key. A running service also closes its connections.

    All network clients are disconnected for a moment; those whose keys are allowed reconnect by themselves.

    \b
    Example:
        feltwire keys revoke board-1

    Exit codes: 0; 2 if there is no such name.
    """
    from feed.allow_list import revoke as write

    place = _folder(folder) / ALLOWED
    try:
        write(place, name)
    except BadKeyError as error:
        _fail(error)
    click.echo(f"{place / name}.toml: {name} may not connect any more")


@command.command("list")
@_dir
def show(folder: Path | None) -> None:
    """List the keys, and what is wrong in their folder.

    \b
    Example:
        feltwire keys list

    Exit codes: 0; 2 if something is wrong.
    """
    place = _folder(folder)
    keys = AllowList.load(place / ALLOWED)
    own = place / f"{SERVER}{PUBLIC_SUFFIX}"
    try:
        click.echo(f"{'server':<24}  {read_public(own)}")
    except BadKeyError as error:
        click.echo(f"{'server':<24}  none: {error}")
    for entry in keys.entries:
        state = "revoked" if entry.revoked else _role(entry)
        click.echo(f"{entry.name:<24}  {entry.public}  {click.style(state, fg='red') if entry.revoked else state}")
    for problem in keys.problems:
        click.echo(click.style(problem, fg="red"), err=True)
    if keys.problems:
        sys.exit(BAD_CONFIGURATION)


def _new_signing(folder: Path | None, force: bool) -> None:
    from audit.errors import JournalError
    from audit.signing import FILE_NAME, SigningKeyError, create, public_half
    from controller.journal.files import is_untouched, order_new
    from controller.service.state_paths import state_folder

    path = (state_folder(None) if folder is None else folder) / FILE_NAME
    journal = path.with_name("journal.sqlite")
    try:
        if not path.exists() and is_untouched(journal):
            order_new(journal)  # before the key: a key without a journal is taken for the trace of a lost one
        key = create(path, overwrite=force)
    except JournalError as error:
        _fail(error, "")
    except SigningKeyError as error:
        _fail(error, "it is overwritten only with --force; the seals then show the change" if not force else "")
    click.echo(f"signing key  {path}  stays here")
    click.echo(f"public half  {public_half(key)}")
    click.echo()
    click.echo("Give the public half to the auditor: it proves who sealed the journal.")


def _folder(given: Path | None) -> Path:
    from controller.service.state_paths import state_folder

    return state_folder(None) / "keys" if given is None else given


def _public(text: str) -> str:
    """The public key given by itself, or by the name of its file."""
    if text.endswith(SECRET_SUFFIX):
        raise BadKeyError(f"{text}: this is a secret; give the {PUBLIC_SUFFIX} file beside it")
    return read_public(Path(text)) if text.endswith(PUBLIC_SUFFIX) else parse_public(text)


def _role(entry: Allowed) -> str:
    of_class = f" of class {entry.operator_class}" if entry.operator_class else ""
    return entry.role + of_class + (f", {' and '.join(entry.positions)}" if entry.positions else "")


def _fail(error: Exception, hint: str = "") -> NoReturn:
    there = "there is such a file already"
    message = f"{str(error).partition(',')[0]}; {hint}" if hint and there in str(error) else str(error)
    click.echo(click.style(message, fg="red"), err=True)
    sys.exit(BAD_CONFIGURATION)
