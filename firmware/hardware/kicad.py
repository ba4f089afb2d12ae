"""A project of KiCad 9 for each circuit: symbols, schematic, and a board with every footprint in place of its sheet.

    circuit ──► symbols + schematic (a net is a global label at each pin)      ──► ERC
            ──► board: KiCad's footprints on a grid, nets at their pads        ──► a person lays it out
            ──► classes and rules: track widths by fuses, clearance of 12 V    ──► DRC while it is laid out

There are no tracks and no outline: a layout is a person's. What a circuit's later change needs is the netlist again.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID, uuid5

from firmware.hardware import footprints, layout
from firmware.hardware.circuit import Circuit, CircuitPart, PartType
from firmware.hardware.footprints import Footprint, pad
from firmware.hardware.listing import order
from firmware.hardware.sexp import Sexp, children, line_of, parse, quoted, text_of, word

LIBRARIES: Final = Path("/usr/share/kicad/footprints")
"""Where Debian's kicad-footprints has them."""
_SPACE: Final = UUID("5d1f6d6e-6b9c-4d53-9d6b-0f9d2a3f7c41")
GENERATED: Final = ("generator", '"feltwire"'), ("generator_version", '"9.0"')
PIN_TYPES: Final = {
    "passive": "passive", "in": "input", "out": "output", "open": "open_collector", "both": "bidirectional",
    "supply": "power_in", "source": "power_out", "unused": "no_connect",
}  # fmt: skip


class KicadError(Exception):
    """A project that cannot be made: what is missing or in the way, and what to do."""


def _uuid(*names: str) -> Sexp:
    return "uuid", quoted(str(uuid5(_SPACE, "/".join(names))))


def _mm(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") if value else "0"


def _at(x: float, y: float, angle: int = 0) -> Sexp:
    return "at", _mm(x), _mm(y), str(angle)


def _font(size: float = 1.27, *, justify: str = "", hide: bool = False) -> Sexp:
    inner: list[Sexp] = [("font", ("size", _mm(size), _mm(size)))]
    if justify:
        inner.append(("justify", justify))
    if hide:
        inner.append(("hide", "yes"))
    return "effects", *inner


def fields(type_: PartType) -> dict[str, str]:
    """What a buyer needs beside reference and value, by the name of the field."""
    found = {"Description": type_.name, "Package": type_.package}
    for number, source in enumerate(type_.sources, 1):
        tail = "" if number == 1 else f" {number}"
        found |= {
            f"Manufacturer{tail}": source.maker,
            f"MPN{tail}": source.number,
            f"Number checked{tail}": source.checked,
        }
    return found


# Symbols


@dataclass(frozen=True)
class SymbolBox:
    """A box with its pins, by their number: where each ends, in mm from its middle, with y upwards."""

    name: str
    half_width: float
    half_height: float
    pins: dict[str, tuple[str, str, float, float]]
    """By pad: the pin's name, KiCad's type, and where it ends."""


_GRID: Final = 2.54
FLAG: Final = "PWR_FLAG"
"""What tells the check of electrical rules that a rail has a supply outside of the board, or behind a passive part."""


def symbol_name(type_: PartType) -> str:
    """The name of a part in the library of symbols."""
    plain = type_.name.replace("Ω", "ohm").replace("µ", "u").replace("²", "2").replace("×", "x")
    return re.sub(r"[^A-Za-z0-9.+-]+", "_", plain).strip("_")


def symbol(type_: PartType) -> SymbolBox:
    """The symbol of a part: the first half of its pins on the left, the others on the right."""
    names = list(type_.pins)
    half = (len(names) + 1) // 2
    longest = max(len(name) for name in names)
    width = _GRID * math.ceil(max(2.0, longest * 0.9 + 1.0))
    top = (half - 1) / 2 * _GRID
    top = math.ceil(top / _GRID) * _GRID
    pins = {}
    for place, name in enumerate(names):
        left = place < half
        row = place if left else place - half
        x = -(width + _GRID) if left else width + _GRID
        pins[pad(type_, name)] = (name, PIN_TYPES[type_.pins[name]], x, top - row * _GRID)
    return SymbolBox(symbol_name(type_), width, top + _GRID, pins)


def _property(name: str, value: str, x: float, y: float, *, hide: bool) -> Sexp:
    return "property", quoted(name), quoted(value), _at(x, y), _font(hide=hide)


def _pin(number: str, name: str, kind: str, x: float, y: float) -> Sexp:
    angle = 0 if x < 0 else 180
    text = _font(1.0)
    return (
        "pin", kind, "line", _at(x, y, angle), ("length", _mm(_GRID)),
        ("name", quoted(name), text), ("number", quoted(number), text),
    )  # fmt: skip


def _symbol_of(type_: PartType, prefix: str = "") -> Sexp:
    drawn = symbol(type_)
    place = footprints.footprint(type_)
    return (
        "symbol", quoted(prefix + drawn.name),
        ("pin_names", ("offset", "0.5")),
        ("exclude_from_sim", "no"), ("in_bom", "yes"), ("on_board", "yes" if place else "no"),
        _property("Reference", type_.letter, 0, drawn.half_height + 1.27, hide=False),
        _property("Value", type_.value, 0, -drawn.half_height - 1.27, hide=False),
        _property("Footprint", place.id if place else "", 0, 0, hide=True),
        _property("Datasheet", "", 0, 0, hide=True),
        *(_property(name, value, 0, 0, hide=True) for name, value in fields(type_).items()),
        (
            "symbol", quoted(f"{drawn.name}_0_1"),
            (
                "rectangle", ("start", _mm(-drawn.half_width), _mm(drawn.half_height)),
                ("end", _mm(drawn.half_width), _mm(-drawn.half_height)),
                ("stroke", ("width", "0.254"), ("type", "default")), ("fill", ("type", "background")),
            ),
        ),
        (
            "symbol", quoted(f"{drawn.name}_1_1"),
            *(_pin(number, *about) for number, about in drawn.pins.items()),
        ),
        ("embedded_fonts", "no"),
    )  # fmt: skip


def _flag_symbol(prefix: str = "") -> Sexp:
    return (
        "symbol", quoted(prefix + FLAG), ("power",), ("pin_names", ("offset", "0")),
        ("exclude_from_sim", "no"), ("in_bom", "no"), ("on_board", "no"),
        _property("Reference", "#FLG", 0, 2.54, hide=True), _property("Value", FLAG, 0, 2.54, hide=False),
        _property("Footprint", "", 0, 0, hide=True), _property("Datasheet", "", 0, 0, hide=True),
        ("symbol", quoted(f"{FLAG}_1_1"), _pin("1", "", "power_out", -_GRID, 0)),
        ("embedded_fonts", "no"),
    )  # fmt: skip


def _types(circuit: Circuit) -> list[PartType]:
    return sorted({part.type.name: part.type for part in circuit.parts.values()}.values(), key=symbol_name)


def symbols(circuit: Circuit) -> str:
    """The library of the symbols of a circuit."""
    made = (_symbol_of(type_) for type_ in _types(circuit))
    return text_of(("kicad_symbol_lib", ("version", "20241209"), *GENERATED, *made, _flag_symbol())) + "\n"


# Schematic


def by_sheet(circuit: Circuit) -> list[tuple[str, list[CircuitPart]]]:
    """The parts of each drawing, under its title: each part where it is drawn first, in the order of the drawing."""
    placed: set[str] = set()
    found = []
    for sheet in circuit.sheets:
        refs = [step.ref for row in sheet.rows for step in row.steps if hasattr(step, "ref")]
        refs += [ref for ref, _ in sheet.boxes]
        here = [ref for ref in dict.fromkeys(refs) if ref not in placed]
        placed |= set(here)
        found.append((sheet.title, [circuit.parts[ref] for ref in here]))
    left = [part for ref, part in circuit.parts.items() if ref not in placed]
    if left:
        raise KicadError(f"{circuit.name}: on no drawing: {', '.join(part.ref for part in left)}")
    return [(title, parts) for title, parts in found if parts]


def fed_from_outside(circuit: Circuit) -> list[str]:
    """Rails that supply a pin, and that no pin of the board is a source of."""
    kinds = {net: {part.type.pins[pin] for part, pin in pins} for net, pins in circuit.nets().items()}
    return sorted(net for net, of in kinds.items() if "supply" in of and "source" not in of)


def _label(circuit: Circuit, net: str, ref: str, number: str, x: float, y: float, *, left: bool) -> Sexp:
    return (
        "global_label", quoted(net), ("shape", "passive"), _at(x, y, 180 if left else 0),
        _font(justify="right" if left else "left"), _uuid(circuit.name, ref, number, "label"),
    )  # fmt: skip


_COLUMNS: Final = 7
_COLUMN, _MARGIN = 34 * _GRID, 10 * _GRID


def _instance(circuit: Circuit, ref: str, name: str, x: float, y: float, about: dict[str, str], height: float, *,
              pins: list[str], bom: bool, on_board: bool, shown: tuple[str, ...]) -> Sexp:  # fmt: skip
    places = {"Reference": y - height - 1.27, "Value": y + height + 1.27}
    return (
        "symbol", ("lib_id", quoted(f"feltwire:{name}")), _at(x, y), ("unit", "1"), ("exclude_from_sim", "no"),
        ("in_bom", "yes" if bom else "no"), ("on_board", "yes" if on_board else "no"), ("dnp", "no"),
        _uuid(circuit.name, ref),
        *(_property(key, value, x, places.get(key, y), hide=key not in shown) for key, value in about.items()),
        *(("pin", quoted(number), _uuid(circuit.name, ref, number)) for number in pins),
        (
            "instances",
            (
                "project", quoted(circuit.name),
                (
                    "path", quoted(f"/{word(_uuid(circuit.name))}"), ("reference", quoted(ref)), ("unit", "1"),
                ),
            ),
        ),
    )  # fmt: skip


def schematic(circuit: Circuit) -> str:
    """The schematic: every part once, under the title of its drawing, and at each pin the name of its net."""
    items: list[Sexp] = []
    y = _MARGIN
    for title, parts in by_sheet(circuit):
        items.append(("text", quoted(title), ("exclude_from_sim", "no"), _at(_MARGIN, y), _font(2.54, justify="left"),
                      _uuid(circuit.name, title)))  # fmt: skip
        for begin in range(0, len(parts), _COLUMNS):
            row = parts[begin : begin + _COLUMNS]
            drawn = [symbol(part.type) for part in row]
            half = max(each.half_height for each in drawn)
            y += math.ceil((half + 5.08) / _GRID) * _GRID
            for column, (part, box) in enumerate(zip(row, drawn, strict=True)):
                x = _MARGIN + (column + 0.5) * _COLUMN - _COLUMN % _GRID
                x = round(x / _GRID) * _GRID
                items += _part(circuit, part, box, x, y)
            y += math.ceil((half + 5.08) / _GRID) * _GRID
        y += _GRID
    for number, net in enumerate(fed_from_outside(circuit), 1):
        x = _MARGIN + round(((number - 1) % _COLUMNS + 0.5) * _COLUMN / _GRID) * _GRID
        ref = f"#FLG{number}"
        y += _GRID * 2 if (number - 1) % _COLUMNS == 0 else 0
        about = {"Reference": ref, "Value": FLAG, "Footprint": "", "Datasheet": ""}
        items.append(_instance(circuit, ref, FLAG, x, y, about, 1.27, pins=["1"], bom=False, on_board=False, shown=()))
        items.append(_label(circuit, net, ref, "1", x - _GRID, y, left=True))
    width, height = 2 * _MARGIN + _COLUMNS * _COLUMN, y + _MARGIN
    library = (_symbol_of(type_, "feltwire:") for type_ in _types(circuit))
    return (
        text_of(
            (
                "kicad_sch", ("version", "20250114"), *GENERATED, _uuid(circuit.name),
                ("paper", '"User"', _mm(width), _mm(height)),
                ("title_block", ("title", quoted(circuit.title))),
                ("lib_symbols", *library, _flag_symbol("feltwire:")), *items,
                ("sheet_instances", ("path", '"/"', ("page", '"1"'))), ("embedded_fonts", "no"),
            )
        )
        + "\n"
    )  # fmt: skip


def _part(circuit: Circuit, part: CircuitPart, box: SymbolBox, x: float, y: float) -> Iterator[Sexp]:
    place = footprints.footprint(part.type)
    about = {
        "Reference": part.ref, "Value": part.type.value, "Footprint": place.id if place else "", "Datasheet": "",
        **fields(part.type),
    }  # fmt: skip
    yield _instance(circuit, part.ref, box.name, x, y, about, box.half_height, pins=list(box.pins), bom=True,
                    on_board=place is not None, shown=("Reference", "Value"))  # fmt: skip
    for number, (name, _kind, px, py) in box.pins.items():
        if name in part.nets:
            yield _label(circuit, part.nets[name], part.ref, number, x + px, y - py, left=px < 0)
        else:
            yield "no_connect", ("at", _mm(x + px), _mm(y - py)), _uuid(circuit.name, part.ref, number, "open")


# Board


def pads_of(item: Sexp) -> dict[str, int]:
    """How many pads of a footprint's file have each number."""
    found: dict[str, int] = {}
    for each in children(item, "pad"):
        found[word(each)] = found.get(word(each), 0) + 1
    return found


_INSTALL: Final = (
    "install kicad-footprints of Debian 13 (KiCad 9), or name the folder that has the libraries with --footprints"
)


def library_footprint(place: Footprint, libraries: Path) -> tuple[Sexp, ...]:
    """A footprint as the library has it.

    Raises:
        KicadError: it is not there, is of a KiCad whose footprints have no properties, or has other pads than those
            that pins were given.
    """
    path = libraries / f"{place.library}.pretty" / f"{place.name}.kicad_mod"
    try:
        item = parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise KicadError(f"{path}: no such footprint; {_INSTALL}") from error
    except ValueError as error:
        raise KicadError(f"{path}: {error}; it is not a footprint of KiCad 9") from error
    if not isinstance(item, tuple) or item[0] != "footprint" or pads_of(item) != place.pads:
        raise KicadError(f"{path}: its pads are {pads_of(item)}; expected {dict(place.pads)}, those of KiCad 9")
    if not any(word(each) == "Reference" for each in children(item, "property")):
        version = next((word(each) for each in children(item, "version")), "none")
        raise KicadError(
            f"{path}: its format is {version}, of a KiCad before 8, whose footprints have no property for a "
            f"part's reference; {_INSTALL}"
        )
    return item


def _extent(item: Sexp) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a footprint's courtyard, in mm."""
    xs, ys = [], []
    for shape in item:
        if not isinstance(shape, tuple) or not any(word(each) == "F.CrtYd" for each in children(shape, "layer")):
            continue
        centre = [(float(word(each, 1)), float(word(each, 2))) for each in children(shape, "center")]
        points = [
            (float(word(each, 1)), float(word(each, 2)))
            for name in ("start", "mid", "end")
            for each in children(shape, name)
        ]
        points += [
            (float(word(each, 1)), float(word(each, 2)))
            for every in children(shape, "pts")
            for each in children(every, "xy")
        ]
        if centre:
            (cx, cy), (ex, ey) = centre[0], points[0]
            radius = math.hypot(ex - cx, ey - cy)
            points = [(cx - radius, cy - radius), (cx + radius, cy + radius)]
        xs += [x for x, _ in points]
        ys += [y for _, y in points]
    if not xs:
        raise KicadError(f"{word(item)}: the footprint has no courtyard")
    return min(xs), min(ys), max(xs), max(ys)


def pad_net(part: CircuitPart, number: str) -> tuple[str, str, str]:
    """The net of a pad, and the name and KiCad's type of its pin; as KiCad names the net of an open pin."""
    for pin, kind in part.type.pins.items():
        if pad(part.type, pin) == number:
            named = "" if pin == number else f"{pin}-"
            name = part.nets.get(pin, f"unconnected-({part.ref}-{named}Pad{number})")
            return name, pin, PIN_TYPES[kind] + ("" if pin in part.nets or kind == "unused" else "+no_connect")
    raise KicadError(f"{part.ref} ({part.type.name}): no pin is at its pad {number}")


def _moved(item: tuple[Sexp, ...], x: float, y: float) -> tuple[Sexp, ...]:
    """An area of a footprint where it is on the board: alone of all items it is in the board's coordinates, to 1 nm."""
    if item[0] == "xy":
        return "xy", f"{float(word(item)) + x:.6f}", f"{float(word(item, 2)) + y:.6f}"
    return tuple(_moved(each, x, y) if isinstance(each, tuple) else each for each in item)


def _placed(
    circuit: Circuit, part: CircuitPart, place: Footprint, item: Sexp, codes: dict[str, int], x: float, y: float
) -> Sexp:
    inner: list[Sexp] = []
    shown = {"Reference": part.ref, "Value": part.type.value}
    for number, each in enumerate(item):
        if not isinstance(each, tuple) or each[0] in ("version", "generator", "generator_version", "layer"):
            continue
        if each[0] == "property":
            name = word(each)
            if name not in shown:
                continue
            each = ("property", each[1], quoted(shown[name]), *each[3:])
        elif each[0] == "pad" and word(each):
            net, pin, kind = pad_net(part, word(each))
            each = (
                *each, ("net", str(codes[net]), quoted(net)), ("pinfunction", quoted(pin)), ("pintype", quoted(kind)),
            )  # fmt: skip
        elif each[0] == "zone":
            each = _moved(each, x, y)
        if each[0] in ("property", "pad") or str(each[0]).startswith("fp_"):
            each = (
                *(part_ for part_ in each if part_[0] != "uuid"),
                _uuid(circuit.name, part.ref, "item", str(number)),
            )
        inner.append(each)
    more = {"Datasheet": "", **fields(part.type)}
    extra = [
        ("property", quoted(name), quoted(value), _at(0, 0), ("layer", '"F.Fab"'), ("hide", "yes"),
         _uuid(circuit.name, part.ref, name), ("effects", ("font", ("size", "1", "1"), ("thickness", "0.15"))))
        for name, value in more.items()
    ]  # fmt: skip
    body = [each for each in inner if each[0] not in ("descr", "tags", "property")]
    head = [each for each in inner if each[0] in ("descr", "tags", "property")]
    return (
        "footprint", quoted(place.id), ("layer", '"F.Cu"'), _uuid(circuit.name, part.ref, "footprint"), _at(x, y),
        *head, *extra, ("path", quoted(f"/{word(_uuid(circuit.name, part.ref))}")), ("sheetname", '"/"'),
        ("sheetfile", quoted(f"{circuit.name}.kicad_sch")), *body,
    )  # fmt: skip


_LAYERS: Final = (
    ("0", '"F.Cu"', "signal"), ("2", '"B.Cu"', "signal"), ("9", '"F.Adhes"', "user", '"F.Adhesive"'),
    ("11", '"B.Adhes"', "user", '"B.Adhesive"'), ("13", '"F.Paste"', "user"), ("15", '"B.Paste"', "user"),
    ("5", '"F.SilkS"', "user", '"F.Silkscreen"'), ("7", '"B.SilkS"', "user", '"B.Silkscreen"'),
    ("1", '"F.Mask"', "user"), ("3", '"B.Mask"', "user"), ("17", '"Dwgs.User"', "user", '"User.Drawings"'),
    ("19", '"Cmts.User"', "user", '"User.Comments"'), ("25", '"Edge.Cuts"', "user"), ("27", '"Margin"', "user"),
    ("31", '"F.CrtYd"', "user", '"F.Courtyard"'), ("29", '"B.CrtYd"', "user", '"B.Courtyard"'),
    ("35", '"F.Fab"', "user"), ("33", '"B.Fab"', "user"),
)  # fmt: skip
_WIDTH, _GAP, _STEP = 260.0, 2.0, 1.27


def _on_grid(value: float) -> float:
    return math.ceil(value / _STEP - 1e-9) * _STEP


def board(circuit: Circuit, libraries: Path = LIBRARIES) -> str:
    """The board: every footprint on a grid, under the title of its drawing, its pads at their nets.

    There is no track and no outline.

    Raises:
        KicadError: the libraries lack a footprint.
    """
    on_board = [part for part in circuit.parts.values() if footprints.footprint(part.type)]
    nets = dict.fromkeys(
        pad_net(part, number)[0]
        for part in on_board
        if (place := footprints.footprint(part.type))
        for number in place.pads
        if number
    )
    codes = {net: code for code, net in enumerate(sorted(nets), 1)}
    items: list[Sexp] = []
    y = 20.0
    for title, parts in by_sheet(circuit):
        font = ("effects", ("font", ("size", "2", "2"), ("thickness", "0.3")), ("justify", "left"))
        own = _uuid(circuit.name, title, "text")
        items.append(("gr_text", quoted(title), _at(20, y), ("layer", '"Cmts.User"'), own, font))
        x, low, y = 20.0, 0.0, y + 3.0
        for part in parts:
            place = footprints.footprint(part.type)
            if place is None:
                continue
            item = library_footprint(place, libraries)
            left, top, right, bottom = _extent(item)
            if x + right - left > _WIDTH:
                x, low, y = 20.0, 0.0, y + low + _GAP
            items.append(_placed(circuit, part, place, item, codes, _on_grid(x - left), _on_grid(y - top)))
            x = _on_grid(x - left) + right + _GAP
            low = max(low, bottom - top + _STEP)
        y += low + 2 * _GAP + 3.0
    return (
        text_of(
            (
                "kicad_pcb", ("version", "20241229"), *GENERATED,
                ("general", ("thickness", "1.6"), ("legacy_teardrops", "no")),
                ("paper", '"User"', _mm(_WIDTH + 40), _mm(y + 20)),
                ("title_block", ("title", quoted(circuit.title))),
                ("layers", *_LAYERS), ("setup", ("pad_to_mask_clearance", "0")),
                ("net", "0", '""'), *(("net", str(code), quoted(net)) for net, code in codes.items()),
                *items, ("embedded_fonts", "no"),
            )
        )
        + "\n"
    )  # fmt: skip


# Netlist and project


def netlist(circuit: Circuit) -> str:
    """The circuit in the form of KiCad's netlists (version E), which its board editor imports."""
    parts = sorted(circuit.parts.values(), key=lambda part: order(part.ref))
    lines = ['(export (version "E")', f"  (design (source {quoted(circuit.name)}))", "  (components"]
    lines += [f"    {line_of(_component(circuit, part))}" for part in parts]
    lines += ["  )", "  (nets"]
    for code, (net, pins) in enumerate(sorted(circuit.nets().items()), 1):
        lines.append(f"    (net (code {quoted(str(code))}) (name {quoted(net)})")
        lines += [
            f"      (node (ref {quoted(part.ref)}) (pin {quoted(pad(part.type, pin))}) (pinfunction {quoted(pin)}))"
            for part, pin in sorted(pins, key=lambda each: (order(each[0].ref), each[1]))
        ]
        lines.append("    )")
    return "\n".join([*lines, "  )", ")"]) + "\n"


def _component(circuit: Circuit, part: CircuitPart) -> Sexp:
    place = footprints.footprint(part.type)
    return (
        "comp", ("ref", quoted(part.ref)), ("value", quoted(part.type.value)),
        ("footprint", quoted(place.id if place else "")), ("description", quoted(part.type.name)),
        (
            "fields",
            *(
                ("field", ("name", quoted(name)), quoted(value))
                for name, value in fields(part.type).items()
                if name.startswith(("Manufacturer", "MPN"))
            ),
        ),
        *(() if place else (("property", ("name", '"exclude_from_board"')),)),
        ("sheetpath", ("names", '"/"'), ("tstamps", '"/"')), ("tstamps", quoted(word(_uuid(circuit.name, part.ref)))),
    )  # fmt: skip


def settings(circuit: Circuit) -> str:
    """The settings of the project: classes of nets, and no list of nets that a class has by chance."""
    default = {
        "name": "Default", "clearance": layout.CLEARANCE_MM, "track_width": layout.LEAST_MM, "via_diameter": 0.8,
        "via_drill": 0.4, "microvia_diameter": 0.3, "microvia_drill": 0.1, "diff_pair_gap": 0.25,
        "diff_pair_via_gap": 0.25, "diff_pair_width": 0.2, "bus_width": 12, "wire_width": 6, "line_style": 0,
        "pcb_color": "rgba(0, 0, 0, 0.000)", "schematic_color": "rgba(0, 0, 0, 0.000)", "priority": 2147483647,
    }  # fmt: skip
    found = layout.classes(circuit)
    own = [
        default | {"name": each.name, "clearance": each.clearance_mm, "track_width": each.width_mm, "priority": number}
        for number, each in enumerate(found)
    ]
    patterns = [{"netclass": each.name, "pattern": net} for each in found for net in each.nets]
    project = {
        "meta": {"filename": f"{circuit.name}.kicad_pro", "version": 3},
        "net_settings": {"classes": [default, *own], "meta": {"version": 4}, "netclass_patterns": patterns},
        "sheets": [[word(_uuid(circuit.name)), "Root"]],
    }
    return json.dumps(project, indent=2, ensure_ascii=False) + "\n"


_SYMBOL_TABLE: Final = """(sym_lib_table
  (version 7)
  (lib (name "feltwire")(type "KiCad")(uri "${KIPRJMOD}/feltwire.kicad_sym")(options "")(descr "parts of this board"))
)
"""


def project(circuit: Circuit, libraries: Path = LIBRARIES) -> dict[Path, str]:
    """The files of a project, by their path below a folder of projects.

    Raises:
        KicadError: the libraries lack a footprint.
    """
    folder = Path(circuit.name)
    return {
        folder / f"{circuit.name}.kicad_pro": settings(circuit),
        folder / f"{circuit.name}.kicad_sch": schematic(circuit),
        folder / f"{circuit.name}.kicad_pcb": board(circuit, libraries),
        folder / f"{circuit.name}.kicad_dru": layout.rules(circuit),
        folder / f"{circuit.name}.net": netlist(circuit),
        folder / "feltwire.kicad_sym": symbols(circuit),
        folder / "sym-lib-table": _SYMBOL_TABLE,
    }


def write(circuits: list[Circuit], folder: Path, libraries: Path = LIBRARIES) -> list[Path]:
    """Writes the projects of circuits into a folder; returns the files that were not there.

    Raises:
        KicadError: the libraries lack a footprint, or a file is there that somebody changed. Nothing is written then.
    """
    made = {folder / path: text for each in circuits for path, text in project(each, libraries).items()}
    there = [path for path, text in made.items() if path.exists() and path.read_bytes() != text.encode()]
    if there:
        raise KicadError(
            f"{there[0]}: is there, and differs: somebody may have worked on it. Name an empty folder; a change of the "
            "circuit comes into a layout by File, Import Netlist in the board editor"
        )
    new = [path for path in made if not path.exists()]
    for path in new:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[path], encoding="utf-8")
    return new
