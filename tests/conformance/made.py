"""How the captures of version 1.0 of the conformance suite were made. They are data: what the suite has stays as it is.

    .venv/bin/python -m tests.conformance.made FOLDER

`FOLDER` has the captures of whole evenings with the verdicts that are right (`NAME.vcd`, `NAME.expected.json`). Without
it their lines are kept as they are, and everything else is made again. Our own verdicts must agree with those. Verdicts
and words of captures that the suite has are made again by `tests.conformance.index`.
"""

from __future__ import annotations

import json
import lzma
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from controller.bench.simulation import Score, simulate
from controller.conformance.captures import (
    FOLDER,
    INDEX,
    SAME_REVOLUTIONS,
    SUFFIX,
    Capture,
    RightVerdict,
    Round,
    Suite,
    suite,
)
from controller.conformance.line_text import BEGIN, END, UNTIL, batches, value_lines
from controller.conformance.ours import answers
from controller.games.assembly import geometry_of
from feed import events
from feed.events import decode
from feed.reasons import meaning_of
from hal.capture.vcd_reader import open_capture
from hal.values import Batch, Edge, EdgesLost, Loss
from tests.captures_cards import cases as cards
from tests.captures_dice import cases as dice
from tests.captures_dice.cases import CapturedTable
from tests.conformance.needed import needed_ns
from tests.conformance.told import MEANINGS, ROUNDS, SHOWS, Told
from tests.tables.bench import configured

VERSION: Final = "1.0"
US: Final = 1_000
S: Final = 1_000_000_000
EARLY_NS: Final = {"money_wheel": 2 * S, "roulette": 10 * S}
"""An outcome may be given this much before ours (ours): another time of rest, fewer readings of the pocket."""
ANY_EARLY_NS: Final = 2 * S
"""The same of other games; and of a void round of which the wires leave the reason open."""
LATE_NS: Final = 5 * S
"""A verdict may be given this much after ours (ours)."""
RESULT: Final = {"money_wheel": ("space",), "roulette": ("pocket",)}
"""What of a result is compared; of other games all of it."""

WHEEL: Final = """
[table]
id = "wheel"
game = "money_wheel"
rules = "njac-13:47-20"
no_more_bets = "{call}"
[lines]
backend = "sim"
[device.wheel]
sensing = "quadrature"
encoder_slots = 100
index_width_deg = 3.0
clockwise = true
rest_s = 1.5
rollback_spaces = 1.5
[game]
settle_after_s = 3.0
wind_up_pause_s = 5.0
"""
PEGS: Final = """
[table]
id = "wheel"
game = "money_wheel"
rules = "njac-13:47-20"
[lines]
backend = "sim"
[device.wheel]
sensing = "pegs"
rest_s = 1.5
"""
ROULETTE: Final = """
[table]
id = "roulette"
game = "roulette"
rules = "njac-13:47-20"
no_more_bets = "auto"
[lines]
backend = "sim"
[device.wheel]
pockets = "{pockets}"
encoder_slots = {slots}
ball_sensors_deg = [0, 120, 240]
[game]
settle_after_s = 3.0
"""


class Wires(NamedTuple):
    """What was on the wires, and the right verdict of each round where it is known without us."""

    lines: list[str]
    values: Batch
    right: Mapping[int, RightVerdict]


class Source(NamedTuple):
    """One capture to make."""

    device: str
    shows: str
    table: str
    source: str
    wires: Callable[[], Wires]


def wheel(call: str = "button") -> str:
    """The file of a money wheel."""
    return WHEEL.format(call=call)


def roulette(pockets: str = "american", slots: int = 38) -> str:
    """The file of a roulette wheel."""
    return ROULETTE.format(pockets=pockets, slots=slots)


# --- captures of whole evenings ---


def evening(folder: Path, name: str) -> Wires:
    """A capture with its verdicts."""
    with open_capture(folder / f"{name}.vcd") as capture:
        lines = [variable.name for variable in capture.header.variables]
        given = list(capture.batches())
    values = Batch([edge for one in given for edge in one.edges], [], given[-1].until_ns)
    right = {}
    for number, one in enumerate(json.loads((folder / f"{name}.expected.json").read_text()), 1):
        result = {key: one[key] for key in ("space", "pocket") if key in one}
        verdict = one["type"].removeprefix("round.")
        turns = one["revolutions"] if verdict == "outcome" else None
        right[number] = RightVerdict(verdict=verdict, reason=one.get("reason", ""), result=result, revolutions=turns)
    return Wires(lines, values, right)


# --- simulated rounds ---


def simulated(
    table: str, faults: Sequence[str], seed: int, change: Callable[[list[Batch]], list[Batch]] | None = None
) -> Wires:
    """Rounds with these faults; `change` changes what was on the wires of each."""
    config = configured(table)
    plan: dict[int | None, str] = {number: fault for number, fault in enumerate(faults, 1) if fault != "none"}
    plan[None] = "none"
    simulator = geometry_of(config).simulator(seed)
    played = list(simulate(config, len(faults), seed, plan))
    score = Score()
    for one in played:
        score.add(one)
    if score.unsupported or score.refused:
        raise SystemExit(f"{table}: {score.unsupported or score.refused}")
    given = [one.batch for one in played]
    if change is not None:
        given = change(given)
    # To the microsecond, as a logic analyser has it; so the files are small.
    edges = [edge._replace(t_ns=edge.t_ns // US * US) for one in given for edge in one.edges]
    rare = [value._replace(t_ns=value.t_ns // US * US) for one in given for value in one.rare]
    until_ns = given[-1].until_ns // US * US
    return Wires(list(simulator.lines), Batch(edges, rare, until_ns), {})


def lost_edges(given: list[Batch]) -> list[Batch]:
    """The second round loses two edges of A after the last index, the third two in its first turn; both are told."""
    first, second, third = given[1], given[2], given[3]
    turns = [edge.t_ns for edge in second.edges if edge.line == "wheel_index" and edge.level]
    return [given[0], first, _without(second, turns[-1]), _without(third, third.edges[0].t_ns), *given[4:]]


def _without(batch: Batch, after_ns: int) -> Batch:
    a = [edge for edge in batch.edges if edge.line == "wheel_a" and edge.t_ns > after_ns]
    gone = a[len(a) // 8 : len(a) // 8 + 2]
    loss = EdgesLost("wheel_a", Loss.OVERFLOW, gone[-1].t_ns, len(gone))
    return batch._replace(edges=[edge for edge in batch.edges if edge not in gone], rare=[*batch.rare, loss])


def merged(given: list[Batch]) -> list[Batch]:
    """The second round lacks one edge of A after the last index, and nothing reports it but the next edge."""
    second = given[2]
    last_ns = [edge.t_ns for edge in second.edges if edge.line == "wheel_index" and edge.level][-1]
    a = [edge for edge in second.edges if edge.line == "wheel_a" and edge.t_ns > last_ns]
    return [*given[:2], second._replace(edges=[edge for edge in second.edges if edge is not a[len(a) // 4]])]


def joined(given: list[Batch]) -> list[Batch]:
    """The capture begins while the wheel turns: the levels that are found there are its first edges."""
    first = given[1]
    moving = [edge.t_ns for edge in first.edges if edge.line == "wheel_a"]
    begin_ns = moving[len(moving) // 2] + 1
    levels = {edge.line: edge.level for one in given[:2] for edge in one.edges if edge.t_ns < begin_ns}
    found = [Edge(line, level, begin_ns) for line, level in levels.items()]
    return [first._replace(edges=[*found, *(one for one in first.edges if one.t_ns >= begin_ns)]), *given[2:]]


def _case(case: str, captured: CapturedTable) -> Callable[[], Wires]:
    return lambda: simulated(captured.text, [*["none"] * (captured.rounds - 1), case], captured.seed)


DEVICES: Final = {
    "cage_level": "chuck_a_luck/cage_level",
    "cage_pulse": "chuck_a_luck/cage_pulse",
    "cage_encoder": "chuck_a_luck/cage_encoder",
    "cage_motor": "beat_the_dealer/cage_motor",
    "chute": "under_over/chute",
    "reader_frames_7a": "chuck_a_luck/reader_frames_7a",
    "reader_state_words": "chuck_a_luck/reader_state_words",
    "sic_bo_hand": "sic_bo/hand",
    "sic_bo_toss_lines": "sic_bo/shaker_lines",
    "sic_bo_toss_serial": "sic_bo/shaker_serial",
    "craps": "craps/reader",
    "baccarat": "baccarat/shoe",
    "red_dog": "red_dog/shoe",
    "blackjack": "blackjack/shoe",
    "multi_action": "multi_action_blackjack/shoe",
    "caribbean_stud": "caribbean_stud/shoe",
    "let_it_ride": "let_it_ride/shoe",
    "caribbean_stud_stacks": "caribbean_stud/stacks",
    "blackjack_double": "blackjack/double_shoe",
    "blackjack_shuffling": "blackjack/shuffling_shoe",
    "red_dog_tokens": "red_dog/shoe_tokens",
    "joker_seven": "joker_seven/shoe",
}
"""The device of each kept capture of dice and cards."""
SIMULATOR: Final = "simulated: what is right is known"
EVENING: Final = "made beside this project, with the verdicts that a correct controller reaches"
LAPS: Final = "lap times of a real spin, filmed in a live casino, constant within a lap; verdicts as above"


def sources(folder: Path | None) -> dict[str, Source]:
    """Every capture of the suite."""

    def from_evening(name: str) -> Callable[[], Wires]:
        return lambda: evening(folder, name) if folder else kept(name)

    money, pegs, ball = "money_wheel/quadrature", "money_wheel/pegs", "roulette/quadrature"
    american, european = roulette(), roulette("european", 37)
    found = {
        "money_wheel_mixed": Source(
            money,
            "Valid, short, wound-up, reversed and too early spins, some within a few degrees of three revolutions.",
            wheel(),
            EVENING,
            from_evening("money_wheel_mixed"),
        ),
        "money_wheel_no_button": Source(
            money,
            SHOWS["money_wheel_no_button"],
            wheel("auto"),
            EVENING,
            from_evening("money_wheel_no_button"),
        ),
        "money_wheel_hands": Source(
            money,
            "A wind-up, a spin within hundredths of a turn of the limit, a hand that turns the wheel back, a late "
            "call, and an indicator on a peg.",
            wheel(),
            SIMULATOR,
            lambda: simulated(wheel(), ["wind_up", "near_limit", "reversed_spin", "late_call", "between_spaces"], 5),
        ),
        "money_wheel_limit": Source(
            money,
            "Two spins: one by a hundredth of a turn more than three revolutions, one by as much less.",
            wheel(),
            SIMULATOR,
            lambda: simulated(wheel(), ["near_limit", "near_limit"], 16),
        ),
        "money_wheel_merged": Source(
            money,
            "A valid spin; a spin in which one edge of A is merged away, so that the line takes the same level twice.",
            wheel(),
            SIMULATOR,
            lambda: simulated(wheel(), ["none", "none"], 6, merged),
        ),
        "money_wheel_lost": Source(
            money,
            SHOWS["money_wheel_lost"],
            wheel(),
            SIMULATOR,
            lambda: simulated(wheel(), ["none", "none", "none"], 2, lost_edges),
        ),
        "money_wheel_slip": Source(
            money,
            "The encoder slips on its shaft, and nothing reports it but the index.",
            wheel(),
            SIMULATOR,
            lambda: simulated(wheel(), ["none", "index_slip", "none"], 3),
        ),
        "money_wheel_pulse": Source(
            money,
            "One pulse of one line of the encoder is lost in each of two spins, and nothing reports it.",
            wheel(),
            SIMULATOR,
            lambda: simulated(wheel(), ["lost_pulse", "none", "lost_pulse"], PULSE_SEED),
        ),
        "money_wheel_joined": Source(
            money,
            "The capture begins while the wheel turns; the next spin is valid.",
            wheel("auto"),
            SIMULATOR,
            lambda: simulated(wheel("auto"), ["none", "none"], 4, joined),
        ),
        "money_wheel_pegs": Source(
            pegs,
            "Pegs and an index, which show no direction: each number is a candidate alone.",
            PEGS,
            SIMULATOR,
            lambda: simulated(PEGS, ["none", "none", "short_spin"], 1),
        ),
        "roulette_mixed": Source(
            ball,
            "Valid spins, a ball with the rotor, short spins, spins one sensor short of and at four revolutions.",
            american,
            EVENING,
            from_evening("roulette_mixed"),
        ),
        "roulette_double_zero_as_single": Source(
            ball,
            "An American wheel used as a single-zero wheel: 00 is no number.",
            roulette("american_as_single_zero"),
            EVENING,
            from_evening("roulette_double_zero_as_single"),
        ),
        "roulette_real_laps_a": Source(ball, "A real ball.", european, LAPS, from_evening("roulette_real_laps_a")),
        "roulette_real_laps_b": Source(
            ball, "Another real ball.", european, LAPS, from_evening("roulette_real_laps_b")
        ),
        "roulette_hands": Source(
            ball,
            "A ball with the rotor, one that a hand takes from its track, a rotor at rest, a ball that flies off.",
            american,
            SIMULATOR,
            lambda: simulated(american, ["same_direction", "ball_picked_up", "rotor_stopped", "ball_leaves_wheel"], 1),
        ),
        "roulette_objects": Source(
            ball,
            "Something falls into the wheel; a second ball runs; a track sensor misses one pass.",
            american,
            SIMULATOR,
            lambda: simulated(american, ["foreign_object", "two_balls", "lost_pass"], 2),
        ),
    }
    for name, faults, seed in (
        ("automatic_roulette", ["none", "wrong_direction_in_rim", "ball_lost", "bare_mismatch"], 1),
        ("skill_stop_reel", ["none", "reel_jammed"], 1),
        ("skill_stop_video", ["none", "touch_stuck"], 1),
        ("token_pusher", ["none", "shelf_stalled"], 1),
    ):
        # An automatic wheel whose numbers nobody trusts has no outcome.
        text = Path(f"examples/{name}.toml").read_text().replace("trust_wheel = false", "trust_wheel = true")
        device = {"automatic_roulette": "roulette/star_x"}.get(name, name)
        found[name] = Source(
            device,
            SHOWS[name],
            text,
            SIMULATOR,
            lambda text=text, faults=faults, seed=seed: simulated(text, faults, seed),  # type: ignore[misc]
        )
    for module in (dice, cards):
        for table, case in module.KEPT:
            captured = module.SIMULATED.get(table)
            if captured is not None:
                name = f"{table}_{case}"
                found[name] = Source(DEVICES[table], SHOWS[name], captured.text, SIMULATOR, _case(case, captured))
    return found


PULSE_SEED: Final = 1


# --- the files ---


def dotted(table: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """The keys of a table's file, each a line of TOML."""
    for key, value in table.items():
        name = f"{before}{key if key.replace('_', '').isalnum() and key.isascii() else json.dumps(key)}"
        if isinstance(value, dict) and value:
            yield from dotted(value, f"{name}.")
        else:
            yield f"{name} = {json.dumps(value)}"


def kept(name: str) -> Wires:
    """The wires of a capture that is in the suite, and the verdicts that the suite has for it."""
    capture = next(one for one in suite().captures if one.name == name)
    lines = capture.lines()
    values = list(batches(lines[lines.index(BEGIN) + 1 :]))
    wires = [line.removeprefix("line ") for line in lines if line.startswith("line ")]
    return Wires(wires, values[0], {one.round: one.accepted[0] for one in capture.rounds})


def stream(name: str, one: Source, wires: Wires) -> list[str]:
    """The lines of a capture."""
    header = [f"suite {VERSION}", f"capture {name}", f"device {one.device}"]
    header += [f"table {line}" for line in dotted(tomllib.loads(one.table))]
    header += [f"line {line}" for line in wires.lines]
    return [*header, BEGIN, *value_lines(wires.values), f"{UNTIL} {wires.values.until_ns}", END]


def rounds(
    name: str, device: str, right: Mapping[int, RightVerdict], told: Sequence[Told], lines: Sequence[str]
) -> list[Round]:
    """The rounds of a capture: our verdicts, which must be those that are right where that is known without us, and the
    others that the wires leave open.
    """
    opened: dict[int, int] = {}
    found: list[Round] = []
    game = device.partition("/")[0]
    for line in answers(lines):
        if b'"until"' in line[:9]:
            continue
        data = decode(line).data
        if isinstance(data, events.RoundOpened):
            opened[data.round] = data.mono_ns
        if not isinstance(data, events.Outcome | events.Void | events.Unresolved):
            continue
        ours, known = _ours(game, data), told[data.round - 1]
        if right:
            _compare(name, data.round, ours, right.get(data.round))
            ours = right[data.round]
        ours = msgspec.structs.replace(ours, absent=list(known.absent))
        early_ns, opened_ns = EARLY_NS.get(game, ANY_EARLY_NS), opened.get(data.round, 0)
        after_ns = data.mono_ns - early_ns
        if isinstance(data, events.Void):
            after_ns = needed_ns(lines, data.round, data.reason, data.mono_ns, opened_ns, early_ns)
            if known.also:
                after_ns = min(after_ns, data.mono_ns - ANY_EARLY_NS)
            # Whoever is asked at the time of that value has it.
            after_ns = max(after_ns - 2, opened_ns)
        found.append(
            Round(
                round=data.round,
                accepted=[ours, *known.also],
                why=known.why,
                text=known.text,
                rule=data.rule or "ours",
                after_ns=max(0, after_ns),
                by_ns=data.mono_ns + LATE_NS,
            )
        )
    if len(found) != len(told):
        raise SystemExit(f"{name}: {len(found)} verdicts, expected {len(told)}")
    return found


def _ours(game: str, data: events.Outcome | events.Void | events.Unresolved) -> RightVerdict:
    if not isinstance(data, events.Outcome):
        return RightVerdict(verdict="void" if isinstance(data, events.Void) else "unresolved", reason=data.reason)
    keys = RESULT.get(game, tuple(data.result))
    turns = data.evidence.revolutions if game == "money_wheel" else None
    return RightVerdict(verdict="outcome", result={key: data.result[key] for key in keys}, revolutions=turns)


def _compare(name: str, number: int, ours: RightVerdict, right: RightVerdict | None) -> None:
    if right is None or msgspec.structs.replace(right, revolutions=ours.revolutions) != ours:
        raise SystemExit(f"{name}, round {number}: ours is {ours}, expected {right}")
    if ours.revolutions and abs(ours.revolutions - (right.revolutions or 0)) > SAME_REVOLUTIONS:
        raise SystemExit(f"{name}, round {number}: {ours.revolutions} revolutions, expected {right.revolutions}")


def capture_of(name: str, one: Source, lines: Sequence[str], found: list[Round]) -> Capture:
    """A capture with its verdicts."""
    digest = sha256(_bytes(lines)).hexdigest()
    return Capture(name=name, device=one.device, shows=one.shows, source=one.source, sha256=digest, rounds=found)


def make(folder: Path | None) -> Iterator[tuple[Capture, list[str]]]:
    """The captures of version 1.0."""
    for name, one in sources(folder).items():
        wires = one.wires()
        lines = stream(name, one, wires)
        yield capture_of(name, one, lines, rounds(name, one.device, wires.right, ROUNDS[name], lines)), lines


def add(version: str, captures: Iterable[tuple[Capture, list[str]]]) -> None:
    """Adds those captures to the suite that it lacks. One that it has stays as it is, with its verdicts."""
    whole = suite()
    kept = {one.name: one for one in whole.captures}
    for capture, lines in captures:
        if capture.name in kept:
            continue
        packed = lzma.compress(_bytes(lines), preset=9 | lzma.PRESET_EXTREME)
        (FOLDER / f"{capture.name}{SUFFIX}").write_bytes(packed)
        kept[capture.name] = capture
        print(f"{len(packed):7} {capture.name}: " + "; ".join(" | ".join(map(str, r.accepted)) for r in capture.rounds))
    if len(kept) > len(whole.captures):
        write_index(version, list(kept.values()))


def write_index(version: str, captures: list[Capture]) -> None:
    """Writes the index of the suite: its captures with their verdicts, and what each reason means."""
    codes = sorted({v.reason for one in captures for r in one.rounds for v in r.accepted if v.reason})
    reasons = {code: MEANINGS.get(code) or meaning_of(code, "", "")[0] for code in codes}
    whole = Suite(version=version, captures=captures, reasons=reasons)
    (FOLDER / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n")


def _bytes(lines: Sequence[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


if __name__ == "__main__":
    add(VERSION, make(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
