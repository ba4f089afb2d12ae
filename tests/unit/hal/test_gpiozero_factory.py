"""Choosing a pin factory: the one asked for, or a refusal that says what to do."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from hal.backends.gpiozero_factory import (
    FACTORIES,
    SystemProbe,
    lgpio_directory,
    library_errors,
    load_factory,
    refuse_where_it_cannot_work,
)
from hal.lines import LineError
from tests.fakes.pin_libraries import Pi


def refusal(name: str, probe: Pi) -> str:
    with pytest.raises(LineError) as error:
        refuse_where_it_cannot_work(name, probe)
    return str(error.value)


def test_every_factory_of_gpiozero_can_be_named() -> None:
    assert sorted(FACTORIES) == ["lgpio", "mock", "native", "pigpio", "rpigpio"]


def test_the_factory_requested_is_loaded_and_gpiozeros_default_is_left_alone() -> None:
    before = Device.pin_factory
    factory = load_factory("mock")
    assert isinstance(factory, MockFactory)
    assert Device.pin_factory is before


def test_an_unknown_factory_is_answered_with_the_known_ones() -> None:
    with pytest.raises(LineError, match=r"one of lgpio, rpigpio, pigpio, native, mock, got 'rpi'"):
        load_factory("rpi")


@pytest.mark.parametrize(
    "model",
    ["Raspberry Pi 5 Model B Rev 1.0", "Raspberry Pi 500 Rev 1.0", "Raspberry Pi Compute Module 5 Rev 1.0"],
)
@pytest.mark.parametrize("name", ["rpigpio", "native"])
def test_what_reaches_for_the_old_chips_registers_is_refused_on_a_pi_5(name: str, model: str) -> None:
    message = refusal(name, Pi(model))
    assert model in message
    assert 'factory = "lgpio"' in message


@pytest.mark.parametrize("kernel", ["6.6.0", "6.6.31+rpt-rpi-v8", "6.12.25+rpt-rpi-2712", "7.0.1"])
@pytest.mark.parametrize("name", ["rpigpio", "native"])
def test_what_sees_edges_by_sysfs_is_refused_on_kernels_from_6_6(name: str, kernel: str) -> None:
    assert f"cannot detect edges on kernel {kernel}" in refusal(name, Pi(kernel=kernel))


@pytest.mark.parametrize("kernel", ["6.5.13", "6.1.21-v8+", "5.15.84-v7l+"])
def test_older_kernels_on_older_boards_are_let_through(kernel: str) -> None:
    refuse_where_it_cannot_work("rpigpio", Pi(kernel=kernel))


def test_a_kernel_that_hides_its_number_is_not_trusted() -> None:
    assert "calls itself 'custom'" in refusal("rpigpio", Pi(kernel="custom"))


def test_rpi_lgpio_is_not_taken_for_rpi_gpio() -> None:
    message = refusal("rpigpio", Pi(has="rpi-lgpio"))
    assert "rpi-lgpio is installed in its place" in message
    assert "pip uninstall rpi-lgpio" in message


@pytest.mark.parametrize("name", ["lgpio", "pigpio", "mock"])
def test_other_factories_are_not_checked_against_the_board(name: str) -> None:
    refuse_where_it_cannot_work(name, Pi("Raspberry Pi 5 Model B Rev 1.0", "6.12.1", "rpi-lgpio"))


@pytest.mark.parametrize(
    ("name", "extra"), [("lgpio", "-r requirements/pi.lock"), ("rpigpio", "gpiozero RPi.GPIO"), ("pigpio", "pigpio")]
)
def test_a_library_that_is_missing_is_answered_with_its_extra(
    name: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("lgpio", "RPi", "pigpio", FACTORIES[name][0]):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(LineError) as error:
        load_factory(name, Pi())
    assert extra in str(error.value)


def test_a_library_that_refuses_this_computer_is_not_asked_to_be_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "RPi").mkdir()
    (tmp_path / "RPi/__init__.py").touch()
    (tmp_path / "RPi/GPIO.py").write_text('raise RuntimeError("This module can only be run on a Raspberry Pi!")')
    monkeypatch.syspath_prepend(tmp_path)
    with mock.patch.dict(sys.modules), pytest.raises(LineError) as error:
        for module in ("RPi", "RPi.GPIO", FACTORIES["rpigpio"][0]):
            sys.modules.pop(module, None)
        load_factory("rpigpio", Pi())
    assert "only be run on a Raspberry Pi!); run it on a Raspberry Pi" in str(error.value)
    assert "install" not in str(error.value)


def test_where_lgpio_has_no_wheel_the_backend_that_needs_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("lgpio", FACTORIES["lgpio"][0]):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(LineError, match=r'no wheel of lgpio for Python 3\.13: use backend = "gpiod"'):
        load_factory("lgpio", Pi(python=(3, 13)))
    assert "lgpio" not in refusal("native", Pi("Raspberry Pi 5 Model B Rev 1.0", python=(3, 13)))


def test_without_gpiozero_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiozero.exc", None)
    with pytest.raises(LineError, match=r"gpiozero cannot be imported.*pi\.lock"):
        load_factory("mock")


def test_the_empty_package_named_lgpio_is_an_error_and_no_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    with pytest.raises(LineError, match="factory 'lgpio' cannot be loaded"):
        load_factory("lgpio")


def test_a_factory_that_does_not_reach_the_pins_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: MockFactory) -> None:
        raise OSError("failed to connect to localhost:8888")

    module = ModuleType("gpiozero.pins.pigpio")
    module.__dict__["PiGPIOFactory"] = type("PiGPIOFactory", (), {"__init__": fail})
    monkeypatch.setitem(sys.modules, "gpiozero.pins.pigpio", module)
    with pytest.raises(LineError, match=r"failed to connect to localhost:8888.*start pigpiod"):
        load_factory("pigpio")


def test_errors_of_the_libraries_below_gpiozero_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    class LgError(Exception):
        """As lgpio's own: it extends nothing but Exception."""

    lgpio = ModuleType("lgpio")
    lgpio.__dict__["error"] = LgError
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)
    assert LgError in library_errors()


@pytest.fixture
def no_lgpio(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delitem(sys.modules, "lgpio", raising=False)
    monkeypatch.delenv("LG_WD", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_lgpio_gets_a_directory_of_its_own_and_the_process_is_moved_back(no_lgpio: Path) -> None:
    with lgpio_directory():
        first = os.environ["LG_WD"]
        assert Path(first).is_dir()
        assert Path(first) != no_lgpio
        os.chdir(first)  # As the import of lgpio does.
    assert Path.cwd() == no_lgpio
    assert "LG_WD" not in os.environ
    with lgpio_directory():
        assert os.environ["LG_WD"] != first


def test_a_directory_given_for_lgpio_is_used(
    no_lgpio: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    given = str(tmp_path_factory.mktemp("lg"))
    monkeypatch.setenv("LG_WD", given)
    with lgpio_directory():
        assert os.environ["LG_WD"] == given
    assert os.environ["LG_WD"] == given


def test_a_directory_that_lgpio_cannot_write_is_named(no_lgpio: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LG_WD", str(no_lgpio / "nowhere"))
    with pytest.raises(LineError, match=r"LG_WD names .*nowhere"), lgpio_directory():
        pass


def test_once_lgpio_is_loaded_nothing_is_moved(no_lgpio: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    with lgpio_directory():
        assert "LG_WD" not in os.environ


def test_this_computer_can_be_looked_at() -> None:
    probe = SystemProbe()
    assert isinstance(probe.model(), str)
    assert probe.kernel()
    assert probe.installed("gpiozero")
    assert not probe.installed("no-such-distribution")
