"""The exposure of the units, as systemd measures it from their files; and what the rules of udev set."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_EXPOSED = 1.0
UNITS = (
    *("feltwire", "feltwire-scoreboard", "feltwire-relay", "feltwire-mqtt", "feltwire-webhooks", "feltwire-verify"),
    *("feltwire-publish", "feltwire-witness"),
)


@pytest.mark.parametrize("unit", UNITS)
def test_no_service_is_more_exposed_than_promised(unit: str) -> None:
    words = ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(ROOT / "systemd" / f"{unit}.service")]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", shown)
    assert found is not None, shown
    assert float(found[1]) <= (MOST_EXPOSED if unit == "feltwire" else 2.0), shown


def assigned(event: dict[str, str]) -> dict[str, str]:
    """The attributes of sysfs that the rules of udev set at this event."""
    made: dict[str, str] = {}
    for line in (ROOT / "systemd" / "60-feltwire.rules").read_text().splitlines():
        parts = re.findall(r'([A-Z]+(?:\{[^}]+\})?)(==|!=|\+=|=)"([^"]*)"', line.partition("#")[0])
        if all(
            (event.get(key) in value.split("|")) == (operator == "==")
            for key, operator, value in parts
            if operator in ("==", "!=")
        ):
            made |= {key: value for key, operator, value in parts if operator == "=" and key.startswith("ATTR{")}
    return made


def test_the_timer_of_an_adapter_is_set_when_its_driver_is_bound_and_when_udev_is_triggered() -> None:
    # The file may be made after the port's "add", but is there when its driver is bound.
    bound = {"ACTION": "bind", "SUBSYSTEM": "usb-serial", "DRIVER": "ftdi_sio"}
    assert assigned(bound) == {"ATTR{latency_timer}": "1"}
    assert assigned({**bound, "DRIVER": "ch341-uart"}) == {}
    changed = {"ACTION": "change", "SUBSYSTEM": "tty", "DRIVERS": "ftdi_sio"}
    assert assigned(changed) == {"ATTR{device/latency_timer}": "1"}
    assert assigned({**changed, "ACTION": "remove"}) == {}
