"""`feltwire devices`: the device files that tables use, and the sandbox that allows them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from command_line.exit_codes import FATAL
from controller.cli.printing import load_all

SYSTEMCTL = "systemctl"


@click.command("devices")
@click.argument("tables", metavar="TABLE.toml...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--allow", "unit", metavar="UNIT", help="Allow them to a unit of systemd, and nothing else.")
def command(tables: tuple[Path, ...], unit: str | None) -> None:
    """List the GPIO chips and serial ports that tables use, by what they are called on this computer now.

    With --allow, a unit of systemd may open these device files and no other, from now on and until the computer is
    switched off; feltwire-devices@.service does so at each start and for each port that is plugged in. A chip or port
    that is missing is named, and allowed once it is there.

    \b
    Examples:
        feltwire devices /etc/feltwire
        feltwire devices --allow feltwire.service /etc/feltwire

    Exit codes: 0; 1 if systemd refuses; 2 for files that cannot be used.
    """
    from controller.live import device_files as files

    configs = load_all(tables)
    found = files.device_files(configs, files.find_chip)
    for one in found:
        place = one.path or f"missing: {one.why}"
        click.echo(f"{one.wanted}: {place} (of {', '.join(one.tables)})", err=one.path is None)
    if not found:
        click.echo("these tables use no device file: they are simulated, or their boards are reached over the network")
    allowed: list[str] | None = None
    # What is plugged in meanwhile has another process look, whose answer this one may come after.
    while unit is not None and allowed != (paths := [one.path for one in found if one.path is not None]):
        allow(unit, paths)
        allowed, found = paths, files.device_files(configs, files.find_chip)


def allow(unit: str, paths: Sequence[str]) -> None:
    """Has systemd allow these device files to a unit, and no other; ends with 1 where it does not."""
    rules = [f"DeviceAllow={path} rw" for path in dict.fromkeys(paths)]
    # The empty one takes back what was allowed before. Runtime: names are looked up again at each start of the
    # computer.
    asked = [SYSTEMCTL, "set-property", "--runtime", unit, "DevicePolicy=closed", "DeviceAllow=", *rules]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        wrong = done.stderr.strip() if done.returncode else ""
    except FileNotFoundError:
        wrong = f"there is no {SYSTEMCTL} on this computer"
    if wrong:
        click.echo(f"{unit}: its devices were not set: {wrong}", err=True)
        sys.exit(FATAL)
    click.echo(f"{unit}: may open {', '.join(paths) or 'no device file'}, and nothing else")
