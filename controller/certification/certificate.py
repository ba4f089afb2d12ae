"""The certificate of a machine: what it was when it was certified, signed, and what differs from it now.

    pusher.toml               the table's file
    pusher.certificate        software, model, boards and devices (TOML), by whom and when
    pusher.certificate.sig    the signature: by the table's key, or by that of `certified_by`

"Identical in all electrical, mechanical and other aspects" (13:47-20.15(d)): so every key that touches play counts, and
every wire. What differs is named by its place and both values.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec
from nacl.signing import SigningKey

from controller.boards.detached_signature import SignedFileError, read_signed, toml_value, write_signed
from controller.calibration.movements import places_of
from controller.certification.software import installed_files, libraries
from controller.configuration.values import TableConfig
from controller.games.base.spec import spec_of
from hal.plain_text import plain

_DOMAIN: Final = b"feltwire certificate\0"
"""The prefix of signed data: no other signature by the same key is valid for a certificate."""
SUFFIX: Final = ".certificate"
MOST_BYTES: Final = 1 << 20
"""A longer file is not a certificate (ours)."""
LEAST_HASH_BITS: Final = 128
"""By this many bits at least a program is named (OAC 325:85-15-21)."""
NAMED: Final = 6
"""This many differences are named; of more, how many there are (ours)."""

Facts = Mapping[str, Mapping[str, str]]
"""Of each board and device, what it reports of itself."""


class CertificateError(Exception):
    """A certificate that cannot be read or written; the message names the file, the cause and what to do."""


class Certificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a machine is."""

    table: str
    by: str
    time: str
    """Wall time, UTC."""
    model: dict[str, str]
    """What touches play, by its place in the file: `options.play_s`."""
    libraries: dict[str, str]
    files: dict[str, str]
    """SHA-256 of each file of the software."""
    devices: dict[str, dict[str, str]] = {}
    """Boards and devices, and what they report of themselves."""
    packages: dict[str, dict[str, str]] = {}
    """The packages of others that the table uses: version, and a SHA-256 over every file."""


class CertificateState(NamedTuple):
    """The state of a table's certificate."""

    kind: Literal["not needed", "waived", "there", "missing"]
    words: str
    certificate: Certificate | None = None


NOT_NEEDED: Final = CertificateState("not needed", "its devices are simulated")


def certificate_path(config: TableConfig) -> Path:
    """The file of a table's certificate."""
    return Path(config.file).with_suffix(SUFFIX)


def is_machine(config: TableConfig) -> bool:
    """Whether the rules want the table identical to a certified model."""
    return spec_of(config).model is not None


def certificate_of(config: TableConfig, signer: bytes) -> CertificateState:
    """The state of a table's certificate; `signer` is the public half of the table's key.

    A machine with simulated devices needs none; where it has one, it is compared all the same.
    """
    path = certificate_path(config)
    if not is_machine(config) or (config.simulated and not path.exists()):
        return NOT_NEEDED
    if config.table.certificate == "waived":
        return CertificateState("waived", 'waived by certificate = "waived" in the file: nothing of it is compared')
    try:
        made = read(path, bytes.fromhex(config.table.certified_by) if config.table.certified_by else signer)
    except CertificateError as error:
        remedy = f"put the right files back, or stop the service and run feltwire certify {config.file}"
        return CertificateState("missing", f"{error}; {remedy}")
    if made.table != config.id:
        return CertificateState("missing", f"{path}: it is of table {made.table}, not of {config.id}")
    return CertificateState("there", plain(f"by {made.by}, {made.time}"), made)


# --- what it is, and what differs -------------------------------------------------------------------------------------


def model_of(config: TableConfig) -> dict[str, str]:
    """What of the file touches play, by its place, and where the wires of each device go."""
    model = spec_of(config).model
    values = dict(_flat("", {} if model is None else model(config)))
    values["lines.backend"] = config.lines.backend
    for name, board in sorted(config.boards.items()):
        values |= _flat(f"boards.{name}", msgspec.to_builtins(board))
    for _, device in sorted(config.devices.items()):
        for line, place in places_of(config, device).items():
            values[f"wires.{line}"] = msgspec.json.encode(place).decode()
    return values


def _flat(place: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _flat(f"{place}.{key}" if place else str(key), one)
    else:
        yield place, msgspec.json.encode(value).decode()


def made_now(config: TableConfig, devices: Facts, *, by: str, time: str) -> Certificate:
    """The certificate of a machine as it is now."""
    known = {name: dict(facts) for name, facts in sorted(devices.items())}
    return Certificate(
        config.id, by, time, model_of(config), libraries(), dict(installed_files()), known, packages_of(config)
    )


def packages_of(config: TableConfig) -> dict[str, dict[str, str]]:
    """The packages of others that a table uses, as its certificate has them."""
    return {one.name: {"version": one.version, "sha256": one.sha256} for one in config.packages}


def model_differences(certificate: Certificate, config: TableConfig) -> list[str]:
    """What of the file differs, and of the packages that it names."""
    found = _differences("", certificate.model, model_of(config))
    certified, now = certificate.packages, packages_of(config)
    for name in sorted({*certified, *now}):
        found += _differences(f"package {name}: ", certified.get(name, {}), now.get(name, {}))
    return found


def software_differences(certificate: Certificate, files: Mapping[str, str]) -> list[str]:
    """What of the software differs."""
    found = _differences("library ", certificate.libraries, libraries())
    for name in sorted({*certificate.files, *files}):
        if name not in files:
            found.append(f"file {name} is gone")
        elif name not in certificate.files:
            found.append(f"file {name} was added")
        elif files[name] != certificate.files[name]:
            found.append(f"file {name} was changed")
    return found


def device_differences(certificate: Certificate, devices: Facts) -> list[str]:
    """What differs of the boards and devices that have reported who they are."""
    found: list[str] = []
    for name, facts in sorted(devices.items()):
        certified = certificate.devices.get(name)
        if certified is None:
            found.append(f"{name} is not in the certificate")
        else:
            found += _differences(f"{name}: ", certified, facts)
    return found


def _differences(what: str, certified: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return [
        f"{what}{key} was {certified.get(key, 'not there')}, is {now.get(key, 'not there')}"
        for key in sorted({*certified, *now})
        if certified.get(key) != now.get(key)
    ]


def too_short_hashes(devices: Facts) -> list[str]:
    """The boards whose image is named by fewer than `LEAST_HASH_BITS`: their firmware is from before protocol 3."""
    bits = {name: 4 * len(facts["hash"]) for name, facts in devices.items() if "hash" in facts}
    return [
        f"{name} reports {found} bits of the hash of its image, and a certificate takes {LEAST_HASH_BITS} or more "
        "(OAC 325:85-15-21): flash its firmware with feltwire boards flash"
        for name, found in sorted(bits.items())
        if found < LEAST_HASH_BITS
    ]


def difference_words(differences: list[str]) -> str:
    """Differences in one sentence."""
    more = f", and {len(differences) - NAMED} more" if len(differences) > NAMED else ""
    return f"it is not what was certified: {'; '.join(differences[:NAMED])}{more}"


# --- the files --------------------------------------------------------------------------------------------------------


def read(path: Path, signer: bytes) -> Certificate:
    """A certificate that this key signed as it is.

    Raises:
        CertificateError: there is none, it cannot be read, or it is not signed by this key.
    """
    try:
        content = read_signed(_DOMAIN, path, signer, MOST_BYTES)
        return msgspec.convert(tomllib.loads(content.decode("utf-8")), Certificate)
    except SignedFileError as error:
        raise CertificateError(str(error)) from error
    except (ValueError, msgspec.ValidationError, RecursionError) as error:
        raise CertificateError(f"{path}: it is not a certificate ({error})") from error


def write(path: Path, made: Certificate, key: SigningKey) -> None:
    """Writes a certificate and its signature.

    Raises:
        CertificateError: one of the two cannot be written.
    """
    try:
        write_signed(_DOMAIN, path, _toml(made).encode("utf-8"), key)
    except SignedFileError as error:
        raise CertificateError(str(error)) from error


def _toml(made: Certificate) -> str:
    rows = ["# Written and signed by feltwire certify: a change by hand makes it void."]
    rows += [f"{key} = {toml_value(getattr(made, key))}" for key in ("table", "by", "time")]
    sections = {"model": made.model, "libraries": made.libraries, "files": made.files}
    sections |= {f"devices.{toml_value(name)}": facts for name, facts in made.devices.items()}
    sections |= {f"packages.{toml_value(name)}": facts for name, facts in made.packages.items()}
    for name, values in sections.items():
        rows += ["", f"[{name}]", *(f"{toml_value(key)} = {toml_value(value)}" for key, value in values.items())]
    return "\n".join(rows) + "\n"
