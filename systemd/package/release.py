"""A release: the packages of a tag, signed, in an apt repository of their own (make release KEY=...).

python -m systemd.package.release KEY [--out build/release]

build/release/0.2.0/           packages, parts, provenance, the changes, SHA256SUMS and its signature
build/release/apt/             the repository, with the packages of earlier releases that are in it
"""

from __future__ import annotations

import argparse
import shutil
import sys
from itertools import product
from pathlib import Path
from typing import Final

from hal.clock import SystemClock, wall_time
from systemd.package.bill import digest
from systemd.package.build import Built, build
from systemd.package.repository import KEYRING, Signer, publish, signer
from systemd.package.systems import MACHINES, ROOT, SYSTEMS, BuildError
from systemd.package.version import CHANGELOG, Version, changes_of, release_tag, unreleased, version

SUMS: Final = "SHA256SUMS"
CHANGES: Final = "CHANGES.md"


def released(root: Path = ROOT) -> Version:
    """The version of the tag at this commit.

    Raises:
        BuildError: there is no tag, something is not committed, or the change log does not have what the tag releases.
    """
    tag = release_tag(root)
    if tag is not None:
        _changes_are_of(tag, root)
    made = version(root)
    if made.changed:
        raise BuildError("something is not committed: git status names it; a release is a commit")
    if tag is None:
        raise BuildError(
            f"the commit has no tag of a release: git tag -s v{made.text.partition('+')[0]}; the number is that of "
            "pyproject.toml, feed/pyproject.toml and of the newest section of CHANGELOG.md"
        )
    return made


def _changes_are_of(tag: str, root: Path) -> None:
    """Refuses a release of which CHANGES.md would say nothing, or not all."""
    number = tag.removeprefix("v")
    heading = f"`## {number} ({wall_time(SystemClock())[:10]})`"
    again = f"commit, and set the tag again (git tag -s -f {tag})"
    entries, line = unreleased(root)
    if entries:
        raise BuildError(
            f'{CHANGELOG}:{line}: {entries} {"entry is" if entries == 1 else "entries are"} under "Unreleased", and '
            f"{tag} would release them without a word: give them the heading {heading}, {again}"
        )
    if not changes_of(number, root):
        raise BuildError(f"{CHANGELOG}: the section of {number} is empty: write what a user notices, {again}")


def assemble(built: list[Built], number: str, made: Version, out: Path, by: Signer) -> Path:
    """Puts a release's files into a folder, and signs what states their hashes."""
    folder = out / number
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in (path for one in built for path in one):
        shutil.copyfile(path, folder / path.name)
    (folder / CHANGES).write_text(f"# Feltwire {number}\n\n{changes_of(number)}\n", encoding="utf-8")
    sums = "".join(f"{digest(path)}  {path.name}\n" for path in sorted(folder.iterdir()))
    (folder / SUMS).write_text(sums, encoding="utf-8")
    by.detached(folder / SUMS, folder / f"{SUMS}.asc")
    by.public(folder / KEYRING)
    publish([one.deb for one in built], out / "apt", made.made, by)
    return folder


def main() -> int:
    """Builds and signs the release of this commit."""
    parser = argparse.ArgumentParser(prog="make release", description="Builds, signs and publishes a release.")
    parser.add_argument("key", help="a file with an exported secret key, or a key of your GnuPG (fingerprint, address)")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "release")
    given = parser.parse_args()
    try:
        if not given.key:
            raise BuildError("give the key: make release KEY=FINGERPRINT, or KEY=FILE with an exported secret key")
        made = released()
        with signer(given.key) as by:
            packages = given.out.resolve() / "packages"
            packages.mkdir(parents=True, exist_ok=True)
            built: list[Built] = []
            for name, arch in product(SYSTEMS, MACHINES):
                one = made._replace(text=made.text + SYSTEMS[name].ending)
                built += build(name, arch, [one], packages, packages, 9)
            folder = assemble(built, made.text, made, given.out.resolve(), by)
            print(f"{folder}: signed by {by.key}")
            print(f"{given.out.resolve() / 'apt'}: the repository; publish both, docs/release.md has how")
    except BuildError as error:
        print(f"make release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
