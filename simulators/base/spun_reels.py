"""What a player does at reels that he stops, whatever turns them, and where they stand then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeVar

from simulators.base.truth import Truth

P = TypeVar("P")
Parks = Callable[[Sequence[int | None]], Sequence[int]]
"""Where all reels stand once the house has parked those that the player left (None)."""


def parked_at_home(stops: Sequence[int | None]) -> Sequence[int]:
    """Every reel that the player left stands at symbol 0."""
    return [0 if stop is None else stop for stop in stops]


def wanted_stops(
    aims: Sequence[Sequence[Sequence[int]]],
    reels: int,
    symbols: int,
    skill_s: float,
    symbols_in: Callable[[float], float],
    rng: Random,
) -> Iterator[int]:
    """The symbol at which the player stops each reel: the one he wants, and by how much he misses it.

    `aims` are combinations, each as the symbols that suit at each reel; without one he wants symbol 0. `skill_s` is the
    standard deviation of a press in seconds, `symbols_in` how many symbols pass in so many seconds.
    """
    wanted = rng.choice(aims) if aims else ((0,),) * reels
    for suiting in wanted:
        missed = round(symbols_in(rng.gauss(0.0, skill_s)))
        yield (rng.choice(suiting) + missed) % symbols


def stopped_by_player(fault: str, plans: Sequence[P]) -> list[P | None]:
    """The plans, None for each reel that the player leaves to the house."""
    if fault == "player_walks_away":
        return [None] * len(plans)
    left = 1 if fault == "player_leaves_one" else None
    return [None if reel == left else plan for reel, plan in enumerate(plans)]


def truth_of_stops(stops: tuple[int, ...], fault: str) -> Truth:
    """A play at whose end the reels stand there."""
    detail = f"the reels stand at {'-'.join(map(str, stops))}" + (f"; {fault}" if fault != "none" else "")
    return Truth(True, stops, 0.0, 0.0, (), detail, ("device.fault", "device.warning", "machine.event"), None)
