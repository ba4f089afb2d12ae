"""Guided movements: a device that is built as its file has it passes, and every planted mistake is found and named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from drivers.base.movement import Movement, Recording
from drivers.dice.automated_shaker import AutomatedShakerConfig
from drivers.dice.movements import automated_shaker_movements
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.money_wheel.movements import judge_flapper, pauses
from drivers.roulette.device import PocketRead, RouletteWheelConfig
from drivers.roulette.movements import judge_ball, judge_pockets, judge_tilt, passes_of
from drivers.wheel.movements import WheelTurn, follow, judge_turn
from hal.values import Edge, EdgesLost, Loss, Reading
from simulators.base.hand import WiringMistake, parse_mistake
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.roulette.geometry import RouletteGeometry
from tests.oracle.motion import Motion, encoder_edges, in_order, pulse
from tests.tables.bench import configured
from tests.tables.movements import failed_of, tried


def sim(game: str, device: str = "") -> TableConfig:
    return configured(f'[table]\nid = "t-1"\ngame = "{game}"\n[lines]\nbackend = "sim"\n{device}')


def built(config: TableConfig, **otherwise: Any) -> Any:
    """The table as it is built, where it is not as its file has it."""
    geometry: Any = geometry_of(config)
    return replace(geometry, **otherwise)


MONEY = sim("money_wheel")
EQUAL = sim("roulette", "[device.wheel]\nball_sensors_deg = [0, 120, 240]\n")
UNEQUAL = sim("roulette", "[device.wheel]\nball_sensors_deg = [0, 80, 200]\n")
PEGS = sim("money_wheel", '[device.wheel]\nsensing = "pegs"\n')
DICE = [sim(game) for game in ("beat_the_dealer", "chuck_a_luck", "under_over", "sic_bo", "craps")]
CARDS = sim("baccarat")


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6))
def test_a_device_as_its_file_has_it_passes_every_movement(seed: int) -> None:
    for config in (MONEY, EQUAL, UNEQUAL):
        assert failed_of(config, seed=seed) == {}


def test_track_sensors_of_which_the_first_is_at_any_angle_pass_every_movement() -> None:
    assert failed_of(sim("roulette", "[device.wheel]\nball_sensors_deg = [70, 150, 270]\n"), seed=1) == {}


@pytest.mark.parametrize("config", [*DICE, CARDS, PEGS])
def test_dice_cards_and_pegs_pass_every_movement(config: TableConfig) -> None:
    made = [one for one in tried(config) if one.movement.name]
    assert made
    assert [(one.movement.name, one.result) for one in made if not one.result.passed] == []


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_exchanged_channels_are_found_whichever_way_the_index_ends(seed: int) -> None:
    for config, part in ((MONEY, "wheel"), (UNEQUAL, "rotor")):
        wrong = failed_of(config, parse_mistake(f"exchange:{part}_a,{part}_b"), seed=seed)
        assert f"{part}_a and {part}_b are exchanged" in wrong[f"turn_{part}"].fix


@pytest.mark.parametrize("line", ["wheel_a", "wheel_b", "wheel_index"])
def test_an_inverted_line_of_an_encoder_is_found(line: str) -> None:
    wrong = failed_of(MONEY, parse_mistake(f"invert:{line}"))
    assert "inverted" in wrong["turn_wheel"].fix


@pytest.mark.parametrize(
    ("config", "movement", "first", "second"),
    [
        (MONEY, "turn_wheel", "wheel_b", "wheel_index"),
        (UNEQUAL, "turn_rotor", "rotor_a", "rotor_index"),
        (UNEQUAL, "turn_rotor", "rotor_index", "ball_1"),
        (UNEQUAL, "roll_ball", "pocket", "ball_2"),
        (PEGS, "turn_wheel", "wheel_peg", "wheel_index"),
    ],
)
def test_an_exchange_with_the_index_or_with_a_line_of_another_part_is_named(
    config: TableConfig, movement: str, first: str, second: str
) -> None:
    wrong = failed_of(config, parse_mistake(f"exchange:{first},{second}"))[movement]
    assert "exchange" in wrong.fix
    assert first in wrong.fix
    assert second in wrong.fix
    assert "encoder_slots" not in wrong.fix
    assert len(wrong.found) < 120


@pytest.mark.parametrize(
    ("config", "movement", "lines"),
    [
        (EQUAL, "roll_ball", "ball_1,ball_2,ball_3"),
        (UNEQUAL, "roll_ball", "ball_2"),
        (UNEQUAL, "known_pocket", "pocket"),
        (PEGS, "turn_wheel", "wheel_index"),
    ],
)
def test_inverted_sensors_are_found_even_where_all_are(config: TableConfig, movement: str, lines: str) -> None:
    wrong = failed_of(config, parse_mistake(f"invert:{lines}"))[movement]
    assert f"for {', '.join(lines.split(','))} write inverted the other way" in wrong.fix


def test_both_channels_inverted_are_found_by_where_the_index_rises() -> None:
    wrong = failed_of(MONEY, parse_mistake("invert:wheel_a,wheel_b"))
    assert "wheel_b is high where wheel_index rises" in wrong["turn_wheel"].found


@pytest.mark.parametrize("line", ["wheel_a", "wheel_b", "wheel_index"])
def test_a_dead_line_is_named(line: str) -> None:
    assert line in failed_of(MONEY, parse_mistake(f"dead:{line}"))["turn_wheel"].found


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([(1, 2), (2, 3), (1, 3)]), st.sampled_from([EQUAL, UNEQUAL]))
def test_exchanged_track_sensors_are_found_even_at_equal_gaps(
    seed: int, pair: tuple[int, int], config: TableConfig
) -> None:
    first, second = (f"ball_{number}" for number in pair)
    wrong = failed_of(config, parse_mistake(f"exchange:{first},{second}"), seed=seed)
    assert f"the wires of {first} and {second} are exchanged" in wrong["roll_ball"].fix


def test_track_sensors_that_are_all_moved_on_by_one_are_found() -> None:
    mistake = WiringMistake(exchanged={"ball_1": "ball_2", "ball_2": "ball_3", "ball_3": "ball_1"})
    assert "ball_1 and ball_2 and ball_3 are exchanged" in failed_of(EQUAL, mistake)["roll_ball"].fix


def test_the_angles_of_track_sensors_are_measured_and_kept() -> None:
    real = built(UNEQUAL, ball_sensors_deg=(0.0, 84.0, 197.0))
    assert isinstance(real, RouletteGeometry)
    [roll] = [one.result for one in tried(UNEQUAL, real=real) if one.movement.name == "roll_ball"]
    assert roll.measured["ball_sensors_deg"] == pytest.approx([0, 84, 197], abs=1)


def test_the_angles_that_are_kept_are_rounded_to_a_tenth_of_a_degree() -> None:
    angles = {"ball_1": 0.0, "ball_2": 80.04, "ball_3": 200.0}
    passes = [pulse(line, 1.0 + lap + deg / 360, 0.02) for lap in range(4) for line, deg in angles.items()]
    recording = Recording([Edge(line, 0, 0) for line in angles] + [edge for one in passes for edge in one], [], 0)
    result = judge_ball(passes_of(recording, [*angles]), (0.0, 80.0, 200.0))
    assert result.measured == {"ball_sensors_deg": [0.0, 80.0, 200.0]}


@pytest.mark.parametrize(("apart_ms", "passes"), [(59, 1), (60, 2)])
def test_a_contact_that_bounces_for_less_than_60_ms_makes_one_pass(apart_ms: int, passes: int) -> None:
    times_ms = (0, 1_000, 1_010, 1_010 + apart_ms, 1_020 + apart_ms)
    edges = [Edge("ball_1", number % 2, ms * 1_000_000) for number, ms in enumerate(times_ms)]
    assert len(passes_of(Recording(edges, [], 2_000_000_000), ["ball_1"])) == passes


def test_where_the_ball_is_in_its_pocket_is_the_mean_of_all_readings() -> None:
    read = [PocketRead(t_ns=n, pocket=5, off_pockets=off, turns=n) for n, off in enumerate((0.1, 0.3), start=1)]
    result = judge_pockets(read, 5, RouletteWheelConfig())
    assert result.passed
    assert "2 times, +0.20 from its middle" in result.found


def test_a_track_sensor_that_stands_elsewhere_is_found() -> None:
    real = built(UNEQUAL, ball_sensors_deg=(0.0, 120.0, 200.0))
    wrong = failed_of(UNEQUAL, real=real)
    assert "correct ball_sensors_deg" in wrong["roll_ball"].fix


@pytest.mark.parametrize("off", [-17, -1, 1, 9])
def test_an_indicator_over_another_space_is_found_with_the_angle_to_write(off: int) -> None:
    real = built(MONEY, indicator_deg=off * 7.2)
    assert isinstance(real, MoneyWheelGeometry)
    assert f"indicator_deg = {off * 7.2:g}" in failed_of(MONEY, real=real)["indicator"].fix


@pytest.mark.parametrize("off", [-12, 1, 7])
def test_a_reading_head_over_another_pocket_is_found_with_the_angle_to_write(off: int) -> None:
    real = built(UNEQUAL, pocket_head_deg=off * 360 / 38)
    assert f"pocket_head_deg = {off * 360 / 38:.1f}" in failed_of(UNEQUAL, real=real)["known_pocket"].fix


def test_the_zone_of_the_flapper_is_measured() -> None:
    [flapper] = [one.result for one in tried(MONEY) if one.movement.name == "flapper"]
    assert flapper.measured["flapper_zone_deg"] == pytest.approx(0.9 + 0.45, abs=0.5)
    assert [row.label for row in flapper.plot] == [
        "held forward, beyond the peg",
        "held back, beyond the peg",
        "flapper_zone_deg",
    ]


def test_an_index_that_is_set_askew_shows_at_the_flapper() -> None:
    real = built(MONEY, index_offset_deg=2.5)
    assert "move the mark of the index" in failed_of(MONEY, real=real)["flapper"].fix


@pytest.mark.parametrize(("spaces", "held_deg", "zone"), [(50, 2.7, "3.15°"), (60, 2.3, "2.75°")])
def test_a_flapper_whose_zone_is_wider_than_the_file_may_have_or_nearly_half_a_space_is_bent(
    spaces: int, held_deg: float, zone: str
) -> None:
    """A space has 7.2 degrees or 6: 3.15 are less than half a space, and 2.75 less than what a file may have."""
    config = MoneyWheelConfig(faces=("1",) * spaces)
    result = judge_flapper([(1, held_deg), (-1, -held_deg)] * 3, config)
    assert (result.passed, result.found) == (False, f"the flapper holds on until {zone} beside a peg")


def test_the_angle_to_write_for_an_indicator_is_within_half_a_turn_of_the_index() -> None:
    result = judge_flapper([(1, 4.0), (-1, 0.0)] * 3, MoneyWheelConfig(indicator_deg=179.0))
    assert result.fix == "write indicator_deg = -179.00, or move the mark of the index"


@pytest.mark.parametrize(("after_s", "held"), [(0.6, 0), (0.8, 1)])
def test_a_wheel_is_held_at_the_end_where_the_recording_goes_on_for_as_long_as_any_other_hold(
    after_s: float, held: int
) -> None:
    motion = Motion(-90.45)
    motion.speed = 200.0
    motion.accelerate(1.0, 0.0)
    edges = in_order(encoder_edges(motion, "wheel", 100))
    found = pauses(Recording(edges, [], edges[-1].t_ns + round(after_s * 1e9)), MoneyWheelConfig())
    # The wheel is at rest at 109.55 degrees; the next peg is at 111.6.
    assert [direction for direction, _ in found] == [1] * held
    assert [beyond for _, beyond in found] == pytest.approx([-2.05] * held, abs=0.45)


@pytest.mark.parametrize("way", [1, -1])
def test_the_furthest_that_a_turn_went_back_is_found_whichever_way_it_turned(way: int) -> None:
    motion = Motion(7.0).rest(0.5).swing(way * 400, 4.0).swing(-way * 90, 1.0).swing(way * 300, 3.0).rest(0.5)
    edges = in_order(encoder_edges(motion, "wheel", 100))
    turned = follow(Recording(edges, [], edges[-1].t_ns + 1), "wheel_a", "wheel_b", "wheel_index")
    assert turned.counts * way > 0
    assert turned.back == pytest.approx(100, abs=3)
    assert turned.repeated == 0


def test_a_fall_of_the_index_in_the_count_of_its_rise_is_a_width_of_none() -> None:
    turned = WheelTurn(850, 0, 0, [(10, 0), (410, 0)], [12, 410])
    result = judge_turn(turned, ("a", "b", "index"), 100, 0.9, "clockwise")
    assert [row.value for row in result.plot if row.label.startswith("index")] == [pytest.approx(0.9)]


def test_another_number_of_slots_is_found_and_named() -> None:
    real = built(MONEY, encoder_slots=120)
    assert "encoder_slots = 120" in failed_of(MONEY, real=real)["turn_wheel"].fix


LEVELLED = sim("roulette", "[device.wheel]\nball_sensors_deg = [0, 80, 200]\n")


@pytest.mark.parametrize(
    ("mistake", "what"),
    [("reverse:level_x", "change the sign of per_v of level_x"), ("exchange:level_x,level_y", "exchange the wires")],
)
def test_an_inverted_and_an_exchanged_inclinometer_are_found(mistake: str, what: str) -> None:
    assert failed_of(LEVELLED) == {}
    assert what in failed_of(LEVELLED, parse_mistake(mistake))["tilt_x_up"].fix


def test_an_axis_that_follows_the_lift_of_another_side_by_the_limit_itself_is_exchanged() -> None:
    lifted = [Reading("level_x", 0.1, 1), Reading("level_y", 0.3, 1)]
    readings = [Reading("level_x", 0.0, 0), Reading("level_y", 0.0, 0), *lifted]
    result = judge_tilt(Recording([], readings, 2), "level_x", "level_y", 1)
    assert result.found == "level_y moved by +0.30° and level_x by +0.10°"


@pytest.mark.parametrize("config", DICE[:3])
def test_exchanged_keys_of_a_keypad_are_found(config: TableConfig) -> None:
    wrong = failed_of(config, parse_mistake("exchange:key_2,key_5"))
    assert {"press_key_2", "press_key_5"} <= {*wrong}
    assert "exchange the wires of key_2 and key_5" in wrong["press_key_2"].fix


def test_exchanged_beams_of_a_chute_are_found() -> None:
    config = sim("under_over", "[device.chute]\n")
    wrong = failed_of(config, parse_mistake("exchange:chute_1,chute_2"))
    assert "exchange the wires of chute_1 and chute_2" in wrong["drop_die"].fix


@pytest.mark.parametrize(
    ("levels", "passed"), [((1, 0, 1), True), ((1, 0), False), ((0, 1), False), ((1,), False), ((), False)]
)
def test_a_shaker_is_taken_from_its_place_and_put_back(levels: tuple[int, ...], passed: bool) -> None:
    (take,) = automated_shaker_movements(AutomatedShakerConfig(present_sensor=True))
    edges = [Edge("automated_shaker_present", level, t_ns) for t_ns, level in enumerate(levels)]
    assert take.judge(Recording(edges, [], 9)).passed is passed


def test_exchanged_barriers_of_a_shoe_are_found() -> None:
    wrong = failed_of(CARDS, parse_mistake("exchange:shoe_card_1,shoe_card_2"))
    assert "exchange the wires of shoe_card_1 and shoe_card_2" in wrong["known_card"].fix


def test_an_inverted_button_is_found() -> None:
    wrong = failed_of(MONEY, parse_mistake("invert:dealer_no_more_bets"))
    assert "is 1 at rest" in wrong["press_dealer_no_more_bets"].found


def movement(config: TableConfig, name: str) -> Movement:
    return next(one.movement for one in tried(config) if one.movement.name == name)


def test_a_recording_with_lost_edges_proves_nothing() -> None:
    edges = [Edge(line, level, t) for line in ("wheel_a", "wheel_b", "wheel_index") for t, level in ((0, 0), (9, 1))]
    lost = EdgesLost("wheel_a", Loss.OVERFLOW, 12, 3)
    result = movement(MONEY, "turn_wheel").judge(Recording(edges, [lost], 20))
    assert not result.passed
    assert "were lost" in result.found


_LINES = ("wheel_a", "wheel_b", "wheel_index", "ball_1", "ball_2", "ball_3", "pocket", "rotor_a", "rotor_b")
_EDGES = st.lists(st.tuples(st.sampled_from(_LINES), st.integers(0, 1), st.integers(1, 10**9)), max_size=60)
_MOVEMENTS = [(config, one.movement) for config in (MONEY, UNEQUAL, CARDS, *DICE) for one in tried(config)]


@settings(max_examples=60, deadline=None)
@given(_EDGES, st.sampled_from(range(len(_MOVEMENTS))))
def test_no_recording_breaks_a_judge_and_noise_never_passes_a_movement_of_a_wheel(
    given_edges: list[tuple[str, int, int]], number: int
) -> None:
    _, one = _MOVEMENTS[number]
    t_ns, edges = 0, list[Edge]()
    for line, level, gap_ns in given_edges:
        t_ns += gap_ns
        edges.append(Edge(line, level, t_ns))
    result = one.judge(Recording(edges, [], t_ns + 1))
    assert result.found
    if one.name in {"turn_wheel", "turn_rotor", "indicator", "flapper", "known_pocket", "roll_ball"}:
        assert not result.passed


FOUR = sim("roulette", "[device.wheel]\nball_sensors_deg = [0, 90, 180, 270]\n")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.data())
def test_no_permutation_of_the_track_sensors_wires_passes_but_the_right_one(seed: int, data: st.DataObject) -> None:
    config = data.draw(st.sampled_from([EQUAL, UNEQUAL, FOUR]))
    lines = movement(config, "roll_ball").lines
    wired = data.draw(st.permutations(lines))
    mistake = WiringMistake(exchanged=dict(zip(lines, wired, strict=True)))
    assert ("roll_ball" in failed_of(config, mistake, seed=seed)) is (wired != list(lines))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(-25, 24).filter(bool))
def test_every_wrong_indicator_is_found_with_the_angle_that_mends_it(seed: int, off: int) -> None:
    real = built(MONEY, indicator_deg=off * 7.2)
    fix = failed_of(MONEY, real=real, seed=seed)["indicator"].fix
    told = float(fix.removeprefix("write indicator_deg = ").split(",")[0])
    mended = sim("money_wheel", f"[device.wheel]\nindicator_deg = {told}\n")
    assert "indicator" not in failed_of(mended, real=real, seed=seed)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["exchange", "invert", "dead"]), st.permutations(["a", "b", "index"]))
def test_every_single_mistake_at_an_encoder_is_found(seed: int, kind: str, parts: list[str]) -> None:
    first, second, _ = (f"wheel_{part}" for part in parts)
    mistake = parse_mistake(f"exchange:{first},{second}" if kind == "exchange" else f"{kind}:{first}")
    assert "turn_wheel" in failed_of(MONEY, mistake, seed=seed)
