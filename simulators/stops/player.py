"""The player of a machine whose reels he stops: what he wants, how well he hits it, and where the reels stop then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, TypeVar

from simulators.base.geometry import GeometryError
from simulators.base.truth import Truth
from simulators.coins.equipment import CoinGeometry

P = TypeVar("P")
Parks = Callable[[Sequence[int | None]], Sequence[int]]
"""Where all reels are once the house has parked those that the player left (None)."""
NOTICES: Final = ("device.fault", "device.warning", "machine.event")


def parked_at_home(stops: Sequence[int | None]) -> Sequence[int]:
    """Every reel that the player left is at symbol 0."""
    return [0 if stop is None else stop for stop in stops]


@dataclass(frozen=True, slots=True, kw_only=True)
class StopPlay:
    """How a machine is played."""

    reels: int = 3
    symbols: int = 20
    spin_s: float = 0.5
    """Nothing stops a reel before."""
    longest_s: float = 20.0
    """The player's time."""
    aims: tuple[tuple[tuple[int, ...], ...], ...] = ()
    """What the player may want: combinations, each as the symbols that suit at each reel; without one, symbol 0."""
    parks: Parks = parked_at_home
    """Where the house parks the reels that the player leaves."""
    coins: CoinGeometry | None = None
    """Acceptor and hopper, in place of the chute; None where tokens go into a chute, and awards are paid by hand."""

    def __post_init__(self) -> None:
        if not 3 <= self.reels <= 5:
            raise GeometryError(f"reels is 3 to 5, not {self.reels}")

    @property
    def numbers(self) -> range:
        """The reels, counted from 1."""
        return range(1, self.reels + 1)

    def wanted(self, missed_symbols: float, rng: Random) -> Iterator[int]:
        """The symbol at which the player stops each reel: the one he wants, and by how much he misses it.

        `missed_symbols` is the standard deviation of that.
        """
        wanted = rng.choice(self.aims) if self.aims else ((0,),) * self.reels
        for suiting in wanted:
            missed = round(rng.gauss(0.0, missed_symbols))
            yield (rng.choice(suiting) + missed) % self.symbols

    def truth(self, stops: Sequence[int | None], fault: str) -> Truth:
        """A play that ends with these stops; the house parks the reels whose stop is None."""
        stand = tuple(self.parks(stops))
        detail = f"the reels are at {'-'.join(map(str, stand))}" + (f"; {fault}" if fault != "none" else "")
        return Truth(True, stand, 0.0, 0.0, (), detail, NOTICES, None)


def stopped_by_player(fault: str, plans: Sequence[P]) -> list[P | None]:
    """The plans, None for each reel that the player leaves to the house."""
    if fault == "player_walks_away":
        return [None] * len(plans)
    left = 1 if fault == "player_leaves_one" else None
    return [None if reel == left else plan for reel, plan in enumerate(plans)]
