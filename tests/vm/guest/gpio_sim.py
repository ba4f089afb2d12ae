"""A chip of the kernel's gpio-sim: made through configfs, its lines driven through sysfs (`pull`)."""

from __future__ import annotations

import os
import time
from pathlib import Path

CONFIGFS = Path("/sys/kernel/config/gpio-sim")
HEADER = "pinctrl-bcm2711"
"""The label of the chip behind the header of a Pi 4."""
LINES = 54
NODE_S = 5.0


class SimulatedChip:
    """One chip, alive until `remove`."""

    def __init__(self, name: str, label: str = HEADER, lines: int = LINES) -> None:
        self.folder = CONFIGFS / name
        bank = self.folder / "bank0"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(lines))
        (bank / "label").write_text(label)
        for offset in range(28):
            line = bank / f"line{offset}"
            line.mkdir()
            (line / "name").write_text(f"GPIO{offset}")
        (self.folder / "live").write_text("1")
        chip = (bank / "chip_name").read_text().strip()
        device = (self.folder / "dev_name").read_text().strip()
        self.lines = Path(f"/sys/devices/platform/{device}/{chip}")
        """The folder with one folder for each line."""
        self.path = Path(f"/dev/{chip}")
        end = time.monotonic() + NODE_S
        while not self.path.exists() and time.monotonic() < end:
            time.sleep(0.005)

    def remove(self) -> None:
        """Unplugs it."""
        (self.folder / "live").write_text("0")
        bank = self.folder / "bank0"
        for line in bank.glob("line*"):
            line.rmdir()
        bank.rmdir()
        self.folder.rmdir()


def sysfs_folder() -> Path:
    """The lines of the chip that was made before systemd began."""
    return next(iter(sorted(Path("/sys/devices/platform").glob("gpio-sim.*/gpiochip*"))))


def drive(lines: Path, offset: int, level: int) -> None:
    """Sets the level of a line from outside."""
    (lines / f"sim_gpio{offset}" / "pull").write_text("pull-up" if level else "pull-down")


def level(lines: Path, offset: int) -> int:
    """The level of a line now, whoever drives it."""
    return int((lines / f"sim_gpio{offset}" / "value").read_text())


def unplug(lines: Path) -> None:
    """Takes the chip away from a running program."""
    Path("/sys/bus/platform/drivers/gpio-sim/unbind").write_text(lines.parent.name)


def modes(path: Path) -> str:
    """Owner, group and mode of a device file, as `stat` prints them."""
    return os.popen(f"stat -c '%U %G %a' {path}").read().strip()
