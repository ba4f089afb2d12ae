"""A calendar that jumps, a disk that fills up, a root that cannot be written: the installed service continues."""

import time
from pathlib import Path

from tests.vm.guest.installation import (
    BASE,
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
from tests.vm.guest.product import FELTWIRE

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


def halted(how: str, cause: str) -> None:
    """Gives an order that the disk does not take."""
    order = f"send {BASE} close reason=test --table {WHEEL} --by technician"
    answered = sh(f"runuser -u feltwire -- {FELTWIRE} {order}; echo code $?")
    check(f"{how}: an order that the disk did not take is not answered with yes", "code 0" not in answered, answered)
    wait(lambda: "HALTED" in property_of("StatusText"), "the halt")
    check(f"{how}: the service halts and states why", cause in property_of("StatusText"), log())


def mended(how: str) -> None:
    """Starts the service again; the tables come back open."""
    sh("systemctl restart feltwire")
    wait(lambda: is_ready() and states() == {"open"}, "both tables open after that")
    check(f"{how}: once it can be written, the history is whole", len(events()) >= count and not verified(), verified())


# All file systems at once, as a kernel in trouble does it: what is open is synced with yes, and not written.
Path("/proc/sysrq-trigger").write_text("u")
time.sleep(2)
halted("turned read-only", "read-only")
must(f"mount -o remount,rw {STATE}")
mended("turned read-only")
count = len(events())
# By an error of the file system.
must(f"mount -o remount,errors=remount-ro {STATE}")
must("echo simulated > /sys/fs/ext4/ubdb/trigger_fs_error")
halted("an error of the card", "the disk answered with an error")
must(f"systemctl stop feltwire && umount {STATE} && mount -t ext4 /dev/ubdb {STATE}")
mended("an error of the card")
