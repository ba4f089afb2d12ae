"""Compiles the hot modules with mypyc while the project's wheel is built, where that is asked for.

    FELTWIRE_COMPILED=1 python -m pip wheel --no-deps --no-build-isolation .

A wheel has the sources too. Beside each source that is compiled is a module of the same name (`*.so`), which Python
prefers; the code of all of them is in one library. `controller/packages/compiled.json` names the libraries and the
sources by their SHA-256, so that `feltwire` refuses to run anything but what was compiled together. The sources are
also those that the modules import: mypyc puts their constants, and where their classes have what, into compiled code.

Nothing is compiled for an editable installation: a library beside the sources would run in place of what is edited.
hatchling runs this file by its path, so it imports nothing of the project.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULES: Final = (
    "controller/table/wheel_watch.py",
    "drivers/roulette/ball_hypothesis.py",
    "drivers/roulette/ball_track.py",
    "drivers/wheel/condition.py",
    "drivers/wheel/encoder.py",
    "drivers/wheel/index_proof.py",
    "drivers/wheel/lost_pulses.py",
    "drivers/wheel/quadrature.py",
    "drivers/wheel/quarter_widths.py",
    "drivers/wheel/slowing.py",
    "feed/pace.py",
    "simulators/base/motion.py",
    "simulators/base/sensors.py",
    "simulators/roulette/ball.py",
)
"""The hot modules: what each gains is in docs/measurements.md. They call each other without Python's calls."""

ASKED: Final = "FELTWIRE_COMPILED"
RECORD: Final = "controller/packages/compiled.json"
LIBRARY: Final = "feltwire"
"""Names the library that has the code of all modules, `feltwire__mypyc`: beside the packages, where mypyc has it."""

MYPYC: Final = (
    "--config-file=",
    "--explicit-package-bases",
    "--follow-imports=silent",
    "--ignore-missing-imports",
)
EXACT: Final = ("-ffp-contract=off",)
"""A product and a sum are rounded one after the other, as Python does it: on arm64 gcc would make one step of both."""
LEVEL: Final = "FELTWIRE_COMPILED_LEVEL"
"""How far the C compiler optimises, 0 to 3; 3 where the environment does not state it. It changes no result."""
FLAGS: Final = ("CFLAGS", "CPPFLAGS", "LDFLAGS", "LDSHARED", LEVEL)
"""What the result depends on in the environment besides `CC`."""


class CompileError(Exception):
    """The modules cannot be compiled; the message states what is missing, or what the compiler printed."""


def missing_tools() -> str | None:
    """What compiling needs and this computer does not have; None where nothing is missing."""
    packages = [name for name in ("mypyc", "setuptools") if find_spec(name) is None]
    if packages:
        return f"{' and '.join(packages)}: {sys.executable} -m pip install --require-hashes -r requirements/dev.lock"
    compiler = _compiler()[0]
    if shutil.which(compiler) is None:
        return f"C compiler ({compiler}): sudo apt install gcc libc6-dev"
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        return f"header of Python ({header}): sudo apt install python3-dev"
    return None


def toolchain() -> str:
    """What the result depends on besides the sources: Python, mypyc, setuptools, the C compiler and its flags."""
    compiler = _compiler()
    stated = ""
    if shutil.which(compiler[0]) is not None:
        stated = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False).stdout
    flags = {name: os.environ.get(name) for name in FLAGS}
    packages = {name: version(name) for name in ("mypy", "setuptools") if find_spec(name) is not None}
    return f"{sys.version} {sysconfig.get_config_var('CFLAGS')} {packages} {compiler} {stated} {flags}"


def _compiler() -> list[str]:
    return str(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()


def compiled_of(root: Path) -> list[str]:
    """The sources that the code of the libraries depends on: the modules, and what they import, and so on."""
    found: set[str] = set()
    following = [*MODULES]
    while following:
        name = following.pop()
        if name not in found and (root / name).is_file():
            found.add(name)
            following += _imported(name, (root / name).read_bytes())
    return sorted(found)


def _imported(name: str, source: bytes) -> Iterator[str]:
    """The files that a source imports, if they are of the project."""
    for parent in Path(name).parents:
        yield f"{parent}/__init__.py"
    for node in ast.walk(ast.parse(source)):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # One dot is the module's own package: of the parents' names the last of all is the root's, ".".
            of = Path(name).parents[node.level - 1].as_posix().replace("/", ".") if node.level else ""
            module = ".".join(filter(None, (of, node.module)))
            modules = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        for module in modules:
            yield from (module.replace(".", "/") + end for end in (".py", "/__init__.py"))


def compile_modules(root: Path, packages: list[str], folder: Path) -> dict[str, Path]:
    """Compiles the modules of a checkout in an empty folder; returns the files to add to a wheel, by their place in it.

    Raises:
        CompileError: something is missing, or a module cannot be compiled.
    """
    missing = missing_tools()
    if missing is not None:
        raise CompileError(f"{ASKED} asks for compiled modules, and there is no {missing}")
    for package in packages:
        shutil.copytree(root / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    # mypyc ends the process that it cannot compile in.
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), *MODULES],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CompileError(f"mypyc and the C compiler ended with status {done.returncode}:\n{done.stdout}")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    names = [f"{LIBRARY}__mypyc{suffix}", *(name.removesuffix(".py") + suffix for name in MODULES)]
    record = {
        "mypyc": version("mypy"),
        "modules": MODULES,
        "sources": {name: _digest(folder / name) for name in compiled_of(folder)},
        "libraries": {name: _digest(folder / name) for name in names},
    }
    (folder / RECORD).write_text(json.dumps(record, indent=1) + "\n")
    return {name: folder / name for name in (*names, RECORD)}


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


class CompileHook(BuildHookInterface[Any]):
    """Adds the compiled modules to a wheel."""

    _folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles, where it is asked for and the wheel is not of an editable installation."""
        if version == "editable" or not os.environ.get(ASKED):
            return
        self._folder = tempfile.TemporaryDirectory(prefix="feltwire-compiled-")
        packages = self.build_config.packages
        added = compile_modules(Path(self.root), packages, Path(self._folder.name))
        build_data["force_include"].update({str(path): name for name, path in added.items()})
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes what was compiled."""
        if self._folder is not None:
            self._folder.cleanup()


def _compile(modules: list[str]) -> None:
    """Compiles modules below the current folder, each beside its source."""
    from mypyc.build import mypycify
    from setuptools import Distribution

    level = os.environ.get(LEVEL, "3")
    extensions = mypycify([*MYPYC, *modules], opt_level=level, group_name=LIBRARY, debug_level="0", target_dir="build")
    for extension in extensions:
        extension.extra_compile_args.extend(EXACT)
        extension.extra_link_args.append("-s")
    command = Distribution({"name": "feltwire", "ext_modules": extensions}).get_command_obj("build_ext")
    command.inplace = True
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    _compile(sys.argv[1:])
