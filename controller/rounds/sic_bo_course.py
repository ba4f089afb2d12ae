"""What of a sic bo table outlives a restart beside its rounds and faults: told in events, and read back from them.

round.opened, round.course ──► course ──► journal ──► restored: age of the dice, shift, shaker, causes of faults

An inspection that was under way begins anew: a person looks at all of it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from controller.games.sic_bo.areas import AREAS
from controller.rounds.lit_game import LAMP_BOARD, LAMPS_FAILED, THE_LAMPS
from controller.rounds.sic_bo_opening import DICE, DICE_TOO_OLD, OLD_DICE, OPERATIONS, SHIFT_INSPECTION
from controller.rounds.tossing import DEVICE as SHAKER
from controller.table.faults import Fault
from feed.state import StandingFault, TableState

if TYPE_CHECKING:
    from controller.rounds.sic_bo import SicBoGame


class SicBoCourse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a table tells of itself for the time after a restart."""

    dice_placed: str | None = None
    """When the dice were placed, by the calendar; empty while they are too old, None where no time runs."""
    shift_operations: int | None = None
    """How often the automated shaker was operated since a shift began; None where a shift owes nothing."""
    shaker_removed: bool = False
    """Whether a supervisor has said that the automated shaker was taken from the table."""

    @property
    def told(self) -> dict[str, Any]:
        """As an event tells it."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


def course_of(game: SicBoGame) -> SicBoCourse | None:
    """What a table has to tell; None where its rules and its devices leave nothing to know."""
    opening, tossing = game.opening, game.tossing
    if opening.age.hours is None and tossing is None:
        return None
    return SicBoCourse(
        dice_placed=opening.age.told,
        shift_operations=opening.operations if opening.shift_due else None,
        shaker_removed=tossing is not None and not tossing.present and not tossing.present_sensor,
    )


def stand_again(game: SicBoGame, state: TableState) -> None:
    """Brings a table back to what was told last before a restart."""
    course = _told_last(state)
    if course is None:
        if state.round:
            game.opening.age.forget("nobody has said how old the dice are")
        return
    game.opening.age.restore(course.dice_placed, state.time)
    game.opening.owe(course.shift_operations)
    if game.tossing is not None and not game.tossing.present_sensor:
        game.tossing.present = not course.shaker_removed


def causes_again(game: SicBoGame, stood: Iterable[StandingFault], t_ns: int) -> list[Fault]:
    """The faults that stood before a restart and whose cause does: they are not told again, but keep it."""
    again = []
    for fault in stood:
        key = (fault.device, fault.fault)
        if key == (LAMP_BOARD, LAMPS_FAILED):
            game.lamps.doubt([area.number for area in AREAS], fault.detail, t_ns)
            cause = THE_LAMPS
        elif key == (DICE, DICE_TOO_OLD) and game.opening.age.look(t_ns):
            game.opening.age.too_old = True
            cause = OLD_DICE
        elif key == (SHAKER, SHIFT_INSPECTION) and game.opening.shift_due:
            cause = OPERATIONS
        else:
            continue
        again.append(Fault(t_ns, fault.fault, fault.detail, cause=cause, device=fault.device))
    return again


def _told_last(state: TableState) -> SicBoCourse | None:
    """What was told last; None where nothing was that this version reads."""
    told: Mapping[str, Any] | None = state.course
    if told is None and state.rounds:
        # A verdict takes it along: it is what stood when that round was opened, or was changed in it.
        told = state.rounds[-1].course
    if told is None:
        return None
    try:
        return msgspec.convert(told, SicBoCourse)
    except msgspec.ValidationError:
        return None
