"""A part of one core for a program: a control group of the kernel with a quota, as root or through systemd.

    version 2   /sys/fs/cgroup/NAME/cpu.max                     "1000 10000"
    version 1   /sys/fs/cgroup/cpu/NAME/cpu.cfs_{quota,period}_us
    systemd     systemd-run --scope -p CPUQuota=10%

The program has the whole core for a share of each period, and waits for the rest of it. The period is 10 ms, so a tenth
is 1 ms, the least that the kernel takes: a core of a tenth of the speed would never wait, but take ten times as long.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

CGROUPS: Final = Path("/sys/fs/cgroup")
SYSTEMD: Final = Path("/run/systemd/system")
PERIOD_US: Final = 10_000
LEAST_QUOTA_US: Final = 1_000
"""The kernel refuses less."""


class SmallCoreError(Exception):
    """This computer gives no part of a core; the message states why."""


class SmallCore(NamedTuple):
    """How a program is started on it."""

    prefix: tuple[str, ...]
    """Words before the command; the program replaces them, so that its number is that of the process."""
    statistics: Path | None
    """The kernel's `cpu.stat` of the group; None where systemd has it."""

    def throttled(self) -> float:
        """The share of the periods so far in which something had to wait; not a number where nobody counts them."""
        if self.statistics is None:
            return float("nan")
        counted = dict(line.split() for line in self.statistics.read_text().splitlines())
        return int(counted.get("nr_throttled", 0)) / max(1, int(counted.get("nr_periods", 0)))


@contextmanager
def small_core(share: float, *, cgroups: Path = CGROUPS, systemd: Path = SYSTEMD) -> Iterator[SmallCore]:
    """This share of one core for every program that is started with the prefix.

    Raises:
        SmallCoreError: the share is too small, or the kernel gives none here.
    """
    quota_us = round(share * PERIOD_US)
    if not LEAST_QUOTA_US <= quota_us <= PERIOD_US:
        raise SmallCoreError(f"a share of {share:g}: it is from {LEAST_QUOTA_US / PERIOD_US:g} to 1")
    one_core = ("taskset", "--cpu-list", str(max(os.sched_getaffinity(0))))
    name = f"feltwire-small-{os.getpid()}"
    for parent, files in ((cgroups, {"cpu.max": f"{quota_us} {PERIOD_US}"}), (cgroups / "cpu", _version_1(quota_us))):
        group = parent / name
        if not _has_quota(parent):
            continue
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            for file, text in files.items():
                (group / file).write_text(text)
            # `exec`: the shell that enters the group becomes the program.
            enter = ("sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs"))
            yield SmallCore((*enter, *one_core), group / "cpu.stat")
        finally:
            with suppress(OSError):
                group.rmdir()
        return
    if systemd.is_dir() and shutil.which("systemd-run") is not None:
        quota = f"CPUQuota={share * 100:g}%"
        period = f"CPUQuotaPeriodSec={PERIOD_US // 1000}ms"
        yield SmallCore(("systemd-run", "--scope", "--quiet", "-p", quota, "-p", period, *one_core), None)
        return
    raise SmallCoreError(
        f"no control group with a quota can be made below {cgroups}, and systemd does not run here; try as root. A "
        "program that is stopped and continued by signals is no substitute: it waits at other places than a slow one"
    )


def _version_1(quota_us: int) -> dict[str, str]:
    return {"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": str(quota_us)}


def _has_quota(parent: Path) -> bool:
    """Whether groups below this one have a quota: by version 1, or where version 2 hands the controller down."""
    if (parent / "cpu.cfs_quota_us").exists():
        return True
    control = parent / "cgroup.subtree_control"
    return control.exists() and "cpu" in control.read_text().split()
