"""The scoreboard under its sandbox, and the screen's unit, whose browser is a script that notes what it was given."""

import asyncio
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import aiohttp

from tests.vm.guest.installation import (
    ROULETTE,
    WHEEL,
    check,
    install_tables,
    is_ready,
    must,
    property_of,
    sh,
    wait,
)
from tests.vm.guest.product import report

PAGE = "http://127.0.0.1:8080/"
BOARD, KIOSK = "feltwire-scoreboard.service", "feltwire-kiosk.service"
CAGE = """#!/bin/sh
# Stands for the compositor: notes its user and what it was given, and stays.
{ id -un; id -nG; for word in "$@"; do echo "$word"; done; } >"$HOME/given"
exec sleep 1000000
"""


def served(path: str = "") -> str:
    """What the page answers; empty while nobody does."""
    try:
        with urlopen(PAGE + path, timeout=20) as answer:
            text: str = answer.read().decode()
            return text
    except (URLError, OSError):
        return ""


def pid_of(unit: str) -> int:
    """The process of a unit; 0 where it does not run."""
    return int(property_of("MainPID", unit) or 0)


install_tables("roulette", "money_wheel")
must("systemctl start feltwire")
wait(is_ready, "the service")

# --- the screen, before there is a page -------------------------------------------------------------------------------

sh(f"systemctl start {KIOSK}")
check(
    "without cage and chromium there is no screen, and nothing fails", pid_of(KIOSK) == 0, property_of("Result", KIOSK)
)
for name, text in (("cage", CAGE), ("chromium", "#!/bin/sh\n")):
    program = Path("/usr/bin", name)
    program.write_text(text)
    program.chmod(0o755)
given = Path("/var/lib/feltwire-kiosk/given")
must(f"systemctl mask --runtime --now {BOARD}")
must(f"systemctl start {KIOSK}")
wait(lambda: pid_of(KIOSK) != 0, "the screen's unit")
time.sleep(5)
shown = sh(f"journalctl -u {KIOSK} -o cat --no-pager")
check("the browser waits for the page", not given.exists() and pid_of(KIOSK) != 0, shown)

# --- the scoreboard ---------------------------------------------------------------------------------------------------

must(f"systemctl unmask --runtime {BOARD}; systemctl start {BOARD}")
begun = time.monotonic()
wait(lambda: "<html" in served().lower(), "the page")
report("figure", name="seconds until the scoreboard's page answers", value=round(time.monotonic() - begun, 1))
page = served()
check("the scoreboard serves its page", "<script" in page, page[:600])
user = sh(f"stat -c %U /proc/{pid_of(BOARD)}")
check("as its own user", user == "feltwire-scoreboard", user)
held = sh(f"grep -E 'CapEff|NoNewPrivs' /proc/{pid_of(BOARD)}/status")
check("without a capability", "CapEff:\t0000000000000000" in held and "NoNewPrivs:\t1" in held, held)
exposure = sh(f"systemd-analyze security {BOARD} --no-pager | tail -1")
report("figure", name="exposure of the scoreboard", value=exposure.split(":")[-1].strip())
check("its exposure is at most 2.0", float(exposure.split(":")[-1].split()[0]) <= 2.0, exposure)


# What a browser gets over the page's connection: the boards of both tables.
async def boards(*wanted: str) -> bool:
    """Whether a page that connects gets the boards of these tables."""
    got = ""
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{PAGE}live", origin=PAGE.rstrip("/")) as live:
        await live.send_str("{}")
        async with asyncio.timeout(60):
            while not all(table in got for table in wanted):
                got += await live.receive_str()
    return True


check("a page gets the boards of both tables", asyncio.run(boards(WHEEL, ROULETTE)))

# --- the screen -------------------------------------------------------------------------------------------------------

# The file is there before the program has written into it.
wait(lambda: given.exists() and PAGE in given.read_text(), "the browser")
user, groups, *words = given.read_text().splitlines()
check("the browser comes once the page answers, as a user of its own", user == "feltwire-kiosk", user)
check("with the groups of the screen", {"video", "input"} <= set(groups.split()), groups)
check("on the whole screen, with the page", "--kiosk" in words and words[-1] == PAGE, words)
old = pid_of(KIOSK)
given.unlink()
must(f"kill -9 {old}")
wait(lambda: given.exists() and pid_of(KIOSK) not in (0, old), "the screen after a crash")
check("a browser that crashed is started again", pid_of(KIOSK) not in (0, old))
must(f"systemctl stop {KIOSK}")
old = pid_of(BOARD)
must(f"kill -9 {old}")
wait(lambda: pid_of(BOARD) not in (0, old) and "<html" in served().lower(), "the page after a crash")
check("a scoreboard that crashed is started again", "<html" in served().lower())
check("no unit has failed", not sh("systemctl --failed --no-legend --plain"), sh("systemctl --failed --no-legend"))
