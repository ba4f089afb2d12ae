"""One run of a virtual machine: a process of this computer, its disks, and the records that it sends.

with Machine(disk, run="verdicts", virtual_time=True) as machine:
    for record in machine.records():
        ...
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeAlias

from tests.vm.images import ROOT, kernel, player

Record: TypeAlias = dict[str, Any]
"""What the machine sent: its kind, and what belongs to it."""

MARK: Final = b"VM "
PATIENCE_S: Final = 900.0
"""Ends a machine that hangs."""
ALIVE_S: Final = 5
"""In real time, how often a machine reports that it runs, whatever its scenario waits for."""
DEAD_S: Final = 90.0
"""Without such a report, a machine in real time stands still."""
CONSOLE: Final = ("con=null", "con0=null,fd:1", "con1=null", "quiet", "loglevel=3", "panic=-1")


def memory_folder(memory: str, shared: Path = Path("/dev/shm")) -> str:
    """The folder for a machine's memory: in this computer's own memory, where that has room and programs may run."""
    needed = int(memory.removesuffix("M")) << 20
    # A container's often has 64 MB, and runs no program.
    if shared.is_dir() and shutil.disk_usage(shared).free > needed and not os.statvfs(shared).f_flag & os.ST_NOEXEC:
        return str(shared)
    return tempfile.gettempdir()


class MachineError(Exception):
    """The machine ended, or sent something, otherwise than expected."""


class MachineHungError(MachineError):
    """The machine's kernel stands still; tests/vm/kernel/options has the reason that is known."""


class Machine:
    """A machine that boots from a copy-on-write layer above a disk, so that the disk stays as it is."""

    def __init__(
        self,
        disk: Path | None,
        *,
        run: str = "",
        virtual_time: bool = False,
        systemd: bool = False,
        filters: bool = True,
        data: Path | None = None,
        stick: Path | None = None,
        keep: bool = False,
        memory: str = "768M",
        options: Sequence[str] = (),
    ) -> None:
        """`run` is the scenario in tests/vm/guest; `keep` writes to `disk`.

        Without `filters`, systemd filters no program's system calls: each filter that ends may hang the kernel
        (tests/vm/kernel/options). Scenarios of what a unit may do have them.

        `data` is another disk, for the state, and `stick` one that is plugged in; both are written for good.

        Without a disk it boots from this computer's own root, read-only, and runs the checkout instead of the package.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="feltwire-vm-")
        player()
        words = [str(kernel()), f"mem={memory}", *CONSOLE]
        if disk is None:
            command = Path(sys.executable).with_name("feltwire")
            words += ["rootfstype=hostfs", "rootflags=/", "ro", f"init={ROOT}/tests/vm/guest/init"]
            words += ["vm.root=checkout", f"vm.python={sys.executable}", f"vm.feltwire={command}"]
        else:
            layer = f"{self._folder.name}/layer,{disk}" if not keep else str(disk)
            words += [f"ubd0={layer}", "root=/dev/ubda", "rw", "init=/vm-init", "vm.root=disk"]
        # The revision of a Pi 4, which gpiozero reads.
        words += ["pirev=c03111", f"vm.host={ROOT}", f"vm.run={run}"]
        words += ["time-travel=inf-cpu"] if virtual_time else []
        words += ["vm.systemd=yes", "systemd.show_status=no", "systemd.log_color=no"] if systemd else []
        # What the kernel does not know, the first process has in its environment.
        words += [] if filters else ["SYSTEMD_SECCOMP=0"]
        # The second disk where there is a first.
        words += [f"ubd1={data}", "vm.data=/dev/ubdb"] if data is not None else []
        words += [f"ubd2={stick}"] if stick is not None else []
        words += [f"vm.{option}" for option in options]
        self._silence_s = PATIENCE_S
        if not virtual_time:
            words += [f"vm.alive={ALIVE_S}"]
            self._silence_s = DEAD_S
        environ = {**os.environ, "TMPDIR": memory_folder(memory)}
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environ,
            # Its processes are threads of the machine: all of them are ended together.
            start_new_session=True,
        )
        self.other: list[str] = []
        """What it printed beside records."""

    def records(self) -> Iterator[Record]:
        """The records, as they come, until the machine ends.

        Raises:
            MachineHungError: it stands still.
        """
        return self.records_until(lambda: None)

    def records_until(self, moment: Callable[[], float | None]) -> Iterator[Record]:
        """As `records`, up to a moment on the monotonic clock, which may become known meanwhile.

        What the machine sent before that moment, and is not read yet, is read and is a record.
        """
        if self._process.stdout is None:
            raise MachineError("the machine has no output")
        waiting = b""
        output = self._process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            last = time.monotonic()
            while True:
                end = moment()
                now = time.monotonic()
                if end is not None and now >= end:
                    # From here on nothing more happens in the machine.
                    self.cut()
                    end = None
                left = last + self._silence_s - now if end is None else min(end, last + self._silence_s) - now
                if not selector.select(max(left, 0)):
                    if moment() is not None:
                        continue
                    raise MachineHungError(
                        f"nothing arrived for {self._silence_s:g} s; the last was: {self.other[-5:]}"
                    )
                last = time.monotonic()
                got = os.read(output, 65536)
                if not got:
                    return
                *lines, waiting = (waiting + got).split(b"\n")
                for line in lines:
                    _, mark, body = line.strip().partition(MARK)
                    if mark:
                        record: Record = json.loads(body)
                        if record["kind"] != "alive":
                            yield record
                    else:
                        self.other.append(line.decode(errors="replace").rstrip())

    def cut(self) -> None:
        """Cuts its power: nothing that it has not yet given to this computer's disk is written."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> Machine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()


def _shown(records: Iterable[Record]) -> Iterator[Record]:
    """The records; what is checked is shown as it comes, since a scenario takes minutes."""
    for record in records:
        if record["kind"] == "check":
            shown = "ok   " if record["passed"] else f"WRONG ({record['seen']})"
            print(f"   {shown} {record['name']}", file=sys.stderr, flush=True)
        yield record


def run_to_end(disk: Path | None, **given: Any) -> list[Record]:
    """All records of a scenario that ends by itself.

    Raises:
        MachineError: it failed, or did not reach its end.
    """
    begun = time.monotonic()
    with Machine(disk, **given) as machine:
        records = list(_shown(machine.records()))
    codes = [one["code"] for one in records if one["kind"] == "ended"]
    if codes != [0]:
        last = "\n".join(machine.other[-25:])
        what = f"ended with {codes[0]}" if codes else "did not reach its end"
        raise MachineError(f"{given.get('run')}: {what} after {time.monotonic() - begun:.0f} s:\n{last}")
    return records
