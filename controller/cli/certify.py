"""`feltwire certify`: the signed record of what a machine is, and the comparison with it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
import msgspec

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from controller.cli.printing import load_one
from controller.cli.send import person, user_name
from controller.cli.services_here import refusal, service_of, services
from controller.cli.table_key import signer_of_table, table_key
from controller.configuration.values import TableConfig
from controller.rules.profile import is_house
from hal.clock import NS_PER_S, SystemClock

if TYPE_CHECKING:
    from nacl.signing import SigningKey

    from controller.certification.certificate import Certificate


@click.command("certify")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--check", "only_check", is_flag=True, help="Compare with the certificate; nothing is written.")
@click.option(
    "--state", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="The folder with the key."
)
@click.option(
    "--key",
    "key_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Sign with this key, such as a laboratory's, in place of the table's own.",
)
@click.option("--by", default="", callback=person, metavar="NAME", help="Who certifies; without it, the user.")
@click.option("--json", "as_json", is_flag=True, help="Print the certificate, or what differs, as JSON.")
def command(table: Path, only_check: bool, state: Path | None, key_file: Path | None, by: str, as_json: bool) -> None:
    """Record what a machine is, signed; from then on it stays shut where it is anything else.

    A machine has to be identical in all electrical, mechanical and other aspects to a model that was tested and
    certified (13:47-20.15(d)). TABLE.certificate, beside the file, has the SHA-256 of every file of the software, the
    versions of its libraries, every key of the file that touches play, where each wire goes, the firmware of each board
    and the identity of each ccTalk device. The service compares at every start, each hour, and whenever a board or a
    device reports who it is. What differs is named by the fault not_certified, and no play begins.

    The machine stays closed meanwhile: no token is taken, and nothing moves. Stop its service first.

    \b
    Examples:
        feltwire certify /etc/feltwire/pusher.toml --by "A. Miller"
        feltwire certify pusher.toml --check
        feltwire certify pusher.toml --key laboratory.key

    With --key the file must name the public half: certified_by = "…" under [table].
    Exit codes: 0 if it was written, or nothing differs; 1 if something differs, or a board or a device does not report;
    2 for a file, a key or an option that cannot be used.
    """
    from controller.certification.certificate import is_machine

    config = load_one(table)
    if not is_machine(config):
        cite = "" if is_house(config.rules) else " (13:47-20.15(d))"
        raise click.UsageError(f"{config.file}: {config.game} is not a machine, and machines alone are certified{cite}")
    if only_check and key_file is not None:
        raise click.UsageError("--key is for writing; --check takes the key that the file names, or the table's own")
    running = service_of(config, services())
    if running is not None:
        _leave(refusal(config.id, running, "a certificate needs the wires for itself"), FATAL)
    if only_check:
        sys.exit(_check(config, signer_of_table(config, state), as_json=as_json))
    sys.exit(_write(config, _key(config, state, key_file), by, as_json=as_json))


def _key(config: TableConfig, state: Path | None, key_file: Path | None) -> SigningKey:
    from audit.signing import SigningKeyError, load, public_half

    if key_file is None:
        return table_key(config, state)
    try:
        key = load(key_file)
    except SigningKeyError as error:
        _leave(str(error), BAD_CONFIGURATION)
    if config.table.certified_by != public_half(key):
        named = config.table.certified_by or "none"
        _leave(
            f"{config.file}: table.certified_by: {key_file} has the public half {public_half(key)}, and the file names "
            f'{named}; write certified_by = "{public_half(key)}" under [table]',
            BAD_CONFIGURATION,
        )
    return key


def _write(config: TableConfig, key: SigningKey, by: str, *, as_json: bool) -> int:
    from audit.signing import public_half
    from controller.certification.certificate import CertificateError, certificate_path, too_short_hashes, write
    from controller.certification.software import compile_all
    from controller.packages.files import UNREADABLE

    path = certificate_path(config)
    if config.table.certified_by and config.table.certified_by != public_half(key):
        _leave(
            f"{config.file}: table.certified_by: another key than the table's own has to sign; give it with --key "
            "FILE, or remove certified_by",
            BAD_CONFIGURATION,
        )
    if not os.access(path.parent, os.W_OK):
        _leave(f"{path.parent}: the certificate is written there, and this user may not; use sudo", BAD_CONFIGURATION)
    compile_all()
    made = _made(config, by or user_name())
    weak = too_short_hashes(made.devices)
    if weak:
        _leave("; ".join(weak), FATAL)
    unreadable = [name for name, found in made.files.items() if found.endswith(UNREADABLE)]
    if unreadable:
        _leave(f"{', '.join(unreadable)}: cannot be read, so nobody can vouch for it; use sudo", BAD_CONFIGURATION)
    try:
        write(path, made, key)
    except CertificateError as error:
        _leave(str(error), FATAL)
    if as_json:
        click.echo(msgspec.json.encode(made))
    for name, facts in made.devices.items():
        click.echo(f"{name}: {', '.join(f'{what} {value}' for what, value in facts.items())}", err=as_json)
    click.echo(
        f"{len(made.files)} files of the software, {len(made.libraries)} libraries, {len(made.model)} values of the "
        "model",
        err=as_json,
    )
    click.echo(f"written and signed: {path}", err=as_json)
    return 0


def _check(config: TableConfig, signer: bytes, *, as_json: bool) -> int:
    from controller.certification.certificate import (
        certificate_of,
        device_differences,
        model_differences,
        software_differences,
    )

    found = certificate_of(config, signer)
    differences: Sequence[str] = []
    if found.certificate is not None:
        now = _made(config, found.certificate.by)
        gone = [f"{name} is gone" for name in found.certificate.devices if name not in now.devices]
        differences = [
            *model_differences(found.certificate, config),
            *device_differences(found.certificate, now.devices),
            *gone,
            *software_differences(found.certificate, now.files),
        ]
    if as_json:
        click.echo(msgspec.json.encode({"kind": found.kind, "words": found.words, "differences": differences}))
    else:
        click.echo(f"table {config.id}: certificate {found.kind}: {found.words}")
        for one in differences:
            click.echo(f"    {one}")
        if found.certificate is not None and not differences:
            click.echo("    nothing differs")
    return FATAL if differences or found.kind == "missing" else 0


def _made(config: TableConfig, by: str) -> Certificate:
    from controller.certification.certificate import made_now

    time = datetime.fromtimestamp(SystemClock().wall_time_ns() // NS_PER_S, UTC).isoformat().replace("+00:00", "Z")
    return made_now(config, _devices(config), by=by, time=time)


def _devices(config: TableConfig) -> Mapping[str, Mapping[str, str]]:
    from controller.commissioning.identifying import identify
    from hal.lines import LineError

    try:
        return asyncio.run(identify(config, SystemClock()))
    except LineError as error:
        _leave(str(error), FATAL)
    except KeyboardInterrupt:
        _leave("left; nothing was written", FATAL)


def _leave(message: str, code: int) -> NoReturn:
    click.echo(click.style(message, fg="red"), err=True)
    sys.exit(code)
