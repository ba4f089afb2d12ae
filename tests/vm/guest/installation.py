"""The installed service under systemd, as a technician handles it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.vm.guest.gpio_sim import drive, level, sysfs_folder
from tests.vm.guest.product import FELTWIRE, HOST, report

TABLES = HOST / "tests/vm/tables"
SETTINGS = Path("/etc/feltwire")
STATE = Path("/var/lib/feltwire")
JOURNAL = STATE / "journal.sqlite"
BASE = "ipc:///run/feltwire"
WHEEL, ROULETTE = "money-wheel-3", "roulette-4"
WHEEL_LAMP = 4
PATIENCE_S = 150.0
"""Ends a wait that nothing will end: the machine is slow where its host is busy."""


def sh(command: str) -> str:
    """What a command prints, errors too."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip()


def must(command: str) -> str:
    """As `sh`, for a command that has to succeed."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    if done.returncode:
        newest = sh("journalctl -o cat -n 25 --no-pager")
        raise RuntimeError(f"{command}: code {done.returncode}: {done.stdout}{done.stderr}\n{newest}")
    return done.stdout.strip()


def check(name: str, passed: object, seen: object = "") -> None:
    """Reports whether something is as it should be, and what was seen."""
    report("check", name=name, passed=bool(passed), seen=str(seen)[:1500])


def wait(condition: Callable[[], Any], what: str, step_s: float = 0.1) -> float:
    """Waits until a condition holds; returns the seconds that it took."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > PATIENCE_S:
            raise RuntimeError(f"{what}: not within {PATIENCE_S:g} s; {sh('journalctl -u feltwire -n 15 --no-pager')}")
        time.sleep(step_s)
    return round(time.monotonic() - begun, 2)


def property_of(name: str, unit: str = "feltwire.service") -> str:
    """A property of a unit."""
    return sh(f"systemctl show {unit} --value -p {name}")


def main_pid() -> int:
    """The process of the service; 0 where it does not run."""
    return int(property_of("MainPID") or 0)


def is_ready() -> bool:
    """Whether the service said that it is ready."""
    return property_of("ActiveState") == "active"


def restarted(old: int) -> bool:
    """Whether another process is ready."""
    return is_ready() and main_pid() not in (0, old)


def log(lines: int = 12) -> str:
    """The last of the service's log."""
    return sh(f"journalctl -u feltwire -o cat -n {lines} --no-pager")


def feltwire(command: str) -> str:
    """A command as the user of the service."""
    return sh(f"runuser -u feltwire -- {FELTWIRE} {command}")


def send(command: str) -> str:
    """A command to the service."""
    return feltwire(f"send {BASE} {command} --by technician")


def status() -> dict[str, Any]:
    """The service's answer to `status`."""
    answer = json.loads(feltwire(f"send {BASE} status --json"))
    found: dict[str, Any] = answer["status"]
    return found


def events(name: str = "", table: str = "") -> list[dict[str, Any]]:
    """The events in the journal."""
    lines = feltwire(f"journal export {JOURNAL}").splitlines()
    found = [json.loads(line) for line in lines if line.startswith("{")]
    return [one for one in found if name in one["type"] and table in one["data"]["table"]]


def verified() -> str:
    """What is wrong with the journal; empty where nothing is."""
    done = subprocess.run(
        ["runuser", "-u", "feltwire", "--", FELTWIRE, "journal", "verify", str(JOURNAL)],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def install_tables(*names: str) -> None:
    """Writes tables' files, and brings their wires to rest."""
    for name in names:
        shutil.copy(TABLES / f"{name}.toml", SETTINGS)
    rest()


def rest() -> None:
    """The levels of all wires where nothing moves."""
    lines = sysfs_folder()
    for offset in (17, 27, 22, 23, 24, 25, 5, 9, 19, 18, 10):
        drive(lines, offset, 1)
    for offset in (20, 21):
        drive(lines, offset, 0)


def in_cgroup_of_service(path: str) -> str:
    """What a process under the rules of the service gets when it opens a device file; root, so no mode refuses it."""
    code = f"import os; os.close(os.open({path!r}, os.O_RDWR | os.O_NONBLOCK))"
    inner = (
        "echo $$ > /sys/fs/cgroup/system.slice/feltwire.service/cgroup.procs && "
        f"exec python3 -IS -c {shlex.quote(code)}"
    )
    text = sh(f"sh -c {shlex.quote(inner)}")
    return text.splitlines()[-1] if text else "opened"


def lamp() -> int:
    """The level of the money wheel's lamp."""
    return level(sysfs_folder(), WHEEL_LAMP)


def environment() -> dict[str, str]:
    """The environment for dpkg."""
    return {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
