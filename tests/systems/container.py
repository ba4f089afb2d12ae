"""The steps of the Dockerfile, run in a clean root; then what it starts, as its user, on a read-only root."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Final

from systemd.package.systems import ROOT
from systemd.package.version import version
from tests.systems.packages import packages
from tests.systems.report import Report
from tests.systems.roots import Root, RootError, root, run

FILE: Final = ROOT / "systemd" / "container" / "Dockerfile"
FROM: Final = "debian:trixie-slim"
PATIENCE_S: Final = 300.0
STARTED: Final[tuple[tuple[str, tuple[str, ...], dict[str, str]], ...]] = (
    ("bench", (), {}),
    (
        "scoreboard",
        ("scoreboard", "ipc:///tmp/none", "--host", "0.0.0.0", "--port", "8080"),
        {"HEALTH": "http://127.0.0.1:8080/livez"},
    ),
    (
        "relay",
        ("relay", "nats://127.0.0.1:4999", "ipc:///tmp/none", "--venue", "hall", "--metrics", "9124"),
        {"HEALTH": "http://127.0.0.1:9124/livez"},
    ),
)
"""What a container runs: with no words, what the Dockerfile names; the others wait for a service and for NATS."""


@dataclass
class Image:
    """What the instructions leave, beside the files."""

    environ: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    user: str = ""
    healthy: list[str] = field(default_factory=list)
    entry: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Each instruction of a Dockerfile with its words."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for line in filter(None, re.sub(r"\\\n\s*", "", lines).splitlines()):
        name, _, words = line.partition(" ")
        yield name, words


def built(at: Root, given: dict[str, str]) -> Image:
    """Runs the instructions in a root.

    Raises:
        RootError: a step fails, or is one that is not known here.
    """
    image = Image()
    for name, words in instructions(FILE.read_text(encoding="utf-8")):
        if name == "FROM":
            if words != FROM:
                raise RootError(f"{FILE.name} begins with {words}; the clean root is in the place of {FROM}")
        elif name == "ARG":
            image.arguments[words] = given[words]
        elif name == "COPY":
            source, target = (Template(word).substitute(image.arguments) for word in words.split())
            at.path(target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / source, at.path(target))
        elif name == "RUN":
            at.must(words)
        elif name == "USER":
            image.user = words
        elif name == "ENV":
            key, _, value = words.partition("=")
            image.environ[key] = value
        elif name == "HEALTHCHECK":
            image.healthy = json.loads(words.partition(" CMD ")[2])
        elif name == "ENTRYPOINT":
            image.entry = json.loads(words)
        elif name == "CMD":
            image.command = json.loads(words)
        elif name != "EXPOSE":
            raise RootError(f"{FILE.name}: {name} is a step that is not known here")
    return image


def started(at: Root, image: Image, words: Sequence[str], environ: dict[str, str]) -> list[str]:
    """The command that an engine would run: the image's user, its environment alone, no privilege."""
    user, _, group = image.user.partition(":")
    become = [
        "setpriv",
        "--reuid",
        user,
        "--regid",
        group,
        "--clear-groups",
        "--no-new-privs",
        "--bounding-set",
        "-all",
    ]
    every = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **image.environ, **environ}
    clean = ["env", "-i", *(f"{key}={value}" for key, value in every.items())]
    return ["chroot", str(at.folder), *become, *clean, *words]


def container(report: Report, arch: str) -> None:
    """The image of one architecture: bench, scoreboard, relay."""
    packages()
    with root("trixie", arch) as at:
        with report.timed("the steps of the Dockerfile"):
            image = built(at, {"TARGETARCH": arch, "VERSION": version().text})
        report.check("it is not root", image.user.partition(":")[0] not in ("", "0", "root"), image.user)
        run(["mount", "-o", "remount,bind,ro", str(at.folder)])
        wrote = subprocess.run(
            started(at, image, ["touch", "/opt/file"], {}), capture_output=True, text=True, check=False
        )
        report.check("its root is read-only", "Read-only file system" in wrote.stderr, wrote.stderr)
        for name, words, environ in STARTED:
            _runs(report, at, image, name, words, environ)


def _runs(report: Report, at: Root, image: Image, name: str, words: Sequence[str], environ: dict[str, str]) -> None:
    asking = started(at, image, image.healthy, environ)
    before = subprocess.run(asking, capture_output=True, text=True, check=False)
    report.check(f"{name}: not healthy before it runs", before.returncode == 1, before.stderr)
    output = Path(f"/tmp/container-{name}.log")
    with output.open("w") as log:
        process = subprocess.Popen(
            started(at, image, [*image.entry, *(words or image.command)], environ), stdout=log, stderr=log
        )
        end = time.monotonic() + PATIENCE_S
        code = 1
        while code and process.poll() is None and time.monotonic() < end:
            time.sleep(1)
            code = subprocess.run(asking, capture_output=True, check=False).returncode
        report.check(f"{name}: healthy once it runs", code == 0, output.read_text())
        process.terminate()
        ended = process.wait(PATIENCE_S)
        report.check(f"{name}: ends in order with SIGTERM", ended == 0, (ended, output.read_text()))
    after = subprocess.run(asking, capture_output=True, text=True, check=False)
    report.check(f"{name}: not healthy afterwards", after.returncode == 1, shlex.join(asking))
