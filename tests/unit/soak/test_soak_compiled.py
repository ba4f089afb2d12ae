"""The compiled copy of a commit: made whole, compared before it is used, and no failure is recorded from it alone."""

from __future__ import annotations

import sys
import sysconfig
import zipfile
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from hal.clock import SystemClock, VirtualClock
from tests.soak import compiled, source
from tests.soak.catalogue import SOAKS, Piece
from tests.soak.compiled import COMPARED_SEEDS, MODULES, WHEELS, CompiledProcesses, need_tools
from tests.soak.records import Failure, Folder, Record, Result, SoakError
from tests.soak.runner import Ended, Orders, Processes, Runner

ONE, OTHER = "1" * 40, "2" * 40
"""Two commits that no repository has."""

CHECKOUT = Path("/checkout")

PIECE = Piece("seeds", 10, ("-m", "tests.soak.corrupted_rounds", "roulette", "0", "10"))
WRONG = Failure("seed 7: pocket 4 for 5", "python -m tests.soak.corrupted_rounds roulette 7 1")
LATER = Failure("seed 8: pocket 4 for 5", "python -m tests.soak.corrupted_rounds roulette 8 1")


def archive(commit: str) -> bytes:
    kept = BytesIO()
    with zipfile.ZipFile(kept, "w") as files:
        files.writestr("commit", commit)
        files.writestr("pyproject.toml", "")
    return kept.getvalue()


def compiled_file(copy: Path, name: str) -> Path:
    return copy / (name.replace(".", "/") + EXTENSION_SUFFIXES[0])


def result(*failures: Failure) -> Ended:
    return Ended(1 if failures else 0, "", msgspec.json.encode(Result({"runs": 10}, list(failures))), 2.0)


class Faked(CompiledProcesses):
    """Runs no process: a compiler that leaves a mark, imports from where it says, digests and results as given."""

    def __init__(self, state: Path) -> None:
        super().__init__(CHECKOUT, VirtualClock(), state, archive)
        self.ran: list[tuple[bool, tuple[str, ...]]] = []
        """Whether on the copy, and what."""
        self.lines: list[str] = []
        self.compiling = Ended(0, "", b"", 70.0)
        self.plain_modules: set[str] = set()
        self.different_seeds: dict[str, int] = {}
        self.on_copy: dict[tuple[str, ...], Ended] = {}
        self.on_plain: dict[tuple[str, ...], Ended] = {}

    def ready(self, commit: str = ONE) -> Faked:
        self.prepare(commit, self.lines.append)
        return self

    def python(self, root: Path, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Ended:
        on_copy = root != CHECKOUT
        self.ran.append((on_copy, tuple(arguments)))
        if arguments[:2] == ("-m", "mypyc"):
            assert environment == {"MYPYC_OPT_LEVEL": "2"}
            (root / "compiled").write_text("\n".join(arguments))
            for name in MODULES:
                compiled_file(root, name).parent.mkdir(parents=True, exist_ok=True)
                compiled_file(root, name).write_text("")
            return self.compiling
        if arguments[0] == "-c":
            files = {name: compiled_file(root, name) for name in MODULES}
            files |= dict.fromkeys(self.plain_modules, source.ROOT / "plain.py")
            return Ended(0, "".join(f"{file}\n" for file in files.values()), b"", 1.0)
        if arguments[-1] == "--digests":
            different = self.different_seeds.get(arguments[2]) if on_copy else None
            lines = (f"{seed} {'b' if seed == different else 'a'}" for seed in range(COMPARED_SEEDS))
            return Ended(0, "\n".join(lines), b"", 1.0)
        *what, option, path = arguments
        assert option == "--soak-result"
        ended = (self.on_copy if on_copy else self.on_plain).get(tuple(what), result())
        if ended.result:
            Path(path).write_bytes(ended.result)
        return ended

    @property
    def compilations(self) -> int:
        return sum(arguments[1] == "mypyc" for _, arguments in self.ran)


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "need_tools", lambda: None)
    monkeypatch.setattr(compiled, "mypyc_version", lambda: "1.18")


# --- the copy --------------------------------------------------------------------------------------------------------


def test_every_module_is_one_of_the_project() -> None:
    files = [source.ROOT / f"{name.replace('.', '/')}.py" for name in MODULES]
    assert [file for file in files if not file.is_file()] == []
    assert len(set(MODULES)) == len(MODULES)
    assert {soak.wheel for soak in SOAKS} == {"", *WHEELS}


def test_a_copy_is_made_once_for_a_commit_and_compared_each_time(tmp_path: Path) -> None:
    first = Faked(tmp_path).ready()
    (copy,) = tmp_path.iterdir()
    assert copy.name == f"compiled-1111111111-{sysconfig.get_config_var('SOABI')}-mypyc-1.18"
    assert (copy / "commit").read_text() == ONE
    assert not (copy / "pyproject.toml").exists()
    assert "drivers/wheel/quadrature.py" in (copy / "compiled").read_text().splitlines()
    assert first.lines == [
        f"compiling {len(MODULES)} modules of 1111111111 by mypyc 1.18: some minutes, once",
        f"compiled in 70 s: {copy}",
        "comparing 100 seeds of each wheel, compiled and plain",
    ]
    second = Faked(tmp_path).ready()
    assert (first.compilations, second.compilations) == (1, 0)
    compared = [(on_copy, arguments[2]) for on_copy, arguments in second.ran if arguments[-1] == "--digests"]
    assert compared == [(on_copy, wheel) for wheel in WHEELS for on_copy in (True, False)]

    assert Faked(tmp_path).ready(OTHER).compilations == 1
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("commit", "why"),
    [(f"{ONE}{source.CHANGED}", "commit what is changed here"), (source.UNKNOWN, "this is no git checkout")],
)
def test_code_that_is_not_committed_is_refused(tmp_path: Path, commit: str, why: str) -> None:
    processes = Faked(tmp_path)
    with pytest.raises(SoakError, match=f"--compiled runs a copy of a commit: {why}"):
        processes.ready(commit)
    assert processes.ran == []


def test_what_was_interrupted_while_it_compiled_or_did_not_compile_is_made_anew(tmp_path: Path) -> None:
    processes = Faked(tmp_path)
    processes.compiling = Ended(1, "quadrature.py:7: error: no", b"", 1.0)
    for _ in range(2):
        with pytest.raises(SoakError, match=r"mypyc ended with status 1:\nquadrature\.py:7: error: no"):
            processes.ready()
    assert [path.suffix for path in tmp_path.iterdir()] == [".new"]
    Faked(tmp_path).ready()
    assert [path.suffix for path in tmp_path.iterdir()] != [".new"]


def test_a_state_folder_that_takes_no_copy_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SoakError, match=r"file/compiled-.*\.new: the copy cannot be made: Not a directory"):
        Faked(tmp_path / "file").ready()


def test_a_module_that_is_imported_as_plain_code_is_refused(tmp_path: Path) -> None:
    processes = Faked(tmp_path)
    processes.plain_modules = {"drivers.roulette.rotor"}
    with pytest.raises(SoakError, match=r"drivers\.roulette\.rotor is not compiled there, but comes from .*plain\.py"):
        processes.ready()
    assert not any(arguments[-1] == "--digests" for _, arguments in processes.ran)


def test_a_copy_that_lost_a_compiled_file_is_refused(tmp_path: Path) -> None:
    Faked(tmp_path).ready()
    (copy,) = tmp_path.iterdir()
    compiled_file(copy, "drivers.roulette.rotor").unlink()
    with pytest.raises(SoakError, match=r"rotor.* is missing; delete the copy"):
        Faked(tmp_path).ready()


def test_a_copy_of_plain_code_is_refused_by_a_real_import(tmp_path: Path) -> None:
    name = f"compiled-1111111111-{sysconfig.get_config_var('SOABI')}-mypyc-1.18"
    (tmp_path / name).symlink_to(source.ROOT)
    processes = CompiledProcesses(source.ROOT, SystemClock(), tmp_path, archive)
    with pytest.raises(SoakError, match=rf"{MODULES[0]} is not compiled there, but comes from .*event_sequencer\.py"):
        processes.prepare(ONE, lambda line: None)


def test_copies_whose_modules_cannot_be_imported_are_refused(tmp_path: Path) -> None:
    name = f"compiled-1111111111-{sysconfig.get_config_var('SOABI')}-mypyc-1.18"
    (tmp_path / name / "tests").mkdir(parents=True)
    (tmp_path / name / "tests" / "__init__.py").write_text("raise ImportError('cut off')")
    processes = CompiledProcesses(source.ROOT, SystemClock(), tmp_path, archive)
    with pytest.raises(SoakError, match=r"its modules cannot be imported; delete it.\n(.*\n)*ImportError: cut off"):
        processes.prepare(ONE, lambda line: None)


def test_a_copy_whose_events_differ_is_refused_with_the_seed(tmp_path: Path) -> None:
    processes = Faked(tmp_path)
    processes.different_seeds = {"roulette": 17}
    with pytest.raises(SoakError, match=r"differ in seed 17 of roulette; .*: python -m .* roulette 17 --digests"):
        processes.ready()
    with pytest.raises(SoakError, match="no copy is compiled"):
        processes.run(PIECE)


def test_an_archive_is_that_of_the_commit_or_an_error() -> None:
    with pytest.raises(SoakError, match="git archive: "):
        source.archive(ONE)


# --- what it needs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda m: m.setattr("shutil.which", lambda name: None), "a C compiler .*sudo apt install gcc libc6-dev"),
        (lambda m: m.setattr("sysconfig.get_path", lambda name: "/none"), "headers .*sudo apt install python3-dev"),
        (lambda m: m.setattr(compiled, "find_spec", lambda name: None), f"mypyc: {sys.executable} -m pip install mypy"),
    ],
    ids=["compiler", "headers", "mypyc"],
)
def test_what_is_missing_for_compiling_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, break_it: Callable[[pytest.MonkeyPatch], None], message: str
) -> None:
    (tmp_path / "Python.h").write_text("")
    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(compiled, "find_spec", lambda name: name)
    need_tools()
    break_it(monkeypatch)
    with pytest.raises(SoakError, match=f"--compiled needs .*{message}"):
        need_tools()


# --- pieces ----------------------------------------------------------------------------------------------------------


def repeats(processes: Faked) -> list[tuple[str, ...]]:
    """What ran on the plain code with a result."""
    return [arguments[:-2] for on_copy, arguments in processes.ran if not on_copy and "--soak-result" in arguments]


def failures(ended: Ended) -> list[Failure]:
    return msgspec.json.decode(ended.result, type=Result).failures


def test_a_piece_runs_on_the_copy_alone_where_nothing_fails(tmp_path: Path) -> None:
    processes = Faked(tmp_path).ready()
    assert processes.run(PIECE) == result()
    assert repeats(processes) == []
    assert processes.ran[-1][0] is True


def test_a_failure_is_repeated_on_the_plain_code_by_its_command(tmp_path: Path) -> None:
    processes = Faked(tmp_path).ready()
    seven = (*PIECE.arguments[:-2], "7", "1")
    processes.on_copy = {PIECE.arguments: result(WRONG, LATER)}
    processes.on_plain = {seven: result(WRONG)}
    ended = processes.run(PIECE)
    assert repeats(processes) == [seven, (*PIECE.arguments[:-2], "8", "1")]
    same, different = failures(ended)
    assert same == WRONG
    assert different.command == LATER.command
    assert different.what == f"compiled and plain code differ; compiled: {LATER.what}; plain: no failure"
    assert (ended.status, ended.seconds) == (1, 6.0)  # with both repetitions
    assert msgspec.json.decode(ended.result, type=Result).counts == {"runs": 10}


def test_a_piece_that_ends_without_a_result_is_repeated_whole(tmp_path: Path) -> None:
    processes = Faked(tmp_path).ready()
    processes.on_copy = {PIECE.arguments: Ended(-11, "", b"", 2.0)}
    processes.on_plain = {PIECE.arguments: result(WRONG)}
    (failure,) = failures(processes.run(PIECE))
    assert repeats(processes) == [PIECE.arguments]
    assert failure.what.startswith("compiled and plain code differ; compiled: ended with status -11 and no result")
    assert failure.what.endswith(f"plain: {WRONG.what}")
    assert failure.command == PIECE.command


def test_records_say_what_compiled_the_code_and_hold_the_check_of_the_commit(tmp_path: Path) -> None:
    soak = SOAKS[1]
    orders = Orders([(soak, 5000)])

    def played(commit: Callable[[], str]) -> dict[str, Record]:
        with Folder(tmp_path) as folder:
            Runner(folder, orders, Faked(tmp_path), VirtualClock(), lambda line: None, commit=commit).run()
            return folder.records(soak.name)

    commits = iter([ONE, ONE, OTHER])
    with pytest.raises(SoakError, match="the code changed"):
        played(lambda: next(commits))
    assert len(Folder(tmp_path).records(soak.name)) == 1
    for record in played(lambda: ONE).values():
        assert record.machine.python == f"{source.machine().python}, hot modules compiled by mypyc 1.18"
        assert record.command.startswith("python -m tests.soak.corrupted_rounds roulette ")
    assert Processes(CHECKOUT, VirtualClock()).machine == source.machine()


def crash(status: int, root: str, last: str, result: bytes = b"") -> Ended:
    return Ended(
        status, f'Traceback:\n  File "{root}/drivers/wheel/encoder.py", line {len(root)}\n{last}\n', result, 2.0
    )


@pytest.mark.parametrize("reported", [b"", msgspec.json.encode(Result({"runs": 3}))], ids=["no result", "no failure"])
def test_the_same_crash_on_both_is_recorded_as_it_is(tmp_path: Path, reported: bytes) -> None:
    processes = Faked(tmp_path).ready()
    (copy,) = tmp_path.iterdir()
    processes.on_copy = {PIECE.arguments: crash(1, str(copy), f"OSError: {copy}/a", reported)}
    processes.on_plain = {PIECE.arguments: crash(1, str(CHECKOUT), f"OSError: {CHECKOUT}/a", reported)}
    (failure,) = failures(processes.run(PIECE))
    assert failure.what.startswith("ended with status 1")
    assert failure.what.endswith(f"OSError: {copy}/a")


@pytest.mark.parametrize(
    "plain",
    [
        crash(2, "/checkout", "KeyError: 1"),
        crash(1, "/checkout", "KeyError: 2"),
        crash(1, "/checkout", "KeyError: 1", b"{"),
        crash(1, "/checkout", "KeyError: 1", result(WRONG).result),
        crash(0, "/checkout", "KeyError: 1", result().result),
    ],
    ids=["status", "last line", "result cut off", "failure", "no crash"],
)
def test_a_crash_that_the_plain_code_does_not_repeat_is_a_difference(tmp_path: Path, plain: Ended) -> None:
    processes = Faked(tmp_path).ready()
    processes.on_copy = {PIECE.arguments: crash(1, "/copy", "KeyError: 1")}
    processes.on_plain = {PIECE.arguments: plain}
    (failure,) = failures(processes.run(PIECE))
    assert failure.what.startswith("compiled and plain code differ; compiled: ended with status 1 and no result")
