"""The projects of KiCad: every pin of a circuit is at its net once, in schematic, board and netlist.

The files are read by their geometry, as KiCad does; the libraries are made from the table of pads. KiCad itself, with
its own libraries, reads them in `make systems SYSTEMS=kicad`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.hardware import kicad, layout
from firmware.hardware import parts as p
from firmware.hardware.boards import APART, BOARDS, NAMES, PICO_BOARDS, circuit
from firmware.hardware.circuit import GND, Circuit
from firmware.hardware.footprints import Footprint, footprint, pad
from firmware.hardware.sexp import Sexp, children, parse, text_of, word
from tests.shares import first_of

Pins = Counter[tuple[str, str, str]]
"""Reference, pad, net."""
TYPES = {part.type.name: part.type for name in NAMES for part in circuit(name).parts.values()}
PLACES = {place.id: place for type_ in TYPES.values() if (place := footprint(type_))}

AREA = ((1.0, 2.0), (3.469895, 2.0), (3.0, 4.0))
"""An area of each footprint, in its own coordinates."""


def _library_file(place: Footprint) -> str:
    pads = [number for number, holes in place.pads.items() for _ in range(holes)]
    holes = "".join(
        f'(pad "{number}" thru_hole circle (at {2.54 * n} 0) (size 1.6 1.6) (drill 0.8) (layers "*.Cu"))'
        for n, number in enumerate(pads)
    )
    named = '(property "Reference" "REF**" (at 0 0)) (property "Value" "VAL" (at 0 1))'
    outline = f'(fp_rect (start -2 -2) (end {2.54 * len(pads)} 2) (layer "F.CrtYd"))'
    corners = " ".join(f"(xy {x} {y})" for x, y in AREA)
    area = f'(zone (net 0) (layer "F.Cu") (polygon (pts {corners})))'
    return f'(footprint "{place.name}" (version 20241229) (layer "F.Cu") {named} {outline} {holes} {area})'


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("footprints")
    for place in PLACES.values():
        path = folder / f"{place.library}.pretty" / f"{place.name}.kicad_mod"
        path.parent.mkdir(exist_ok=True)
        path.write_text(_library_file(place))
    return folder


def _place(item: Sexp) -> tuple[float, float]:
    at = next(children(item, "at"))
    return float(word(at, 1)), float(word(at, 2))


def _near(x: float, y: float) -> tuple[int, int]:
    return round(x * 100), round(y * 100)


def _first(item: Sexp, *names: str) -> Sexp:
    for name in names:
        item = next(children(item, name))
    return item


def _reference(item: Sexp) -> str:
    return next(word(each, 2) for each in children(item, "property") if word(each) == "Reference")


def schematic_pins(text: str) -> tuple[Pins, set[tuple[str, str]]]:
    """The pins at their nets, and those that are marked as open: by where they end."""
    item = parse(text)
    symbols = {
        word(symbol): [
            (word(_first(pin, "number")), *_place(pin))
            for unit in children(symbol, "symbol")
            for pin in children(unit, "pin")
        ]
        for symbol in children(_first(item, "lib_symbols"), "symbol")
    }
    ends: dict[tuple[int, int], tuple[str, str]] = {}
    for each in children(item, "symbol"):
        x, y = _place(each)
        for number, px, py in symbols[word(_first(each, "lib_id"))]:
            end = _near(x + px, y - py)
            assert end not in ends, f"two pins at {end}"
            ends[end] = _reference(each), number
    flags = {ref for ref, _ in ends.values() if ref.startswith("#")}
    pins: Pins = Counter()
    for label in children(item, "global_label"):
        ref, number = ends[_near(*_place(label))]
        if ref not in flags:
            pins[ref, number, word(label)] += 1
    return pins, {ends[_near(*_place(each))] for each in children(item, "no_connect")}


def board_pins(text: str) -> Pins:
    """The pads at their nets; those of one number count once."""
    found: Pins = Counter()
    for place in children(parse(text), "footprint"):
        ref = _reference(place)
        pads = {(word(each), word(_first(each, "net"), 2)) for each in children(place, "pad") if word(each)}
        found.update((ref, number, net) for number, net in pads if not net.startswith("unconnected-("))
    return found


def netlist_pins(text: str) -> Pins:
    found: Pins = Counter()
    for net in children(_first(parse(text), "nets"), "net"):
        for node in children(net, "node"):
            found[word(_first(node, "ref")), word(_first(node, "pin")), word(_first(net, "name"))] += 1
    return found


def wanted(each: Circuit) -> Pins:
    return Counter((ref, pad(each.parts[ref].type, pin), net) for ref, pin, net in each.joints())


@pytest.mark.parametrize("name", [*BOARDS, *APART, *first_of(1, [*PICO_BOARDS][::-1])])
def test_every_pin_is_at_its_net_once_in_schematic_board_and_netlist(name: str, libraries: Path) -> None:
    each = circuit(name)
    pins, opened = schematic_pins(kicad.schematic(each))
    assert pins == wanted(each)
    assert opened == {(ref, pad(part.type, pin)) for ref, part in each.parts.items() for pin in part.open_pins} | {
        (ref, pad(part.type, pin))
        for ref, part in each.parts.items()
        for pin, kind in part.type.pins.items()
        if kind == "unused"
    }
    assert netlist_pins(kicad.netlist(each)) == wanted(each)
    panel = {ref for ref, part in each.parts.items() if footprint(part.type) is None}
    assert board_pins(kicad.board(each, libraries)) == Counter({pin: 1 for pin in wanted(each) if pin[0] not in panel})


def _without_a_net(text: str) -> str:
    item = parse(text)
    return text_of(tuple(each for each in item if each[:2] != ("global_label", '"led_1"')))


def _joined(text: str) -> str:
    return text.replace('"led_1"', '"led_2"')


def _exchanged(text: str) -> str:
    return text.replace('"line_1"', '"?"').replace('"zero_1"', '"line_1"').replace('"?"', '"zero_1"')


@pytest.mark.parametrize("mistake", [_without_a_net, _joined, _exchanged])
def test_a_mistake_in_a_schematic_is_found(mistake: Callable[[str], str]) -> None:
    each = circuit("opto-12v")
    assert schematic_pins(mistake(kicad.schematic(each)))[0] != wanted(each)


@pytest.mark.parametrize("mistake", [_joined, _exchanged])
def test_a_mistake_on_a_board_is_found(mistake: Callable[[str], str], libraries: Path) -> None:
    each = circuit("opto-12v")
    assert board_pins(mistake(kicad.board(each, libraries))) != wanted(each)


@pytest.mark.parametrize("name", TYPES)
def test_the_pins_of_a_part_are_the_pads_of_its_footprint(name: str) -> None:
    type_ = TYPES[name]
    pads = [pad(type_, pin) for pin in type_.pins]
    place = footprint(type_)
    assert len(set(pads)) == len(pads)
    assert place is None or set(pads) == set(place.pads) - {""}


def test_both_order_numbers_of_every_part_are_its_fields(libraries: Path) -> None:
    each = circuit("lamp-tile")
    items = {
        "symbol": parse(kicad.schematic(each)),
        "footprint": parse(kicad.board(each, libraries)),
    }
    for kind, item in items.items():
        seen = {
            _reference(one): {word(field): word(field, 2) for field in children(one, "property")}
            for one in children(item, kind)
        }
        for ref, part in each.parts.items():
            assert [seen[ref]["MPN"], seen[ref]["MPN 2"]] == [source.number for source in part.type.sources]
            assert seen[ref]["Manufacturer 2"] == part.type.sources[1].maker


@pytest.mark.parametrize("name", NAMES)
def test_a_schematic_has_no_identity_twice(name: str) -> None:
    found = re.findall(r'\(uuid "([^"]+)"\)', kicad.schematic(circuit(name)))
    assert len(found) == len(set(found)) > 50


@pytest.mark.parametrize("layout", [b"a layout of a month", b'(title "R\xfccklauf")'], ids=["UTF-8", "Latin-1"])
def test_projects_are_written_once_and_a_layout_is_not_written_over(
    layout: bytes, libraries: Path, tmp_path: Path
) -> None:
    each = circuit("keypad")
    new = kicad.write([each], tmp_path, libraries)
    assert {path.suffix for path in new} >= {".kicad_pro", ".kicad_sch", ".kicad_pcb", ".kicad_dru", ".net"}
    assert kicad.write([each], tmp_path, libraries) == []
    board = tmp_path / "keypad" / "keypad.kicad_pcb"
    (tmp_path / "keypad" / "keypad.net").unlink()
    board.write_bytes(layout)
    with pytest.raises(kicad.KicadError, match=r"keypad\.kicad_pcb: is there, and differs"):
        kicad.write([each], tmp_path, libraries)
    assert board.read_bytes() == layout
    assert not (tmp_path / "keypad" / "keypad.net").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such footprint; install kicad-footprints"),
        ('(footprint "DIP-4_W7.62mm" (layer', "a parenthesis is not closed; it is not a footprint of KiCad 9"),
        ('(footprint "DIP-4_W7.62mm" (pad "1" thru_hole circle))', "its pads are {'1': 1}; expected"),
        # Debian 12's kicad-footprints 6.0.11.
        (
            '(footprint "DIP-4_W7.62mm" (version 20211014) (fp_text reference "REF**" (at 0 0)) '
            + "".join(f'(pad "{number}" thru_hole circle)' for number in range(1, 5))
            + ")",
            "its format is 20211014, of a KiCad before 8",
        ),
    ],
)
def test_a_library_of_another_kicad_is_refused(text: str | None, message: str, tmp_path: Path) -> None:
    place = footprint(p.OPTO)
    assert place is not None
    if text is not None:
        path = tmp_path / f"{place.library}.pretty" / f"{place.name}.kicad_mod"
        path.parent.mkdir()
        path.write_text(text)
    with pytest.raises(kicad.KicadError, match=re.escape(message)):
        kicad.library_footprint(place, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_a_net_is_in_one_class_and_the_project_names_each(name: str) -> None:
    each = circuit(name)
    nets = [net for one in layout.classes(each) for net in one.nets]
    assert len(nets) == len(set(nets))
    assert set(nets) <= set(each.nets())
    assert GND not in nets or "opto" in name
    patterns = json.loads(kicad.settings(each))["net_settings"]["netclass_patterns"]
    assert sorted(one["pattern"] for one in patterns) == sorted(nets)


def test_a_track_bears_what_its_fuse_bears() -> None:
    widths = {one.name: one.width_mm for one in layout.classes(circuit("pusher"))}
    # IPC-2221, 20 K above the board, 35 µm: 6 A want 2.33 mm, 3 A 0.90 mm, 12 A 6.07 mm.
    assert widths["behind 4 A"] == 2.4
    assert widths["behind 2 A"] == 0.9
    assert widths["12 V in"] == 6.1
    motor = next(one for one in layout.classes(circuit("pusher")) if one.name == "behind 4 A")
    assert {"+12V_MOTOR", "motor_drain", "motor_source", "hopper_plus", "hopper_minus"} <= set(motor.nets)


def test_what_leaves_a_board_keeps_the_clearance_of_12_v() -> None:
    for name in ("wheel", "table", "reel", "pusher"):
        each = circuit(name)
        wide = {net for one in layout.classes(each) if one.clearance_mm >= 0.6 for net in one.nets}
        assert layout.leaves_board(each) <= wide


@pytest.mark.parametrize("name", ["opto-12v", "opto-24v"])
def test_the_sides_of_an_adapter_are_apart(name: str) -> None:
    sides = {one.name: set(one.nets) for one in layout.classes(circuit(name))}
    assert not sides["sensors side"] & sides["board side"]
    assert sides["sensors side"] | sides["board side"] == set(circuit(name).nets())
    assert "(constraint clearance (min 3mm))" in layout.rules(circuit(name))


def test_an_area_of_a_footprint_is_where_the_footprint_is(libraries: Path) -> None:
    """As KiCad has it: of a footprint on a board, its areas alone are in the board's coordinates."""
    board = parse(kicad.board(circuit("opto-12v"), libraries))
    for item in children(board, "footprint"):
        x, y = _place(item)
        (points,) = (pts for zone in children(item, "zone") for each in children(zone, "polygon") for pts in each[1:])
        found = [(float(word(xy)), float(word(xy, 2))) for xy in children(points, "xy")]
        assert found == [pytest.approx((x + dx, y + dy), abs=1e-6) for dx, dy in AREA]
