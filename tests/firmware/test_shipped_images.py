"""The images that come with this software: signed, up to date, and made from these sources by anyone, byte by byte."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from controller.boards.firmware_error import FirmwareError
from controller.boards.firmware_image import (
    RELEASE_KEYS,
    SHIPPED,
    check_image,
    check_signature,
    check_software,
    image_hash_of,
    read,
    read_image,
)
from controller.boards.identity import facts
from controller.certification.certificate import Certificate, device_differences
from firmware.elf import Program
from hal.board.firmware import VERSION
from hal.board.identity import image_hash
from hal.board.messages import DICTIONARY, KINDS, PROTOCOL, IdentifyCommand, IdentityAnswer
from tests.firmware.avr_board import AvrBoard
from tests.firmware.conftest import make_firmware
from tests.firmware.emulated import built
from tests.firmware.inspected_board import InspectedBoard
from tests.firmware.toolchains import FIRMWARE, debian

RENEW = "the shipped images are not those of these sources; renew them with: make firmware-release KEY=..."


def test_they_are_signed_by_the_release_key_and_work_with_this_software() -> None:
    manifest = read(SHIPPED)
    check_signature(manifest, RELEASE_KEYS)
    check_software(manifest)
    assert (manifest.protocol, manifest.dictionary) == (PROTOCOL, DICTIONARY), RENEW
    assert manifest.version == ".".join(map(str, VERSION)), RENEW
    assert set(manifest.firmware) == set(KINDS)
    for firmware in manifest.firmware.values():
        check_image(firmware)


def test_they_are_what_the_sources_make_with_the_compiler_of_the_release() -> None:
    made = subprocess.run(
        ["make", "-s", "-C", str(FIRMWARE), "avr", "manifest", f"AVR={debian('gcc-5')}", "BUILD=build/release"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    for kind in KINDS:
        own = FIRMWARE / "build" / "release" / f"{kind}.hex"
        assert own.read_bytes() == SHIPPED.with_name(f"{kind}.hex").read_bytes(), RENEW
    assert (FIRMWARE / "build" / "release" / "manifest.json").read_bytes() == SHIPPED.read_bytes(), RENEW


def test_a_changed_manifest_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "images"
    shutil.copytree(SHIPPED.parent, folder)
    path = folder / SHIPPED.name
    path.write_text(path.read_text().replace('"version": "', '"version": "2'))
    with pytest.raises(FirmwareError, match="it is not a signature of"):
        check_signature(read(path), RELEASE_KEYS)


def test_a_board_reports_the_whole_hash_of_its_image() -> None:
    for kind in KINDS:
        with AvrBoard(kind) as board:
            answer = board.tell(IdentifyCommand())
            assert isinstance(answer, IdentityAnswer)
            image = make_firmware(f"build/{kind}.hex")
            assert image_hash(answer) == image_hash_of(read_image(image.read_bytes(), image.name), image.name)


def test_a_board_with_another_program_that_kept_the_hash_is_taken_at_its_word(tmp_path: Path) -> None:
    # A limit, as docs/threats.md states it.
    honest = built("pusher.elf")
    changed = tmp_path / "pusher.elf"
    (stopped, other) = (bytes.fromhex("f894ffcf"), bytes.fromhex("f8940000"))  # what follows a return from main
    assert honest.read_bytes().count(stopped) == 1
    changed.write_bytes(honest.read_bytes().replace(stopped, other))
    with pytest.raises(FirmwareError, match="its content has"):
        image_hash_of(Program(changed).flash(), "pusher.elf")
    with AvrBoard("pusher", chip=InspectedBoard(honest)) as board:
        certificate = Certificate("pusher-1", "ann", "", {}, {}, {}, reported(board))
    with AvrBoard("pusher", chip=InspectedBoard(changed)) as board:
        assert device_differences(certificate, reported(board)) == []


def reported(board: AvrBoard) -> dict[str, dict[str, str]]:
    """What a certificate holds of a board."""
    answer = board.tell(IdentifyCommand())
    assert isinstance(answer, IdentityAnswer)
    return {"board.pusher": facts("board.pusher", "pusher", answer)}


def test_a_comment_changes_no_build_and_a_number_does(tmp_path: Path) -> None:
    def builds(here: str, instead: str) -> str:
        folder = tmp_path / "firmware"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(FIRMWARE, folder, ignore=shutil.ignore_patterns("build", "fuzz"))
        path = folder / "kinds" / "wheel.c"
        path.write_text(path.read_text().replace(here, instead, 1))
        command = ["make", "-s", "-C", str(folder), "build/wheel.hex", "build/manifest.json"]
        subprocess.run([*command, "KINDS=wheel"], check=True, capture_output=True)
        return str(json.loads((folder / "build" / "manifest.json").read_text())["boards"]["wheel"]["build"])

    plain = json.loads(make_firmware("build/manifest.json").read_text())["boards"]["wheel"]["build"]
    assert builds('#include "kind.h"', '/* kind.h has it all:\n * see there */\n#include "kind.h"') == plain
    flags = "uint8_t kind_flags(void)\n{\n    return "
    assert builds(f"{flags}0;", f"{flags}(uint8_t)(board_ms() == 77U);") != plain
