"""feltwire-pip installs what others made beside the package: the command finds it, and nothing of ours yields."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from systemd.package.build import HERE, filled
from systemd.package.systems import System
from tests.fakes.time_limits import HANG_S
from tests.fakes.wheels import wheel

HERE_NOW = System("this system", ".".join(map(str, sys.version_info[:3])), "+here")
COMMAND = """
import importlib.metadata, sys

def main(prog_name):
    import both, theirs
    print(prog_name, both.WHOSE, theirs.WHOSE, importlib.metadata.version("their-game"))
"""


class Installed:
    """The two commands of a package, with folders of a test in the place of the system's."""

    def __init__(self, folder: Path, system: System = HERE_NOW) -> None:
        self.folder = folder
        self.libraries = folder / "opt"
        self.others = folder / "local"
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.python = folder / "debian" / "python3"
        self.python.parent.mkdir()
        self.python.symlink_to(sys.executable)
        # In front of Debian's in PATH, as somebody's own Python may be.
        self.write(self.bin / "python3", "#!/bin/sh\nexit 99\n")
        self.write(self.bin / "id", "#!/bin/sh\necho ${UID_HERE:-0}\n")
        for name in ("feltwire", "feltwire-pip"):
            text = filled((HERE / name).read_text(), system)
            text = text.replace("/opt/feltwire/lib", str(self.libraries))
            text = text.replace("/usr/bin/python3", str(self.python))
            self.write(self.bin / name, text.replace("/usr/local/lib/feltwire", str(self.others)))
        self.write(self.libraries / "controller/cli.py", COMMAND)
        self.write(self.libraries / "both.py", "WHOSE = 'ours'")
        for name, version in (("feltwire", "0.1.0"), ("msgspec", "0.22.0")):
            about = self.libraries / f"{name}-{version}.dist-info"
            self.write(about / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
            self.write(about / "RECORD", f"{about.name}/METADATA,,\n{about.name}/RECORD,,\n")

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run(self, name: str, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        interpreter = [sys.executable, "-ISB"] if name == "feltwire" else ["sh"]
        return subprocess.run(
            ["sh", "-c", 'umask 077; exec "$@"', "sh", *interpreter, str(self.bin / name), *words],
            cwd=self.folder,
            env={**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", **environ},
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_S,
        )


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path)


@pytest.fixture(scope="module")
def folder_of_pip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the first run of feltwire-pip makes. Some five seconds, so each test has a copy."""
    first = Installed(tmp_path_factory.mktemp("first"))
    listed = first.run("feltwire-pip", "list", "--format=freeze")
    assert "msgspec==0.22.0\n" in listed.stdout, listed.stderr
    return first.others


@pytest.fixture
def begun(installed: Installed, folder_of_pip: Path) -> Installed:
    """A package with which something was already installed."""
    shutil.copytree(folder_of_pip, installed.others, symlinks=True)
    for pth in installed.others.rglob("feltwire.pth"):
        pth.write_text(f"{installed.libraries}\n")
    return installed


def test_it_is_for_root(installed: Installed) -> None:
    refused = installed.run("feltwire-pip", "list", UID_HERE="1000")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "sudo feltwire-pip list" in refused.stderr
    assert not installed.others.exists()


def test_another_python_of_the_system_is_refused_and_nothing_is_made(tmp_path: Path) -> None:
    installed = Installed(tmp_path, System("Debian 99", "3.99.0", "+deb99"))
    refused = installed.run("feltwire-pip", "list")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "for Python 3.99 of Debian 99" in refused.stderr
    assert "install the package of this system" in refused.stderr
    assert not installed.others.exists()


@pytest.mark.long
def test_after_an_interruption_before_the_pth_the_next_run_finds_our_libraries(begun: Installed) -> None:
    (pth,) = begun.others.rglob("feltwire.pth")
    pth.unlink()
    listed = begun.run("feltwire-pip", "list", "--format=freeze")
    assert "msgspec==0.22.0\n" in listed.stdout, listed.stderr


@pytest.mark.long
def test_a_package_that_wants_another_version_of_ours_is_refused_by_pip(begun: Installed) -> None:
    wheel(begun.folder, "msgspec", "0.23.0", {"msgspec/__init__.py": ""})
    made = wheel(begun.folder, "their-game", "1.0", {"theirs.py": ""}, "Requires-Dist: msgspec>=0.23")
    install = ("install", "--no-index", "--find-links", str(begun.folder), str(made))
    refused = begun.run("feltwire-pip", *install)
    assert refused.returncode == 1
    assert "their-game 1.0 depends on msgspec>=0.23" in refused.stdout + refused.stderr
    assert "(constraint) msgspec==0.22.0" in refused.stdout + refused.stderr
    assert list(begun.others.rglob("theirs.py")) == list(begun.others.rglob("msgspec")) == []
    # What an upgrade of Feltwire brings counts at once.
    (begun.libraries / "msgspec-0.22.0.dist-info").rename(begun.libraries / "msgspec-0.23.0.dist-info")
    about = begun.libraries / "msgspec-0.23.0.dist-info/METADATA"
    about.write_text(about.read_text().replace("0.22.0", "0.23.0"))
    done = begun.run("feltwire-pip", *install)
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_what_others_made_is_found_replaces_nothing_and_goes_again(begun: Installed) -> None:
    for version in ("1.0", "1.1"):
        files = {f"{module}.py": f"WHOSE = 'theirs, {version}'" for module in ("both", "theirs")}
        needs = "Requires-Dist: feltwire\nRequires-Dist: msgspec"
        made = wheel(begun.folder, "their-game", version, files, needs)
        # Without an index: what it needs of ours is there.
        done = begun.run("feltwire-pip", "install", "-q", "--no-index", str(made))
        assert done.returncode == 0, done.stderr
        found = begun.run("feltwire")
        assert found.stdout == f"feltwire ours theirs, {version} {version}\n", found.stderr
    (module,) = begun.others.rglob("theirs.py")
    assert [oct(path.stat().st_mode & 0o055) for path in (module, module.parent)] == ["0o44", "0o55"]
    gone = begun.run("feltwire-pip", "uninstall", "-y", "their-game", "msgspec")
    assert "Not uninstalling msgspec" in gone.stdout + gone.stderr
    assert (begun.libraries / "msgspec-0.22.0.dist-info").is_dir()
    assert "No module named 'theirs'" in begun.run("feltwire").stderr


def test_both_commands_and_purge_name_the_same_folder() -> None:
    names = ("feltwire", "feltwire-pip", "debian/postrm")
    assert [name for name in names if "/usr/local/lib/feltwire" not in (HERE / name).read_text()] == []
