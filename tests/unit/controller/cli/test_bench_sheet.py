"""`feltwire boards check --sheet`: what a technician answers, what the report says, and who signed it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from audit.signing import create, public_half
from controller.boards.bench_sheet import (
    BenchSheetError,
    Sheet,
    SheetStep,
    judge,
    load,
    read_answers,
    report,
    sheet_name,
)
from controller.cli import main
from hal.board.chips import ATMEGA328P, RP2040, Chip
from hal.board.messages import KINDS
from tests.fakes.board_thread import BoardThread
from tests.fakes.model_board import ModelBoard


def good(step: SheetStep) -> bool | float:
    """An answer that passes."""
    return True if step.unit == "" else (step.least + min(step.most, step.least + 1000)) / 2


def answers(path: Path, sheet: Sheet, **changed: bool | float) -> Path:
    values = {step.id: good(step) for step in sheet.step if not step.port} | changed
    lines = [f"{key} = {str(value).lower()}" for key, value in values.items()]
    path.write_text("\n".join(["[answers]", *lines]) + "\n")
    return path


def check(*arguments: object, given: str | None = None) -> Result:
    return CliRunner().invoke(main, ["boards", "check", *map(str, arguments)], input=given)


def sheet_of(kind: str, folder: Path, *arguments: object, given: str | None = None, chip: Chip = ATMEGA328P) -> Result:
    """The sheet of a kind, with a board of that kind on the port."""
    port = folder / "port"
    common = ("--sheet", folder / "report.json", "--kind", kind, "--tester", "A. Miller", "--chip", chip.name)
    with BoardThread(port, ModelBoard(KINDS[kind])):
        return check(port.resolve(), *common, *arguments, given=given)


@pytest.mark.parametrize(("kind", "chip"), [*((kind, ATMEGA328P) for kind in KINDS), ("pusher", RP2040)])
def test_a_good_board_passes_and_its_report_is_signed(kind: str, chip: Chip, tmp_path: Path) -> None:
    sheet = load(sheet_name(kind, chip))
    key = create(tmp_path / "bench.key")
    path = tmp_path / "report.json"
    file = answers(tmp_path / "answers.toml", sheet)
    result = sheet_of(kind, tmp_path, "--number", 7, "--key", tmp_path / "bench.key", "--answers", file, chip=chip)
    assert result.exit_code == 0, result.output
    written = json.loads(path.read_text())
    assert (written["kind"], written["serial"], written["tester"], written["passed"]) == (
        sheet.kind,
        7,
        "A. Miller",
        True,
    )
    assert [finding["step"] for finding in written["findings"]] == [step.id for step in sheet.step]
    assert written["board"].startswith(f"{kind} board")
    checked = check(path, "--signer", public_half(key))
    assert checked.exit_code == 0, checked.output
    assert "the signature is good" in checked.output


def test_the_test_ends_at_the_first_step_that_fails(tmp_path: Path) -> None:
    sheet = load("pusher")
    path = tmp_path / "report.json"
    file = answers(tmp_path / "answers.toml", sheet, supply_5=4.7)
    result = sheet_of("pusher", tmp_path, "--answers", file)
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
    result = sheet_of("wheel", tmp_path, given=typed)
    assert result.exit_code == 0, result.output
    for step in sheet.step:
        assert step.action in result.output
    path.unlink()
    # A return is not an answer, and the end of the input leaves no report.
    left = sheet_of("wheel", tmp_path, given="\n\n")
    assert left.exit_code == 1
    assert not path.exists()


def test_a_failure_is_asked_for_a_remark(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    result = sheet_of("wheel", tmp_path, given="n\nD3 reversed\n")
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
    assert sheet_of("wheel", tmp_path, "--key", tmp_path / "bench.key", "--answers", file).exit_code == 0
    other = check(path, "--signer", public_half(stranger))
    assert other.exit_code == 2
    assert "it is not a signature of report.json" in other.output
    assert "--signer KEY checks its signature" in check(path).output
    path.write_text(path.read_text().replace('"tester": "A. Miller"', '"tester": "y"'))
    changed = check(path, "--signer", public_half(key))
    assert changed.exit_code == 2
    assert "the report was changed since" in changed.output


def test_a_report_without_a_key_takes_an_older_signature_away(tmp_path: Path) -> None:
    sheet = load("wheel")
    create(tmp_path / "bench.key")
    file = answers(tmp_path / "answers.toml", sheet)
    assert sheet_of("wheel", tmp_path, "--answers", file, "--key", tmp_path / "bench.key").exit_code == 0
    assert sheet_of("wheel", tmp_path, "--answers", file).exit_code == 0
    assert not (tmp_path / "report.json.sig").exists()


def test_a_board_of_another_kind_fails_the_step_that_identifies_it(tmp_path: Path) -> None:
    file = answers(tmp_path / "answers.toml", load("pusher"))
    port = tmp_path / "port"
    common = ("--sheet", tmp_path / "r.json", "--tester", "x", "--answers", file)
    with BoardThread(port, ModelBoard(KINDS["wheel"])):
        result = check(port.resolve(), *common, "--kind", "pusher")
    assert result.exit_code == 1
    assert "failed: identify: expected a pusher board, found: wheel board" in result.output
    assert json.loads((tmp_path / "r.json").read_text())["passed"] is False


def test_without_a_kind_the_board_on_the_port_is_asked(tmp_path: Path) -> None:
    file = answers(tmp_path / "answers.toml", load("wheel"))
    port = tmp_path / "port"
    common = ("--sheet", tmp_path / "r.json", "--tester", "x", "--answers", file)
    with BoardThread(port, ModelBoard(KINDS["wheel"])):
        assert check(port.resolve(), *common).exit_code == 0
    missing = check("/dev/no-such-port", *common)
    assert missing.exit_code == 2
    assert "with the module out of its socket say which board it is: --kind KIND" in missing.output


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
        ("[answers]\nidentify = true\n", "identify: the program looks by itself; take this line away"),
        ("[answers\n", "it cannot be read"),
    ],
)
def test_answers_that_cannot_be_used_are_refused_with_what_is_wrong(text: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text(text)
    kind = "pusher" if "work" in error else "wheel"
    result = sheet_of(kind, tmp_path, "--answers", file)
    assert result.exit_code == 2
    assert error in result.output
    assert not (tmp_path / "report.json").exists()


def test_the_sheet_of_a_pico_asks_for_what_only_that_board_has() -> None:
    steps = {chip: {step.id for step in load(sheet_name("pusher", chip)).step} for chip in (ATMEGA328P, RP2040)}
    assert steps[RP2040] - steps[ATMEGA328P] == {"short_3", "supply_vsys", "supply_3", "supervisor"}
    assert {"reset_cut", "work_1"} <= steps[ATMEGA328P] - steps[RP2040]


def test_a_pico_on_a_port_is_identified_and_a_file_has_no_chip(tmp_path: Path) -> None:
    port = tmp_path / "port"
    with BoardThread(port, ModelBoard(KINDS["pusher"])):
        checked = check(port.resolve(), "--chip", "rp2040")
    assert checked.exit_code == 0, checked.output
    assert "no line of its port resets" in checked.output
    assert "--chip is what the board on PORT is built on" in check(tmp_path, "--chip", "rp2040").output


def test_an_option_that_is_missing_is_named() -> None:
    assert "a test sheet needs PORT and --tester NAME" in check("/dev/ttyUSB0", "--sheet", "r.json").output
    assert "need --sheet FILE" in check("/dev/ttyUSB0", "--tester", "x").output


def test_a_report_of_half_a_sheet_has_not_passed() -> None:
    sheet = load("wheel")
    findings = [judge(step, good(step)) for step in sheet.step]
    whole = report(sheet, findings, serial=0, board="", tester="x", time="")
    assert whole.passed
    assert not report(sheet, findings[:-1], serial=0, board="", tester="x", time="").passed


@given(st.floats(allow_nan=True, allow_infinity=True), st.floats(0, 10), st.floats(0, 10))
def test_a_measured_value_passes_within_its_bounds_alone(value: float, one: float, other: float) -> None:
    step = SheetStep("x", "x", "x", "x", "V", min(one, other), max(one, other))
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
