"""A release is signed, its repository serves apt, and nothing that was changed afterwards is taken."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from systemd.package.build import Built
from systemd.package.release import SUMS, assemble
from systemd.package.repository import KEYRING, Signer, signer
from systemd.package.systems import MACHINES, ROOT, SYSTEMS, BuildError
from systemd.package.version import Version, project_number
from tests.fakes.time_limits import HANG_S

pytestmark = pytest.mark.long
"""Some ten seconds together: keys are made, and apt is run."""

MADE = datetime(2026, 1, 31, 12, tzinfo=UTC)


def secret_key(folder: Path) -> Path:
    """A file with the secret half of a key that is nobody's."""
    subprocess.run(["sh", str(ROOT / "tests/systems/test-key.sh"), str(folder / "secret.asc")], check=True)
    return folder / "secret.asc"


def small_package(folder: Path, number: str, arch: str) -> Built:
    stage = folder / f"stage-{number}-{arch}"
    (stage / "DEBIAN").mkdir(parents=True)
    (stage / "DEBIAN/control").write_text(
        f"Package: feltwire\nVersion: {number}\nArchitecture: {arch}\nMaintainer: x <x@feltwire.invalid>\n"
        "Description: small\n of a test\n"
    )
    deb = folder / f"feltwire_{number}_{arch}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", str(stage), str(deb)], check=True, capture_output=True)
    beside = [deb.with_suffix(ending) for ending in (".cdx.json", ".provenance.json")]
    for path in beside:
        path.write_text("{}\n")
    return Built(deb, *beside)


def packages(folder: Path, number: str) -> list[Built]:
    return [small_package(folder, number + system.ending, arch) for system in SYSTEMS.values() for arch in MACHINES]


@pytest.fixture(scope="module")
def by(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signer]:
    with signer(str(secret_key(tmp_path_factory.mktemp("key")))) as one:
        yield one


@pytest.fixture
def out(tmp_path: Path, by: Signer) -> Path:
    number = project_number()
    assemble(packages(tmp_path, number), number, Version(number, MADE), tmp_path / "out", by)
    return tmp_path / "out"


def apt(folder: Path, system: str, arch: str, repository: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """apt of a computer that knows this repository alone."""
    for name in ("lists/partial", "archives/partial", "etc"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    source = f"deb [signed-by={repository / KEYRING}] file://{repository} {system} main\n"
    (folder / "etc/sources.list").write_text(source)
    options = {
        "Dir::Etc::sourcelist": folder / "etc/sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": folder / "lists",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder,
        "APT::Architecture": arch,
        "APT::Architectures": arch,
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
        "APT::Update::Error-Mode": "any",
    }
    settings = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
    command = ["env", "-C", str(folder), "apt-get", "-q", *settings, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=HANG_S)


@pytest.mark.parametrize(("system", "arch"), [("trixie", "arm64"), ("bookworm", "amd64")])
def test_apt_takes_the_package_of_its_system(system: str, arch: str, out: Path, tmp_path: Path) -> None:
    updated = apt(tmp_path / "apt", system, arch, out / "apt", "update")
    assert (updated.returncode, "NO_PUBKEY" in updated.stderr) == (0, False), updated.stderr
    taken = apt(tmp_path / "apt", system, arch, out / "apt", "download", "feltwire")
    assert taken.returncode == 0, taken.stderr
    (deb,) = (tmp_path / "apt").glob("feltwire_*.deb")
    name = f"feltwire_{project_number()}{SYSTEMS[system].ending}_{arch}.deb"
    assert deb.read_bytes() == (out / "apt/pool" / name).read_bytes()


def test_an_index_that_was_changed_is_refused(out: Path, tmp_path: Path) -> None:
    index = out / "apt/dists/trixie/main/binary-amd64/Packages"
    index.write_text(index.read_text().replace("small", "SMALL"))
    index.with_suffix(".gz").unlink()
    refused = apt(tmp_path / "apt", "trixie", "amd64", out / "apt", "update")
    assert refused.returncode != 0
    assert "Hash Sum mismatch" in refused.stdout + refused.stderr


def test_a_package_that_was_changed_is_refused(out: Path, tmp_path: Path) -> None:
    assert apt(tmp_path / "apt", "trixie", "amd64", out / "apt", "update").returncode == 0
    (deb,) = (out / "apt/pool").glob("*+deb13_amd64.deb")
    deb.write_bytes(deb.read_bytes()[:-1] + b"x")
    refused = apt(tmp_path / "apt", "trixie", "amd64", out / "apt", "download", "feltwire")
    assert refused.returncode != 0
    assert "Hash Sum mismatch" in refused.stdout + refused.stderr


def test_another_key_is_refused(out: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with signer(str(secret_key(tmp_path / "other"))) as other:
        other.public(out / "apt" / KEYRING)
    refused = apt(tmp_path / "apt", "trixie", "amd64", out / "apt", "update")
    assert refused.returncode != 0
    assert "is not signed" in refused.stderr


def test_the_release_before_stays_in_the_repository(out: Path, tmp_path: Path, by: Signer) -> None:
    number = project_number()
    assemble(packages(tmp_path / "later", "9.0.0"), number, Version(number, MADE), out, by)
    assert apt(tmp_path / "apt", "trixie", "amd64", out / "apt", "update").returncode == 0
    back = apt(tmp_path / "apt", "trixie", "amd64", out / "apt", "download", f"feltwire={number}+deb13")
    assert back.returncode == 0, back.stderr


def test_each_file_has_its_hash_under_one_signature(out: Path, by: Signer) -> None:
    folder = out / project_number()
    lines = (line.partition("  ") for line in (folder / SUMS).read_text().splitlines())
    stated = {name: found for found, _, name in lines}
    assert stated == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name not in (SUMS, f"{SUMS}.asc", KEYRING)
    }
    assert len(stated) == 4 * 3 + 1
    by.gpg("--verify", str(folder / f"{SUMS}.asc"), str(folder / SUMS))
    for deb in (out / "apt/pool").glob("*.deb"):
        by.gpg("--verify", f"{deb}.asc", str(deb))
    (folder / SUMS).write_text("0\n")
    with pytest.raises(BuildError, match="BAD signature"):
        by.gpg("--verify", str(folder / f"{SUMS}.asc"), str(folder / SUMS))


def test_a_key_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(tmp_path / "home"))
    with (
        pytest.raises(BuildError, match=r"there is no secret key 'nobody@feltwire\.invalid'"),
        signer("nobody@feltwire.invalid"),
    ):
        raise AssertionError("there is no such key")


def test_no_key_is_refused_at_once() -> None:
    command = [sys.executable, "-m", "systemd.package.release", ""]
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=HANG_S)
    assert refused.returncode == 1
    assert refused.stderr.startswith("make release: give the key: make release KEY=")
