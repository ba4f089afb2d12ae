"""A table that plays until its power is cut: reports what the journal holds, then all that is seen from outside.

The host, which survives, is the witness outside. With `unsafe=yes` the product's journal is told not to wait for the
disk: what it then loses shows that the witness would notice.
"""

import hashlib
import json
import os
import re
import subprocess
import threading
import time
from pathlib import Path

import zmq

from audit.reading import reading
from audit.records import COMMANDS
from audit.verify import verify
from tests.vm.guest.gpio_sim import SimulatedChip, drive
from tests.vm.guest.product import FELTWIRE, HOST, PLAYER, Service, option, report, write_schedule
from tests.vm.guest.wires import schedule

TABLES = HOST / "tests/vm/tables"
PLAYED = Path("/run/money_wheel.toml")
"""The table of the folder, but it opens by order alone: it comes back as it was, open or closed."""
BESIDE = TABLES / "roulette.toml"
ORDERED = "money-wheel-3"
"""The table that is closed and opened by orders; the other one stays open."""
STATE = Path("/var/lib/feltwire")
JOURNAL = STATE / "journal.sqlite"
CHUNK = 40
"""Records in one message."""
ORDER_S = 0.03
"""Between orders, at first; then as many as one sender may send for good."""
MANY = 200
LATER_S = 0.25


ORDER = re.compile(rb"\b[0-9a-f]{8}-[0-9]+\b")
"""The id of an order: the boot that gave it, and a number."""


def digest(body: bytes) -> str:
    return hashlib.sha256(body.strip()).hexdigest()[:16]


def report_journal() -> None:
    """What the journal holds, whether it verifies, and how long that took."""
    begun = time.monotonic()
    fault = verify(JOURNAL).first
    report("verified", wrong="" if fault is None else str(fault), seconds=round(time.monotonic() - begun, 2))
    with reading(JOURNAL, "reading it for the witness") as connection:
        rows = connection.execute("SELECT chain, id, body FROM record ORDER BY n").fetchall()
    held = [(chain, name, digest(bytes(body))) for chain, name, body in rows if chain != COMMANDS]
    orders = sorted(
        {one.decode() for chain, _, body in rows if chain == COMMANDS for one in ORDER.findall(bytes(body))}
    )
    for first in range(0, len(held), CHUNK):
        report("held", events=held[first : first + CHUNK])
    for first in range(0, len(orders), CHUNK):
        report("orders", ids=orders[first : first + CHUNK])
    report("read", events=len(held), orders=len(orders))


def give_orders(context: "zmq.Context[zmq.Socket[bytes]]", base: str, boot: str, stands: str) -> None:
    """Closes and opens a table, and reports each answer."""
    dealer = context.socket(zmq.DEALER)
    dealer.connect(f"{base}/commands")
    number = 0
    while True:
        number += 1
        verb = "close" if (number % 2 == 1) == (stands == "open") else "open"
        given = {"reason": "test"} if verb == "close" else {}
        order = {"id": f"{boot}-{number}", "table": ORDERED, "command": verb, "given": given, "by": "dealer"}
        report("order", id=order["id"], verb=verb)
        dealer.send(json.dumps(order).encode())
        answer = json.loads(dealer.recv_multipart()[-1])
        report("answer", id=answer["id"], accepted=answer["accepted"], reason=answer.get("reason", ""), verb=verb)
        time.sleep(ORDER_S if number < MANY else LATER_S)


if option("unsafe"):
    # Of the machine's own copy of the product, which is thrown away with the machine.
    source = Path("/opt/feltwire/lib/controller/journal/files.py")
    text = source.read_text()
    changed = text.replace("PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF").replace(
        "if level != 2", "if level != 0"
    )
    if changed.count("OFF") <= text.count("OFF"):
        raise RuntimeError(f"{source}: the line that makes the journal wait for the disk is not there")
    source.write_text(changed)
if JOURNAL.exists():
    report_journal()
PLAYED.write_text((TABLES / "money_wheel.toml").read_text().replace('opens = "at_start"', 'opens = "by_order"'))
chip = SimulatedChip("header")
rest, changes = schedule([(PLAYED, HOST / option("capture"))])
for offset, level in {17: 1, 27: 1, 22: 1, 23: 1, 24: 1, 25: 1, 5: 1, 9: 1, **rest}.items():
    drive(chip.lines, offset, level)
write_schedule(Path("/run/schedule"), changes)
report("starting")
service = Service([BESIDE, PLAYED], state=STATE)
context: "zmq.Context[zmq.Socket[bytes]]" = zmq.Context()
feed = context.socket(zmq.SUB)
feed.subscribe(b"")
feed.connect(f"{service.base}/feed")
service.wait_ready()
asked = [FELTWIRE, "send", service.base, "status", "--json"]
standing = json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)["status"]["tables"]
report("standing", states={table: stands["state"] for table, stands in standing.items()})
boot = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
threading.Thread(
    target=give_orders, args=(context, service.base, boot, standing[ORDERED]["state"]), daemon=True
).start()
player = subprocess.Popen(
    [str(PLAYER), "/run/schedule", str(chip.lines)], env=dict(os.environ), stdout=subprocess.DEVNULL
)
while service.process.poll() is None:
    if feed.poll(500):
        topic, body = feed.recv_multipart()
        event = json.loads(body)
        if "sequence" in event and "heartbeat" not in event["type"]:
            report("seen", chain=event["data"]["table"], id=event["id"], digest=digest(body), type=event["type"])
report("failed", why=f"the service ended with {service.process.returncode}: {service.log()}")
