"""A hand at simulated equipment of dice: a cage inverted, a die laid where a board reads, a shaker taken away."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.dice.reader_wire import BoardLine, BoardState, Die, encode_line
from hal.clock import NS_PER_S
from hal.values import Batch, Edge, Frame, Rare
from simulators.base.hand import SETTLE_S, ContactHand, found_low
from simulators.base.motion import Path
from simulators.base.sensors import MarkRing, by_time, quadrature_marks

HALF_TURN_S = 0.6
KNOCKS = 6
CAGE_SLOTS = 100


class DiceHand:
    """Moves the equipment of a dice table."""

    def __init__(self, seed: int, *, cage_slots: int = CAGE_SLOTS) -> None:
        self._contacts = ContactHand(seed)
        self._random = self._contacts.random
        self._cage_slots = cage_slots

    def move(self, movement: str, lines: Sequence[str], asked: int) -> Batch:
        """Makes a movement of a dice table, or presses a contact.

        Raises:
            HandMovementError: there is no such movement.
        """
        if movement == "invert_cage":
            return self._invert(lines, asked)
        if movement.startswith("read_"):
            return self._read(lines[0], asked)
        if movement == "take_shaker":
            edges = [Edge(lines[0], 1, 0), Edge(lines[0], 0, NS_PER_S), Edge(lines[0], 1, 3 * NS_PER_S)]
            return Batch(edges, [], 4 * NS_PER_S)
        return self._contacts.move(movement, lines, asked)

    def _invert(self, lines: Sequence[str], times: int) -> Batch:
        """Inversions without a pause, and dice that knock at each and once more before they are at rest."""
        begin_s, half_s = 3 * SETTLE_S + 2.0, HALF_TURN_S
        edges: list[Edge] = []
        if "cage_turn" in lines:
            edges = found_low(lines)
            edges += [
                Edge("cage_turn", (number + 1) % 2, round((begin_s + (number + 0.5) * half_s) * NS_PER_S))
                for number in range(times)
            ]
        else:
            period_deg, marks = quadrature_marks(self._cage_slots, "cage_a", "cage_b")
            path = Path(0.0, 0.5)
            path.push(0.0, begin_s)
            path.ramp(180 / half_s, 0.2)
            path.push(0.0, times * half_s - 0.2)
            path.ramp(0.0, 0.2)
            ring = MarkRing(marks, 0.5, period_deg)
            levels = [Edge(line, level, 0) for line, level in ring.levels().items()]
            edges = [*levels, *found_low(["cage_shake"]), *ring.edges(path.segments)]
        for number in range(times * KNOCKS):
            t_ns = round((begin_s + number * half_s / KNOCKS + self._random.uniform(0, 0.05)) * NS_PER_S)
            edges += [Edge("cage_shake", 1, t_ns), Edge("cage_shake", 0, t_ns + 2_000_000)]
        edges.sort(key=by_time)
        return Batch(edges, [], round((begin_s + times * half_s + 5.0) * NS_PER_S))

    def _read(self, link: str, value: int) -> Batch:
        rare: list[Rare] = []
        for number in range(8):
            empty = number < 3
            dice = () if empty else (Die("flat", value),)
            line = encode_line(BoardLine(value, BoardState.EMPTY if empty else BoardState.RESTING, dice))
            rare.append(Frame(link, line.removesuffix(b"\r\n"), (number + 1) * NS_PER_S // 2))
        return Batch([], rare, 5 * NS_PER_S)
