"""`feltwire journal` as people call it: what it prints, and its exit codes."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from audit.export import COLUMNS
from command_line.exit_codes import NOT_READ
from controller.cli import main
from controller.journal.files import Lock
from feed.data import CaptureFile, Tumbling
from feed.events import Evidence, Void
from tests.fakes.time_limits import HANG_S
from tests.unit.audit.making import KEY, OTHER_KEY, Evening, evening, place_key, tampering

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    place_key(tmp_path)
    return evening(tmp_path / "journal.sqlite", rounds=6)


def call(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["journal", *(str(one) for one in arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_help_names_every_command_and_the_exit_codes() -> None:
    told = call("--help").output
    for name in ("verify", "show", "recall", "export", "report", "archive", "backup", "retire"):
        assert name in told
        help_of_one = call(name, "--help").output
        assert "Examples:" in help_of_one
        assert "Exit codes:" in help_of_one


# --- verify ----------------------------------------------------------------------------------------------------------


def test_a_sound_journal_exits_with_0_and_names_its_heads(journal: Path) -> None:
    result = call("verify", journal)
    assert result.exit_code == 0
    assert "verified: nothing was changed, removed or inserted" in result.stdout
    assert "\x1b" not in result.output
    assert "the seals were checked with the key in the file" in result.stdout


def test_the_last_line_of_verify_and_the_first_page_of_the_report_claim_nothing_of_records_without_a_seal(
    tmp_path: Path,
) -> None:
    writer = Evening(tmp_path / "journal.sqlite")
    with pytest.raises(RuntimeError, match="killed"), writer:
        writer.opened("wheel-1")
        writer.round("wheel-1")
        raise RuntimeError("killed")
    assert "note: the last 4 records are not sealed yet" in call("verify", writer.path).output
    assert call("verify", writer.path).output.endswith(
        "removed or inserted; of 4 records in the notes no seal shows that\n"
    )
    with writer:
        writer.round("wheel-1")
    told = call("verify", writer.path).output
    assert "after a crash 4 records were found without a seal (wheel-1 1 to 4)" in told
    assert told.endswith("removed or inserted; of 4 records in the notes no seal shows that\n")
    page = tmp_path / "night.html"
    assert call("report", writer.path, "-o", page).exit_code == 0
    words = page.read_text(encoding="utf-8")
    assert words.count("removed or inserted; <b>of 4 records no seal shows that</b>") == 2
    assert "after a crash 4 records were found without a seal" in words


def test_one_that_was_changed_exits_with_3_and_names_the_record_and_what_was_done(journal: Path) -> None:
    with tampering(journal) as connection:
        edited = "CAST(replace(CAST(body AS TEXT), '$2', '$20') AS BLOB)"
        connection.execute(f"UPDATE record SET body = {edited} WHERE chain = 'wheel-1' AND seq = 3")
    result = call("verify", journal)
    assert result.exit_code == 3
    assert "first: wheel-1 record 3: changed" in result.stdout


def test_a_file_that_cannot_be_used_exits_with_2(tmp_path: Path) -> None:
    result = call("verify", tmp_path / "nowhere.sqlite")
    assert result.exit_code == 2
    assert "there is no such file; give the path of a journal" in result.stderr


def test_keys_are_read_as_the_log_says_them_or_from_a_file(journal: Path, tmp_path: Path) -> None:
    public = KEY.verify_key.encode().hex()
    grouped = " ".join(public[at : at + 16] for at in range(0, 64, 16))
    (tmp_path / "signing.pub").write_text(public + "\n")
    for given in (public, grouped, tmp_path / "signing.pub"):
        assert call("verify", journal, "--key", given).exit_code == 0
    assert call("verify", journal, "--key", OTHER_KEY.verify_key.encode().hex()).exit_code == 3
    wrong = call("verify", journal, "--key", "signing")
    assert wrong.exit_code == 2
    assert "expected 64 hexadecimal digits" in wrong.stderr


def test_a_head_that_was_kept_finds_what_is_gone(journal: Path) -> None:
    report = json.loads(call("verify", journal, "--json").stdout)
    head = next(one for one in report["chains"] if one["chain"] == "wheel-1")
    given = f"wheel-1:{head['last']}:{head['head']}"
    assert call("verify", journal, "--head", given).exit_code == 0
    beyond = f"wheel-1:{head['last'] + 5}:{head['head']}"
    result = call("verify", journal, "--head", beyond)
    assert result.exit_code == 3
    assert "missing: the chain ends at record" in result.stdout
    assert call("verify", journal, "--head", "wheel-1").exit_code == 2


# --- show and recall -------------------------------------------------------------------------------------------------


def test_show_prints_a_line_an_event_or_one_with_all_that_is_kept(journal: Path) -> None:
    assert len(call("show", journal, "wheel-1").stdout.splitlines()) == 20
    assert len(call("show", journal, "wheel-1", "3-6").stdout.splitlines()) == 4
    one = call("show", journal, "wheel-1", "3").stdout
    assert "OUTCOME $2 (space 1)" in one
    assert '"mono_ns"' in one
    assert call("show", journal, "wheel-1.0000000000000001.3").stdout == one
    assert json.loads(call("show", journal, "wheel-1", "3", "--json").stdout)["id"] == "wheel-1.0000000000000001.3"
    assert "pit (supervisor): settle n=0" in call("show", journal, "@commands").stdout


@pytest.mark.parametrize("span", ["x", "-", "3-x", "3--6", "²"])
def test_a_span_that_is_none_is_refused(journal: Path, span: str) -> None:
    result = call("show", journal, "wheel-1", "--", span)
    assert result.exit_code == 2
    assert "expected 17, 17-40, 17- or -40" in result.stderr


def test_a_span_that_ends_before_it_begins_is_refused_and_is_not_searched_in_an_archive(journal: Path) -> None:
    for words in (("show", journal, "wheel-1", "40-17"), ("recall", journal, "--round", "40-17")):
        result = call(*words)
        assert (result.exit_code, "expected 17-40" in result.stderr) == (2, True)


def test_what_is_not_there_is_told(journal: Path) -> None:
    result = call("show", journal, "wheel-1", "4711")
    assert (result.exit_code, "has no such event here" in result.stderr) == (2, True)
    result = call("show", journal, "wheel-9")
    assert (result.exit_code, "give one that it has: @commands, wheel-1, wheel-2" in result.stderr) == (2, True)


def test_recall_is_marked_from_its_first_line_to_its_last(journal: Path) -> None:
    lines = call("recall", journal, "wheel-2", "--rounds", "2").stdout.splitlines()
    assert "RECALL of wheel-2" in lines[0]
    assert "RECALL of wheel-2" in lines[-1]
    assert any("revolutions" in line and "4.25" in line for line in lines)
    rounds = [json.loads(line) for line in call("recall", journal, "wheel-2", "--json").stdout.splitlines()]
    assert [one["round"] for one in rounds] == [1, 2, 3, 4, 5, 6]
    assert all(one["recall"] is True for one in rounds)


def test_without_a_table_all_are_shown(journal: Path) -> None:
    lines = call("show", journal).stdout.splitlines()
    assert len(lines) == 20
    assert {line.split()[2] for line in lines} == {"wheel-1", "wheel-2"}
    assert lines == sorted(lines)
    headings = [line for line in call("recall", journal).stdout.splitlines() if line.startswith("---")]
    assert [one.split(":")[0] for one in headings] == [
        "--- RECALL of wheel-1",
        "--- end of the RECALL of wheel-1",
        "--- RECALL of wheel-2",
        "--- end of the RECALL of wheel-2",
    ]
    rounds = [json.loads(line) for line in call("recall", journal, "--rounds", "1", "--json").stdout.splitlines()]
    assert [(one["table"], one["round"]) for one in rounds] == [("wheel-1", 6), ("wheel-2", 6)]


def test_a_round_and_a_time_are_shown_and_recalled(journal: Path) -> None:
    assert [line.split()[3] for line in call("show", journal, "wheel-1", "--round", "2").stdout.splitlines()] == [
        "#2"
    ] * 3
    found = [json.loads(line) for line in call("recall", journal, "--round", "2-3", "--json").stdout.splitlines()]
    assert [(one["table"], one["round"]) for one in found] == [
        ("wheel-1", 2),
        ("wheel-1", 3),
        ("wheel-2", 2),
        ("wheel-2", 3),
    ]
    decided = found[0]["events"][1]["time"]
    assert "#2 " in call("recall", journal, "wheel-1", "--since", decided).stdout.splitlines()[1]
    nothing = call("recall", journal, "--until", decided, "--round", "3")
    assert (nothing.exit_code, "no such round here" in nothing.stderr) == (2, True)
    assert "the rounds that have one are wheel-1 1 to 6, wheel-2 1 to 6; an older one" in nothing.stderr
    both = call("show", journal, "wheel-1", "3", "--round", "2")
    assert (both.exit_code, "not both" in both.stderr) == (2, True)


def test_a_journal_without_a_table_says_so(tmp_path: Path) -> None:
    path = evening(tmp_path / "journal.sqlite", tables=())
    for command, what in (("show", "it has no event yet"), ("recall", "it has no table yet")):
        result = call(command, path)
        assert (result.exit_code, what in result.stderr) == (2, True)


def test_a_journal_in_which_nobody_has_sent_a_command_says_so(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
    for command in (("show", path, "@commands"), ("export", path, "--table", "@commands")):
        result = call(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{path}: nobody has sent a command that changes anything yet" in result.stderr


def test_recall_names_the_capture_and_its_sum(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    capture = CaptureFile(file="wheel-1/4.vcd", sha256="ab" * 32, complete=False)
    with Evening(path) as writer:
        writer.opened("wheel-1")
        said = {"call": "No spin", "reason": "wheel_revolutions", "rule": "13:47-20.29(e)"}
        evidence = Evidence(passes=0, capture=capture)
        writer.say(writer.event("wheel-1", Void, round=1, evidence=evidence, **said))
    shown = [line.strip() for line in call("recall", path).stdout.splitlines()]
    assert f"capture               wheel-1/4.vcd sha256 {'ab' * 32} (not complete)" in shown
    assert "passes                0" in shown


def test_recall_states_evidence_in_words_with_times_before_the_verdict(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        said = {"call": "No roll", "reason": "dice_not_flat", "rule": "ours"}
        void = writer.event("wheel-1", Void, round=1, evidence=Evidence(), **said)
        at_ns = void.data.mono_ns
        tumble = Tumbling(shakes=3, moved_s=2.5, rest_ns=at_ns - 1_500_000_000, keyed=[6, 6, 2], read=[6, None])
        evidence = Evidence(tumbles=[tumble, Tumbling(by="player", shakes=4)], left_track_ns=at_ns - 12 * 10**9)
        writer.say(replace(void, data=replace(void.data, evidence=evidence)))
    shown = [line.strip() for line in call("recall", path).stdout.splitlines()]
    words = "shakes 3, moved 2.5 s, rest 1.5 s before the verdict, keyed 6, 6, 2, read 6, –"
    assert f"tumbles 1             {words}" in shown
    assert "tumbles 2             by player, shakes 4" in shown
    assert "left track            12.0 s before the verdict" in shown


def test_on_a_terminal_a_plain_line_stays_plain(journal: Path) -> None:
    told = CliRunner().invoke(main, ["journal", "show", str(journal)], color=True).stdout
    colored = [line for line in told.splitlines() if "\x1b" in line]
    assert colored and all("\x1b[3" in line for line in colored)
    assert not any("bets are open" in line for line in colored)


# --- export ----------------------------------------------------------------------------------------------------------


def test_export_writes_json_lines_or_a_table(journal: Path, tmp_path: Path) -> None:
    bodies = [json.loads(line) for line in call("export", journal).stdout.splitlines()]
    assert len(bodies) == 44
    out = tmp_path / "results.csv"
    assert call("export", journal, "--format", "csv", "--kind", "round.outcome", "-o", out).exit_code == 0
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert {row["kind"] for row in rows} == {"round.outcome"}
    again = call("export", journal, "-o", out)
    assert (again.exit_code, "it exists already" in again.stderr) == (2, True)
    assert call("export", journal, "--since", "yesterday").exit_code == 2
    misspelt = call("export", journal, "--kind", "round.outcom")
    assert (misspelt.exit_code, 'did you mean "round.outcome"?' in misspelt.stderr) == (2, True)
    assert call("export", journal, "--table", "wheel-9").exit_code == 2
    assert call("export", journal, "-o", tmp_path / "no" / "folder").exit_code == 2


def test_every_column_is_explained_on_the_page_for_auditors() -> None:
    page = (ROOT / "docs" / "journal.md").read_text(encoding="utf-8")
    for name, meaning in COLUMNS.items():
        assert f"| `{name}` | {meaning} |" in page


def test_a_reader_that_has_enough_is_no_error(journal: Path) -> None:
    script = f"{Path(sys.executable).with_name('feltwire')} journal export {journal} | head -c 20"
    run = subprocess.run(["bash", "-o", "pipefail", "-c", script], capture_output=True, timeout=HANG_S, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert len(run.stdout) == 20


def test_a_verdict_that_nobody_read_is_not_success(journal: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [str(Path(sys.executable).with_name("feltwire")), "journal", "verify", str(journal)]
    with os.fdopen(writing, "wb") as out:
        run = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, timeout=HANG_S, check=False)
    assert (run.returncode, run.stderr) == (NOT_READ, b"")


def test_reading_goes_on_beside_the_service(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Lock(path), Evening(path) as writer:
        writer.opened("wheel-1")
        writer.round("wheel-1")
        for arguments in (["verify"], ["show", "wheel-1"], ["recall", "wheel-1"], ["export"]):
            assert call(arguments[0], path, *arguments[1:]).exit_code == 0


# --- archive and retire ----------------------------------------------------------------------------------------------


def test_archive_moves_history_and_both_files_verify_together(journal: Path, tmp_path: Path) -> None:
    out = tmp_path / "2026.sqlite"
    result = call("archive", journal, out, "--before", "2026-07-05")
    assert result.exit_code == 0
    assert f"50 records up to the seal of 2026-07-04T19:00:50.000000Z are in {out}; 0 stay" in result.stdout
    assert call("verify", out, journal).exit_code == 0
    swapped = call("verify", journal, out)
    assert (swapped.exit_code, "do not continue each other" in swapped.stderr) == (3, True)
    assert swapped.stdout.splitlines()[-1] == (
        "DOES NOT VERIFY together: give the archives oldest first and the journal last; where they are, one is missing"
    )
    again = call("archive", journal, tmp_path / "more.sqlite", "--keep-days", "1")
    assert "nothing to archive" in again.stdout


def test_archive_wants_to_know_up_to_when(journal: Path, tmp_path: Path) -> None:
    for options in ([], ["--before", "2026-07-05", "--keep-days", "3"], ["--before", "then"]):
        assert call("archive", journal, tmp_path / "out.sqlite", *options).exit_code == 2


def test_archive_and_retire_are_refused_while_the_service_runs(journal: Path, tmp_path: Path) -> None:
    with Lock(journal):
        for arguments in (
            ["archive", journal, tmp_path / "a.sqlite", "--keep-days", "0"],
            ["retire", journal, "--yes"],
        ):
            result = call(*arguments)
            assert (result.exit_code, "writes this journal already" in result.stderr) == (2, True)


def test_retire_asks_first_and_then_sets_it_aside(journal: Path) -> None:
    asked = call("retire", journal)
    assert (asked.exit_code, journal.exists()) == (2, True)
    assert "give --yes" in asked.stderr
    result = call("retire", journal, "--yes")
    assert (result.exit_code, journal.exists()) == (0, False)
    assert "the next start begins a new journal" in result.stdout


KILLED = """
import os, signal, sys
from controller.journal import archive
setattr(archive, sys.argv[1], lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
from controller.cli import main
main(["journal", "archive", sys.argv[2], sys.argv[3], "--before", "2026-07-05"])
"""


@pytest.mark.parametrize("step", ["_compare", "_same_heads", "_delete", "_base", "walk"])
def test_an_archive_that_is_killed_is_finished_by_the_same_command(journal: Path, tmp_path: Path, step: str) -> None:
    out = tmp_path / "2026.sqlite"
    before = call("export", journal).stdout
    killed = [sys.executable, "-c", KILLED, step, str(journal), str(out)]
    run = subprocess.run(killed, capture_output=True, cwd=ROOT, timeout=HANG_S, check=False)
    assert run.returncode == -9
    assert call("verify", journal).exit_code == 0
    assert call("export", journal).stdout == before
    again = call("archive", journal, out, "--before", "2026-07-05")
    assert again.exit_code == 0
    assert "50 records" in again.stdout
    assert call("verify", out, journal).exit_code == 0
    assert call("export", out).stdout == before


# --- backup ----------------------------------------------------------------------------------------------------------


def test_a_backup_verifies_holds_all_and_may_be_made_while_the_service_writes(journal: Path, tmp_path: Path) -> None:
    out = tmp_path / "stick" / "copy.sqlite"
    out.parent.mkdir()
    with Lock(journal):
        result = call("backup", journal, out)
    assert (result.exit_code, f"records are in {out}, verified" in result.stdout) == (0, True)
    assert [one.name for one in out.parent.iterdir()] == ["copy.sqlite"]
    assert call("export", out).stdout == call("export", journal).stdout
    assert call("verify", out).exit_code == 0


def test_a_backup_of_a_damaged_journal_is_kept_as_evidence_and_is_no_backup(journal: Path, tmp_path: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("DELETE FROM record WHERE chain = 'wheel-1' AND seq = 3")
    result = call("backup", journal, tmp_path / "copy.sqlite")
    assert (result.exit_code, "does not verify" in result.stderr) == (3, True)
    assert not (tmp_path / "copy.sqlite").exists()
    assert (tmp_path / "copy.sqlite.damaged").exists()


def test_a_backup_overwrites_nothing_and_needs_a_folder(journal: Path, tmp_path: Path) -> None:
    (tmp_path / "there.sqlite").write_text("another")
    for out, why in (
        (tmp_path / "there.sqlite", "it is there already"),
        (tmp_path / "no/x", "its folder is not there"),
    ):
        result = call("backup", journal, out)
        assert (result.exit_code, why in result.stderr) == (2, True)
    assert call("backup", tmp_path / "none.sqlite", tmp_path / "x").exit_code == 2


def test_a_dry_run_of_archive_moves_nothing_and_may_run_beside_the_service(journal: Path, tmp_path: Path) -> None:
    before = journal.read_bytes()
    with Lock(journal):
        would = call("archive", journal, tmp_path / "a.sqlite", "--before", "2026-07-05", "--dry-run")
        nothing = call("archive", journal, tmp_path / "a.sqlite", "--before", "2020-01-01", "--dry-run")
    assert would.stdout == "50 records up to the seal of 2026-07-04T19:00:50.000000Z would be moved\n"
    assert nothing.stdout.startswith("nothing to archive")
    assert journal.read_bytes() == before
    assert not (tmp_path / "a.sqlite").exists()
