"""Builds the Debian packages: the software with every wheel it needs, units, manual pages, shell completion.

    python -m systemd.package --system trixie --arch arm64 --out build/deb

A package is for one release of Debian, because wheels with C code are for one minor version of Python. All libraries
are in one folder (`/opt/feltwire/lib`), so that dpkg owns every file and the table's computer needs no network.

The same commit gives the same bytes in any folder, for any user, umask, time zone and language. Other versions of the
tools may give other bytes, so `*.provenance.json` beside each package names them.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
from collections.abc import Sequence
from datetime import datetime
from email.utils import format_datetime
from hashlib import md5
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from systemd.package.bill import NAME as BILL
from systemd.package.bill import bill
from systemd.package.provenance import provenance
from systemd.package.systems import ROOT, SYSTEMS, BuildError, System, run
from systemd.package.third_parties import copyright_file, parts
from systemd.package.version import Version, changes_of, project_number
from systemd.package.wheels import own_wheel, unpack, wheels_of

HERE: Final = Path(__file__).resolve().parent
SYSTEMD: Final = ROOT / "systemd"

LIBRARIES: Final = Path("opt/feltwire/lib")
HELPERS: Final = Path("opt/feltwire/libexec")
DOCS: Final = Path("usr/share/doc/feltwire")
SETTINGS: Final = Path("etc/feltwire")

MODES: Final = {True: 0o755, False: 0o644}
SAME_EVERYWHERE: Final = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "COLUMNS": "80", "DPKG_DEB_THREADS_MAX": "1"}
"""For programs that would otherwise write what this computer prefers; xz packs otherwise with more threads."""


class Built(NamedTuple):
    """A package with what is beside it."""

    deb: Path
    bill: Path
    provenance: Path


def build(
    name: str, arch: str, made: Sequence[Version], out: Path, wheels: Path, level: int, *, compiled: bool = False
) -> list[Built]:
    """Builds the packages of one system and architecture, all with the same content; `compiled`: for this computer.

    Raises:
        BuildError: something it needs is missing.
    """
    system = SYSTEMS[name]
    stage = out / f"stage-{system.minor}-{arch}"
    if stage.exists():
        shutil.rmtree(stage)
    (stage / LIBRARIES).mkdir(parents=True)
    theirs = wheels_of(system, arch, wheels)
    print(f"{system.words}, {arch}: feltwire {', '.join(one.text for one in made)} ...", flush=True)
    own = stage / "wheel"
    own.mkdir()
    for wheel in (*theirs, own_wheel(own, made[0].epoch, compiled=compiled)):
        unpack(wheel, stage / LIBRARIES)
    shutil.rmtree(own)
    _units(stage)
    _command(stage, system)
    _documents(stage)
    built = [_packed(stage, name, arch, one, out, theirs, level, compiled=compiled) for one in made]
    shutil.rmtree(stage)
    return built


def _packed(
    stage: Path,
    name: str,
    arch: str,
    made: Version,
    out: Path,
    wheels: Sequence[Path],
    level: int,
    *,
    compiled: bool,
) -> Built:
    """The package of what is staged, under one version."""
    found = list(parts(stage / LIBRARIES, LIBRARIES))
    (stage / DOCS / "copyright").write_text(copyright_file((HERE / "debian/copyright").read_text(), found))
    text = bill(stage / LIBRARIES, LIBRARIES, found, wheels, SYSTEMS[name], arch, made)
    (stage / DOCS / BILL).write_text(text)
    _changelog(stage, made)
    _control(stage, SYSTEMS[name], arch, made)
    _same_modes_and_times(stage, made.made)
    deb = out / f"feltwire_{made.text}_{arch}.deb"
    part = deb.with_suffix(".part")
    run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{level}", "--build", str(stage), str(part)],
        SOURCE_DATE_EPOCH=str(made.epoch),
        **SAME_EVERYWHERE,
    )
    # One that was interrupted leaves no package.
    part.rename(deb)
    built = Built(deb, deb.with_suffix(".cdx.json"), deb.with_suffix(".provenance.json"))
    built.bill.write_text(text)
    built.provenance.write_text(provenance([deb, built.bill], wheels, name, arch, made, compiled=compiled))
    return built


# --- what is around the libraries -------------------------------------------------------------------------------------

PLACES: Final = {
    "*.service": "usr/lib/systemd/system",
    "*.timer": "usr/lib/systemd/system",
    "*.rules": "usr/lib/udev/rules.d",
    "sysusers.conf": "usr/lib/sysusers.d/feltwire.conf",
    "tmpfiles.conf": "usr/lib/tmpfiles.d/feltwire.conf",
    "*.env": str(SETTINGS),
    "examples/*.conf": str(DOCS / "examples/systemd"),
    "monitoring/*": str(DOCS / "examples/monitoring"),
}
"""Where the files of `systemd/` go."""


def _units(stage: Path) -> None:
    for pattern, place in PLACES.items():
        found = sorted(SYSTEMD.glob(pattern))
        if not found:
            raise BuildError(f"systemd/{pattern}: there is no such file")
        for source in found:
            target = stage / place if place.endswith(".conf") else stage / place / source.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    for source in sorted((SYSTEMD / "libexec").iterdir()):
        target = stage / HELPERS / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o755)


def _command(stage: Path, system: System) -> None:
    """The commands, their manual pages and completion."""
    for place in ("usr/bin/feltwire", "usr/sbin/feltwire-pip"):
        target = stage / place
        target.parent.mkdir(parents=True)
        target.write_text(filled((HERE / target.name).read_text(), system))
        target.chmod(0o755)
    pages = stage / "usr/share/man/man1"
    pages.mkdir(parents=True)
    completions = {
        "bash": stage / "usr/share/bash-completion/completions/feltwire",
        "zsh": stage / "usr/share/zsh/vendor-completions/_feltwire",
        "fish": stage / "usr/share/fish/vendor_completions.d/feltwire.fish",
    }
    run([sys.executable, str(HERE / "manual.py"), str(pages)], PYTHONPATH=str(ROOT), **SAME_EVERYWHERE)
    for shell, path in completions.items():
        path.parent.mkdir(parents=True)
        run(
            [sys.executable, str(HERE / "manual.py"), "--completion", shell, str(path)],
            PYTHONPATH=str(ROOT),
            **SAME_EVERYWHERE,
        )
    administration = stage / "usr/share/man/man8"
    administration.mkdir()
    shutil.copyfile(HERE / "feltwire-pip.8", administration / "feltwire-pip.8")
    for page in [*pages.iterdir(), *administration.iterdir()]:
        _compress(page)


def _documents(stage: Path) -> None:
    docs = stage / DOCS
    for source in sorted(
        [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs/hardware").rglob("*.svg")]
    ):
        target = docs / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    shutil.copytree(
        ROOT / "examples", docs / "examples", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    overrides = stage / "usr/share/lintian/overrides/feltwire"
    overrides.parent.mkdir(parents=True)
    shutil.copyfile(HERE / "debian/lintian-overrides", overrides)


def _changelog(stage: Path, made: Version) -> None:
    changelog = stage / DOCS / "changelog"
    changelog.write_text(
        f"feltwire ({made.text}) stable; urgency=medium\n\n{_changes(made)}\n\n"
        f" -- {_maintainer()}  {format_datetime(made.made)}\n",
        encoding="utf-8",
    )
    _compress(changelog)


def _changes(made: Version) -> str:
    """What the change log has of a release, as dpkg's format wants it."""
    if "+git" in made.text:
        return "  * Not a release: built from a commit after the changes of CHANGELOG.md."
    lines = changes_of(project_number()).splitlines()
    return "\n".join(
        f"  * {line[2:]}" if line.startswith("- ") else f"  {line.lstrip('# ')}".rstrip() for line in lines
    )


def _maintainer() -> str:
    found = re.search(r"^Maintainer: (.*)$", (HERE / "debian/control").read_text(), re.MULTILINE)
    if found is None:
        raise BuildError("systemd/package/debian/control: it has no line Maintainer:")
    return found[1]


def _compress(path: Path) -> None:
    target = path.with_name(path.name + ".gz")
    with target.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(path.read_bytes())
    path.unlink()


# --- control --------------------------------------------------------------------------------------------------------


def filled(text: str, system: System) -> str:
    """A script of the package, with what it must know of the system that it is built for."""
    for mark, value in (("@PYTHON@", system.minor), ("@SYSTEM@", system.words)):
        text = text.replace(mark, value)
    return text


def _control(stage: Path, system: System, arch: str, made: Version) -> None:
    control = stage / "DEBIAN"
    control.mkdir(exist_ok=True)
    size = sum(-(-path.lstat().st_size // 1024) for path in stage.rglob("*") if not path.is_dir())
    values = {
        "version": made.text,
        "arch": arch,
        "size": str(size),
        "python": system.minor,
        "next_python": f"3.{int(system.minor.removeprefix('3.')) + 1}",
        "system": system.words,
    }
    (control / "control").write_text(Template((HERE / "debian/control").read_text()).substitute(values))
    for script in ("preinst", "postinst", "prerm", "postrm"):
        text = filled((HERE / "debian" / script).read_text(), system).replace("@VERSION@", made.text)
        (control / script).write_text(text)
        (control / script).chmod(0o755)
    conffiles = sorted(f"/{path.relative_to(stage)}" for path in (stage / SETTINGS).rglob("*") if path.is_file())
    (control / "conffiles").write_text("".join(f"{path}\n" for path in conffiles))
    sums = []
    for path in sorted(stage.rglob("*")):
        name = path.relative_to(stage)
        if path.is_file() and name.parts[0] not in ("DEBIAN", "etc"):
            digest = md5(path.read_bytes(), usedforsecurity=False).hexdigest()
            sums.append(f"{digest}  {name}\n")
    (control / "md5sums").write_text("".join(sums))


def _same_modes_and_times(stage: Path, made: datetime) -> None:
    """The same input gives the same package, whatever umask and clock built it."""
    for path in [*stage.rglob("*"), stage]:
        if path.is_dir():
            path.chmod(0o755)
        elif not path.is_symlink():
            own = path.stat().st_mode & 0o100 and (
                path.parent.name in ("bin", "sbin", "DEBIAN", "libexec") and not path.is_relative_to(stage / LIBRARIES)
            )
            path.chmod(MODES[bool(own)])
        os.utime(path, (made.timestamp(), made.timestamp()), follow_symlinks=False)
