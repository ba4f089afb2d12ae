"""`feltwire boards sheet`: what a technician answers, what the report says, and who signed it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from controller.boards.bench_sheet import BenchSheetError, Sheet, Step, judge, load, read_answers, report
from controller.cli import main
from controller.journal.signing import create, public_half
from hal.board.messages import KINDS
from tests.fakes.board_thread import BoardThread
from tests.fakes.model_board import ModelBoard


def good(step: Step) -> bool | float:
    """An answer that passes."""
    return True if step.unit == "" else (step.least + min(step.most, step.least + 1000)) / 2


def answers(path: Path, sheet: Sheet, **changed: bool | float) -> Path:
    values = {step.id: good(step) for step in sheet.step} | changed
    lines = [f"{key} = {str(value).lower()}" for key, value in values.items()]
    path.write_text("\n".join(["[answers]", *lines]) + "\n")
    return path


def sheet_of(*arguments: object, given: str | None = None) -> Result:
    return CliRunner().invoke(main, ["boards", "sheet", *map(str, arguments)], input=given)


@pytest.mark.parametrize("kind", KINDS)
def test_a_good_board_passes_and_its_report_is_signed(kind: str, tmp_path: Path) -> None:
    sheet = load(kind)
    key = create(tmp_path / "bench.key")
    path = tmp_path / "report.json"
    file = answers(tmp_path / "answers.toml", sheet)
    result = sheet_of(
        kind,
        "--tester",
        "A. Miller",
        "--number",
        7,
        "--report",
        path,
        "--key",
        tmp_path / "bench.key",
        "--answers",
        file,
    )
    assert result.exit_code == 0, result.output
    written = json.loads(path.read_text())
    assert (written["kind"], written["serial"], written["tester"], written["passed"]) == (kind, 7, "A. Miller", True)
    assert [finding["step"] for finding in written["findings"]] == [step.id for step in sheet.step]
    checked = sheet_of(kind, "--verify", path, "--signer", public_half(key))
    assert checked.exit_code == 0, checked.output
    assert "the signature is good" in checked.output


def test_the_test_ends_at_the_first_step_that_fails(tmp_path: Path) -> None:
    sheet = load("pusher")
    path = tmp_path / "report.json"
    file = answers(tmp_path / "answers.toml", sheet, supply_5=4.7)
    result = sheet_of("pusher", "--tester", "x", "--report", path, "--answers", file)
    assert result.exit_code == 1
    assert "failed: supply_5, measured 4.7" in result.output
    written = json.loads(path.read_text())
    assert written["passed"] is False
    assert written["findings"][-1] == {"step": "supply_5", "passed": False, "value": 4.7, "remark": ""}
    assert "identify" not in [finding["step"] for finding in written["findings"]]
    assert not (tmp_path / "report.json.sig").exists()


def test_without_a_file_each_step_is_asked_and_nothing_is_assumed(tmp_path: Path) -> None:
    sheet = load("wheel")
    path = tmp_path / "report.json"
    typed = "".join(f"{'y' if step.unit == '' else good(step)}\n" for step in sheet.step)
    result = sheet_of("wheel", "--tester", "x", "--report", path, given=typed)
    assert result.exit_code == 0, result.output
    for step in sheet.step:
        assert step.action in result.output
    # A return is no answer, and the end of the input leaves no report.
    left = sheet_of("wheel", "--tester", "x", "--report", tmp_path / "other.json", given="\n\n")
    assert left.exit_code == 1
    assert not (tmp_path / "other.json").exists()


def test_a_failure_is_asked_for_a_remark(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    result = sheet_of("wheel", "--tester", "x", "--report", path, given="n\nD3 reversed\n")
    assert result.exit_code == 1
    assert json.loads(path.read_text())["findings"] == [
        {"step": "look", "passed": False, "value": None, "remark": "D3 reversed"}
    ]
    assert "failed: look: D3 reversed" in result.output


def test_a_changed_report_or_another_signer_is_refused(tmp_path: Path) -> None:
    sheet = load("wheel")
    path = tmp_path / "report.json"
    key = create(tmp_path / "bench.key")
    stranger = create(tmp_path / "other.key")
    file = answers(tmp_path / "answers.toml", sheet)
    assert (
        sheet_of(
            "wheel", "--tester", "x", "--report", path, "--key", tmp_path / "bench.key", "--answers", file
        ).exit_code
        == 0
    )
    other = sheet_of("wheel", "--verify", path, "--signer", public_half(stranger))
    assert other.exit_code == 2
    assert "it is no signature of report.json" in other.output
    path.write_text(path.read_text().replace('"tester": "x"', '"tester": "y"'))
    changed = sheet_of("wheel", "--verify", path, "--signer", public_half(key))
    assert changed.exit_code == 2
    assert "the report was changed since" in changed.output
    assert sheet_of("reel", "--verify", path, "--signer", public_half(key)).exit_code == 2


def test_a_report_without_a_key_takes_an_older_signature_away(tmp_path: Path) -> None:
    sheet = load("wheel")
    path = tmp_path / "report.json"
    create(tmp_path / "bench.key")
    file = answers(tmp_path / "answers.toml", sheet)
    common = ("wheel", "--tester", "x", "--report", path, "--answers", file)
    assert sheet_of(*common, "--key", tmp_path / "bench.key").exit_code == 0
    assert sheet_of(*common).exit_code == 0
    assert not path.with_name("report.json.sig").exists()


def test_the_board_on_the_port_is_named_in_the_report(tmp_path: Path) -> None:
    file = answers(tmp_path / "answers.toml", load("wheel"))
    path = tmp_path / "report.json"
    port = tmp_path / "port"
    with BoardThread(port, ModelBoard(KINDS["wheel"])):
        good_one = sheet_of("wheel", "--tester", "x", "--report", path, "--answers", file, "--port", port)
        wrong = sheet_of("pusher", "--tester", "x", "--report", path, "--answers", file, "--port", port)
    assert good_one.exit_code == 0, good_one.output
    assert json.loads(path.read_text())["board"].startswith("wheel board")
    assert wrong.exit_code == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "expected one table [answers], found nothing"),
        ("[answer]\nlook = true\n", "expected one table [answers], found answer"),
        ("[answers]\nlok = true\n", "[answers] lok: the wheel sheet has no such step"),
        ("[answers]\nlook = 3\n", "step look: expected true or false, found 3"),
        ("[answers]\nsupply_5 = true\n", "step supply_5: expected a number in V, found True"),
        ("[answers]\nsupply_5 = nan\n", "step supply_5: expected a number in V, found nan"),
        ('[answers]\nlook = "yes"\n', "[answers] look: expected true, false or a number, found 'yes'"),
        ("[answers]\nlook = true\n", "step work"),
        ("[answers\n", "it cannot be read"),
    ],
)
def test_answers_that_cannot_be_used_are_refused_with_what_is_wrong(text: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text(text)
    kind = "pusher" if "work" in error else "wheel"
    result = sheet_of(kind, "--tester", "x", "--report", tmp_path / "r.json", "--answers", file)
    assert result.exit_code == 2
    assert error in result.output
    assert not (tmp_path / "r.json").exists()


def test_an_option_that_is_missing_is_named() -> None:
    assert "needs --tester NAME and --report FILE" in sheet_of("wheel").output
    assert sheet_of("wheel", "--verify", "r.json").exit_code == 2


def test_a_report_of_half_a_sheet_has_not_passed() -> None:
    sheet = load("wheel")
    findings = [judge(step, good(step)) for step in sheet.step]
    whole = report(sheet, findings, serial=0, board="", tester="x", time="")
    assert whole.passed
    assert not report(sheet, findings[:-1], serial=0, board="", tester="x", time="").passed


@given(st.floats(allow_nan=True, allow_infinity=True), st.floats(0, 10), st.floats(0, 10))
def test_a_measured_value_passes_within_its_bounds_alone(value: float, one: float, other: float) -> None:
    step = Step("x", "x", "x", "x", "V", min(one, other), max(one, other))
    try:
        finding = judge(step, value)
    except BenchSheetError:
        assert not abs(value) < float("inf")
    else:
        assert finding.passed == (min(one, other) <= value <= max(one, other))


@given(st.binary(max_size=200))
def test_no_file_of_answers_is_worse_than_refused(content: bytes) -> None:
    sheet = load("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", lambda path, mode: __import__("io").BytesIO(content))
        try:
            read = read_answers(Path("answers.toml"), sheet)
        except BenchSheetError:
            return
    assert set(read) <= {step.id for step in sheet.step}
