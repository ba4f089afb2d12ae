"""The hot modules compiled by mypyc give, byte for byte, what plain Python gives."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from controller.packages.compiled import MixedCodeError, code
from systemd.package import build
from systemd.package.compiled import ASKED, MODULES, CompileError, compile_modules, missing_tools
from systemd.package.systems import MACHINES, ROOT, SYSTEMS
from systemd.package.version import version
from systemd.package.wheels import compiled_copy
from tests.fakes.time_limits import HANG_S
from tests.soak.records import Result
from tests.soak.source import machine
from tests.unit.installation.test_package import wheels

pytestmark = pytest.mark.long
"""Some forty seconds of a processor where a source has changed, ten otherwise."""

PLANTED = (
    ("drivers/wheel/encoder.py", "corrupted", "SPEED_COUNTS: Final = 3", "SPEED_COUNTS: Final = 2"),
    ("drivers/wheel/condition.py", "worn", "FAST_LAP_NS: Final = 1_050_000_000", "FAST_LAP_NS: Final = 900_000_000"),
)
"""A source, what compares it, and a difference."""

FILES_OF = """
import importlib, sys
for name in sys.argv[1:]:
    print(importlib.import_module(name).__file__)
"""


@pytest.fixture(scope="module")
def copy() -> Path:
    missing = missing_tools()
    assert missing is None, f"there is no {missing}"
    return compiled_copy()


@pytest.mark.parametrize("beside", ["firmware", "simulators/board/rp2040/node_modules"])
def test_a_compiled_copy_has_the_emulators_that_a_checkout_has(copy: Path, beside: str) -> None:
    assert (copy / beside).readlink() == ROOT / beside


def python(*arguments: str, folder: Path | None = None, **environ: str) -> list[str]:
    """What a program prints, on the packages of a folder, or of the checkout."""
    found = os.pathsep.join([*([] if folder is None else [str(folder)]), str(ROOT)])
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": found, "PYTHONSAFEPATH": "1", **environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def differences(plain: list[str], compiled: list[str]) -> list[str]:
    assert len(plain) == len(compiled) > 0
    return [f"{one} | {other}" for one, other in zip(plain, compiled, strict=True) if one != other]


@pytest.fixture(scope="module")
def plain_digests() -> list[str]:
    """Of plain Python."""
    return python("-m", "tests.compiled.digests")


def test_events_wires_and_refusals_are_equal(copy: Path, plain_digests: list[str]) -> None:
    which, *plain = plain_digests
    other, *compiled = python("-m", "tests.compiled.digests", folder=copy)
    assert which == f"plain {ROOT / 'drivers/wheel/quadrature.py'}"
    assert other.startswith("compiled by mypyc ")
    assert f" {copy}{os.sep}" in other
    assert len(plain) > 500
    assert differences(plain, compiled) == []


def test_a_piece_of_the_corrupted_rounds_runs_compiled_and_tells_it(copy: Path, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    rounds = ("-m", "tests.soak.corrupted_rounds", "--compiled", "money_wheel", "0", "2", "--soak-result", str(result))
    python(*rounds)
    read = msgspec.json.decode(result.read_bytes(), type=Result)
    assert read.code.startswith("compiled by mypyc ")
    assert machine(read.code).python == f"{platform.python_version()}, hot modules {read.code}"
    assert machine().python == platform.python_version()
    assert read.counts["runs"] == 2


def test_each_hot_module_runs_compiled_and_no_other_one_does(copy: Path) -> None:
    names = [name.removesuffix(".py").replace("/", ".") for name in MODULES]
    files = [Path(file) for file in python("-c", FILES_OF, *names, folder=copy)]
    assert [file.relative_to(copy).as_posix().partition(".")[0] + ".py" for file in files] == list(MODULES)
    assert {file.suffix for file in files} == {".so"}
    assert sorted(path.name.partition(".")[0] for path in copy.rglob("*.so")) == sorted(
        ["feltwire__mypyc", *(Path(name).stem for name in MODULES)]
    )
    assert python("-c", "from controller.cli import main; main()", "--version", folder=copy)[0].endswith(
        python("-c", "from controller.packages.compiled import code; print(code())", folder=copy)[0]
    )


def test_a_package_that_is_asked_for_compiled_has_the_modules(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def own_wheel(folder: Path, _: int, *, compiled: bool) -> Path:
        """The wheel that the copy was made from, which took half a minute."""
        assert compiled
        (made,) = copy.glob("*.whl")
        return Path(shutil.copy(made, folder))

    monkeypatch.setattr(build, "own_wheel", own_wheel)
    minor = platform.python_version().rpartition(".")[0]
    # A compiled package is for a system that has this Python; what it is called is of no matter for its content.
    name = next((name for name in SYSTEMS if SYSTEMS[name].minor == minor), "trixie")
    arch = next(arch for arch in MACHINES if MACHINES[arch] == platform.machine())
    wheels(tmp_path, name, arch)
    (built,) = build.build(name, arch, [version()], tmp_path, tmp_path, 0, compiled=True)
    subprocess.run(["dpkg-deb", "-x", str(built.deb), str(tmp_path / "unpacked")], check=True)
    assert code(tmp_path / "unpacked" / build.LIBRARIES) == code(copy)
    stated = json.loads(built.provenance.read_text())["predicate"]
    assert stated["buildDefinition"]["externalParameters"]["compiled"] is True
    assert "mypy" in stated["runDetails"]["builder"]["version"]["compilers"]


@pytest.mark.parametrize("edited", ["drivers/base/driver.py", "hal/values.py", "drivers/wheel/encoder.py"])
def test_a_source_whose_constants_or_classes_compiled_code_has_is_not_edited_unnoticed(
    copy: Path, tmp_path: Path, edited: str
) -> None:
    installed = shutil.copytree(copy, tmp_path / "installed", symlinks=True)
    assert code(copy).startswith("compiled by mypyc ")
    with (installed / edited).open("a") as source:
        source.write("NEVER_NS: Final = 2\n")
    with pytest.raises(MixedCodeError, match=f"^{edited}: it is not what was compiled"):
        code(installed)


def test_a_library_needs_nothing_of_mypyc_where_it_runs(copy: Path) -> None:
    program = "import sys, drivers.wheel.encoder; print(*(m for m in sys.modules if m.startswith(('mypy', 'librt'))))"
    assert python("-c", program, folder=copy) == [""]


@pytest.mark.parametrize(("path", "kind", "line", "other"), PLANTED)
def test_a_difference_in_one_hot_module_is_found(
    plain_digests: list[str], tmp_path: Path, path: str, kind: str, line: str, other: str
) -> None:
    # Compared are two sources: where the difference is compiled makes none.
    for package in ("drivers", "drivers/wheel"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(f"__path__.append({str(ROOT / package)!r})\n")
    source = (ROOT / path).read_text()
    assert line in source
    (tmp_path / path).write_text(source.replace(line, other))
    count = {"corrupted": "20", "worn": "1"}[kind]
    _, *planted = python("-m", "tests.compiled.digests", "--only", kind, "--count", count, folder=tmp_path)
    named = {each.rpartition(" ")[0] for each in planted}
    plain = [each for each in plain_digests if each.rpartition(" ")[0] in named]
    assert differences(plain, planted) != []


def test_what_is_missing_for_compiling_is_named_and_no_plain_wheel_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(CompileError, match=rf"{ASKED} asks .* C compiler \(no-such-compiler\): sudo apt install gcc"):
        compile_modules(ROOT, ["hal"], tmp_path)
