"""Checks one table's file: its sections, by themselves and against each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeVar

import msgspec

from controller.configuration.declaration import fields_of, value_text
from controller.configuration.device import DeviceConfig
from controller.configuration.lamp_chains import board_of_lamps, check_lamps
from controller.configuration.problems import ConfigFinding, with_article
from controller.configuration.registry import GameEntry, Registry, SetUp, Slot
from controller.configuration.sections import CallBy, FeedSection, LinesSection, TableSection
from controller.configuration.validation import (
    as_section,
    check_choice,
    possible_sections,
    right_part,
    validate,
)
from controller.configuration.values import TableConfig
from controller.configuration.wiring import (
    BOARD,
    Wires,
    check_boards,
    check_call_line,
    check_chip,
    check_complete,
    check_debounce,
    check_names,
    check_places,
    read_wires,
    with_call,
)
from controller.packages.installed import normal_name
from controller.rules.house import HouseKeys
from controller.rules.profile import DEFAULT_PROFILE, HOUSE, OWN, profile
from controller.rules.titles import title_of
from drivers.base.device_spec import LineUse
from hal.backend_spec import NO_BACKEND, BackendSpec
from hal.known_names import nearest, suggestion

SECTIONS = ("table", "lines", "device", BOARD, "pins", "links", "game", "feed", "watch", HOUSE)

S = TypeVar("S", bound=msgspec.Struct)


class TableFile:
    """Checks one file's values. `findings` holds all problems; `config` the table, if none of them is an error.

    `id`, `live` and `wires` hold what is right in any case: other files are compared with them.
    """

    def __init__(self, file: str, values: dict[str, Any], registry: Registry) -> None:
        self.config: TableConfig | None = None
        self.findings: list[ConfigFinding] = []
        self.id: str | None = None
        self.live = False
        self.wires = Wires({}, {}, {}, {})
        self.registry = registry
        self._values = values
        self._check(file)

    def _check(self, file: str) -> None:
        self._check_section_names()
        table = self._section(TableSection, "table")
        backend = self._backend()
        lines = self._lines(backend)
        feed = self._section(FeedSection, "feed")
        game = self._game()
        # What the other sections are checked against is as much of this one as is right.
        right_table = self._right(TableSection, "table", "game", "rules")
        call = self._call(self._right(TableSection, "table", "no_more_bets"), backend, game)
        self.live = backend.live
        if lines is not None:
            self._check_lines(lines, backend)
        if table is not None:
            self.id = table.id
        if right_table is not None:
            self._check_rules(right_table)
        pins, boards, links = (self._table(name) for name in ("pins", BOARD, "links"))
        self.wires, found = read_wires(pins, boards, links, self._table("lines").get("chip"), backend)
        self.findings += [f for f in found if f.path != (BOARD,) or not self._misspelt(BOARD)]
        if game is None:
            return
        options = self._section(game.options, "game")
        watch = None if game.watch_keys is None else self._section(game.watch_keys, "watch")
        if "watch" in self._values and game.watch_keys is None:
            fix = "remove the section; bias_watch and repeats of [table] are for every wheel and for dice"
            self.findings.append(ConfigFinding(("watch",), f"nothing at {game.name} is watched by this section", fix))
        house, house_right = self._house(game, right_table)
        devices, all_right, found = read_devices(self._table("device"), game, self.registry)
        self.findings += found
        if house_right:
            self._check_set_up(game, right_table, backend, options, devices, call, house)
        self._check_set_going(devices, call)
        self._check_on_wires(devices)
        self.findings += check_lamps(devices, self.wires.boards, live=self.live)
        if not all_right:
            self.findings += check_places(self.wires, {})  # mistakes that do not depend on the line's purpose
            self.findings += self._unknown_lines(game, devices, call)
            return
        uses = self._check_wiring(backend, devices, call)
        wrong = any(finding.severity == "error" for finding in self.findings)
        if (
            table is not None
            and lines is not None
            and feed is not None
            and (watch is not None or game.watch_keys is None)
            and options is not None
            and not wrong
        ):
            self.config = TableConfig(
                file=file,
                table=table,
                entry=game,
                rules=self.registry.profile_of(table),
                no_more_bets=call,
                lines=lines,
                backend=backend,
                devices=devices,
                wires=self.wires,
                uses=uses,
                options=options,
                feed=feed,
                watch=watch,
                house=house,
                packages=self.registry.packages,
            )

    # ------------------------------------------------------------------------------------------- sections

    def _check_section_names(self) -> None:
        for name in self._values:
            if name not in SECTIONS:
                fix = suggestion(name, SECTIONS, "section")
                if name in self._devices_of_game:
                    fix = f"write [device.{name}]"
                self.findings.append(ConfigFinding((name,), "unknown section", fix))
        for name in ("device", "pins", BOARD, "links"):
            value = self._values.get(name, {})
            if not isinstance(value, dict):
                self.findings.append(not_a_section((name,), value))

    @property
    def _devices_of_game(self) -> Mapping[str, Slot]:
        """The devices of the game that the file names; none where it names none that is known."""
        name = self._table("table").get("game")
        game = self.registry.games.get(name) if isinstance(name, str) else None
        return {} if game is None else game.devices

    def _moved(self, finding: ConfigFinding) -> ConfigFinding:
        """A key that is unknown here and known to a device, or to the game's options: it is in the wrong section."""
        key = str(finding.path[-1])
        if finding.wrong != "unknown key" or finding.fix.startswith("did you mean"):
            return finding
        for device, slot in self._devices_of_game.items():
            for driver in slot.drivers:
                if any(field.encode_name == key for field in fields_of(self.registry.drivers[driver].keys)):
                    return finding._replace(fix=f"it is a key of [device.{device}]: move it there")
        return finding

    def _table(self, name: str) -> dict[str, Any]:
        """A section's values; empty if there is no such section."""
        values = self._values.get(name, {})
        return values if isinstance(values, dict) else {}

    def _section(self, struct: type[S], name: str) -> S | None:
        if self._misspelt(name):
            return None  # reported once, as an unknown section
        made, findings = validate(self._values.get(name, {}), struct, (name,))
        self.findings += map(self._moved, findings)
        return made

    def _right(self, struct: type[S], name: str, *keys: str) -> S | None:
        """What is right of a section; None where one of these keys is wrong, or one without a default."""
        part = None if self._misspelt(name) else right_part(self._values.get(name, {}), struct, (name,))
        return None if part is None or part.doubtful.intersection(keys) else part.section

    def _misspelt(self, name: str) -> bool:
        """Whether a section is there under a misspelt name."""
        unknown = (key for key in self._values if key not in SECTIONS)
        return name not in self._values and any(nearest(key, SECTIONS) == name for key in unknown)

    def _game(self) -> GameEntry | None:
        name = self._table("table").get("game")
        if not isinstance(name, str):
            return None  # reported by the check of the section
        game = self.registry.games.get(name)
        if game is not None:
            return game
        offered = self._offered("games", name)
        title = None if offered else title_of(name)
        if title is not None:
            what = f"only the titles of {title.words} are known ({title.texts}): no text says which round is valid"
            fix = (
                "play it as a game of your house, in a package: docs/plugins.md; "
                f"of its equipment there is the title {title.equipment}, and the device {' or '.join(title.devices)} "
                f"for house rules: docs/house-rules.md, and {title.example} is such a game"
            )
            self.findings.append(ConfigFinding(("table", "game"), what, fix))
            return None
        known = [*self.registry.games]
        fix = offered or suggestion(name, known, "game")
        self.findings.append(ConfigFinding(("table", "game"), f"unknown game {value_text(name)}", fix))
        # The rest is checked against the most likely game, so that all mistakes are reported at once.
        return self.registry.games.get(nearest(name, known) or "")

    def _offered(self, kind: str, name: str) -> str:
        """What to do where an installed package offers it, and is not among those that are used; empty if none does."""
        offering = self.registry.offering(kind, name)
        if not offering:
            return ""
        if _names_package(self._table("table"), offering[0]):
            return f"the package {offering[0]} offers it, and cannot be used: fix that first"
        listed = _with_package(self._table("table"), offering[0])
        return f"the package {offering[0]} offers it: if you trust it, {listed}"

    def _backend(self) -> BackendSpec:
        """What `[lines] backend` names; `NO_BACKEND` where it names none that is known."""
        known = self.registry.backends
        name = self._table("lines").get("backend")
        if name is None or (isinstance(name, str) and name in known):
            return NO_BACKEND if name is None else known[name]  # a missing one is reported by the check of the section
        offered = self._offered("backends", name) if isinstance(name, str) else ""
        if offered:
            self.findings.append(ConfigFinding(("lines", "backend"), f"unknown backend {value_text(name)}", offered))
            return NO_BACKEND
        meant = {word: spec.name for spec in known.values() for word in spec.meant}
        self.findings += check_choice(name, tuple(known), meant, ("lines", "backend"))
        return NO_BACKEND

    def _lines(self, backend: BackendSpec) -> LinesSection | None:
        """`[lines]`, whose backend is checked apart: it is one of a list that packages extend."""
        values = self._table("lines")
        if backend is not NO_BACKEND or "backend" not in values:
            return self._section(LinesSection, "lines")
        _, findings = validate({**values, "backend": ""}, LinesSection, ("lines",))
        self.findings += map(self._moved, findings)
        return None

    def _check_lines(self, lines: LinesSection, backend: BackendSpec) -> None:
        if lines.factory is not None and backend.factories is None:
            able = " or ".join(f'backend = "{one.name}"' for one in self.registry.backends.values() if one.factories)
            wrong = f"has no effect with the backend {lines.backend}"
            fix = f"remove it, or write {able}"
            self.findings.append(ConfigFinding(("lines", "factory"), wrong, fix, "warning"))
        if lines.chip is not None and backend.on_boards:
            wrong = f"names a chip of the Pi, and has no effect with the backend {backend.name}"
            self.findings.append(ConfigFinding(("lines", "chip"), wrong, "remove it", "warning"))
        self.findings += check_chip(lines.chip, ("lines", "chip"))

    def _check_rules(self, table: TableSection) -> None:
        names = self.registry.profiles
        name = self.registry.profile_of(table)
        path = ("table", "rules")
        if name not in names:
            fix = self._offered("rules", name) or suggestion(name, names, "profile")
            self.findings.append(ConfigFinding(path, f"unknown profile {value_text(name)}", fix))
        elif table.game in self.registry.games:
            wrong = profile(name).refusal(table.game)
            if wrong is not None:
                able = [value_text(one) for one in names if one != HOUSE and profile(one).plays(table.game)]
                fix = f"write {' or '.join(able)}" if able else "name a package that brings rules for it in packages"
                self.findings.append(ConfigFinding(path, wrong, fix))
            elif table.rules is None and name != DEFAULT_PROFILE and name in OWN:
                wrong = (
                    f"is missing, and {table.game} is not a game of a casino night (13:47-20.4, 20.10(a)): it is "
                    f"played by {name}, a text for casinos"
                )
                fix = f"write rules = {value_text(name)} to have it so"
                self.findings.append(ConfigFinding(path, wrong, fix, "warning", missing=True))

    def _house(self, game: GameEntry, table: TableSection | None) -> tuple[HouseKeys | None, bool]:
        """`[house]`, and whether the rules can be read with it. A regulation leaves the house nothing to change."""
        if HOUSE not in self._values and not self._misspelt(HOUSE):
            return None, True
        if table is not None and (name := self.registry.profile_of(table)) != HOUSE:
            if HOUSE in self._values:
                wrong = f"is given, and a house changes nothing of {value_text(name)}, by which the table plays"
                fix = 'write rules = "house" under [table], and the table shows HOUSE RULES; or remove [house]'
                self.findings.append(ConfigFinding((HOUSE,), wrong, fix))
            return None, True
        if game.house is None:
            return None, False  # reported with the profile
        house = self._section(game.house, HOUSE)
        return house, house is not None

    def _call(self, table: TableSection | None, backend: BackendSpec, game: GameEntry | None) -> CallBy | None:
        """Who calls "No more bets"; None of recorded lines, where the wires decide if the file does not."""
        if table is None or table.no_more_bets is not None:
            return table.no_more_bets if table is not None else None
        if backend.live and game is not None and game.machine:
            return "auto"
        if backend.live:
            fix = 'add no_more_bets = "button" if the dealer has a button for it, else "auto"'
            wrong = f"is missing, and the backend {backend.name} needs it"
            self.findings.append(ConfigFinding(("table", "no_more_bets"), wrong, fix, missing=True))
        return "button" if backend.simulated else None

    # -------------------------------------------------------------------------------------------- devices

    def _check_set_up(
        self,
        game: GameEntry,
        table: TableSection | None,
        backend: BackendSpec,
        options: msgspec.Struct | None,
        devices: dict[str, DeviceConfig],
        call: CallBy | None,
        house: HouseKeys | None,
    ) -> None:
        """What the game itself finds wrong between the parts of its table."""
        if table is None:
            return
        name = self.registry.profile_of(table)
        if name not in self.registry.profiles or not profile(name).plays(table.game):
            return
        setup = SetUp(table.game, name, options, devices, backend.simulated, call, house)
        self.findings += game.check(setup)

    def _check_set_going(self, devices: dict[str, DeviceConfig], call: CallBy | None) -> None:
        """A device that starts after the call cannot make the call: such a table would never play."""
        waits = next((name for name in devices if devices[name].spec.started_by_call), None)
        if call == "auto" and waits is not None:
            wrong = (
                f'is "auto": the dice that are set going are the call, but the {waits} sets them going after the call'
            )
            fix = 'write no_more_bets = "button", and wire dealer_no_more_bets'
            self.findings.append(ConfigFinding(("table", "no_more_bets"), wrong, fix))

    def _check_on_wires(self, devices: dict[str, DeviceConfig]) -> None:
        """What a device with real wires must state, and what it should avoid."""
        if not self.live:
            return
        sections = self._table("device")
        for name, device in devices.items():
            given = sections.get(name, {})
            for found in device.spec.on_wires(device.config, given):
                if found.missing and (name in self._values or self._misspelt("device")):
                    continue  # its section is there under another name, which is reported
                path = ("device", name, found.key)
                severity: Literal["error", "warning"] = "error" if found.missing else "warning"
                self.findings.append(ConfigFinding(path, found.wrong, found.fix, severity, found.missing))

    # --------------------------------------------------------------------------------------------- wiring

    def _check_wiring(
        self, backend: BackendSpec, devices: dict[str, DeviceConfig], call: CallBy | None
    ) -> dict[str, LineUse]:
        """Checks the wires against the lines of the devices, and returns those."""
        all_uses: dict[str, LineUse] = {}
        for device in devices.values():
            all_uses.update(device.lines)
        pins, links = self._table("pins"), self._table("links")
        self.findings += check_names(pins, links, all_uses)
        self.findings += check_places(self.wires, all_uses)
        for device in devices.values():
            self.findings += check_debounce(self.wires, device.lines, device.spec.bounds(device.config))
        self.findings += check_call_line(pins, all_uses, call)
        uses = with_call(all_uses, call)
        if backend.live:
            # A line below another one's own section is reported there.
            below = (name for value in pins.values() if isinstance(value, dict) for name in value if name in uses)
            self.findings += check_complete([*pins, *links, *below], self.wires, uses, backend)
        if backend.on_boards:
            named = {*_boards_named(pins.values(), self.wires.boards), board_of_lamps(devices, self.wires.boards) or ""}
            self.findings += check_boards(self.wires, named)
        return uses

    def _unknown_lines(
        self, game: GameEntry, devices: dict[str, DeviceConfig], call: CallBy | None
    ) -> Iterator[ConfigFinding]:
        """The entries of `[pins]` and `[links]` that are no line of any device, whatever its wrong keys are meant to
        be; none where that cannot be known."""
        likely: dict[str, LineUse] = {}
        # Without the number at its end: a wrong key may be meant to give more of a kind.
        possible: set[str] = set()
        for name, slot in wanted_devices(self._table("device"), game).items():
            known = [devices[name]] if name in devices else _possible(name, slot, self._table("device"), self.registry)
            if not known:
                return
            likely.update(known[0].lines)
            possible.update(_unnumbered(line) for device in known for line in device.lines)
        found = check_names(self._table("pins"), self._table("links"), with_call(likely, call))
        yield from (one for one in found if _unnumbered(str(one.path[1])) not in possible)


def wanted_devices(given: Mapping[str, Any], game: GameEntry) -> dict[str, Slot]:
    """The devices that a table has: those of its file, and those that it has without a section."""
    return {
        name: slot
        for name, slot in game.devices.items()
        if name in given or (slot.always and not _stands_back(slot, given))
    }


def read_devices(
    given: Mapping[str, Any], game: GameEntry, registry: Registry
) -> tuple[dict[str, DeviceConfig], bool, list[ConfigFinding]]:
    """The devices without mistakes, whether that is all of them, and all mistakes; `given` is `[device]`."""
    table = f"{with_article(game.name)} table"
    fix_of = {name: suggestion(name, game.devices, "device") for name in given if name not in game.devices}
    findings = [ConfigFinding(("device", name), f"{table} has no such device", fix) for name, fix in fix_of.items()]
    devices: dict[str, DeviceConfig] = {}
    findings += [
        ConfigFinding(("device", name), f"is given beside device.{slot.excludes}", f"{table} has one of the two")
        for name, slot in game.devices.items()
        if name in given and slot.excludes in given
    ]
    wanted = wanted_devices(given, game)
    for name, slot in wanted.items():
        device, found = _read(name, slot, given.get(name, {}), registry)
        findings += found
        if device is not None:
            devices[name] = device
    return devices, len(devices) == len(wanted), findings


def _stands_back(slot: Slot, given: Mapping[str, Any]) -> bool:
    """Whether the file has something in the place of a device that the table has without a section."""
    other, key = slot.unless_true
    section = given.get(other)
    by_key = isinstance(section, Mapping) and section.get(key) is True
    return by_key or bool(given.keys() & {slot.unless, slot.or_unless})


def not_a_section(path: tuple[str, ...], value: object) -> ConfigFinding:
    """The finding for a value in place of a section."""
    return ConfigFinding(path, f"is {value_text(value)}, and a section was expected", as_section(path, value))


def _read(name: str, slot: Slot, values: object, registry: Registry) -> tuple[DeviceConfig | None, list[ConfigFinding]]:
    path = ("device", name)
    if not isinstance(values, dict):
        return None, [not_a_section(path, values)]
    findings: list[ConfigFinding] = []
    driver = values.get("driver", slot.drivers[0])
    if not isinstance(driver, str) or driver not in slot.drivers:
        word = driver if isinstance(driver, str) else ""
        fix = suggestion(word, slot.drivers, "driver")
        findings.append(ConfigFinding((*path, "driver"), f"{value_text(driver)} is not a driver of this device", fix))
        driver = nearest(word, slot.drivers)
        if driver is None:
            return None, findings
    entry = registry.drivers[driver]
    keys = {key: value for key, value in values.items() if key != "driver"}
    if "driver" in entry.keys.__struct_fields__:
        keys["driver"] = driver
    config, found = validate(keys, entry.keys, path)
    findings += found
    if config is None:
        return None, findings
    idle = {key: why for key, why in entry.idle(config).items() if key in values}
    findings += [ConfigFinding((*path, key), f"has no effect {why}", "remove it") for key, why in idle.items()]
    return DeviceConfig(name, entry, config), findings


def _unnumbered(line: str) -> str:
    return line.rstrip("0123456789").removesuffix("_")


def _possible(name: str, slot: Slot, given: Mapping[str, Any], registry: Registry) -> list[DeviceConfig]:
    """What a device with wrong keys may be meant to be; empty where its driver is not known."""
    values = given.get(name, {})
    if not isinstance(values, dict) or (driver := values.get("driver", slot.drivers[0])) not in slot.drivers:
        return []
    if "driver" not in values and any(nearest(key, ["driver"]) for key in values):
        return []
    entry = registry.drivers[driver]
    keys = {key: value for key, value in values.items() if key != "driver" or key in entry.keys.__struct_fields__}
    return [DeviceConfig(name, entry, made) for made in possible_sections(keys, entry.keys, ("device", name))]


def _names_package(table: Mapping[str, Any], package: str) -> bool:
    given = table.get("packages", [])
    return isinstance(given, list) and normal_name(package) in [normal_name(str(one)) for one in given]


def _with_package(table: Mapping[str, Any], package: str) -> str:
    given = table.get("packages", [])
    # A name that is nearly this one was meant to be it.
    kept = [one for one in given if nearest(str(one), [package]) is None] if isinstance(given, list) else []
    listed = [*kept, package]
    return f"write packages = {value_text(listed)} under [table]"


def _boards_named(entries: Iterable[object], boards: Collection[str]) -> Iterator[str]:
    """The boards that entries of `[pins]` name, rightly or not; an entry without a name means the only board."""
    for entry in entries:
        named = entry.get(BOARD) if isinstance(entry, dict) else None
        if isinstance(named, str):
            yield named
        elif len(boards) == 1:
            yield from boards
