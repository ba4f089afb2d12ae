"""A package is for one system: what is built for it, and how every other system refuses it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from sysconfig import get_config_var

import pytest

from systemd.package.build import HERE, filled
from systemd.package.systems import MACHINES, ROOT, SYSTEMS, BuildError, System
from systemd.package.wheels import LOCK, can_compile, locked_for
from tests.fakes.time_limits import HANG_S

ELSEWHERE = System("Debian 99 (sid)", "3.99.0", "+deb99")
"""A system that runs no test."""


def run(command: list[str], **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True, check=False, timeout=HANG_S
    )


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("system", "has", "lacks"),
    [
        ("bookworm", ("lgpio", "typing-extensions"), ("setuptools",)),
        ("trixie", (), ("lgpio", "setuptools", "typing-extensions")),
    ],
)
def test_the_conditions_of_the_lock_are_those_of_the_target_and_not_of_the_builder(
    system: str, has: tuple[str, ...], lacks: tuple[str, ...]
) -> None:
    lock = LOCK.read_text()
    text = locked_for(SYSTEMS[system], "arm64", lock)
    names = re.findall(r"^([a-zA-Z0-9._-]+)==", text, re.MULTILINE)
    assert set(re.findall(r"^([a-zA-Z0-9._-]+)==", lock, re.MULTILINE)) - set(names) == set(lacks)
    assert {*has, "cffi", "pyzmq"} <= set(names)
    assert " ; " not in text
    assert text.count("==") == len(re.findall(r"== ?\S+ \\\n    --hash", text)), "each keeps its hashes"


def test_a_package_of_a_newer_debian_is_an_upgrade_of_the_same_commit() -> None:
    first, second = (SYSTEMS[name].ending for name in ("bookworm", "trixie"))
    assert run(["dpkg", "--compare-versions", f"1.0{first}", "lt", f"1.0{second}"]).returncode == 0


def test_another_python_is_refused_in_words_before_anything_is_unpacked(tmp_path: Path) -> None:
    text = filled((HERE / "debian" / "preinst").read_text(), ELSEWHERE)
    refused = run(["sh", str(script(tmp_path, "preinst", text)), "install"])
    assert refused.returncode == 1
    assert "is for Debian 99 (sid) with Python 3.99; this computer has " in refused.stderr
    version = run(["/usr/bin/python3", "--version"]).stdout.split()[1]
    ours = filled((HERE / "debian" / "preinst").read_text(), ELSEWHERE._replace(python=version))
    taken = run(["sh", str(script(tmp_path, "preinst", ours)), "install"])
    assert (taken.returncode, taken.stderr) == (0, "")


def test_an_upgrade_of_the_whole_system_unpacks_the_package_before_python3_is_the_new_one(tmp_path: Path) -> None:
    folder = tmp_path / "usr" / "bin"
    folder.mkdir(parents=True)
    script(folder, "python3", "#!/bin/sh\necho 3.11\n")
    preinst = str(script(tmp_path, "preinst", filled((HERE / "debian" / "preinst").read_text(), ELSEWHERE)))
    assert run(["sh", preinst, "upgrade", "0.1"], DPKG_ROOT=str(tmp_path)).returncode == 1
    script(folder, "python3.99", "")
    assert run(["sh", preinst, "upgrade", "0.1"], DPKG_ROOT=str(tmp_path)).returncode == 0
    assert run(["sh", preinst, "install"], DPKG_ROOT=str(tmp_path)).returncode == 1


def test_after_a_change_of_the_interpreter_the_command_answers_in_words(tmp_path: Path) -> None:
    text = filled((HERE / "feltwire").read_text(), ELSEWHERE)
    refused = run([sys.executable, "-ISB", str(script(tmp_path, "feltwire", text)), "--version"])
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("feltwire: this package is for Python 3.99 of Debian 99 (sid), and python3 is 3.")
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    ("arch", "release", "words"),
    [
        ("armhf", "trixie", "this computer is armhf; there are packages for amd64 and arm64"),
        (
            "amd64",
            "noble",
            "this computer has Some system; there are packages for Debian 12 (bookworm) and 13 (trixie)",
        ),
        ("arm64", "trixie", "installing needs root"),
    ],
)
def test_install_refuses_at_once_and_sets_nothing_up(arch: str, release: str, words: str, tmp_path: Path) -> None:
    script(tmp_path, "dpkg", f"#!/bin/sh\necho {arch}\n")
    script(tmp_path, "id", "#!/bin/sh\necho 1000\n")
    described = tmp_path / "os-release"
    described.write_text(f'PRETTY_NAME="Some system"\nVERSION_CODENAME={release}\n')
    refused = run(
        ["make", "-s", "install", f"VENV={tmp_path}/venv", "PYTHON=false"],
        OS_RELEASE=str(described),
        PATH=f"{tmp_path}:{os.environ['PATH']}",
    )
    assert refused.returncode != 0
    assert words in refused.stderr
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize(
    ("asked", "there", "words"),
    [
        (
            "1",
            "gcc",
            "COMPILED=1 needs a C compiler and the header of Python: sudo apt install libc6-dev python3-dev\n",
        ),
        ("1", "", "sudo apt install gcc libc6-dev python3-dev\n"),
        ("yes", "gcc libc6-dev python3-dev", 'COMPILED is "yes"; write COMPILED=1, or leave it out\n'),
        ("1", "gcc libc6-dev python3-dev", None),
        ("0", "", None),
    ],
)
def test_compiled_modules_are_refused_with_what_is_missing_before_anything_is_set_up(
    asked: str, there: str, words: str | None, tmp_path: Path
) -> None:
    script(tmp_path, "dpkg", "#!/bin/sh\necho amd64\n")
    script(tmp_path, "id", "#!/bin/sh\necho 0\n")
    status = 'for last; do :; done\ncase " $THERE " in *" $last "*) echo "ii " ;; *) exit 1 ;; esac\n'
    script(tmp_path, "dpkg-query", f"#!/bin/sh\n{status}")
    described = tmp_path / "os-release"
    described.write_text("VERSION_CODENAME=trixie\n")
    done = run(
        ["sh", "systemd/package/install.sh", "ready"],
        OS_RELEASE=str(described),
        PATH=f"{tmp_path}:{os.environ['PATH']}",
        THERE=there,
        COMPILED=asked,
    )
    assert (done.returncode, done.stderr.endswith(words or "")) == (int(words is not None), True)
    assert words is not None or done.stderr == ""


@pytest.mark.parametrize(("system", "arch"), list(product(SYSTEMS, MACHINES)))
def test_a_compiled_package_is_built_by_the_python_that_it_is_for(
    system: str, arch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    ours = f".cpython-{SYSTEMS[system].minor.replace('.', '')}-{MACHINES[arch]}-linux-gnu.so"
    words = (
        r"there is no C compiler \(no-such-compiler\)"
        if ours == get_config_var("EXT_SUFFIX")
        else "build on that system, in a checkout"
    )
    with pytest.raises(BuildError, match=words):
        can_compile(SYSTEMS[system], arch)


def test_a_32_bit_python_is_refused_in_one_sentence_before_anything_is_set_up(tmp_path: Path) -> None:
    narrow = f'#!/bin/sh\nexec {sys.executable} -c "import sys; sys.maxsize = 2**31 - 1; $2"\n'
    python = script(tmp_path, "python", narrow)
    refused = run(["make", "-s", "run", f"VENV={tmp_path}/venv", f"PYTHON={python}"])
    assert refused.returncode != 0
    assert "Feltwire needs a 64-bit system" in refused.stdout
    assert len(refused.stdout.splitlines()) == 1
    assert not (tmp_path / "venv").exists()
