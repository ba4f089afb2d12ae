"""The encoder with its index: a count that is proven, or the range of its error."""

from __future__ import annotations

from itertools import groupby, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.wheel.encoder import Encoder
from drivers.wheel.encoder_lines import index_findings
from drivers.wheel.quadrature import Stop
from hal.values import Edge
from tests.oracle.motion import Motion, encoder_edges, in_order

FAR = 1 << 60
SLOTS = 100
TURN = 400
COUNT_DEG = 0.9


def lines_of(motion: Motion, width_deg: float = 3.0) -> list[Edge]:
    return in_order(encoder_edges(motion, "e", SLOTS, index_offset_deg=0.18, index_width_deg=width_deg))


def even(turns: float, *, start_deg: float = 90.45, deg_per_s: float = 200.0, width_deg: float = 3.0) -> list[Edge]:
    """A disc that turns evenly."""
    motion = Motion(start_deg)
    motion.speed = deg_per_s if turns > 0 else -deg_per_s
    motion.accelerate(abs(turns) * 360 / deg_per_s, 0.0)
    return lines_of(motion, width_deg)


def new(width_deg: float = 3.0) -> Encoder:
    return Encoder("e_a", "e_b", "e_index", SLOTS, width_deg)


def decode(encoder: Encoder, edges: list[Edge]) -> Encoder:
    rest = iter(edges)
    while encoder.run(rest, -FAR, FAR, FAR)[0] is not Stop.END:
        pass
    return encoder


def without_pulse(edges: list[Edge], line: str, number: int) -> list[Edge]:
    """The edges without a whole high pulse of a line."""
    places = [k for k, edge in enumerate(edges) if edge.line == line and edge.t_ns]
    rise = [k for k in places if edges[k].level][number]
    fall = next(k for k in places if k > rise)
    return [edge for k, edge in enumerate(edges) if k not in (rise, fall)]


def index_moved(edges: list[Edge], counts: float) -> list[Edge]:
    """From its third crossing on, the index comes this many counts later."""
    rises = [edge.t_ns for edge in edges if edge.line == "e_index" and edge.level and edge.t_ns]
    shift_ns = round(counts * COUNT_DEG / 200.0 * 1e9)
    moved = [e._replace(t_ns=e.t_ns + shift_ns) if e.line == "e_index" and e.t_ns >= rises[2] else e for e in edges]
    return in_order(moved)


@pytest.mark.parametrize("turns", [3.0, -3.0])
def test_the_angle_is_known_after_the_first_index_and_agrees_with_every_other(turns: float) -> None:
    encoder = decode(new(), even(turns, start_deg=180.45))
    assert encoder.count == round(turns * TURN)
    angle = encoder.angle_counts()
    assert angle is not None
    assert angle % TURN == 200
    assert encoder.index.slip is None
    assert not encoder.doubtful


def test_before_the_first_index_there_is_no_angle() -> None:
    assert decode(new(), even(0.3)).angle_counts() is None


def test_the_index_that_is_found_high_is_no_crossing() -> None:
    assert decode(new(), even(0.5, start_deg=0.45)).angle_counts() is None


@pytest.mark.parametrize(("turns", "missing"), [(1.05, False), (1.15, True)])
def test_more_than_one_and_a_tenth_turns_without_an_index_are_too_many(turns: float, missing: bool) -> None:
    edges = [edge for edge in even(turns) if edge.line != "e_index" or edge.t_ns == 0]
    assert decode(new(), edges).index.missing == missing


def test_after_too_many_turns_without_an_index_the_angle_is_no_longer_proven() -> None:
    edges = even(4.0)
    rises = [edge.t_ns for edge in edges if edge.line == "e_index" and edge.level and edge.t_ns]
    encoder = decode(new(), [edge for edge in edges if edge.line != "e_index" or edge.t_ns < rises[1]])
    assert encoder.angle_counts() is None
    assert encoder.index.missing


@pytest.mark.parametrize("counts", [3, -3, 7, -40])
def test_an_index_more_than_half_a_slot_from_its_place_is_a_slip(counts: int) -> None:
    slip = decode(new(), index_moved(even(4.0), counts)).index.slip
    assert slip is not None
    assert not slip.explained


@pytest.mark.parametrize("lost", [False, True])
def test_an_index_at_another_place_has_not_moved_where_an_edge_of_it_was_lost(lost: bool) -> None:
    edges = index_moved(even(5.0), 7)
    falls = [edge for edge in edges if edge.line == "e_index" and not edge.level and edge.t_ns]
    encoder = decode(new(), [edge for edge in edges if not lost or edge != falls[1]])
    assert encoder.index.slip is not None
    assert encoder.index_moved is not lost


def test_an_index_at_its_place_within_a_count_is_no_slip() -> None:
    assert decode(new(), index_moved(even(4.0), 0.5)).index.slip is None


def test_swapped_channels_show_at_an_index_that_ends_inside_a_quarter_with_b_high() -> None:
    """1.35 degrees are 1.5 counts here, the middle of such a quarter."""
    swap = {"e_a": "e_b", "e_b": "e_a"}
    edges = even(3.0, width_deg=1.35)
    swapped = [edge._replace(line=swap.get(edge.line, edge.line)) for edge in edges]
    assert decode(new(1.35), swapped).index.slip is not None
    assert decode(new(1.35), edges).index.slip is None


@pytest.mark.parametrize(("width_deg", "slips"), [(0.36, True), (0.351, False)])
def test_an_index_that_ends_in_another_quarter_is_a_slip_where_it_should_end_four_tenths_of_a_count_from_an_edge(
    width_deg: float, slips: bool
) -> None:
    """It ends after 1.4 counts, not after 0.4 or a little less."""
    assert (decode(new(width_deg), even(3.0, width_deg=1.26)).index.slip is not None) is slips


def test_an_inverted_index_is_a_slip() -> None:
    edges = [edge._replace(level=1 - edge.level) if edge.line == "e_index" else edge for edge in even(3.0)]
    assert decode(new(), edges).index.slip is not None


@pytest.mark.parametrize("line", ["e_a", "e_b"])
@pytest.mark.parametrize("number", [90, 143])
def test_a_lost_pulse_is_a_slip_at_the_next_index_that_the_doubt_explains(line: str, number: int) -> None:
    slip = decode(new(), without_pulse(even(4.0), line, number)).index.slip
    assert slip is not None
    assert slip.explained


@pytest.mark.parametrize("line", ["e_a", "e_b"])
def test_a_pulse_lost_before_the_first_index_does_no_harm(line: str) -> None:
    encoder = decode(new(), without_pulse(even(4.0), line, 30))
    angle = encoder.angle_counts()
    assert encoder.index.slip is None
    assert angle is not None
    assert angle % TURN == 100


@pytest.mark.parametrize("line", ["e_a", "e_b"])
def test_a_pulse_lost_after_the_last_index_leaves_the_truth_within_the_doubt(line: str) -> None:
    whole = even(2.6)
    encoder = decode(new(), without_pulse(whole, line, 240))
    truth = decode(new(), whole).count
    low, high = encoder.doubt_at_rest()
    assert encoder.count == truth - 4
    assert encoder.count + low <= truth <= encoder.count + high


def test_the_next_index_settles_what_was_in_doubt() -> None:
    assert not decode(new(), without_pulse(even(2.9), "e_a", 100)).doubtful


def test_a_reported_loss_leaves_a_turn_in_doubt_until_the_next_index() -> None:
    edges = even(3.0)
    half = len(edges) // 2
    encoder = decode(new(), edges[:half])
    encoder.lost("e_a", 2)
    assert (encoder.losses, encoder.lost_counts, encoder.doubtful) == (1, 4, True)
    decode(encoder, edges[half:])
    assert not encoder.doubtful
    assert encoder.losses == 1


def test_a_loss_without_a_number_may_have_hidden_a_turn() -> None:
    encoder = decode(new(), even(1.5))
    encoder.lost("e_a", None)
    assert encoder.lost_counts == TURN


def test_a_line_that_does_not_move_while_the_other_does_is_stuck() -> None:
    edges = [edge for edge in even(1.0) if edge.line != "e_b" or edge.t_ns < 200_000_000]
    assert decode(new(), edges).stuck == "e_b"


@pytest.mark.parametrize(("alone", "stuck"), [(8, None), (9, "e_b")])
def test_nine_edges_of_one_line_in_a_row_are_those_beside_a_stuck_line(alone: int, stuck: str | None) -> None:
    """The first is a count, and eight reverse it."""
    edges = [edge for edge in even(1.0) if edge.line != "e_b" or edge.t_ns < 200_000_000]
    last = max(k for k, edge in enumerate(edges) if edge.line == "e_b")
    encoder = decode(new(), edges[: last + 1 + alone])
    assert (encoder.stuck, [doubt.dead_line for doubt in encoder.doubts]) == (stuck, [stuck] if stuck else [])


@pytest.mark.parametrize(("backs", "hidden"), [(6, 0), (8, 16)])
def test_a_contact_that_comes_back_eight_times_may_have_been_beside_a_stuck_line(backs: int, hidden: int) -> None:
    """It bounced, as the times show; for a disc that comes to rest each edge back is counted as two counts."""
    edges = even(0.6)
    one = [edge for edge in edges if edge.line == "e_a"][60]
    bounces = [Edge("e_a", (one.level + k) % 2, one.t_ns + k * 100_000) for k in range(1, backs + 1)]
    encoder = decode(new(), in_order([*edges, *bounces]))
    assert (encoder.hidden_counts, encoder.bounces, encoder.doubtful, encoder.stuck) == (hidden, 1, False, None)


def test_a_bounce_is_no_doubt() -> None:
    bounced: list[Edge] = []
    for k, edge in enumerate(even(1.5)):
        bounced.append(edge)
        if edge.line == "e_a" and edge.t_ns and k % 7 == 0:
            bounced += [Edge("e_a", 1 - edge.level, edge.t_ns + 50_000), Edge("e_a", edge.level, edge.t_ns + 90_000)]
    encoder = decode(new(), in_order(bounced))
    assert encoder.count == 600
    assert encoder.bounces > 20
    assert not encoder.doubtful
    assert encoder.stuck is None


def test_after_a_pulled_cable_nothing_is_known_until_edges_and_an_index_come() -> None:
    encoder = decode(new(), even(1.5))
    assert encoder.angle_counts() is not None
    encoder.unplugged()
    assert encoder.angle_counts() is None
    assert encoder.doubtful


def test_a_new_run_forgets_what_was_wrong_in_the_last_but_not_where_the_disc_is() -> None:
    encoder = decode(new(), even(1.5))
    encoder.lost("e_a", None)
    at = encoder.angle_counts()
    encoder.begin_run()
    assert (encoder.losses, encoder.lost_counts, encoder.doubtful) == (0, 0, False)
    assert encoder.angle_counts() == at


def test_a_disc_whose_last_counts_were_fast_cannot_have_stopped_there() -> None:
    assert decode(new(), even(1.5, deg_per_s=400.0)).stopped_at_speed(FAR)
    assert not decode(new(), even(1.5, deg_per_s=9.0)).stopped_at_speed(FAR)


def slowing(slowing_deg_per_s2: float, cut_counts: int) -> list[Edge]:
    """A disc that slows evenly to its rest, without its last counts."""
    motion = Motion(90.45)
    motion.speed = (2 * slowing_deg_per_s2 * 400.0) ** 0.5
    motion.turn_to(490.45, 0.0)
    edges = lines_of(motion)
    last = [edge.t_ns for edge in edges if edge.line != "e_index"][-1 - cut_counts]
    return [edge for edge in edges if edge.t_ns <= last]


@pytest.mark.parametrize(("cut_counts", "lost"), [(0, False), (8, True), (13, True), (40, True)])
def test_a_disc_that_was_not_yet_stopping_has_lost_its_last_edges(cut_counts: int, lost: bool) -> None:
    assert decode(new(), slowing(40.0, cut_counts)).stopped_at_speed(FAR) == lost


@pytest.mark.parametrize("bounced", [False, True])
@pytest.mark.parametrize(("cut_counts", "high"), [(0, 0), (1, 0), (3, 5), (5, 6), (40, 6)])
def test_a_disc_that_a_flapper_may_have_stopped_may_have_gone_on(cut_counts: int, high: int, bounced: bool) -> None:
    """As far as the last counts predict, and one count more; five counts at most."""
    edges = slowing(40.0, cut_counts)
    if bounced:
        last = next(edge for edge in reversed(edges) if edge.line != "e_index")
        edges += [Edge(last.line, 1 - last.level, last.t_ns + 500_000), last._replace(t_ns=last.t_ns + 900_000)]
    assert decode(new(), edges).doubt_at_rest() == (0, high)


@pytest.mark.parametrize(("cut_counts", "lost"), [(0, False), (13, True), (40, True)])
def test_an_edge_that_comes_back_late_does_not_hide_that_the_last_edges_were_lost(cut_counts: int, lost: bool) -> None:
    """The disc ran on, stood, and crept back over the edge that was seen last."""
    edges = slowing(40.0, cut_counts)
    last = next(edge for edge in reversed(edges) if edge.line != "e_index")
    back = Edge(last.line, 1 - last.level, last.t_ns + 1_300_000_000)
    encoder = decode(decode(new(), edges), [back])
    assert encoder.stopped_at_speed(FAR) == lost


@pytest.mark.parametrize(
    ("gap_ms", "back_ms", "doubt"), [(15.6, 15.7, True), (15.6, 30.0, False), (150.0, 15.7, False), (56.0, 15.7, True)]
)
def test_a_turn_at_once_and_back_faster_than_it_went_is_no_spring(gap_ms: float, back_ms: float, doubt: bool) -> None:
    """A line that is stuck while the disc runs on, or a hand: the disc may not have turned."""
    edges = even(1.3, deg_per_s=0.9 / 0.0287)
    *_, before, last = (edge for edge in edges if edge.line != "e_index")
    turned_ns = last.t_ns + round(gap_ms * 1e6)
    encoder = decode(new(), edges)
    decode(encoder, [Edge(last.line, 1 - last.level, turned_ns)])
    decode(encoder, [Edge(before.line, 1 - before.level, turned_ns + round(back_ms * 1e6))])
    low, high = encoder.doubt_at_rest()
    assert (low <= -100 and high >= 100) == doubt


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("lost", [0, 2, 12, 28, 60])
def test_a_disc_that_starts_at_speed_has_turned_before(lost: int, way: int) -> None:
    """Counts lost from a start, with nothing reported; the disc gains 140 degrees a second each second."""
    motion = Motion(90.45).rest(2.0)
    motion.turn_to(90.45 + way * 300.0, way * 290.0)
    edges = lines_of(motion)
    counts = [edge for edge in edges if edge.line != "e_index" and edge.t_ns]
    gone = set(counts[:lost])
    seen = [edge for edge in edges if edge not in gone]
    found = decode(new(), seen).started_counts
    assert (found == 0) if lost < 20 else (abs(found - lost) <= 2)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_bounce_does_not_hide_that_a_disc_started_before(number: int) -> None:
    motion = Motion(90.45).rest(2.0)
    motion.turn_to(390.45, 290.0)
    edges = lines_of(motion)
    counts = [edge for edge in edges if edge.line != "e_index" and edge.t_ns]
    gone, one = set(counts[:60]), counts[60 + number]
    bounce = [Edge(one.line, 1 - one.level, one.t_ns + 300_000), one._replace(t_ns=one.t_ns + 500_000)]
    seen = in_order([*(edge for edge in edges if edge not in gone), *bounce])
    assert 60 <= decode(new(), seen).started_counts <= 66


def without_slots(edges: list[Edge], first: int, slots: int) -> list[Edge]:
    """The edges without so many slots of A and B from a count on."""
    counts = [edge for edge in edges if edge.line != "e_index" and edge.t_ns]
    gone = set(counts[first : first + 4 * slots])
    return [edge for edge in edges if edge not in gone]


@pytest.mark.parametrize("slots", [1, 3, 12])
@pytest.mark.parametrize("turns", [3.3, -3.3])
def test_an_index_that_crosses_as_if_nothing_were_lost_after_a_certain_loss_has_moved(turns: float, slots: int) -> None:
    """No hand holds a disc that does 200 degrees a second within a count: where its edges pause, it went on."""
    whole = even(turns)
    since_ns = [edge.t_ns for edge in whole if edge.line != "e_index" and edge.t_ns][600]
    shift_ns = round(4 * slots * COUNT_DEG / 200.0 * 1e9)
    late = [e.line == "e_index" and e.t_ns > since_ns for e in whole]
    moved = in_order([e._replace(t_ns=e.t_ns + shift_ns) if later else e for e, later in zip(whole, late, strict=True)])
    encoder = decode(new(), without_slots(moved, 600, slots))
    assert encoder.index.slip is not None
    assert not encoder.index.slip.explained
    assert encoder.index_moved
    lost = decode(new(), without_slots(whole, 600, slots)).index.slip
    assert lost is not None
    assert lost.explained == (slots < 12)


@pytest.mark.parametrize("first", [500, 20])
def test_a_disc_that_a_hand_may_have_held_is_proven_by_its_index(first: int) -> None:
    """At 60 degrees a second it may have stood where its edges pause. Before the first index nothing was proven."""
    edges = even(3.3, deg_per_s=60.0 if first == 500 else 200.0)
    counts = [edge for edge in edges if edge.line != "e_index" and edge.t_ns]
    pause_ns = 13 * (counts[1].t_ns - counts[0].t_ns)
    held = [e if e.t_ns <= counts[first].t_ns else e._replace(t_ns=e.t_ns + pause_ns) for e in edges]
    encoder = decode(new(), held)
    assert encoder.index.slip is None
    assert not encoder.doubtful


def state_of(encoder: Encoder) -> tuple[object, ...]:
    """All that edges leave behind."""
    doubts = (encoder.doubt_low, encoder.doubt_high, encoder.doubt_at_rest(), encoder.started_counts, encoder.bounces)
    return (encoder.count, encoder.angle_counts(), encoder.index.slip, encoder.stopped_at_speed(FAR), *doubts)


EDGES = without_pulse(without_pulse(even(3.3), "e_a", 140), "e_b", 290)
ENDING = [edge for number, edge in enumerate(slowing(40.0, 3)) if not 2 <= number < 62]
WHOLE = [(edges, state_of(decode(new(), edges))) for edges in (EDGES, ENDING)]


@pytest.mark.parametrize(("edges", "whole"), WHOLE, ids=["lost pulses", "a lost start and end"])
@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(0, len(EDGES)), max_size=12))
def test_edges_cut_anywhere_are_decoded_alike(edges: list[Edge], whole: tuple[object, ...], cuts: list[int]) -> None:
    encoder = new()
    for start, end in pairwise([0, *sorted(cut % len(edges) for cut in cuts), len(edges)]):
        decode(encoder, edges[start:end])
    assert state_of(encoder) == whole


QUARTERS = ((1, 0), (1, 1), (0, 1), (0, 0))
"""The levels of A and B in the quarters of a slot."""


def uneven(rng: Random) -> list[Edge | None]:
    """Edges of a disc that starts, turns back, stands and bounces; None where its cable is pulled."""
    t_ns, at, way, tau_ns = 0, rng.randrange(4), rng.choice((1, -1)), rng.choice((1, 5, 10, 30)) * 1_000_000
    found: list[Edge | None] = [Edge(line, QUARTERS[at][k], 0) for k, line in enumerate(("e_a", "e_b"))]
    for _ in range(rng.randrange(4, 120)):
        way = -way if rng.random() < 0.05 else way
        tau_ns = max(100_000, int(tau_ns * rng.uniform(0.9, 1.12)))
        t_ns += tau_ns * rng.choice((1,) * 30 + (3, 4, 8))
        t_ns += rng.choice((900, 1_100, 3_000)) * 1_000_000 if rng.random() < 0.05 else 0
        before, at = at, (at + way) % 4
        k = QUARTERS[before][0] == QUARTERS[at][0]
        edge = Edge(("e_a", "e_b")[k], QUARTERS[at][k], t_ns)
        back = [Edge(edge.line, 1 - edge.level, t_ns + 1_000), edge._replace(t_ns=t_ns + 2_000)]
        found += [edge, *(back if rng.random() < 0.02 else [])]
        if rng.random() < 0.02:
            found += [None, *(Edge(line, QUARTERS[at][k], t_ns + 3_000) for k, line in enumerate(("e_a", "e_b")))]
    return found


@pytest.mark.parametrize("seed", range(60))
def test_counts_that_are_handled_together_leave_what_they_leave_one_by_one(seed: int) -> None:
    """A start is handled four counts at a time, where nothing else stops the decoder before."""
    states = []
    for alone in (False, True):
        encoder = new()
        for is_pulled, part in groupby(uneven(Random(seed)), key=lambda edge: edge is None):
            if is_pulled:
                encoder.unplugged()
                continue
            rest = iter([edge for edge in part if edge is not None])
            stop = Stop.LIMIT
            while stop is not Stop.END:
                low, high = (encoder.count, encoder.count) if alone else (-FAR, FAR)
                stop, _ = encoder.run(rest, low, high, FAR)
        states.append((state_of(encoder), encoder.hidden_counts, encoder.lost_counts, encoder.quiet_since_ns()))
    assert states[0] == states[1]


@pytest.mark.parametrize("way", [1, -1])
def test_a_long_first_count_in_either_direction_may_hide_slots(way: int) -> None:
    """The levels are known at once, and the first edge comes late: as if the disc had begun before."""
    counts = [QUARTERS[way * count % 4] for count in range(13)]
    edges = [Edge("e_a", counts[0][0], 0), Edge("e_b", counts[0][1], 0)]
    for number, (before, after) in enumerate(pairwise(counts)):
        k = before[0] == after[0]
        edges.append(Edge(("e_a", "e_b")[k], after[k], 900_000_000 + number * 10_000_000))
    encoder = decode(new(), edges)
    assert encoder.started_counts > 0 or encoder.doubtful


@pytest.mark.parametrize(("moved", "explained"), [(0.0, True), (-4.0, False), (4.0, False)])
def test_a_gap_explains_the_slip_of_as_many_counts_as_its_time_allows(moved: float, explained: bool) -> None:
    """Twelve counts lost at an even speed; an index that has moved by a slot too has not slipped by twelve."""
    edges = even(2.6)
    counts = [edge for edge in edges if edge.line != "e_index" and edge.t_ns]
    first = next(k for k, edge in enumerate(counts) if edge.t_ns > counts[-1].t_ns // 2)
    gone = set(counts[first : first + 12])
    seen = [edge for edge in edges if edge not in gone]
    count_ns = counts[-1].t_ns - counts[-2].t_ns
    late = [
        edge._replace(t_ns=edge.t_ns + round(moved * count_ns))
        if edge.line == "e_index" and edge.t_ns > counts[first].t_ns
        else edge
        for edge in seen
    ]
    slip = decode(new(), in_order(late)).index.slip
    assert slip is not None
    assert slip.explained == explained


def test_a_gap_after_the_index_is_measured_by_the_speed_at_the_index_and_not_by_that_of_the_start() -> None:
    """At the start a count takes longer than the whole gap of twelve counts at speed."""
    motion = Motion(90.45)
    motion.speed = 30.0
    motion.accelerate(1.0, 170.0).accelerate(4.0, 0.0)
    edges = lines_of(motion)
    counts = sum(edge.line != "e_index" and edge.t_ns > 0 for edge in edges)
    slip = decode(new(), without_slots(edges, counts - 500, 3)).index.slip
    assert slip is not None
    assert slip.explained


@pytest.mark.parametrize("run_begins", [False, True])
@pytest.mark.parametrize(
    ("lost", "moved", "explained"), [(1, 0, True), (1, 4, None), (2, 0, True), (2, 4, False), (2, 8, None)]
)
def test_edges_that_are_certainly_lost_explain_the_slip_of_as_many_counts_also_of_those_before_the_run(
    lost: int, moved: int, explained: bool | None, run_begins: bool
) -> None:
    """In the turn before the index moves, single edges of B are lost, each with four counts; a run begins after one."""
    edges = index_moved(even(5.0), moved)
    second_ns = [edge.t_ns for edge in edges if edge.line == "e_index" and edge.level and edge.t_ns][1]
    gone = [edge for edge in edges if edge.line == "e_b" and edge.level and edge.t_ns > second_ns][
        10 : 10 + 20 * lost : 20
    ]
    shown = [edge for edge in edges if edge not in gone]
    begins = next(k for k, edge in enumerate(shown) if edge.t_ns > gone[0].t_ns + 50_000_000)
    encoder = decode(new(), shown[:begins])
    if run_begins:
        encoder.begin_run()
    slip = decode(encoder, shown[begins:]).index.slip
    assert slip is not None
    if explained is None:
        assert slip.detail.startswith("the index crossed as if none of") is (moved == 4 * lost)
    assert slip.explained is bool(explained)
    assert encoder.index_moved is not bool(explained)


def test_a_turn_that_may_hide_a_loss_explains_no_slip() -> None:
    """Turned by hand before the next spin: lost pulses there, and an index that has moved, look the same."""
    encoder = new()
    encoder._doubt(-4, 8)
    assert (encoder.doubt_low, encoder.doubt_high) == (-4, 8)
    assert not encoder._explains(8)
    encoder._lose(-4, 8)
    assert encoder._explains(8)


@pytest.mark.parametrize(("width_deg", "advised"), [(3.0, "1.35"), (6.6, "4.95"), (10.2, "8.55")])
def test_a_mark_that_ends_with_b_low_is_to_be_as_much_narrower_as_ends_it_with_b_high(
    width_deg: float, advised: str
) -> None:
    """With 100 slots a count is 0.9 degrees: 1.5, 5.5 and 9.5 counts are the middles of such quarters."""
    (finding,) = index_findings("wheel", width_deg, SLOTS)
    assert finding.fix == f"make the mark {advised} degrees wide: it ends with B high then"
