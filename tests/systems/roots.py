"""Clean roots of Debian: made once by debootstrap and kept, unpacked for each use, entered by chroot.

A root has this computer's settings for the network (apt's sources and proxies, authorities of certificates, pip's
index), so that it reaches what this computer reaches. They are read here and are in no file of the project.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

CACHE: Final = Path(os.environ.get("FELTWIRE_CACHE", "/var/cache/feltwire"))
EVERYWHERE: Final = ("ca-certificates", "dbus", "iproute2", "kmod", "python3", "systemd", "systemd-sysv", "udev")
"""Beside Debian's minimal system: what every installed one has."""
EMULATED: Final = ("python3", "systemd", "udev")
"""The same where every program is emulated, which is slow: what the package depends on, and no more."""
BINFMT: Final = Path("/proc/sys/fs/binfmt_misc")
EMULATORS: Final = {"arm64": "qemu-aarch64"}
OWN: Final = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
_ACQUIRE: Final = re.compile(r"^Acquire::(?:http|https|Check)[-:\w]*(?:::)?[\w.:-]* .*;$", re.MULTILINE)
_PIP: Final = ("index-url", "extra-index-url", "proxy", "cert", "trusted-host", "timeout")


class RootError(Exception):
    """A root cannot be made or used; the message states why, and what to do."""


def run(command: Sequence[str], *, stdin: str | None = None) -> str:
    """Runs a program of this computer to its end; returns what it printed.

    Raises:
        RootError: it failed, or is missing.
    """
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise RootError(f"{command[0]} is missing; install it with: sudo apt install {command[0]}") from error
    if done.returncode:
        raise RootError(f"{' '.join(command)}: code {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def delete(folder: Path) -> None:
    """Deletes a folder, and nothing that is mounted in it."""
    run(["rm", "-rf", "--one-file-system", str(folder)])


def mirrors() -> dict[str, str]:
    """Where this computer's apt finds Debian (`Debian`) and its security updates (`Debian-Security`).

    Raises:
        RootError: it knows no Debian, and `DEBIAN_MIRROR` names none.
    """
    listed = run(["apt-get", "indextargets", "--format", "$(LABEL) $(SITE)", "Created-By: Packages"])
    found = dict(line.split(" ", 1) for line in listed.splitlines() if " " in line)
    found = {label: site.rstrip("/") for label, site in found.items() if label.startswith("Debian")}
    if "DEBIAN_MIRROR" in os.environ:
        found["Debian"] = os.environ["DEBIAN_MIRROR"]
    if "Debian" not in found:
        raise RootError("apt of this computer has no Debian: run apt update, or name a mirror with DEBIAN_MIRROR=")
    return found


def _beside_minimal(arch: str) -> tuple[str, ...]:
    return EVERYWHERE if arch == OWN else EMULATED


def _debootstrap(suite: str, arch: str, folder: Path) -> None:
    """Makes a root; one of another architecture is made with an emulator, which has to be registered."""
    debs = CACHE / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    packages = ",".join(_beside_minimal(arch))
    words = ["--variant=minbase", f"--arch={arch}", f"--include={packages}", f"--cache-dir={debs}"]
    run(["debootstrap", *words, suite, str(folder), mirrors()["Debian"]])
    for archive in (folder / "var/cache/apt/archives").glob("*.deb"):
        archive.unlink()


@contextmanager
def emulated(arch: str) -> Iterator[None]:
    """While it lasts, programs of an architecture run here.

    Raises:
        RootError: qemu-user-static is missing, or the kernel lets nobody register it.
    """
    name = EMULATORS.get(arch)
    if arch == OWN or name is None or (BINFMT / name).exists():
        yield
        return
    stated = Path(f"/usr/lib/binfmt.d/{name}.conf")
    if not stated.is_file():
        raise RootError(f"{stated} is missing; install it with: sudo apt install qemu-user-static")
    if not (BINFMT / "register").exists():
        run(["mount", "-t", "binfmt_misc", "binfmt_misc", str(BINFMT)])
    (BINFMT / "register").write_text(stated.read_text().strip())
    try:
        yield
    finally:
        (BINFMT / name).write_text("-1")


def base(suite: str, arch: str) -> Path:
    """The archive of a clean root, made where it was not made before."""
    made_from = sha256(" ".join(_beside_minimal(arch)).encode()).hexdigest()[:8]
    archive = CACHE / f"{suite}-{arch}-{made_from}.tar"
    if not archive.exists():
        if os.geteuid() != 0:
            raise RootError("debootstrap makes device files, and owners of files: run it as root (sudo), once")
        print(f"systems: making the root of {suite}, {arch} (minutes, once) ...", file=sys.stderr, flush=True)
        part = archive.with_suffix(".part")
        with _in_memory() as folder:
            _debootstrap(suite, arch, folder)
            run(["tar", "-C", str(folder), "-cf", str(part), "."])
        part.rename(archive)
    return archive


@contextmanager
def _in_memory() -> Iterator[Path]:
    """An empty folder in this computer's memory: dpkg waits for a disk after each package, and a root is half a GB."""
    with _used_folder("new-") as folder:
        run(["mount", "-t", "tmpfs", "-o", "size=2g,mode=755", "tmpfs", str(folder)])
        try:
            yield folder
        finally:
            # With what debootstrap mounted in it, where that was interrupted.
            run(["umount", "--recursive", "--lazy", str(folder)])


@contextmanager
def _used_folder(prefix: str) -> Iterator[Path]:
    """A new folder of the cache, deleted afterwards."""
    (CACHE / "in-use").mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=CACHE / "in-use"))
    # Users of a root go through it.
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        delete(folder)


class Root:
    """A root that is in use."""

    def __init__(self, folder: Path, suite: str, arch: str) -> None:
        self.folder = folder
        self.suite = suite
        self.arch = arch

    def path(self, name: str) -> Path:
        """A file of the root, as this computer sees it."""
        return self.folder / name.lstrip("/")

    def command(self, words: str, user: str = "root") -> list[str]:
        """The command that runs words of a shell in the root, as a user."""
        return ["chroot", str(self.folder), *self._inside(words, user)]

    def _inside(self, words: str, user: str) -> list[str]:
        home = "/root" if user == "root" else f"/home/{user}"
        environ = [
            f"HOME={home}",
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG=C.UTF-8",
            "DEBIAN_FRONTEND=noninteractive",
        ]
        inner = ["sh", "-c", words] if user == "root" else ["runuser", "-u", user, "--", "sh", "-c", words]
        return ["env", "-i", *environ, *inner]

    def run(self, words: str, user: str = "root") -> tuple[int, str]:
        """Runs words of a shell; their exit code, and what they printed."""
        done = subprocess.run(
            self.command(words, user), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        return done.returncode, done.stdout

    def run_apart(self, words: str, log: Path) -> int:
        """Runs words as root in a name space of mounts that begins at this one; what they print goes to a file.

        The kernel lets nobody whom chroot took in make a name space of users, which some tests do. Mounts that the
        words make end with them.
        """
        enter = 'cd "$1" && shift && pivot_root . . && umount --lazy . && cd / && exec "$@"'
        command = ["unshare", "--mount", "sh", "-c", enter, "sh", str(self.folder), *self._inside(words, "root")]
        with log.open("w") as file:
            return subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, check=False).returncode

    def must(self, words: str, user: str = "root") -> str:
        """As `run`, for words that have to succeed.

        Raises:
            RootError: they failed.
        """
        code, text = self.run(words, user)
        if code:
            raise RootError(f"{self.suite}, {self.arch}: {words}: code {code}\n{text[-3000:]}")
        return text

    def bring(self, file: Path) -> str:
        """Copies a file into the root; its path there."""
        target = self.path(f"/srv/{file.name}")
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, target)
        return f"/srv/{file.name}"


@contextmanager
def root(suite: str, arch: str) -> Iterator[Root]:
    """A clean root, which is deleted afterwards; mounts end with the name space of mounts (see `__main__`)."""
    with emulated(arch), _used_folder(f"{suite}-{arch}-") as folder, ExitStack() as mounted:

        def mount(place: Path, *words: str) -> None:
            run(["mount", *words, str(place)])
            mounted.callback(run, ["umount", "--recursive", "--lazy", str(place)])

        run(["tar", "-C", str(folder), "-xf", str(base(suite, arch))])
        # A mount of its own, so that it can be made read-only.
        mount(folder, "--bind", str(folder))
        for kind, place in (("proc", "proc"), ("sysfs", "sys"), ("tmpfs", "run"), ("tmpfs", "tmp")):
            mount(folder / place, "-t", kind, kind)
        mount(folder / "dev", "--rbind", "/dev")
        made = Root(folder, suite, arch)
        _as_here(made)
        yield made


def _as_here(made: Root) -> None:
    """Gives a root this computer's settings for the network, and no service of its own."""
    for file in ("/etc/resolv.conf", "/etc/hosts"):
        shutil.copyfile(file, made.path(file))
    sites = mirrors()
    sources = [f"deb {sites['Debian']} {made.suite} main", f"deb {sites['Debian']} {made.suite}-updates main"]
    if "Debian-Security" in sites:
        sources.append(f"deb {sites['Debian-Security']} {made.suite}-security main")
    made.path("/etc/apt/sources.list").write_text("\n".join(sources) + "\n")
    settings = "\n".join(_ACQUIRE.findall(run(["apt-config", "dump"])))
    made.path("/etc/apt/apt.conf.d/99systems").write_text(f'{settings}\nAPT::Get::Assume-Yes "true";\n')
    refuse = made.path("/usr/sbin/policy-rc.d")
    refuse.write_text("#!/bin/sh\nexit 101\n")
    refuse.chmod(0o755)
    authorities = Path("/usr/local/share/ca-certificates")
    bundle = Path("/etc/ssl/certs/ca-certificates.crt")
    if made.arch != OWN:
        # Without the package: its script asks openssl of each certificate, for minutes where that is emulated.
        made.path(str(bundle)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(bundle, made.path(str(bundle)))
    elif authorities.is_dir():
        shutil.copytree(authorities, made.path(str(authorities)), dirs_exist_ok=True)
        made.must("update-ca-certificates")
    listed = run([sys.executable, "-m", "pip", "config", "list"])
    found = dict(re.findall(r"^(?:global|:env:)\.([\w-]+)='([^']*)'$", listed, re.MULTILINE))
    # A folder of this computer is not in the root, but the bundle of authorities is.
    kept = {key: found[key] for key in _PIP if key in found and "file:" not in found[key]}
    made.path("/etc/pip.conf").write_text("[global]\n" + "".join(f"{key} = {value}\n" for key, value in kept.items()))
