"""The device files that tables use, and the unit of systemd that is allowed them."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.configuration.values import TableConfig
from controller.games.load import load
from controller.live.device_files import DeviceFile, device_files
from hal.backends.gpiod_chip import chip_path
from hal.lines import LineError
from tests.fakes.fake_gpiod import FakeKernel

ROOT = Path(__file__).resolve().parents[4]
EXAMPLES = ROOT / "examples"


def tables(*names: str) -> list[TableConfig]:
    return load([EXAMPLES / f"{name}.toml" for name in names])


def only_the_header(label: str | None) -> str:
    if label is not None:
        raise LineError(f'chip "{label}": not found')
    return "/dev/gpiochip4"


def test_two_tables_on_one_header_share_its_chip() -> None:
    found = device_files(tables("roulette_on_pi", "money_wheel_on_pi"), only_the_header)
    chips = [one for one in found if one.path == "/dev/gpiochip4"]
    assert [one.tables for one in chips] == [("roulette-4", "money-wheel-3")]


def test_a_port_is_the_file_behind_its_id(tmp_path: Path) -> None:
    tty = tmp_path / "ttyACM0"
    tty.touch()
    port = tmp_path / "by-id"
    port.symlink_to(tty)
    text = (EXAMPLES / "roulette_board.toml").read_text()
    first = text.index('port = "') + len('port = "')
    file = tmp_path / "table.toml"
    file.write_text(text[:first] + str(port) + text[text.index('"', first) :])
    (found,) = [one for one in device_files(load([file]), only_the_header) if one.wanted == str(port)]
    assert found == DeviceFile(str(port), str(tty), "", found.tables)
    tty.unlink()
    (gone,) = [one for one in device_files(load([file]), only_the_header) if one.wanted == str(port)]
    assert (gone.path, gone.why) == (None, "it is not plugged in")


def test_a_chip_that_is_missing_is_named_with_why(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text((EXAMPLES / "roulette_on_pi.toml").read_text().replace("[lines]", '[lines]\nchip = "pinctrl-rp1"'))
    (found,) = [one for one in device_files(load([file]), only_the_header) if "chip" in one.wanted]
    assert (found.path, found.why) == (None, 'chip "pinctrl-rp1": not found')


def test_simulated_tables_use_none() -> None:
    assert device_files(tables("roulette", "money_wheel", "sic_bo"), only_the_header) == []


@pytest.mark.parametrize(
    ("factory", "path"),
    [("lgpio", "/dev/gpiochip4"), ("native", "/dev/gpiomem"), ("rpigpio", "/dev/gpiomem"), ("pigpio", None)],
)
def test_each_factory_of_gpiozero_opens_its_own(tmp_path: Path, factory: str, path: str | None) -> None:
    lines = f'[lines]\nbackend = "gpiozero"\nfactory = "{factory}"'
    text = (EXAMPLES / "money_wheel_on_pi.toml").read_text().replace('[lines]\nbackend = "gpiod"', lines)
    file = tmp_path / "table.toml"
    file.write_text(text.split("[links]")[0])
    found = [one.path or one.wanted for one in device_files(load([file]), only_the_header)]
    assert [one for one in found if one.startswith("/dev/gpio")] == ([path] if path else [])


def test_the_chip_is_found_by_its_label_whatever_its_number() -> None:
    kernel = FakeKernel()
    kernel.add_chip("raspberrypi-exp-gpio", 8)
    kernel.add_chip("pinctrl-bcm2711")
    with kernel.installed():
        assert chip_path(None, kernel.devices) == "/dev/gpiochip1"
        assert chip_path("raspberrypi-exp-gpio", kernel.devices) == "/dev/gpiochip0"


# --- the command ------------------------------------------------------------------------------------------------------


def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: str, *arguments: object) -> tuple[Result, str]:
    """Calls `feltwire devices` where `systemctl` is a script that notes what it is asked, and answers so."""
    asked = tmp_path / "asked"
    script = tmp_path / "systemctl"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {asked}\n{answer}\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    result = CliRunner().invoke(main, ["devices", *(str(one) for one in arguments)])
    return result, asked.read_text() if asked.exists() else ""


def test_nothing_but_the_tables_devices_is_allowed_to_the_unit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("controller.live.device_files.find_chip", only_the_header)
    result, asked = call(monkeypatch, tmp_path, "", "--allow", "feltwire.service", EXAMPLES / "chuck_a_luck_on_pi.toml")
    assert result.exit_code == 0, result.output
    assert asked.split("\n")[:-1] == [
        *("set-property", "--runtime", "feltwire.service", "DevicePolicy=closed", "DeviceAllow="),
        "DeviceAllow=/dev/gpiochip4 rw",
    ]


def test_what_is_plugged_in_while_devices_are_allowed_is_allowed_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Another process looked later, and was answered first: what it allowed would be taken back.
    chips = iter(["/dev/gpiochip4", "/dev/gpiochip0", "/dev/gpiochip0"])
    monkeypatch.setattr("controller.live.device_files.find_chip", lambda label: next(chips))
    result, asked = call(monkeypatch, tmp_path, "", "--allow", "feltwire.service", EXAMPLES / "chuck_a_luck_on_pi.toml")
    assert result.exit_code == 0, result.output
    assert asked.split("\n")[-2] == "DeviceAllow=/dev/gpiochip0 rw"
    assert next(chips, "") == ""


def test_no_start_of_a_port_is_dropped_for_others_before_it_or_beside_it() -> None:
    rules = (ROOT / "systemd/60-feltwire.rules").read_text(encoding="utf-8")
    started = re.findall(r'SYSTEMD_WANTS}\+="feltwire-devices@(.*)\.service"', rules)
    # Start jobs of one unit are merged, and its sixth start in ten seconds is refused.
    assert started == ["gpio", "%k"]
    assert "\nStartLimitIntervalSec=0\n" in (ROOT / "systemd/feltwire-devices@.service").read_text(encoding="utf-8")


def test_what_systemd_refuses_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result, _ = call(
        monkeypatch, tmp_path, "echo no such unit >&2; exit 5", "--allow", "x.service", EXAMPLES / "roulette.toml"
    )
    assert (result.exit_code, "its devices were not set: no such unit" in result.stderr) == (1, True)


# --- folders of tables -----------------------------------------------------------------------------------------------


def test_a_folder_stands_for_the_tables_in_it_and_nothing_else(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.toml").write_text(f'[table]\nid = "{name}"\ngame = "roulette"\n[lines]\nbackend = "sim"\n')
    (tmp_path / "service.env").write_text("#")
    result = CliRunner().invoke(main, ["check", str(tmp_path)])
    told = [line.split(",")[0] for line in result.stdout.splitlines() if ": ok" in line]
    assert told == [f"{tmp_path}/a.toml: table a", f"{tmp_path}/b.toml: table b"]


def test_an_empty_folder_is_an_error_that_names_what_to_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["check", str(tmp_path)])
    assert result.exit_code == 2
    assert f"{tmp_path}:1: (file): holds no *.toml; write a table's file there" in result.stderr
