"""The sections of a table's file that tables with boards have, declared key by key."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from controller.configuration.sections import Name, Port, Pull

BoardKind = Literal["wheel", "table", "reel", "pusher"]
"""The kinds of boards, as the wire's table names them (`hal.board.messages.KINDS`)."""

Side = Literal["input", "output", "analogue"]
SIDES: Final[tuple[Side, ...]] = ("input", "output", "analogue")
"""What a terminal of a board can be."""

_NOUNS: Final[dict[Side, str]] = {"input": "input", "output": "output", "analogue": "analogue channel"}


class BoardSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[board.NAME]`: a board with firmware of its own, on a serial port."""

    kind: Annotated[BoardKind, Meta(description="what its firmware is made for", examples=["wheel"])]
    port: Annotated[
        Port,
        Meta(
            description="the board's port by its id, or any URL that pyserial opens",
            examples=["/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"],
        ),
    ]
    serial: Annotated[
        Annotated[int, Meta(ge=1, le=4_294_967_295)] | None,
        Meta(description="the number that `feltwire boards name` gave the board: another one in its place is refused"),
    ] = None
    supply_v: Annotated[
        float,
        Meta(
            ge=3,
            le=5.5,
            description="the supply of the board's chip, against which it measures its analogue channels",
            extra={"cite": "ours"},
        ),
    ] = 5.0
    emulated: Annotated[
        bool,
        Meta(description="the board is emulated (`feltwire boards emulate`): every event says that it is simulated"),
    ] = False


class TerminalSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of `[pins]` on a board: its terminal. Exactly one of `input`, `output` and `analogue`."""

    board: Annotated[
        Name | None, Meta(description="which board, by the name of its section; needed where there are several")
    ] = None
    input: Annotated[int | None, Meta(description="the number of the input, from 1")] = None
    output: Annotated[int | None, Meta(description="the number of the output, from 1")] = None
    analogue: Annotated[int | None, Meta(description="the number of the analogue channel, from 1")] = None
    pull: Annotated[
        Pull | None,
        Meta(
            description="of an input: up, the resistor to + inside the chip, or none; a board has no pull-down. "
            "Without it, up",
            extra={"cite": "ours"},
        ),
    ] = None
    inverted: Annotated[bool, Meta(description="the line is active when the wire is low")] = False
    zero_v: Annotated[
        Annotated[float, Meta(ge=0, le=5.5)] | None,
        Meta(description="of an analogue channel: the volts at which the reading is 0"),
    ] = None
    per_v: Annotated[
        Annotated[float, Meta(ge=-1000, le=1000)] | None,
        Meta(description="of an analogue channel: by how much the reading grows with each volt"),
    ] = None

    @property
    def sides(self) -> list[Side]:
        """Which of `input`, `output` and `analogue` it gives; one, where it is right."""
        return [side for side in SIDES if getattr(self, side) is not None]

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between the keys: key, what, fix."""
        sides = self.sides
        if len(sides) != 1:
            wrong = f"says {' and '.join(sides)}" if sides else "says no terminal"
            return [("", wrong, "write one of { input = 1 }, { output = 1 } and { analogue = 1 }")]
        found: list[tuple[str, str, str]] = []
        if self.pull == "down":
            fix = 'write pull = "up", or pull = "none" with a resistor of your own to ground'
            found.append(("pull", "is down, and the chip of a board has resistors to + only", fix))
        if self.pull is not None and sides != ["input"]:
            found.append(("pull", f"has no meaning for an {_NOUNS[sides[0]]}", "remove it"))
        if sides != ["analogue"]:
            scale = [key for key in ("zero_v", "per_v") if getattr(self, key) is not None]
            found += [(key, f"has no meaning for an {_NOUNS[sides[0]]}", "remove it") for key in scale]
        if sides == ["output"] and self.inverted:
            wrong = "is true, and a board that goes safe makes its outputs low: this one would be on then"
            found.append(
                ("inverted", wrong, "remove it, and drive what hangs on it so that it is on when the wire is high")
            )
        if sides == ["analogue"]:
            found += self._scale_problems()
        return found

    def _scale_problems(self) -> list[tuple[str, str, str]]:
        found: list[tuple[str, str, str]] = []
        if self.inverted:
            found.append(("inverted", "has no meaning for an analogue channel", "remove it, or make per_v negative"))
        if self.zero_v is None:
            found.append(("zero_v", "is missing", "add zero_v = 2.5, the volts that the sensor gives at 0"))
        if not self.per_v:
            wrong = "is missing" if self.per_v is None else "is 0, with which every reading is 0"
            found.append(("per_v", wrong, "write per_v = 5.0, the degrees for which the sensor gives one volt more"))
        return found
