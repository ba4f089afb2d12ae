"""Firmware is flashed only when it is proven: what a manifest, its images and its signature must be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nacl.signing import SigningKey

from controller.boards.detached_signature import signature_path
from controller.boards.firmware_error import FirmwareError
from controller.boards.firmware_image import (
    ROOM,
    check_image,
    check_signature,
    check_software,
    find,
    image_hash_of,
    read,
    read_image,
    sign,
)
from hal.board.messages import KINDS
from tests.fakes.firmware_build import BUILD, IMAGE, image, make_build, program, record

KEY = SigningKey(b"k" * 32)
PUBLIC = bytes(KEY.verify_key)


def refused(path: Path) -> str:
    """Why the firmware of a path is not taken."""
    with pytest.raises(FirmwareError) as caught:
        manifest, kind = find(path)
        check_software(manifest)
        for firmware in manifest.firmware.values():
            if kind in (None, firmware.kind):
                check_image(firmware)
    return str(caught.value)


def test_a_whole_build_is_taken(tmp_path: Path) -> None:
    manifest = read(make_build(tmp_path))
    check_software(manifest)
    assert set(manifest.firmware) == set(KINDS)
    for kind in KINDS:
        assert check_image(manifest.of(kind)) == (tmp_path / f"{kind}.hex").read_bytes()


def test_a_path_can_be_the_manifest_its_folder_or_an_image(tmp_path: Path) -> None:
    path = make_build(tmp_path)
    assert find(path) == find(tmp_path)
    assert find(path)[1] is None
    manifest, kind = find(tmp_path / "pusher.hex")
    assert (manifest.path, kind) == (path, "pusher")


def test_a_changed_image_is_refused_with_both_hashes(tmp_path: Path) -> None:
    make_build(tmp_path)
    path = tmp_path / "wheel.hex"
    expected = read(tmp_path / "manifest.json").of("wheel").sha256
    path.write_bytes(path.read_bytes().replace(b"0", b"1", 1))
    why = refused(path)
    assert why.startswith(f"{path}: its SHA-256 is ")
    assert f"and the manifest of the wheel firmware has {expected}: it was changed or damaged" in why


def test_an_image_under_another_kinds_name_is_refused(tmp_path: Path) -> None:
    make_build(tmp_path)
    shutil.copy(tmp_path / "wheel.hex", tmp_path / "pusher.hex")
    assert "the manifest of the pusher firmware has" in refused(tmp_path)


def test_firmware_of_a_protocol_that_this_software_does_not_know_is_not_flashed(tmp_path: Path) -> None:
    why = refused(make_build(tmp_path, protocol=1))
    assert "its table firmware is of protocol 1, but this software needs protocol 2 to 3" in why


def test_firmware_that_works_with_newer_software_only_is_not_flashed(tmp_path: Path) -> None:
    path = make_build(tmp_path, protocol=99)
    values = json.loads(path.read_text())
    for board in values["boards"].values():
        board["oldest"] = 98
    path.write_text(json.dumps(values))
    why = refused(path)
    assert "is of protocol 99, which works with hosts of protocol 98 and later, but this software needs" in why


@pytest.mark.parametrize(("key", "value"), [("version", "1.2.3"), ("dictionary", "00C0FFEE"), ("protocol", 99)])
def test_firmware_that_works_with_this_software_is_flashed_whatever_else_it_is(
    tmp_path: Path, key: str, value: Any
) -> None:
    check_software(read(make_build(tmp_path, **{key: value})))


def test_a_build_that_is_not_that_of_the_image_is_refused(tmp_path: Path) -> None:
    path = make_build(tmp_path)
    values = json.loads(path.read_text())
    values["boards"]["wheel"]["build"] = "00C0FFEE" + IMAGE[4:].hex().upper()
    path.write_text(json.dumps(values))
    assert f"its build is {BUILD:08X}, and the manifest says 00C0FFEE" in refused(tmp_path / "wheel.hex")


def test_an_image_that_says_another_build_than_it_is_is_refused() -> None:
    changed = b"\0" + program("wheel")[1:]
    with pytest.raises(FirmwareError, match=f"it says build {BUILD:08X}, and its content has "):
        image_hash_of(changed, "x.hex")
    with pytest.raises(FirmwareError, match="it has no hash of its build"):
        image_hash_of(b"blink", "x.hex")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is not a manifest of firmware"),
        (b"{", "it is not a manifest of firmware"),
        (b"[]", "it is not a manifest of firmware"),
        (b"\xff\xfe", "it is not a manifest of firmware"),
        (b"[" * 5000, "it is not a manifest of firmware"),
        (b'{"version": "1.0.0"}', "it is not a manifest of firmware"),
        (b" " * 300_000, "it is larger than any file of a build"),
    ],
)
def test_what_is_no_manifest_is_named(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "manifest.json"
    path.write_bytes(content)
    assert refused(path).startswith(f"{path}: {why}")


@pytest.mark.parametrize("name", ["../wheel.hex", "/etc/passwd", ".hex", "a/b.hex", ""])
def test_a_manifest_names_only_files_beside_it(tmp_path: Path, name: str) -> None:
    path = make_build(tmp_path)
    values = json.loads(path.read_text())
    values["boards"]["wheel"]["hex"] = name
    path.write_text(json.dumps(values))
    assert "it is not a manifest of firmware" in refused(path)


def test_a_kind_that_there_is_not_is_named(tmp_path: Path) -> None:
    path = make_build(tmp_path)
    values = json.loads(path.read_text())
    values["boards"]["weel"] = values["boards"]["wheel"]
    path.write_text(json.dumps(values))
    assert "it has firmware of kind weel, and there are wheel, table" in refused(path)


def test_a_manifest_without_a_kind_says_which_it_has(tmp_path: Path) -> None:
    path = make_build(tmp_path)
    values = json.loads(path.read_text())
    del values["boards"]["reel"]
    path.write_text(json.dumps(values))
    with pytest.raises(FirmwareError, match="it has no firmware of kind reel; it has wheel, table, pusher"):
        read(path).of("reel")


def test_what_is_missing_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = make_build(tmp_path)
    assert "it cannot be checked" in refused(_renamed(tmp_path / "wheel.hex", "mine.hex"))
    assert "copy it beside its manifest, or make it with: make firmware" in refused(path)
    path.unlink()
    assert "make it with: make firmware" in refused(tmp_path / "mine.hex")
    assert "make it with: make -C firmware pico;" in refused(tmp_path / "rp2040")
    assert "make it with: make -C firmware pico-usb;" in refused(tmp_path / "rp2040_usb")
    assert "make it with: make -C firmware pico2;" in refused(tmp_path / "rp2350")


def _renamed(path: Path, name: str) -> Path:
    return path.rename(path.with_name(name))


# --- images ---------------------------------------------------------------------------------------------------------


def test_an_image_is_read_as_it_was_written() -> None:
    data = bytes(range(200))
    assert read_image(image(data).encode(), "wheel.hex") == data
    assert read_image(image(data).replace("\n", "\r\n").encode(), "wheel.hex") == data


def test_gaps_between_records_are_as_empty_flash() -> None:
    text = record(0, 0, b"a") + record(0, 4, b"b") + record(1, 0, b"")
    assert read_image(text.encode(), "wheel.hex") == b"a\xff\xff\xffb"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "wheel.hex: it has no end"),
        (record(1, 0, b""), "wheel.hex: it has no data"),
        (record(0, 0, b"a"), "wheel.hex: it has no end record"),
        (record(0, 0, b"a") + record(1, 0, b"") + record(0, 0, b"b"), "line 2: data after the end record"),
        (record(0, ROOM - 1, b"ab") + record(1, 0, b""), f"the chip has room for {ROOM} below its bootloader"),
        (record(4, 0, b"\0\1") + record(0, 0, b"a"), "and the chip has room for"),
        (record(9, 0, b"a"), "Intel HEX has no record of type 9"),
        (":00", "line 1: the record should have 0 bytes and has 0"),
        ("1000", "line 1: expected a record such as :10000000…, found '1000'"),
        (":zz", "line 1: expected a record such as"),
        (":é", "line 1: expected a record such as"),
        (record(0, 0, b"a").replace("61", "62"), "line 1: its checksum is wrong; the file was changed"),
        ("\n" * 200_000, "no image for this chip has more than"),
    ],
)
def test_what_is_no_image_is_named_with_its_line(text: str, why: str) -> None:
    with pytest.raises(FirmwareError, match=r"wheel\.hex") as caught:
        read_image(text.encode(), "wheel.hex")
    assert why in str(caught.value)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=300), st.integers(0, 400), st.binary(max_size=3))
def test_any_damage_to_an_image_is_refused_or_changes_nothing(data: bytes, at: int, piece: bytes) -> None:
    content = image(b"x" + data).encode()
    damaged = content[:at] + piece + content[at + len(piece) :]
    try:
        read = read_image(damaged, "wheel.hex")
    except FirmwareError:
        return
    assert len(read) <= ROOM


# --- signatures -----------------------------------------------------------------------------------------------------


def signed(folder: Path) -> Path:
    path = make_build(folder)
    signature_path(path).write_text(sign(read(path), KEY) + "\n")
    return path


def test_a_manifest_is_taken_from_whoever_signed_it(tmp_path: Path) -> None:
    manifest = read(signed(tmp_path))
    other = bytes(SigningKey(b"o" * 32).verify_key)
    check_signature(manifest, [PUBLIC])
    check_signature(manifest, [other, PUBLIC])
    with pytest.raises(FirmwareError, match=f"it is not a signature of manifest.json by {other.hex()}"):
        check_signature(manifest, [other])


def test_a_manifest_that_was_changed_after_it_was_signed_is_refused(tmp_path: Path) -> None:
    path = signed(tmp_path)
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(FirmwareError, match="the manifest was changed since"):
        check_signature(read(path), [PUBLIC])


@pytest.mark.parametrize("content", ["", "00", "zz" * 64, "0" * 128, "ä" * 128])
def test_what_is_no_signature_is_refused(tmp_path: Path, content: str) -> None:
    path = make_build(tmp_path)
    signature_path(path).write_text(content)
    with pytest.raises(FirmwareError, match="it is not a signature"):
        check_signature(read(path), [PUBLIC])


def test_a_manifest_that_nobody_signed_is_refused_where_a_signer_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(FirmwareError, match="it is not signed; the owner of the key"):
        check_signature(read(make_build(tmp_path)), [PUBLIC])


def test_a_signature_of_something_else_by_the_same_key_is_none_of_the_manifest(tmp_path: Path) -> None:
    path = make_build(tmp_path)
    signature_path(path).write_text(bytes(KEY.sign(path.read_bytes()).signature).hex())
    with pytest.raises(FirmwareError, match="it is not a signature"):
        check_signature(read(path), [PUBLIC])
