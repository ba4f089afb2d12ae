"""A calendar that jumps, a disk that fills up, a root that cannot be written: the installed service goes on."""

import time
from pathlib import Path

from tests.vm.guest.installation import (
    ROULETTE,
    STATE,
    WHEEL,
    check,
    events,
    install_tables,
    is_ready,
    log,
    main_pid,
    must,
    property_of,
    send,
    sh,
    status,
    verified,
    wait,
)

YEAR = "365 days"
LEAVES_KB = 9_000
"""Less than the 16 MB with which play stops."""


def states() -> set[str]:
    """The states of all tables."""
    return {one["state"] for one in status()["tables"].values()}


def faults() -> str:
    """The faults that stand."""
    return str({table: one["faults"] for table, one in status()["tables"].items()})


install_tables("roulette", "money_wheel")
must("systemctl start feltwire")
wait(lambda: is_ready() and states() == {"open"}, "both tables open")
process = main_pid()

# --- the calendar -----------------------------------------------------------------------------------------------------

must(f"date -u -s '+{YEAR}'")
wait(lambda: states() == {"shut"}, "the fault of the calendar")
check("a calendar set by a year is a fault of every table", faults().count("clock_jumped") == 2, faults())
check("the service plays on steady time: it is the same process", main_pid() == process, property_of("Result"))
for table in (WHEEL, ROULETTE):
    send(f"clear device=clock --table {table}")
wait(lambda: states() == {"open"}, "both tables open again")
must(f"date -u -s '-{YEAR}'")
wait(lambda: states() == {"shut"}, "the fault of the calendar that went back")
told = send(f"clear device=clock --table {WHEEL}")
check("behind the journal's newest record it cannot be cleared", states() == {"shut"}, told)
must(f"date -u -s '+{YEAR}'")
time.sleep(2)
for table in (WHEEL, ROULETTE):
    send(f"clear device=clock --table {table}")
wait(lambda: states() == {"open"}, "both tables open a third time")
check("no restart by all that", main_pid() == process, property_of("NRestarts"))
check("the journal verifies", not verified(), verified())

# --- the disk ---------------------------------------------------------------------------------------------------------

free_kb = int(sh(f"df --output=avail -k {STATE} | tail -1"))
must(f"fallocate -l {free_kb - LEAVES_KB}K {STATE}/filled")
wait(lambda: "disk_nearly_full" in faults(), "the fault of the disk")
check("a disk that fills up stops play while that can still be journalled", states() == {"shut"}, faults())
check("systemctl status names it", "disk_nearly_full" in property_of("StatusText"), property_of("StatusText"))
Path(STATE, "filled").unlink()
time.sleep(12)
for table in (WHEEL, ROULETTE):
    send(f"clear device=disk --table {table}")
wait(lambda: states() == {"open"}, "both tables open after the disk")
check("nothing was lost", not verified(), verified())

# --- a root that cannot be written ------------------------------------------------------------------------------------

must("systemctl stop feltwire")
must("mount -o remount,ro /")
check("the root cannot be written", "Read-only" in sh("touch /etc/x"))
must("systemctl start feltwire")
wait(lambda: is_ready() and states() == {"open"}, "both tables open on a read-only root")
check("it runs with a root that cannot be written", is_ready(), log())
count = len(events())

# --- a card that turns read-only --------------------------------------------------------------------------------------

Path("/proc/sysrq-trigger").write_text("u")
time.sleep(2)
send(f"close reason=test --table {WHEEL}")
wait(lambda: "HALTED" in property_of("StatusText"), "the halt")
check("a journal that cannot be written halts the service, which says so", "HALTED" in property_of("StatusText"), log())
must(f"mount -o remount,rw {STATE}")
sh("systemctl restart feltwire")
wait(lambda: is_ready() and "HALTED" not in property_of("StatusText"), "the service after that")
check("once it can be written, the history is whole", len(events()) >= count and not verified(), verified())
