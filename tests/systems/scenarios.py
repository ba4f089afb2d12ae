"""What is tried in a clean root: the quick start, a package's life, a release's repository, a change of the system."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from itertools import zip_longest
from pathlib import Path
from typing import Final
from urllib.request import urlopen

from systemd.package.build import Built
from systemd.package.release import assemble
from systemd.package.repository import KEYRING, signer
from systemd.package.systems import ROOT, SYSTEMS
from systemd.package.version import project_number, version
from systemd.package.wheels import pip
from tests.systems.packages import FIRST_NUMBER, first_release, outcome_line, packages
from tests.systems.report import Report
from tests.systems.roots import CACHE, Root, RootError, root, run

PATIENCE_S: Final = 900.0
"""Ends a wait that nothing ends; a busy computer with an emulator is slow."""
GUEST: Final = "guest"
EXAMPLES: Final = "/usr/share/doc/feltwire/examples"
PLAYED: Final = f"simulate {EXAMPLES}/roulette.toml --rounds 3 --seed 5 --fault same_direction@2"
STATE: Final = "/var/lib/feltwire"
QUICK_START: Final = re.compile(r"## Two commands.*?```sh\n(.*?)```", re.DOTALL)
PAGE: Final = re.compile(r"http://127\.0\.0\.1:(\d+)/")
LEFT: Final = (
    "/opt/feltwire",
    "/usr/local/lib/feltwire",
    "/etc/feltwire",
    STATE,
    "/usr/bin/feltwire",
    "/usr/lib/systemd/system/feltwire.service",
)


def quick_start(report: Report, at: Root) -> None:
    """The commands of the README, as an ordinary user of a system on which nothing was installed."""
    found = QUICK_START.search((ROOT / "README.md").read_text(encoding="utf-8"))
    if found is None:
        raise RootError("README.md has no commands below '## Two commands'")
    lines = [line.partition("#")[0].strip() for line in found[1].splitlines()]
    installing = next(line for line in lines if line.startswith("sudo apt install"))
    cloning = next(line for line in lines if line.startswith("git clone"))
    at.must("apt-get update -q && apt-get install -q sudo")
    at.must(f"useradd --create-home {GUEST}; echo '{GUEST} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/guest")
    with report.timed(installing):
        at.must(installing, GUEST)
    run(["git", "clone", "-q", "--bare", "--no-hardlinks", str(ROOT), str(at.path("/srv/feltwire.git"))])
    at.must(f"chown -R {GUEST} /srv/feltwire.git")
    at.must(f"cd && {cloning.replace('<this repository>', '/srv/feltwire.git')} && git log -1 --oneline", GUEST)
    with report.timed("make run, with the set-up, to its first outcome"):
        _play(report, at, "cd ~/feltwire && exec make run")


def _play(report: Report, at: Root, words: str) -> None:
    """Runs simulated tables until there are a page and an outcome, and ends them as Ctrl-C does."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            at.command(words, GUEST), stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        end = time.monotonic() + PATIENCE_S
        text, page = "", ""
        while time.monotonic() < end and process.poll() is None and not (page and outcome_line(text)):
            time.sleep(1)
            output.seek(0)
            text = output.read()
            address = PAGE.search(text)
            if address is not None and not page:
                page = _page(address[0])
        report.check("make run publishes an outcome", outcome_line(text), text)
        report.check("the scoreboard's page answers", "<title>" in page, text)
        report.figure("the first outcome", outcome_line(text))
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            report.check("make run ends with Ctrl-C", False, text)
        else:
            report.check("make run ends with Ctrl-C", True)


def _page(address: str) -> str:
    """The page; empty while it does not answer."""
    try:
        with urlopen(address, timeout=5) as answer:
            body: bytes = answer.read()
    except OSError:
        return ""
    return body.decode()


def make_install(report: Report, at: Root) -> None:
    """`sudo make install` in the checkout of an ordinary user, with compiled modules and then without."""
    at.must("apt-get install -q gcc libc6-dev python3-dev")
    with report.timed("sudo make install COMPILED=1"):
        at.must("cd ~/feltwire && sudo make install COMPILED=1", GUEST)
    compiled = at.must("feltwire --version")
    report.check("its modules are compiled", "compiled by mypyc" in compiled, compiled)
    with report.timed("sudo make install"):
        at.must("cd ~/feltwire && sudo make install", GUEST)
    report.check("it is installed", _installed(at) != "", at.run("dpkg -l feltwire")[1])
    plain = at.must("feltwire --version")
    report.check("it replaces the compiled one of the same version", plain.rstrip().endswith(", plain"), plain)
    roots = at.must(f"find /home/{GUEST} -user root")
    report.check("no file in the checkout belongs to root", roots == "", roots)
    at.must("apt-get purge -q feltwire")


def package_life(report: Report, at: Root) -> None:
    """Refusals, the first release, its upgrade with a journal, units, removal, purge."""
    for (system, arch), deb in packages().items():
        if arch == at.arch and system != at.suite:
            code, text = at.run(f"dpkg -i {at.bring(deb)}")
            words = f"this package is for {SYSTEMS[system].words}" in text
            nothing = not at.path("/opt/feltwire").exists()
            report.check(
                f"the package of {system} is refused in words before it is unpacked", code and words and nothing, text
            )
            at.run("dpkg --purge --force-all feltwire")
        elif system == at.suite and arch != at.arch:
            code, text = at.run(f"dpkg -i {at.bring(deb)}")
            report.check(f"the package of {arch} is refused", code and "does not match system" in text, text)
    at.must(f"apt-get install -q {at.bring(first_release(at.suite))}")
    ending = SYSTEMS[at.suite].ending
    report.check("the first release is installed", _installed(at) == f"{FIRST_NUMBER}{ending}", _installed(at))
    journal = _journal(at)
    key = at.must(f"sha256sum {STATE}/signing.key {STATE}/sim/signing.key 2>/dev/null; true")
    count = _events(at, journal)
    report.check("it keeps a journal", count > 0, count)
    with report.timed("upgrade"):
        at.must(f"apt-get install -q {at.bring(packages()[at.suite, at.arch])}")
    report.check("this version is installed", _installed(at) == f"{version().text}{ending}", _installed(at))
    verified, text = at.run(f"runuser -u feltwire -- feltwire journal verify {journal}")
    report.check("it verifies the journal of the first release", verified == 0, text)
    _journal(at)
    report.check("and goes on with it", _events(at, journal) > count, _events(at, journal))
    same = at.must(f"sha256sum {STATE}/signing.key {STATE}/sim/signing.key 2>/dev/null; true") == key
    report.check("with the same key", same)
    installed_checks(report, at)
    others(report, at)
    code, text = at.run(f"dpkg -i {at.bring(first_release(at.suite))}")
    report.check("the first release is refused over it", code and "refusing to go back" in text, text)
    removal(report, at)


def installed_checks(report: Report, at: Root) -> None:
    """What holds for an installed package on either architecture."""
    code, text = at.run("feltwire --version")
    report.check("the command states its version", code == 0 and project_number() in text, text)
    code, text = at.run(f"feltwire check {EXAMPLES}/roulette_on_pi.toml")
    report.check("an example of the package is right", code == 0 and "roulette-4" in text, text)
    played = at.run(f"cd / && feltwire {PLAYED}")[1]
    ours = PLAYED.replace(EXAMPLES, str(ROOT / "examples"))
    here = run(["sh", "-c", f"{shlex.quote(str(ROOT / '.venv/bin/feltwire'))} {ours} 2>&1"])
    report.check(
        "simulated rounds are those of this computer, byte for byte", played == here, _difference(played, here)
    )
    units = "/usr/lib/systemd/system/feltwire*.service /usr/lib/systemd/system/feltwire*.timer"
    text = at.run(f"systemd-analyze verify --man=no {units}")[1]
    report.check("systemd has nothing against the units", "feltwire" not in text, text)
    owners = at.must(f"stat -c '%U %G %a' {STATE} /etc/feltwire /opt/feltwire/lib").splitlines()
    report.check(
        "folders belong to whom they should", owners == ["feltwire feltwire 700", *["root root 755"] * 2], owners
    )
    wanted = at.must("systemctl --root=/ is-enabled feltwire feltwire-scoreboard feltwire-verify.timer").split()
    report.check("the services start at boot", wanted == ["enabled"] * 3, wanted)
    files = at.must("dpkg --verify feltwire")
    report.check("every file is as it was packed", files == "", files)
    named = at.must("cat /usr/share/doc/feltwire/copyright")
    report.check("the licences of others are there", "libzmq" in named and "Chris Liechti" in named)


def others(report: Report, at: Root) -> None:
    """A package of somebody else, and RPi.GPIO where its last systems are, beside the installed package."""
    table = "/srv/fair-wheel.toml"
    # The quick start installed it.
    at.must("apt-get purge -q 'python3*-venv'")
    code, text = at.run("feltwire-pip list")
    report.check("feltwire-pip names what it needs", code == 1 and "sudo apt install python3-venv" in text, text)
    at.must("apt-get install -q python3-venv")
    code, text = at.run(f"feltwire check {at.bring(ROOT / 'examples/plugin/fair-wheel.toml')}")
    report.check("check names how a package is installed", code == 2 and "sudo feltwire-pip install" in text, text)
    with tempfile.TemporaryDirectory(prefix="feltwire-wheel-") as folder:
        pip("wheel", "--no-deps", "--no-build-isolation", f"--wheel-dir={folder}", str(ROOT / "examples/plugin"))
        (wheel,) = Path(folder).iterdir()
        with report.timed("feltwire-pip install, of a wheel"):
            at.must(f"feltwire-pip install --no-index {at.bring(wheel)}")
    code, text = at.run(f"runuser -u feltwire -- feltwire simulate {table} --rounds 2 --seed 5")
    report.check("its game is played as the service's user", code == 0 and outcome_line(text), text)
    at.must("feltwire-pip uninstall -y fair-wheel")
    report.check("and is gone after it was uninstalled", at.run(f"feltwire check {table}")[0] == 2)
    if at.suite == "bookworm":
        rpi_gpio(report, at)


def rpi_gpio(report: Report, at: Root) -> None:
    """RPi.GPIO, built from its sources: it begins, and states that this computer is not a Pi."""
    at.must("apt-get install -q gcc python3-dev")
    with report.timed("feltwire-pip install RPi.GPIO"):
        at.must("feltwire-pip install RPi.GPIO")
    table = at.path("/srv/legacy.toml")
    text = at.must(f"cat {EXAMPLES}/money_wheel_on_pi.toml")
    table.write_text(re.sub(r"^backend = .*$", 'backend = "gpiozero"\nfactory = "rpigpio"', text, flags=re.MULTILINE))
    # As on its last kernels: newer ones are refused before it is asked.
    code, text = at.run("setarch --uname-2.6 feltwire record /srv/legacy.toml /srv/legacy.vcd --seconds 1")
    report.check("RPi.GPIO is found", code == 1 and "This module can only be run on a Raspberry Pi" in text, text)


def _difference(one: str, other: str) -> str:
    """The first line in which two texts differ."""
    pairs = zip_longest(one.splitlines(), other.splitlines())
    return next((f"{first!r} instead of {second!r}" for first, second in pairs if first != second), "")


def removal(report: Report, at: Root) -> None:
    """Removal keeps what is the administrator's, purge deletes it."""
    at.must("cp /usr/share/doc/feltwire/examples/roulette.toml /etc/feltwire/ && apt-get remove -q feltwire")
    kept = at.path("/etc/feltwire/roulette.toml").exists() and at.path(STATE).exists()
    report.check("removal keeps configuration and history", kept and not at.path("/usr/bin/feltwire").exists())
    report.check("nothing is left below /opt", not at.path("/opt/feltwire").exists())
    at.must("apt-get purge -q feltwire")
    left = [name for name in LEFT if at.path(name).exists()]
    report.check("purge leaves nothing", left == [], left)
    audit = at.must("dpkg --audit")
    report.check("dpkg is content", audit == "", audit)


def _installed(at: Root) -> str:
    """The installed version; empty where there is none."""
    state, _, number = at.run("dpkg-query -W -f '${db:Status-Status} ${Version}' feltwire")[1].partition(" ")
    return number if state == "installed" else ""


def _journal(at: Root) -> str:
    """Plays simulated tables as the user of the service; the journal that it keeps."""
    table = f"{EXAMPLES}/roulette.toml"
    play = f"feltwire run {table} --speed 40 --seconds 8 --state {STATE} --bind ipc:///run/feltwire"
    at.must(f"install -d -o feltwire -g feltwire -m 710 /run/feltwire && runuser -u feltwire -- {play}")
    found = at.must(f"find {STATE} -name journal.sqlite").split()
    if len(found) != 1:
        raise RootError(f"{at.suite}: {found}: one journal was to be there")
    return found[0]


def _events(at: Root, journal: str) -> int:
    text = at.must(f"runuser -u feltwire -- feltwire journal export {journal}")
    return len([line for line in text.splitlines() if line.startswith("{")])


def repository(report: Report, at: Root) -> None:
    """A signed release's repository, as apt of the system takes it."""
    with tempfile.TemporaryDirectory(prefix="feltwire-release-") as folder:
        out = Path(folder)
        key = out / "secret.asc"
        run(["sh", str(ROOT / "tests/systems/test-key.sh"), str(key)])
        number = project_number()
        with signer(str(key)) as by:
            made = version()._replace(text=number)
            built = [
                Built(deb, deb.with_suffix(".cdx.json"), deb.with_suffix(".provenance.json"))
                for deb in packages().values()
            ]
            assemble(built, number, made, out, by)
        shutil.copytree(out / "apt", at.path("/srv/apt"))
    at.must(f"install -D -m 644 /srv/apt/{KEYRING} /etc/apt/keyrings/{KEYRING}")
    line = f"deb [signed-by=/etc/apt/keyrings/{KEYRING}] file:///srv/apt {at.suite} main"
    at.must(f"echo {shlex.quote(line)} >/etc/apt/sources.list.d/feltwire.list && apt-get update -q")
    code, text = at.run("apt-get install -q feltwire")
    right = _installed(at) == f"{version().text}{SYSTEMS[at.suite].ending}"
    report.check("apt installs the release from its repository", code == 0 and right, text)
    at.must("apt-get purge -q feltwire")
    index = at.path(f"/srv/apt/dists/{at.suite}/main/binary-{at.arch}/Packages")
    index.write_text(index.read_text().replace("Feltwire", "Otherwire"))
    index.with_suffix(".gz").unlink()
    # Else apt keeps what it has, since the signed list of hashes is the same.
    at.must("rm /var/lib/apt/lists/*srv_apt*")
    code, text = at.run("apt-get update -q -o APT::Update::Error-Mode=any")
    report.check("apt refuses an index that was changed", code != 0 and "Hash Sum mismatch" in text, text)
    at.must("rm /etc/apt/sources.list.d/feltwire.list")


def whole(report: Report, suite: str) -> None:
    """A clean root of this computer's architecture."""
    with root(suite, "amd64") as at:
        quick_start(report, at)
        make_install(report, at)
        package_life(report, at)
        repository(report, at)


def other_architecture(report: Report, suite: str) -> None:
    """A clean root of arm64, every program of it emulated: `dpkg -i` with its scripts, commands, removal, purge."""
    with root(suite, "arm64") as at:
        for system in SYSTEMS:
            if system != suite:
                code, text = at.run(f"dpkg -i {at.bring(packages()[system, 'arm64'])}")
                report.check(f"the package of {system} is refused", code and "this package is for" in text, text)
                at.run("dpkg --purge --force-all feltwire")
        with report.timed("dpkg -i, with its scripts"):
            at.must(f"dpkg -i {at.bring(packages()[suite, 'arm64'])}")
        report.check("it is of arm64", at.must("dpkg-query -W -f '${Architecture}' feltwire") == "arm64")
        installed_checks(report, at)
        journal = _journal(at)
        verified, text = at.run(f"runuser -u feltwire -- feltwire journal verify {journal}")
        report.check("it keeps a journal that verifies", verified == 0, text)
        removal(report, at)


def dist_upgrade(report: Report) -> None:
    """Debian 12 with the package becomes Debian 13: what the command answers, and what is left."""
    with root("bookworm", "amd64") as at:
        at.must("apt-get update -q")
        at.must(f"apt-get install -q {at.bring(packages()['bookworm', 'amd64'])}")
        at.must(f"cp {EXAMPLES}/roulette.toml /etc/feltwire/")
        _journal(at)
        sources = at.path("/etc/apt/sources.list")
        sources.write_text(sources.read_text().replace("bookworm", "trixie"))
        with report.timed("apt full-upgrade from Debian 12 to 13"):
            at.must("apt-get update -q && apt-get full-upgrade -q -o Dpkg::Options::=--force-confold")
        python = at.must("python3 -c 'import sys; print(sys.version_info[:2])'").strip()
        report.check("the system has Python 3.13", python == "(3, 13)", python)
        code, text = at.run("feltwire --version")
        met = "not found" in text or "this package is for Python 3.11" in text
        report.check(
            "the command is gone, or states what to install", code != 0 and met and "Traceback" not in text, text
        )
        kept = at.path("/etc/feltwire/roulette.toml").exists() and at.path(STATE).exists()
        report.check("configuration and history stay", kept)
        at.must(f"apt-get install -q {at.bring(packages()['trixie', 'amd64'])}")
        report.check(
            "the package of Debian 13 is installed after it", _installed(at).endswith("+deb13"), _installed(at)
        )
        count = _events(at, _journal(at))
        report.check("the history goes on", count > 0, count)


def all_tests(report: Report, suite: str) -> None:
    """`make test` whole, with the system's own Python. Half an hour and more."""
    with root(suite, "amd64") as at:
        at.must("apt-get update -q && apt-get install -q git make python3-venv")
        run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(at.path("/srv/feltwire"))])
        shared = Path(os.environ.get("FELTWIRE_SHARED", ROOT.parent / "shared"))
        if shared.is_dir():
            shutil.copytree(shared, at.path("/srv/shared"))
        log = CACHE / f"{suite}-tests.log"
        report.figure("the log", log)
        with report.timed(f"make test with Python {SYSTEMS[suite].minor}"):
            words = "mount -t tmpfs tmpfs /dev/shm && cd /srv/feltwire && git config --global --add safe.directory '*'"
            code = at.run_apart(f"{words} && make test", log)
        text = log.read_text(errors="replace")
        report.figure("its last lines", "\n   | ".join(text.splitlines()[-12:]))
        failed = "\n".join(line for line in text.splitlines() if line.startswith(("FAILED", "ERROR", "failed:")))
        report.check("make test passes", code == 0, failed or text)
