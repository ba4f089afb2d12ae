"""What a package was made from and with: an in-toto statement with SLSA's provenance, beside the package."""

from __future__ import annotations

import json
import platform
import subprocess
import zlib
from collections.abc import Sequence
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any, Final

from systemd.package.bill import digest
from systemd.package.compiled import toolchain
from systemd.package.systems import ROOT
from systemd.package.version import Version
from systemd.package.wheels import LOCK

KIND: Final = "https://feltwire.invalid/package/v1"
"""Names this way of building; the project has no address of its own."""
TOOLS: Final = {"dpkg-deb": ["dpkg-deb", "--version"], "git": ["git", "--version"]}
DISTRIBUTIONS: Final = ("pip", "hatchling", "setuptools", "packaging")


def provenance(
    products: Sequence[Path], wheels: Sequence[Path], system: str, arch: str, made: Version, *, compiled: bool = False
) -> str:
    """The statement about these files, as text."""
    inputs: list[dict[str, Any]] = [{"name": str(LOCK.relative_to(ROOT)), "digest": {"sha256": digest(LOCK)}}]
    if made.commit is not None:
        inputs.insert(0, {"name": "commit", "digest": {"gitCommit": made.commit}})
    inputs += [{"name": path.name, "digest": {"sha256": digest(path)}} for path in wheels]
    versions = tools() | ({"compilers": toolchain()} if compiled else {})
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.name, "digest": {"sha256": digest(path)}} for path in products],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": KIND,
                "externalParameters": {"system": system, "arch": arch, "version": made.text, "compiled": compiled},
                "internalParameters": {"SOURCE_DATE_EPOCH": made.epoch, "changedSinceCommit": made.changed},
                "resolvedDependencies": inputs,
            },
            "runDetails": {"builder": {"id": f"{KIND}#make-deb", "version": versions}},
        },
    }
    return json.dumps(statement, indent=1) + "\n"


def tools() -> dict[str, str]:
    """The versions of what builds: other ones may give other bytes."""
    found = {"python": platform.python_version(), "zlib": zlib.ZLIB_RUNTIME_VERSION}
    for name, command in TOOLS.items():
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found[name] = done.stdout.splitlines()[0] if done.returncode == 0 and done.stdout else "not here"
    found |= {name: version_of(name) for name in DISTRIBUTIONS}
    return found
