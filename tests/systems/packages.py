"""The packages that systems are tried with: of this checkout, from three places, and of the first release."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from systemd.package.bill import digest
from systemd.package.systems import MACHINES, ROOT, SYSTEMS
from systemd.package.version import version
from tests.systems.report import Report
from tests.systems.roots import CACHE, RootError, run

BUILT: Final = ROOT / "build" / "deb"
FIRST_RELEASE: Final = "1b380786e8de8b14afbf3105749173f1eb2f6d47"
"""The commit of 0.1.0."""
FIRST_NUMBER: Final = "0.1.0"
NOBODY: Final = 65534


@cache
def packages() -> dict[tuple[str, str], Path]:
    """The four packages of this checkout, by system and architecture; built where those of its commit are not there."""
    made = version()
    found = {
        (name, arch): BUILT / f"feltwire_{made.text}{system.ending}_{arch}.deb"
        for name, system in SYSTEMS.items()
        for arch in MACHINES
    }
    # The provenance is written last.
    if made.changed or not all(deb.with_suffix(".provenance.json").exists() for deb in found.values()):
        run(["make", "-s", "-C", str(ROOT), "deb"])
    return found


@cache
def first_release(system: str) -> Path:
    """The package of the first release for this computer's architecture, built by what that commit has."""
    number = f"{FIRST_NUMBER}{SYSTEMS[system].ending}"
    deb = CACHE / "first-release" / f"feltwire_{number}_amd64.deb"
    if not deb.exists():
        deb.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="feltwire-first-") as folder:
            archive = Path(folder) / "commit.tar"
            run(["git", "-C", str(ROOT), "archive", "-o", str(archive), FIRST_RELEASE])
            run(["tar", "-C", folder, "-xf", str(archive)])
            words = [
                "--system",
                system,
                "--arch",
                "amd64",
                "--version",
                number,
                "--level",
                "0",
                "--out",
                f"{folder}/out",
            ]
            run([sys.executable, f"{folder}/systemd/package/build.py", *words])
            shutil.copyfile(f"{folder}/out/{deb.name}", deb)
    return deb


def same_bytes(report: Report) -> None:
    """The four packages, built again in two other places: another folder, user, umask, time zone and language."""
    first = packages()
    wheels = BUILT
    if version().changed:
        raise RootError("something is not committed: a copy of the commit would be something else; git status names it")
    for place, (user, mask, zone, language) in enumerate(
        ((0, "027", "Pacific/Auckland", "tr_TR.UTF-8"), (NOBODY, "077", "America/Caracas", "C")), 2
    ):
        with tempfile.TemporaryDirectory(prefix=f"place {place} ") as folder:
            copy, out = Path(folder) / "checkout", Path(folder) / "out"
            run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(copy)])
            out.mkdir()
            _own(Path(folder), user)
            with report.timed(f"four packages in place {place}"):
                _build(copy, out, wheels, user, mask, TZ=zone, LC_ALL=language, HOME=folder)
            for deb in first.values():
                for path in (deb, deb.with_suffix(".cdx.json"), deb.with_suffix(".provenance.json")):
                    same = digest(path) == digest(out / path.name)
                    report.check(f"{path.name} is the same in place {place} ({zone}, umask {mask}, user {user})", same)


def _build(copy: Path, out: Path, wheels: Path, user: int, mask: str, **environ: str) -> None:
    command = [sys.executable, "-m", "systemd.package", "--out", str(out), "--wheels", str(wheels)]
    # It reads everything, since this computer's Python may be in somebody's home, and writes only what is its own.
    caps = ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]
    become = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", *caps]
    shell = ["sh", "-c", 'umask "$0"; exec "$@"', mask]
    done = subprocess.run(
        [*become, *shell, *command],
        cwd=copy,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RootError(f"building in {copy}: code {done.returncode}\n{done.stderr[-3000:]}")


def _own(folder: Path, user: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, user, user, follow_symlinks=False)


def outcome_line(text: str) -> str:
    """The first line of an outcome that a table prints; empty without one."""
    found = re.search(r"^.*\bOUTCOME\b.*$", text, re.MULTILINE)
    return found[0].strip() if found else ""
