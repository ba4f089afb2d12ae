"""Images of Picos: what a UF2 file must be, and to which folder it is written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.boards.firmware_error import FirmwareError
from controller.boards.firmware_image import BUILD_MARK
from controller.boards.uf2 import check_folder, read_uf2
from controller.cli.boards import command
from hal.board.messages import DICTIONARY, PROTOCOL
from tests.fakes.uf2_build import blocks, checksum

INFO = "UF2 Bootloader v3.0\nModel: Raspberry Pi RP2\nBoard-ID: {}\n"


BOOT = "on a carrier board, with USB plugged in, while you switch its 12 V on"
"""There, plugging it in resets nothing, and without the 12 V it stays in reset."""
IMAGE_DEF = bytes.fromhex("D3DEFFFF 42012110 FF010000 00000000 793512AB")
"""The block that tells the boot ROM of an RP2350 what an image is."""


def image(size: int = 1024, chip: str = "rp2040") -> bytes:
    """An image that the boot ROM runs, with the hash that names it."""
    content = bytearray(number * 7 & 0xFF for number in range(size))
    if chip == "rp2350":
        content[64:84] = IMAGE_DEF
    content[252:256] = checksum(bytes(content[:252])).to_bytes(4, "little")
    at = 512 + len(BUILD_MARK)
    content[512 : at + 32] = BUILD_MARK + bytes(32)
    content[at : at + 32] = hashlib.sha256(content).digest()
    return bytes(content)


def build(folder: Path, kind: str = "wheel", chip: str = "rp2040") -> Path:
    """A folder with a manifest and one image."""
    made = image(chip=chip)
    content = b"".join(blocks(made, chip))
    folder.mkdir(parents=True)
    (folder / f"{kind}.uf2").write_bytes(content)
    at = 512 + len(BUILD_MARK)
    manifest = {
        "version": "1.0.0",
        "protocol": PROTOCOL,
        "dictionary": f"{DICTIONARY:08X}",
        "toolchain": {},
        "chip": chip,
        "boards": {
            kind: {
                "hex": f"{kind}.uf2",
                "sha256": hashlib.sha256(content).hexdigest(),
                "build": made[at : at + 32].hex().upper(),
                "oldest": 1,
                "flash": 1024,
                "ram": 1024,
            }
        },
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def boot_loader(folder: Path, board: str = "RPI-RP2") -> Path:
    """The folder of a boot loader."""
    folder.mkdir()
    (folder / "INFO_UF2.TXT").write_text(INFO.format(board))
    return folder


def flash(*given: str) -> tuple[int, str]:
    done = CliRunner().invoke(command, ["flash", *given])
    return done.exit_code, done.output


def test_an_image_is_read_out_of_its_blocks() -> None:
    assert read_uf2(b"".join(blocks(image())), "wheel.uf2") == image()


def _changed(at: int, value: bytes) -> Callable[[bytes], bytes]:
    return lambda content: content[:at] + value + content[at + len(value) :]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda content: b"", "0 bytes are not blocks of 512"),
        (lambda content: content[:-1], "are not blocks of 512"),
        (lambda content: content[:-512], "expected block 0 of 3 with 256 bytes at 0x10000000, found 0 of 4"),
        (lambda content: content[512:1024] + content[512:], "found 1 of 4"),
        (_changed(0, b"\0"), "block 0: it is not a block of UF2"),
        (_changed(512 + 508, b"\0"), "block 1: it is not a block of UF2"),
        (
            _changed(28, (0xE48BFF59).to_bytes(4, "little")),
            r"E48BFF59 \(RP2350 \(ARM\)\), and a Raspberry Pi Pico takes E48BFF56",
        ),
        (_changed(28, b"\1\2\3\4"), r"family 04030201 \(another chip\)"),
        (_changed(8, bytes(4)), r"\(no chip\)"),
        (_changed(512 + 12, (0x10000200).to_bytes(4, "little")), "256 at 0x10000200"),
        (_changed(32, b"\xff\xff"), "the chip's boot ROM would not run it"),
    ],
)
def test_what_is_not_an_image_for_a_pico_is_refused(damage: Callable[[bytes], bytes], says: str) -> None:
    with pytest.raises(FirmwareError, match=says):
        read_uf2(damage(b"".join(blocks(image()))), "wheel.uf2")


def test_an_image_for_a_pico_2_must_say_so_and_is_none_for_a_pico() -> None:
    whole = image(8192, "rp2350")
    content = b"".join(blocks(whole, "rp2350"))
    assert read_uf2(content, "wheel.uf2", "rp2350") == whole
    with pytest.raises(
        FirmwareError, match=r"a Raspberry Pi Pico takes E48BFF56 \(RP2040\); build it with: make -C .* pico$"
    ):
        read_uf2(content, "wheel.uf2", "rp2040")
    with pytest.raises(FirmwareError, match=r"\(RP2040\), and a Raspberry Pi Pico 2 takes E48BFF59 .* pico2$"):
        read_uf2(b"".join(blocks(image())), "wheel.uf2", "rp2350")
    for none in (whole.replace(IMAGE_DEF[4:8], b"\x42\x01\x21\x11"), bytes(4096) + whole):  # of RISC-V; too far behind
        with pytest.raises(FirmwareError, match="have no block IMAGE_DEF"):
            read_uf2(b"".join(blocks(none, "rp2350")), "wheel.uf2", "rp2350")


def test_only_the_boot_loader_of_a_pico_is_written_to(tmp_path: Path) -> None:
    assert check_folder(boot_loader(tmp_path / "pico")) == "Raspberry Pi RP2"
    with pytest.raises(FirmwareError, match=rf"has no INFO_UF2\.TXT .*{BOOT}"):
        check_folder(tmp_path)
    for board in ("RP2350", "SAMD21G18A-Feather-v0", ""):
        with pytest.raises(FirmwareError, match=f"boot loader of {board or 'an unknown board'}, and the image is for"):
            check_folder(boot_loader(tmp_path / f"other-{board}", board))
    with pytest.raises(FirmwareError, match=r"a Raspberry Pi Pico 2\); for this one: make -C firmware pico$"):
        check_folder(tmp_path / "pico", "rp2350")


@pytest.mark.parametrize(("chip", "board"), [("rp2040", "RPI-RP2"), ("rp2040_usb", "RPI-RP2"), ("rp2350", "RP2350")])
def test_flash_writes_the_checked_image_into_the_folder(tmp_path: Path, chip: str, board: str) -> None:
    made, drive = build(tmp_path / "build", chip=chip), boot_loader(tmp_path / "drive", board)
    code, said = flash("wheel", str(drive), "--file", str(made))
    assert (code, "Raspberry Pi RP2, in its boot loader" in said) == (0, True), said
    assert f"identify PORT --chip {chip}" in said
    assert (drive / "FELTWIRE.UF2").read_bytes() == (made / "wheel.uf2").read_bytes()


def test_a_drive_that_takes_no_more_may_hold_half_an_image(tmp_path: Path) -> None:
    made, drive = build(tmp_path / "build"), boot_loader(tmp_path / "drive")
    (drive / "FELTWIRE.UF2").symlink_to("/dev/full")
    code, said = flash("wheel", str(drive), "--file", str(made))
    assert code == 1
    assert "No space left on device); the Pico may hold half an image: hold BOOTSEL" in said
    assert BOOT in said


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("pusher", "{drive}", "--file", "{made}"), "it has no firmware of kind pusher"),
        (("wheel", "/dev/ttyUSB7", "--file", "{made}"), BOOT),
        (("wheel", "{drive}"), "is for an Arduino Nano or Uno"),
        (("wheel", "{other}", "--file", "{made}"), "boot loader of RP2350"),
        (("wheel", "{drive}", "--file", "{of_other}"), "boot loader of RPI-RP2, and the image is for RP2350"),
        (("wheel", "{other}", "--file", "{renamed}"), "it is for family E48BFF56 (RP2040)"),
        (("wheel", "{made}", "--file", "{made}"), "has no INFO_UF2.TXT"),
        (("wheel", "{drive}", "--file", "{by_usb}", "--line", "/dev/ttyACM7"), "leave --line out, and then: feltwire"),
        (("wheel", "{drive}", "--file", "{damaged}"), "was changed or damaged"),
    ],
)
def test_flash_writes_nothing_that_does_not_fit(tmp_path: Path, given: tuple[str, ...], says: str) -> None:
    places = {
        "made": build(tmp_path / "build"),
        "damaged": build(tmp_path / "damaged"),
        "drive": boot_loader(tmp_path / "drive"),
        "other": boot_loader(tmp_path / "other", "RP2350"),
        "of_other": build(tmp_path / "of_other", chip="rp2350"),
        "by_usb": build(tmp_path / "by_usb", chip="rp2040_usb"),
        "renamed": build(tmp_path / "renamed"),
    }
    manifest = places["renamed"] / "manifest.json"
    manifest.write_text(manifest.read_text().replace("rp2040", "rp2350"))
    content = (places["damaged"] / "wheel.uf2").read_bytes()
    (places["damaged"] / "wheel.uf2").write_bytes(content[:600] + b"\0" + content[601:])
    code, said = flash(*(part.format(**places) for part in given))
    assert code == 2
    assert says in said
    assert not list(tmp_path.rglob("FELTWIRE.UF2"))
