"""A small apt repository: packages in a pool, an index for each system and architecture, and a signature over all.

    apt/pool/feltwire_0.1.0+deb13_arm64.deb
    apt/dists/trixie/InRelease, Release, Release.gpg
    apt/dists/trixie/main/binary-arm64/Packages, Packages.gz
    apt/feltwire.asc                                            the public key

Packages of earlier releases that are in the pool stay in the index, so that `apt install feltwire=VERSION` goes back.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Final, NamedTuple

from systemd.package.bill import digest
from systemd.package.systems import MACHINES, SYSTEMS, BuildError, run

KEYRING: Final = "feltwire.asc"
COMPONENT: Final = "main"


class Signer(NamedTuple):
    """Signs with one key of one GnuPG folder."""

    home: str
    key: str
    """Its fingerprint."""

    def gpg(self, *words: str) -> str:
        """Runs gpg, which asks nothing on its own."""
        return run(["gpg", "--batch", "--yes", "--quiet", "--local-user", self.key, *words], GNUPGHOME=self.home)

    def detached(self, file: Path, signature: Path) -> None:
        """Writes an armoured signature beside a file."""
        self.gpg("--armor", "--detach-sign", "--output", str(signature), str(file))

    def clear(self, file: Path, signed: Path) -> None:
        """Writes a text with its signature."""
        self.gpg("--clearsign", "--output", str(signed), str(file))

    def public(self, file: Path) -> None:
        """Writes the public key."""
        self.gpg("--armor", "--output", str(file), "--export", self.key)


@contextmanager
def signer(key: str) -> Iterator[Signer]:
    """The signer for a key: a file with an exported secret key, or the name of a key of this user's GnuPG.

    A file's key is read into a folder of its own, which is deleted afterwards.

    Raises:
        BuildError: there is no such secret key.
    """
    if not Path(key).is_file():
        home = os.environ.get("GNUPGHOME", str(Path.home() / ".gnupg"))
        yield Signer(home, _fingerprint(home, key))
        return
    with tempfile.TemporaryDirectory(prefix="feltwire-key-") as home:
        run(["gpg", "--batch", "--quiet", "--import", key], GNUPGHOME=home)
        try:
            yield Signer(home, _fingerprint(home, ""))
        finally:
            run(["gpgconf", "--kill", "all"], GNUPGHOME=home)


def _fingerprint(home: str, key: str) -> str:
    try:
        listed = run(["gpg", "--batch", "--with-colons", "--list-secret-keys", *([key] if key else [])], GNUPGHOME=home)
    except BuildError as error:
        raise BuildError(f"there is no secret key {key!r} to sign with: {error}") from error
    lines = [line.split(":") for line in listed.splitlines()]
    primary = [lines[number + 1][9] for number, line in enumerate(lines) if line[0] == "sec"]
    if len(primary) != 1:
        raise BuildError(f"{len(primary)} secret keys fit {key or 'the file'!r}: give the fingerprint of one")
    return primary[0]


def publish(debs: Sequence[Path], apt: Path, made: datetime, by: Signer) -> None:
    """Adds packages to the pool, and makes and signs the indexes of all that it has."""
    pool = apt / "pool"
    pool.mkdir(parents=True, exist_ok=True)
    for deb in debs:
        shutil.copyfile(deb, pool / deb.name)
        by.detached(pool / deb.name, pool / f"{deb.name}.asc")
    for name, system in SYSTEMS.items():
        suite = apt / "dists" / name
        shutil.rmtree(suite, ignore_errors=True)
        for arch in MACHINES:
            folder = suite / COMPONENT / f"binary-{arch}"
            folder.mkdir(parents=True)
            text = _index(apt, sorted(pool.glob(f"*{system.ending}_{arch}.deb")))
            (folder / "Packages").write_text(text, encoding="utf-8")
            with (folder / "Packages.gz").open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
                packed.write(text.encode())
        release = suite / "Release"
        release.write_text(_release(suite, name, made), encoding="utf-8")
        by.clear(release, suite / "InRelease")
        by.detached(release, suite / "Release.gpg")
    by.public(apt / KEYRING)


def _index(apt: Path, debs: Sequence[Path]) -> str:
    entries = [
        f"{run(['dpkg-deb', '--field', str(deb)]).strip()}\nFilename: {deb.relative_to(apt)}\n"
        f"Size: {deb.stat().st_size}\nSHA256: {digest(deb)}\n"
        for deb in debs
    ]
    return "\n".join(entries)


def _release(suite: Path, name: str, made: datetime) -> str:
    sums = "".join(
        f" {digest(path)} {path.stat().st_size} {path.relative_to(suite)}\n"
        for path in sorted(suite.rglob("Packages*"))
    )
    return (
        f"Origin: Feltwire\nLabel: Feltwire\nSuite: {name}\nCodename: {name}\n"
        f"Date: {format_datetime(made)}\nArchitectures: {' '.join(MACHINES)}\nComponents: {COMPONENT}\n"
        f"Description: Feltwire for {SYSTEMS[name].words}\nSHA256:\n{sums}"
    )
