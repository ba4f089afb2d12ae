"""Reads `[device.*]`: the devices that a game's table has, each with the keys of its driver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.configuration.declaration import said
from controller.configuration.problems import Finding, nearest, suggestion
from controller.configuration.registry import GameEntry, Registry, Slot
from controller.configuration.validation import validate
from controller.configuration.values import DeviceConfig
from controller.wording import with_article


def read_devices(
    given: Mapping[str, Any], game: GameEntry, registry: Registry
) -> tuple[dict[str, DeviceConfig], bool, list[Finding]]:
    """The devices of a table that are right, whether that is all of them, and what is wrong; `given` is `[device]`."""
    table = f"{with_article(game.name)} table"
    fix_of = {name: suggestion(name, game.devices, "device") for name in given if name not in game.devices}
    findings = [Finding(("device", name), f"{table} has no such device", fix) for name, fix in fix_of.items()]
    devices: dict[str, DeviceConfig] = {}
    findings += [
        Finding(("device", name), f"stands beside device.{slot.excludes}", f"{table} has one of the two")
        for name, slot in game.devices.items()
        if name in given and slot.excludes in given
    ]
    wanted = {
        name: slot for name, slot in game.devices.items() if name in given or (slot.always and slot.unless not in given)
    }
    for name, slot in wanted.items():
        device, found = _read(name, slot, given.get(name, {}), registry)
        findings += found
        if device is not None:
            devices[name] = device
    return devices, len(devices) == len(wanted), findings


def not_a_section(path: tuple[str, ...], value: object) -> Finding:
    """What is wrong with a value where a section belongs."""
    return Finding(path, f"is {said(value)}, and a section was expected", f"write it as [{'.'.join(path)}]")


def _read(name: str, slot: Slot, values: object, registry: Registry) -> tuple[DeviceConfig | None, list[Finding]]:
    path = ("device", name)
    if not isinstance(values, dict):
        return None, [not_a_section(path, values)]
    findings: list[Finding] = []
    driver = values.get("driver", slot.drivers[0])
    if not isinstance(driver, str) or driver not in slot.drivers:
        word = driver if isinstance(driver, str) else ""
        fix = suggestion(word, slot.drivers, "driver")
        findings.append(Finding((*path, "driver"), f"{said(driver)} is no driver of this device", fix))
        driver = nearest(word, slot.drivers)
        if driver is None:
            return None, findings
    entry = registry.drivers[driver]
    keys = {key: value for key, value in values.items() if key != "driver"}
    if "driver" in entry.config.__struct_fields__:
        keys["driver"] = driver
    config, found = validate(keys, entry.config, path)
    return None if config is None else DeviceConfig(name, driver, config), findings + found
