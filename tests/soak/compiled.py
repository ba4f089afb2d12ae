"""A copy of a commit whose hot modules are compiled by mypyc: corrupted wheels are judged 1.6 times as fast on it.

    build/soak/compiled-0123456789-cpython-311-x86_64-linux-gnu-mypyc-2.4.1/     of one commit, for one Python

A copy is made once, and is compared with the plain code whenever a runner is about to use it. What fails on it is
repeated on the plain code. Nothing but time is lost where a copy is deleted.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Final

import msgspec

from hal.clock import Clock
from tests.soak import source
from tests.soak.catalogue import SOAKS, Piece
from tests.soak.records import Failure, Machine, Result, SoakError
from tests.soak.runner import Ended, Processes, duration, last_lines, result_of

MODULES: Final = (
    "controller.table.event_sequencer",
    "controller.table.table",
    "drivers.base.driver",
    "drivers.money_wheel.encoder_wheel",
    "drivers.roulette.ball_hypothesis",
    "drivers.roulette.ball_track",
    "drivers.roulette.pocket_head",
    "drivers.roulette.rotor",
    "drivers.roulette.wheel",
    "drivers.wheel.encoder",
    "drivers.wheel.index_proof",
    "drivers.wheel.lost_pulses",
    "drivers.wheel.quadrature",
    "drivers.wheel.quarter_widths",
    "drivers.wheel.slowing",
    "tests.oracle.ball",
    "tests.oracle.corruptions",
    "tests.oracle.judge",
    "tests.oracle.money",
    "tests.oracle.motion",
    "tests.oracle.roulette",
)
"""Where a run of a corrupted wheel spends its time. Compiled modules call each other faster than they call others."""

OPTIONS: Final = ("--explicit-package-bases", "--config-file=")
"""Of mypyc: modules are named from the copy's folder, and no configuration of a folder around it counts."""

OPTIMISATION: Final = {"MYPYC_OPT_LEVEL": "2"}
"""Of the C compiler."""

COMPARED_SEEDS: Final = 100
"""Of each wheel: their events are the same compiled and plain, or the copy is not used."""

WHEELS: Final = tuple(soak.wheel for soak in SOAKS if soak.wheel)

_IMPORT: Final = """
import importlib, sys
import tests.soak.corrupted_rounds
for name in sys.argv[1:]:
    print(importlib.import_module(name).__file__)
"""
"""A program that prints the file of each module that it is given, imported in the order in which a piece does it."""


def mypyc_version() -> str:
    """The version of mypyc, which is mypy's.

    Raises:
        SoakError: it is not installed.
    """
    try:
        return version("mypy")
    except PackageNotFoundError:
        raise SoakError(_without("mypyc")) from None


def need_tools() -> None:
    """Compiling is possible here.

    Raises:
        SoakError: something for it is missing; names what to install.
    """
    for package in ("mypyc", "setuptools"):
        if find_spec(package) is None:
            raise SoakError(_without(package))
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if shutil.which(compiler) is None:
        raise SoakError(f"--compiled needs a C compiler ({compiler}); on Debian: sudo apt install gcc libc6-dev")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        raise SoakError(f"--compiled needs Python's headers ({header}); on Debian: sudo apt install python3-dev")


def _without(package: str) -> str:
    return f"--compiled needs {package}: {sys.executable} -m pip install mypy setuptools"


class CompiledProcesses(Processes):
    """Runs pieces of corrupted wheels on a compiled copy, and what fails there on the plain code of the checkout."""

    def __init__(self, root: Path, clock: Clock, state: Path, archive: Callable[[str], bytes] = source.archive) -> None:
        """`root` is the checkout, `state` the folder that copies are kept in.

        Raises:
            SoakError: mypyc is not installed.
        """
        super().__init__(root, clock)
        self._state = state.resolve()
        self._archive = archive
        self._mypyc = mypyc_version()
        self._copy: Path | None = None

    @property
    def machine(self) -> Machine:
        """This machine, with what compiles the hot modules."""
        plain = super().machine
        return msgspec.structs.replace(plain, python=f"{plain.python}, hot modules compiled by mypyc {self._mypyc}")

    def prepare(self, commit: str, report: Callable[[str], None]) -> None:
        """Makes the copy of a commit where there is none, and compares it with the plain code.

        Raises:
            SoakError: the code is not committed, the copy cannot be made, or it does other than the plain code.
        """
        if not source.is_committed(commit):
            why = "this is no git checkout" if commit == source.UNKNOWN else "commit what is changed here, or remove it"
            raise SoakError(f"--compiled runs a copy of a commit: {why}")
        copy = self._state / f"compiled-{commit[:10]}-{sysconfig.get_config_var('SOABI')}-mypyc-{self._mypyc}"
        if not copy.exists():
            self._make(copy, commit, report)
        self._check_imports(copy)
        report(f"comparing {COMPARED_SEEDS} seeds of each wheel, compiled and plain")
        for wheel in WHEELS:
            self._compare(copy, wheel)
        self._copy = copy

    def run(self, piece: Piece) -> Ended:
        """Runs a piece on the copy; each failure is repeated on the plain code, and says whether it is one there.

        Raises:
            SoakError: `prepare` was not called.
        """
        if self._copy is None:
            raise SoakError("no copy is compiled")
        ended = self.run_in(self._copy, piece)
        result = result_of(piece, ended)
        if not result.failures:
            return ended
        failures, seconds = [], ended.seconds
        for failure in result.failures:
            again = Piece(piece.name, piece.amount, tuple(shlex.split(failure.command)[1:]))
            plain = self.run_in(self._root, again)
            seconds += plain.seconds
            crash = _crash(self._copy, ended)
            if crash is not None and crash == _crash(self._root, plain):
                failures.append(failure)
            else:
                failures.append(_repeated(failure, result_of(again, plain).failures))
        return Ended(ended.status, ended.output, msgspec.json.encode(Result(result.counts, failures)), seconds)

    def _make(self, copy: Path, commit: str, report: Callable[[str], None]) -> None:
        need_tools()
        report(f"compiling {len(MODULES)} modules of {commit[:10]} by mypyc {self._mypyc}: some minutes, once")
        # Complete or not there: an interrupted one is made anew.
        unready = copy.with_name(f"{copy.name}.new")
        try:
            shutil.rmtree(unready, ignore_errors=True)
            with zipfile.ZipFile(BytesIO(self._archive(commit))) as files:
                files.extractall(unready)
            # setuptools, which mypyc calls, takes it for a description of what to build.
            (unready / "pyproject.toml").unlink(missing_ok=True)
            modules = [f"{name.replace('.', '/')}.py" for name in MODULES]
            ended = self.python(unready, ("-m", "mypyc", *OPTIONS, *modules), OPTIMISATION)
            if ended.status:
                raise SoakError(f"mypyc ended with status {ended.status}:\n{last_lines(ended.output)}")
            for left_over in ("build", ".mypy_cache"):
                shutil.rmtree(unready / left_over, ignore_errors=True)
            unready.rename(copy)
        except OSError as error:
            raise SoakError(f"{unready}: the copy cannot be made: {error.strerror}") from error
        report(f"compiled in {duration(ended.seconds)}: {copy}")

    def _check_imports(self, copy: Path) -> None:
        """Each of the modules is imported from a compiled file of the copy.

        Raises:
            SoakError: one is not.
        """
        ended = self.python(copy, ("-c", _IMPORT, *MODULES))
        files = ended.output.splitlines()
        if ended.status or len(files) != len(MODULES):
            raise SoakError(f"{copy}: its modules cannot be imported; delete it.\n{last_lines(ended.output)}")
        for name, file in zip(MODULES, files, strict=True):
            place = copy / name.replace(".", "/")
            if Path(file) not in [place.with_name(place.name + suffix) for suffix in EXTENSION_SUFFIXES]:
                raise SoakError(f"{copy}: {name} is not compiled there, but comes from {file}; delete it")
            # A compiled module that imports another names its file without looking for it.
            if not Path(file).is_file():
                raise SoakError(f"{copy}: {file} is missing; delete the copy")

    def _compare(self, copy: Path, wheel: str) -> None:
        """The events and verdicts of some seeds are those of the plain code.

        Raises:
            SoakError: they differ; names the first seed.
        """
        arguments = ("-m", "tests.soak.corrupted_rounds", wheel, "0", str(COMPARED_SEEDS), "--digests")
        compiled, plain = (self._digests(root, arguments) for root in (copy, self._root))
        for seed, (one, other) in enumerate(zip(compiled, plain, strict=True)):
            if one != other:
                command = f"python -m tests.soak.corrupted_rounds {wheel} {seed} --digests"
                raise SoakError(
                    f"compiled and plain code differ in seed {seed} of {wheel}; compare what this prints here and in "
                    f"{copy}: {command}"
                )

    def _digests(self, root: Path, arguments: Sequence[str]) -> list[str]:
        ended = self.python(root, arguments)
        lines = ended.output.splitlines()
        if ended.status or len(lines) != COMPARED_SEEDS:
            raise SoakError(f"{root}: the seeds to compare cannot be run:\n{last_lines(ended.output)}")
        return lines


def _repeated(failure: Failure, plain: Sequence[Failure]) -> Failure:
    """A failure of compiled code, after its command has found `plain` on the plain code: a difference is one too."""
    if failure in plain:
        return failure
    there = "; ".join(one.what for one in plain) or "no failure"
    return Failure(f"compiled and plain code differ; compiled: {failure.what}; plain: {there}", failure.command)


def _crash(root: Path, ended: Ended) -> tuple[int, str] | None:
    """How a process ended that reported no failure: its status, and the last line that it printed.

    The lines above are those of a traceback: of the same failure, they name other files and lines in compiled code.
    None where the process reported what failed, or did not fail.
    """
    if ended.result:
        try:
            failures = msgspec.json.decode(ended.result, type=Result).failures
        except msgspec.MsgspecError:
            return None
        if failures or not ended.status:
            return None
    printed = ended.output.splitlines()
    return ended.status, printed[-1].replace(f"{root}/", "") if printed else ""
