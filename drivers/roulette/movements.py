"""The movements that prove a roulette wheel: the rotor turned, the ball rolled, a pocket read, the bowl tilted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from statistics import median, pstdev
from typing import Any, Final, NamedTuple

import msgspec

from drivers.base.movement import (
    OTHER_LEVEL,
    Movement,
    MovementResult,
    PlotRow,
    Recording,
    dead_lines,
    failed,
    inverted_lines,
    mostly_high,
    observe,
    press,
    unusable,
)
from drivers.roulette.device import PocketRead, RouletteWheelConfig
from drivers.roulette.object_beams import object_lines
from drivers.roulette.star_x import StarXConfig
from drivers.roulette.star_x_wire import StatusPacket, parse
from drivers.roulette.wheel import RouletteWheel
from drivers.wheel.movements import turn

LEAST_LAPS: Final = 2
"""Whole laps of the ball, from the first sensor to the first sensor, that are needed (ours)."""
ANGLE_TOLERANCE_DEG: Final = 12.0
"""A sensor that is measured further than this from where the file has it is elsewhere (ours): a ball that is rolled
by hand slows and bounces, and a person measures the bowl to a few degrees."""
STEADY_DEG: Final = 4.0
"""Angles that scatter less than this from lap to lap are kept (ours)."""
SAME_PASS_NS: Final = 60_000_000
"""Changes of one sensor closer than this are one pass of a ball that is rolled by hand (ours)."""
TILT_DEG: Final = 0.3
"""By how much a reading must follow when the bowl is lifted (ours): twice the tolerance in play."""


def movements(config: RouletteWheelConfig, wired: Collection[str]) -> list[Movement]:
    """The movements of a roulette wheel with sensors."""
    found = [
        turn("rotor", config.slots, config.index_width_deg, _positive(config)),
        _ball(config),
        _pocket(config),
    ]
    beams = [line for line in object_lines(config.object_beams) if line in wired]
    for number, line in enumerate(beams, 1):
        instruction = "Hold a finger in the beam for foreign objects for a second, and take it out"
        if len(beams) > 1:
            instruction = (
                f"Cover the receiver of beam {number} for foreign objects ({line}) with a finger for a second, the "
                "other beam free, and let it go"
            )
        found.append(press(line, instruction, beams))
    for axis, other in (("level_x", "level_y"), ("level_y", "level_x")):
        if axis in wired:
            beside = other if other in wired else None
            found += [_tilt(axis, beside, 1), _tilt(axis, beside, -1)]
    return found


def with_measured(config: RouletteWheelConfig, measured: Mapping[str, Any]) -> RouletteWheelConfig:
    """The keys with the measured angles of the track sensors."""
    angles = tuple(measured.get("ball_sensors_deg", ()))
    if len(angles) != len(config.ball_sensors_deg):
        return config
    return msgspec.structs.replace(config, ball_sensors_deg=angles)


def _positive(config: RouletteWheelConfig) -> str:
    """The positive direction, for a person beside the wheel: that in which the file has the order of the pockets."""
    order = config.wheel_order
    return f"clockwise seen from above (from pocket {order[0]} to its neighbour {order[1]})"


# --- the ball on its track ---


class _Pass(NamedTuple):
    line: str
    t_ns: float
    """The middle of the pulse."""


def _ball(config: RouletteWheelConfig) -> Movement:
    lines = tuple(f"ball_{number}" for number in range(1, len(config.ball_sensors_deg) + 1))
    instruction = (
        "Leave the rotor at rest. Put the ball on the track just before track sensor 1, and roll it by hand four laps "
        f"{_positive(config)}, evenly; then take it off the track"
    )

    def judge(recording: Recording) -> MovementResult:
        stuck = [line for line in lines if recording.found.get(line) and not recording.changes(line)]
        if stuck:
            return failed(f"{', '.join(stuck)}: 1 all the time", f"clear what is before it; else {OTHER_LEVEL}")
        wrong = unusable(recording, lines)
        if wrong is not None:
            return wrong
        inverted = mostly_high(recording, lines)
        if inverted:
            return inverted_lines(inverted)
        return judge_ball(passes_of(recording, lines), config.ball_sensors_deg)

    return Movement("roll_ball", instruction, lines, judge)


def passes_of(recording: Recording, lines: Collection[str]) -> list[_Pass]:
    """The passes of the ball: the middle of each pulse; contacts that bounce and a ball that hops make one."""
    pulses: list[tuple[str, int, int]] = []
    rise: dict[str, int] = {}
    found = recording.found
    seen: set[str] = set()
    for line, level, t_ns in recording.edges:
        if line not in lines:
            continue
        if line not in seen:
            seen.add(line)
            continue
        if level:
            rise[line] = t_ns
        elif line in rise:
            pulses.append((line, rise.pop(line), t_ns))
        elif found.get(line):
            pulses.append((line, t_ns, t_ns))
    pulses.sort(key=lambda pulse: pulse[1])
    merged: list[tuple[str, int, int]] = []
    for line, start_ns, end_ns in pulses:
        if merged and merged[-1][0] == line and start_ns - merged[-1][2] < SAME_PASS_NS:
            merged[-1] = (line, merged[-1][1], end_ns)
        else:
            merged.append((line, start_ns, end_ns))
    return [_Pass(line, (start_ns + end_ns) / 2) for line, start_ns, end_ns in merged]


def judge_ball(passes: Sequence[_Pass], sensors_deg: Sequence[float]) -> MovementResult:
    """Whether the sensors are where the file has them, and each wire is that of its sensor."""
    lines = [f"ball_{number}" for number in range(1, len(sensors_deg) + 1)]
    if not passes:
        return failed("no ball passed", "roll the ball past every track sensor")
    first = passes[0].line
    laps, missed = _laps(passes, first, len(lines))
    if len(laps) < LEAST_LAPS:
        if missed:
            return failed(
                f"a lap without {' and without '.join(sorted(missed))}",
                "roll it evenly, all round; if it happens again, set the gap and the sensitivity of that sensor",
            )
        return failed(f"{len(laps)} whole laps", "roll the ball four laps, evenly")
    angles = {line: [lap[line] for lap in laps] for line in lines}
    # The middle of a lap's values; those of the first line are 0 by their making.
    at = {line: median(values) for line, values in angles.items()}
    scatter = max(pstdev(values) for values in angles.values())
    plot = _plot(at, sensors_deg)
    if scatter > 3 * STEADY_DEG:
        return failed(f"the laps differ by {scatter:.0f}°", "roll it evenly; a second ball must not run", plot)
    places = _assignments(at, sensors_deg)
    if first == lines[0] and (1, tuple(range(len(lines)))) in places:
        kept: dict[str, list[float]] = {}
        if scatter <= STEADY_DEG:
            kept = {"ball_sensors_deg": [round((sensors_deg[0] + at[line]) % 360, 1) for line in lines]}
        shown = ", ".join(f"{(sensors_deg[0] + at[line]) % 360:.0f}°" for line in lines)
        steady = "" if kept else "; the laps differ too much for these angles to be kept: roll it more evenly"
        return MovementResult(True, f"{len(laps)} laps, sensors at {shown}{steady}", "", kept, plot)
    if not places:
        shown = ", ".join(f"{line} at {at[line]:.0f}°" for line in lines)
        return failed(
            f"no exchange of wires explains the passes: from {first} on, {shown}",
            "measure the sensors on the bowl and correct ball_sensors_deg; begin just before track sensor 1",
            plot,
        )
    return failed(f"the ball passed {' → '.join(p.line for p in passes[: len(lines)])} first", _advice(places), plot)


def _advice(places: Collection[tuple[int, tuple[int, ...]]]) -> str:
    """What may be wrong, each with its remedy."""
    told: list[str] = []
    for direction, order in sorted(places, key=lambda one: (_moved(one[1]), -one[0])):
        wires = [f"ball_{number}" for number, place in enumerate(order, 1) if place != number - 1]
        way = " and the ball was rolled the other way" if direction < 0 else ""
        if wires:
            told.append(f"the wires of {' and '.join(wires)} are exchanged{way}")
        else:
            told.append("the ball was rolled the other way")
    again = (
        "roll it again as instructed"
        if any(direction < 0 for direction, _ in places)
        else "exchange them, and roll again"
    )
    return f"{', or '.join(told)}: {again}"


def _moved(order: Sequence[int]) -> int:
    return sum(place != number for number, place in enumerate(order))


def _laps(passes: Sequence[_Pass], first: str, sensors: int) -> tuple[list[dict[str, float]], set[str]]:
    """The angle of each sensor in every whole lap, from `first` on, and the sensors that a lap was without.

    Within a lap the ball slows evenly: its angle is the parabola through this and the next passes of `first`.
    """
    starts = [place for place, one in enumerate(passes) if one.line == first]
    laps: list[dict[str, float]] = []
    missed: set[str] = set()
    for number, (start, end) in enumerate(pairwise(starts)):
        inside = passes[start + 1 : end]
        there = {one.line for one in inside}
        if len(inside) != sensors - 1 or len(there) != sensors - 1:
            missed |= {f"ball_{n}" for n in range(1, sensors + 1)} - there - {first}
            continue
        nearest = starts[number + 2] if number + 2 < len(starts) else starts[number - 1] if number else None
        t0, t1 = passes[start].t_ns, passes[end].t_ns
        lap = {first: 0.0}
        for one in inside:
            share = (one.t_ns - t0) / (t1 - t0)
            if nearest is not None:
                # Angles 0 and 1 at the ends of the lap, 2 (or -1) at the other pass; Newton's form.
                t2, turns = (passes[nearest].t_ns - t0) / (t1 - t0), 2.0 if number + 2 < len(starts) else -1.0
                curve = (turns - t2) / (t2 * (t2 - 1.0))
                share += curve * share * (share - 1.0)
            lap[one.line] = 360 * share
        laps.append(lap)
    return laps, missed


def _assignments(at: dict[str, float], sensors_deg: Sequence[float]) -> list[tuple[int, tuple[int, ...]]]:
    """Every direction of the ball and place of each wire that explain the measured angles.

    The ball began before track sensor 1, so the line that came first is wired to it; in the other direction it began
    there too.
    """
    lines = list(at)
    lines.sort(key=lambda line: int(line.removeprefix("ball_")))
    found: list[tuple[int, tuple[int, ...]]] = []
    for direction in (1, -1):
        order: list[int] = []
        for line in lines:
            off = [_apart(direction * at[line], angle - sensors_deg[0]) for angle in sensors_deg]
            place = min(range(len(off)), key=off.__getitem__)
            if off[place] > ANGLE_TOLERANCE_DEG or place in order:
                break
            order.append(place)
        if len(order) == len(lines):
            found.append((direction, tuple(order)))
    return found


def _apart(first_deg: float, second_deg: float) -> float:
    return abs((first_deg - second_deg + 180) % 360 - 180)


def _plot(at: dict[str, float], sensors_deg: Sequence[float]) -> tuple[PlotRow, ...]:
    begin = sensors_deg[0]
    return tuple(
        PlotRow(f"ball_{number}", (begin + at[f"ball_{number}"]) % 360, expected, "°")
        for number, expected in enumerate(sensors_deg, 1)
    )


# --- a known pocket ---


def known_pocket(config: RouletteWheelConfig) -> int:
    """The pocket that a person is asked for: a third of the wheel from the index, where no mirror image hides."""
    return len(config.wheel_order) // 3


def _pocket(config: RouletteWheelConfig) -> Movement:
    order = config.wheel_order
    wanted = known_pocket(config)
    instruction = (
        f"Put the ball into pocket {order[wanted]}, and turn the rotor by hand three whole turns {_positive(config)}; "
        "nothing may roll on the track"
    )
    lines = ("rotor_a", "rotor_b", "rotor_index", "pocket")

    def judge(recording: Recording) -> MovementResult:
        dead = dead_lines(recording, lines)
        if dead:
            fix = "turn the rotor with the ball in its pocket; then check the wire and the height of that sensor"
            return failed(f"{', '.join(dead)} did not change", fix)
        if mostly_high(recording, ["pocket"]):
            return inverted_lines(["pocket"])
        read = [one for one in observe(RouletteWheel(config), recording) if isinstance(one, PocketRead)]
        if not read:
            return failed(
                "the ball was seen, but in the middle of no pocket",
                f"turn the rotor three turns; if it happens again, pocket_head_deg = {config.pocket_head_deg:g} is "
                "off by half a pocket, or the head is too wide open",
            )
        return judge_pockets(read, wanted, config)

    return Movement("known_pocket", instruction, lines, judge, wanted, ("turn_rotor",))


def judge_pockets(read: Sequence[PocketRead], wanted: int, config: RouletteWheelConfig) -> MovementResult:
    """Whether the head names the pocket in which a person has laid the ball."""
    order, count = config.wheel_order, len(config.wheel_order)
    named = {one.pocket for one in read}
    if len(named) > 1:
        return failed(
            f"the head named {', '.join(order[pocket] for pocket in sorted(named))}",
            "the encoder slips, or the ball moved: look at the coupling, and do it again",
        )
    pocket = named.pop()
    off = (wanted - pocket + count // 2) % count - count // 2
    if off:
        head_deg = (config.pocket_head_deg + off * 360 / count + 180) % 360 - 180
        return failed(
            f"the head names {order[pocket]}, {abs(off)} pockets from {order[wanted]}",
            f"write pocket_head_deg = {head_deg:.1f}, or move the mark of the index; if the pockets are in another "
            "order on this wheel, correct pockets or order",
        )
    middle = round(sum(one.off_pockets for one in read) / len(read), 2) + 0.0
    plot = (PlotRow("from the pocket's middle", middle, 0.0, "pockets"),)
    return MovementResult(True, f"pocket {order[wanted]}, {len(read)} times, {middle:+.2f} from its middle", plot=plot)


# --- the level ---


def _tilt(axis: str, beside: str | None, sign: int) -> Movement:
    name = axis.removeprefix("level_")
    side = f"to which the arrow {name} of the inclinometer points" if sign > 0 else f"opposite the arrow {name}"
    instruction = (
        f"Lift the side of the bowl {side} by the thickness of a coin or two, hold it for three seconds, "
        "and set it down"
    )
    lines = (axis,) if beside is None else (axis, beside)

    def judge(recording: Recording) -> MovementResult:
        return judge_tilt(recording, axis, beside, sign)

    return Movement(f"tilt_{name}_{'up' if sign > 0 else 'down'}", instruction, lines, judge)


def judge_tilt(recording: Recording, axis: str, beside: str | None, sign: int) -> MovementResult:
    """Whether a reading follows a tilt the right way, and more than the other axis does."""
    swing = _swing(recording.readings(axis))
    if swing is None:
        return failed(f"{axis} gave no reading", "check its wire, its supply and the board; feltwire pins shows where")
    other = _swing(recording.readings(beside)) if beside is not None else None
    plot = (PlotRow(axis, swing, sign * TILT_DEG, "°"),)
    if other is not None and abs(other) > abs(swing) and abs(other) >= TILT_DEG:
        return failed(
            f"{beside} moved by {other:+.2f}° and {axis} by {swing:+.2f}°",
            f"exchange the wires of level_x and level_y, or lift the side that {axis} points to",
            plot,
        )
    if abs(swing) < TILT_DEG:
        return failed(f"{axis} moved by {swing:+.2f}° only", "lift it further, by the thickness of two coins", plot)
    if swing * sign < 0:
        return failed(
            f"{axis} moved by {swing:+.2f}°, the wrong way",
            f"change the sign of per_v of {axis}, or mount the inclinometer with its arrow the other way",
            plot,
        )
    return MovementResult(True, f"{axis} moved by {swing:+.2f}°", plot=plot)


def _swing(readings: Sequence[float]) -> float | None:
    """The furthest that readings went from where they began."""
    if not readings:
        return None
    begin = median(readings[: max(1, min(5, len(readings) // 4))])
    return max((value - begin for value in readings), key=abs)


# --- a wheel with a status feed ---


def star_x_movements(config: StarXConfig) -> list[Movement]:
    """The movement of an automatic wheel: its rotor is seen to turn one way, and it reports that way."""

    def judge(recording: Recording) -> MovementResult:
        frames = recording.frames(config.link)
        packets = [line for line in map(parse, frames) if isinstance(line, StatusPacket)]
        if not packets:
            heard = f"{len(frames)} lines, none of them a status" if frames else "nothing"
            return failed(f"{heard} arrived on {config.link}", "check TX and ground, 9600 8N1 and the port in [links]")
        turning = [packet for packet in packets if packet.rpm_x10 >= 30]
        if not turning:
            return failed("the rotor is at rest, by its status", "start the wheel, and press ENTER once it turns")
        if not turning[-1].clockwise:
            return failed(
                "the wheel reports a rotor that turns counter-clockwise",
                "if it turned clockwise as you saw it, the wheel's own direction is set wrong: its manual has where",
            )
        return MovementResult(True, f"{len(packets)} statuses, clockwise at {turning[-1].rpm_x10 / 10:g} rpm")

    instruction = "Have the wheel turn clockwise as you look down on it, without a ball, for five seconds"
    return [Movement("status_feed", instruction, (config.link,), judge)]
