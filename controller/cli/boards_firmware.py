"""`feltwire boards check`, `sign` and `flash`: firmware is proven before it is written."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from controller.boards import flashing as avrdude
from controller.boards.firmware_image import (
    BUILT,
    Firmware,
    FirmwareError,
    Manifest,
    check_image,
    check_signature,
    check_software,
    find,
    sign,
    signature_path,
)
from controller.boards.identity import kind_name, misfit, version, words
from controller.cli import BAD_CONFIGURATION, FATAL
from controller.cli.options import public_keys
from hal.board.errors import BoardError
from hal.board.messages import KINDS, IdentityAnswer
from hal.board.ports import StrangeBoardError, UnusablePortError, ask_identity
from hal.clock import SystemClock
from hal.lines import LineError

_signers = click.option(
    "--signer",
    "signers",
    metavar="KEY|FILE",
    multiple=True,
    callback=public_keys,
    help="Public key: only firmware that its owner signed will do; repeat.",
)


@contextmanager
def _telling() -> Iterator[None]:
    """Says what is wrong with firmware, and leaves with 2."""
    try:
        yield
    except FirmwareError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)


@click.command("check")
@click.argument("path", metavar="[FILE]", type=click.Path(path_type=Path), default=BUILT)
@_signers
def check_command(path: Path, signers: tuple[bytes, ...]) -> None:
    """Check firmware before it goes into a board.

    FILE is a manifest.json, its folder, or one .hex file beside its manifest; without it, what make firmware built.
    Each image must be what the manifest says (SHA-256), be a whole image that fits the chip, and be of the version and
    build that this software speaks with. With --signer the manifest must be signed by that key.

    \b
    Examples:
        feltwire boards check
        feltwire boards check /mnt/stick/wheel.hex --signer maker.pub

    Exit codes: 0; 2 if anything is not as it should be: flash nothing of it.
    """
    with _telling():
        manifest, kind = _found(path, signers)
        for firmware in manifest.firmware.values() if kind is None else [manifest.of(kind)]:
            content = check_image(firmware)
            click.echo(f"{firmware.path}: {_what(firmware)}, SHA-256 {firmware.sha256[:16]}…, {len(content)} bytes: ok")


@click.command("sign")
@click.argument("path", metavar="[MANIFEST]", type=click.Path(path_type=Path), default=BUILT)
@click.option("--key", required=True, type=click.Path(path_type=Path), help="Secret key: 64 hexadecimal digits, 0600.")
def sign_command(path: Path, key: Path) -> None:
    """Sign a manifest, and with it its images, for whoever gives the public half to check and flash.

    The key is of the form that feltwire keys new --signing makes. The signature goes beside the manifest.

    \b
    Example:
        feltwire boards sign firmware/build/manifest.json --key maker.key

    Exit codes: 0; 2 for a manifest or a key that cannot be used.
    """
    from controller.journal.signing import SigningKeyError, load, public_half

    with _telling():
        manifest, _ = find(path)
        for firmware in manifest.firmware.values():
            check_image(firmware)
        try:
            secret = load(key)
        except SigningKeyError as error:
            raise FirmwareError(str(error)) from error
        beside = signature_path(manifest.path)
        try:
            beside.write_text(sign(manifest, secret) + "\n", encoding="ascii")
        except OSError as error:
            raise FirmwareError(f"{beside}: it cannot be written ({error.strerror})") from error
    click.echo(f"{beside}: signed by {public_half(secret)}")


@click.command("flash")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("port", metavar="PORT")
@click.option("--file", "path", type=click.Path(path_type=Path), default=BUILT, help="Manifest or .hex, as in check.")
@click.option("--baud", type=click.IntRange(300, 4_000_000), help="Of the boot loader; without it, all known ones.")
@click.option("--change-kind", is_flag=True, help="The board now has another kind's firmware, and that is meant.")
@_signers
def flash_command(
    kind: str, port: str, path: Path, baud: int | None, change_kind: bool, signers: tuple[bytes, ...]
) -> None:
    """Write the firmware of KIND into the board on PORT.

    First the firmware is checked as `feltwire boards check` does, and the board is asked what it is: a board with
    another kind's firmware is wired for that, and is not changed without --change-kind. Then avrdude writes and reads
    back, and at last the board is asked again. Unplug what moves before you flash.

    \b
    Examples:
        feltwire boards flash wheel /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0
        feltwire boards flash wheel PORT --baud 57600        a Nano with the boot loader of before 2018
        feltwire boards flash wheel PORT --file wheel.hex --signer maker.pub

    Exit codes: 0; 1 if it could not be written or the board does not say so afterwards; 2 if it must not be.
    """
    with _telling():
        manifest, found = _found(path, signers)
        if found is not None and found != kind:
            raise FirmwareError(f"{path}: it is the {found} firmware, and the {kind} firmware was asked for")
        firmware = manifest.of(kind)
        content = check_image(firmware)
        click.echo(f"firmware: {_what(firmware)}, SHA-256 {firmware.sha256[:16]}…: ok")
        _check_board(kind, port, change_kind)
    try:
        used = avrdude.flash(content, port, avrdude.BAUDS if baud is None else (baud,), _show)
    except FirmwareError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(FATAL)
    click.echo(f"written at {used} baud; asking the board")
    after = _ask(port)
    wrong = after if isinstance(after, str) else misfit(after, kind)
    if wrong is not None:
        click.echo(click.style(f"{port}: written, but it does not answer as it should: {wrong}", fg="red"), err=True)
        sys.exit(FATAL)
    if isinstance(after, IdentityAnswer):
        click.echo(click.style(f"{port}: {words(after)}: ok", fg="green"))


def _found(path: Path, signers: tuple[bytes, ...]) -> tuple[Manifest, str | None]:
    """A manifest that was proven as far as it is asked for, and the kind of the image that was named."""
    manifest, kind = find(path)
    if signers:
        check_signature(manifest, signers)
    elif signature_path(manifest.path).exists():
        click.echo(f"{manifest.path}: it is signed, and nobody checked by whom; give --signer to have it checked")
    check_software(manifest)
    return manifest, kind


def _check_board(kind: str, port: str, change_kind: bool) -> None:
    """What is on the port now: a board that may be overwritten, or nothing that answers, as a new one.

    Raises:
        FirmwareError: it may not, or the port cannot be used.
    """
    try:
        before = asyncio.run(ask_identity(port, SystemClock()))
    except (UnusablePortError, LineError) as error:
        raise FirmwareError(str(error)) from error
    except StrangeBoardError as error:
        # What is wired to it was wired for some kind, and nobody can tell for which.
        if not change_kind:
            raise FirmwareError(
                f"{error}. Its kind cannot be told: check that what is wired to its outputs is for a {kind} board, "
                "then give --change-kind"
            ) from error
        click.echo(f"board: {error}")
        return
    except BoardError:
        click.echo(f"board: none that knows Feltwire answers on {port}; a new one, perhaps")
        return
    click.echo(f"board: {words(before)}")
    if kind_name(before) != kind and not change_kind:
        raise FirmwareError(
            f"{port}: a {kind_name(before)} board (firmware {version(before)}) is to become a {kind} board: what is "
            f"wired to its outputs was wired for a {kind_name(before)}; check that, then give --change-kind"
        )


def _ask(port: str) -> IdentityAnswer | str:
    try:
        return asyncio.run(ask_identity(port, SystemClock()))
    except (BoardError, LineError) as error:
        return str(error)


def _what(firmware: Firmware) -> str:
    return f"{firmware.kind} firmware {firmware.version}, build {firmware.build:08X}"


def _show(text: str) -> None:
    click.echo(text, nl=False, err=True)
