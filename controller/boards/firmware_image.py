"""The manifest of a firmware build, its images, and the checks of both.

    manifest.json        version, protocol, dictionary, tools, and of each kind the file, its SHA-256 and its build;
                         the chip, where that is not an ATmega328P
    wheel.hex ...        the images, one for each kind; wheel.uf2 ... for a Pico
    manifest.json.sig    an Ed25519 signature over the manifest, in hexadecimal; builds of one's own need none

The manifest authenticates the images, and the signature the manifest. The images that come with this software are
signed by the release key, and are what is flashed where no other file is given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta
from nacl.signing import SigningKey

from controller.boards import uf2
from controller.boards.detached_signature import signature_path, signature_text, signed_by_any
from controller.boards.firmware_error import FirmwareError
from hal.board.chips import ATMEGA328P, PICOS
from hal.board.identity import protocol_refusal
from hal.board.messages import KINDS

MANIFEST: Final = "manifest.json"
SHIPPED: Final = Path(__file__).with_name("images") / MANIFEST
"""The manifest of the images that come with this software (made by `make firmware-release`)."""
RELEASE_KEYS: Final = (bytes.fromhex("5eec8e9878373bffac2574d550a2578378f0235517c202b84c4a1b1542f7aa43"),)
"""Public keys that sign these images."""

BUILD_MARK: Final = b"FWBUILD\x02"
"""In an image, the SHA-256 that names it is behind it (docs/wire.md)."""
_HASH_BYTES: Final = 32

_DOMAIN: Final = b"feltwire firmware\0"
"""The prefix of signed data: no other signature by the same key is valid for a manifest."""
_MOST_BYTES: Final = 256 * 1024
"""No file of a build is larger (ours)."""

Hash32 = Annotated[str, Meta(pattern=r"\A[0-9A-Fa-f]{8}\Z")]


class _ManifestBoard(msgspec.Struct, frozen=True):
    """The entry of one kind of board."""

    hex: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-][A-Za-z0-9_.-]*\Z", max_length=64)]
    sha256: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    build: Annotated[str, Meta(pattern=r"\A[0-9A-F]{64}\Z")]
    oldest: int
    flash: int
    ram: int


class _Manifest(msgspec.Struct, frozen=True):
    """The content of the file."""

    version: Annotated[str, Meta(pattern=r"\A\d{1,3}\.\d{1,3}\.\d{1,3}\Z")]
    protocol: int
    dictionary: Hash32
    toolchain: dict[str, str]
    boards: dict[str, _ManifestBoard]
    chip: Literal["atmega328p", "rp2040", "rp2040_usb", "rp2350"] = "atmega328p"


class Firmware(NamedTuple):
    """The firmware of one kind of board, from its manifest."""

    kind: str
    path: Path
    sha256: str
    version: str
    image: bytes
    """The SHA-256 that its image has in it, and its board reports."""
    oldest: int
    """The oldest protocol whose hosts it works with."""
    chip: str = ATMEGA328P.name
    """The chip that it is for."""

    @property
    def build(self) -> str:
        """The number by which people name it: how that hash begins."""
        return build_number(self.image)

    @property
    def version_numbers(self) -> tuple[int, int, int]:
        """Major, minor, patch."""
        major, minor, patch = map(int, self.version.split("."))
        return major, minor, patch


class Manifest(NamedTuple):
    """A manifest that was read."""

    path: Path
    content: bytes
    version: str
    protocol: int
    dictionary: int
    firmware: Mapping[str, Firmware]
    """By kind."""

    def of(self, kind: str) -> Firmware:
        """The firmware of one kind.

        Raises:
            FirmwareError: the manifest has none.
        """
        if kind not in self.firmware:
            raise FirmwareError(f"{self.path}: it has no firmware of kind {kind}; it has {', '.join(self.firmware)}")
        return self.firmware[kind]


def find(path: Path) -> tuple[Manifest, str | None]:
    """The manifest for a path to a manifest, a folder or an image; and the kind of the image, if it is one.

    Raises:
        FirmwareError: there is no valid manifest, or it does not list the image.
    """
    if path.suffix.lower() in (".hex", uf2.SUFFIX):
        manifest = read(path.with_name(MANIFEST))
        kind = next((each.kind for each in manifest.firmware.values() if each.path.name == path.name), None)
        if kind is None:
            known = ", ".join(each.path.name for each in manifest.firmware.values())
            raise FirmwareError(f"{path}: {manifest.path} does not list it, only {known}; it cannot be checked")
        return manifest, kind
    return read(path / MANIFEST if path.is_dir() else path), None


def read(path: Path) -> Manifest:
    """Reads a manifest.

    Raises:
        FirmwareError: it is not there, or it is not a manifest.
    """
    content = _bytes(path, f"{_make(path)}; images are flashed only with the manifest beside them")
    try:
        given = msgspec.json.decode(content, type=_Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FirmwareError(f"{path}: it is not a manifest of firmware ({error}); {_make(path)}") from error
    unknown = sorted(set(given.boards) - set(KINDS))
    if unknown:
        raise FirmwareError(f"{path}: it has firmware of kind {unknown[0]}, and there are {', '.join(KINDS)}")
    firmware = {
        kind: Firmware(
            kind,
            path.with_name(board.hex),
            board.sha256,
            given.version,
            bytes.fromhex(board.build),
            board.oldest,
            given.chip,
        )
        for kind, board in given.boards.items()
    }
    return Manifest(path, content, given.version, given.protocol, int(given.dictionary, 16), firmware)


def _make(path: Path, chip: str = "") -> str:
    """What builds a file: the images of a Pico are in a folder of its chip's name."""
    of = next((pico for pico in PICOS if pico in (chip, *path.parts)), "")
    return f"make it with: make {uf2.TARGETS[of] if of else 'firmware'}"


def check_software(manifest: Manifest) -> None:
    """Checks that this software can work with a board that has this firmware.

    Raises:
        FirmwareError: it is of a protocol that this software does not know; with the values of both sides.
    """
    for firmware in manifest.firmware.values():
        strange = protocol_refusal(KINDS[firmware.kind], manifest.protocol, firmware.oldest)
        if strange is not None:
            ours, theirs = strange
            raise FirmwareError(
                f"{manifest.path}: its {firmware.kind} firmware is of {theirs}, but this software needs {ours}: a "
                "board with it would be refused; give no --file, for the images that come with this software"
            )


def check_image(firmware: Firmware) -> bytes:
    """The content of an image file after all checks.

    Raises:
        FirmwareError: it is not there, it differs from the manifest, or it is not an image.
    """
    content = _bytes(firmware.path, f"copy it beside its manifest, or {_make(firmware.path, firmware.chip)}")
    found = hashlib.sha256(content).hexdigest()
    if found != firmware.sha256:
        raise FirmwareError(
            f"{firmware.path}: its SHA-256 is {found}, and the manifest of the {firmware.kind} firmware has "
            f"{firmware.sha256}: it was changed or damaged; copy or build it again"
        )
    name = str(firmware.path)
    image = image_hash_of(
        uf2.read_uf2(content, name, firmware.chip) if firmware.chip in PICOS else read_image(content, name), name
    )
    if image != firmware.image:
        raise FirmwareError(
            f"{firmware.path}: its build is {build_number(image)}, and the manifest says {firmware.build}; copy or "
            "build both again"
        )
    return content


def image_hash_of(image: bytes, name: str) -> bytes:
    """The SHA-256 that an image has in it, and that names its content; `name` is the file name for errors.

    Raises:
        FirmwareError: it has none, or that of another content.
    """
    if image.count(BUILD_MARK) != 1:
        raise FirmwareError(
            f"{name}: it has no hash of its build, so it is not firmware of this project, or is from before protocol "
            "3; give the right file"
        )
    at = image.index(BUILD_MARK) + len(BUILD_MARK)
    found = hashlib.sha256(image[:at] + bytes(_HASH_BYTES) + image[at + _HASH_BYTES :]).digest()
    stated = image[at : at + _HASH_BYTES]
    if stated != found:
        raise FirmwareError(
            f"{name}: it says build {build_number(stated)}, and its content has {build_number(found)}; copy or build "
            "it again"
        )
    return found


def build_number(image: bytes) -> str:
    """The number of the image with this hash, as people read it: its first 32 bits."""
    return image[:4].hex().upper()


def sign(manifest: Manifest, key: SigningKey) -> str:
    """The signature of a manifest, in hexadecimal."""
    return signature_text(_DOMAIN, manifest.content, key)


def check_signature(manifest: Manifest, signers: Sequence[bytes]) -> None:
    """Checks that one of these public keys signed the manifest as it is.

    Raises:
        FirmwareError: it is not signed, signed by another key, or changed since.
    """
    path = signature_path(manifest.path)
    content = _bytes(path, "it is not signed; the owner of the key signs it with feltwire boards sign")
    try:
        signature = bytes.fromhex(content.decode("ascii").strip())
    except ValueError as error:
        raise FirmwareError(f"{path}: it is not a signature: expected 128 hexadecimal digits; copy it again") from error
    if not signed_by_any(_DOMAIN, manifest.content, signature, signers):
        keys = " or ".join(signer.hex() for signer in signers)
        raise FirmwareError(
            f"{path}: it is not a signature of {manifest.path.name} by {keys}: the manifest was changed since, or "
            "another key signed it; flash nothing of it"
        )


def _bytes(path: Path, fix: str) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise FirmwareError(f"{path}: it cannot be read ({error.strerror}); {fix}") from error
    if len(content) > _MOST_BYTES:
        raise FirmwareError(f"{path}: it is larger than any file of a build; give the right one")
    return content


# The image in a file, which is Intel HEX: records of bytes, each with its address and checksum


ROOM: Final = 30 * 1024
"""Bytes of the chip's flash below its bootloader: 32 KiB less the larger of the two bootloaders of these boards."""
MOST_BYTES: Final = 4 * ROOM
"""A longer file is not an image for this chip (ours): Intel HEX has less than three characters for each byte."""

_DATA, _END, _SEGMENT_BASE, _SEGMENT_START, _LINEAR_BASE, _LINEAR_START = range(6)


def read_image(content: bytes, name: str) -> bytes:
    """The bytes from address 0 on, with 0xFF in the gaps; `name` is the file name for errors.

    Raises:
        FirmwareError: it is not Intel HEX, it is cut off or changed, or it does not fit into the chip.
    """
    if len(content) > MOST_BYTES:
        raise FirmwareError(
            f"{name}: it has {len(content)} bytes, and no image for this chip has more than {MOST_BYTES}"
        )
    image = bytearray(b"\xff" * ROOM)
    used = base = 0
    lines = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        line = line.rstrip(b"\r ")
        if not line:
            continue
        kind, address, data = _record(line, f"{name}, line {number}")
        if kind == _END:
            if any(rest.strip() for rest in lines[number:]):
                raise FirmwareError(f"{name}, line {number}: data after the end record; build it again")
            if not used:
                raise FirmwareError(f"{name}: it has no data; build it again")
            return bytes(image[:used])
        if kind in (_SEGMENT_BASE, _LINEAR_BASE) and len(data) == 2:
            base = int.from_bytes(data, "big") << (4 if kind == _SEGMENT_BASE else 16)
        elif kind == _DATA:
            begin = base + address
            if begin + len(data) > ROOM:
                raise FirmwareError(
                    f"{name}, line {number}: it goes up to byte {begin + len(data)}, and the chip has room for {ROOM} "
                    "below its bootloader; this is the firmware of another chip"
                )
            image[begin : begin + len(data)] = data
            used = max(used, begin + len(data))
        elif kind not in (_SEGMENT_START, _LINEAR_START):
            raise FirmwareError(f"{name}, line {number}: Intel HEX has no record of type {kind}; build it again")
    raise FirmwareError(f"{name}: it has no end record, so it is cut off; copy or build it again")


def _record(line: bytes, place: str) -> tuple[int, int, bytes]:
    """The type, the address and the bytes of one record."""
    try:
        if not line.startswith(b":"):
            raise ValueError
        raw = bytes.fromhex(line[1:].decode("ascii"))
    except ValueError as error:
        shown = line[:20].decode("ascii", "replace")
        raise FirmwareError(
            f"{place}: expected a record such as :10000000…, found {shown!r}; build it again"
        ) from error
    if len(raw) < 5 or len(raw) != raw[0] + 5:
        raise FirmwareError(
            f"{place}: the record should have {raw[0] if raw else 0} bytes and has {max(len(raw) - 5, 0)}"
        )
    if sum(raw) & 0xFF:
        raise FirmwareError(f"{place}: its checksum is wrong; the file was changed, so copy or build it again")
    return raw[3], int.from_bytes(raw[1:3], "big"), raw[4:-1]
