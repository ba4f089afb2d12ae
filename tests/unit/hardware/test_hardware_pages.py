"""A technician with the page alone: every part to order has its place, and every joint can be made.

Nothing of the circuits is imported: what is read is what is printed.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = sorted((DOCS / "hardware").glob("*.md"))
PIN = re.compile(r"(?P<ref>[A-Z]+\d+)\.(?P<pin>[^ ,(]+)(?: \((?P<name>[^)]+)\))?")


SEMICONDUCTOR = re.compile(r"[UQ]\d+")


class Page(NamedTuple):
    """What a page lists."""

    places: dict[str, str]
    """Each part on this board, and what it is."""
    counts: dict[str, int]
    joints: dict[str, list[tuple[str, str]]]
    names: dict[str, list[str]]
    """The names of the chips' and transistors' pins at each net."""
    wires: dict[tuple[str, str], str]
    open: set[tuple[str, str]]
    drawings: list[Path]


def _table(text: str, title: str) -> list[list[str]]:
    found = re.search(rf"^## {title}\n(?P<part>.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    first = found["part"].split("\n\n| count | what ")[0]
    rows = [line.strip("|").split("|") for line in first.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def _refs(places: str) -> list[str]:
    found: list[str] = []
    for part in places.split(", "):
        if "–" in part:
            first, last = part.split("–")
            letter = first.rstrip("0123456789")
            found += [f"{letter}{n}" for n in range(int(first[len(letter) :]), int(last[len(letter) :]) + 1)]
        else:
            found.append(part)
    return found


def read(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    places: dict[str, str] = {}
    counts: dict[str, int] = {}
    for count, name, _package, first, second, where in _table(text, "Parts to order"):
        own = [each for each in where.split("; ") if ": " not in each]
        others = [each.split(": ") for each in where.split("; ") if ": " in each]
        refs = [ref for each in own for ref in _refs(each)]
        further = sum(int((each[0].split(" × ")[:-1] or ["1"])[0]) * len(_refs(each[1])) for each in others)
        assert int(count) == len(refs) + further, name
        assert first and second and first != second
        for ref in refs:
            assert ref not in places
            places[ref] = name
        counts[name] = int(count)
    joints = {
        net.strip("`"): [(pin["ref"], pin["pin"]) for pin in PIN.finditer(pins)] for net, pins in _table(text, "Joints")
    }
    names = {
        net.strip("`"): [pin["name"] or pin["pin"] for pin in PIN.finditer(pins) if SEMICONDUCTOR.fullmatch(pin["ref"])]
        for net, pins in _table(text, "Joints")
    }
    wires: dict[tuple[str, str], str] = {}
    if "## Wires that leave the board" in text:
        for terminal, colour, to, net in _table(text, "Wires that leave the board"):
            ref, pin = terminal.split(".")
            assert colour and to
            wires[ref, pin] = net.strip("`")
    left = re.search(r"^Left open on purpose: (?P<pins>.*)\.$", text, re.MULTILINE)
    opened = {(pin["ref"], pin["pin"]) for pin in PIN.finditer(left["pins"])} if left else set()
    drawings = [path.parent / target for target in re.findall(r"!\[[^]]*\]\((drawings/[^)]+)\)", text)]
    return Page(places, counts, joints, names, wires, opened, drawings)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_part_is_joined_and_every_joint_is_of_a_part(path: Path) -> None:
    page = read(path)
    joined = Counter(pin for pins in page.joints.values() for pin in pins)
    assert {ref for ref, _ in joined} == set(page.places)
    assert [pin for pin, count in joined.items() if count != 1] == []
    assert not page.open & set(joined)
    for net, pins in page.joints.items():
        assert len(pins) >= 2, net


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_part_of_two_wires_has_both_and_a_resistor_is_not_bridged(path: Path) -> None:
    page = read(path)
    nets: dict[str, list[str]] = {}
    for net, pins in page.joints.items():
        for ref, _ in pins:
            nets.setdefault(ref, []).append(net)
    two = ("resistor", "capacitor", "fuse", "shunt", "1N", "Zener", "TVS", "push button", "pin header")
    for ref, name in page.places.items():
        if any(word in name for word in two):
            assert len(nets[ref]) == 2, (ref, name)
            assert nets[ref][0] != nets[ref][1], (ref, name, "both ends at one net")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_terminal_has_a_wire_with_a_colour_and_an_end(path: Path) -> None:
    page = read(path)
    terminals = {ref for ref, name in page.places.items() if "terminals" in name}
    joined = {(ref, pin): net for net, pins in page.joints.items() for ref, pin in pins if ref in terminals}
    assert {pin: net for pin, net in page.wires.items() if pin[0] in terminals} == joined


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_part_and_every_terminal_is_on_a_drawing(path: Path) -> None:
    page = read(path)
    assert page.drawings
    shown = " ".join(re.sub(r"<[^>]+>", " ", drawing.read_text(encoding="utf-8")) for drawing in page.drawings)
    words = set(re.findall(r"[A-Z]+\d+", shown))
    assert set(page.places) <= words


@pytest.mark.parametrize("kind", ["wheel", "pusher"])
def test_supply_ground_and_emergency_stop_are_not_shorted(kind: str) -> None:
    page = read(DOCS / "hardware" / f"{kind}.md")
    at = {pin: net for net, pins in page.joints.items() for pin in pins}
    rails = [net for net in page.joints if net.startswith("+") or net == "GND"]
    assert len(rails) >= 6
    for ref, name in page.places.items():
        if "fuse" in name:
            ends = {net for (part, _), net in at.items() if part == ref}
            assert "GND" not in ends
    if kind == "pusher":
        fed = {net for (ref, _), net in at.items() if "emergency stop" in page.places[ref]}
        assert "GND" not in fed
        assert "+12V_MOTOR" not in fed  # the button's contacts feed the coils, the relays' the motors
        assert sum("power relay" in page.places[ref] for ref, _ in page.joints["MOTOR_K1"]) == 2


# The lists against the netlist, which goes to whoever lays out a board


class Netlist(NamedTuple):
    """What a netlist has, as read from its file."""

    parts: set[str]
    joints: dict[str, set[tuple[str, str]]]


def netlist(name: str) -> Netlist:
    text = (DOCS / "hardware" / "netlists" / f"{name}.net").read_text(encoding="utf-8")
    joints: dict[str, set[tuple[str, str]]] = {}
    for net, nodes in re.findall(r'\(net \(code "\d+"\) \(name "([^"]+)"\)((?:\s*\(node [^\n]*)*)', text):
        pins = re.findall(r'\(node \(ref "([^"]+)"\) \(pin "([^"]+)"\) \(pinfunction "([^"]+)"\)', nodes)
        # What is printed at a diode, a capacitor and a driver is the name; a board's pads have numbers.
        joints[net] = {(ref, name if ref[0] in "ACD" else number) for ref, number, name in pins}
    return Netlist(set(re.findall(r'\(comp \(ref "([^"]+)"\)', text)), joints)


RAIL = re.compile(r"\+\d+V.*|GND")
OUTPUT = re.compile(r"\dY|VOUT|PFO|RESET")
CONDUCTS = ("resistor", "shunt", "fuse")


def _held(page: Page) -> set[str]:
    """The nets with a level of their own while all plugs are out and the module is in reset."""
    island = {net: net for net in page.joints}

    def root(net: str) -> str:
        while island[net] != net:
            net = island[net]
        return net

    ends: dict[str, list[str]] = {}
    for net, pins in page.joints.items():
        for ref, _ in pins:
            ends.setdefault(ref, []).append(net)
    for ref, nets in ends.items():
        if any(word in page.places.get(ref, "") for word in CONDUCTS) and len(nets) == 2:
            island[root(nets[0])] = root(nets[1])
    levels = {
        root(net) for net, names in page.names.items() if RAIL.fullmatch(net) or any(map(OUTPUT.fullmatch, names))
    }
    return {net for net in page.joints if root(net) in levels}


def findings(page: Page, made: Netlist) -> list[str]:
    """What a technician would build wrong by these lists."""
    found = [f"part {ref}: only in one list" for ref in sorted(set(page.places) ^ made.parts)]
    at = {pin: net for net, pins in page.joints.items() for pin in pins}
    planned = {pin: net for net, pins in made.joints.items() for pin in pins}
    for ref, pin in sorted(set(at) | set(planned)):
        if at.get((ref, pin)) != planned.get((ref, pin)):
            found.append(f"{ref}.{pin}: {at.get((ref, pin))} on the page, {planned.get((ref, pin))} in the netlist")
    held = _held(page)
    for (ref, pin), net in sorted(at.items()):
        if SEMICONDUCTOR.fullmatch(ref) and net not in held and not _switched(page, net):
            found.append(f"{ref}.{pin}: {net} floats")
    return found


def _switched(page: Page, net: str) -> bool:
    """Whether no input of a chip and no gate or base is at a net: a transistor's output, the bank."""
    return not any(re.fullmatch(r"\dA|[GB]|[DA]\d+|SDA|SCL|WP|PFI", name) for name in page.names[net])


@pytest.mark.parametrize("kind", ["wheel", "pusher"])
def test_the_lists_are_those_of_the_netlist_and_nothing_is_short_open_or_missing(kind: str) -> None:
    assert findings(read(DOCS / "hardware" / f"{kind}.md"), netlist(kind)) == []


def _without_part(page: Page) -> None:
    del page.places["C30"]


def _bridged(page: Page) -> None:
    page.joints["motor_gate"] += page.joints.pop("motor_source")


def _forgotten_joint(page: Page) -> None:
    page.joints["win_a_wire"].remove(("R7", "1"))


def _forgotten_pull_up(page: Page) -> None:
    page.joints["fram data"].remove(("R84", "1"))


MISTAKES = {
    "part C30: only in one list": _without_part,
    "Q8.3: motor_gate on the page, motor_source in the netlist": _bridged,
    "R7.1: None on the page, win_a_wire in the netlist": _forgotten_joint,
    "U6.5: fram data floats": _forgotten_pull_up,
}


@pytest.mark.parametrize("finding", MISTAKES)
def test_a_mistake_in_the_lists_is_found(finding: str) -> None:
    page = read(DOCS / "hardware" / "pusher.md")
    MISTAKES[finding](page)
    assert finding in findings(page, netlist("pusher"))


def test_the_page_of_boards_leads_to_every_page() -> None:
    text = (DOCS / "boards-carrier.md").read_text(encoding="utf-8")
    for path in PAGES:
        assert f"(hardware/{path.name})" in text
