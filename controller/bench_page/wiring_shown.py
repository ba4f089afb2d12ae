"""The lines of a table and their pins, as the page draws them: what `feltwire pins` prints."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

import msgspec

from controller.bench_page.said import Said
from controller.configuration.header_pins import HEADER, NANO, printed
from controller.configuration.pinout import pinout_of
from controller.configuration.terminals import pins_of_pico, places_of
from controller.configuration.values import TableConfig
from controller.games.assembly import secret_links
from controller.games.base.spec import spec_of
from drivers.dealer.buttons import BUTTONS, CALL_BUTTON, SETTLE_BUTTON
from hal.board.chips import PICOS
from hal.board.messages import KINDS

NO_USE: Final = frozenset((CALL_BUTTON, SETTLE_BUTTON))
"""The buttons of a table of which a machine makes nothing: it takes no calls."""
_OF_A_MACHINE: Final = {
    **dict.fromkeys(NO_USE, "a contact of which a machine makes nothing"),
    "dealer_void": "the attendant's button for a void play",
}
"""The purposes of the buttons of a table at a machine, which has an attendant and no dealer."""


class LineShown(msgspec.Struct, frozen=True):
    """One line of the table."""

    name: str
    kind: str
    """`input`, `output`, `analogue` or `link`."""
    device: str
    purpose: str
    high: str
    place: Said
    """Where it is wired."""
    proposed: bool
    sealed: bool


class PinShown(msgspec.Struct, frozen=True):
    """One pin of a drawing."""

    label: str
    number: str
    line: str
    """Empty where no line of the table is wired to it."""


class WiringShown(msgspec.Struct, frozen=True):
    """One drawing: the header of a Pi, or a board. Pins are in pairs, left and right, from the top."""

    title: Said
    rows: tuple[tuple[PinShown, PinShown], ...]


def lines_shown(config: TableConfig) -> list[LineShown]:
    """The lines of the table, device by device, as the file has them."""
    pinout, sealed = pinout_of(config), secret_links(config)
    purposes = _OF_A_MACHINE if spec_of(config).machine else {}
    owner: dict[str, str] = dict.fromkeys(BUTTONS, "dealer")
    for device in config.devices.values():
        owner |= dict.fromkeys(device.lines, device.name)
    found: list[LineShown] = []
    for name, use in config.uses.items():
        pin, terminal = pinout.pins.get(name), config.terminals.get(name)
        place = Said("place.none")
        if pin is not None and pin.gpio is not None and pin.header:
            place = Said("place.header", {"gpio": pin.gpio, "pin": pin.header})
        elif pin is not None and pin.gpio is not None:
            place = Said("place.chip", {"gpio": pin.gpio, "chip": pin.chip or ""})
        elif terminal is not None:
            place = Said(f"place.{terminal.side}", {"board": terminal.board, "n": terminal.number})
        elif use.kind == "link":
            link = config.links.get(name)
            place = Said("place.port", {"port": "" if link is None else link.port})
        found.append(
            LineShown(
                name=name,
                kind=use.kind,
                device=owner.get(name, "table"),
                purpose=purposes.get(name, use.purpose),
                high=use.high,
                place=place,
                proposed=name in pinout.proposed,
                sealed=name in sealed,
            )
        )
    return found


def wiring_shown(config: TableConfig) -> list[WiringShown]:
    """The drawings of the table's wiring."""
    if not config.boards:
        pinout = pinout_of(config)
        # A machine takes no calls: nobody is proposed to wire the buttons of a table to it.
        idle = pinout.proposed & _OF_A_MACHINE.keys() if spec_of(config).machine else frozenset()
        pins = {number: line for number, line in pinout.on_header.items() if line not in idle}
        sides = [PinShown(one.label, str(one.number), pins.get(one.number, "")) for one in HEADER]
        return [WiringShown(Said("wiring.header"), tuple(zip(sides[::2], sides[1::2], strict=True)))]
    found: list[WiringShown] = []
    for name, board in config.boards.items():
        kind = KINDS[board.kind]
        at = {(one.side, one.number): one.line for one in config.terminals.values() if one.board == name}
        lines = {printed(place.pin): at.get((place.side, place.number), "") for place in places_of(kind) if place.pin}
        rows = tuple((_pin(left, lines), _pin(right, lines)) for left, right in NANO)
        if board.chip in PICOS:
            at_pins = ((where, label) for label, where in pins_of_pico(kind).items() if where and label in lines)
            shown = [PinShown(where, "", lines[label]) for where, label in at_pins]
            rows = tuple(zip_longest(shown[::2], shown[1::2], fillvalue=PinShown("", "", "")))
        found.append(WiringShown(Said("wiring.board", {"board": name, "kind": kind.name, "port": board.port}), rows))
    return found


def _pin(label: str, lines: dict[str, str]) -> PinShown:
    return PinShown(label, "", lines.get(label, ""))
