"""Checks the wires against the devices: is every line that they want wired, once, rightly, and nothing else?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from controller.configuration.board_places import check_own_places, wrong_kinds
from controller.configuration.board_sections import BoardSection
from controller.configuration.line_use import LineUse
from controller.configuration.pins import Pin, propose
from controller.configuration.problems import Finding, nearest
from controller.configuration.sections import CallBy
from controller.configuration.terminals import Terminal, check_sides, find_place, place_named, propose_terminals
from controller.configuration.wire_sections import BOARD, Wires
from hal.board.messages import KINDS
from hal.output_guard import MOVING

CALL_LINE: Final = "dealer_no_more_bets"


def with_call(uses: Mapping[str, LineUse], call: CallBy | None) -> dict[str, LineUse]:
    """The lines of a table, with the button of the call as who makes the call wants it."""
    wanted = dict(uses)
    if call == "auto":
        wanted.pop(CALL_LINE, None)
    elif CALL_LINE in wanted:
        wanted[CALL_LINE] = wanted[CALL_LINE]._replace(required=call == "button")
    return wanted


def check_names(pins: Iterable[str], links: Iterable[str], uses: Mapping[str, LineUse]) -> list[Finding]:
    """Each entry of `[pins]` and `[links]` must be a line of a device, and not of the other section."""
    findings: list[Finding] = []
    for line in pins:
        kind = uses[line].kind if line in uses else None
        if kind is None:
            findings.append(_unknown("pins", line, [n for n, use in uses.items() if use.kind != "link"]))
        elif kind == "link":
            fix = f'write it in [links]: {line} = {{ port = "/dev/serial/by-id/..." }}'
            findings.append(Finding(("pins", line), "is a serial link, not a pin", fix))
    for link in links:
        if link not in uses or uses[link].kind != "link":
            findings.append(_unknown("links", link, [n for n, use in uses.items() if use.kind == "link"]))
    return findings


def check_places(wires: Wires, uses: Mapping[str, LineUse]) -> list[Finding]:
    """Each line must be where it can be read or driven: what is analogue or moves is on a board."""
    lines = {**wires.terminals, **wires.unplaced}
    kinds, findings = wrong_kinds(lines, wires.boards, uses)
    there = {line: one for line, one in lines.items() if one.board not in kinds or not _needs(one, uses, kinds)}
    findings += check_own_places(there, wires.boards, uses)
    findings += check_sides({line: one for line, one in wires.terminals.items() if line in there}, wires.boards, uses)
    findings += _check_contacts(wires.pins, uses)
    for line in wires.pins:
        use = uses.get(line)
        if use is not None and use.kind == "analogue":
            wrong = "is an analogue reading, which no GPIO can take"
            findings.append(Finding(("pins", line), wrong, 'remove it, or read it with a board: backend = "board"'))
        elif use is not None and use.drives in MOVING:
            wrong = f"is a {use.drives}, and a pin of the Pi stays as it is when its program dies"
            fix = 'drive it with a board, which has a dead-man: backend = "board"'
            findings.append(Finding(("pins", line), wrong, fix))
    return findings


def _needs(terminal: Terminal, uses: Mapping[str, LineUse], kinds: Mapping[str, str]) -> bool:
    """Whether all that is wrong with a terminal is the kind of its board, which should be that of `kinds`."""
    use = uses.get(terminal.line)
    if use is not None and use.at is not None:
        return use.at.kind == kinds[terminal.board]
    return find_place(terminal, KINDS[kinds[terminal.board]]) is not None


def _check_contacts(pins: Mapping[str, Pin], uses: Mapping[str, LineUse]) -> Iterator[Finding]:
    """An open contact must not be what its line takes as active: the resistor alone makes the level then."""
    for line, pin in pins.items():
        use = uses.get(line)
        if use is None or not use.wire_inverted:
            continue
        if pin.pull == "up" and not pin.inverted:
            wrong = "is a bare contact, and the resistor holds its wire high: it would be active while open"
            fix = 'add inverted = true, and wire the contact to ground; or write pull = "down", and wire it to 3V3'
            yield Finding(("pins", line), wrong, fix)
        elif pin.pull == "down" and pin.inverted:
            wrong = "is a bare contact, and the resistor holds its wire low: it would be active while open"
            yield Finding(("pins", line), wrong, 'write pull = "up", and wire the contact to ground')


def check_boards(wires: Wires, named: Iterable[str]) -> list[Finding]:
    """Each board must have a line; `named` are the boards that entries of `[pins]` name, right or wrong."""
    used = {terminal.board for terminal in wires.terminals.values()} | set(named)
    fix = "wire a line to it in [pins], or remove its section"
    return [Finding((BOARD, name), "no line is wired to it", fix) for name in wires.boards if name not in used]


def check_complete(given: Iterable[str], wires: Wires, uses: Mapping[str, LineUse], backend: str) -> list[Finding]:
    """With real wires, each line that a device needs must be wired; `given` are the entries, right or wrong."""
    given = list(given)
    missing = {line: use for line, use in uses.items() if use.required and line not in given}
    misspelt = {nearest(line, missing) for line in given if line not in uses}
    if backend == BOARD:
        proposal = propose_terminals(missing, wires.terminals.values(), wires.boards)
    else:
        proposal = _propose_pins(missing, wires.pins)
    findings: list[Finding] = []
    for line, use in missing.items():
        if line in misspelt:
            continue
        section = "links" if use.kind == "link" else "pins"
        wrong = f"is not wired, and a table with real wires needs it ({use.purpose})"
        if line in proposal:
            fix = f"choose a {'terminal' if backend == BOARD else 'pin'}; free is {line} = {proposal[line]}"
        else:
            fix = _what_to_do(line, use, backend, wires.boards)
        findings.append(Finding((section, line), wrong, fix, missing=True))
    return findings


def check_call_line(pins: Iterable[str], uses: Mapping[str, LineUse], call: CallBy | None) -> list[Finding]:
    """The button of the call and `no_more_bets` must agree; `pins` are the entries of `[pins]`."""
    findings: list[Finding] = []
    if call == "auto" and CALL_LINE in pins:
        wrong = 'is wired, and [table] says no_more_bets = "auto"'
        findings.append(Finding(("pins", CALL_LINE), wrong, 'remove the line, or write no_more_bets = "button"'))
    path = ("device", "dealer", "buttons")
    if call == "auto" and CALL_LINE in uses and uses[CALL_LINE].required:
        wrong = f'names {CALL_LINE}, and [table] says no_more_bets = "auto"'
        findings.append(Finding(path, wrong, "remove the button from the list"))
    if call == "button" and CALL_LINE not in uses:
        wrong = f"lacks {CALL_LINE}, and the dealer makes the call with it"
        findings.append(Finding(path, wrong, 'add it, or write no_more_bets = "auto" in [table]'))
    return findings


def _propose_pins(missing: Mapping[str, LineUse], pins: Mapping[str, Pin]) -> dict[str, str]:
    lines = [line for line, use in missing.items() if use.kind in {"input", "output"} and use.drives not in MOVING]
    return {line: f"{{ gpio = {pin.gpio} }}" for line, pin in propose(lines, pins).items()}


def _what_to_do(line: str, use: LineUse, backend: str, boards: Mapping[str, BoardSection]) -> str:
    """What to do about a line for which no wire can be proposed."""
    if use.kind == "link":
        return f'add {line} = {{ port = "/dev/serial/by-id/..." }} to [links]'
    if backend == BOARD and use.at is not None:
        place = place_named(KINDS[use.at.kind], use.at.name)
        name = next((name for name, board in boards.items() if board.kind == use.at.kind), None)
        if name is None:
            return f'it can be only on a board of kind = "{use.at.kind}": add one, or make one of these that'
        return f"free {place.side} {place.number} of the board {name} for it, its {place.name}"
    if backend == BOARD:
        return "free a terminal of a board for it, or add another board"
    if use.kind == "analogue":
        return "turn it off in the device's section: no GPIO can take an analogue reading"
    if use.drives in MOVING:
        return f'drive it with a board: a {use.drives} moves, and a pin of the Pi has no dead-man; backend = "board"'
    return "free a pin of the header for it"


def _unknown(section: str, line: str, known: list[str]) -> Finding:
    near = nearest(line, known)
    fix = f'did you mean "{near}"?' if near else f"the devices of this table have {', '.join(sorted(known)) or 'none'}"
    noun = "line" if section == "pins" else "link"
    return Finding((section, line), f"no device of this table has such a {noun}", fix)
