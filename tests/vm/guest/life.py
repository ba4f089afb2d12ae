"""The life of an installed service: start, stop, crashes, what it may open, what the log shows."""

import os
import signal
import time
from functools import partial
from pathlib import Path

from tests.vm.guest.installation import (
    BASE,
    JOURNAL,
    ROULETTE,
    SETTINGS,
    WHEEL,
    check,
    events,
    feltwire,
    in_cgroup_of_service,
    install_tables,
    is_ready,
    lamp,
    log,
    main_pid,
    must,
    property_of,
    restarted,
    send,
    sh,
    status,
    verified,
    wait,
)
from tests.vm.guest.product import report
from tests.vm.guest.spins import Spin

STOP_S = 5.0
WATCHDOG_S = 10.0

# --- before a table's file is there -----------------------------------------------------------------------------------

check(
    "no unit has failed", not sh("systemctl --failed --no-legend --plain"), sh("systemctl --failed --no-legend --plain")
)
must("systemctl start feltwire")
check(
    "without a table nothing runs, and nothing fails", property_of("ActiveState") == "inactive", property_of("Result")
)
check("chips belong to the group gpio", sh("stat -c '%G %a' /dev/gpiochip0") == "gpio 660", sh("ls -l /dev/gpiochip*"))

# --- ready ------------------------------------------------------------------------------------------------------------

install_tables("roulette", "money_wheel")
begun = time.monotonic()
must("systemctl start feltwire")
report("figure", name="seconds from start to ready", value=round(time.monotonic() - begun, 1))
check("ready", is_ready(), property_of("SubState"))
wait(lambda: {one["state"] for one in status()["tables"].values()} == {"open"}, "both tables open")
check(
    "two tables on one computer play in one service",
    sorted(status()["tables"]) == [WHEEL, ROULETTE],
    status()["tables"].keys(),
)
status_text = property_of("StatusText")
check(
    "systemctl status shows the state of each table",
    all(f"{one} open" in status_text for one in (WHEEL, ROULETTE)),
    status_text,
)
first = sh("journalctl -u feltwire -o cat --no-pager")
check("the log has the public half of the key to note", "note its public half" in first, first)
check("root is not needed", f"{main_pid()}" and sh(f"stat -c %U /proc/{main_pid()}") == "feltwire")
capabilities = sh(f"grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/{main_pid()}/status")
check(
    "no capability, no new ones",
    "CapEff:\t0000000000000000" in capabilities and "NoNewPrivs:\t1" in capabilities,
    capabilities,
)
exposure = sh("systemd-analyze security feltwire.service --no-pager | tail -1")
report("figure", name="exposure as systemd-analyze sees it", value=exposure.split(":")[-1].strip())
check("exposure is at most 1.0", float(exposure.split(":")[-1].split()[0]) <= 1.0, exposure)

# --- devices ----------------------------------------------------------------------------------------------------------

check(
    "its own chip may be opened",
    in_cgroup_of_service("/dev/gpiochip0") == "opened",
    in_cgroup_of_service("/dev/gpiochip0"),
)
for other in ("/dev/gpiochip1", "/dev/ubda", "/dev/tty1"):
    got = in_cgroup_of_service(other)
    check(f"{other} is refused", "PermissionError" in got, got)

# --- who may read, who may command ------------------------------------------------------------------------------------

board = "runuser -u feltwire-scoreboard -G feltwire --"
heard = sh(f"{board} timeout 40 feltwire watch {BASE}")
check("the scoreboard's user reads the feed", f"{WHEEL} is open" in heard, heard)
told = sh(f"{board} feltwire send {BASE} close reason=x --table {WHEEL} --timeout 3; echo code $?")
check(
    "the scoreboard's user commands nothing",
    "code 0" not in told and status()["tables"][WHEEL]["state"] == "open",
    told,
)
check(
    "nobody else enters the folder of the sockets", "Permission denied" in sh("runuser -u nobody -- ls /run/feltwire")
)
check("nobody else reads the state", "Permission denied" in sh("runuser -u nobody -- ls /var/lib/feltwire"))

# --- killed in a spin -------------------------------------------------------------------------------------------------

spin = Spin()
spin.wait_begun()
wait(lambda: lamp() == 1, "the lamp lit")
old = main_pid()
os.kill(old, signal.SIGKILL)
report("figure", name="seconds from SIGKILL to ready again", value=wait(lambda: restarted(old), "a restart"))
void = [one["data"].get("reason") for one in events("round.void", WHEEL)]
check("the round in which it was killed is void by power_loss", "power_loss" in void, void)
# The capture plays on, and its next call may light the lamp again: it has to go out, not to stay as it was.
wait(lambda: lamp() == 0, "the lamp out after the restart")
check("the journal verifies after SIGKILL", not verified(), verified())
spin.end()

# --- frozen -----------------------------------------------------------------------------------------------------------

old = main_pid()
frozen = time.monotonic()
os.kill(old, signal.SIGSTOP)
wait(lambda: restarted(old), "a restart by the watchdog")
report(
    "figure",
    name=f"seconds from SIGSTOP to ready again (watchdog {WATCHDOG_S:g} s)",
    value=round(time.monotonic() - frozen, 1),
)
manager = sh("journalctl --no-pager -o cat _PID=1 -u feltwire | grep -i watchdog | tail -3")
check("a frozen process is ended by the watchdog", "atchdog" in manager, manager)

# --- stopped in a spin ------------------------------------------------------------------------------------------------

spin = Spin()
spin.wait_begun()
begun = time.monotonic()
must("systemctl stop feltwire")
took = time.monotonic() - begun
report("figure", name="seconds of a stop in a spin", value=round(took, 1))
check("it stops within 5 s", took < STOP_S, took)
check(
    "it stopped in order",
    property_of("Result") == "success" and property_of("ExecMainStatus") == "0",
    property_of("Result"),
)
check("outputs are safe after the stop", lamp() == 0)
check("the journal verifies after the stop", not verified(), verified())
spin.end()
must("systemctl start feltwire")

# --- back-off ---------------------------------------------------------------------------------------------------------

waits = []
DELAYS_S = (1, 2, 4, 8)
for _ in DELAYS_S:
    wait(is_ready, "ready")
    old = main_pid()
    begun = time.monotonic()
    os.kill(old, signal.SIGKILL)
    wait(partial(restarted, old), "a restart")
    waits.append(round(time.monotonic() - begun, 1))
report("figure", name="seconds of four restarts, one after the other", value=waits)
counted = Path("/run/feltwire/failures").read_text().split()[0]
check("failures that follow each other are counted", counted == "4" or max(waits) > 60, (counted, waits))
# The wait begins with the failure, and what else a start waits for may take as long: a slow machine waits no longer.
check(
    "restarts that follow each other wait longer",
    all(took >= delay for took, delay in zip(waits, DELAYS_S, strict=True)),
    waits,
)

# --- ended by a command, and by a mistake -----------------------------------------------------------------------------

told = send("quit")
wait(lambda: property_of("ActiveState") == "inactive", "the end")
time.sleep(3)
check("after quit it stays ended", property_of("ActiveState") == "inactive", told)
file = SETTINGS / "roulette.toml"
right = file.read_text()
file.write_text(right.replace('"roulette"', '"rulette"', 1))
sh("systemctl start feltwire")
wait(lambda: property_of("ActiveState") == "failed", "a start that fails")
check(
    "a mistake in a file ends it with 2, for good",
    property_of("ExecMainStatus") == "2" and property_of("NRestarts") == "0",
    property_of("NRestarts"),
)
check(
    "the log names file, line and fix",
    '/etc/feltwire/roulette.toml:4: table.game: unknown game "rulette"; did you mean' in log(),
    log(),
)
file.write_text(right)
must("systemctl reset-failed feltwire; systemctl start feltwire")

# --- maintenance ------------------------------------------------------------------------------------------------------

must("systemctl start feltwire-verify")
check(
    "the journal is verified beside the running service",
    property_of("Result", "feltwire-verify.service") == "success",
    sh("journalctl -u feltwire-verify -o cat --no-pager | tail -5"),
)
wait(
    lambda: (
        property_of("ActiveState", "feltwire-archive.service") == "inactive"
        and "nothing to archive" in sh("journalctl -u feltwire-archive -o cat --no-pager")
    ),
    "the archive's turn after it",
)
check("nothing young is archived, and the service is not stopped for it", is_ready())
(SETTINGS / "backup.env").write_text("BACKUP_TO=/srv\nBACKUP_KEEP=2\n")
for _ in range(3):
    must("systemctl start feltwire-backup")
    time.sleep(1.1)
copies = sh("ls /srv/feltwire-*/*.sqlite").split()
check("a backup is made beside the running service, and the last two are kept", len(copies) == 2, copies)
told = feltwire(f"journal verify {copies[-1]}; echo code $?") if copies else ""
check("the backup verifies", "verified: nothing was changed" in sh(f"feltwire journal verify {copies[-1]}"), told)
check("no secret is in the backup", "signing.key" not in sh("tar tzf /srv/feltwire-*/*.tar.gz; ls /srv/feltwire-*"))
check("the service played on", JOURNAL.exists() and not verified(), verified())
