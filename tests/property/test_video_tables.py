"""Simulated skill-stop videos with every fault: outcomes are what was lit, and no token is made or lost."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Final

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.bench.simulation import Score, simulate
from controller.cli import main
from controller.games.assembly import geometry_of
from controller.games.machines.account import balance_error
from drivers.screen.screen_wire import LINK
from feed.events import DeviceFault, MachineEvent, Outcome
from hal.values import Batch, Edge, Frame
from simulators.base.faults import faults_for
from tests.tables.bench import configured
from tests.tables.spun_machine import MS
from tests.tables.video_machine import VideoMachine, video_toml

FIVE: Final = video_toml('model = "video_fruit_5"', "[device.screen]\nreels = 5\nlight = true\n[device.coins]\n")
TABLES: Final = {
    "three": video_toml(),
    "five": FIVE,
    "touch": video_toml("", '[device.screen]\nstops = "touch"\n'),
    "buttons": video_toml("", '[device.screen]\nstops = "buttons"\n'),
}
SHOWN_BY_OTHERS: Final = ("none", "latency_drifts", "display_dark", "press_between", "player_leaves_one")
PLAYED: Final = [
    (name, fault.name) for name, text in TABLES.items() for fault in faults_for(geometry_of(configured(text)))
]
CASES: Final = [pytest.param(TABLES[name], fault, id=f"{name}-{fault}") for name, fault in PLAYED]
LESS: Final = [
    pytest.param(TABLES[name], fault, id=f"{name}-{fault}")
    for name, fault in PLAYED
    if name == "three" or fault in SHOWN_BY_OTHERS
]
"""What the fast tests play: every fault at one table, and at the others what differs there."""
NAMED: Final = {
    "button_held": {"sensor_stuck"},
    "touch_stuck": {"touch_stuck"},
    "screen_hung": {"screen_silent"},
    "screen_dead": {"screen_lost"},
    "display_unplugged": {"display_failed"},
    "frames_late": {"screen_late"},
    "frames_missing": {"flips_missing"},
    "line_garbled": {"screen_unreadable"},
    "latency_drifts": {"display_latency"},
    "display_dark": {"display_dark"},
}
"""One of these codes is given in every round with the fault; with the others no fault at all."""
FRAME_NS: Final = 16_666_667


def judge(text: str, fault: str, rounds: int, seed: int) -> None:
    """Plays with a fault in some rounds: every outcome is true, and every fault is named in its round."""
    score, last = Score(), None
    plan: dict[int | None, str] = dict.fromkeys(range(1, rounds + 1, 2), fault)
    for played in simulate(configured(text), rounds, seed, plan):
        score.add(played)
        found = {event.data.fault for event in played.events if isinstance(event.data, DeviceFault)}
        wanted = NAMED.get(fault, set()) if played.fault == fault else set()
        assert found == wanted
        for event in played.events:
            last = event.data if isinstance(event.data, MachineEvent) else last
            if isinstance(event.data, Outcome) and played.fault == "press_between":
                assert event.data.evidence.images is not None
                assert all(image is not None and len(image.possible) == 2 for image in event.data.evidence.images)
    assert score.unsupported == []
    assert score.refused == []
    assert score.verdicts == {"outcome": rounds}
    assert last is not None
    assert balance_error(last.meters, last.credits) is None


@pytest.mark.parametrize(("text", "fault"), CASES)
def test_a_play_names_only_lines_that_the_machine_has(text: str, fault: str) -> None:
    simulator = geometry_of(configured(text)).simulator(1)
    assert {edge.line for edge in simulator.round(fault).batch.edges} <= set(simulator.lines)


@pytest.mark.parametrize(("text", "fault"), LESS)
def test_every_video_play_has_the_outcome_that_is_true(text: str, fault: str) -> None:
    judge(text, fault, 2, 1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("text", "fault"), CASES)
def test_every_video_play_of_many_has_the_outcome_that_is_true(text: str, fault: str) -> None:
    judge(text, fault, 60, 1000)


def stopped(plays: int, seed: int) -> tuple[int, int]:
    """Stops images at any moment; returns how many stops there were, and at how many the image had just changed."""
    machine, rng = VideoMachine(seed=seed), Random(seed)
    stops = earlier = 0
    for _ in range(plays):
        first = len(machine.said)
        machine.token()
        machine.wait(0.75)
        presses = {
            reel: machine.press(reel, touch=rng.random() < 0.5, after_ns=rng.randrange(1, 700 * MS))
            for reel in (1, 2, 3)
        }
        machine.wait(1.3)
        (outcome,) = [one.data for one in machine.said[first:] if isinstance(one.data, Outcome)]
        assert outcome.evidence.images is not None
        for reel, press_ns in presses.items():
            image, lit = outcome.evidence.images[reel - 1], machine.screen.lit_at(reel, press_ns)
            assert image is not None
            assert lit in image.possible
            # At most one frame: what was stopped was lit then, or a frame before.
            assert image.image in (lit, machine.screen.lit_at(reel, press_ns - FRAME_NS))
            assert image.image == outcome.result["stops"][reel - 1]
            stops, earlier = stops + 1, earlier + (image.image != lit)
    return stops, earlier


def test_what_is_stopped_was_lit_at_the_press_or_a_frame_before() -> None:
    stops, earlier = stopped(60, 1)
    assert stops == 180
    assert earlier < stops * 0.15


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(3))
def test_of_many_stops_each_was_lit_at_the_press_or_a_frame_before(part: int) -> None:
    stops, earlier = stopped(420, 100 + part)
    assert stops == 1260
    assert earlier < stops * 0.15


def shown(*arguments: str) -> list[tuple[object, ...]]:
    """What a command publishes: each fault, each record, and each outcome."""
    said = CliRunner().invoke(main, [*arguments, "--json"])
    assert said.exit_code == 0, said.output
    bodies = [json.loads(line) for line in said.stdout.splitlines()]
    found = [(body["type"], body["data"]) for body in bodies]
    return [
        (kind, data.get("fault"), data.get("act"), data.get("result"), data.get("evidence"), data["mono_ns"])
        for kind, data in found
    ]


@pytest.mark.parametrize("fault", ["none", *NAMED])
def test_a_capture_of_each_video_fault_replays(fault: str, tmp_path: Path) -> None:
    table, capture = tmp_path / "video.toml", tmp_path / "fault.vcd"
    table.write_text(video_toml("", "[device.screen]\nlight = true\n"), encoding="utf-8")
    played = shown("simulate", str(table), "--rounds", "1", "--fault", fault, "--vcd", str(capture))
    replayed = shown("replay", str(table), str(capture))
    assert replayed[: len(played)] == played
    assert [one for one in replayed if one[3]], "the outcome is there too"


# --- bad input --------------------------------------------------------------------------------------------------------


def lines() -> st.SearchStrategy[bytes]:
    """What a broken screen may send: messages with any values, broken ones, and noise."""
    whole = st.fixed_dictionaries(
        {"is": st.sampled_from(["hello", "flip", "touch", "trouble", "other"])},
        optional={
            "number": st.integers(-1, 10**6),
            "begun": st.integers(-1, 1 << 63),
            "made": st.integers(-1, 1 << 63),
            "images": st.lists(st.integers(-1, 120), max_size=6),
            "turning": st.lists(st.integers(-1, 6), max_size=6),
            "at": st.integers(-1, 1 << 63),
            "down": st.booleans(),
            "x": st.integers(-20_000, 20_000),
            "y": st.integers(-20_000, 20_000),
            "reel": st.integers(-1, 6),
            "by": st.sampled_from(["kernel", "window", "me"]),
            "session": st.text(max_size=3),
            "what": st.sampled_from(["display", "touch", "x"]),
            "fails": st.booleans(),
            "detail": st.text(max_size=3),
        },
    )
    flip = st.builds(
        lambda number, begun, took, image, turning: {
            "is": "flip",
            "number": number,
            "begun": begun,
            "made": begun + took,
            "images": [image] * 3,
            "turning": turning,
        },
        st.integers(0, 300),
        st.integers(0, 10**10),
        st.integers(0, 10**8),
        st.integers(0, 99),
        st.lists(st.integers(1, 5), max_size=3),
    )
    return st.one_of(
        st.binary(max_size=60),
        whole.map(lambda one: json.dumps(one).encode()),
        flip.map(lambda one: json.dumps(one).encode()),
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(sent=st.lists(st.tuples(st.integers(1, 400), lines()), max_size=12), pressed=st.booleans())
def test_whatever_a_screen_sends_hurts_no_table_and_moves_no_token(
    sent: list[tuple[int, bytes]], pressed: bool
) -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.1)
    rare, at_ns = [], machine.now_ns
    for after_ms, data in sent:
        at_ns += after_ms * MS
        rare.append(Frame(LINK, data, at_ns))
    edges = [Edge("stop_1", 1, machine.now_ns + 90 * MS)] if pressed else []
    machine.screen.plan_edges(*edges)
    machine.screen.plan_rare(*rare)
    machine.wait((at_ns - machine.now_ns) / 1e9 + 1)
    assert machine.meters.tokens_in == 1
    assert balance_error(machine.meters, machine.credits) is None
    assert isinstance(machine.table.feed(Batch([], [], machine.now_ns + MS)), list)
