"""What `python -m firmware.hardware --kicad` makes, in the KiCad of Debian 13: libraries, ERC, DRC, netlist.

    libraries of KiCad ──► pads of each footprint; pins of KiCad's own symbols by name
    schematic ──► ERC; KiCad's netlist of it is the circuit's
    board     ──► DRC with the schematic beside it: the same parts, pads and nets; footprints as the library has them

Then mistakes are planted in the projects, and each has to be found.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4

from firmware.hardware import kicad as made
from firmware.hardware import parts as p
from firmware.hardware.boards import NAMES, circuit
from firmware.hardware.circuit import Circuit, PartType
from firmware.hardware.footprints import TABLE, footprint, pad
from firmware.hardware.sexp import Sexp, children, parse, text_of, word
from tests.systems.report import Report
from tests.systems.roots import OWN, Root, root

PACKAGES: Final = "kicad kicad-footprints kicad-symbols"
SHARE: Final = "/usr/share/kicad"
PROJECTS: Final = "/srv/kicad"
SYMBOLS: Final[dict[str, tuple[PartType, ...]]] = {
    "74xx:74HC14": (p.HC14, p.AHC14, p.AHCT14),
    "74xx:74HC165": (p.HC165,),
    "74xx:74HC595": (p.HC595,),
    "Memory_NVRAM:FM24C64B": (p.FRAM, p.FRAM_3V3),
    "Regulator_Switching:TSR_1-2450": (p.BUCK,),
    "Transistor_FET:IRLZ44N": (p.NFET,),
    "Transistor_FET:IRF4905": (p.PFET,),
    "Transistor_BJT:BC337": (p.NPN,),
    "Transistor_BJT:BC327": (p.PNP,),
    "Transistor_BJT:BD140": (p.PNP_PASS,),
    "MCU_Module:Arduino_Nano_v3.x": (p.NANO,),
    "MCU_Module:RaspberryPi_Pico": (p.PICO,),
    "Driver_Motor:Pololu_Breakout_A4988": (p.STEPPER_DRIVER,),
    "Diode:BAT85": (p.BAT85,),
    "Diode:1N4148": (p.D4148, p.ZENER, p.TVS_RAIL, p.TVS_SENSE),
    "Diode:1N5819": (p.D5819, p.D5822, p.D4007),
}
"""KiCad's own symbols, and parts that have their pins; it has no MAX705 and TPIC6C595, and no names at an LTV-817."""
ALIASES: Final = {
    "nQ7": "Q7", "RST": "RESET", "RST2": "RESET", "GND2": "GND", "REF": "AREF", "TX1": "D1/TX", "RX0": "D0/RX",
    **{f"GP{n}": f"GPIO{n}" for n in range(26)}, **{f"GP{26 + n}": f"GPIO{26 + n}_ADC{n}" for n in range(3)},
    **{f"GND{n}": "GND" for n in range(3, 8)}, "VREF": "ADC_VREF",
}  # fmt: skip
MOST_LISTED: Final = 499
"""How many connections that are missing KiCad lists at the most."""
NO_OUTLINE: Final = "invalid_outline"
"""What a board without a layout has, and no other violation."""


class Found(NamedTuple):
    """What KiCad says of a project."""

    erc: Counter[str]
    drc: Counter[str]
    parity: Counter[str]
    unconnected: int
    pins: set[tuple[str, str, str]]
    """Reference, pad and net of each pin that is connected."""
    footprints: dict[str, str]


def kicad(report: Report) -> None:
    """Every project in a clean root, and what is planted in them."""
    with root("trixie", OWN) as at:
        with report.timed(f"apt install {PACKAGES}"):
            # Nothing of this root outlives the run: dpkg need not wait for the disk.
            at.must(
                "apt-get update -q && "
                f"apt-get install -q -o Dpkg::Options::=--force-unsafe-io --no-install-recommends {PACKAGES}"
            )
        # As the program does when it is first started.
        at.must(f"mkdir -p ~/.config/kicad/9.0 && cp {SHARE}/template/*-lib-table ~/.config/kicad/9.0/")
        report.figure("kicad-cli", at.must("kicad-cli --version").strip())
        _libraries(report, at)
        new = made.write([circuit(name) for name in NAMES], at.path(PROJECTS), at.path(f"{SHARE}/footprints"))
        again = made.write([circuit(name) for name in NAMES], at.path(PROJECTS), at.path(f"{SHARE}/footprints"))
        report.check("a second time the same is written", new and not again, again)
        for name in NAMES:
            with report.timed(name):
                _whole(report, at, circuit(name))
        for title, mistake in MISTAKES.items():
            _planted(report, at, title, *mistake)


def _libraries(report: Report, at: Root) -> None:
    libraries = at.path(f"{SHARE}/footprints")
    seen: dict[str, object] = {}
    for place in {place.id: place for place in (*TABLE.values(), footprint(p.R100)) if place}.values():
        try:
            made.library_footprint(place, libraries)
        except made.KicadError as error:
            seen[place.id] = error
    report.check(f"{len(TABLE)} parts have footprints of KiCad's libraries, with the pads of the table", not seen, seen)
    wrong: dict[str, str] = {}
    for name, types in SYMBOLS.items():
        library, symbol = name.split(":")
        pins = library_pins(at.path(f"{SHARE}/symbols/{library}.kicad_sym"), symbol)
        for type_ in types:
            wrong |= {f"{type_.value}: {each}": name for each in other_pins(type_, pins)}
    report.check("each pin is at the pad where KiCad's own symbols have it", not wrong, wrong)
    diode = library_pins(at.path(f"{SHARE}/symbols/Diode.kicad_sym"), "1N4148")
    turned = {"1": diode["2"], "2": diode["1"]}
    report.check("a diode whose pads are exchanged is found", other_pins(p.D4148, turned))


def library_pins(path: Path, name: str) -> dict[str, tuple[str, str]]:
    """The pins of a symbol in a library: name and type, by number."""
    symbols = {word(each): each for each in children(parse(path.read_text(encoding="utf-8")), "symbol")}
    item = symbols[name]
    for base in children(item, "extends"):
        item = symbols[word(base)]
    return {
        word(next(children(pin, "number"))): (word(next(children(pin, "name"))), word(pin))
        for unit in children(item, "symbol")
        for pin in children(unit, "pin")
    }


def other_pins(type_: PartType, pins: dict[str, tuple[str, str]]) -> list[str]:
    """The pins of a part whose pads a symbol names otherwise; where it names none, whose types differ."""
    found = []
    for pin, kind in type_.pins.items():
        name, its = pins.get(pad(type_, pin), ("missing", ""))
        plain = re.sub(r"~\{(.*)\}", r"\1", name).lstrip("+").upper()
        same = its == made.PIN_TYPES[kind] if name == "~" else plain == ALIASES.get(pin, pin).upper()
        if not same:
            found.append(f"{pin} at pad {pad(type_, pin)}, where the symbol has {name} ({its})")
    return found + [f"pad {number}: no pin" for number in set(pins) - {pad(type_, pin) for pin in type_.pins}]


def look(at: Root, name: str) -> Found:
    """What KiCad says of a project in the root.

    Raises:
        RootError: it cannot load one of its files.
    """
    folder = f"{PROJECTS}/{name}"
    options = "--severity-all --format json"
    asked = (
        f"sch erc {options} -o /tmp/erc.json {name}.kicad_sch",
        f"pcb drc --schematic-parity {options} -o /tmp/drc.json {name}.kicad_pcb",
        f"sch export netlist -o /tmp/sch.net {name}.kicad_sch",
    )
    with ThreadPoolExecutor() as together:
        list(together.map(at.must, (f"cd {folder} && kicad-cli {words}" for words in asked)))
    erc, drc = (json.loads(at.must(f"cat /tmp/{each}.json")) for each in ("erc", "drc"))
    exported = parse(at.must("cat /tmp/sch.net"))
    pins = {
        (word(next(children(node, "ref"))), word(next(children(node, "pin"))), word(next(children(net, "name"))))
        for nets in children(exported, "nets")
        for net in children(nets, "net")
        for node in children(net, "node")
    }
    return Found(
        _types(each for sheet in erc["sheets"] for each in sheet["violations"]),
        _types(drc["violations"]),
        _types(drc["schematic_parity"]),
        len(drc["unconnected_items"]),
        {each for each in pins if not each[2].startswith("unconnected-(")},
        {
            word(next(children(part, "ref"))): next((word(each) for each in children(part, "footprint")), "")
            for parts in children(exported, "components")
            for part in children(parts, "comp")
        },
    )


def _types(violations: Any) -> Counter[str]:
    return Counter(str(each["type"]) for each in violations)


def open_connections(each: Circuit) -> int:
    """How many connections a board without tracks lacks: one less than the pads of each net."""
    pads: Counter[str] = Counter()
    for part in each.parts.values():
        place = footprint(part.type)
        for number, holes in place.pads.items() if place else ():
            if number:
                pads[made.pad_net(part, number)[0]] += holes
    return sum(count - 1 for count in pads.values())


def _whole(report: Report, at: Root, each: Circuit) -> None:
    found = look(at, each.name)
    report.check(f"{each.name}: ERC finds nothing", not found.erc, found.erc)
    # What is in the panel is no part of the board: KiCad leaves it out.
    parts = {part.ref: (part, place.id) for part in each.parts.values() if (place := footprint(part.type))}
    wanted = {(ref, pad(part.type, pin), net) for ref, (part, _) in parts.items() for pin, net in part.nets.items()}
    report.check(f"{each.name}: KiCad's netlist has the circuit's {len(wanted)} pins", found.pins == wanted,
                 found.pins ^ wanted)  # fmt: skip
    places = {ref: place for ref, (_, place) in parts.items()}
    report.check(f"{each.name}: and its {len(places)} parts with their footprints", found.footprints == places,
                 set(found.footprints.items()) ^ set(places.items()))  # fmt: skip
    known = {NO_OUTLINE: 1}
    report.check(f"{each.name}: DRC finds no more than {NO_OUTLINE}", found.drc == known, found.drc)
    report.check(f"{each.name}: the board has the schematic's parts and nets", not found.parity, found.parity)
    lacks = open_connections(each)
    listed = min(lacks, MOST_LISTED)
    report.check(f"{each.name}: {lacks} connections are to be laid out", found.unconnected == listed, found.unconnected)


# Mistakes

Change = Callable[[str], str]


def _once(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert text.count(old) >= 1, old
        return text.replace(old, new, 1)

    return change


def _exchange(one: str, other: str) -> Change:
    def change(text: str) -> str:
        assert one in text and other in text
        return text.replace(one, "\0", 1).replace(other, one, 1).replace("\0", other, 1)

    return change


def _all(old: str, new: str) -> Change:
    return lambda text: text.replace(old, new)


def _without(begins: str) -> Change:
    """Without the first list of the outer one that begins like this."""

    def change(text: str) -> str:
        item = parse(text)
        assert isinstance(item, tuple)
        gone = next(each for each in item if re.sub(r"\s+", " ", text_of(each)).startswith(begins))
        return text_of(tuple(each for each in item if each is not gone))

    return change


def _without_labels(net: str) -> Change:
    def change(text: str) -> str:
        item = parse(text)
        assert isinstance(item, tuple)
        return text_of(
            tuple(each for each in item if not (isinstance(each, tuple) and each[:2] == ("global_label", f'"{net}"')))
        )

    return change


def _moved_area(text: str) -> str:
    """A corner of the first area of a footprint."""
    before, area = text.split("(zone", 1)
    return f"{before}(zone{re.sub(r'[(]xy [^)]+[)]', '(xy 0 0)', area, count=1)}"


def _exchanged_pads(text: str) -> str:
    """The nets of the two pads of the first part."""
    first, second = list(re.finditer(r'\(net \d+ "[^"]+"\)(?=\s+\(pinfunction)', text))[:2]
    return text[: first.start()] + second[0] + text[first.end() : second.start()] + first[0] + text[second.end() :]


def _pad_at(board: Sexp, net: str) -> tuple[float, float, float]:
    """Where the first pad of a net is, and half of its height, in mm."""
    for place in children(board, "footprint"):
        for one in children(place, "pad"):
            if any(word(each, 2) == net for each in children(one, "net")):
                places = [next(children(each, "at")) for each in (place, one)]
                x, y = (sum(float(word(each, axis)) for each in places) for axis in (1, 2))
                return x, y, float(word(next(children(one, "size")), 2)) / 2
    raise AssertionError(f"no pad of {net}")


def _track(net: str, width: float, aside_mm: float) -> Change:
    """A track of a net, from one of its pads away, or beside one of 12 V."""

    def change(text: str) -> str:
        item = parse(text)
        code = next(word(each) for each in children(item, "net") if word(each, 2) == net)
        x, y, radius = _pad_at(item, net if aside_mm == 0 else "+12V_LOAD")
        across = y if aside_mm == 0 else y + radius + aside_mm + width / 2
        track = f"(start {x} {across}) (end {x + 0.5} {across}) (width {width}) (layer B.Cu) (net {code})"
        return text.rstrip().removesuffix(")") + f'(segment {track} (uuid "{uuid4()}")))'

    return change


MISTAKES: Final[dict[str, tuple[str, str, Change, Callable[[Found], bool]]]] = {
    "two pins exchanged in the schematic": (
        "opto-12v", "kicad_sch", _exchange('global_label "line_1"', 'global_label "zero_1"'),
        lambda found: found.parity["net_conflict"] > 0,
    ),
    "a net missing in the schematic": (
        "opto-12v", "kicad_sch", _without_labels("led_1"), lambda found: found.erc["pin_not_connected"] > 0,
    ),
    "two nets joined in the schematic": (
        "lamp-tile", "kicad_sch", _all('global_label "data_out"', 'global_label "read_out"'),
        lambda found: found.erc["pin_to_pin"] > 0 and found.parity["net_conflict"] > 0,
    ),
    "a rail without a supply": (
        "lamp-tile", "kicad_sch", _without('(symbol (lib_id "feltwire:PWR_FLAG")'),
        lambda found: found.erc["power_pin_not_driven"] > 0,
    ),
    "two pads exchanged on the board": (
        "opto-12v", "kicad_pcb", _exchanged_pads, lambda found: found.parity["net_conflict"] == 2,
    ),
    "a part missing on the board": (
        "opto-12v", "kicad_pcb", _without('(footprint "Package_DIP:DIP-4_W7.62mm"'),
        lambda found: found.parity["missing_footprint"] == 1,
    ),
    "a hole moved on the board": (
        "opto-12v", "kicad_pcb", _once("(at 10.16 0)", "(at 9.16 0)"),
        lambda found: found.drc["lib_footprint_mismatch"] == 1,
    ),
    "an area of the Pico's footprint moved on the board": (
        "wheel-pico", "kicad_pcb", _moved_area, lambda found: found.drc["lib_footprint_mismatch"] == 1,
    ),
    "a track of 12 V that is too thin": (
        "lamp-tile", "kicad_pcb", _track("+12V_LOAD", 0.4, 0), lambda found: found.drc["track_width"] == 1,
    ),
    "a track of data too near to 12 V": (
        "lamp-tile", "kicad_pcb", _track("data", 0.3, 0.4), lambda found: found.drc["clearance"] > 0,
    ),
}  # fmt: skip
"""By what is wrong: the project, the file, the change, and whether KiCad found it."""


def _planted(
    report: Report, at: Root, title: str, name: str, ending: str, change: Change, is_found: Callable[[Found], bool]
) -> None:
    path = at.path(f"{PROJECTS}/{name}/{name}.{ending}")
    was = path.read_text(encoding="utf-8")
    path.write_text(change(was), encoding="utf-8")
    found = look(at, name)
    path.write_text(was, encoding="utf-8")
    report.check(f"found: {title}", is_found(found), found._replace(pins=set(), footprints={}))
