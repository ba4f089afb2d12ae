"""Install, upgrade over running tables, downgrade, remove, install again, purge: on a Debian without the product."""

import hashlib
import subprocess
from pathlib import Path

from tests.vm.guest.installation import (
    BASE,
    JOURNAL,
    ROULETTE,
    SETTINGS,
    STATE,
    WHEEL,
    check,
    environment,
    events,
    install_tables,
    is_ready,
    main_pid,
    must,
    property_of,
    sh,
    status,
    verified,
    wait,
)
from tests.vm.guest.product import HOST, option

OLD, NEW, NEWEST = (HOST / path for path in option("debs").split(","))


def dpkg(words: str, **given: str) -> tuple[int, str]:
    """`dpkg` as a person runs it without a terminal; its exit code, and what it printed."""
    command = f"dpkg --force-unsafe-io {words}"
    done = subprocess.run(
        command, shell=True, env={**environment(), **given}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def version() -> str:
    """The installed version; empty where there is none."""
    state, _, number = sh("dpkg-query -W -f '${db:Status-Status} ${Version}' feltwire").partition(" ")
    return number if state == "installed" else ""


def digest(path: Path) -> str:
    """A digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def both(state: str) -> None:
    """Waits until both tables are in a state."""
    wait(lambda: is_ready() and {one["state"] for one in status()["tables"].values()} == {state}, f"tables {state}")


def order(verb: str) -> None:
    """An order to both tables, by root."""
    for table in (WHEEL, ROULETTE):
        must(f"feltwire send {BASE} {verb} --table {table} --by technician")


# --- install ----------------------------------------------------------------------------------------------------------

code, told = dpkg(f"-i {OLD}")
check("it installs without a network and without a question", code == 0 and version() == "1.0", told)
check("it says what to do next", "write a table's file next" in told, told)
check("nothing has failed", not sh("systemctl --failed --no-legend --plain"), sh("systemctl --failed --no-legend"))
for path, mode in (
    (STATE, "feltwire feltwire 700"),
    (SETTINGS, "root root 755"),
    (Path("/opt/feltwire/lib"), "root root 755"),
):
    found = sh(f"stat -c '%U %G %a' {path}")
    check(f"{path} belongs to whom it should", found == mode, found)
for name in ("usr/share/man/man1/feltwire-run.1.gz", "usr/share/bash-completion/completions/feltwire"):
    check(f"/{name} is there", Path("/", name).exists())
completed = sh(
    "bash -c '. /usr/share/bash-completion/completions/feltwire; COMP_WORDS=(feltwire jour); COMP_CWORD=1; "
    '_feltwire_completion feltwire jour feltwire; echo "${COMPREPLY[@]}"\''
)
check("the shell completes commands", completed == "journal", completed)
told = sh(
    "systemd-analyze verify --man=no /usr/lib/systemd/system/feltwire*.service /usr/lib/systemd/system/feltwire*.timer"
)
check("systemd has nothing against the units", "feltwire" not in told, told)
told = sh("udevadm test /sys/devices/virtual/tty/tty0")
check(
    "udev reads the rules, and has nothing against them",
    "/60-feltwire.rules" in told and "60-feltwire.rules:" not in told,
    [line for line in told.splitlines() if "feltwire" in line],
)
check("its own account, without a shell", "nologin" in sh("getent passwd feltwire"), sh("getent passwd feltwire"))
check(
    "the command works from any folder and for any user",
    "version" in sh("cd / && runuser -u nobody -- feltwire --version"),
)
told = sh("feltwire check /usr/share/doc/feltwire/examples/roulette_on_pi.toml")
check("an example is right", "roulette_on_pi.toml: table roulette-4" in told, told)
install_tables("roulette", "money_wheel")
must("systemctl start feltwire")
both("open")
check(
    "both services start at boot",
    sh("systemctl is-enabled feltwire feltwire-scoreboard feltwire-verify.timer").split() == ["enabled"] * 3,
)

# --- upgrade over running tables --------------------------------------------------------------------------------------

(SETTINGS / "service.env").write_text("# ours\nFELTWIRE_OPTIONS=--seal-seconds 2\n")
process = main_pid()
code, told = dpkg(f"-i {NEW}")
check("an upgrade is refused while a table is open", code != 0 and version() == "1.0", (code, version(), told))
check("the refusal names the tables and the way out", WHEEL in told and "FELTWIRE_STOP_OPEN_TABLES" in told, told)
check(
    "the refusal disturbs nobody",
    main_pid() == process and {one["state"] for one in status()["tables"].values()} == {"open"},
    main_pid(),
)
order("close reason=upgrade")
key, before, toml = digest(STATE / "signing.key"), events(), digest(SETTINGS / "roulette.toml")
code, told = dpkg(f"-i {NEW}")
check("a closed table is upgraded", code == 0 and version() == "1.1", (code, version(), told))
wait(is_ready, "the new version")
after = events()
check(
    "the history goes on",
    [one["id"] for one in after[: len(before)]] == [one["id"] for one in before] and not verified(),
    verified(),
)
check(
    "keys, tables and settings are as they were",
    (digest(STATE / "signing.key"), digest(SETTINGS / "roulette.toml")) == (key, toml)
    and "seal-seconds" in (SETTINGS / "service.env").read_text(),
)
# Their files say that they open by themselves.
both("open")
code, told = dpkg(f"-i {NEWEST}", FELTWIRE_STOP_OPEN_TABLES="yes")
check("told so, it stops open tables", code == 0 and version() == "1.2", (code, version(), told))
both("open")
check("the tables are open again, and the journal verifies", not verified(), verified())

# --- downgrade --------------------------------------------------------------------------------------------------------

order("close reason=test")
code, told = dpkg(f"-i {NEW}")
check("a downgrade is refused", code != 0 and version() == "1.2", (code, version(), told))
check("the refusal says why", "refusing to go back from 1.2 to 1.1" in told, told)
check("the refusal does not disturb the service", {one["state"] for one in status()["tables"].values()} == {"closed"})

# --- remove, and install again with the old state ---------------------------------------------------------------------

order("open")
both("open")
code, told = dpkg("-r feltwire")
check("it is not removed while a table is open", code != 0 and version() == "1.2", (code, told))
order("close reason=test")
count = len(events())
code, told = dpkg("-r feltwire")
check("it is removed", code == 0 and not Path("/usr/bin/feltwire").exists(), (code, told))
check("nothing of it is left below /opt", not Path("/opt/feltwire").exists(), sh("find /opt | head"))
check("nothing of it runs", property_of("ActiveState") == "inactive", property_of("ActiveState"))
check(
    "configuration, history and keys stay",
    JOURNAL.exists() and digest(STATE / "signing.key") == key and (SETTINGS / "roulette.toml").exists(),
)
code, told = dpkg(f"-i {NEW}")
check("an older version is refused over newer history too", code != 0 and "refusing to go back" in told, told)
code, told = dpkg(f"-i {NEWEST}")
check("it is installed again", code == 0 and version() == "1.2", (code, told))
found = sh("systemctl is-enabled feltwire-kiosk feltwire-backup.timer")
check("what was not enabled is neither masked nor enabled", found.split() == ["disabled"] * 2, found)
wait(is_ready, "the service")
check(
    "with the old state", len(events()) > count and not verified() and digest(STATE / "signing.key") == key, verified()
)

# --- purge ------------------------------------------------------------------------------------------------------------

both("open")
order("close reason=test")
code, told = dpkg("--purge feltwire")
left = [
    path for path in ("/opt/feltwire", "/etc/feltwire", "/var/lib/feltwire", "/usr/bin/feltwire") if Path(path).exists()
]
check("purge leaves nothing", code == 0 and not left, (code, left, told))
check(
    "systemd knows no unit of it",
    "feltwire" not in sh("systemctl list-unit-files --no-legend 'feltwire*'"),
    sh("systemctl list-unit-files 'feltwire*'"),
)
check("dpkg is content", sh("dpkg --audit") == "", sh("dpkg --audit"))
code, told = dpkg(f"-i {OLD}")
check("after a purge any version may be installed", code == 0 and version() == "1.0", told)
