"""Spins of the money wheel at the installed service."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.vm.guest.gpio_sim import drive, sysfs_folder
from tests.vm.guest.installation import TABLES, WHEEL, events, rest, wait
from tests.vm.guest.product import HOST, play, write_schedule
from tests.vm.guest.wires import schedule


class Spin:
    """A spin of the money wheel, played beside everything else; `seen` when the service saw it begin."""

    def __init__(self, until_s: float = 40.0) -> None:
        capture = HOST / "build/vm/captures/money_wheel_mixed.vcd"
        levels, changes = schedule([(TABLES / "money_wheel.toml", capture)], until_s)
        for offset, found in levels.items():
            drive(sysfs_folder(), offset, found)
        self._before = len(events("round.started", WHEEL))
        self._file = Path("/run/spin")
        write_schedule(self._file, changes)
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _play(self) -> None:
        play(self._file, sysfs_folder())

    def wait_begun(self) -> None:
        """Waits until its beginning is in the journal."""
        wait(lambda: len(events("round.started", WHEEL)) > self._before, "a spin that begins", 0.3)

    def end(self) -> None:
        """Waits until the last edge was played."""
        self._thread.join()
        rest()
