"""Which code runs, and that nothing runs in place of a source without being what was compiled of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from pkgutil import iter_modules
from sysconfig import get_config_var

import pytest
from click.testing import CliRunner

import controller.packages.compiled as compiled
import feed.results
from controller.certification.software import installed_files
from controller.cli import main
from controller.packages.compiled import RECORD, MixedCodeError, code
from controller.packages.files import PACKAGES, ROOT
from systemd.package.compiled import MODULES, compiled_of
from tests.fakes.time_limits import HANG_S

SUFFIX = str(get_config_var("EXT_SUFFIX"))
STABLE = EXTENSION_SUFFIXES[-1]
"""`.so`: the end of a library of any Python, too."""
SOURCE, MODULE, LIBRARY = "hal/clock.py", f"hal/clock{SUFFIX}", f"feltwire__mypyc{SUFFIX}"
IMPORTED = "hal/values.py"
"""The module imports it: compiled code has its constants."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of packages with one compiled module."""
    for package in (*PACKAGES, "controller/packages"):
        (tmp_path / package).mkdir()
    for name in (SOURCE, IMPORTED, MODULE, LIBRARY):
        (tmp_path / name).write_text(name)
    write_record(tmp_path, (MODULE, LIBRARY))
    return tmp_path


def write_record(root: Path, libraries: tuple[str, ...]) -> None:
    def digests(names: tuple[str, ...]) -> dict[str, str]:
        return {name: sha256((root / name).read_bytes()).hexdigest() for name in names}

    record = {
        "mypyc": "1.2",
        "modules": [SOURCE],
        "sources": digests((SOURCE, IMPORTED)),
        "libraries": digests(libraries),
    }
    (root / RECORD).write_text(json.dumps(record))


def test_a_checkout_runs_plain_python() -> None:
    assert code(ROOT) == "plain"


def test_modules_of_one_build_run_with_their_sources(root: Path) -> None:
    assert code(root) == "compiled by mypyc 1.2"


FOREIGN_SUFFIXES = [
    suffix
    for computer in ("x86_64", "aarch64")
    for minor in (11, 12, 13)
    if (suffix := f".cpython-3{minor}-{computer}-linux-gnu.so") != SUFFIX
]
NO_NAMES = {"mypyc": "1.2", "modules": [8], "sources": {}, "libraries": {}}


def without_record(root: Path) -> None:
    (root / RECORD).unlink()


def built_for(suffix: str) -> Callable[[Path], None]:
    """All libraries are what another Python or computer made."""

    def change(root: Path) -> None:
        names = [name.replace(SUFFIX, suffix) for name in (MODULE, LIBRARY)]
        for old, new in zip((MODULE, LIBRARY), names, strict=True):
            (root / old).rename(root / new)
        write_record(root, tuple(names))

    return change


def without_module(root: Path) -> None:
    (root / MODULE).unlink()
    write_record(root, (LIBRARY,))


def with_more(root: Path) -> None:
    (root / f"hal/values{SUFFIX}").touch()
    write_record(root, (MODULE, LIBRARY, f"hal/values{SUFFIX}"))


FOREIGN = "it is for another Python or computer; install the software for this one"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda root: (root / SOURCE).write_text("edited"), f"{SOURCE}: it is not what was compiled"),
        (lambda root: (root / SOURCE).unlink(), f"{SOURCE}: it is not what was compiled"),
        (lambda root: (root / IMPORTED).write_text("edited"), f"{IMPORTED}: it is not what was compiled"),
        (lambda root: (root / MODULE).write_text("older"), f"{MODULE}: it is not the one of"),
        (lambda root: (root / MODULE).unlink(), f"{MODULE}: it is not the one of"),
        (lambda root: (root / LIBRARY).write_text("other"), f"{LIBRARY}: it is not the one of"),
        (lambda root: (root / f"hal/values{SUFFIX}").touch(), f"hal/values{SUFFIX}: {RECORD} does not have it"),
        (lambda root: (root / RECORD).write_text("{"), f"{RECORD}: it cannot be read"),
        (lambda root: (root / RECORD).write_text('{"mypyc": "1.2"}'), f"{RECORD}: it cannot be read"),
        (without_record, f"{LIBRARY}: it runs in place of the source"),
        *((built_for(suffix), f"feltwire__mypyc{suffix}: {FOREIGN}") for suffix in (*FOREIGN_SUFFIXES, STABLE)),
        (without_module, f"{MODULE}: {RECORD} does not have it; install"),
        (with_more, f"hal/values{SUFFIX}: {FOREIGN}"),
        (lambda root: (root / RECORD).write_text("[]"), f"{RECORD}: it cannot be read"),
        (lambda root: (root / RECORD).write_text(json.dumps(NO_NAMES)), f"8{SUFFIX}: {RECORD} does not have it"),
    ],
)
def test_anything_else_is_refused_with_the_file_and_what_to_do(
    root: Path, change: Callable[[Path], object], words: str
) -> None:
    change(root)
    with pytest.raises(MixedCodeError, match=r"install the software|delete it") as refused:
        code(root)
    assert words in str(refused.value)


def test_a_certificate_has_the_hash_of_each_compiled_file(root: Path) -> None:
    before = dict(installed_files(root))
    assert {MODULE, LIBRARY, RECORD, SOURCE} <= before.keys()
    for name in (MODULE, LIBRARY, RECORD):
        (root / name).write_text("changed")
        after = dict(installed_files(root))
        assert [one for one in after if after[one] != before[one]] == [name]
        before = after


@pytest.mark.parametrize("words", [["--version"], ["check", "table.toml"], ["doctor", "table.toml"]])
def test_no_command_starts_on_mixed_code(root: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (root / SOURCE).write_text("edited")
    monkeypatch.setattr(compiled, "code", lambda: code(root))
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, f"Error: {SOURCE}: it is not what was compiled" in done.output) == (1, True)


@pytest.mark.long
def test_a_broken_library_is_refused_before_a_command_imports_it(tmp_path: Path) -> None:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "data", "web"))
    planted = f"drivers/wheel/encoder{SUFFIX}"
    (tmp_path / planted).write_text("half of a library")
    for words in ("simulate", "--help"):
        done = subprocess.run(
            [sys.executable, "-c", "from controller.cli import main; main()", words],
            env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_S,
        )
        refused = f"Error: {planted}: it runs in place of the source beside it; delete it\n"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", refused)


IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name.removesuffix(".py").replace("/", "."))
print(*(file for module in [*sys.modules.values()] if (file := getattr(module, "__file__", None))), sep="\\n")
"""


@pytest.mark.long
def test_the_sources_of_compiled_code_are_all_that_its_modules_import() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, *MODULES],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    imported = {Path(file) for file in done.stdout.splitlines()}
    ours = {path.relative_to(ROOT).as_posix() for path in imported if path.is_relative_to(ROOT)}
    ours = {name for name in ours if name.partition("/")[0] in PACKAGES}
    assert {*MODULES, "drivers/base/driver.py", "drivers/__init__.py", IMPORTED} <= ours
    # A module that is named for its types alone is in no process, and mypyc reads it. It reads none of these: the
    # results of games are found in their folder when `feed.results` is loaded.
    ours -= {f"feed/results/{module.name}.py" for module in iter_modules(feed.results.__path__)}
    assert "feed/data.py" in ours, "imported with a dot"
    assert ours <= {*compiled_of(ROOT)}


def test_the_version_names_the_code_that_runs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert CliRunner().invoke(main, ["--version"]).output.endswith(", plain\n")
    monkeypatch.setattr(compiled, "code", lambda: code(root))
    done = CliRunner().invoke(main, ["--version"])
    assert (done.exit_code, done.output.endswith(", compiled by mypyc 1.2\n")) == (0, True)
