"""The terminals where a board works with a line by itself: is each such line at its own, and no other line there?

A table board stops the motor of a cage by its own sensors, takes those as active when they are low, and scans its own
keypad. At another terminal the same wire seems right, and the motor stops, or turns the wrong way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from controller.configuration.board_sections import BoardSection
from controller.configuration.declaration import said
from controller.configuration.line_use import BoardPlace, LineUse
from controller.configuration.problems import Finding
from controller.configuration.terminals import MOVED, Terminal, entry_words, find_place, place_named, range_words, words
from hal.board.message import Kind
from hal.board.messages import KINDS
from hal.output_guard import MOVING

_LISTED: Final = 3
"""So many lines are named, and the others counted."""


def wrong_kinds(
    lines: Mapping[str, Terminal], boards: Mapping[str, BoardSection], uses: Mapping[str, LineUse]
) -> tuple[dict[str, str], list[Finding]]:
    """The boards on which lines are that another kind of board works with.

    Returns:
        The kind that each of those boards should be, and one mistake for each of them.
    """
    wanted: dict[str, str] = {}
    wanting: dict[str, list[str]] = {}
    for line, terminal in lines.items():
        at = uses[line].at if line in uses else None
        if at is not None and at.kind != boards[terminal.board].kind:
            wanted.setdefault(terminal.board, at.kind)
            wanting.setdefault(terminal.board, []).append(line)
    findings: list[Finding] = []
    for name, kind in wanted.items():
        wrong = f"is {said(boards[name].kind)}, and {_listed(wanting[name])} can be only on a board of the kind {kind}"
        fix = f'kind should be "{kind}"'
        other = next((other for other, board in boards.items() if board.kind == kind), None)
        if other is not None:
            fix += f", or wire them to the board {other}"
        findings.append(Finding(("board", name, "kind"), wrong, fix))
    return wanted, findings


def check_own_places(
    lines: Mapping[str, Terminal], boards: Mapping[str, BoardSection], uses: Mapping[str, LineUse]
) -> Iterator[Finding]:
    """Each line must be at a terminal that there is, at its own where it has one, and at none that moves something."""
    for line, terminal in lines.items():
        use = uses.get(line)
        kind = KINDS[boards[terminal.board].kind]
        place = find_place(terminal, kind)
        if use is not None and use.at is not None and use.at.kind == kind.name:
            yield from _check_own(terminal, use, use.at, kind, boards)
        elif place is None:
            wrong = f"a {kind.name} board has no {terminal.side} {said(terminal.number)}"
            fix = f"the board {terminal.board} has {range_words(kind, terminal.side)}"
            yield Finding(("pins", line, terminal.side), wrong, fix)
        elif use is not None and use.drives not in MOVING and (place.side, place.name) in MOVED.get(kind.name, ()):
            wrong = f"is a {use.drives}, and {words(terminal)} is its {place.name}, which the board stops by itself"
            fix = 'drive it with another board, of kind = "wheel"'
            yield Finding(("pins", line), wrong, fix)


def _check_own(
    terminal: Terminal, use: LineUse, at: BoardPlace, kind: Kind, boards: Mapping[str, BoardSection]
) -> Iterator[Finding]:
    path = ("pins", terminal.line)
    own, place = place_named(kind, at.name), find_place(terminal, kind)
    if place is None or place != own:
        entry = entry_words(own, terminal.board if len(boards) > 1 else None, inverted=at.active_low)
        where = f"{words(terminal)}, which " + (f"is {place.name}" if place is not None else "there is not")
        wrong = f"is wired to {where}, and a {kind.name} board itself works with this line ({use.purpose})"
        yield Finding(path, wrong, f"write {terminal.line} = {entry}, which is {own.name}")
    elif at.active_low and not terminal.inverted:
        wrong = f"is not inverted, and a {kind.name} board takes its {own.name} as active when the wire is low"
        yield Finding(path, wrong, "add inverted = true, and wire an open collector or a contact to ground")


def _listed(lines: list[str]) -> str:
    more = len(lines) - _LISTED
    if more > 1:
        return f"{', '.join(lines[:_LISTED])} and {more} more lines"
    return " and ".join(filter(None, [", ".join(lines[:-1]), lines[-1]]))
