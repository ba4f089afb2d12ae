"""The lamps of a layout on one chain, lit by command and read back.

    LightLamps 3, 45 ──► chain ──► read-back: lit 3, 45          LampsRead(told 3, 45)
                                   lit 3, dead 45                LampsRead(told 3, 45, dead 45)
                                   nothing at all                LampsRead(told nothing): it was cleared, or reset

A read-back is the board's report `lamps` (docs/wire.md): three bit fields of eight bytes, lit, dead and stuck. What it
was told is what is lit by right together with what is dead.

The driver knows no commands: whoever gave them compares (`controller.rounds.lamp_watch`). So a capture, which has no
commands, replays alike however it is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import Observation
from hal.lamp_fields import CHAIN, FIELD, MOST_LAMPS, places
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

# What a chain of lamps says of itself: the words that its driver and the rounds share.


class LampsRead(Observation, frozen=True, kw_only=True):
    """The chain read back what it was last told. Lamps are places on the chain, from 1."""

    told: frozenset[int]
    """What it was told to light."""
    dead: frozenset[int] = frozenset()
    """Told to be lit, and drawing no current."""
    stuck: frozenset[int] = frozenset()
    """Told to be dark, and drawing some."""


class LampsLost(Observation, frozen=True, kw_only=True):
    """The chain cannot be reached, or what it says cannot be read."""

    detail: str


class LampBoardConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the lamp chain under `[device.lamp_board]`."""

    driver: Literal["lamp_board"] = "lamp_board"
    board: Annotated[
        str | None,
        Meta(description="the board that has the chain, by the name of its section; without it the one of kind table"),
    ] = None
    answer_ms: Annotated[
        int, Meta(ge=50, le=10_000, description="a chain that has not read back within this time has failed (ours)")
    ] = 1000
    recheck_s: Annotated[
        float,
        Meta(ge=0.5, le=60, description="lamps that are lit, or have failed, are read back anew so often (ours)"),
    ] = 2.0


class LampBoard:
    """The driver of one lamp chain; see `drivers.base.driver.Driver`."""

    lines = frozenset((CHAIN,))

    def __init__(self, lamps: int, name: str = "lamp_board") -> None:
        """`lamps` is how many of the chain's places have a lamp, from the first on.

        Raises:
            ValueError: no chain has so many places.
        """
        if not 1 <= lamps <= MOST_LAMPS:
            raise ValueError(f"lamp board: a chain has 1 to {MOST_LAMPS} lamps, not {lamps}")
        self.name = name
        self._lamps = lamps

    @property
    def next_due_ns(self) -> int | None:
        """The driver waits for nothing."""
        return None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """A chain has no edges."""
        return []

    def reading(self, reading: Reading) -> list[Observation]:
        """A chain has no analogue lines."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes a read-back."""
        if frame.link != CHAIN:
            return []
        if len(frame.data) != 3 * FIELD:
            detail = f"a read-back has {3 * FIELD} bytes, and {len(frame.data)} came; flash the board's firmware anew"
            return [LampsLost(t_ns=frame.t_ns, detail=detail)]
        lit, dead, stuck = (places(frame.data[at : at + FIELD], self._lamps) for at in range(0, 3 * FIELD, FIELD))
        return [LampsRead(t_ns=frame.t_ns, told=(lit - stuck) | dead, dead=dead, stuck=stuck)]

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """The chain's board is gone. A read-back that was lost shows by its not coming."""
        if loss.line != CHAIN or loss.cause is not Loss.UNPLUGGED:
            return []
        detail = "the board of the lamps cannot be reached; look at its cable and its supply"
        return [LampsLost(t_ns=loss.t_ns, detail=detail)]

    def due(self, t_ns: int) -> list[Observation]:
        """Time alone changes nothing."""
        return []
