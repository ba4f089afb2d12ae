"""Checks one table's file: its sections, and what stands between them."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from controller.configuration.declaration import said
from controller.configuration.line_use import LineUse
from controller.configuration.pins import Pin
from controller.configuration.problems import Finding, nearest, suggestion
from controller.configuration.registry import GameEntry, Registry, Slot
from controller.configuration.sections import LIVE_BACKENDS, CallBy, LinesSection, LinkSection, TableSection
from controller.configuration.validation import validate
from controller.configuration.values import DeviceConfig, TableConfig
from controller.configuration.wiring import (
    CALL_LINE,
    check_chip,
    check_complete,
    check_names,
    read_links,
    read_pins,
    with_call,
)
from controller.rules.profile import NoText, profile, profile_names

SECTIONS = ("table", "lines", "device", "pins", "links", "game")

S = TypeVar("S", bound=msgspec.Struct)


class TableFile:
    """Checks one file's values; afterwards `findings` holds all that is wrong, and `config` the table if nothing is.

    `id`, `live`, `pins` and `links` are as far as they are right: other files are compared with them.
    """

    def __init__(self, file: str, values: dict[str, Any], registry: Registry) -> None:
        self.config: TableConfig | None = None
        self.findings: list[Finding] = []
        self.id: str | None = None
        self.live = False
        self.pins: dict[str, Pin] = {}
        self.links: dict[str, LinkSection] = {}
        self.registry = registry
        self._values = values
        self._check(file)

    def _check(self, file: str) -> None:
        self._check_section_names()
        table = self._section(TableSection, "table")
        lines = self._section(LinesSection, "lines")
        game = self._game()
        call = self._call(table, lines)
        if lines is not None:
            self.live = lines.backend in LIVE_BACKENDS
            self._check_lines(lines)
        if table is not None:
            self.id = table.id
            self._check_rules(table)
        self.pins, found = read_pins(self._table("pins"), self._table("lines"))
        self.findings += found
        self.links, found = read_links(self._table("links"))
        self.findings += found
        if game is None:
            return
        options = self._section(game.options, "game")
        devices = self._devices(game)
        self._check_faces(table, devices)
        self._check_simulated(lines, devices)
        if not self._all_right(devices, game):
            return
        uses = self._check_wiring(devices, call)
        wrong = any(finding.severity == "error" for finding in self.findings)
        if table is not None and lines is not None and options is not None and not wrong:
            self.config = TableConfig(
                file,
                table.id,
                table.game,
                table.rules,
                call,
                lines,
                devices,
                self.pins,
                self.links,
                uses,
                options,
                table.opens_with(self.live),
                table.inspection,
            )

    # ------------------------------------------------------------------------------------------- sections

    def _check_section_names(self) -> None:
        for name in self._values:
            if name not in SECTIONS:
                self.findings.append(Finding((name,), "unknown section", suggestion(name, SECTIONS, "section")))
        for name in ("device", "pins", "links"):
            value = self._values.get(name, {})
            if not isinstance(value, dict):
                self.findings.append(_not_a_section((name,), value))

    def _table(self, name: str) -> dict[str, Any]:
        """A section's values, none where there is no such table."""
        values = self._values.get(name, {})
        return values if isinstance(values, dict) else {}

    def _section(self, struct: type[S], name: str) -> S | None:
        near = [key for key in self._values if key not in SECTIONS and nearest(key, SECTIONS) == name]
        if name not in self._values and near:
            return None  # misspelt, which is one mistake and not two
        made, findings = validate(self._values.get(name, {}), struct, (name,))
        self.findings += findings
        return made

    def _game(self) -> GameEntry | None:
        name = self._table("table").get("game")
        if not isinstance(name, str):
            return None  # the section's own check has said so
        game = self.registry.games.get(name)
        if game is not None:
            return game
        known = [*self.registry.games]
        if name in self.registry.games_to_come:
            fix = f"this version plays {' and '.join(known)}"
            self.findings.append(Finding(("table", "game"), f'"{name}" is not in this version', fix))
            return None
        fix = suggestion(name, known, "game")
        self.findings.append(Finding(("table", "game"), f"unknown game {said(name)}", fix))
        # The rest is checked as what was most likely meant, so that all mistakes show at once.
        return self.registry.games.get(nearest(name, known) or "")

    def _check_lines(self, lines: LinesSection) -> None:
        if lines.backend == "board":
            wrong = "boards are not supported in this version"
            self.findings.append(Finding(("lines", "backend"), wrong, 'write "gpiod" for the pins of the Pi'))
        if lines.factory is not None and lines.backend != "gpiozero":
            wrong = f"has no effect with the backend {lines.backend}"
            fix = 'remove it, or write backend = "gpiozero"'
            self.findings.append(Finding(("lines", "factory"), wrong, fix, "warning"))
        self.findings += check_chip(lines.chip, ("lines", "chip"))

    def _check_rules(self, table: TableSection) -> None:
        names = profile_names()
        path = ("table", "rules")
        if table.rules not in names:
            fix = suggestion(table.rules, names, "profile")
            self.findings.append(Finding(path, f"unknown profile {said(table.rules)}", fix))
        elif table.game in self.registry.games:
            rules = profile(table.rules).rules_of(table.game)
            if isinstance(rules, NoText):
                wrong = f"no text: of {table.game}, {table.rules} gives only the titles {rules}"
                able = [name for name in names if not isinstance(profile(name).rules_of(table.game), NoText)]
                self.findings.append(Finding(path, wrong, f"write {' or '.join(said(name) for name in able)}"))

    def _call(self, table: TableSection | None, lines: LinesSection | None) -> CallBy | None:
        """Who calls "No more bets"; under `capture`, the wires of the capture tell if the file does not."""
        if table is None or lines is None or table.no_more_bets is not None:
            return table.no_more_bets if table is not None else None
        if lines.backend in LIVE_BACKENDS:
            fix = 'add no_more_bets = "button" if the dealer has a button for it, else "auto"'
            wrong = f"is missing, and the backend {lines.backend} needs it"
            self.findings.append(Finding(("table", "no_more_bets"), wrong, fix, missing=True))
        return "button" if lines.backend == "sim" else None

    # -------------------------------------------------------------------------------------------- devices

    def _devices(self, game: GameEntry) -> dict[str, DeviceConfig]:
        """The devices that are right."""
        given = self._table("device")
        for name in given:
            if name not in game.devices:
                fix = suggestion(name, game.devices, "device")
                self.findings.append(Finding(("device", name), f"a {game.name} table has no such device", fix))
        made = (self._device(n, slot) for n, slot in game.devices.items() if slot.always or n in given)
        return {device.name: device for device in made if device is not None}

    def _device(self, name: str, slot: Slot) -> DeviceConfig | None:
        values = self._table("device").get(name, {})
        path = ("device", name)
        if not isinstance(values, dict):
            self.findings.append(_not_a_section(path, values))
            return None
        driver = values.get("driver", slot.drivers[0])
        if not isinstance(driver, str) or driver not in slot.drivers:
            word = driver if isinstance(driver, str) else ""
            fix = suggestion(word, slot.drivers, "driver")
            self.findings.append(Finding((*path, "driver"), f"{said(driver)} is no driver of this device", fix))
            driver = nearest(word, slot.drivers)
            if driver is None:
                return None
        entry = self.registry.drivers[driver]
        keys = {key: value for key, value in values.items() if key != "driver"}
        if "driver" in entry.config.__struct_fields__:
            keys["driver"] = driver
        config, findings = validate(keys, entry.config, path)
        self.findings += findings
        return None if config is None else DeviceConfig(name, driver, config)

    def _all_right(self, devices: dict[str, DeviceConfig], game: GameEntry) -> bool:
        given = self._table("device")
        return all(name in devices for name, slot in game.devices.items() if slot.always or name in given)

    def _check_faces(self, table: TableSection | None, devices: dict[str, DeviceConfig]) -> None:
        """The faces that are configured must be those of the rules."""
        faces = getattr(devices["wheel"].config, "faces", None) if "wheel" in devices else None
        if faces is None or table is None or table.rules not in profile_names():
            return
        rules = profile(table.rules).money_wheel
        for wrong in rules.order_problems(faces) if rules is not None else []:
            fix = "list the faces of all spaces with the right counts, or remove the key for our default"
            self.findings.append(Finding(("device", "wheel", "faces"), wrong, fix))

    def _check_simulated(self, lines: LinesSection | None, devices: dict[str, DeviceConfig]) -> None:
        """An automatic wheel has a simulated feed for tests, and no simulated table."""
        wheel = devices.get("wheel")
        if lines is not None and lines.backend == "sim" and wheel is not None and wheel.driver == "star_x":
            fix = 'use the driver "roulette_wheel", or wire the wheel and name its port under [links]'
            wrong = "no simulated table has an automatic wheel in this version"
            self.findings.append(Finding(("device", "wheel", "driver"), wrong, fix))

    # --------------------------------------------------------------------------------------------- wiring

    def _check_wiring(self, devices: dict[str, DeviceConfig], call: CallBy | None) -> dict[str, LineUse]:
        """Checks the wires against what the devices want, and returns that."""
        all_uses: dict[str, LineUse] = {}
        for device in devices.values():
            all_uses.update(self.registry.drivers[device.driver].lines(device.config))
        pins, links = self._table("pins"), self._table("links")
        self.findings += check_names(pins, links, all_uses)
        self._check_call_line(all_uses, call)
        uses = with_call(all_uses, call)
        if self.live:
            self.findings += check_complete([*pins, *links], self.pins, uses)
        return uses

    def _check_call_line(self, uses: dict[str, LineUse], call: CallBy | None) -> None:
        """The button of the call and `no_more_bets` must agree."""
        if call == "auto" and CALL_LINE in self._table("pins"):
            wrong = 'is wired, and [table] says no_more_bets = "auto"'
            fix = 'remove the line, or write no_more_bets = "button"'
            self.findings.append(Finding(("pins", CALL_LINE), wrong, fix))
        path = ("device", "dealer", "buttons")
        if call == "auto" and CALL_LINE in uses and uses[CALL_LINE].required:
            wrong = f'names {CALL_LINE}, and [table] says no_more_bets = "auto"'
            self.findings.append(Finding(path, wrong, "remove the button from the list"))
        if call == "button" and CALL_LINE not in uses:
            wrong = f"lacks {CALL_LINE}, and the dealer makes the call with it"
            self.findings.append(Finding(path, wrong, 'add it, or write no_more_bets = "auto" in [table]'))


def _not_a_section(path: tuple[str, ...], value: object) -> Finding:
    return Finding(path, f"is {said(value)}, and a section was expected", f"write it as [{'.'.join(path)}]")
