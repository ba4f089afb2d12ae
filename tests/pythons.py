"""The versions of Python that no package is for: do the locked wheels resolve, are syntax and types right?

    python -m tests.pythons [3.12 ...]          (make pythons)

No test is run with them: neither Debian 12 nor 13 has them. Those that packages are for run all tests.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from systemd.package.systems import MACHINES, ROOT, SYSTEMS, System
from systemd.package.wheels import BUILT_HERE, GLIBC, LOCK, locked_for

OTHERS: Final = ("3.12", "3.14")
LOCKS: Final = (LOCK, ROOT / "requirements" / "run.lock")


def system_of(version: str) -> System:
    """A system with this Python, as markers of requirements ask for it."""
    return System(f"Python {version}", f"{version}.0", "")


def resolving(version: str, arch: str, lock: Path, folder: Path) -> list[str]:
    """The command that finds the wheels of a lock for a Python and an architecture, and installs nothing."""
    requirements = folder / f"{version}-{arch}-{lock.name}.txt"
    requirements.write_text(locked_for(system_of(version), arch, lock.read_text()))
    platforms = [f"--platform={tag}_{MACHINES[arch]}" for tag in GLIBC]
    return [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run"),
        *("--ignore-installed", "--no-deps", "--require-hashes", "--only-binary=:all:", "--no-build-isolation"),
        *(f"--no-binary={','.join(BUILT_HERE)}", f"--target={folder / 'target'}", "--implementation=cp"),
        *platforms,
        f"--python-version={version}",
        f"--requirement={requirements}",
    ]


def checks(version: str, folder: Path) -> list[tuple[str, list[str]]]:
    """What is checked of a version, and the command that does it."""
    tools = Path(sys.executable).parent
    found = [(f"{lock.name} for {arch}", resolving(version, arch, lock, folder)) for lock in LOCKS for arch in MACHINES]
    short = f"py{version.replace('.', '')}"
    found.append(
        ("syntax", [str(tools / "ruff"), "check", "--quiet", "--target-version", short, "--select", "E9", "."])
    )
    found.append(("types", [str(tools / "mypy"), "--python-version", version]))
    return found


def main(versions: list[str]) -> int:
    """Checks the versions; 1 if one is not right."""
    known = {system.minor for system in SYSTEMS.values()}
    failed = []
    with tempfile.TemporaryDirectory(prefix="feltwire-pythons-") as folder:
        for version in versions or OTHERS:
            for what, command in checks(version, Path(folder)):
                done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
                print(f"Python {version}: {what}: {'right' if done.returncode == 0 else 'WRONG'}", flush=True)
                if done.returncode:
                    failed.append(f"{version} {what}")
                    print((done.stdout + done.stderr)[-3000:], flush=True)
            if version not in known:
                print(f"Python {version}: no test was run: no package is for it")
    print(f"failed: {', '.join(failed)}" if failed else "all as it should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
