"""Plays captures into the lines of running tables: reports every verdict and fault that they give."""

import os
import signal
import threading
import time
from pathlib import Path

from tests.vm.guest.gpio_sim import SimulatedChip, drive
from tests.vm.guest.product import HOST, Service, option, play, report, write_schedule
from tests.vm.guest.wires import schedule

QUIET_S = 12.0
"""After the last edge: the longest that a table takes for a verdict, and for settling."""
VERDICTS = ("round.outcome", "round.void", "round.unresolved")
OTHERS = ("device.fault", "device.warning", "table.closed")


def hold(service: Service, at_s: float, for_s: float) -> None:
    """Stops the process for some time."""
    time.sleep(at_s)
    os.kill(service.process.pid, signal.SIGSTOP)
    time.sleep(for_s)
    os.kill(service.process.pid, signal.SIGCONT)
    report("held", at_s=at_s, for_s=for_s)


words = [pair.split(":") for pair in option("play").split(",")]
pairs = [(HOST / toml, HOST / capture) for toml, capture in words]
until = option("until")
rest, changes = schedule(pairs, float(until) if until else None)
chip = SimulatedChip("header")
for offset, level in rest.items():
    drive(chip.lines, offset, level)
file = Path("/run/schedule")
write_schedule(file, changes)
service = Service(toml for toml, _ in pairs)
service.wait_ready()
time.sleep(1)
if option("hold"):
    at_s, for_s = map(float, option("hold").split(":"))
    threading.Thread(target=hold, args=(service, at_s, for_s), daemon=True).start()
# Before every Python process: no edge is late because a program computes.
played = play(file, chip.lines, fifo=True)
time.sleep(QUIET_S)
for event in service.events():
    name = event["type"].removeprefix("feltwire.").removesuffix(".v1")
    if name in VERDICTS or name in OTHERS:
        report("event", name=name, data=event["data"])
code = service.stop()
report("played", code=code, log=service.log(), **played)
