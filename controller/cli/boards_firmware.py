"""`feltwire boards check`, `sign` and `flash`: firmware is verified before it is written."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from command_line.options import public_keys
from controller.boards import flashing as avrdude
from controller.boards import uf2
from controller.boards.bench_sheet import BenchSheetError, is_report, sheet_name
from controller.boards.detached_signature import signature_path
from controller.boards.firmware_error import FirmwareError
from controller.boards.firmware_image import (
    RELEASE_KEYS,
    SHIPPED,
    Firmware,
    Manifest,
    check_image,
    check_signature,
    check_software,
    find,
    sign,
)
from controller.boards.identity import kind_name, misfit, not_written, version, words
from controller.cli.board_options import chip_option
from controller.cli.boards_sheet import Bench, PortFinding, run_sheet, verify_report
from hal.board.bootloader import ask_version
from hal.board.chips import ATMEGA328P, CHIPS, PICOS, Chip
from hal.board.down_reasons import reset_by_opening
from hal.board.errors import BoardError
from hal.board.messages import KINDS, IdentityAnswer
from hal.board.ports import NoDtrError, StrangeBoardError, UnusablePortError, ask_identity, reset_by_dtr
from hal.clock import SystemClock
from hal.lines import LineError

_signers = click.option(
    "--signer",
    "signers",
    metavar="KEY|FILE",
    multiple=True,
    callback=public_keys,
    help="Public key of a signer whose firmware is accepted; repeat.",
)


@contextmanager
def _exit_on_bad_file() -> Iterator[None]:
    """Prints a `FirmwareError` or a `BenchSheetError` in red, and exits with code 2."""
    try:
        yield
    except (FirmwareError, BenchSheetError) as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)


@click.command("check")
@click.argument("what", metavar="[FILE|PORT]", default=str(SHIPPED))
@click.option("--release", is_flag=True, help="The manifest must be signed by the release key of this software.")
@click.option("--sheet", type=click.Path(path_type=Path), help="Walk through the test sheet; FILE takes the report.")
@click.option("--kind", type=click.Choice(list(KINDS)), help="With --sheet: of the board on PORT.")
@click.option("--tester", help="With --sheet: name of the person at the bench.")
@click.option("--number", type=click.IntRange(0, 4_294_967_295), help="With --sheet: the number on the board.")
@click.option("--key", type=click.Path(path_type=Path), help="With --sheet: secret key that signs the report.")
@click.option("--answers", type=click.Path(path_type=Path), help="With --sheet: TOML with the answers of the steps.")
@chip_option
@_signers
def check_command(
    what: str,
    chip: Chip,
    release: bool,
    sheet: Path | None,
    kind: str | None,
    tester: str | None,
    number: int | None,
    key: Path | None,
    answers: Path | None,
    signers: tuple[bytes, ...],
) -> None:
    """Check firmware before it goes into a board, or the board on a port, with its carrier board if asked to.

    PORT is a device or a URL of a port: the board on it is identified, DTR is lowered and raised as every program does
    that opens a port, and the board is identified again. A board that handles money (reel, pusher) must not be reset by
    that: its auto-reset must be cut (docs/boards.md). With --chip rp2040 a Pico is only identified: no line of its
    port resets it. Stop the table first.

    With --sheet the check is a step of the test sheet of a carrier board, whose first steps are done with the module
    out of its socket. Each step says what to do and what must be found; answer y or n, or the value that was measured.
    The test ends at the first step that fails: repair the board, and begin again. feltwire keys new --signing --dir
    makes the key. Given as FILE, the report is verified.

    FILE is a manifest.json, its folder, or one .hex file beside its manifest; without it, the images that come with
    this software, which must be signed by its release key. Each image must have the SHA-256 of the manifest and the
    build number of its content, be complete, fit the chip, and speak a protocol that this software knows. With
    --signer the manifest must be signed by that key.

    \b
    Examples:
        feltwire boards check
        feltwire boards check /mnt/stick/wheel.hex --signer maker.pub
        feltwire boards check /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0
        feltwire boards check PORT --sheet 7.json --kind pusher --tester "A. Miller" --number 7 --key signing.key
        feltwire boards check /dev/ttyAMA0 --chip rp2040 --sheet 8.json --kind wheel --tester "A. Miller"
        feltwire boards check 7.json --signer bench.pub

    A file for --answers has a table [answers] with the id of each step: true, false, or the measured number.

    Exit codes: 0; 1 if the board fails its check or its sheet, or the test was left; 2 if firmware does, or for a file,
    a key or an option that cannot be used: then flash none of it.
    """
    if sheet is not None:
        if not is_port(what) or tester is None:
            raise click.UsageError("a test sheet needs PORT and --tester NAME")
        bench = Bench(tester, number or 0, sheet, key, answers)
        with _exit_on_bad_file():
            sys.exit(_walk_through(what, kind or _kind_on(what, chip), chip, bench))
    if any(option is not None for option in (kind, tester, number, key, answers)):
        raise click.UsageError("--kind, --tester, --number, --key and --answers need --sheet FILE")
    if is_port(what):
        sys.exit(_check_port(what, chip))
    if chip is not ATMEGA328P:
        raise click.UsageError("--chip is what the board on PORT is built on: give PORT")
    path = Path(what)
    with _exit_on_bad_file():
        if is_report(path):
            sys.exit(verify_report(path, signers))
        manifest, found = _found(path, RELEASE_KEYS if release else signers)
        for firmware in manifest.firmware.values() if found is None else [manifest.of(found)]:
            content = check_image(firmware)
            click.echo(f"{firmware.path}: {_what(firmware)}, SHA-256 {firmware.sha256[:16]}…, {len(content)} bytes: ok")


def is_port(what: str) -> bool:
    """Whether this names a port, and no file of firmware."""
    return "://" in what or what.startswith("/dev/") or Path(what).is_char_device()


def _walk_through(port: str, kind: str, chip: Chip, bench: Bench) -> int:
    """Walks through the sheet; the program does the steps at the port itself."""
    looks = {"identify": lambda: _identified(port, kind, chip), "reset_cut": lambda: _reset_cut(port)}
    return run_sheet(sheet_name(kind, chip), bench, looks)


def _kind_on(port: str, chip: Chip) -> str:
    """The kind of the board on a port.

    Raises:
        BenchSheetError: nothing answers there.
    """
    answer = _ask(port, chip)
    if isinstance(answer, str):
        raise BenchSheetError(f"{answer}; with the module out of its socket say which board it is: --kind KIND")
    return kind_name(answer)


def _identified(port: str, kind: str, chip: Chip) -> PortFinding:
    """Whether a board of this kind answers, with firmware that this software works with."""
    answer = _ask(port, chip)
    if isinstance(answer, str):
        return PortFinding(False, answer)
    board = words(answer)
    if kind_name(answer) != kind:
        return PortFinding(False, f"expected a {kind} board, found: {board}", board)
    wrong = misfit(answer)
    return PortFinding(wrong is None, board if wrong is None else f"{board}; {wrong}", board)


def _reset_cut(port: str) -> PortFinding:
    """Whether the board goes on while its port is opened."""
    try:
        _, was_reset = asyncio.run(reset_by_dtr(port, SystemClock()))
    except NoDtrError as error:
        return PortFinding(True, str(error))
    except (BoardError, LineError) as error:
        return PortFinding(False, str(error))
    return PortFinding(not was_reset, reset_by_opening() if was_reset else "it was not reset")


def _check_port(port: str, chip: Chip) -> int:
    """Checks the board on a port, prints the result, and returns the exit code."""
    try:
        if chip.name in PICOS:
            # Its reset is at no line of an adapter.
            identity, was_reset = asyncio.run(ask_identity(port, SystemClock(), chip=chip)), False
        else:
            identity, was_reset = asyncio.run(reset_by_dtr(port, SystemClock()))
    except NoDtrError as error:
        click.echo(str(error))
        answer = _ask(port)
        if isinstance(answer, str):
            click.echo(click.style(answer, fg="red"), err=True)
            return FATAL
        identity, was_reset = answer, False
    except (BoardError, LineError) as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        return FATAL
    click.echo(f"{port}: {words(identity)}")
    wrong = misfit(identity)
    if wrong is not None:
        click.echo(click.style(f"{port}: {wrong}", fg="red"), err=True)
        return FATAL
    if was_reset and identity.counters:
        click.echo(click.style(f"{port}: {reset_by_opening()}", fg="red"), err=True)
        return FATAL
    if chip.name in PICOS:
        click.echo(click.style(f"{port}: a Pico, which no line of its port resets: ok", fg="green"))
        return 0
    reset = "resets it, which is harmless for this kind" if was_reset else "leaves it alone"
    click.echo(click.style(f"{port}: opening its port {reset}: ok", fg="green"))
    return 0


@click.command("sign")
@click.argument("path", metavar="MANIFEST", type=click.Path(path_type=Path))
@click.option("--key", required=True, type=click.Path(path_type=Path), help="Secret key: 64 hexadecimal digits, 0600.")
def sign_command(path: Path, key: Path) -> None:
    """Sign a manifest, and with it its images, for the --signer option of check and flash.

    Make firmware-release signs the images that come with this software in this way.

    The key file has the form that feltwire keys new --signing makes. The signature is written beside the manifest.

    \b
    Example:
        feltwire boards sign firmware/build/manifest.json --key maker.key

    Exit codes: 0; 2 for a manifest or a key that cannot be used.
    """
    from audit.signing import SigningKeyError, load, public_half

    with _exit_on_bad_file():
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
@click.argument("port", metavar="PORT|FOLDER")
@click.option(
    "--file", "path", type=click.Path(path_type=Path), default=SHIPPED, help="Manifest, .hex or .uf2, as in check."
)
@click.option(
    "--baud", type=click.IntRange(300, 4_000_000), help="Bits a second of the boot loader; without it, all known."
)
@click.option("--change-kind", is_flag=True, help="Replace the firmware of another kind.")
@click.option("--line", metavar="PORT", help="With FOLDER: port of the Pico's serial line, to identify it afterwards.")
@_signers
def flash_command(
    kind: str,
    port: str,
    path: Path,
    baud: int | None,
    change_kind: bool,
    line: str | None,
    signers: tuple[bytes, ...],
) -> None:
    """Write the firmware of KIND into the board on PORT, or into the Pico whose boot loader is FOLDER.

    The image is the one that comes with this software, unless --file gives another. First it is checked as by `feltwire
    boards check`, and the board is identified: a board with the firmware
    of another kind is wired for that kind, and is not changed without --change-kind. Then avrdude writes the image and
    reads it back, and the board is identified again. Unplug motors before you flash.

    The boot loader of a Pico is a drive: hold BOOTSEL while you plug USB in, and on a carrier board, with USB plugged
    in, while you switch its 12 V on. It takes a build of your own (make -C firmware pico; with its own USB socket as
    its line: pico-usb; for a Pico 2: pico2), for no image of a Pico comes with this software. What firmware the Pico
    had cannot be asked there: look that its outputs are wired for a board of KIND. With --line it is identified when it
    has restarted.

    \b
    Examples:
        feltwire boards flash wheel /media/me/RPI-RP2 --file firmware/build/rp2040 --line /dev/ttyAMA0
        feltwire boards flash wheel /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0
        feltwire boards flash wheel PORT --file wheel.hex --signer maker.pub

    Exit codes: 0; 1 if writing failed, or the board does not identify itself as expected; 2 if the image must not be
    written.
    """
    with _exit_on_bad_file():
        manifest, found = _found(path, signers)
        if found is not None and found != kind:
            raise FirmwareError(f"{path}: it is the {found} firmware, and the {kind} firmware was asked for")
        firmware = manifest.of(kind)
        _check_way(firmware, port, line, path)
        content = check_image(firmware)
        click.echo(f"firmware: {_what(firmware)}, SHA-256 {firmware.sha256[:16]}…: ok")
        if firmware.chip in PICOS:
            click.echo(f"board: {uf2.check_folder(Path(port), firmware.chip)}, in its boot loader")
            sys.exit(_flash_pico(firmware, content, Path(port), line))
        _check_board(kind, port, change_kind)
        _check_bootloader(port)
    try:
        used = avrdude.flash(content, port, avrdude.BAUDS if baud is None else (baud,), _show)
    except FirmwareError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(FATAL)
    click.echo(f"written at {used} baud; identifying the board")
    sys.exit(_identify_written(firmware, port, ATMEGA328P))


def _check_way(firmware: Firmware, port: str, line: str | None, path: Path) -> None:
    """Checks that what was given to write to fits the chip of the image.

    Raises:
        FirmwareError: a Pico's image has no folder, another chip's has one.
    """
    to_folder = uf2.is_folder(port)
    if firmware.chip in PICOS and not to_folder:
        raise FirmwareError(
            f"{port}: the image is for a Pico, whose boot loader is a folder: {uf2.HOW_TO_BOOT}; "
            "give the folder of the drive that appears"
        )
    if line is not None and CHIPS[firmware.chip].usb:
        raise FirmwareError(
            f"{line}: the port of a Pico whose own USB socket is its line appears when it has restarted: leave --line "
            f"out, and then: feltwire boards identify {line} --chip {firmware.chip}"
        )
    if firmware.chip not in PICOS and (to_folder or line is not None):
        raise FirmwareError(
            f"{port}: {firmware.path} is for an {ATMEGA328P.about}, on whose port it is written; for a Pico give "
            "--file with a build for it: make -C firmware pico, then --file firmware/build/rp2040"
        )


def _flash_pico(firmware: Firmware, content: bytes, folder: Path, line: str | None) -> int:
    """Writes to a Pico's boot loader; returns the exit code."""
    try:
        uf2.write(content, folder)
    except FirmwareError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        return FATAL
    if line is None:
        click.echo(
            f"{folder}: written; the Pico restarts. What it has: feltwire boards identify PORT --chip {firmware.chip}"
        )
        return 0
    click.echo("written; identifying the board")
    return _identify_written(firmware, line, CHIPS[firmware.chip])


def _identify_written(firmware: Firmware, port: str, chip: Chip) -> int:
    """Whether the board that was written to is what it should be; returns the exit code."""
    after = _ask(port, chip)
    wrong = (
        after if isinstance(after, str) else not_written(after, firmware.kind, firmware.version_numbers, firmware.image)
    )
    if wrong is not None:
        unexpected = f"{port}: written, but the check of the board failed: {wrong}"
        click.echo(click.style(unexpected, fg="red"), err=True)
        return FATAL
    if isinstance(after, IdentityAnswer):
        click.echo(click.style(f"{port}: {words(after)}: ok", fg="green"))
    return 0


def _found(path: Path, signers: tuple[bytes, ...]) -> tuple[Manifest, str | None]:
    """The manifest, its signature checked where signers are given, and the kind of the image if one was named."""
    manifest, kind = find(path)
    if signers:
        check_signature(manifest, signers)
    elif path == SHIPPED:
        check_signature(manifest, RELEASE_KEYS)
    elif signature_path(manifest.path).exists():
        click.echo(f"{manifest.path}: it is signed, but the signature was not checked; give --signer to check it")
    else:
        click.echo(
            f"{manifest.path}: it is not signed; sign it with feltwire boards sign, and give --signer to check it"
        )
    check_software(manifest)
    return manifest, kind


def _check_board(kind: str, port: str, change_kind: bool) -> None:
    """Checks that the board on the port may be overwritten: of this kind, new, or `change_kind` is given.

    Raises:
        FirmwareError: it must not be, or the port cannot be used.
    """
    try:
        before = asyncio.run(ask_identity(port, SystemClock()))
    except (UnusablePortError, LineError) as error:
        raise FirmwareError(str(error)) from error
    except StrangeBoardError as error:
        # Its outputs are wired for some kind of board, and which is unknown.
        if not change_kind:
            raise FirmwareError(
                f"{error}. Its kind is unknown: check that its outputs are wired for a {kind} board, then give "
                "--change-kind"
            ) from error
        click.echo(f"board: {error}")
        return
    except BoardError:
        click.echo(f"board: no Feltwire firmware answers on {port}; it may be new")
        return
    click.echo(f"board: {words(before)}")
    if kind_name(before) != kind and not change_kind:
        raise FirmwareError(
            f"{port}: a {kind_name(before)} board (firmware {version(before)}) would become a {kind} board: its "
            f"outputs are wired for a {kind_name(before)} board; check the wiring, then give --change-kind"
        )


def _check_bootloader(port: str) -> None:
    """Checks that the board's bootloader survives the watchdog.

    Raises:
        FirmwareError: it does not, or the port cannot be used.
    """
    try:
        found = asyncio.run(ask_version(port))
    except (UnusablePortError, LineError) as error:
        raise FirmwareError(str(error)) from error
    if found is None:
        click.echo("bootloader: none answered yet; press the board's reset button when avrdude begins")
        return
    click.echo(f"bootloader: version {found.major}.{found.minor} at {found.baud} baud")
    if not found.survives_watchdog:
        raise FirmwareError(
            f"{port}: its bootloader (version {found.major}.{found.minor}, of Nanos from before 2018) never comes back "
            "from a reset by the watchdog: the board would be dead until its power is cut. Replace it with Optiboot, "
            "with a programmer (docs/boards.md, which to buy), then flash again"
        )


def _ask(port: str, chip: Chip = ATMEGA328P) -> IdentityAnswer | str:
    try:
        return asyncio.run(ask_identity(port, SystemClock(), chip=chip))
    except (BoardError, LineError) as error:
        return str(error)


def _what(firmware: Firmware) -> str:
    return f"{firmware.kind} firmware {firmware.version}, build {firmware.build}"


def _show(text: str) -> None:
    click.echo(text, nl=False, err=True)
