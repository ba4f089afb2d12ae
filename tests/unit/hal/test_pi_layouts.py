"""The chips of each Pi, as kernels number them: both backends take the one behind the header, by its label."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from hal.backends import gpiozero_factory
from hal.backends.gpiod_chip import chip_path
from hal.backends.gpiozero_factory import load_factory
from hal.lines import LineError
from tests.fakes.fake_gpiod import FakeKernel
from tests.fakes.pi_layouts import LAYOUTS
from tests.fakes.pin_libraries import Board, library

EACH = pytest.mark.parametrize(("labels", "header", "link"), LAYOUTS.values(), ids=LAYOUTS)


@EACH
def test_gpiod_opens_the_chip_of_the_header(labels: dict[int, str], header: int, link: int | None) -> None:
    kernel = FakeKernel()
    paths = {}
    for number, label in labels.items():
        paths[number] = kernel.add_chip(label).path
    with kernel.installed():
        assert chip_path(None, kernel.devices) == paths[header]


def plugged(monkeypatch: pytest.MonkeyPatch, labels: dict[int, str]) -> None:
    """lgpio's view of these chips."""
    monkeypatch.setattr(gpiozero_factory, "gpio_devices", lambda: [f"/dev/gpiochip{number}" for number in labels])
    lgpio: Any = sys.modules["lgpio"]

    def gpiochip_open(number: int) -> int:
        if number not in labels:
            raise lgpio.error("can not open gpiochip")
        return number

    monkeypatch.setattr(lgpio, "gpiochip_open", gpiochip_open)
    monkeypatch.setattr(
        lgpio, "gpio_get_chip_info", lambda handle: (0, 54, f"gpiochip{handle}", labels[handle]), raising=False
    )


@EACH
def test_gpiozero_is_given_the_chip_of_the_header(
    monkeypatch: pytest.MonkeyPatch, labels: dict[int, str], header: int, link: int | None
) -> None:
    with library("lgpio", Board()):
        plugged(monkeypatch, labels)
        factory: Any = load_factory("lgpio")
        assert factory.chip == header


def test_two_chips_with_a_label_of_the_header_are_refused_and_not_guessed_from(monkeypatch: pytest.MonkeyPatch) -> None:
    with library("lgpio", Board()):
        plugged(monkeypatch, {0: "pinctrl-bcm2711", 3: "pinctrl-rp1"})
        with pytest.raises(LineError, match=r"several chips .* \(/dev/gpiochip0, /dev/gpiochip3\)"):
            load_factory("lgpio")
