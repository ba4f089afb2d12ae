"""The parameters of a simulated table: what every family's geometry has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from simulators.base.faults import SimulatedFault
    from simulators.base.truth import TableSimulator


CALL: Final = "dealer_no_more_bets"
SETTLED: Final = "dealer_settled"


class GeometryError(ValueError):
    """Parameters that no table can have."""


class Geometry(Protocol):
    """One simulated table: its buttons, the faults that it may have, and what plays it.

    A family adds its sensors and their positions in a dataclass of its own.
    """

    @property
    def no_more_bets_button(self) -> bool:
        """Whether the dealer calls by a button."""

    @property
    def settled_button(self) -> bool:
        """Whether the dealer settles by a button."""

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault of its family, `none` first; those that lack something here among them."""

    def simulator(self, seed: int) -> TableSimulator:
        """A table that plays it. Equal seeds give equal rounds."""


def buttons_of(geometry: Geometry) -> tuple[str, ...]:
    """The lines of the dealer's buttons that a table has."""
    has = ((CALL, geometry.no_more_bets_button), (SETTLED, geometry.settled_button))
    return tuple(line for line, present in has if present)


def at_least(name: str, value: int, least: int) -> None:
    """Raises `GeometryError` where a number is below its least value."""
    if value < least:
        raise GeometryError(f"{name} is at least {least}, not {value}")


def within_turn(name: str, value: float) -> None:
    """Raises `GeometryError` where an angle is not between 0 and 360 degrees."""
    if not 0.0 < value < 360.0:
        raise GeometryError(f"{name} is more than 0 and less than 360 degrees, not {value}")
