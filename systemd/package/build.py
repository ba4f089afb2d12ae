"""Builds the Debian package: the software with every wheel it needs, units, manual pages, shell completion.

    python systemd/package/build.py --system trixie --arch arm64 --out build/deb

A package is for one release of Debian, because wheels with C code are for one minor version of Python. The wheels are
those of the target, whatever computer builds: nothing is compiled and nothing of the target runs. They are unpacked
into one folder (`/opt/feltwire/lib`), so that dpkg owns every file and the table's computer needs no network.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.message import Message
from email.parser import HeaderParser
from email.utils import format_datetime
from hashlib import sha256
from itertools import product
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from packaging.markers import Marker

ROOT: Final = Path(__file__).resolve().parents[2]
HERE: Final = Path(__file__).resolve().parent
SYSTEMD: Final = ROOT / "systemd"
LOCK: Final = ROOT / "requirements" / "package.lock"

LIBRARIES: Final = Path("opt/feltwire/lib")
HELPERS: Final = Path("opt/feltwire/libexec")
DOCS: Final = Path("usr/share/doc/feltwire")
SETTINGS: Final = Path("etc/feltwire")

MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}
"""The architectures, and what wheels call them."""
GLIBC: Final = ("manylinux_2_34", "manylinux_2_28", "manylinux2014", "manylinux_2_17")
"""Tags of wheels that Debian 12 (glibc 2.36) and 13 (2.41) can load, the best first. All are named: with the old ones
alone, pip chooses an older version of some packages without a word."""
BUILT_HERE: Final = "sdnotify"
"""Has no wheel: pure Python, made into one by pip."""
NOT_NEEDED: Final = ("setuptools", "_distutils_hack", "pkg_resources", "bin", "distutils-precedence.pth")
"""colorzero requires setuptools and imports nothing of it; the scripts in bin name the Python that built them."""

MODES: Final = {True: 0o755, False: 0o644}


class BuildError(Exception):
    """The package cannot be built; the message states why, and what to do."""


class System(NamedTuple):
    """A release of Debian, or of a Raspberry Pi OS made from it."""

    words: str
    python: str
    """The version of its `python3`."""
    ending: str
    """Of the package's version: a package of a newer release is newer, so `apt` takes it as an upgrade."""

    @property
    def minor(self) -> str:
        """The version that wheels with C code are made for: `3.11`."""
        return ".".join(self.python.split(".")[:2])


SYSTEMS: Final = {
    "bookworm": System("Debian 12 (bookworm)", "3.11.2", "+deb12"),
    "trixie": System("Debian 13 (trixie)", "3.13.5", "+deb13"),
}
"""The systems that packages are built for, by the code name in their `/etc/os-release`."""


class Version(NamedTuple):
    """What the package is called, and when its content was made."""

    text: str
    made: datetime


def version() -> Version:
    """The version of the project with the time of the commit, which grows with the history.

    Changes that are not committed are newer than the commit, and are named.
    """
    text = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    made = _git("log", "-1", "--format=%ct")
    if made is None:
        newest = max(path.stat().st_mtime for path in ROOT.rglob("*.py") if ".venv" not in path.parts)
        return Version(text, datetime.fromtimestamp(int(newest), UTC))
    when = datetime.fromtimestamp(int(made), UTC)
    changed = "+changed" if _git("status", "--porcelain", "--untracked-files=no") else ""
    return Version(f"{text}+{when:%Y%m%d.%H%M%S}{changed}", when)


def _git(*arguments: str) -> str | None:
    """What git prints; None outside of a repository."""
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def build(system: System, arch: str, made: Sequence[Version], out: Path, wheels: Path, level: int) -> list[Path]:
    """Builds the packages of one system and architecture, all with the same content; returns their paths.

    Raises:
        BuildError: something it needs is missing.
    """
    stage = out / f"stage-{system.minor}-{arch}"
    if stage.exists():
        shutil.rmtree(stage)
    libraries = stage / LIBRARIES
    shutil.copytree(wheels_of(system, arch, wheels), libraries)
    print(f"{system.words}, {arch}: feltwire {', '.join(one.text for one in made)} ...", flush=True)
    _install_ours(libraries)
    _units(stage)
    _command(stage, system)
    _documents(stage)
    packages = [_packed(stage, system, arch, one, out, level) for one in made]
    shutil.rmtree(stage)
    return packages


def _packed(stage: Path, system: System, arch: str, made: Version, out: Path, level: int) -> Path:
    """The package of what is staged, under one version."""
    _changelog(stage, made)
    _control(stage, system, arch, made)
    _same_modes_and_times(stage, made.made)
    deb = out / f"feltwire_{made.text}_{arch}.deb"
    _run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{level}", "--build", str(stage), str(deb)],
        SOURCE_DATE_EPOCH=_epoch(made),
    )
    return deb


# --- the software ---------------------------------------------------------------------------------------------------


def _pip(*arguments: str) -> None:
    _run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", *arguments])


def wheels_of(system: System, arch: str, out: Path) -> Path:
    """The unpacked wheels of the lock, installed where that was not done before."""
    locked = sha256(LOCK.read_bytes()).hexdigest()[:12]
    libraries = out / f"wheels-{system.minor}-{arch}-{locked}"
    if not libraries.exists():
        print(f"{system.words}, {arch}: wheels of {LOCK.relative_to(ROOT)} ...", flush=True)
        part = libraries.with_name(libraries.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        requirements = libraries.with_name(libraries.name + ".txt")
        requirements.write_text(locked_for(system, arch, LOCK.read_text()))
        _install_wheels(part, system, arch, requirements)
        requirements.unlink()
        _drop(part)
        part.rename(libraries)
    return libraries


def locked_for(system: System, arch: str, lock: str) -> str:
    """The requirements of a lock that a system needs, without their conditions.

    pip decides conditions for the Python that runs it, also where it installs for another one: `typing-extensions`
    would be missing from a package for 3.11 that 3.13 builds.
    """
    target = {
        "implementation_name": "cpython",
        "os_name": "posix",
        "platform_machine": MACHINES[arch],
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "python_full_version": system.python,
        "python_version": system.minor,
        "sys_platform": "linux",
    }
    needed: list[str] = []
    for entry in re.split(r"\n(?=[A-Za-z0-9])", lock):
        first, _, rest = entry.partition("\n")
        name, conditional, condition = first.removesuffix("\\").partition(" ; ")
        if conditional and not Marker(condition).evaluate(target):
            continue
        needed.append(f"{name.rstrip()} \\\n{rest}")
    return "\n".join(needed) + "\n"


def _install_wheels(libraries: Path, system: System, arch: str, requirements: Path) -> None:
    platforms = [f"--platform={tag}_{MACHINES[arch]}" for tag in GLIBC]
    _pip(
        f"--target={libraries}",
        "--no-deps",
        "--only-binary=:all:",
        f"--no-binary={BUILT_HERE}",
        "--require-hashes",
        *platforms,
        f"--python-version={system.minor}",
        "--implementation=cp",
        f"--requirement={requirements}",
    )


def _install_ours(libraries: Path) -> None:
    """Installs the project's own wheel beside the others."""
    wheels = libraries.parent / "wheel"
    _run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"),
            *("--no-build-isolation", f"--wheel-dir={wheels}", str(ROOT)),
        ]
    )
    (wheel,) = wheels.glob("*.whl")
    _pip("--no-deps", f"--target={libraries}", str(wheel))
    shutil.rmtree(wheels)
    # The command of the package is another one (systemd/package/feltwire): this one names the Python that built it.
    shutil.rmtree(libraries / "bin", ignore_errors=True)
    for path in libraries.rglob("direct_url.json"):
        # It names the folder that the wheel came from.
        path.unlink()


def _drop(libraries: Path) -> None:
    """Removes what a table's computer does not need, or what names the computer that built it."""
    for pattern in (*NOT_NEEDED, "setuptools-*.dist-info"):
        for path in libraries.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in libraries.rglob("__pycache__"):
        shutil.rmtree(path)


def distributions(libraries: Path) -> Iterator[tuple[str, str, str]]:
    """Name, version and licence of each distribution below a folder."""
    for path in sorted(libraries.glob("*.dist-info/METADATA")):
        about = HeaderParser().parsestr(path.read_text(encoding="utf-8"))
        yield about["Name"], about["Version"], _licence(about)


def _licence(about: Message) -> str:
    text = about["License-Expression"] or about["License"]
    if text and "\n" not in text and text != "UNKNOWN":
        return str(text)
    classified = [one.rpartition(" :: ")[2] for one in about.get_all("Classifier", []) if one.startswith("License ::")]
    return ", ".join(classified) or "see its files"


# --- what stands around it ------------------------------------------------------------------------------------------

PLACES: Final = {
    "*.service": "usr/lib/systemd/system",
    "*.timer": "usr/lib/systemd/system",
    "*.rules": "usr/lib/udev/rules.d",
    "sysusers.conf": "usr/lib/sysusers.d/feltwire.conf",
    "tmpfiles.conf": "usr/lib/tmpfiles.d/feltwire.conf",
    "*.env": str(SETTINGS),
    "examples/*.conf": str(DOCS / "examples/systemd"),
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
    """The command, its manual pages and its completion."""
    target = stage / "usr/bin/feltwire"
    target.parent.mkdir(parents=True)
    target.write_text(_filled((HERE / "feltwire").read_text(), system))
    target.chmod(0o755)
    pages = stage / "usr/share/man/man1"
    pages.mkdir(parents=True)
    completions = {
        "bash": stage / "usr/share/bash-completion/completions/feltwire",
        "zsh": stage / "usr/share/zsh/vendor-completions/_feltwire",
        "fish": stage / "usr/share/fish/vendor_completions.d/feltwire.fish",
    }
    _run([sys.executable, str(HERE / "manual.py"), str(pages)], PYTHONPATH=str(ROOT))
    for shell, path in completions.items():
        path.parent.mkdir(parents=True)
        _run([sys.executable, str(HERE / "manual.py"), "--completion", shell, str(path)], PYTHONPATH=str(ROOT))
    for page in pages.iterdir():
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
    vendored = "".join(
        f"\nFiles: opt/feltwire/lib/{name}*\nCopyright: the authors of {name} {number}\nLicense: {licence}\n"
        f" The text stands in opt/feltwire/lib/{name.replace('-', '_')}-{number}.dist-info.\n"
        for name, number, licence in distributions(stage / LIBRARIES)
        if name != "feltwire"
    )
    (docs / "copyright").write_text((HERE / "debian/copyright").read_text() + vendored)
    overrides = stage / "usr/share/lintian/overrides/feltwire"
    overrides.parent.mkdir(parents=True)
    shutil.copyfile(HERE / "debian/lintian-overrides", overrides)


def _changelog(stage: Path, made: Version) -> None:
    changelog = stage / DOCS / "changelog"
    changelog.write_text(
        f"feltwire ({made.text}) stable; urgency=medium\n\n"
        "  * Built from this state of the project; its history lists the changes.\n\n"
        f" -- {_maintainer()}  {format_datetime(made.made)}\n"
    )
    _compress(changelog)


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


def _filled(text: str, system: System) -> str:
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
        text = _filled((HERE / "debian" / script).read_text(), system).replace("@VERSION@", made.text)
        (control / script).write_text(text)
        (control / script).chmod(0o755)
    conffiles = sorted(f"/{path.relative_to(stage)}" for path in (stage / SETTINGS).rglob("*") if path.is_file())
    (control / "conffiles").write_text("".join(f"{path}\n" for path in conffiles))
    sums = []
    for path in sorted(stage.rglob("*")):
        name = path.relative_to(stage)
        if path.is_file() and name.parts[0] not in ("DEBIAN", "etc"):
            digest = subprocess.run(["md5sum", path], capture_output=True, text=True, check=True).stdout.split()[0]
            sums.append(f"{digest}  {name}\n")
    (control / "md5sums").write_text("".join(sums))


def _same_modes_and_times(stage: Path, made: datetime) -> None:
    """The same input gives the same package, whatever umask and clock built it."""
    for path in [*stage.rglob("*"), stage]:
        if path.is_dir():
            path.chmod(0o755)
        elif not path.is_symlink():
            own = path.stat().st_mode & 0o100 and (
                path.is_relative_to(stage / "usr/bin") or path.parent.name in ("DEBIAN", "libexec")
            )
            path.chmod(MODES[bool(own)])
        os.utime(path, (made.timestamp(), made.timestamp()), follow_symlinks=False)


def _epoch(made: Version) -> str:
    return str(int(made.made.timestamp()))


def _run(command: list[str], **environ: str) -> None:
    try:
        done = subprocess.run(command, env={**os.environ, **environ}, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise BuildError(f"{command[0]} is missing; install it with: sudo apt install dpkg") from error
    if done.returncode:
        raise BuildError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def main() -> int:
    """Builds what the command line names."""
    parser = argparse.ArgumentParser(description="Builds the Debian packages: one for each system and architecture.")
    parser.add_argument("--system", action="append", choices=[*SYSTEMS], help="all without it")
    parser.add_argument("--arch", action="append", choices=[*MACHINES], help="both without it")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "deb")
    parser.add_argument("--level", type=int, default=6, help="of compression, 0 to 9; tests want it fast")
    parser.add_argument("--wheels", type=Path, help="where unpacked wheels are kept; without it, beside the packages")
    parser.add_argument("--version", action="append", help="other version numbers, for tests of upgrades; repeat")
    given = parser.parse_args()
    if given.version and len(given.system or SYSTEMS) != 1:
        parser.error("--version needs one --system: the packages of two would have the same name")
    made = version()
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    try:
        for name, arch in product(given.system or SYSTEMS, given.arch or MACHINES):
            system = SYSTEMS[name]
            versions = [made._replace(text=number) for number in given.version or [made.text + system.ending]]
            for deb in build(system, arch, versions, out, given.wheels or out, given.level):
                print(f"{deb} ({deb.stat().st_size / 1e6:.1f} MB)")
    except BuildError as error:
        print(f"package: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
