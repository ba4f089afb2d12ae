"""The plays of a simulated machine, one after the other: the tokens, the attendant's orders, and what is still to come.

PlayScripts ──begin──► PlayScript: token, orders, door ──played──► SimRound
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, Generic, Protocol, TypeVar

from hal.clock import NS_PER_S
from hal.values import Batch, Edge, Rare
from simulators.base.faults import fault_named
from simulators.base.geometry import Geometry
from simulators.base.truth import SimRound
from simulators.coins.equipment import CoinEquipment, CoinGeometry
from simulators.coins.patron import DOOR, INNER_OPTO, OUTER_OPTO, PASS_S, cleared, ns, ordered, token_edges
from simulators.stops.player import StopPlay

S = TypeVar("S")
NEVER_NS: Final = 1 << 62
BETWEEN_S: Final = (1.0, 2.5)
"""From the end of a play to the next token (ours)."""
IN_S: Final = 0.2
"""A token that is put into a chute is past both optos by then."""
NOTICED_S: Final = 0.6
"""A token in an acceptor is known this soon: two polls of 0.2 s, and their answers."""


class WayIn(Protocol):
    """How tokens come into a machine."""

    @property
    def tokens_ns(self) -> list[int]:
        """When each token that a player put in is in: the truth."""

    def pay_in(self, at_s: float, rng: Random) -> Sequence[Edge]:
        """A player puts a token in."""

    def put_in(self, at_s: float, step_s: float) -> Sequence[Edge]:
        """A token goes in that is not a player's. `step_s` is its time from one opto of a chute to the other."""


class ChuteOrCoins:
    """Tokens come in through a chute, or by the acceptor of coin equipment on a bus."""

    def __init__(self, geometry: CoinGeometry | None, seed: int) -> None:
        self.equipment = None if geometry is None else CoinEquipment(geometry, seed)
        """None where there is a chute."""
        self.tokens_ns: list[int] = []
        """When each token that a player put in is in: the truth."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The optos of the chute, or the link of the bus."""
        return (OUTER_OPTO, INNER_OPTO) if self.equipment is None else self.equipment.links

    def pay_in(self, at_s: float, rng: Random) -> Sequence[Edge]:
        """A player puts a token in."""
        edges = self.put_in(at_s, rng.uniform(*PASS_S))
        self.tokens_ns.append(edges[-1].t_ns if edges else ns(at_s))
        return edges

    def put_in(self, at_s: float, step_s: float) -> Sequence[Edge]:
        """A token goes in."""
        if self.equipment is None:
            return token_edges(at_s, step_s)
        self.equipment.insert(ns(at_s))
        return ()


class PlayScript:
    """What happens in one play, as it is planned."""

    def __init__(self, asked: str | None, name: str, number: int, rng: Random, tokens: WayIn) -> None:
        """`name` is that of the fault which was `asked` for."""
        self.asked = asked
        self.name = name
        self.number = number
        self.rng = rng
        self.edges: list[Edge] = []
        self.rare: list[Rare] = []
        self._tokens = tokens

    def pay_in(self, at_s: float) -> None:
        """A player puts a token in."""
        self.edges += self._tokens.pay_in(at_s, self.rng)

    def test_token(self, at_s: float, step_s: float) -> float:
        """The attendant tests with a token; returns when the test is over."""
        self.order("test_begin", at_s)
        self.edges += self._tokens.put_in(at_s + 0.5, step_s)
        self.order("test_end", at_s + 2.0)
        return at_s + 2.0

    def open_door(self, at_s: float, most_s: float) -> None:
        """The door is opened, and closed a second later or within `most_s`."""
        self.edges += [Edge(DOOR, 1, ns(at_s)), Edge(DOOR, 0, ns(at_s + self.rng.uniform(1.0, most_s)))]

    def order(self, verb: str, at_s: float, *given: tuple[str, str]) -> None:
        """The attendant gives an order."""
        self.rare.append(ordered(verb, at_s, *given))

    def clear(self, device: str, at_s: float) -> float:
        """The attendant clears a device's faults; returns when play can go on."""
        self.rare.append(cleared(device, at_s + 0.5))
        return at_s + 1.0


class PlayScripts:
    """The plays of one machine in virtual time."""

    def __init__(self, play: StopPlay, tokens: WayIn, seed: int, quiet_s: float) -> None:
        """`quiet_s` is how long nothing happens at the start."""
        self._play = play
        self._tokens = tokens
        self._seed = seed
        self._number = 0
        self._now_s = quiet_s

    @property
    def number(self) -> int:
        """The number of the last play."""
        return self._number

    def begin(self, fault: str | None, geometry: Geometry) -> tuple[PlayScript, float]:
        """The next play, and when its player comes.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        name = fault_named(fault or "none", geometry).name
        self._number += 1
        rng = Random(f"{self._seed}/play/{self._number}")
        return PlayScript(fault, name, self._number, rng, self._tokens), self._now_s + rng.uniform(*BETWEEN_S)

    def played(self, script: PlayScript, stops: Sequence[int | None], end_s: float) -> SimRound:
        """The play as it is planned, and over at `end_s`: the player stops each reel there (None: he leaves it)."""
        self._now_s = end_s
        script.edges.sort(key=lambda edge: edge.t_ns)
        script.rare.sort(key=lambda value: value.t_ns)
        truth = self._play.truth(stops, script.name)
        return SimRound(Batch(script.edges, script.rare, ns(end_s)), truth, script.number, script.asked)

    def pass_to(self, t_ns: int) -> None:
        """The next play begins no sooner."""
        self._now_s = max(self._now_s, t_ns / NS_PER_S)


class Happenings(Generic[S]):
    """What happens to a simulated machine at its time, in the order of time."""

    def __init__(self) -> None:
        self._planned: list[tuple[int, Callable[[S, int], None]]] = []

    @property
    def next_ns(self) -> int:
        """When the next of it happens; `NEVER_NS` where nothing does."""
        return min((t_ns for t_ns, _ in self._planned), default=NEVER_NS)

    def plan(self, t_ns: int, happening: Callable[[S, int], None]) -> None:
        """Something happens at a time."""
        self._planned.append((t_ns, happening))

    def happen(self, machine: S) -> None:
        """The next of it happens."""
        planned = min(self._planned, key=lambda one: one[0])
        self._planned.remove(planned)
        t_ns, happening = planned
        happening(machine, t_ns)


class Upcoming:
    """What a machine's devices do that nobody has asked for yet."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.rare: list[Rare] = []

    @property
    def next_ns(self) -> int:
        """When the next of it comes; `NEVER_NS` where there is none."""
        return min((value.t_ns for queue in (self.edges, self.rare) for value in queue), default=NEVER_NS)

    def take(self, until_ns: int, equipment: CoinEquipment | None = None) -> Batch:
        """What comes up to a time, each of it once; with what comes on the bus of coin equipment."""
        edges = sorted((edge for edge in self.edges if edge.t_ns <= until_ns), key=lambda edge: edge.t_ns)
        rare = [value for value in self.rare if value.t_ns <= until_ns]
        self.edges = [edge for edge in self.edges if edge.t_ns > until_ns]
        self.rare = [value for value in self.rare if value.t_ns > until_ns]
        if equipment is not None:
            rare += equipment.answers(until_ns)
        return Batch(edges, sorted(rare, key=lambda value: value.t_ns), until_ns)
