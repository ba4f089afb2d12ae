"""Which code runs, and that nothing runs in place of a source without being what was compiled of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from click.testing import CliRunner

import controller.packages.compiled as compiled
from controller.certification.software import installed_files
from controller.cli import main
from controller.packages.compiled import RECORD, MixedCodeError, code
from controller.packages.files import PACKAGES, ROOT

SUFFIX = EXTENSION_SUFFIXES[0]
SOURCE, MODULE, LIBRARY = "hal/clock.py", f"hal/clock{SUFFIX}", f"feltwire__mypyc{SUFFIX}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of packages with one compiled module."""
    for package in (*PACKAGES, "controller/packages"):
        (tmp_path / package).mkdir()
    for name in (SOURCE, MODULE, LIBRARY):
        (tmp_path / name).write_text(name)
    write_record(tmp_path, (MODULE, LIBRARY))
    return tmp_path


def write_record(root: Path, libraries: tuple[str, ...]) -> None:
    def digests(names: tuple[str, ...]) -> dict[str, str]:
        return {name: sha256((root / name).read_bytes()).hexdigest() for name in names}

    record = {"mypyc": "1.2", "sources": digests((SOURCE,)), "libraries": digests(libraries)}
    (root / RECORD).write_text(json.dumps(record))


def test_a_checkout_runs_plain_python() -> None:
    assert code(ROOT) == "plain"


def test_modules_of_one_build_run_with_their_sources(root: Path) -> None:
    assert code(root) == "compiled by mypyc 1.2"


def without_record(root: Path) -> None:
    (root / RECORD).unlink()


def other_python(root: Path) -> None:
    foreign = "hal/clock.cpython-30.so.old"
    (root / foreign).touch()
    write_record(root, (foreign, MODULE, LIBRARY))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda root: (root / SOURCE).write_text("edited"), f"{SOURCE}: it is not what was compiled"),
        (lambda root: (root / SOURCE).unlink(), f"{SOURCE}: it is not what was compiled"),
        (lambda root: (root / MODULE).write_text("older"), f"{MODULE}: it is not the one of"),
        (lambda root: (root / MODULE).unlink(), f"{MODULE}: it is not the one of"),
        (lambda root: (root / LIBRARY).write_text("other"), f"{LIBRARY}: it is not the one of"),
        (lambda root: (root / f"hal/values{SUFFIX}").touch(), f"hal/values{SUFFIX}: {RECORD} does not have it"),
        (lambda root: (root / RECORD).write_text("{"), f"{RECORD}: it cannot be read"),
        (lambda root: (root / RECORD).write_text('{"mypyc": "1.2"}'), f"{RECORD}: it cannot be read"),
        (without_record, f"{LIBRARY}: it runs in place of the source"),
        (other_python, "it is for another version of Python"),
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


def test_the_version_names_the_code_that_runs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert CliRunner().invoke(main, ["--version"]).output.endswith(", plain\n")
    monkeypatch.setattr(compiled, "code", lambda: code(root))
    done = CliRunner().invoke(main, ["--version"])
    assert (done.exit_code, done.output.endswith(", compiled by mypyc 1.2\n")) == (0, True)
