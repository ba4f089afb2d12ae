"""The libraries of a package: wheels of the lock for a system and architecture, and their files in one folder.

The wheels are those of the target, whatever computer builds: nothing is compiled and nothing of the target runs. They
are unpacked as their authors packed them, without what an installer adds (the folder that it came from, scripts that
name its Python), so that the same wheels give the same files anywhere.
"""

from __future__ import annotations

import csv
import fcntl
import io
import os
import re
import shutil
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from email.message import Message
from email.parser import HeaderParser
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from packaging.markers import Marker
from packaging.utils import canonicalize_name

from controller.packages.compiled import PLAIN, code
from controller.packages.files import ROOT as RUNS
from systemd.package import compiled as compiled_modules
from systemd.package.compiled import ASKED
from systemd.package.systems import MACHINES, ROOT, BuildError, System, run

LOCK: Final = ROOT / "requirements" / "package.lock"

GLIBC: Final = ("manylinux_2_34", "manylinux_2_28", "manylinux2014", "manylinux_2_17")
"""Tags of wheels that Debian 12 (glibc 2.36) and 13 (2.41) can load, the best first. All are named: with the old ones
alone, pip chooses an older version of some packages without a word."""
COPY: Final = ROOT / "build" / "compiled"
"""The packages as a compiled wheel has them."""
BUILT_HERE: Final = ("sdnotify",)
"""Has no wheel: pure Python, made into one by the setuptools of the lock."""
OF_COMMANDS: Final = ("scripts/", "data/share/man/")
"""What a wheel has for commands of its own, which the package does not install."""
NOT_NEEDED: Final = ("setuptools",)
"""colorzero requires it, and imports nothing of it."""


class Distribution(NamedTuple):
    """A distribution in the folder of libraries."""

    name: str
    version: str
    about: Message
    """Its METADATA."""
    folder: Path
    """Its `.dist-info`."""

    @property
    def purl(self) -> str:
        """The name that bills of materials give it."""
        return f"pkg:pypi/{canonicalize_name(self.name)}@{self.version}"


def pip(*arguments: str, epoch: int = 0, **environ: str) -> None:
    """Runs pip, which installs nothing here."""
    # The oldest time that a zip archive knows is in 1980.
    run(
        [sys.executable, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check"],
        SOURCE_DATE_EPOCH=str(max(epoch, 315_532_800)),
        **environ,
    )


def wheels_of(system: System, arch: str, out: Path, lock: Path = LOCK) -> list[Path]:
    """The wheels of the lock, downloaded where that was not done before."""
    locked = sha256(lock.read_bytes()).hexdigest()[:12]
    folder = out / f"wheels-{system.minor}-{arch}-{locked}"
    if not folder.exists():
        print(f"{system.words}, {arch}: wheels of {lock.name} ...", flush=True)
        part = folder.with_name(folder.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        requirements = folder.with_name(folder.name + ".txt")
        requirements.write_text(locked_for(system, arch, lock.read_text()))
        _download(part, system, arch, requirements)
        requirements.unlink()
        part.rename(folder)
    return sorted(folder.glob("*.whl"))


def locked_for(system: System, arch: str, lock: str) -> str:
    """The requirements of a lock that a system needs, without their conditions.

    pip decides conditions for the Python that runs it, also where it downloads for another one: `typing-extensions`
    would be missing from a package for 3.11 that 3.13 builds.
    """
    target = system.markers(arch)
    needed: list[str] = []
    for entry in re.split(r"\n(?=[A-Za-z0-9])", lock):
        first, _, rest = entry.partition("\n")
        name, conditional, condition = first.removesuffix("\\").partition(" ; ")
        if name.partition("==")[0] in NOT_NEEDED or (conditional and not Marker(condition).evaluate(target)):
            continue
        needed.append(f"{name.rstrip()} \\\n{rest}")
    return "\n".join(needed) + "\n"


def _download(folder: Path, system: System, arch: str, requirements: Path) -> None:
    pip(
        "download",
        f"--dest={folder}",
        "--no-deps",
        "--only-binary=:all:",
        f"--no-binary={','.join(BUILT_HERE)}",
        "--no-build-isolation",
        "--require-hashes",
        *(f"--platform={tag}_{MACHINES[arch]}" for tag in GLIBC),
        f"--python-version={system.minor}",
        "--implementation=cp",
        f"--requirement={requirements}",
    )
    for source in sorted(folder.glob("*.tar.gz")):
        pip("wheel", "--no-deps", "--no-build-isolation", "--no-cache-dir", f"--wheel-dir={folder}", str(source))
        source.unlink()


def own_wheel(folder: Path, epoch: int, *, compiled: bool = False) -> Path:
    """Makes the project's own wheel; `compiled` has its hot modules compiled for the Python that runs this.

    Raises:
        BuildError: it cannot be made; where it is to be compiled, names what is missing.
    """
    # What the environment asks for is of another wheel: this one is what the caller asks for.
    asked = {ASKED: "1" if compiled else ""}
    pip("wheel", "--no-deps", "--no-build-isolation", f"--wheel-dir={folder}", str(ROOT), epoch=epoch, **asked)
    (wheel,) = folder.glob("*.whl")
    return wheel


def can_compile(system: System, arch: str) -> None:
    """Compiled modules are for the Python and the kind of computer that make them.

    Raises:
        BuildError: a package of this system and architecture cannot have them from here; names what is missing.
    """
    suffix = f".cpython-{system.minor.replace('.', '')}-{MACHINES[arch]}-linux-gnu.so"
    here = sysconfig.get_config_var("EXT_SUFFIX")
    if here != suffix:
        raise BuildError(
            f"compiled modules of {system.words}, {arch}, are made by its Python {system.minor} ({suffix}), and "
            f"{sys.executable} makes {here}: build on that system, in a checkout where .venv is of its python3"
        )
    _check_tools()


def _check_tools() -> None:
    missing = compiled_modules.missing_tools()
    if missing is not None:
        raise BuildError(f"compiled modules are asked for, and there is no {missing}")


def is_current(folder: Path = COPY) -> bool:
    """Whether a compiled copy is there and is what would be made now."""
    made_of = _made_of(folder)
    return folder.is_dir() and made_of.is_file() and made_of.read_text() == _sources()


def compiled_copy(folder: Path = COPY) -> Path:
    """The packages as a compiled wheel has them, in a folder: made again where a file of the packages has changed.

    Code runs from it with the folder in PYTHONPATH and PYTHONSAFEPATH=1: otherwise the current folder comes first.

    Raises:
        BuildError: it cannot be made.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = folder.with_name(f"{folder.name}.part")
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        # Tests in several processes want it at the same time.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_current(folder):
            return folder
        sources = _sources()
        for old in (folder, part):
            shutil.rmtree(old, ignore_errors=True)
        part.mkdir()
        with zipfile.ZipFile(own_wheel(part, 0, compiled=True)) as archive:
            archive.extractall(part)
        # What a checkout has beside its packages, and a wheel does not: the emulators of boards.
        for beside in ("firmware", "simulators/board/rp2040/node_modules"):
            (part / beside).symlink_to(ROOT / beside)
        part.rename(folder)
        _made_of(folder).write_text(sources)
    return folder


def runs_compiled() -> bool:
    """Whether this process runs on the compiled copy, and the copy is what would be made now."""
    return code() != PLAIN and COPY == RUNS and is_current()


def start_on_compiled(module: str, arguments: Sequence[str]) -> None:
    """Starts a program again on a compiled copy, in place of this process; returns where it runs on one already.

    Args:
        module: as `python -m` takes it.

    Raises:
        BuildError: the copy cannot be made.
    """
    if runs_compiled():
        return
    _check_tools()
    found = os.pathsep.join([str(compiled_copy()), str(ROOT)])
    # Otherwise the sources of the current folder would come first.
    environment = {**os.environ, "PYTHONPATH": found, "PYTHONSAFEPATH": "1"}
    os.execve(sys.executable, [sys.executable, "-m", module, *arguments], environment)


def _made_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.of")


def _sources() -> str:
    """Names what a compiled copy is made of, by one SHA-256: all files of a wheel, compilers, flags and the Python."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    settings = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    below = [Path(compiled_modules.__file__), *map(ROOT.joinpath, settings["force-include"])]
    for package in settings["packages"]:
        below += [path for path in (ROOT / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    whole = sha256(f"{compiled_modules.toolchain()} {settings} {project['project']['version']}".encode())
    for path in sorted(below):
        whole.update(f"{path.relative_to(ROOT)}\0{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def unpack(wheel: Path, libraries: Path) -> None:
    """Unpacks a wheel into the folder of libraries, without its commands and their manual pages.

    Raises:
        BuildError: it has files for other places, which a package would have to place.
    """
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            first, _, rest = member.filename.partition("/")
            if first.endswith(".data"):
                if not rest.startswith(OF_COMMANDS) and not member.is_dir():
                    raise BuildError(f"{wheel.name}: {member.filename} is for a place that the package does not know")
                continue
            archive.extract(member, libraries)
    (record,) = libraries.glob(f"{'-'.join(wheel.name.split('-')[:2])}.dist-info/RECORD")
    _keep_what_is_there(record)


def _keep_what_is_there(record: Path) -> None:
    """Drops the lines of files that were not unpacked."""
    rows = [row for row in csv.reader(io.StringIO(record.read_text(encoding="utf-8"))) if row]
    there = [row for row in rows if (record.parent.parent / row[0]).is_file()]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(there)
    record.write_text(text.getvalue(), encoding="utf-8")


def distributions(libraries: Path) -> Iterator[Distribution]:
    """Each distribution below a folder, by name."""
    for path in sorted(libraries.glob("*.dist-info/METADATA"), key=lambda path: path.parent.name.lower()):
        about = HeaderParser().parsestr(path.read_text(encoding="utf-8"))
        yield Distribution(str(about["Name"]), str(about["Version"]), about, path.parent)
