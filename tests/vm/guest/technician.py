"""Two tables are installed as docs/install.md has it, with three planted mistakes: doctor and calibrate find them.

A hand moves simulated wheels when the terminal asks for it; its edges go to the kernel's lines as the wires really run.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from controller.calibration.movements import movements_of
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from controller.games.load import load
from hal.values import Batch
from simulators.base.hand import HandMoved
from tests.vm.guest.gpio_sim import SimulatedChip, drive
from tests.vm.guest.installation import check
from tests.vm.guest.product import FELTWIRE, Service, report

SETTINGS = Path("/etc/feltwire")
ROULETTE = """\
[table]
id = "roulette-4"
game = "roulette"
no_more_bets = "auto"
[lines]
backend = "gpiod"
[device.wheel]
ball_sensors_deg = [0, 120, 240]
[device.dealer]
buttons = ["supervisor_key"]
[pins]
rotor_a = { gpio = 17, pull = "up", inverted = true }
rotor_b = { gpio = 27, pull = "up", inverted = true }
rotor_index = { gpio = 22, pull = "up", inverted = true }
ball_1 = { gpio = 23, pull = "up", inverted = true }
ball_2 = { gpio = 24, pull = "up", inverted = true }
ball_3 = { gpio = 25, pull = "up", inverted = true }
pocket = { gpio = 5, pull = "up", inverted = true }
supervisor_key = { gpio = 9, pull = "up", inverted = true }
"""
WHEEL = """\
[table]
id = "money-wheel-3"
game = "money_wheel"
no_more_bets = "button"
[lines]
backend = "gpiod"
[device.dealer]
buttons = ["dealer_no_more_bets", "supervisor_key"]
[pins]
wheel_a = { gpio = 20, pull = "up" }
wheel_b = { gpio = 21, pull = "up" }
wheel_index = { gpio = 19, pull = "up", inverted = true }
dealer_no_more_bets = { gpio = 18, pull = "up", inverted = true }
supervisor_key = { gpio = 10, pull = "up", inverted = true }
"""
DONE = ("leave this one out) ", "leave it out) ")
COLORS = re.compile(r"\x1b\[[0-9;]*m")
NS = 1_000_000_000


class Table:
    """A table as it is built: where each wire really goes, and which are off."""

    def __init__(self, name: str, text: str, chip: SimulatedChip) -> None:
        SETTINGS.mkdir(parents=True, exist_ok=True)
        self.file = SETTINGS / f"{name}.toml"
        self.file.write_text(text)
        (self.config,) = load([self.file])
        self.places = {line: (int(pin.gpio or 0), int(pin.inverted)) for line, pin in self.config.pins.items()}
        self.off: set[str] = set()
        self._lines = chip.lines

    def exchange(self, first: str, second: str) -> None:
        """Exchanges two wires."""
        self.places[first], self.places[second] = self.places[second], self.places[first]

    def play(self, batch: Batch) -> None:
        """Drives the wires as a movement of the real device does."""
        begun = time.monotonic_ns()
        for line, level, t_ns in batch.edges:
            if line in self.off or line not in self.places:
                continue
            time.sleep(max(0, begun + t_ns - time.monotonic_ns()) / NS)
            offset, inverted = self.places[line]
            drive(self._lines, offset, level ^ inverted)
        time.sleep(max(0, begun + batch.until_ns - time.monotonic_ns()) / NS)


def run(table: Table, command: str, *options: str) -> tuple[int, str]:
    """Runs a command in a terminal, makes each movement when it is asked for, and presses ENTER.

    Returns its exit code and what it printed.
    """
    move = _mover(table.config, table)
    master, slave = pty.openpty()
    words = [FELTWIRE, command, str(table.file), *options]
    process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, close_fds=True)
    os.close(slave)
    raw = b""
    while True:
        try:
            got = os.read(master, 4096)
        except OSError:
            break  # the terminal closes with the command
        if not got:
            break
        raw += got
        text = COLORS.sub("", raw.decode(errors="ignore")).replace("\r\n", "\n")
        if text.endswith(DONE):
            move(command, text)
            os.write(master, b"\n")
        elif text.endswith("q: leave "):
            os.write(master, b"s\n")
    os.close(master)
    text = COLORS.sub("", raw.decode(errors="replace")).replace("\r\n", "\n")
    report("figure", name=f"{command} {table.file.name} {len(raw)} bytes", value=text[-160:].strip().splitlines()[-1])
    return process.wait(), text


def _mover(config: TableConfig, table: Table) -> Callable[[str, str], None]:
    geometry = geometry_of(config)
    if not isinstance(geometry, HandMoved):
        raise TypeError(f"no hand moves {config.game}")
    hand = geometry.hand(7)
    movements = movements_of(config)

    def move(command: str, text: str) -> None:
        if command == "doctor":
            asked = movements[text.rsplit("now move ", 1)[1].split(":")[0]]
        else:
            name = text.rsplit("\n\n", 1)[1].split(":")[0]
            asked = [one for found in movements.values() for one in found if one.name == name]
        for one in asked:
            table.play(hand.move(one.name, one.lines, one.asked))

    return move


def failures(text: str, what: str) -> list[str]:
    """The lines of doctor that failed a check."""
    return [line for line in text.splitlines() if line.strip().startswith("failed") and f" {what} " in line]


Path("/dev/pts").mkdir(exist_ok=True)
subprocess.run(["mount", "-t", "devpts", "devpts", "/dev/pts"], check=False)
chip = SimulatedChip("header")
wheel, roulette = Table("money_wheel", WHEEL, chip), Table("roulette", ROULETTE, chip)
# The planted mistakes: a cable that is off, channels exchanged, two track sensors at equal gaps exchanged.
wheel.off.add("wheel_index")
wheel.exchange("wheel_a", "wheel_b")
roulette.exchange("ball_2", "ball_3")

code, text = run(wheel, "doctor")
found = failures(text, "edges")
check(
    "doctor finds the cable that is off", code == 1 and len(found) == 1 and "wheel_index at GPIO19" in found[0], found
)
wheel.off.clear()
code, text = run(wheel, "doctor")
others = [line for line in text.splitlines() if line.strip().startswith("failed") and " calibration " not in line]
check("once it is plugged in only the calibration is missing", failures(text, "calibration") and not others, others)
code, text = run(wheel, "calibrate", "--by", "technician")
check("calibrate finds the exchanged channels", code == 1 and "wheel_a and wheel_b are exchanged" in text, text[-800:])
wheel.exchange("wheel_a", "wheel_b")
code, text = run(wheel, "calibrate", "--by", "technician")
check("exchanged back, every movement passes", code == 0 and "the table may open" in text, text[-800:])
code, text = run(roulette, "doctor")
check("doctor alone does not see two exchanged sensors", not failures(text, "edges"), failures(text, "edges"))
code, text = run(roulette, "calibrate", "--by", "technician")
named = "wires of ball_2 and ball_3 are exchanged" in text
check("calibrate finds the exchanged track sensors", code == 1 and named, text[-800:])

files, state = [wheel.file, roulette.file], ("--state", "/var/lib/feltwire")
service = Service(files, *state, folder=Path("/run/first"))
service.wait_ready()
while not any(event["type"] == "feltwire.device.fault.v1" for event in service.events()):
    # What is printed follows what is journalled; the host ends a wait that nothing ends.
    time.sleep(0.2)
faults = [event["data"] for event in service.events() if event["type"] == "feltwire.device.fault.v1"]
shut = {fault["table"] for fault in faults if fault["fault"] == "not_calibrated"}
check("the table that is not calibrated is shut, and the other is not", shut == {"roulette-4"}, faults)
check("it ends in order", service.stop() == 0, service.log())

roulette.exchange("ball_2", "ball_3")
code, text = run(roulette, "calibrate", "--by", "technician", "--device", "wheel")
check("exchanged back, the wheel passes", code == 0 and "the table may open" in text, text[-800:])
service = Service(files, *state, folder=Path("/run/second"))
service.wait_ready()


def send(*words: str) -> str:
    """Sends a command to the service; returns what it answers."""
    done = subprocess.run([FELTWIRE, "send", service.base, *words], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip()


answers = [
    send("clear", "device=calibration", "by=ann", "table=roulette-4"),
    send("open", "by=ann", "table=roulette-4"),
    send("open", "by=ann", "table=money-wheel-3"),
]
status = send("status")
opened = [line for line in status.splitlines() if re.match(r"(roulette-4|money-wheel-3): open", line)]
check("both tables open", len(opened) == 2, [*answers, status])
code, text = run(wheel, "doctor")
beside = "which runs this table" in text and f"the service at {service.base} holds the lines" in text
check("doctor beside the service asks it, and leaves its lines alone", code == 0 and beside, text[-1500:])
check("it ends in order again", service.stop() == 0, service.log())
