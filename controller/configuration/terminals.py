"""Resolves the entries of `[pins]` to terminals of boards, and checks them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from controller.configuration.declaration import value_text
from controller.configuration.header_pins import printed
from controller.configuration.problems import ConfigFinding
from controller.configuration.sections import BoardSection, Pull, Side, TerminalSection
from drivers.base.device_spec import BoardPlace, LineUse
from drivers.base.device_spec import Kind as LineKind
from hal.board.chips import FIRST_ADC_GPIO, PICO_ADC, PICO_GPIO, PICOS
from hal.board.message import BoardKind
from hal.board.messages import KINDS
from hal.known_names import suggestion
from hal.outputs import MOVING

_LISTED: Final = 3
"""The number of lines that a message names; the others are counted."""

SIDE_OF: Mapping[LineKind, Side] = {"input": "input", "output": "output", "analogue": "analogue"}
"""The side of a board for each kind of line; a link has a port of its own."""

MOVED: Final[Mapping[str, Collection[tuple[Side, str]]]] = {
    "table": frozenset({("output", "motor"), ("output", "motor_back")}),
    "reel": frozenset({("output", "reel_1"), ("output", "reel_2"), ("output", "reel_3")}),
    "pusher": frozenset({("output", "motor"), ("output", "hopper")}),
}
"""The outputs that the firmware of each kind of board controls as motors and stops by itself: not for a lamp."""


PULLED_UP: Final[Mapping[str, Collection[str]]] = {
    "table": frozenset({"shaft", "home"}),
    "reel": frozenset(name for name, _ in KINDS["reel"].inputs),
    "pusher": frozenset(name for name, _ in KINDS["pusher"].inputs),
}
"""The inputs at which the firmware of each kind of board always switches its resistor on (`own_pull_ups`)."""


class Terminal(NamedTuple):
    """The terminal of a line on a board."""

    line: str
    board: str
    """The board's name in the file."""
    side: Side
    number: int
    """From 1, on its side."""
    pull: Pull = "none"
    inverted: bool = False
    zero_v: float = 0.0
    """Of an analogue channel: the volts at which its reading is 0."""
    per_v: float = 0.0
    """Of an analogue channel: by how much the reading grows with each volt."""

    @property
    def place(self) -> tuple[str, Side, int]:
        """Identifies the terminal: no two lines may share it."""
        return self.board, self.side, self.number


_OUTER_CHANNELS: Final = 3
"""Of a Pico's converter: those that are at a pin."""


class Place(NamedTuple):
    """One terminal of a kind of board."""

    side: Side
    number: int
    name: str
    pin: str
    """Of the chip, such as `D2`; empty for a key, which is a crossing of two pins."""


def pins_of_pico(kind: BoardKind) -> dict[str, str]:
    """By the label that a Nano prints beside a pin, the pin of a Pico; empty for a channel that is at no pin."""
    analogue = {place.pin for place in places_of(kind) if place.side == "analogue"}
    found = {}
    for pin in (*PICO_GPIO, *(PICO_ADC.keys() - PICO_GPIO.keys())):
        channel = PICO_ADC[pin] if pin in analogue or pin not in PICO_GPIO else None
        if channel is None:
            found[printed(pin)] = f"GP{PICO_GPIO[pin]}"
        else:
            found[printed(pin)] = f"GP{FIRST_ADC_GPIO + channel}" if channel < _OUTER_CHANNELS else ""
    return found


def places_of(kind: BoardKind) -> Iterator[Place]:
    """Every terminal that a line can be wired to, in their order."""
    for number, (name, pin) in enumerate(kind.inputs, 1):
        yield Place("input", number, name, pin)
    for number, key in enumerate(kind.keys, kind.first_key_line):
        yield Place("input", number, f"key {key}", "")
    for number, ((name, _), pin) in enumerate(zip(kind.outputs, kind.output_pins, strict=True), 1):
        yield Place("output", number, name, pin)
    for number, (name, pin) in enumerate(kind.analogues, 1):
        yield Place("analogue", number, name, pin)


def without_pin(place: Place, board: BoardSection) -> bool:
    """Whether a place is at no pin of this board: a Pico's converter has one channel of them, for its own supply."""
    if board.chip not in PICOS or not place.pin:
        return False
    return not pins_of_pico(KINDS[board.kind])[printed(place.pin)]


def find_place(terminal: Terminal, kind: BoardKind) -> Place | None:
    """The place of a terminal; None if that kind of board has no such place."""
    return next((place for place in places_of(kind) if (place.side, place.number) == terminal.place[1:]), None)


def place_of(terminal: Terminal, kind: BoardKind) -> Place:
    """The place of a terminal.

    Raises:
        KeyError: that kind of board has no such place.
    """
    return {(place.side, place.number): place for place in places_of(kind)}[terminal.side, terminal.number]


def place_named(kind: BoardKind, name: str) -> Place:
    """The place of this name on a kind of board.

    Raises:
        KeyError: it has no place of this name.
    """
    return {place.name: place for place in places_of(kind)}[name]


def resolve_terminal(
    line: str, section: TerminalSection, boards: Mapping[str, BoardSection], named: Iterable[str]
) -> tuple[Terminal | None, list[ConfigFinding]]:
    """Finds the terminal of one entry of `[pins]`, which names one side.

    `boards` are the boards without mistakes, `named` all boards of the file: nothing more is reported here for a board
    with mistakes. `check_own_places` checks that the board has a terminal of that number.

    Returns:
        The terminal, or None if its board is missing or has mistakes, and every mistake.
    """
    path = ("pins", line)
    name, findings = _board_of(line, section, list(named))
    if name is None or name not in boards:
        return None, findings
    side = section.sides[0]
    scale = (section.zero_v or 0.0, section.per_v or 0.0)
    terminal = Terminal(line, name, side, getattr(section, side), "none", section.inverted, *scale)
    place = find_place(terminal, KINDS[boards[name].kind])
    if place is not None and not place.pin and (section.inverted or section.pull):
        key = "inverted" if section.inverted else "pull"
        wrong = f"has no meaning for the {place.name} of a keypad, which is 1 while it is pressed"
        return None, [ConfigFinding((*path, key), wrong, "remove it")]
    if side == "input" and (place is None or place.pin):
        terminal = terminal._replace(pull=section.pull or "up")
    return terminal, []


def shared_terminals(terminals: Iterable[Terminal]) -> list[tuple[Terminal, Terminal]]:
    """Each terminal that an earlier line has already, with that earlier one."""
    first: dict[tuple[str, Side, int], Terminal] = {}
    pairs = ((terminal, first.setdefault(terminal.place, terminal)) for terminal in terminals)
    return [(terminal, other) for terminal, other in pairs if other is not terminal]


# Lines that a board handles by itself
#
# A table board stops the motor of a cage by its own sensors, takes those as active when they are low, and scans its own
# keypad. At another terminal the same wire would seem right, and the motor would stop, or turn the wrong way.


def wrong_kinds(
    lines: Mapping[str, Terminal], boards: Mapping[str, BoardSection], uses: Mapping[str, LineUse]
) -> tuple[dict[str, str], list[ConfigFinding]]:
    """Boards with lines that only another kind of board can handle.

    Returns:
        The kind that each of those boards should have, and one mistake for each board.
    """
    wanted: dict[str, str] = {}
    wanting: dict[str, list[str]] = {}
    for line, terminal in lines.items():
        at = uses[line].at if line in uses else None
        if at is not None and at.kind != boards[terminal.board].kind:
            wanted.setdefault(terminal.board, at.kind)
            wanting.setdefault(terminal.board, []).append(line)
    findings: list[ConfigFinding] = []
    for name, kind in wanted.items():
        found = value_text(boards[name].kind)
        wrong = f"is {found}, and {_listed(wanting[name])} can be only on a board of the kind {kind}"
        fix = f'kind should be "{kind}"'
        other = next((other for other, board in boards.items() if board.kind == kind), None)
        if other is not None:
            fix += f", or wire them to the board {other}"
        findings.append(ConfigFinding(("board", name, "kind"), wrong, fix))
    return wanted, findings


def check_own_places(
    lines: Mapping[str, Terminal], boards: Mapping[str, BoardSection], uses: Mapping[str, LineUse]
) -> Iterator[ConfigFinding]:
    """Each line must be at an existing terminal, at its own if it has one, and a lamp at no output for motors."""
    for line, terminal in lines.items():
        use = uses.get(line)
        kind = KINDS[boards[terminal.board].kind]
        place = find_place(terminal, kind)
        if use is not None and use.at is not None and use.at.kind == kind.name:
            yield from _check_own(terminal, use, use.at, kind, boards)
        elif place is None:
            wrong = f"a {kind.name} board has no {terminal.side} {value_text(terminal.number)}"
            fix = f"the board {terminal.board} has {range_words(kind, terminal.side)}"
            yield ConfigFinding(("pins", line, terminal.side), wrong, fix)
        elif without_pin(place, boards[terminal.board]):
            wrong = f"{terminal.number} is at no pin of a Pico: it would read a third of what supplies the Pico"
            there = [each for each in places_of(kind) if each.side == place.side]
            able = [str(each.number) for each in there if not without_pin(each, boards[terminal.board])]
            yield ConfigFinding(("pins", line, terminal.side), wrong, f"write one of {', '.join(able)}")
        elif use is not None and place.side == "input" and not place.pin and not use.contact:
            wrong = f"is the {use.wire}, and {words(terminal)} is the {place.name} of the keypad that the board scans"
            fix = f"a key takes a bare contact, and is looked at every few ms: use inputs 1 to {len(kind.inputs)}"
            yield ConfigFinding(("pins", line, terminal.side), wrong, fix)
        elif place.side == "input" and place.name in PULLED_UP.get(kind.name, ()) and terminal.pull == "none":
            yield _always_pulled_up(terminal, place, kind)
        elif use is not None and use.drives not in MOVING and (place.side, place.name) in MOVED.get(kind.name, ()):
            wrong = f"is a {use.drives}, and {words(terminal)} is its {place.name}, which the board stops by itself"
            fix = 'drive it with another board, of kind = "wheel"'
            yield ConfigFinding(("pins", line), wrong, fix)


def _check_own(
    terminal: Terminal, use: LineUse, at: BoardPlace, kind: BoardKind, boards: Mapping[str, BoardSection]
) -> Iterator[ConfigFinding]:
    path = ("pins", terminal.line)
    own, place = place_named(kind, at.name), find_place(terminal, kind)
    if place is None or place != own:
        entry = entry_words(own, terminal.board if len(boards) > 1 else None, inverted=at.active_low)
        where = f"{words(terminal)}, which " + (f"is {place.name}" if place is not None else "there is not")
        wrong = f"is wired to {where}, but a {kind.name} board handles this line itself ({use.purpose})"
        yield ConfigFinding(path, wrong, f"write {terminal.line} = {entry}, which is {own.name}")
    elif at.active_low and not terminal.inverted:
        wrong = f"is not inverted, and a {kind.name} board takes its {own.name} as active when the wire is low"
        yield ConfigFinding(path, wrong, "add inverted = true, and wire an open collector or a contact to ground")
    if place == own and place.name in PULLED_UP.get(kind.name, ()) and terminal.pull == "none":
        yield _always_pulled_up(terminal, place, kind)


def _always_pulled_up(terminal: Terminal, place: Place, kind: BoardKind) -> ConfigFinding:
    wrong = f'is "none", but a {kind.name} board always switches on the resistor to + of its {place.name}'
    fix = 'remove it, or write pull = "up"; the sensor must be able to pull 20 kOhm low'
    return ConfigFinding(("pins", terminal.line, "pull"), wrong, fix)


def _listed(lines: list[str]) -> str:
    more = len(lines) - _LISTED
    if more > 1:
        return f"{', '.join(lines[:_LISTED])} and {more} more lines"
    return " and ".join(filter(None, [", ".join(lines[:-1]), lines[-1]]))


def check_sides(
    terminals: Mapping[str, Terminal], boards: Mapping[str, BoardSection], uses: Mapping[str, LineUse]
) -> list[ConfigFinding]:
    """Each line must be on the side of the board for its kind."""
    findings: list[ConfigFinding] = []
    for line, terminal in terminals.items():
        use = uses.get(line)
        if use is None or use.kind not in SIDE_OF or use.at is not None:
            continue  # reported by another check
        wanted = SIDE_OF[use.kind]
        if terminal.side != wanted:
            kind = KINDS[boards[terminal.board].kind]
            wrong = f"is {_WHAT[wanted]} ({use.purpose}), and {words(terminal)} {_DOES[terminal.side]}"
            fix = f"write {{ {wanted} = ... }}; the board {terminal.board} has {range_words(kind, wanted)}"
            findings.append(ConfigFinding(("pins", line), wrong, fix))
        elif wanted == "input" and use.wire_inverted and not terminal.inverted and terminal.pull == "up":
            wrong = "is a bare contact, and the board's resistor pulls its wire high: it would be active while open"
            findings.append(ConfigFinding(("pins", line), wrong, "add inverted = true, and wire the contact to ground"))
    return findings


def propose_terminals(
    uses: Mapping[str, LineUse], taken: Iterable[Terminal], boards: Mapping[str, BoardSection]
) -> dict[str, str]:
    """A free terminal for each of these lines, as an entry of `[pins]`; lines for which none is left are left out."""
    used = {terminal.place for terminal in taken}
    free = [
        (name, place)
        for name, board in boards.items()
        for place in places_of(KINDS[board.kind])
        if (name, place.side, place.number) not in used
    ]
    of_one = {(use.at.kind, use.at.name) for use in uses.values() if use.at is not None}
    proposal: dict[str, str] = {}
    for line, use in uses.items():
        able = [
            (name, place)
            for name, place in free
            if (_is_at(use.at, boards[name].kind, place) if use.at else _suits(use, boards[name].kind, place, of_one))
        ]
        if not able:
            continue
        free.remove(able[0])
        name, place = able[0]
        inverted = use.at.active_low if use.at else bool(use.wire_inverted)
        proposal[line] = entry_words(place, name if len(boards) > 1 else None, inverted=inverted)
    return proposal


def _is_at(at: BoardPlace, kind: str, place: Place) -> bool:
    return (at.kind, at.name) == (kind, place.name)


def _suits(use: LineUse, kind: str, place: Place, of_one: Collection[tuple[str, str]]) -> bool:
    """Whether a line without a terminal of its own can be there; places in `of_one` are kept for their own line."""
    if SIDE_OF.get(use.kind) != place.side or not place.pin or (kind, place.name) in of_one:
        return False
    return use.drives in MOVING or (place.side, place.name) not in MOVED.get(kind, ())


def words(terminal: Terminal) -> str:
    """A terminal in words: `input 1 of the board wheel`."""
    return f"{terminal.side} {terminal.number} of the board {terminal.board}"


def entry_words(place: Place, board: str | None, *, inverted: bool = False) -> str:
    """A place as an entry of `[pins]`, with the name of the board where there are several."""
    which = f'board = "{board}", ' if board is not None else ""
    scale = ", zero_v = 2.5, per_v = 5.0" if place.side == "analogue" else ""
    return f"{{ {which}{place.side} = {place.number}{scale}{', inverted = true' if inverted else ''} }}"


def terminal_words(terminal: Terminal, kind: BoardKind) -> str:
    """A terminal in words: `input 1 of the board wheel, in_1`."""
    return f"{words(terminal)}, {place_of(terminal, kind).name}"


def range_words(kind: BoardKind, side: Side) -> str:
    """The terminals of one side of a board, in words: `inputs 1 to 8`."""
    numbers = [place.number for place in places_of(kind) if place.side == side]
    noun = "analogue channel" if side == "analogue" else side
    if not numbers:
        return f"no {noun}s"
    return f"{noun}s {numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"{noun} {numbers[0]} only"


_WHAT: Mapping[Side, str] = {"input": "read", "output": "driven", "analogue": "an analogue reading"}
_DOES: Mapping[Side, str] = {"input": "is an input", "output": "is an output", "analogue": "measures volts"}


def _board_of(line: str, section: TerminalSection, named: list[str]) -> tuple[str | None, list[ConfigFinding]]:
    """The name of the entry's board: the only one, where it names none."""
    path = ("pins", line)
    if section.board is None:
        if len(named) == 1:
            return named[0], []
        if not named:
            return None, []  # the missing board is reported once
        wrong = f"names no board, and there are {' and '.join(named)}"
        return None, [ConfigFinding(path, wrong, f'add board = "{named[0]}"')]
    if section.board in named:
        return section.board, []
    if not named:
        return None, []
    fix = suggestion(section.board, named, "board")
    return None, [ConfigFinding((*path, "board"), f"no board is called {value_text(section.board)}", fix)]
