"""Soaks run in pieces: interrupted, resumed, failing, with a damaged state, and two runners at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import cast

import msgspec
import pytest

from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from hal.clock import NS_PER_S, SystemClock, VirtualClock
from simulators.base.geometry import Geometry
from simulators.roulette.geometry import RouletteGeometry
from systemd.package import wheels
from tests.oracle.rounds import roulette_round
from tests.oracle.wear import RUNS_A_DAY
from tests.soak import corrupted_rounds, source, wheel_watched
from tests.soak.__main__ import main
from tests.soak.catalogue import SOAKS, Piece, Soak
from tests.soak.corrupted_rounds import LIFE, ROUNDS, judge
from tests.soak.records import Failure, Folder, Record, Result, SoakError
from tests.soak.runner import Ended, Orders, Processes, Runner, duration
from tests.soak.wheel_watched import watched

pytestmark = pytest.mark.long

ONE, OTHER = "1" * 40, "2" * 40
"""Two commits that no repository has: their code differs."""


def every_file(file: str) -> bool:
    """Every file counts."""
    return bool(file)


def pieces(amount: int) -> list[Piece]:
    return [Piece(f"piece-{n}", 10, ("-m", "nothing", str(n))) for n in range(0, amount, 10)]


TINY = Soak("tiny", "Nothing at all", "runs", 50, pieces, 60, 60)
ALSO = Soak("also", "Nothing more", "runs", 30, pieces, 60, 60)
GOOD = Ended(0, "", msgspec.json.encode(Result({"rounds": 15})), 2.0)
BAD = Ended(1, "", msgspec.json.encode(Result({"rounds": 15}, [Failure("seed 23: space 4 for 5", "repeat 23")])), 2.0)


class Scripted(Processes):
    """Runs nothing: gives what is scripted for a piece, otherwise a good end; its clock goes on by two seconds."""

    def __init__(self, clock: VirtualClock, script: dict[str, Ended | BaseException] | None = None) -> None:
        super().__init__(Path(), clock)
        self._virtual = clock
        self._script = script or {}
        self.ran: list[str] = []

    def run(self, piece: Piece) -> Ended:
        self.ran.append(piece.name)
        self._virtual.advance_to(self._virtual.now_ns() + 2 * NS_PER_S)
        ended = self._script.get(piece.name, GOOD)
        if isinstance(ended, BaseException):
            raise ended
        return ended


class Played:
    """One runner at work on a state folder: what it ran, reported and returned."""

    def __init__(
        self,
        path: Path,
        script: dict[str, Ended | BaseException] | None = None,
        *,
        orders: Orders | None = None,
        commit: Callable[[], str] = lambda: ONE,
    ) -> None:
        clock = VirtualClock()
        self.processes = Scripted(clock, script)
        self.lines: list[str] = []
        self.complete: bool | None = None
        with Folder(path) as folder:
            runner = Runner(
                folder, orders or Orders([(TINY, 50)]), self.processes, clock, self.lines.append, commit=commit
            )
            try:
                self.complete = runner.run()
            except KeyboardInterrupt:
                self.interrupted = True

    @property
    def ran(self) -> list[str]:
        return self.processes.ran


def records(path: Path) -> dict[str, Record]:
    return Folder(path).records("tiny")


def test_each_piece_is_run_once_and_recorded(tmp_path: Path) -> None:
    played = Played(tmp_path)
    assert played.complete is True
    assert played.ran == [f"piece-{n}" for n in (0, 10, 20, 30, 40)]
    kept = records(tmp_path)
    assert list(kept) == played.ran
    record = kept["piece-20"]
    assert (record.command, record.commit, record.amount) == ("python -m nothing 20", ONE, 10)
    assert (record.seconds, record.status, record.date) == (2.0, 0, "1970-01-01")
    assert record.machine == source.machine()
    assert record.result == Result({"rounds": 15})


def test_the_progress_has_what_was_done_the_rate_and_what_is_left(tmp_path: Path) -> None:
    lines = Played(tmp_path).lines
    assert lines[0] == "tiny: 0 of 50 runs (0 %), no failure"
    assert lines[2] == "tiny: 20 of 50 runs (40 %), 5 runs/s, 6 s left, no failure"
    assert lines[-1] == "tiny: 50 of 50 runs (100 %), no failure"


def test_what_was_interrupted_is_repeated_and_what_was_recorded_is_not(tmp_path: Path) -> None:
    first = Played(tmp_path, {"piece-20": KeyboardInterrupt()})
    assert first.complete is None
    assert list(records(tmp_path)) == ["piece-0", "piece-10"]
    second = Played(tmp_path)
    assert second.ran == ["piece-20", "piece-30", "piece-40"]
    assert second.complete is True
    assert Played(tmp_path).ran == []


def test_a_record_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Played(tmp_path, orders=Orders([(TINY, 10)]))
    whole = records(tmp_path)["piece-0"]

    def no_room(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", no_room)
    with Folder(tmp_path) as folder, pytest.raises(SoakError, match=r"piece-0\.json: .* No space left"):
        folder.write(msgspec.structs.replace(whole, seconds=99.0))
    assert records(tmp_path) == {"piece-0": whole}


def test_a_failing_piece_is_reported_with_the_command_that_repeats_it_and_fails_the_whole(tmp_path: Path) -> None:
    played = Played(tmp_path, {"piece-20": BAD})
    assert played.complete is False
    assert "FAILED tiny piece-20: seed 23: space 4 for 5\n  repeat it: repeat 23" in played.lines
    assert played.lines[-1].endswith("(100 %), 1 failure")
    assert played.ran[-1] == "piece-40"  # the rest is run all the same

    resumed = Played(tmp_path)
    assert (resumed.complete, resumed.ran) == (False, [])
    assert any("repeat it: repeat 23" in line for line in resumed.lines)

    again = Played(tmp_path, orders=Orders([(TINY, 50)], again=True))
    assert (again.complete, again.ran) == (True, ["piece-20"])


@pytest.mark.parametrize(
    ("ended", "what"),
    [
        (Ended(-9, "one\ntwo", b"", 1.0), "ended with status -9 and no result:\none\ntwo"),
        (Ended(0, "nothing", b"", 1.0), "ended with status 0 and no result:\nnothing"),
        (Ended(0, "", b"{", 1.0), "its result cannot be read: "),
        (Ended(2, "usage", msgspec.json.encode(Result()), 1.0), "ended with status 2:\nusage"),
    ],
)
def test_a_piece_without_a_good_end_is_a_failure(tmp_path: Path, ended: Ended, what: str) -> None:
    played = Played(tmp_path, {"piece-0": ended}, orders=Orders([(TINY, 10)]))
    assert played.complete is False
    (failure,) = records(tmp_path)["piece-0"].result.failures
    assert failure.what.startswith(what)
    assert failure.command == "python -m nothing 0"


@pytest.mark.parametrize("content", [b"", b"{", b"null", b'{"soak": "tiny"}', b"\xff\xfe", b"{}"])
def test_a_state_file_that_is_none_is_named_and_what_to_do_is_told(tmp_path: Path, content: bytes) -> None:
    Played(tmp_path)
    damaged = tmp_path / "tiny" / "piece-20.json"
    damaged.write_bytes(content)
    with pytest.raises(SoakError, match=r"piece-20\.json: no record .*delete it, and the piece is repeated"):
        Played(tmp_path)
    damaged.unlink()
    assert Played(tmp_path).ran == ["piece-20"]


def test_the_record_of_another_piece_is_not_taken_for_this_one(tmp_path: Path) -> None:
    Played(tmp_path)
    folder = tmp_path / "tiny"
    (folder / "piece-0.json").write_bytes((folder / "piece-10.json").read_bytes())
    with pytest.raises(SoakError, match=r"piece-0\.json: holds the record of tiny piece-10"):
        Played(tmp_path)


def test_two_runners_do_not_work_on_one_folder(tmp_path: Path) -> None:
    second = Folder(tmp_path)
    with Folder(tmp_path), pytest.raises(SoakError, match=rf"another runner \(process {os.getpid()}\)"):
        second.__enter__()
    assert Played(tmp_path).complete is True


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(SoakError, match="file/state: cannot be used as the state folder"),
        Folder(tmp_path / "file" / "state"),
    ):
        pass


def test_records_of_other_code_do_not_count_unless_they_are_kept(tmp_path: Path) -> None:
    Played(tmp_path, {"piece-20": BAD}, orders=Orders([(TINY, 30)]))
    kept = Played(tmp_path, orders=Orders([(TINY, 50)], keep=True), commit=lambda: OTHER)
    assert kept.ran == ["piece-20", "piece-30", "piece-40"]  # what failed on other code is repeated
    assert kept.complete is True
    assert [record.commit[0] for record in records(tmp_path).values()] == ["1", "1", "2", "2", "2"]

    strict = Played(tmp_path, commit=lambda: OTHER)
    assert strict.ran == ["piece-0", "piece-10"]
    assert strict.lines[0].startswith("tiny: 2 pieces were recorded on other code and are repeated; --keep counts")


def test_a_record_of_code_that_was_never_committed_equals_no_other(tmp_path: Path) -> None:
    changed = f"{ONE}{source.CHANGED}"
    Played(tmp_path, commit=lambda: changed)
    assert len(Played(tmp_path, commit=lambda: changed).ran) == 5
    assert source.same_code(ONE, ONE, every_file)
    assert not source.same_code(source.UNKNOWN, source.UNKNOWN, every_file)


def test_a_record_holds_where_nothing_has_changed_that_its_pieces_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def committed(file: str, text: str) -> str:
        (tmp_path / file).write_text(text, encoding="utf-8")
        named = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
        for command in (("init", "-q"), ("add", "."), (*named, "commit", "-qm", text)):
            subprocess.run(["git", "-C", str(tmp_path), *command], check=True, timeout=60)
        return source.commit()

    monkeypatch.setattr(source, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    first = committed("wheel.py", "1")
    other = committed("board.py", "2")
    prose = committed("docs/page.md", "3")
    changed = committed("wheel.py", "4")
    assert source.same_code(first, prose, "wheel.py".__eq__)
    assert not source.same_code(first, prose, "board.py".__eq__)
    assert not source.same_code(first, prose, every_file)
    assert source.same_code(other, prose, "wheel.py".__eq__)
    assert not source.same_code(other, prose, "docs/page.md".__eq__)
    assert not source.same_code(prose, changed, "wheel.py".__eq__)
    assert not source.same_code(prose, ONE, "wheel.py".__eq__)


def test_code_that_changes_while_pieces_run_ends_the_run_and_leaves_no_record_of_them(tmp_path: Path) -> None:
    commits = iter([ONE, ONE, ONE, OTHER])
    with pytest.raises(SoakError, match="the code changed"):
        Played(tmp_path, commit=lambda: next(commits))
    assert list(records(tmp_path)) == ["piece-0", "piece-10"]


def test_several_soaks_run_one_after_the_other(tmp_path: Path) -> None:
    played = Played(tmp_path, orders=Orders([(TINY, 30), (ALSO, 20)]))
    assert [line.split(":")[0] for line in played.lines[2:]] == ["tiny", "tiny", "tiny", "also", "also"]


def test_a_share_of_a_soak_is_no_whole_one(tmp_path: Path) -> None:
    assert Played(tmp_path, orders=Orders([(TINY, 20)])).ran == ["piece-0", "piece-10"]
    assert Played(tmp_path).ran == ["piece-20", "piece-30", "piece-40"]


@pytest.mark.parametrize(("seconds", "words"), [(40, "40 s"), (720, "12 min"), (11_100, "3 h 05 min")])
def test_durations_are_for_people(seconds: float, words: str) -> None:
    assert duration(seconds) == words


# --- processes -------------------------------------------------------------------------------------------------------


def test_a_piece_is_a_process_that_writes_its_result() -> None:
    processes = Processes(source.ROOT, SystemClock())
    arguments = ("-m", "tests.soak.corrupted_rounds", "money_wheel", "0", "2")
    ended = processes.run(Piece("two", 2, arguments))
    assert ended.status == 0, ended.output
    result = msgspec.json.decode(ended.result, type=Result)
    assert result.failures == []
    assert result.counts["runs"] == 2
    assert result.counts["rounds"] >= 2


def test_stop_ends_what_runs_and_what_it_has_started() -> None:
    processes = Processes(source.ROOT, SystemClock())
    forever = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])"
    ended: list[Ended] = []
    thread = Thread(target=lambda: ended.append(processes.run(Piece("forever", 1, ("-c", forever)))))
    thread.start()
    while not processes.running:
        pass
    processes.stop()
    thread.join()
    assert ended[0].status == -9
    assert processes.run(Piece("later", 1, ("-c", forever))).status == -9  # nothing begins any more


def test_a_run_that_ends_with_an_exception_names_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(seed: int) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(ROUNDS, "roulette", breaks)
    with pytest.raises(RuntimeError, match="the run of seed 7 ended with an exception"):
        judge("roulette", 7, 1)


def test_a_false_outcome_fails_with_the_command_of_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    true = ROUNDS["money_wheel"]
    wrong = {3: ["space 4 for 5"]}
    monkeypatch.setitem(ROUNDS, "money_wheel", lambda seed: true(seed)._replace(wrong=wrong.get(seed, []), outcomes=1))
    (failure,) = judge("money_wheel", 0, 5).failures
    assert failure.command == "python -m tests.soak.corrupted_rounds money_wheel 3 1"
    assert failure.what.startswith("seed 3, ")
    assert failure.what.endswith("space 4 for 5")


def test_runs_that_have_next_to_no_outcome_try_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    true = ROUNDS["money_wheel"](0)
    monkeypatch.setitem(ROUNDS, "money_wheel", lambda seed: true._replace(wrong=[], outcomes=0))
    (failure,) = judge("money_wheel", 0, 20).failures
    assert failure.what == "only 0 outcomes in 20 runs: nothing was tried"


def test_the_watch_measures_a_worn_wheel_and_an_outcome_beside_the_truth_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seed = 1099 * RUNS_A_DAY
    counts, wrong = watched(seed, 75)
    assert (counts["watched rounds"], counts["histories of wear"], wrong) == (75, 1, [])
    assert counts["watched sound rounds refused"] + counts["false alarms of wear"] == 0

    def turned(config: TableConfig) -> Geometry:
        """The wheel of a table that has its numbers one pocket further on."""
        geometry = cast("RouletteGeometry", geometry_of(config))
        return replace(geometry, pockets=geometry.pockets[1:] + geometry.pockets[:1])

    monkeypatch.setattr(wheel_watched, "geometry_of", turned)
    assert len(watched(seed, 1)[1]) == 1


def test_the_life_of_a_wheel_counts_what_is_refused_beside_new_wheels_and_under_the_watch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(corrupted_rounds, "COMPARED", 110)
    monkeypatch.setattr(corrupted_rounds, "WATCHED", 112)
    monkeypatch.setattr(corrupted_rounds, "WATCHED_ROUNDS", 3)
    result = judge(LIFE, 104, 12)
    assert result.failures == []
    sound, refused, new, of_these, rounds = list(result.counts.values())[4:9]
    assert sound > refused > 0
    compared = roulette_round(110)
    assert (new, of_these) == (compared.sound, compared.refused) == (2, 1)
    assert rounds == 3
    assert list(judge("roulette", 0, 2).counts) == list(result.counts)[:4]


def test_rounds_that_cannot_be_compiled_name_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(wheels, "runs_compiled", lambda: False)
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(SystemExit):
        corrupted_rounds.main(["--compiled", "roulette", "0"])
    missing = "--compiled: compiled modules are asked for, and there is no C compiler (no-such-compiler): sudo apt"
    assert missing in capsys.readouterr().err


# --- the command -----------------------------------------------------------------------------------------------------


def test_without_what_the_soaks_need_nothing_is_run_and_the_fix_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pytest", None)
    assert main(["--only", "boards", "--count", "1", "--state", str(tmp_path / "state")]) == 2
    assert "has no pytest; install what the soaks need with: make tools" in capsys.readouterr().err
    assert not (tmp_path / "state").exists()


def test_the_command_names_a_soak_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "corrupted-baccarat"]) == 2
    assert capsys.readouterr().err == "soak: no soak is named corrupted-baccarat; --list shows their names\n"


@pytest.mark.parametrize("count", ["0", "-1", "many"])
def test_the_command_refuses_an_amount_that_is_none(capsys: pytest.CaptureFixture[str], count: str) -> None:
    with pytest.raises(SystemExit):
        main(["--count", count])
    assert "number above 0" in capsys.readouterr().err


def test_the_command_lists_the_soaks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--jobs", "2", "--only", "corrupted-roulette", "--only", "boards"]) == 0
    boards, roulette, _, total = capsys.readouterr().out.splitlines()
    (soak,) = (soak for soak in SOAKS if soak.name == "boards")
    assert boards.split()[:3] == ["boards", f"{soak.amount}", "parts"]
    assert roulette.split()[:3] == ["corrupted-roulette", "832,500", "runs"]
    needed, one_half = duration(soak.cpu_s), duration(soak.elapsed_s / 2)
    assert total.endswith(f"except for corrupted-roulette: {needed} of processor time, {one_half} with 2 at a time.")


def test_this_interpreter_runs_the_pieces() -> None:
    processes = Processes(source.ROOT, SystemClock())
    assert processes.run(Piece("who", 1, ("-c", "import sys; print(sys.executable)"))).output.strip() == sys.executable
