"""The nights of an installed computer: timers verify, archive and back up onto a stick. 500 days pass in a moment."""

import time
from pathlib import Path

from tests.vm.guest.installation import (
    JOURNAL,
    ROULETTE,
    SETTINGS,
    STATE,
    WHEEL,
    check,
    events,
    feltwire,
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

LATER = "500 days"
"""Longer than history is kept (400)."""
TIMERS = {"feltwire-verify.timer": "04:3", "feltwire-backup.timer": "05:"}
"""Each timer, and how the time begins at which it is due."""
STICK = Path("/run/stick")


def states() -> set[str]:
    """The states of all tables."""
    return {one["state"] for one in status()["tables"].values()}


def log_of(unit: str) -> str:
    """All that a unit logged."""
    return sh(f"journalctl -u {unit} -o cat --no-pager")


def ended(unit: str, begun: str) -> bool:
    """Whether a unit has run to its end since it had this invocation."""
    return property_of("InvocationID", unit) != begun and property_of("ActiveState", unit) in ("inactive", "failed")


# --- the timers -------------------------------------------------------------------------------------------------------

install_tables("roulette", "money_wheel")
must("systemctl start feltwire")
wait(lambda: is_ready() and states() == {"open"}, "both tables open")
for timer in TIMERS:
    # The first is enabled by the package; the second as docs/service.md has it.
    must(f"systemctl enable --now {timer}")
for timer, begins in TIMERS.items():
    due = property_of("NextElapseUSecRealtime", timer)
    check(f"{timer} is due at night", f" {begins}" in due or " 04:40" in due, due)
# Something to verify, archive and copy; sealed each second.
for verb in ("close reason=test", "open") * 3:
    for table in (WHEEL, ROULETTE):
        send(f"{verb} --table {table}")
    time.sleep(1.2)
# The seals of each second are of single tables; what is archived ends with one of all, as a service's end writes it.
before = events()
check("there is history", len(before) > 10, len(before))
must("systemctl restart feltwire")
wait(lambda: is_ready() and states() == {"open"}, "both tables open after the restart")

# --- a computer that was off ------------------------------------------------------------------------------------------

must(f"systemctl stop {' '.join(TIMERS)}")
process = main_pid()
must(f"date -u -s '+{LATER}'")
wait(lambda: states() == {"shut"}, "the fault of the calendar")
for table in (WHEEL, ROULETTE):
    send(f"clear device=clock --table {table}")
wait(lambda: states() == {"open"}, "both tables open again")
for timer in TIMERS:
    folder = Path(f"/run/systemd/system/{timer}.d")
    folder.mkdir(parents=True)
    # The delay that spreads the work of many computers is what no test waits for.
    (folder / "soon.conf").write_text("[Timer]\nRandomizedDelaySec=0\nAccuracySec=1s\n")
# A disk of this machine in the place of a stick.
folder = Path("/run/systemd/system/feltwire-backup.service.d")
folder.mkdir(parents=True)
(folder / "machine.conf").write_text("[Service]\nDeviceAllow=block-ubd rw\n")
must("systemctl daemon-reload")
verify_begun, archive_begun, backup_begun = (
    property_of("InvocationID", f"feltwire-{one}.service") for one in ("verify", "archive", "backup")
)
must("systemctl start feltwire-verify.timer")
wait(lambda: ended("feltwire-verify.service", verify_begun), "the verification that the timer makes up for")
check(
    "a night that was missed is made up for: the journal is verified",
    property_of("Result", "feltwire-verify.service") == "success",
    log_of("feltwire-verify")[-800:],
)
wait(lambda: ended("feltwire-archive.service", archive_begun), "the archive's turn")
told = log_of("feltwire-archive")
check("nothing is archived while a table is open, and why is said", "not today:" in told and WHEEL in told, told)
check("the service is not disturbed", main_pid() == process and states() == {"open"}, main_pid())

# --- the archive ------------------------------------------------------------------------------------------------------

for table in (WHEEL, ROULETTE):
    send(f"close reason=night --table {table}")
wait(lambda: states() == {"closed"}, "both tables closed")
archive_begun = property_of("InvocationID", "feltwire-archive.service")
must("systemctl start feltwire-verify")
wait(lambda: ended("feltwire-archive.service", archive_begun), "the archive's turn")
archives = list((STATE / "archives").glob("*.sqlite"))
check("closed tables: what is older than 400 days is archived", len(archives) == 1, log_of("feltwire-archive")[-1500:])
if archives:
    told = feltwire(f"journal verify {archives[0]}")
    check("the archive verifies by itself", "verified: nothing was changed" in told, told)
    old = feltwire(f"journal export {archives[0]}")
    check("it holds the history of then", all(one["id"] in old for one in before), f"{len(before)} events before")
    left = {one["id"] for one in events()}
    check("the journal holds it no more", not left & {one["id"] for one in before}, len(left))
wait(lambda: is_ready() and main_pid() not in (0, process), "the service after the archive")
wait(lambda: states() == {"open"}, "both tables open: so their files have it")
check("the journal verifies after it", not verified(), verified())

# --- the stick --------------------------------------------------------------------------------------------------------

(SETTINGS / "backup.env").write_text("BACKUP_TO=LABEL=NOBODY\n")
sh("systemctl start feltwire-backup.service")
told = log_of("feltwire-backup")
check("without the stick it fails, and names it", "LABEL=NOBODY: no such stick is plugged in" in told, told[-600:])
check("a failed night is in systemctl --failed", "feltwire-backup" in sh("systemctl --failed --no-legend --plain"))
(SETTINGS / "backup.env").write_text("")
backup_begun = property_of("InvocationID", "feltwire-backup.service")
must("systemctl start feltwire-backup.timer")
wait(lambda: ended("feltwire-backup.service", backup_begun), "the backup that the timer makes up for")
told = log_of("feltwire-backup")
check("backed up onto the stick", property_of("Result", "feltwire-backup.service") == "success", told[-1500:])
check("the stick is not left mounted", "/run/feltwire-backup/stick" not in sh("cat /proc/mounts"))
STICK.mkdir()
must(f"mount /dev/disk/by-label/FELTWIRE {STICK}")
copies = list(STICK.glob("feltwire-*/*.sqlite"))
check("the copy of the journal is there", len(copies) == 1, sh(f"find {STICK}"))
if copies:
    told = sh(f"feltwire journal verify {copies[0]}")
    check("the copy verifies", "verified: nothing was changed" in told, told)
held = sh(f"tar tzf {STICK}/feltwire-*/*.tar.gz")
check("the tables' files are there, and no secret", "roulette.toml" in held and "signing.key" not in held, held)
check("the service played on", is_ready() and JOURNAL.exists() and states() == {"open"}, log())
