"""The movements that prove a money wheel: turned, a known space under the indicator, and pushed against the flapper."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

import msgspec

from drivers.base.movement import (
    Movement,
    MovementResult,
    PlotRow,
    Recording,
    dead_lines,
    failed,
    inverted_lines,
    mostly_high,
    observe,
    unusable,
)
from drivers.money_wheel.device import MoneyWheelConfig, Rest, WheelRested
from drivers.money_wheel.encoder_wheel import MoneyWheel
from drivers.money_wheel.peg_wheel import PegWheel
from drivers.wheel.encoder import Encoder
from drivers.wheel.movements import judge_exchange, turn
from drivers.wheel.quadrature import ANY_COUNT

PAUSE_NS: Final = 700_000_000
"""A hand that holds the wheel this long holds it on purpose (ours)."""
LEAST_PAUSES: Final = 2
"""Held this often in each direction at least (ours)."""
MOST_OFF: Final = 0.2
"""Of a space: an indicator further than this from the middle between the pegs' two sides is badly set (ours)."""
MOST_ZONE_DEG: Final = 3.0
"""The greatest `flapper_zone_deg` that a file may have."""


def movements(config: MoneyWheelConfig) -> list[Movement]:
    """The movements of a money wheel, by how it is sensed."""
    if config.sensing == "pegs":
        return [_pegs(config), _indicator(config)]
    way = "clockwise" if config.clockwise else "counter-clockwise"
    return [
        turn("wheel", config.encoder_slots, config.index_width_deg, f"{way} as the players see it"),
        _indicator(config),
        _flapper(config, way),
    ]


def with_measured(config: MoneyWheelConfig, measured: Mapping[str, Any]) -> MoneyWheelConfig:
    """The keys with what was measured: the flapper's zone, where it is wider than the file states."""
    zone_deg = measured.get("flapper_zone_deg", 0.0)
    return msgspec.structs.replace(config, flapper_zone_deg=max(config.flapper_zone_deg, min(MOST_ZONE_DEG, zone_deg)))


def _lines(config: MoneyWheelConfig) -> tuple[str, ...]:
    return ("wheel_peg", "wheel_index") if config.sensing == "pegs" else ("wheel_a", "wheel_b", "wheel_index")


# --- a known space under the indicator ---


def known_space(config: MoneyWheelConfig) -> int:
    """The space that a person is asked for: one whose face no other space has, as far from the index as there is."""
    alone = [space for space, face in enumerate(config.faces) if config.faces.count(face) == 1]
    count = len(config.faces)
    return max(alone, key=lambda space: min(space, count - space), default=count // 3)


def _indicator(config: MoneyWheelConfig) -> Movement:
    wanted = known_space(config)
    face = config.faces[wanted]
    alone = config.faces.count(face) == 1
    which = f'the space "{face}"' if alone else f'space {wanted} from the index ("{face}")'
    spin = "Spin" if config.sensing == "pegs" else "Turn"
    instruction = (
        f"{spin} the wheel by more than a whole turn, bring {which} to rest under the indicator, midway between its "
        "pegs, and let go of it for three seconds"
    )

    def judge(recording: Recording) -> MovementResult:
        wrong = unusable(recording, _lines(config))
        if wrong is not None:
            return wrong
        driver = MoneyWheel(config) if config.sensing == "quadrature" else PegWheel(config)
        rests = [one for one in observe(driver, recording) if isinstance(one, WheelRested)]
        if not rests:
            return failed("the wheel did not come to rest", "let go of it for three seconds before you press ENTER")
        return judge_rest(rests[-1].rest, wanted, config)

    return Movement("indicator", instruction, _lines(config), judge, wanted, ("turn_wheel",))


def judge_rest(rest: Rest, wanted: int, config: MoneyWheelConfig) -> MovementResult:
    """Whether the sensors name the space that a person sees under the indicator."""
    faces, count = config.faces, len(config.faces)
    if rest.space is None:
        return failed("the index did not pass", "turn the wheel by more than a whole turn")
    off = (wanted - rest.space + count // 2) % count - count // 2
    if off:
        indicator_deg = (config.indicator_deg + off * 360 / count + 180) % 360 - 180
        return failed(
            f'the sensors name space {rest.space} ("{faces[rest.space]}"), {abs(off)} from space {wanted} '
            f'("{faces[wanted]}")',
            f"write indicator_deg = {indicator_deg:g}, or move the mark of the index; if the faces are in another "
            "order on this wheel, correct faces",
        )
    if not rest.clear:
        return failed(
            f"the sensors have the indicator {rest.to_peg_spaces:.2f} spaces from a peg",
            "bring it midway between the two pegs; if it was there, the indicator or the mark of the index is askew",
        )
    found = f'space {wanted} ("{faces[wanted]}"), {rest.to_peg_spaces:.2f} spaces from the nearer peg'
    return MovementResult(True, found, plot=(PlotRow("to the nearer peg", rest.to_peg_spaces, 0.5, "spaces"),))


# --- the zone in which the flapper and the count may disagree ---
#
#     angle       peg ──────────── peg            pushed forward, the flapper holds on until the wheel is past the peg
#     forward      · · · · · · · · ·|‾‾x snaps    by x; pushed back, until it is before it by y. Between the two the
#     back      y‾‾|· · · · · · · · ·             count names one space and the flapper may be in the other.


def _flapper(config: MoneyWheelConfig, way: str) -> Movement:
    lines = _lines(config)
    instruction = (
        "Turn the wheel by more than a whole turn. Then push it slowly on, and hold it for a second each time just "
        f"before the flapper snaps over a peg: at three pegs {way}, then at three pegs the other way"
    )

    def judge(recording: Recording) -> MovementResult:
        dead = dead_lines(recording, lines)
        if dead:
            return failed(f"{', '.join(dead)} did not change", "turn it by more than a whole turn first")
        return judge_flapper(pauses(recording, config), config)

    return Movement("flapper", instruction, lines, judge, after=("turn_wheel",))


def pauses(recording: Recording, config: MoneyWheelConfig) -> list[tuple[int, float]]:
    """Where a hand held the wheel: the direction in which it had pushed, and the degrees beyond the nearest peg in the
    positive direction (negative before it).
    """
    encoder = Encoder("wheel_a", "wheel_b", "wheel_index", config.encoder_slots, config.index_width_deg)
    count_deg, space_deg = 360 / encoder.counts_per_turn, 360 / len(config.faces)
    found: list[tuple[int, float]] = []

    def hold() -> None:
        counts = encoder.angle_counts()
        if counts is None:
            return
        # Under the indicator passes the angle `indicator - angle`; a peg is half a space from the middle of a space.
        past_middle = ((counts + 0.5) * count_deg - config.indicator_deg) % space_deg
        found.append((encoder.quadrature.direction, past_middle - space_deg / 2))

    mine = [edge for edge in recording.edges if edge.line in encoder_lines]
    for before, after in pairwise(mine):
        encoder.run(iter([before]), -ANY_COUNT, ANY_COUNT, ANY_COUNT)
        if after.t_ns - before.t_ns >= PAUSE_NS:
            hold()
    if mine:
        encoder.run(iter(mine[-1:]), -ANY_COUNT, ANY_COUNT, ANY_COUNT)
        if recording.until_ns - mine[-1].t_ns >= PAUSE_NS:
            hold()
    return found


encoder_lines: Final = frozenset(("wheel_a", "wheel_b", "wheel_index"))


def judge_flapper(held: list[tuple[int, float]], config: MoneyWheelConfig) -> MovementResult:
    """The zone about a peg in which the flapper may be in either space."""
    forward = [beyond for direction, beyond in held if direction > 0]
    back = [beyond for direction, beyond in held if direction < 0]
    # The hand that turned the wheel to the first peg pauses too: the middle of what was held is taken.
    if min(len(forward), len(back)) < LEAST_PAUSES:
        return failed(
            f"it was held {len(forward)} times one way and {len(back)} times the other",
            "hold it for a second at each peg, just before the flapper snaps: three times each way",
        )
    space_deg, half_count = 360 / len(config.faces), 180 / (4 * config.encoder_slots)
    ahead, behind = _middle(forward), _middle(back)
    centre = (ahead + behind) / 2
    plot: tuple[PlotRow, ...] = (
        PlotRow("held forward, beyond the peg", ahead, 0.0, "°"),
        PlotRow("held back, beyond the peg", behind, 0.0, "°"),
    )
    if abs(centre) > MOST_OFF * space_deg:
        shown = (config.indicator_deg + centre + 180) % 360 - 180
        return failed(
            f"the flapper snaps {abs(centre):.2f}° beside the pegs, by the count",
            f"write indicator_deg = {shown:.2f}, or move the mark of the index",
            plot,
        )
    zone_deg = round(max(abs(ahead), abs(behind)) + half_count, 2)
    if zone_deg > MOST_ZONE_DEG or zone_deg > 0.45 * space_deg:
        return failed(
            f"the flapper holds on until {zone_deg:.2f}° beside a peg",
            "it is bent, too long or too stiff: straighten or replace it, and measure again",
            plot,
        )
    kept = {"flapper_zone_deg": zone_deg}
    plot = (*plot, PlotRow("flapper_zone_deg", zone_deg, config.flapper_zone_deg, "°"))
    return MovementResult(True, f"the flapper's zone is {zone_deg:.2f}° on each side of a peg", "", kept, plot)


def _middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


# --- a wheel that is sensed by its pegs ---


def _pegs(config: MoneyWheelConfig) -> Movement:
    way = "positive" if config.peg_direction == "positive" else "negative"
    lines = _lines(config)
    count = len(config.faces)

    def judge(recording: Recording) -> MovementResult:
        wrong = unusable(recording, lines)
        wrong = wrong or judge_exchange(recording, ("wheel_peg",), "wheel_index")
        if wrong is not None:
            return wrong
        inverted = mostly_high(recording, lines)
        if inverted:
            return inverted_lines(inverted)
        pegs: list[int] = []
        for line, level, _ in recording.edges:
            if line == "wheel_index" and level:
                pegs.append(0)
            elif line == "wheel_peg" and level and pegs:
                pegs[-1] += 1
        whole = pegs[:-1]
        if not whole:
            return failed(f"wheel_index rose {len(pegs)} times", "turn the wheel two whole turns")
        if any(abs(each - count) > 1 for each in whole):
            return failed(
                f"{', '.join(map(str, whole))} pegs from index to index, and the wheel has {count} spaces",
                "look for a bent peg and at the gap of the peg's sensor",
            )
        return MovementResult(True, f"{', '.join(map(str, whole))} pegs from index to index")

    instruction = f"Turn the wheel in its {way} direction, the one in which it is played, two whole turns"
    return Movement("turn_wheel", instruction, lines, judge)
