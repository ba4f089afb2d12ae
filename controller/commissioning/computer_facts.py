"""Facts about the computer: read from the kernel's files, below roots that a test can set."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from hal.clock import CalendarWatch, kernel_clock_is_disciplined

COMMAND_S: Final = 5.0
"""How long a helper program may take (ours)."""


class Roots(NamedTuple):
    """Where the kernel's files are."""

    sys: Path = Path("/sys")
    proc: Path = Path("/proc")
    run: Path = Path("/run")


def _text(path: Path) -> str | None:
    """The content of one of the kernel's small files; None where it is not there or may not be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip().strip("\0")
    except OSError:
        return None


def about(roots: Roots = Roots()) -> dict[str, str]:  # noqa: B008 - an immutable tuple of constants
    """Model, kernel and Python of this computer, for whoever helps."""
    system = os.uname()
    model = _text(roots.proc / "device-tree" / "model")
    return {"model": model or system.machine, "kernel": f"{system.sysname} {system.release} {system.machine}"}


# --- who holds a device ---


class Holder(NamedTuple):
    """A process that has a device open."""

    pid: int
    command: str


def holders(wanted: Callable[[str], bool], roots: Roots = Roots()) -> list[Holder]:  # noqa: B008
    """The processes with an open descriptor whose target is `wanted`; of other users' only root sees any."""
    return [*_holders(wanted, roots)]


def _holders(wanted: Callable[[str], bool], roots: Roots) -> Iterator[Holder]:
    for process in roots.proc.glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        try:
            targets = [str(link.readlink()) for link in (process / "fd").iterdir()]
        except OSError:
            continue  # it has ended, or is another user's
        if any(map(wanted, targets)):
            command = (_text(process / "cmdline") or _text(process / "comm") or "?").replace("\0", " ").strip()
            yield Holder(int(process.name), command)


# --- the user's rights ---


class AccessFacts(NamedTuple):
    """Whether this user may open a device."""

    path: str
    exists: bool
    allowed: bool
    group: str
    """The group of the device."""
    user: str


def access(path: str) -> AccessFacts:
    """Whether this user may read and write a device."""
    import grp

    user = _name(lambda: pwd.getpwuid(os.geteuid()).pw_name, str(os.geteuid()))
    try:
        status = Path(path).stat()
    except OSError:
        return AccessFacts(path, Path(path).is_symlink(), False, "", user)
    group = _name(lambda: grp.getgrgid(status.st_gid).gr_name, str(status.st_gid))
    return AccessFacts(path, True, os.access(path, os.R_OK | os.W_OK), group, user)


def _name(find: Callable[[], str], number: str) -> str:
    try:
        return find()
    except KeyError:
        return number


class LatencyFacts(NamedTuple):
    """How long a USB-serial adapter of FTDI holds what it receives."""

    path: str
    """The file of the kernel that has it."""
    ms: int


def latency_timer(port: str, roots: Roots = Roots()) -> LatencyFacts | None:  # noqa: B008
    """The latency timer of the adapter of a port; None where it has none."""
    path = roots.sys / "bus/usb-serial/devices" / Path(port).resolve().name / "latency_timer"
    text = _text(path) or ""
    return LatencyFacts(str(path), int(text)) if text.isdecimal() else None


# --- disk ---


class DiskFacts(NamedTuple):
    """The disk below a folder."""

    folder: str
    free: int
    total: int
    read_only: bool
    device: str
    """The kernel's name of the disk: `mmcblk0`; empty where there is none."""
    kind: str
    """`SD`, `MMC`, `disk`, or empty."""
    life_used: tuple[int, ...] = ()
    """Of an eMMC: tenths of its life that are used, for each kind of cell (11: beyond it)."""
    worn_blocks: int | None = None
    """Of an eMMC: 1 normal, 2 over 80 % of the spare blocks are used, 3 urgent."""
    smart: str | None = None
    """What smartctl says of its health; None where there is no smartctl or it says nothing."""


def disk(folder: Path, roots: Roots = Roots(), run: Callable[[Sequence[str]], str | None] | None = None) -> DiskFacts:  # noqa: B008
    """The disk below a folder, or below the nearest parent that exists."""
    run = command_output if run is None else run
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    usage = shutil.disk_usage(there)
    read_only = bool(os.statvfs(there).f_flag & os.ST_RDONLY)
    device = _disk_of(there, roots)
    base = roots.sys / "block" / device / "device" if device else None
    kind = (_text(base / "type") or "disk") if base is not None else ""
    life = (_text(base / "life_time") or "").split() if base is not None else []
    worn = _text(base / "pre_eol_info") if base is not None else None
    health = run(("smartctl", "-H", f"/dev/{device}")) if kind == "disk" and device else None
    smart = next((line.strip() for line in (health or "").splitlines() if "health" in line.lower()), None)
    return DiskFacts(
        str(folder),
        usage.free,
        usage.total,
        read_only,
        device,
        kind,
        tuple(int(one, 16) for one in life),
        None if worn is None else int(worn, 16),
        smart,
    )


def _disk_of(folder: Path, roots: Roots) -> str:
    """The kernel's name of the disk that a folder is on; empty for a file system without one."""
    number = folder.stat().st_dev
    link = roots.sys / "dev" / "block" / f"{os.major(number)}:{os.minor(number)}"
    try:
        place = link.resolve(strict=True)
    except OSError:
        return ""
    # A partition is in the folder of its disk.
    return place.parent.name if (place / "partition").exists() else place.name


# --- power ---


class PowerFacts(NamedTuple):
    """What the computer says of its supply."""

    low_now: bool | None
    """Whether the supply is too low now; None where nothing says so."""
    throttled: int | None = None
    """The bits of `vcgencmd get_throttled`; None without it."""


def power(roots: Roots = Roots(), run: Callable[[Sequence[str]], str | None] | None = None) -> PowerFacts:  # noqa: B008
    """The supply of a Pi, from its hardware monitor and its firmware."""
    run = command_output if run is None else run
    low: bool | None = None
    for monitor in sorted((roots.sys / "class" / "hwmon").glob("*")):
        if _text(monitor / "name") == "rpi_volt":
            alarm = _text(monitor / "in0_lcrit_alarm")
            low = None if alarm is None else alarm == "1"
    told = run(("vcgencmd", "get_throttled"))
    bits = None
    if told is not None and told.strip().startswith("throttled=0x"):
        bits = int(told.strip().removeprefix("throttled="), 16)
    return PowerFacts(low, bits)


# --- time ---


class TimeFacts(NamedTuple):
    """The computer's clocks."""

    calendar_set: bool
    """Whether the calendar is known to be set: by the network, or by a clock with a battery."""
    disciplined: bool
    """Whether a time source steers the kernel's clock."""
    source: str
    """What steers it, as far as can be seen; empty where nothing is."""
    has_chip: bool
    """Whether there is a clock with a battery."""


def time_facts(roots: Roots = Roots()) -> TimeFacts:  # noqa: B008
    """The computer's clocks and what steers them."""
    found = ""
    for name, place in (
        ("systemd-timesyncd", roots.run / "systemd" / "timesync" / "synchronized"),
        ("chrony", roots.run / "chrony"),
        ("ntpd", roots.run / "ntpd.pid"),
    ):
        if place.exists():
            found = found or name
    has_chip = any((roots.sys / "class" / "rtc").glob("rtc*"))
    return TimeFacts(CalendarWatch().is_set(), kernel_clock_is_disciplined(), found, has_chip)


def command_output(command: Sequence[str]) -> str | None:
    """What a program prints; None where there is none, or it fails or hangs."""
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        done = subprocess.run([program, *command[1:]], capture_output=True, text=True, timeout=COMMAND_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout
