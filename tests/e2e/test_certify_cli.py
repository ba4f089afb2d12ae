"""`feltwire certify` at the command line: written, compared, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from nacl.signing import SigningKey

from controller.cli import main
from tests.tables.coin_machine import coin_toml


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pusher.toml"
    path.write_text(coin_toml(), encoding="utf-8")
    return path


def certify(table: Path, *more: str) -> Result:
    return CliRunner().invoke(main, ["certify", str(table), "--state", str(table.parent / "state"), *more])


def test_it_is_written_signed_and_compared(table: Path) -> None:
    made = certify(table, "--by", "ann")
    assert made.exit_code == 0, made.output
    assert "coins.hopper: driver cctalk, address 3, manufacturer FELTWIRE SIMULATED" in made.output
    assert f"written and signed: {table.with_suffix('.certificate')}" in made.output
    same = certify(table, "--check")
    assert (same.exit_code, "nothing differs" in same.output) == (0, True)
    table.write_text(coin_toml(options="play_s = 5"), encoding="utf-8")
    other = certify(table, "--check", "--json")
    assert other.exit_code == 1
    found = json.loads(other.stdout.splitlines()[-1])
    assert found["differences"] == ["options.play_s was 8.0, is 5.0"]


@pytest.mark.parametrize("by", ["ann\nnothing differs", "ann\x1b[2J", "ann\u2028b", "a" * 65])
@pytest.mark.parametrize("verb", ["certify", "calibrate", "selftest"])
def test_a_name_that_is_no_line_is_refused(table: Path, verb: str, by: str) -> None:
    refused = CliRunner().invoke(main, [verb, str(table), "--by", by])
    assert refused.exit_code == 2
    assert "Invalid value for '--by': the name has" in refused.output
    assert not table.with_suffix(".certificate").exists()


def test_a_name_in_a_certificate_cannot_begin_a_line(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ann\nnothing differs")
    assert certify(table).exit_code == 0
    assert "by ann\\x0anothing differs, " in certify(table, "--check").output


def test_a_check_without_a_certificate_of_a_simulated_machine_needs_none(table: Path) -> None:
    found = certify(table, "--check")
    assert (found.exit_code, "not needed" in found.output) == (0, True)
    assert not (table.parent / "state").exists()


def test_a_laboratorys_key_must_be_the_one_that_the_file_names(table: Path, tmp_path: Path) -> None:
    key = tmp_path / "laboratory.key"
    key.write_text(bytes(32).hex() + "\n", encoding="ascii")
    key.chmod(0o600)
    public = bytes(SigningKey(bytes(32)).verify_key).hex()
    refused = certify(table, "--key", str(key))
    assert refused.exit_code == 2
    assert f'write certified_by = "{public}" under [table]' in refused.output
    table.write_text(coin_toml().replace("[lines]", f'certified_by = "{public}"\n[lines]', 1), encoding="utf-8")
    alone = certify(table)
    assert alone.exit_code == 2
    assert "give it with --key FILE" in alone.output
    assert certify(table, "--key", str(key)).exit_code == 0
    assert "nothing differs" in certify(table, "--check").output


def test_a_wheel_is_no_machine(tmp_path: Path) -> None:
    path = tmp_path / "wheel.toml"
    path.write_text('[table]\nid = "w"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n', encoding="utf-8")
    found = certify(path)
    assert found.exit_code == 2
    assert "money_wheel is not a machine, and machines alone are certified (13:47-20.15(d))" in found.output
    assert certify(tmp_path / "none.toml").exit_code == 2
