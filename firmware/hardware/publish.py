"""Writes what is derived from the circuits: drawings, netlists, pages with parts and joints, test sheets.

python -m firmware.hardware            writes it
python -m firmware.hardware --figures  simulates, and writes the figures on docs/boards-carrier.md (needs ngspice)
python -m firmware.hardware --check    exit status 1 when a file differs from the circuits
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from firmware.hardware import cables, drawing, field, kicad, layout, listing, sheets, steppers
from firmware.hardware.blocks import V12_LOAD, CarrierBoard
from firmware.hardware.boards import BOARDS, NAMES, circuit
from firmware.hardware.circuit import OrderNumber
from firmware.hardware.controllers import PICO

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = Path("docs/hardware")
SHEETS: Final = Path("controller/boards/sheets")
WIRING: Final = Path("simulators/board/wiring.py")
"""What the emulated boards' inputs read; made by simulation."""


def files() -> dict[Path, str]:
    """Every file that is made, by its path below the root."""
    made: dict[Path, str] = {}
    for name in NAMES:
        each = circuit(name)
        for sheet in each.sheets:
            made[PAGES / "drawings" / f"{name}-{sheet.name}.svg"] = drawing.svg(each, sheet)
        made[PAGES / "netlists" / f"{name}.net"] = kicad.netlist(each)
        made[PAGES / f"{name}.md"] = page(name)
        if isinstance(each, CarrierBoard):
            made[SHEETS / f"{name}.toml"] = sheets.toml(each)
    return made


def stale() -> list[Path]:
    """Files that differ from the circuits, are missing, or are there without a circuit."""
    made = files()
    found = [path for path, text in made.items() if not _same(ROOT / path, text)]
    for folder, pattern in ((PAGES, "**/*.*"), (SHEETS, "*.toml")):
        found += [
            path.relative_to(ROOT)
            for path in (ROOT / folder).glob(pattern)
            if path.is_file() and path.relative_to(ROOT) not in made
        ]
    return sorted(set(found))


def write_figures() -> None:
    """Simulates all circuits; writes what the emulator feeds, and the figures on the pages of the boards."""
    from firmware.hardware import figures, pico_figures, wiring

    lines = {name: wiring.lines_of(build()) for name, build in BOARDS.items()}
    (ROOT / WIRING).write_text(wiring.module(lines), encoding="utf-8")

    for page_name, found in (("boards-carrier.md", figures.figures()), ("boards-pico.md", pico_figures.figures())):
        path, table = ROOT / "docs" / page_name, figures.table(found)
        begin, end = "<!-- figures: circuits -->\n", "<!-- end -->"
        before, rest = path.read_text(encoding="utf-8").split(begin)
        path.write_text(before + begin + table + rest[rest.index(end) :], encoding="utf-8")


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def write() -> list[Path]:
    """Writes what differs; returns which files."""
    changed = stale()
    made = files()
    for path in changed:
        target = ROOT / path
        if path in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(made[path], encoding="utf-8")
        else:
            target.unlink()
    return changed


def _source(source: OrderNumber) -> str:
    return f"{source.maker} {source.number} ({source.checked})"


def _figures_of(device: field.FieldItem) -> str:
    return f"Figures of the {device.name.split(',')[0].split(':')[0]}"


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9-]", "", title.lower().replace(" ", "-"))


def _needs(device: field.FieldItem) -> list[str]:
    """What a buyer of a device compares, and which products are known."""
    if not device.needs:
        return []
    lines = [f"### {_figures_of(device)}", "", "| figure | must be | for |", "|---|---|---|"]
    lines += [f"| {need.what} | {need.must} | {need.why} |" for need in device.needs]
    lines += ["", "Known, and not tried with a board:", ""]
    lines += [f"- {_source(known.source)}: {known.fits}." for known in device.known]
    return [*lines, ""]


def page(name: str) -> str:
    """The page of a circuit: drawings, parts to order, wires, joints."""
    each = circuit(name)
    kind = each.kind if isinstance(each, CarrierBoard) else name
    pico = isinstance(each, CarrierBoard) and each.controller is PICO
    around = listing.ASSEMBLIES.get(kind, {})
    figures = "boards-pico.md" if pico else "boards-carrier.md"
    lines = [
        f"# {each.title}",
        "",
        "Made from `firmware/hardware` by `python -m firmware.hardware`; change the circuit, not this page. How the "
        f"circuits were tested, and what the figures are: [{figures}](../{figures}).",
        "",
    ]
    if pico:
        lines += [
            "Its module is a Raspberry Pi Pico, whose pins bear 3.3 V and no more "
            "([boards-pico.md](../boards-pico.md#its-carrier-boards)). **Nobody has built it.**",
            "",
        ]
    if around:
        parts = ", ".join(f"{count} × [{other}]({other}.md)" for other, count in around.items())
        lines += [f"Besides the carrier board: {parts}.", ""]
    lines += ["## Drawings", ""]
    for sheet in each.sheets:
        lines += [f"### {sheet.title}", "", f"![{sheet.title}](drawings/{name}-{sheet.name}.svg)", ""]
    lines += [f"Netlist: [{name}.net](netlists/{name}.net).", ""]
    lines += ["## Parts to order", ""]
    assemblies = [("", each, 1), *((other, circuit(other), count) for other, count in around.items())]
    lines += ["| count | part | package | source 1 | source 2 | where |", "|---|---|---|---|---|---|"]
    for line in listing.bill(assemblies):
        first, second = line.type.sources
        note = f" ({line.type.note})" if line.type.note else ""
        lines.append(
            f"| {line.count} | {line.type.name}{note} | {line.type.package} | {_source(first)} | {_source(second)} "
            f"| {line.places} |"
        )
    lines += ["", "No shop was asked: these are manufacturers' numbers, and beside each is how it was checked.", ""]
    lines += [
        "Not in the list: the circuit board itself, one for each assembly. It is printed from a layout of your own "
        "([printed board](#printed-board)), or one of isolated holes, 2.54 mm apart, that is wired by hand.",
        "",
    ]
    if name in field.DEVICES:
        lines += ["Around the board:", "", "| count | what | where | sources |", "|---|---|---|---|"]
        for device in field.DEVICES[name]:
            sources = "; ".join(map(_source, device.sources)) or f"[by its figures](#{_anchor(_figures_of(device))})"
            lines.append(f"| {device.count} | {device.name} | {device.where} | {sources} |")
        lines.append("")
        for device in field.DEVICES[name]:
            lines += _needs(device)
    if each.work:
        lines += [
            "## Work on bought modules",
            "",
            *(f"{number}. {text}" for number, text in enumerate(each.work, 1)),
            "",
        ]
    if kind == "reel":
        lines += steppers.page()
    wires = listing.field_wires(each)
    if wires:
        lines += ["## Wires that leave the board", "", "| terminal | colour | goes to | net |", "|---|---|---|---|"]
        lines += [f"| {ref}.{pin} | {colour} | {to} | `{net}` |" for ref, pin, colour, to, net in wires]
        lines.append("")
        once = {net for net, feed in each.inductive.items() if feed == V12_LOAD}
        switched = {net for _, _, _, to, net in wires if "−" in to}
        if switched & once or (switched and not isinstance(each, CarrierBoard)):
            lines += [
                "**No − wire of a lamp or an alarm of this table may touch 0 V: that switches it on without a command"
                "** ([what the board cannot prevent](../boards-carrier.md#motors-lamps-and-their-wires)).",
                "",
            ]
        if isinstance(each, CarrierBoard) and switched - once:
            lines += [
                "A motor of this table is switched at both wires: one of them at 0 V or at 12 V starts nothing "
                "([how](../boards-carrier.md#motors-lamps-and-their-wires)).",
                "",
            ]
    if isinstance(each, CarrierBoard):
        lines += cables.page(each)
    lines += layout.page(each)
    lines += [
        "## Joints",
        "",
        "Every net, and the pins that are soldered together there.",
        "",
        "| net | pins |",
        "|---|---|",
    ]
    lines += [f"| `{net}` | {', '.join(pins)} |" for net, pins in listing.joints(each)]
    left = listing.open_pins(each)
    if left:
        lines += ["", f"Left open on purpose: {', '.join(left)}."]
    if isinstance(each, CarrierBoard):
        chip = " --chip rp2040" if pico else ""
        lines += [
            "",
            "## Test sheet",
            "",
            f"`feltwire boards check PORT --sheet FILE --kind {kind}{chip}` walks through it and signs the report "
            "([flash and check](../boards-carrier.md#the-test-sheet)).",
            "",
            "| step | do | expected |",
            "|---|---|---|",
        ]
        lines += [f"| {step.title} | {step.action} | {step.expected} |" for step in sheets.steps(each)]
    return "\n".join(lines) + "\n"
