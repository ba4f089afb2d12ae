"""Reads `[pins]`, `[board.*]` and `[links]`: the wires, terminals, boards and ports that are right, and what is not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from controller.configuration.board_sections import SIDES, BoardSection, TerminalSection
from controller.configuration.declaration import said
from controller.configuration.pins import Pin, resolve, shared
from controller.configuration.problems import Finding, Path
from controller.configuration.sections import LIVE_BACKENDS, LinkSection, PinSection
from controller.configuration.terminals import Terminal, find_place, resolve_terminal, shared_terminals, terminal_words
from controller.configuration.validation import validate
from hal.board.messages import KINDS

CHIP_LABELS: Final = "pinctrl-rp1 on a Pi 5, pinctrl-bcm2711 on a Pi 4, pinctrl-bcm2835 on older ones"
BOARD: Final = "board"
"""The backend of boards, and the section of each."""

_BOARD_NAME = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
_LONGEST_NAME = 32
_NUMBERED_PORT = re.compile(r"/dev/tty(USB|ACM)\d+\Z")
_PSEUDO_PORT = re.compile(r"/dev/pts/\d+\Z")
_OF_THE_PI = ("gpio", "header", "name", "chip", "debounce_us")
_OF_BOARDS = (*SIDES, BOARD)


class Wires(NamedTuple):
    """What a file wires, as far as it is right. A line is in `pins` or in `terminals`."""

    pins: dict[str, Pin]
    terminals: dict[str, Terminal]
    boards: dict[str, BoardSection]
    links: dict[str, LinkSection]
    unplaced: Mapping[str, Terminal] = MappingProxyType({})
    """Lines whose board has no terminal of that number; what is wrong with it depends on the line."""


def read_wires(
    pins: Mapping[str, Any], boards: Mapping[str, Any], links: Mapping[str, Any], lines: Mapping[str, Any]
) -> tuple[Wires, list[Finding]]:
    """Reads the sections; `lines` is `[lines]`, as far as it can be read."""
    backend = lines.get("backend")
    if not isinstance(backend, str):
        backend = ""  # its own check has said so
    right, findings = _read_boards(boards, backend)
    on_pi, on_boards, unplaced, found = _read_pins(pins, boards, right, backend, lines.get("chip"))
    findings += found
    ports, found = _read_links(links)
    return Wires(on_pi, on_boards, right, ports, unplaced), findings + found


def named_by_number(chip: str) -> bool:
    """Whether a chip is named by what changes from one kernel to the next."""
    return chip.startswith(("gpiochip", "/dev/")) or chip.isdecimal()


def check_chip(chip: str | None, path: tuple[str, ...]) -> list[Finding]:
    """A chip is named by its label, never by its number."""
    if chip is None or not named_by_number(chip):
        return []
    wrong = f"{said(chip)} is a number that changes from one kernel to the next"
    return [Finding(path, wrong, f"name the chip by its label: {CHIP_LABELS}")]


def pin_words(pin: Pin) -> str:
    """A wire in words: `GPIO17, header pin 11`."""
    if pin.header is not None:
        return f"GPIO{pin.gpio}, header pin {pin.header}"
    place = pin.name if pin.gpio is None else f"offset {pin.gpio}"
    return f"{place} of {pin.chip}"


# --- [pins] -----------------------------------------------------------------------------------------------------------


def _read_pins(
    values: Mapping[str, Any],
    named: Mapping[str, Any],
    boards: Mapping[str, BoardSection],
    backend: str,
    chip: object,
) -> tuple[dict[str, Pin], dict[str, Terminal], dict[str, Terminal], list[Finding]]:
    """The wires and terminals of `[pins]` that are right, and terminals that their boards do not have.

    `named` are all boards of the file, `boards` those right.
    """
    if not isinstance(chip, str) or backend == "gpiozero" or named_by_number(chip):
        chip = None
    pins: dict[str, Pin] = {}
    terminals: dict[str, Terminal] = {}
    unplaced: dict[str, Terminal] = {}
    findings: list[Finding] = []
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
            pin, found = resolve(line, section, chip, recorded=backend == "capture")
            findings += found
            if pin is not None:
                pins[line] = pin
    own = "give each line a wire of its own"
    for pin, other in shared(pins.values()):
        findings.append(Finding(("pins", pin.line), f"has the same wire as {other.line} ({pin_words(pin)})", own))
    for terminal, first in shared_terminals(terminals.values()):
        words = terminal_words(terminal, KINDS[boards[terminal.board].kind])
        findings.append(Finding(("pins", terminal.line), f"has the same terminal as {first.line} ({words})", own))
    return pins, terminals, unplaced, findings


def _is_terminal(value: Mapping[str, Any], backend: str) -> bool:
    """Whether an entry is meant to name a terminal of a board."""
    return backend == BOARD or any(key in value for key in _OF_BOARDS)


def _wrong_place(value: object, path: Path, backend: str) -> Finding | None:
    """What is wrong with an entry as a whole: no table, or a terminal where pins are wanted, or the other way round."""
    example = "{ input = 1 }" if backend == BOARD else "{ gpio = 17 }"
    if isinstance(value, int) and not isinstance(value, bool):
        if backend == BOARD:
            fix = f"write {{ input = {said(value)} }}, {{ output = {said(value)} }} or {{ analogue = {said(value)} }}"
            return Finding(path, "a bare number can be an input, an output or an analogue channel", fix)
        fix = f"write {{ gpio = {said(value)} }} or {{ header = {said(value)} }}: the numbers differ"
        return Finding(path, "a bare number can be either a GPIO or a pin", fix)
    if not isinstance(value, dict):
        return Finding(path, f"is {said(value)}, and a wire was expected", f"write it as {example}")
    of_pi = [key for key in _OF_THE_PI if key in value]
    of_boards = [key for key in _OF_BOARDS if key in value]
    if of_pi and of_boards:
        wrong = f"says {of_pi[0]} and {of_boards[0]}: a pin of the Pi and a terminal of a board"
        return Finding((*path, of_pi[0]), wrong, f"keep one, as in {example}")
    if backend == BOARD and of_pi:
        fix = 'write a terminal, such as { input = 1 }, or backend = "gpiod" in [lines]'
        wrong = f'{of_pi[0]} is for pins of the Pi, and with backend = "board" every line is wired to a board'
        return Finding((*path, of_pi[0]), wrong, fix)
    if backend in LIVE_BACKENDS and backend != BOARD and of_boards:
        wrong = f'{of_boards[0]} is for boards, and with backend = "{backend}" every line is wired to the Pi'
        return Finding((*path, of_boards[0]), wrong, 'write { gpio = ... }, or backend = "board" in [lines]')
    return None


# --- [board.*] and [links] --------------------------------------------------------------------------------------------


def _read_boards(values: Mapping[str, Any], backend: str) -> tuple[dict[str, BoardSection], list[Finding]]:
    boards: dict[str, BoardSection] = {}
    findings: list[Finding] = []
    for name, value in values.items():
        path = (BOARD, name)
        if len(name) > _LONGEST_NAME or not _BOARD_NAME.fullmatch(name):
            wrong = f"{said(name)} cannot be the name of a board"
            fix = f"write up to {_LONGEST_NAME} lower-case letters, digits and single underscores, as in [board.wheel]"
            findings.append(Finding(path, wrong, fix))
        board, found = validate(value, BoardSection, path)
        findings += found
        if board is None:
            continue
        findings += _check_port(board.port, path)
        pseudo = _PSEUDO_PORT.match(board.port) is not None
        if pseudo and not board.emulated:
            wrong = f"{said(board.port)} is a pseudo-terminal, behind which no real board can be"
            findings.append(Finding((*path, "port"), wrong, "add emulated = true, or name a real port", "warning"))
        boards[name] = board
    findings += _check_exchange(boards)
    if values and backend in LIVE_BACKENDS and backend != BOARD:
        fix = 'remove it, or write backend = "board" in [lines]'
        findings.append(Finding((BOARD,), f"has no effect with the backend {backend}", fix, "warning"))
    if not values and backend == BOARD:
        wrong = "is missing, and the backend board needs it"
        fix = 'add [board.wheel] with kind = "wheel" and port = "/dev/serial/by-id/..."'
        findings.append(Finding((BOARD,), wrong, fix, missing=True))
    return boards, findings


def _check_exchange(boards: Mapping[str, BoardSection]) -> list[Finding]:
    """Two boards of one kind could be plugged in one for the other: only their numbers tell."""
    findings: list[Finding] = []
    for name, board in boards.items():
        others = {other: one for other, one in boards.items() if other != name and one.kind == board.kind}
        same = next((other for other, one in others.items() if board.serial and one.serial == board.serial), None)
        if same is not None:
            fix = "give each board a number of its own: feltwire boards name PORT NUMBER"
            findings.append(Finding((BOARD, name, "serial"), f"is the serial of {same} too", fix))
        elif others and board.serial is None and not board.emulated:
            wrong = f"is of one kind with {' and '.join(others)}, and nothing would tell of their plugs being exchanged"
            fix = "give it a number with feltwire boards name PORT NUMBER, and add serial = NUMBER"
            findings.append(Finding((BOARD, name), wrong, fix, "warning"))
    return findings


def _read_links(values: Mapping[str, Any]) -> tuple[dict[str, LinkSection], list[Finding]]:
    links: dict[str, LinkSection] = {}
    findings: list[Finding] = []
    for name, value in values.items():
        path = ("links", name)
        link, found = validate(value, LinkSection, path)
        findings += found
        if link is None:
            continue
        findings += _check_port(link.port, path)
        links[name] = link
    return links, findings


def _check_port(port: str, path: Path) -> list[Finding]:
    """What is doubtful about a port's name. That two things have one port, `controller.configuration.load` finds."""
    if not _NUMBERED_PORT.match(port):
        return []
    wrong = f"{said(port)} changes when ports are plugged in another order"
    fix = "name it by its id: feltwire boards list, or ls -l /dev/serial/by-id"
    return [Finding((*path, "port"), wrong, fix, "warning")]
