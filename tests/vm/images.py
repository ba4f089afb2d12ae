"""What a machine is booted from: the kernel, the disk with Debian, and the same with the package installed.

    build/vm/linux-uml          the kernel: unpacked from the shared folder where it lies there, otherwise built
    (kernel/) build/vm/debian-*.ext4      Debian 12 or 13 (tests/systems/roots.py); the name holds what it was made from
    build/vm/installed-*.ext4   the same after `dpkg -i`, done in a machine; the name holds the package's digest

Everything is made once and kept; delete build/vm to begin again.
"""

from __future__ import annotations

import fcntl
import lzma
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from controller.packages.files import PACKAGES as SHIPPED
from tests.systems.roots import RootError, base

ROOT: Final = Path(__file__).resolve().parents[2]
HOUSE: Final = Path(__file__).resolve().parent
SHARED: Final = Path(os.environ.get("FELTWIRE_SHARED", ROOT.parent / "shared"))
"""The folder of what several projects share, beside the checkout."""
BUILD: Final = ROOT / "build" / "vm"
KERNEL: Final = BUILD / "linux-uml"
PACKED_KERNEL: Final = SHARED / "gpio-vm" / "linux-uml.xz"
CAPTURES: Final = BUILD / "captures"
PLAYER: Final = BUILD / "play"
DISK_BYTES: Final = 1_500_000_000
FIRST_PROCESS: Final = """#!/bin/sh
# Mounts the checkout, and continues with what is in it.
mount -t proc proc /proc
mkdir -p /mnt/host
folder=$(sed -n 's/.*\\bvm\\.host=\\([^ ]*\\).*/\\1/p' /proc/cmdline)
mount -t hostfs none /mnt/host -o "$folder"
exec /mnt/host/tests/vm/guest/init
"""


class ImageError(Exception):
    """A machine cannot be made here; the message states why, and what to do."""


def kernel() -> Path:
    """The kernel, ready to run."""
    with _alone("kernel"):
        if not KERNEL.exists():
            part = KERNEL.with_name(KERNEL.name + ".part")
            if PACKED_KERNEL.is_file():
                with lzma.open(PACKED_KERNEL) as read, part.open("wb") as write:
                    shutil.copyfileobj(read, write)
            else:
                _run(["sh", str(HOUSE / "kernel" / "build.sh"), str(part)], "building the kernel (minutes)")
            part.chmod(0o755)
            part.rename(KERNEL)
    return KERNEL


def kernel_without_building() -> Path:
    """The kernel where it is there already.

    Raises:
        ImageError: it would have to be built, which takes longer than the checks may.
    """
    if not KERNEL.exists() and not PACKED_KERNEL.is_file():
        raise ImageError(
            f"there is no kernel: neither {PACKED_KERNEL} (FELTWIRE_SHARED= names another folder than {SHARED}) nor "
            f"{KERNEL}, which `sudo make vm-test VM=busy-rates` builds in a quarter of an hour"
        )
    return kernel()


def captures() -> Path:
    """The folder of captures that the machine can read: copies of the shared ones."""
    shared = SHARED / "captures"
    if not shared.is_dir():
        raise ImageError(f"{shared}: the shared captures are not there; FELTWIRE_SHARED= names their folder's folder")
    with _alone("captures"):
        CAPTURES.mkdir(parents=True, exist_ok=True)
        for path in shared.iterdir():
            copy = CAPTURES / path.name
            # Another machine may read the copy meanwhile.
            if not copy.exists() or copy.read_bytes() != path.read_bytes():
                shutil.copyfile(path, copy)
    return CAPTURES


def player() -> Path:
    """The program that drives lines, for the machine: static, so it needs nothing of its libraries."""
    source = HOUSE / "guest" / "play.c"
    with _alone("player"):
        if not PLAYER.exists() or PLAYER.stat().st_mtime < source.stat().st_mtime:
            part = PLAYER.with_name(PLAYER.name + ".part")
            _run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", str(part), str(source)], "")
            part.rename(PLAYER)
    return PLAYER


def debian(suite: str) -> Path:
    """A disk with a release of Debian, and nothing of ours but the first process."""
    with _alone(f"debian-{suite}"):
        return _debian(suite)


def _debian(suite: str) -> Path:
    try:
        archive = base(suite, "amd64")
    except RootError as error:
        raise ImageError(str(error)) from error
    made_from = sha256(f"{archive.name} {DISK_BYTES} {FIRST_PROCESS}".encode()).hexdigest()[:12]
    disk = BUILD / f"debian-{suite}-{made_from}.ext4"
    if not disk.exists():
        _need_root("owners of files are kept")
        root = BUILD / f"debian-{suite}-{made_from}"
        part = disk.with_name(disk.name + ".part")
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        _run(["tar", "-C", str(root), "-xf", str(archive)], f"making a disk with {suite}")
        first = root / "vm-init"
        first.write_text(FIRST_PROCESS)
        first.chmod(0o755)
        (root / "etc/fstab").write_text("")
        (root / "etc/hostname").write_text("table\n")
        make_disk(part, DISK_BYTES, root)
        part.rename(disk)
        shutil.rmtree(root)
    return disk


def make_disk(path: Path, size: int, content: Path | None = None, label: str = "") -> None:
    """A file with an ext4 file system, empty or with the content of a folder."""
    path.unlink(missing_ok=True)
    with path.open("wb") as file:
        file.truncate(size)
    # Written at once, not by the machine's kernel after it began: a disk is then the same at each boot.
    whole = ["-E", "lazy_itable_init=0,lazy_journal_init=0"]
    _run(["mkfs.ext4", "-q", "-F", *whole, *(["-d", str(content)] if content else []), "-L", label, str(path)], "")


def package(suite: str, *versions: str) -> list[Path]:
    """The package of this checkout under these version numbers, for this computer's kind of processor."""
    with _alone("package"):
        return _package(suite, *versions)


def _package(suite: str, *versions: str) -> list[Path]:
    out = BUILD / "deb"
    content = f"{suite}-{sources_digest()}"
    found = [out / content / f"feltwire_{version}_amd64.deb" for version in versions]
    missing = [version for version, path in zip(versions, found, strict=True) if not path.exists()]
    if missing:
        if out.exists():
            # Of states of the checkout before; the wheels stay.
            for old in out.iterdir():
                if old.name.startswith(f"{suite}-") and old.name != content:
                    shutil.rmtree(old)
        options = [option for version in missing for option in ("--version", version)]
        place = ["--system", suite, "--arch", "amd64", "--out", str(out / content), "--wheels", str(out)]
        command = [sys.executable, "-m", "systemd.package", *place, "--level", "0", *options]
        _run(["env", "-C", str(ROOT), *command], "building the package")
    return found


@cache
def installed(suite: str, version: str = "1.0") -> Path:
    """A disk on which `dpkg -i` installed the package, in a machine; made once, whoever asks first."""
    with _alone("package"):
        return _installed(suite, version)


@contextmanager
def _alone(what: str) -> Iterator[None]:
    """Keeps other processes and threads from making the same meanwhile."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / f"{what}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _installed(suite: str, version: str) -> Path:
    (deb,) = _package(suite, version)
    digest = sha256(deb.read_bytes()).hexdigest()[:12]
    disk = BUILD / f"installed-{suite}-{digest}.ext4"
    if not disk.exists():
        for old in BUILD.glob(f"installed-{suite}-*"):
            old.unlink()
        part = disk.with_name(disk.name + ".part")
        _run(["cp", "--sparse=always", str(debian(suite)), str(part)], "")
        print("vm: installing the package in a machine ...", file=sys.stderr, flush=True)
        # Here: `machine` needs this module.
        from tests.vm.machine import run_to_end

        run_to_end(part, run="install", keep=True, options=[f"deb={deb.relative_to(ROOT)}"])
        part.rename(disk)
    return disk


def sources_digest() -> str:
    """A digest of everything that the package is made from."""
    digest = sha256()
    folders = (*SHIPPED, "systemd", "requirements")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    for path in [*files, ROOT / "pyproject.toml"]:
        if "__pycache__" not in path.parts:
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _need_root(why: str) -> None:
    if os.geteuid() != 0:
        raise ImageError(f"{why}: run it as root (sudo make vm-test), once; afterwards any user can")


def _run(command: list[str], what: str) -> None:
    if what:
        print(f"vm: {what} ...", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ImageError(f"{command[0]} is missing; install it with: sudo apt install {command[0]}") from error
    if done.returncode:
        raise ImageError(f"{' '.join(command)}: exit code {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}")
