r"""The movement that proves an encoder and its index: a person turns the wheel in a stated direction.

asked: positive   A  ___/‾‾‾\___/‾‾‾\___      A leads B: the count grows
                  B  _____/‾‾‾\___/‾‾‾\_      index: rises at angle 0, while B is low

exchanged A and B, or one of them inverted: the count falls
both inverted: the count grows, but B is high where the index rises
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

from drivers.base.movement import Movement, MovementResult, PlotRow, Recording, failed, unusable
from drivers.wheel.quadrature import ANY_COUNT, COUNTS_PER_SLOT, OTHER, REPEATED, QuadratureDecoder

LEAST_TURNS: Final = 1.2
"""Turns that a person makes at least (ours): the index passes, and a whole turn can be counted."""
MOST_BACK: Final = 0.1
"""Of a turn that a hand may go back on the way (ours)."""
WIDTH_TOLERANCE: Final = 0.35
"""By how much of the stated width the index may be wider or narrower (ours), beside one count."""


LEAST_SLOTS: Final = 8
"""A disc with fewer slots than the least that a file may have is none (ours)."""
MOST_OFTEN: Final = 3
"""An index that changes oftener than this times a channel is a channel (ours): an index that bounces is not."""
MOST_LISTED: Final = 4
"""Gaps between two rises of the index that are printed (ours)."""


class WheelTurn(NamedTuple):
    """What an encoder did while it was turned."""

    counts: int
    back: int
    """The furthest that it went back from its furthest point in the direction of the turn."""
    repeated: int
    """Edges that repeat a level: changes between them are missing."""
    rises: list[tuple[int, int | None]]
    """Count at each rise of the index, and the level of B there."""
    falls: list[int]


def follow(recording: Recording, a: str, b: str, index: str) -> WheelTurn:
    """Decodes a turn."""
    decoder = QuadratureDecoder(a, b)
    edges = iter(recording.edges)
    levels: dict[str, int] = {}
    rises: list[tuple[int, int | None]] = []
    falls: list[int] = []
    low = high = most_back_up = most_back_down = repeated = 0
    known_b: list[tuple[int, int]] = [(edge.t_ns, edge.level) for edge in recording.edges if edge.line == b]
    while True:
        stop, edge = decoder.run(edges, decoder.count, decoder.count, ANY_COUNT)
        low, high = min(low, decoder.count), max(high, decoder.count)
        most_back_up, most_back_down = max(most_back_up, high - decoder.count), max(most_back_down, decoder.count - low)
        if edge is None:
            break
        repeated += stop is REPEATED
        if stop is OTHER and edge.line == index:
            before, levels[index] = levels.get(index), edge.level
            if before is None or before == edge.level:
                continue
            if edge.level:
                rises.append((decoder.count, _level_at(known_b, edge.t_ns)))
            else:
                falls.append(decoder.count)
    back = most_back_up if decoder.count >= 0 else most_back_down
    return WheelTurn(decoder.count, back, repeated, rises, falls)


def _level_at(changes: list[tuple[int, int]], t_ns: int) -> int | None:
    before = [level for at_ns, level in changes if at_ns < t_ns]
    return before[-1] if before else None


def turn(part: str, slots: int, index_width_deg: float, direction: str, *, exchange: str = "") -> Movement:
    """The movement of an encoder on a `part` (`rotor`, `wheel`): two turns in `direction`, as the person sees it."""
    a, b, index = f"{part}_a", f"{part}_b", f"{part}_index"

    def judge(recording: Recording) -> MovementResult:
        wrong = unusable(recording, (a, b, index))
        if wrong is not None:
            return wrong
        return judge_exchange(recording, (a, b), index) or judge_turn(
            follow(recording, a, b, index), (a, b, index), slots, index_width_deg, direction
        )

    instruction = f"Turn the {part} by hand {direction}, slowly, two whole turns, and leave it{exchange}"
    return Movement(f"turn_{part}", instruction, (a, b, index), judge)


def judge_exchange(recording: Recording, channels: tuple[str, ...], index: str) -> MovementResult | None:
    """An index that changes far oftener than a channel is that channel, and the channel is the index."""
    counted = {line: len(recording.changes(line)) for line in (*channels, index)}
    seldom = min(channels, key=counted.__getitem__)
    if counted[index] <= MOST_OFTEN * counted[seldom]:
        return None
    return failed(
        f"{index} changed {counted[index]} times and {seldom} {counted[seldom]} times: the index is the one that "
        "changes twice a turn",
        f"{seldom} and {index} are exchanged: exchange their wires, or their pins in the file",
    )


def judge_turn(
    turned: WheelTurn, lines: tuple[str, str, str], slots: int, index_width_deg: float, direction: str
) -> MovementResult:
    """Whether a turn is that of an encoder with this many slots, turned in the positive direction."""
    a, b, index = lines
    per_turn = COUNTS_PER_SLOT * slots
    turns = turned.counts / per_turn
    if turned.repeated:
        return failed(
            f"{turned.repeated} edges repeat a level: pulses are missing",
            "turn more slowly; if it happens again, look for noise, a loose contact or a dirty disc",
        )
    if turned.back > MOST_BACK * per_turn:
        return failed("it went back and forth", f"turn it {direction} only, in one go")
    if abs(turns) < LEAST_TURNS:
        gaps = _gaps(turned)
        if len(turned.rises) > 1 and gaps:
            return _wrong_slots(gaps, per_turn)
        return failed(f"it turned {abs(turns):.2f} times", f"turn it two whole turns {direction}, and then press ENTER")
    if turned.counts < 0:
        return failed(
            f"it turned {abs(turns):.2f} times, but against {direction}",
            f"if you turned it as instructed, {a} and {b} are exchanged, or one of the two is inverted: exchange "
            "their wires, or correct the file; if you turned it the other way, turn it again",
        )
    gaps = _gaps(turned)
    if not gaps:
        return failed(
            f"it turned {turns:.2f} times, and {index} rose {len(turned.rises)} times",
            f"the index must rise once a turn: check the gap of its sensor, and encoder_slots = {slots}",
        )
    slot = COUNTS_PER_SLOT // 2
    if max(abs(gap - per_turn) for gap in gaps) > slot:
        return _wrong_slots(gaps, per_turn)
    width_deg = _width(turned, per_turn)
    plot = (
        PlotRow("turns", turns, None, ""),
        PlotRow("counts a turn", sum(gaps) / len(gaps), per_turn, ""),
        *(() if width_deg is None else (PlotRow("index is high for", width_deg, index_width_deg, "°"),)),
    )
    if width_deg is not None and width_deg > 180:
        return failed(
            f"{index} is high for {width_deg:.0f}° of a turn",
            f"it is inverted: write inverted the other way for {index}",
            plot,
        )
    allowed_deg = 360 / per_turn + WIDTH_TOLERANCE * index_width_deg
    if width_deg is not None and abs(width_deg - index_width_deg) > allowed_deg:
        return failed(
            f"{index} is high for {width_deg:.2f}°, and the file has {index_width_deg:g}°",
            f"measure the mark, and write index_width_deg = {width_deg:.2f} if it is so wide",
            plot,
        )
    if all(level == 1 for _, level in turned.rises):
        return failed(
            f"{b} is high where {index} rises",
            f"{a} and {b} are both inverted, or the mark does not begin where {a} rises: correct inverted in the file, "
            "or move the mark by half a slot",
            plot,
        )
    found = f"{turns:.2f} turns {direction}, {round(sum(gaps) / len(gaps))} counts a turn"
    kept = {} if width_deg is None else {"index_width_deg": round(width_deg, 2)}
    return MovementResult(True, found, "", kept, plot)


def _gaps(turned: WheelTurn) -> list[int]:
    """Counts between two rises of the index."""
    counts = [count for count, _ in turned.rises]
    return [abs(after - before) for before, after in pairwise(counts)]


def _wrong_slots(gaps: list[int], per_turn: int) -> MovementResult:
    mean = sum(gaps) / len(gaps)
    slots = round(mean / COUNTS_PER_SLOT)
    more = f" and {len(gaps) - MOST_LISTED} more" if len(gaps) > MOST_LISTED else ""
    found = f"{', '.join(map(str, gaps[:MOST_LISTED]))}{more} counts from index to index, and the file has {per_turn}"
    if slots < LEAST_SLOTS or max(abs(gap - mean) for gap in gaps) > COUNTS_PER_SLOT:
        return failed(
            found,
            "no disc gives unequal gaps: the index bounces or catches noise, the coupling slips, or pulses are lost",
        )
    return failed(
        found,
        f"if the disc has {slots} slots, write encoder_slots = {slots}; else the coupling slips, or pulses are lost",
    )


def _width(turned: WheelTurn, per_turn: int) -> float | None:
    """How many degrees the index is high, from a rise to the fall after it."""
    widths = [
        min(fall - rise for fall in turned.falls if fall >= rise)
        for rise, _ in turned.rises
        if any(fall >= rise for fall in turned.falls)
    ]
    # The edge of the index is somewhere within the count: half of one is added on the average.
    return None if not widths else sum(widths) / len(widths) * 360 / per_turn
