"""What is in a package, and that the same commit gives the same bytes; small wheels are in the place of real ones."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from email.parser import HeaderParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from systemd.package.bill import NAME as BILL
from systemd.package.bill import needed_by
from systemd.package.build import DOCS, LIBRARIES
from systemd.package.systems import ROOT, SYSTEMS, BuildError
from systemd.package.third_parties import STATED, parts
from systemd.package.wheels import LOCK, Distribution, locked_for, unpack
from tests.fakes.time_limits import HANG_S
from tests.fakes.wheels import wheel

if TYPE_CHECKING:
    from cyclonedx.validation.json import JsonStrictValidator

pytestmark = pytest.mark.long
"""Some twenty seconds together: a package is built twice."""

EPOCH = "1764300000"
TEXT = "The text of the licence of {}, {}."
STATED_PARTS: dict[str, Any] = tomllib.loads(STATED.read_text())


def wheels(out: Path, system: str, arch: str) -> None:
    """The folder in which the build finds the wheels of the lock, without a network."""
    locked = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    folder = out / f"wheels-{SYSTEMS[system].minor}-{arch}-{locked}"
    folder.mkdir(parents=True)
    for line in locked_for(SYSTEMS[system], arch, LOCK.read_text()).splitlines():
        if line[:1].isalpha():
            name, version = line.removesuffix(" \\").split("==")
            inside = [one for one in STATED_PARTS["inside"] if one["wheel"] == name]
            files = {one["file"].replace("*", "x"): one["name"] for one in inside}
            info = f"{name.replace('-', '_')}-{version}.dist-info"
            if name not in STATED_PARTS["texts"]:
                files[f"{info}/licenses/LICENSE"] = TEXT.format(name, "itself")
            for one in (one for one in inside if "/" in one["text"]):
                files.setdefault(f"{info}/{one['text']}", TEXT.format(one["name"], name))
            files[f"{name}.data/scripts/{name}"] = "#!python"
            files[f"{name}.data/data/share/man/man1/{name}.1"] = ".TH"
            wheel(folder, name, version, files, "License-Expression: MIT")


def build(checkout: Path, out: Path, **environ: str) -> dict[str, bytes]:
    """Builds a package in a checkout; returns it and what is beside it."""
    wheels(out, "trixie", "arm64")
    words = ["--system", "trixie", "--arch", "arm64", "--level", "0", "--version", "1.0+deb13", "--out", str(out)]
    done = subprocess.run(
        ["sh", "-c", 'umask "$MASK"; exec "$@"', "sh", sys.executable, "-m", "systemd.package", *words],
        cwd=checkout,
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH, **environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], dict[str, bytes], Path]:
    """The files of two builds in two folders, and the unpacked package."""
    folder = tmp_path_factory.mktemp("package")
    copies = [folder / "a", folder / "another folder"]
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    for copy in copies:
        for name in filter(None, tracked):
            target = copy / os.fsdecode(name)
            # The tests and pictures are not of the package.
            if target.relative_to(copy).parts[0] != "tests" and (ROOT / os.fsdecode(name)).is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / os.fsdecode(name), target)
    first = build(copies[0], folder / "one", MASK="022", TZ="UTC", LC_ALL="C.UTF-8", COLUMNS="80")
    second = build(
        copies[1], folder / "two", MASK="077", TZ="Pacific/Auckland", LC_ALL="C", COLUMNS="40", HOME="/nowhere"
    )
    deb = next((folder / "one").glob("*.deb"))
    subprocess.run(["dpkg-deb", "-x", str(deb), str(folder / "unpacked")], check=True)
    return first, second, folder / "unpacked"


def test_the_same_commit_gives_the_same_bytes(twice: tuple[dict[str, bytes], dict[str, bytes], Path]) -> None:
    first, second, _ = twice
    assert sorted(name.partition("arm64")[2] for name in first) == [".cdx.json", ".deb", ".provenance.json"]
    assert {name: hashlib.sha256(body).hexdigest() for name, body in first.items()} == {
        name: hashlib.sha256(body).hexdigest() for name, body in second.items()
    }


def test_each_command_has_its_manual_page(twice: tuple[dict[str, bytes], dict[str, bytes], Path]) -> None:
    for command, section in (("usr/bin/feltwire", 1), ("usr/sbin/feltwire-pip", 8)):
        assert os.access(twice[2] / command, os.X_OK)
        assert (twice[2] / f"usr/share/man/man{section}/{Path(command).name}.{section}.gz").is_file()


def test_every_record_of_a_distribution_names_files_that_are_there(
    twice: tuple[dict[str, bytes], dict[str, bytes], Path],
) -> None:
    libraries = twice[2] / LIBRARIES
    records = list(libraries.glob("*.dist-info/RECORD"))
    assert len(records) > 20
    for record in records:
        named = [row[0] for row in csv.reader(record.read_text().splitlines())]
        assert named, record
        assert [name for name in named if not (libraries / name).is_file()] == [], record
    assert list(libraries.rglob("direct_url.json")) == []


def test_every_third_party_is_named_with_its_text(twice: tuple[dict[str, bytes], dict[str, bytes], Path]) -> None:
    text = (twice[2] / DOCS / "copyright").read_text()
    assert "Copyright (c) 2001-2020 Chris Liechti" in text, "pyserial"
    assert "Portions of avr-libc are Copyright (c) 1999-2004" in text
    assert "libffi - Copyright (c) 1996-2024 Anthony Green" in text
    assert "Copyright 2017 The Barlow Project Authors" in text
    for one in STATED_PARTS["inside"]:
        assert f"the authors of {one['name']}" in text
    # What a page of others needs is in the file, not only named by it.
    assert text.count("\nLicense: ") - 1 == text.count("\nCopyright: ") - 1 > 25
    for stanza in text.split("\n\nFiles: ")[1:]:
        assert len(stanza.partition("License: ")[2].splitlines()) > 1, stanza


def validator() -> JsonStrictValidator:
    """Of the schema of such lists."""
    # Here: its grammars are made when it is imported, which takes longer than to collect fifty files of tests.
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    return JsonStrictValidator(SchemaVersion.V1_6)


def test_the_list_of_parts_is_valid_and_names_wheels_firmware_fonts_and_scripts(
    twice: tuple[dict[str, bytes], dict[str, bytes], Path],
) -> None:
    first, _, unpacked = twice
    (text,) = (body.decode() for name, body in first.items() if name.endswith(".cdx.json"))
    assert (unpacked / DOCS / BILL).read_text() == text
    assert validator().validate_str(text) is None
    document = json.loads(text)
    kinds = [(one["type"], one.get("mime-type")) for one in document["components"]]
    assert {("library", None), ("firmware", None), ("file", "font/woff2"), ("file", "text/javascript")} <= set(kinds)
    libraries = {one["name"]: one for one in document["components"] if one["type"] == "library"}
    assert [one["name"] for one in libraries["pyzmq"]["components"]] == ["libzmq", "libsodium"]
    for one in document["components"]:
        if one["type"] in ("file", "firmware"):
            place = one["name"] if one["type"] == "file" else one["properties"][0]["value"]
            (given,) = (hashed["content"] for hashed in one["hashes"])
            assert hashlib.sha256((unpacked / place).read_bytes()).hexdigest() == given
    # Whoever breaks the document is told.
    document["components"][0]["type"] = "wheel"
    assert validator().validate_str(json.dumps(document)) is not None


def test_where_a_package_comes_from_is_stated_with_the_hash_of_each_input(
    twice: tuple[dict[str, bytes], dict[str, bytes], Path],
) -> None:
    first = twice[0]
    (statement,) = (json.loads(body) for name, body in first.items() if name.endswith(".provenance.json"))
    assert {one["name"]: one["digest"]["sha256"] for one in statement["subject"]} == {
        name: hashlib.sha256(body).hexdigest() for name, body in first.items() if not name.endswith(".provenance.json")
    }
    inputs = statement["predicate"]["buildDefinition"]["resolvedDependencies"]
    assert any(one["name"].startswith("pyzmq-") for one in inputs)
    assert {
        "name": "requirements/package.lock",
        "digest": {"sha256": hashlib.sha256(LOCK.read_bytes()).hexdigest()},
    } in inputs
    assert {"dpkg-deb", "pip", "python"} <= set(statement["predicate"]["runDetails"]["builder"]["version"])


def test_what_a_wheel_needs_is_decided_for_the_processor_of_the_package(tmp_path: Path) -> None:
    about = HeaderParser().parsestr('Requires-Dist: only-arm; platform_machine == "aarch64"\n')
    one = Distribution("any", "1", about, tmp_path)
    assert needed_by(one, SYSTEMS["trixie"], "arm64") == {"only-arm"}
    assert needed_by(one, SYSTEMS["trixie"], "amd64") == set()


def test_a_wheel_without_a_licence_or_its_text_stops_the_build(tmp_path: Path) -> None:
    libraries = tmp_path / "lib"
    unpack(wheel(tmp_path, "mystery", "1.0", {"mystery.py": ""}), libraries)
    with pytest.raises(BuildError, match=r"mystery 1\.0 comes without the text of its licence: put it into"):
        list(parts(libraries, LIBRARIES))
    text = {"mystery-1.1.dist-info/licenses/LICENSE": "do as you like"}
    unpack(wheel(tmp_path, "mystery", "1.1", text, "License: as is"), libraries)
    shutil.rmtree(libraries / "mystery-1.0.dist-info")
    with pytest.raises(BuildError, match=r"the licence 'as is', which is not an SPDX expression"):
        list(parts(libraries, LIBRARIES))


def test_a_wheel_with_files_for_other_places_stops_the_build(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"x-1\.data/data/etc/x\.conf is for a place that the package does not know"):
        unpack(wheel(tmp_path, "x", "1", {"x-1.data/data/etc/x.conf": ""}), tmp_path / "lib")


def test_the_libraries_inside_pyzmq_have_the_stated_versions() -> None:
    import zmq
    from zmq.backend.cython import _zmq

    stated = {one["name"]: one["version"] for one in STATED_PARTS["inside"] if "version" in one}
    assert stated["libzmq"] == zmq.zmq_version()
    import ctypes

    (sodium,) = (Path(_zmq.__file__).parents[3] / "pyzmq.libs").glob("libsodium-*.so*")
    library = ctypes.CDLL(str(sodium))
    library.sodium_version_string.restype = ctypes.c_char_p
    assert stated["libsodium"] == library.sodium_version_string().decode()
