"""Reads `[pins]`, `[board.*]` and `[links]`, and checks the wires against the lines of the devices."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from controller.configuration.declaration import value_text
from controller.configuration.pins import GpioPin, propose, resolve, shared
from controller.configuration.problems import ConfigFinding, Path
from controller.configuration.sections import (
    SIDES,
    BoardSection,
    CallBy,
    LinkSection,
    PinSection,
    TerminalSection,
)
from controller.configuration.terminals import (
    Terminal,
    check_own_places,
    check_sides,
    find_place,
    place_named,
    propose_terminals,
    resolve_terminal,
    shared_terminals,
    terminal_words,
    wrong_kinds,
)
from controller.configuration.validation import validate
from drivers.base.device_spec import LineUse
from drivers.base.movement import LineBounds
from drivers.dealer.buttons import CALL_BUTTON
from hal.backend_spec import BackendSpec
from hal.board.chips import CHIPS, PICOS
from hal.board.messages import KINDS
from hal.known_names import nearest
from hal.outputs import MOVING

CHIP_LABELS: Final = "pinctrl-rp1 on a Pi 5, pinctrl-bcm2711 on a Pi 4, pinctrl-bcm2835 on older ones"
BOARD: Final = "board"
"""The name of the sections of boards."""

_BOARD_NAME = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
_LONGEST_NAME = 32
_MOST_SUPPLY = 1.1
"""How far the supply that a file names may be above a Pico's own (ours)."""
_NUMBERED_PORT = re.compile(r"/dev/tty(USB|ACM)\d+\Z")
_PSEUDO_PORT = re.compile(r"/dev/pts/\d+\Z")
_OF_THE_PI = ("gpio", "header", "name", "chip", "debounce_us")
_OF_BOARDS = (*SIDES, BOARD)


class Wires(NamedTuple):
    """The wires of a file, without those that have mistakes. A line is in `pins` or in `terminals`."""

    pins: dict[str, GpioPin]
    terminals: dict[str, Terminal]
    boards: dict[str, BoardSection]
    links: dict[str, LinkSection]
    unplaced: Mapping[str, Terminal] = MappingProxyType({})
    """Lines whose board has no terminal of that number; the message depends on the line."""


def read_wires(
    pins: Mapping[str, Any],
    boards: Mapping[str, Any],
    links: Mapping[str, Any],
    chip: object,
    backend: BackendSpec,
) -> tuple[Wires, list[ConfigFinding]]:
    """Reads the sections; `chip` is that of `[lines]`, perhaps with mistakes."""
    right, findings = _read_boards(boards, backend)
    on_pi, on_boards, unplaced, found = _read_pins(pins, boards, right, backend, chip)
    findings += found
    ports, found = _read_links(links)
    return Wires(on_pi, on_boards, right, ports, unplaced), findings + found


def named_by_number(chip: str) -> bool:
    """Whether a chip is named by a number, which can change with the kernel."""
    return chip.startswith(("gpiochip", "/dev/")) or chip.isdecimal()


def check_chip(chip: str | None, path: tuple[str, ...]) -> list[ConfigFinding]:
    """A chip is named by its label, never by its number."""
    if chip is None or not named_by_number(chip):
        return []
    wrong = f"{value_text(chip)} is a number that can change with the kernel"
    return [ConfigFinding(path, wrong, f"name the chip by its label: {CHIP_LABELS}")]


def pin_words(pin: GpioPin) -> str:
    """A wire in words: `GPIO17, header pin 11`."""
    if pin.header is not None:
        return f"GPIO{pin.gpio}, header pin {pin.header}"
    place = pin.name if pin.gpio is None else f"offset {pin.gpio}"
    return f"{place} of {pin.chip}"


# [pins]


def _read_pins(
    values: Mapping[str, Any],
    named: Mapping[str, Any],
    boards: Mapping[str, BoardSection],
    backend: BackendSpec,
    chip: object,
) -> tuple[dict[str, GpioPin], dict[str, Terminal], dict[str, Terminal], list[ConfigFinding]]:
    """The pins and terminals of `[pins]`, terminals that their boards do not have, and all mistakes.

    `named` are all boards of the file, `boards` those without mistakes.
    """
    if not isinstance(chip, str) or not backend.names_chips or named_by_number(chip):
        chip = None
    pins: dict[str, GpioPin] = {}
    terminals: dict[str, Terminal] = {}
    unplaced: dict[str, Terminal] = {}
    findings: list[ConfigFinding] = []
    for line, value in values.items():
        path = ("pins", line)
        wrong = _wrong_place(value, path, backend)
        if wrong is not None:
            findings.append(wrong)
        elif _is_terminal(value, backend):
            entry, found = validate(value, TerminalSection, path)
            findings += found
            if entry is None or found:
                continue
            terminal, found = resolve_terminal(line, entry, boards, named)
            findings += found
            if terminal is not None:
                there = find_place(terminal, KINDS[boards[terminal.board].kind]) is not None
                (terminals if there else unplaced)[line] = terminal
        else:
            section, found = validate(value, PinSection, path)
            findings += found
            if section is None or found:
                continue
            findings += check_chip(section.chip, (*path, "chip"))
            pin, found = resolve(line, section, chip, recorded=backend.recorded)
            findings += found
            if pin is not None:
                pins[line] = pin
    own = "give each line a wire of its own"
    for pin, other in shared(pins.values()):
        findings.append(ConfigFinding(("pins", pin.line), f"has the same wire as {other.line} ({pin_words(pin)})", own))
    for terminal, first in shared_terminals(terminals.values()):
        words = terminal_words(terminal, KINDS[boards[terminal.board].kind])
        findings.append(ConfigFinding(("pins", terminal.line), f"has the same terminal as {first.line} ({words})", own))
    return pins, terminals, unplaced, findings


def _is_terminal(value: Mapping[str, Any], backend: BackendSpec) -> bool:
    """Whether an entry is meant to name a terminal of a board."""
    return backend.on_boards or any(key in value for key in _OF_BOARDS)


def _wrong_place(value: object, path: Path, backend: BackendSpec) -> ConfigFinding | None:
    """The mistake of an entry as a whole: no table, a terminal in place of a pin, or a pin in place of a terminal."""
    named = re.fullmatch(r"(?i)\s*(?:gpio|bcm)\s*(\d{1,2})\s*", value) if isinstance(value, str) else None
    example = "{ input = 1 }" if backend.on_boards else f"{{ gpio = {named[1] if named else 17} }}"
    if isinstance(value, int) and not isinstance(value, bool):
        if backend.on_boards:
            number = value_text(value)
            fix = f"write {{ input = {number} }}, {{ output = {number} }} or {{ analogue = {number} }}"
            return ConfigFinding(path, "a bare number can be an input, an output or an analogue channel", fix)
        fix = f"write {{ gpio = {value_text(value)} }} or {{ header = {value_text(value)} }}: the numbers differ"
        return ConfigFinding(path, "a bare number can be either a GPIO or a pin", fix)
    if not isinstance(value, dict):
        return ConfigFinding(path, f"is {value_text(value)}, and a wire was expected", f"write it as {example}")
    of_pi = [key for key in _OF_THE_PI if key in value]
    of_boards = [key for key in _OF_BOARDS if key in value]
    if of_pi and of_boards:
        wrong = f"has {of_pi[0]} and {of_boards[0]}: a pin of the Pi and a terminal of a board"
        return ConfigFinding((*path, of_pi[0]), wrong, f"keep one, as in {example}")
    if backend.on_boards and of_pi:
        fix = 'write a terminal, such as { input = 1 }, or backend = "gpiod" in [lines]'
        wrong = f'{of_pi[0]} is for pins of the Pi, and with backend = "board" every line is wired to a board'
        return ConfigFinding((*path, of_pi[0]), wrong, fix)
    if backend.on_pins and of_boards:
        wrong = f'{of_boards[0]} is for boards, and with backend = "{backend.name}" every line is wired to the Pi'
        return ConfigFinding((*path, of_boards[0]), wrong, 'write { gpio = ... }, or backend = "board" in [lines]')
    return None


# [board.*] and [links]


def _read_boards(
    values: Mapping[str, Any], backend: BackendSpec
) -> tuple[dict[str, BoardSection], list[ConfigFinding]]:
    boards: dict[str, BoardSection] = {}
    findings: list[ConfigFinding] = []
    for name, value in values.items():
        path = (BOARD, name)
        if len(name) > _LONGEST_NAME or not _BOARD_NAME.fullmatch(name):
            wrong = f"{value_text(name)} cannot be the name of a board"
            fix = f"write up to {_LONGEST_NAME} lower-case letters, digits and single underscores, as in [board.wheel]"
            findings.append(ConfigFinding(path, wrong, fix))
        board, found = validate(value, BoardSection, path)
        findings += found
        if board is None:
            continue
        findings += _check_port(board.port, path)
        pseudo = _PSEUDO_PORT.match(board.port) is not None
        if pseudo and not board.emulated:
            wrong = f"{value_text(board.port)} is a pseudo-terminal, behind which no real board can be"
            findings.append(
                ConfigFinding((*path, "port"), wrong, "add emulated = true, or name a real port", "warning")
            )
        if board.motor_most_a is not None and not KINDS[board.kind].motor_current_pin:
            wrong = f"has no effect: a {board.kind} board measures no motor's current"
            findings.append(ConfigFinding((*path, "motor_most_a"), wrong, "remove it"))
        if not KINDS[board.kind].hopper_pins:
            given = {"hopper_most_a": board.hopper_most_a is not None, "hopper_errors": board.hopper_errors}
            wrong = f"has no effect: a {board.kind} board drives no hopper"
            findings += [ConfigFinding((*path, key), wrong, "remove it") for key, is_given in given.items() if is_given]
        chip = CHIPS[board.chip]
        supply_v = chip.supply_v
        if board.chip in PICOS and board.reference_v > supply_v * _MOST_SUPPLY:
            wrong = f"is {board.reference_v:g} V, and a {chip.about} measures against {supply_v:g} V"
            findings.append(ConfigFinding((*path, "supply_v"), wrong, f"remove it, or write supply_v = {supply_v:g}"))
        boards[name] = board
    findings += _check_exchange(boards)
    if values and backend.on_pins:
        fix = 'remove it, or write backend = "board" in [lines]'
        findings.append(ConfigFinding((BOARD,), f"has no effect with the backend {backend.name}", fix, "warning"))
    if not values and backend.on_boards:
        wrong = f"is missing, and the backend {backend.name} needs it"
        fix = 'add [board.wheel] with kind = "wheel" and port = "/dev/serial/by-id/..."'
        findings.append(ConfigFinding((BOARD,), wrong, fix, missing=True))
    return boards, findings


def _check_exchange(boards: Mapping[str, BoardSection]) -> list[ConfigFinding]:
    """Two boards of one kind could be exchanged unnoticed: only their serial numbers distinguish them."""
    findings: list[ConfigFinding] = []
    for name, board in boards.items():
        others = {other: one for other, one in boards.items() if other != name and one.kind == board.kind}
        same = next((other for other, one in others.items() if board.serial and one.serial == board.serial), None)
        if same is not None:
            fix = "give each board a number of its own: feltwire boards name PORT NUMBER"
            findings.append(ConfigFinding((BOARD, name, "serial"), f"is also the serial of {same}", fix))
        elif others and board.serial is None and not board.emulated:
            wrong = f"is of the same kind as {' and '.join(others)}: they could be exchanged unnoticed"
            fix = "give it a number with feltwire boards name PORT NUMBER, and add serial = NUMBER"
            findings.append(ConfigFinding((BOARD, name), wrong, fix, "warning"))
    return findings


def _read_links(values: Mapping[str, Any]) -> tuple[dict[str, LinkSection], list[ConfigFinding]]:
    links: dict[str, LinkSection] = {}
    findings: list[ConfigFinding] = []
    for name, value in values.items():
        path = ("links", name)
        link, found = validate(value, LinkSection, path)
        findings += found
        if link is None:
            continue
        findings += _check_port(link.port, path)
        links[name] = link
    return links, findings


def _check_port(port: str, path: Path) -> list[ConfigFinding]:
    """Warns of a port whose name can change. `controller.games.load` finds ports that are used twice."""
    if not _NUMBERED_PORT.match(port):
        return []
    wrong = f"{value_text(port)} can change when devices are plugged in again"
    fix = "name it by its id: feltwire boards list, or ls -l /dev/serial/by-id"
    return [ConfigFinding((*path, "port"), wrong, fix, "warning")]


# The wires against the devices


def with_call(uses: Mapping[str, LineUse], call: CallBy | None) -> dict[str, LineUse]:
    """The lines of a table, with the button of the call removed, required or optional, depending on who calls."""
    wanted = dict(uses)
    if call == "auto":
        wanted.pop(CALL_BUTTON, None)
    elif CALL_BUTTON in wanted:
        wanted[CALL_BUTTON] = wanted[CALL_BUTTON]._replace(required=call == "button")
    return wanted


def check_names(pins: Collection[str], links: Collection[str], uses: Mapping[str, LineUse]) -> list[ConfigFinding]:
    """Each entry of `[pins]` and `[links]` must be a line of a device, and in the right section."""
    findings: list[ConfigFinding] = []
    for line in pins:
        kind = uses[line].kind if line in uses else None
        if kind is None:
            findings.append(_unknown("pins", line, {n: use for n, use in uses.items() if use.kind != "link"}, pins))
        elif kind == "link" and uses[line].beside:
            findings.append(_carried("pins", line, uses[line]))
        elif kind == "link":
            fix = f'write it in [links]: {line} = {{ port = "/dev/serial/by-id/..." }}'
            findings.append(ConfigFinding(("pins", line), "is a serial link, not a pin", fix))
    for link in links:
        if link not in uses or uses[link].kind != "link":
            findings.append(_unknown("links", link, {n: use for n, use in uses.items() if use.kind == "link"}, links))
        elif uses[link].beside:
            findings.append(_carried("links", link, uses[link]))
    return findings


def _carried(section: str, link: str, use: LineUse) -> ConfigFinding:
    wrong = f"is carried by the board of {use.beside}, and is not a serial port"
    return ConfigFinding((section, link), wrong, "remove it")


def _check_beside(wires: Wires, uses: Mapping[str, LineUse]) -> Iterator[ConfigFinding]:
    """Lines that a board works with together are on one board, and on no pin of the Pi."""
    for line, use in uses.items():
        if not use.beside or use.kind == "link":
            continue
        here, there = wires.terminals.get(line), wires.terminals.get(use.beside)
        if line in wires.pins:
            wrong = "is on a pin of the Pi, and only the board that works with it can use it"
            kind = f' with a board of kind = "{use.at.kind}"' if use.at is not None else ""
            yield ConfigFinding(("pins", line), wrong, f'write backend = "board" in [lines],{kind}')
        elif here is not None and there is not None and here.board != there.board:
            wrong = f"is on the board {here.board}, and {use.beside} on the board {there.board}, which works with both"
            yield ConfigFinding(("pins", line), wrong, f"wire it to the board {there.board}")


def check_places(wires: Wires, uses: Mapping[str, LineUse]) -> list[ConfigFinding]:
    """Each line must be where it can be read or driven: analogue lines and motors only on a board."""
    lines = {**wires.terminals, **wires.unplaced}
    kinds, findings = wrong_kinds(lines, wires.boards, uses)
    there = {line: one for line, one in lines.items() if one.board not in kinds or not _needs(one, uses, kinds)}
    findings += check_own_places(there, wires.boards, uses)
    findings += check_sides({line: one for line, one in wires.terminals.items() if line in there}, wires.boards, uses)
    findings += _check_contacts(wires.pins, uses)
    findings += _check_beside(wires, uses)
    for line in wires.pins:
        use = uses.get(line)
        if use is not None and use.kind == "analogue":
            wrong = "is an analogue reading, which no GPIO can take"
            findings.append(
                ConfigFinding(("pins", line), wrong, 'remove it, or read it with a board: backend = "board"')
            )
        elif use is not None and use.drives in MOVING:
            wrong = f"is a {use.drives}, but a pin of the Pi keeps its level when the program dies"
            fix = 'drive it with a board, which has a dead-man: backend = "board"'
            findings.append(ConfigFinding(("pins", line), wrong, fix))
    return findings


def _needs(terminal: Terminal, uses: Mapping[str, LineUse], kinds: Mapping[str, str]) -> bool:
    """Whether a terminal would be right if its board had the kind of `kinds`."""
    use = uses.get(terminal.line)
    if use is not None and use.at is not None:
        return use.at.kind == kinds[terminal.board]
    return find_place(terminal, KINDS[kinds[terminal.board]]) is not None


def _check_contacts(pins: Mapping[str, GpioPin], uses: Mapping[str, LineUse]) -> Iterator[ConfigFinding]:
    """An open contact must not be the active level of its line: the resistor alone makes the level then."""
    for line, pin in pins.items():
        use = uses.get(line)
        if use is not None and use.closed_at_rest and pin.pull in ("up", "down"):
            yield from _closed_at_rest(pin)
        if use is not None and not use.wire_inverted and use.kind == "input":
            yield from _open_collector(pin, use)
        if use is None or not use.wire_inverted:
            continue
        if pin.pull == "up" and not pin.inverted:
            wrong = "is a bare contact, and the resistor pulls its wire high: it would be active while open"
            fix = 'add inverted = true, and wire the contact to ground; or write pull = "down", and wire it to 3V3'
            yield ConfigFinding(("pins", line), wrong, fix)
        elif pin.pull == "down" and pin.inverted:
            wrong = "is a bare contact, and the resistor pulls its wire low: it would be active while open"
            yield ConfigFinding(("pins", line), wrong, 'write pull = "up", and wire the contact to ground')


def _open_collector(pin: GpioPin, use: LineUse) -> Iterator[ConfigFinding]:
    """An active-low sensor pulls its wire low, and leaves it open at rest: a resistor to ground holds it active."""
    if pin.pull == "down" and pin.inverted and not use.closed_at_rest:
        wrong = (
            "is inverted, and its resistor pulls the wire low: unplugged, or behind an open collector, it is always 1"
        )
        fix = 'write pull = "up"; or remove inverted, if the sensor gives 3V3 when it is active'
        yield ConfigFinding(("pins", pin.line), wrong, fix, "warning")


LEAST_SHARE: Final = 4
"""A filter of this part of a pulse hides or moves it (ours): the channels of an encoder are half a pulse apart."""


def check_debounce(
    wires: Wires, uses: Mapping[str, LineUse], bounds: Mapping[str, LineBounds]
) -> Iterator[ConfigFinding]:
    """A device that is decoded by its pulses has every line unfiltered: a filter hides them, and hides noise."""
    for line in uses if bounds else ():
        pin = wires.pins.get(line)
        if pin is None or not pin.debounce_us:
            continue
        bound = bounds.get(line)
        hides = bound is not None and pin.debounce_us * LEAST_SHARE >= bound.least_pulse_us
        wrong = f"{pin.debounce_us} µs on a line whose pulses are counted: noise that the decoder must see is hidden"
        if bound is not None and hides:
            pulse = f"pulses of {bound.least_pulse_us:.0f} µs, the shortest in play ({bound.why})"
            wrong = f"{pin.debounce_us} µs is too long for {pulse}"
        fix = "remove it; a sensor that bounces needs hysteresis (docs/install.md, Wire)"
        yield ConfigFinding(("pins", line, "debounce_us"), wrong, fix, "error" if hides else "warning")


def _closed_at_rest(pin: GpioPin) -> Iterator[ConfigFinding]:
    """A contact that is closed at rest: where its wire is cut, the resistor must make the line 1."""
    if (pin.pull == "up") != pin.inverted:
        return
    wrong = f"pulls {pin.pull}, so that a cut wire would be the same as a closed contact"
    fix = 'write pull = "up" without inverted, and wire the contact to ground'
    yield ConfigFinding(("pins", pin.line), wrong, fix)


def check_boards(wires: Wires, named: Iterable[str]) -> list[ConfigFinding]:
    """Each board must have a line; `named` are the boards that entries of `[pins]` name, rightly or not."""
    used = {terminal.board for terminal in wires.terminals.values()} | set(named)
    fix = "wire a line to it in [pins], or remove its section"
    return [ConfigFinding((BOARD, name), "no line is wired to it", fix) for name in wires.boards if name not in used]


def check_complete(
    given: Iterable[str], wires: Wires, uses: Mapping[str, LineUse], backend: BackendSpec
) -> list[ConfigFinding]:
    """With real wires, each line that a device needs must be wired; `given` are all entries, even wrong ones."""
    given = list(given)
    missing = {line: use for line, use in uses.items() if use.required and line not in given}
    misspelt = {nearest(line, missing) for line in given if line not in uses}
    if backend.on_boards:
        proposal = propose_terminals(missing, wires.terminals.values(), wires.boards)
    else:
        proposal = _propose_pins(missing, wires.pins)
    findings: list[ConfigFinding] = []
    for line, use in missing.items():
        if line in misspelt:
            continue
        section = "links" if use.kind == "link" else "pins"
        wrong = f"is not wired, and a table with real wires needs it ({use.purpose})"
        if line in proposal:
            fix = f"choose a {'terminal' if backend.on_boards else 'pin'}; free is {line} = {proposal[line]}"
        else:
            fix = _what_to_do(line, use, backend, wires.boards)
        findings.append(ConfigFinding((section, line), wrong, fix, missing=True))
    return findings


def check_call_line(pins: Iterable[str], uses: Mapping[str, LineUse], call: CallBy | None) -> list[ConfigFinding]:
    """The button of the call and `no_more_bets` must agree; `pins` are the entries of `[pins]`."""
    findings: list[ConfigFinding] = []
    if call == "auto" and CALL_BUTTON in pins:
        wrong = 'is wired, but [table] has no_more_bets = "auto"'
        findings.append(
            ConfigFinding(("pins", CALL_BUTTON), wrong, 'remove the line, or write no_more_bets = "button"')
        )
    path = ("device", "dealer", "buttons")
    if call == "auto" and CALL_BUTTON in uses and uses[CALL_BUTTON].required:
        wrong = f'names {CALL_BUTTON}, but [table] has no_more_bets = "auto"'
        findings.append(ConfigFinding(path, wrong, "remove the button from the list"))
    if call == "button" and CALL_BUTTON not in uses:
        wrong = f"lacks {CALL_BUTTON}, with which the dealer makes the call"
        findings.append(ConfigFinding(path, wrong, 'add it, or write no_more_bets = "auto" in [table]'))
    return findings


def _propose_pins(missing: Mapping[str, LineUse], pins: Mapping[str, GpioPin]) -> dict[str, str]:
    lines = [line for line, use in missing.items() if use.kind in {"input", "output"} and use.drives not in MOVING]
    closed = [line for line in lines if missing[line].closed_at_rest]
    pull = dict.fromkeys(closed, ', pull = "up"')
    proposed = propose(lines, pins, pulled_up=closed)
    return {line: f"{{ gpio = {pin.gpio}{pull.get(line, '')} }}" for line, pin in proposed.items()}


def _what_to_do(line: str, use: LineUse, backend: BackendSpec, boards: Mapping[str, BoardSection]) -> str:
    """The fix for a line for which no wire can be proposed."""
    if use.kind == "link":
        return f'add {line} = {{ port = "/dev/serial/by-id/..." }} to [links]'
    if backend.on_boards and use.at is not None:
        place = place_named(KINDS[use.at.kind], use.at.name)
        name = next((name for name, board in boards.items() if board.kind == use.at.kind), None)
        if name is None:
            return f'it can be only on a board of kind = "{use.at.kind}": add one, or make one of these that'
        return f"free {place.side} {place.number} of the board {name} for it, its {place.name}"
    if backend.on_boards:
        return "free a terminal of a board for it, or add another board"
    if use.kind == "analogue":
        return "turn it off in the device's section: no GPIO can take an analogue reading"
    if use.drives in MOVING:
        return f'drive it with a board: a {use.drives} moves, and a pin of the Pi has no dead-man; backend = "board"'
    return "free a pin of the header for it"


_NUMBERED = re.compile(r"(?P<stem>.*?_)(?P<number>\d+)\Z")


def _unknown(section: str, line: str, known: Mapping[str, LineUse], given: Collection[str]) -> ConfigFinding:
    """A line that no device has. A name that the section has already is not what was meant."""
    numbered = _NUMBERED.match(line)
    alike = [name for name in known if numbered and (n := _NUMBERED.match(name)) and n["stem"] == numbered["stem"]]
    first = known.get(line.removesuffix("_2"))
    if first is not None and first.second_by:
        fix = f"write {first.second_by} for it, or remove {line}"
    elif alike:
        by = known[alike[0]].counted_by
        fix = f"there are {alike[0]} to {alike[-1]}{f', {by}' if by else ''}: "
        fix += "number them from 1" if numbered and not int(numbered["number"]) else f"add to those, or remove {line}"
    elif (near := nearest(line, [name for name in known if name not in given])) is not None:
        fix = f'did you mean "{near}"?'
    else:
        fix = f"the devices of this table have {', '.join(sorted(known)) or 'none'}"
    noun = "line" if section == "pins" else "link"
    return ConfigFinding((section, line), f"no device of this table has such a {noun}", fix)
