"""Checks `[pins]` and `[links]`: is every line that the devices want wired, once, and nothing else?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from controller.configuration.declaration import said
from controller.configuration.line_use import LineUse
from controller.configuration.pins import Pin, propose, resolve, shared
from controller.configuration.problems import Finding, nearest
from controller.configuration.sections import CallBy, LinkSection, PinSection
from controller.configuration.validation import validate

CALL_LINE = "dealer_no_more_bets"
CHIP_LABELS = "pinctrl-rp1 on a Pi 5, pinctrl-bcm2711 on a Pi 4, pinctrl-bcm2835 on older ones"

_NUMBERED_PORT = re.compile(r"/dev/tty(USB|ACM)\d+\Z")


def named_by_number(chip: str) -> bool:
    """Whether a chip is named by what changes from one kernel to the next."""
    return chip.startswith(("gpiochip", "/dev/")) or chip.isdecimal()


def check_chip(chip: str | None, path: tuple[str, ...]) -> list[Finding]:
    """A chip is named by its label, never by its number."""
    if chip is None or not named_by_number(chip):
        return []
    wrong = f"{said(chip)} is a number that changes from one kernel to the next"
    return [Finding(path, wrong, f"name the chip by its label: {CHIP_LABELS}")]


def read_pins(values: Mapping[str, Any], lines: Mapping[str, Any]) -> tuple[dict[str, Pin], list[Finding]]:
    """The wires of `[pins]` that are right; `lines` is `[lines]`, as far as it can be read."""
    chip = lines.get("chip")
    if not isinstance(chip, str) or lines.get("backend") == "gpiozero" or named_by_number(chip):
        chip = None
    pins: dict[str, Pin] = {}
    findings: list[Finding] = []
    for line, value in values.items():
        section, found = _pin_section(line, value)
        findings += found
        if section is None or found:
            continue
        findings += check_chip(section.chip, ("pins", line, "chip"))
        pin, found = resolve(line, section, chip, recorded=lines.get("backend") == "capture")
        findings += found
        if pin is not None:
            pins[line] = pin
    for pin, other in shared(pins.values()):
        wrong = f"has the same wire as {other.line} ({pin_words(pin)})"
        findings.append(Finding(("pins", pin.line), wrong, "give each line a wire of its own"))
    return pins, findings


def read_links(values: Mapping[str, Any]) -> tuple[dict[str, LinkSection], list[Finding]]:
    """The ports of `[links]` that are right."""
    links: dict[str, LinkSection] = {}
    findings: list[Finding] = []
    for name, value in values.items():
        link, found = validate(value, LinkSection, ("links", name))
        findings += found
        if link is None:
            continue
        links[name] = link
        if _NUMBERED_PORT.match(link.port):
            wrong = f"{said(link.port)} changes when ports are plugged in another order"
            fix = "name it by its id: ls -l /dev/serial/by-id"
            findings.append(Finding(("links", name, "port"), wrong, fix, "warning"))
        twice = next((n for n, other in links.items() if other.port == link.port and n != name), None)
        if twice is not None:
            fix = "give each link a port of its own"
            findings.append(Finding(("links", name, "port"), f"is the port of {twice} too", fix))
    return links, findings


def with_call(uses: Mapping[str, LineUse], call: CallBy | None) -> dict[str, LineUse]:
    """The lines of a table, with the button of the call as who makes the call wants it."""
    wanted = dict(uses)
    if call == "auto":
        wanted.pop(CALL_LINE, None)
    elif CALL_LINE in wanted:
        wanted[CALL_LINE] = wanted[CALL_LINE]._replace(required=call == "button")
    return wanted


def check_names(pins: Iterable[str], links: Iterable[str], uses: Mapping[str, LineUse]) -> list[Finding]:
    """Each entry of `[pins]` and `[links]` must be a line of a device, and of that kind."""
    findings: list[Finding] = []
    for line in pins:
        kind = uses[line].kind if line in uses else None
        if kind is None:
            findings.append(_unknown("pins", line, [n for n, use in uses.items() if use.kind != "link"]))
        elif kind == "analogue":
            wrong = "is an analogue reading, which no GPIO can take"
            findings.append(Finding(("pins", line), wrong, "remove it; a board will read it"))
        elif kind == "link":
            fix = f'write it in [links]: {line} = {{ port = "/dev/serial/by-id/..." }}'
            findings.append(Finding(("pins", line), "is a serial link, not a pin", fix))
    for link in links:
        if link not in uses or uses[link].kind != "link":
            findings.append(_unknown("links", link, [n for n, use in uses.items() if use.kind == "link"]))
    return findings


def check_complete(given: Iterable[str], pins: Mapping[str, Pin], uses: Mapping[str, LineUse]) -> list[Finding]:
    """With real wires, each line that a device needs must be wired; `given` are the entries, right or wrong."""
    given = list(given)
    missing = [line for line, use in uses.items() if use.required and line not in given]
    misspelt = {nearest(line, missing) for line in given if line not in uses}
    proposal = propose((line for line in missing if uses[line].kind in {"input", "output"}), pins)
    findings: list[Finding] = []
    for line in missing:
        if line in misspelt:
            continue
        use = uses[line]
        section = "links" if use.kind == "link" else "pins"
        wrong = f"is not wired, and a table with real wires needs it ({use.purpose})"
        if use.kind == "analogue":
            fix = "turn it off in the device's section: no GPIO can take an analogue reading"
        elif use.kind == "link":
            fix = f'add {line} = {{ port = "/dev/serial/by-id/..." }} to [links]'
        elif line in proposal:
            fix = f"choose a pin; free is {line} = {{ gpio = {proposal[line].gpio} }}"
        else:
            fix = "free a pin of the header for it"
        findings.append(Finding((section, line), wrong, fix, missing=True))
    return findings


def pin_words(pin: Pin) -> str:
    """A wire in words: `GPIO17, header pin 11`."""
    if pin.header is not None:
        return f"GPIO{pin.gpio}, header pin {pin.header}"
    place = pin.name if pin.gpio is None else f"offset {pin.gpio}"
    return f"{place} of {pin.chip}"


def _pin_section(line: str, value: object) -> tuple[PinSection | None, list[Finding]]:
    path = ("pins", line)
    if isinstance(value, int) and not isinstance(value, bool):
        fix = f"write {{ gpio = {said(value)} }} or {{ header = {said(value)} }}: the numbers differ"
        return None, [Finding(path, "a bare number can be either a GPIO or a pin", fix)]
    if not isinstance(value, dict):
        return None, [Finding(path, f"is {said(value)}, and a wire was expected", "write it as { gpio = 17 }")]
    return validate(value, PinSection, path)


def _unknown(section: str, line: str, known: list[str]) -> Finding:
    near = nearest(line, known)
    fix = f'did you mean "{near}"?' if near else f"the devices of this table have {', '.join(sorted(known)) or 'none'}"
    noun = "line" if section == "pins" else "link"
    return Finding((section, line), f"no device of this table has such a {noun}", fix)
