"""The client of the feed, built from its own distribution and installed alone: what a scoreboard developer has."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import distribution, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.fakes.feed_server import short_folder
from tests.fakes.service_process import MONEY_WHEEL, service
from tests.fakes.time_limits import HANG_S

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "feed"
OWN = ("audit", "command_line", "controller", "drivers", "feed", "fleet", "hal", "simulators")
"""Packages of the application: other projects may have modules of these names."""
SERVER_ONLY = (
    *(
        "allow_list",
        "authentication",
        "fairness",
        "history_server",
        "monitor",
        "prefixes",
        "publisher",
        "reasons",
        "schema_file",
    ),
    "server_socket",
)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the client's wheel and what that requires, and nothing else."""
    folder = tmp_path_factory.mktemp("client")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--no-index"]
    subprocess.run([*build, "-w", str(folder), str(PROJECT)], check=True, timeout=HANG_S)
    venv.create(folder / "venv", symlinks=True)
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (wheel,) = folder.glob("feltwire_feed-*.whl")
    zipfile.ZipFile(wheel).extractall(packages)
    for name in requirements():
        for file in distribution(name).files or ():
            if ".." in file.parts:
                continue
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(Path(str(distribution(name).locate_file(file))).read_bytes())
    return folder / "venv" / "bin" / "python"


def project() -> dict[str, object]:
    about: dict[str, object] = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return about


def requirements() -> list[str]:
    wanted = project()["dependencies"]
    assert isinstance(wanted, list)
    return [Requirement(one).name for one in wanted]


def said_by(python: Path, code: str, *arguments: str) -> str:
    done = subprocess.run(
        [python, "-I", "-c", code, *arguments], capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_client_requires_pyzmq_and_msgspec_alone_in_the_versions_of_the_service() -> None:
    assert requirements() == ["msgspec", "pyzmq"]
    wanted = {str(Requirement(one)) for one in project()["dependencies"]}  # type: ignore[attr-defined]
    assert wanted <= {str(Requirement(one)) for one in requires("feltwire") or ()}
    assert project()["version"] == distribution("feltwire").version


def test_the_client_installs_one_package_without_the_servers_modules(python: Path) -> None:
    code = "import sys, os; print(*sorted(os.listdir(sys.argv[1])))"
    (packages,) = (python.parents[1] / "lib").glob("python*/site-packages")
    installed = said_by(python, code, str(packages)).split()
    assert "feltwire_feed" in installed
    assert not set(installed) & set(OWN)
    modules = {path.stem for path in (packages / "feltwire_feed").iterdir()}
    assert not modules & set(SERVER_ONLY)


def test_every_module_of_the_client_can_be_imported(python: Path) -> None:
    code = (
        "import importlib, pkgutil, feltwire_feed\n"
        "for found in pkgutil.walk_packages(feltwire_feed.__path__, 'feltwire_feed.'):\n"
        "    importlib.import_module(found.name)\n"
        "    print(found.name)\n"
    )
    assert "feltwire_feed.subscriber.blocking" in said_by(python, code).split()


def test_the_client_follows_a_service(python: Path) -> None:
    example = (ROOT / "examples" / "subscriber.py").read_text(encoding="utf-8")
    code = example.replace("    for item in subscriber:\n", "    for item, _ in zip(subscriber, range(8)):\n")
    assert code.count("feltwire_feed") == 1
    with short_folder() as folder, service(folder, tables=[MONEY_WHEEL]) as running:
        running.start()
        said = said_by(python, code, running.base)
    assert "feltwire.table.opened.v1 TableOpened(table='wheel-1'" in said
    assert "SIMULATED wheel-1." in said


def test_the_client_writes_the_schema_where_it_is_asked_to_and_nowhere_else(python: Path, tmp_path: Path) -> None:
    said_by(python, "import runpy, sys; runpy.run_module('feltwire_feed.schema', run_name='__main__')", str(tmp_path))
    stored = ROOT / "docs" / "schema"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in stored.iterdir()
    }
    done = subprocess.run(
        [python, "-I", "-m", "feltwire_feed.schema"], capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert done.returncode == 2
    assert "FOLDER" in done.stderr


def test_the_application_is_not_for_an_index_of_libraries() -> None:
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "Private :: Do Not Upload" in about["classifiers"]
    assert "application" in about["description"]
