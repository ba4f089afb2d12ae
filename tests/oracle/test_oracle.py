"""The oracle itself: its lines agree with its truth, when read by the conventions of the design alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

import pytest

from hal.clock import NS_PER_S as S
from hal.values import Edge, EdgesLost, Loss, Reading
from tests.oracle import ball, corruptions, judge, money, roulette
from tests.oracle.invisible import held_unseen, object_unseen, pass_unseen, pulse_unseen, rest_unseen
from tests.oracle.motion import Motion, encoder_edges
from tests.oracle.rounds import roulette_round
from tests.oracle.wear import AS_NEW, RUNS_A_DAY, Wear, worn, worn_edges

TURNING = ((1, 0), (1, 1), (0, 1), (0, 0))
"""A and B over the four counts of a slot, turning positive."""


def counts(edges: list[Edge], prefix: str) -> list[tuple[int, int]]:
    """The bare count of a clean encoder, with its times, from 0 at the start."""
    level = {e.line: e.level for e in edges if e.t_ns == 0}
    a, b = f"{prefix}_a", f"{prefix}_b"
    phase = TURNING.index((level[a], level[b]))
    found, count = [(0, 0)], 0
    for edge in edges:
        if edge.line in (a, b) and edge.t_ns:
            level[edge.line] = edge.level
            now = TURNING.index((level[a], level[b]))
            step = (now - phase + 1) % 4 - 1
            assert step in (-1, 1)
            count, phase = count + step, now
            found.append((edge.t_ns, count))
    return found


def at(found: list[tuple[int, int]], t_ns: int) -> int:
    """The count at a time."""
    return next(count for t, count in reversed(found) if t <= t_ns)


def test_a_wheel_turning_positive_raises_a_then_b_and_raises_the_index_at_angle_zero() -> None:
    motion = Motion(-0.9).rest(1.0)
    motion.speed = 9.0
    motion.accelerate(1.0, 0.0)
    edges = sorted(encoder_edges(motion, "wheel", 100, index_offset_deg=0.1), key=lambda e: e.t_ns)
    changes = [(e.line, e.level) for e in edges if e.t_ns][:9]
    assert changes == [
        ("wheel_a", 1), ("wheel_index", 1), ("wheel_b", 1), ("wheel_a", 0), ("wheel_b", 0), ("wheel_index", 0),
        ("wheel_a", 1), ("wheel_b", 1), ("wheel_a", 0),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_the_counts_of_a_money_wheel_are_its_true_travel(seed: int) -> None:
    run = money.make_run(Random(seed), spins=2)
    found = counts(run.edges, "wheel")
    for spin in run.spins:
        if spin.kind in ("plain", "too_early", "called_late", "nudge_first", "nudge_after"):
            seen = abs(at(found, spin.furthest_ns) - at(found, spin.start_ns)) * run.wheel.count_deg / 360.0
            assert seen == pytest.approx(spin.revolutions, abs=1.01 * run.wheel.count_deg / 360.0)


@pytest.mark.parametrize("seed", range(40))
def test_the_index_and_the_counts_of_a_money_wheel_lead_to_its_true_space(seed: int) -> None:
    run = money.make_run(Random(seed), spins=1, clean=True, turns=3.5, kinds=("plain",))
    found = counts(run.edges, "wheel")
    index = next(e for e in run.edges if e.line == "wheel_index" and e.t_ns)
    spin = run.spins[0]
    forward = found[-1][1] > 0
    # The near end of the index lies in the first count after angle 0, the far end three counts on.
    zero = at(found, index.t_ns) - (0 if forward == bool(index.level) else 3)
    rested = at(found, spin.rest_ns + 1) - zero
    assert run.wheel.space_at((rested + 0.5) * run.wheel.count_deg) == spin.space


@pytest.mark.parametrize("seed", range(40))
def test_every_clean_money_wheel_rests_clear_of_the_pegs(seed: int) -> None:
    run = money.make_run(Random(seed), spins=3, clean=True)
    wheel = run.wheel
    assert all(s.peg_margin_deg > 0.05 * wheel.space_deg + wheel.count_deg for s in run.spins)


def test_money_wheel_runs_lie_on_both_sides_of_three_turns_and_are_refused_for_every_cause() -> None:
    spins = [spin for seed in range(300) for spin in money.make_run(Random(seed)).spins]
    near = [s.revolutions for s in spins if abs(s.revolutions - 3.0) < 0.1]
    assert sum(r < 3.0 for r in near) > 30
    assert sum(r >= 3.0 for r in near) > 30
    assert {s.kind for s in spins} == set(money.KINDS)
    assert 0.25 < sum(s.valid for s in spins) / len(spins) < 0.75


def passes_of(run: roulette.RouletteRun) -> list[tuple[int, int]]:
    """The middles of the pulses on the track sensors, with their sensors."""
    rises: dict[str, int] = {}
    found = []
    for edge in run.edges:
        if edge.line.startswith("ball_") and edge.t_ns:
            if edge.level:
                rises[edge.line] = edge.t_ns
            else:
                found.append(((rises[edge.line] + edge.t_ns) // 2, int(edge.line[5:]) - 1))
    return sorted(found)


@pytest.mark.parametrize("seed", range(40))
def test_the_passes_of_a_ball_are_its_measurable_travel(seed: int) -> None:
    run = roulette.make_run(Random(seed), kinds=("plain", "with_rotor"))
    spin, sensors = run.spins[0], run.wheel.sensors_deg
    order = [sensor for _, sensor in passes_of(run)]
    way = sum((sensors[b] - sensors[a]) * spin.ball_way % 360.0 for a, b in pairwise(order)) / 360.0
    assert way == pytest.approx(spin.measurable)
    assert spin.measurable <= spin.travel


@pytest.mark.parametrize("seed", range(40))
def test_the_pocket_pulses_name_the_true_pocket(seed: int) -> None:
    run = roulette.make_run(Random(seed), kinds=("plain",), wheel=roulette.Wheel(head_deg=45.0))
    found = counts(run.edges, "rotor")
    near_end = int(run.spins[0].rotor_way > 0)
    zero = next(at(found, e.t_ns) for e in run.edges if e.line == "rotor_index" and e.t_ns and e.level == near_end)
    rises = [e.t_ns for e in run.edges if e.line == "pocket" and e.level]
    falls = [e.t_ns for e in run.edges if e.line == "pocket" and not e.level and e.t_ns]
    assert len(rises) == run.spins[0].readings >= 4
    for rise, fall in zip(rises, falls, strict=True):
        turned = (at(found, (rise + fall) // 2) - zero + 0.5) * 90.0 / run.wheel.slots
        pocket = round((45.0 - turned) / run.wheel.pocket_deg) % 37
        assert roulette.EUROPEAN[pocket] == run.spins[0].pocket


def test_roulette_runs_lie_on_both_sides_of_four_turns_and_are_refused_for_every_cause() -> None:
    spins = [spin for seed in range(400) for spin in roulette.make_run(Random(seed)).spins]
    near = [s.measurable for s in spins if s.kind == "plain"]
    assert sum(3.5 < m < 4.0 for m in near) > 10
    assert sum(4.0 <= m < 4.2 for m in near) > 10
    assert {s.kind for s in spins} == set(roulette.KINDS)
    assert 0.2 < sum(s.valid for s in spins) / len(spins) < 0.7


def test_laps_as_filmed_pass_three_sensors_a_lap() -> None:
    motion = ball.lapped(8.0, -20.0, 1, ball.REAL_LAPS_S["a"])
    seen = ball.passes(motion, (0.0, 120.0, 240.0), 4.0)
    assert len(seen) == 39
    assert ball.measurable_turns(seen) == pytest.approx(38 / 3)
    assert seen[1].t_s - seen[0].t_s == pytest.approx(0.680 / 3)


def test_laps_that_are_made_slow_as_the_filmed_ones_do() -> None:
    for seed in range(50):
        motion = ball.slowing(0.0, 10.0, 1, 12.0, Random(seed), 2.85)
        seen = [p.t_s for p in ball.passes(motion, (0.0,), 4.0)]
        laps = [b - a for a, b in pairwise(seen)]
        assert 1.7 < laps[-1] < 2.4
        assert 0.4 < laps[0] < 1.2
        assert max(b / a for a, b in pairwise(laps)) < 1.6
        assert min(b / a for a, b in pairwise(laps)) > 0.85


@pytest.mark.parametrize("corruption", corruptions.ALL, ids=lambda c: c.__name__)
def test_a_corruption_keeps_the_found_levels_and_the_order_of_time(corruption: corruptions.Corruption) -> None:
    for seed in range(6):
        run = (money.make_run if seed % 2 else roulette.make_run)(Random(seed))
        before = list(run.edges)
        made = corruption(run.edges, Random(seed))
        assert run.edges == before
        assert made == corruption(run.edges, Random(seed))
        assert [e.t_ns for e in made.edges] == sorted(e.t_ns for e in made.edges)
        assert [r.t_ns for r in made.rare] == sorted(r.t_ns for r in made.rare)
        found = {e.line for e in made.edges if e.t_ns == 0}
        assert found == {e.line for e in made.edges}


@pytest.mark.parametrize("corruption", corruptions.SINGLE, ids=lambda c: c.__name__)
def test_a_corruption_corrupts(corruption: corruptions.Corruption) -> None:
    run = money.make_run(Random(1))
    changed = [corruption(run.edges, Random(seed)) for seed in range(20)]
    assert sum(made.edges != run.edges for made in changed) > 8


def test_no_corruption_presses_a_button() -> None:
    for seed in range(60):
        run = money.make_run(Random(seed))
        for corruption in corruptions.ALL:
            if corruption is not corruptions.jitter and corruption is not corruptions.twice:
                made = corruption(run.edges, Random(seed))
                assert [e for e in made.edges if e.line.startswith("dealer")] == [
                    e for e in run.edges if e.line.startswith("dealer")
                ]


def test_only_a_loss_that_begins_where_the_wheel_turned_back_hides_that_it_has_not_come_to_rest() -> None:
    run = money.make_run(Random(18056), money.Wheel(slots=200, button=False), spins=1)
    spin = run.spins[0]
    ab = [e for e in run.edges if e.line in ("wheel_a", "wheel_b") and spin.start_ns < e.t_ns <= spin.rest_ns]
    turned = next(k for k in range(2, len(ab)) if ab[k - 2].line == ab[k - 1].line)
    for first in range(turned - 5, turned + 3):
        gone = set(ab[first:])
        shown = [e for e in run.edges if e not in gone]
        for rare in ([], [EdgesLost("wheel_a", Loss.OVERFLOW, ab[first].t_ns, None)]):
            made = corruptions.Corrupted(shown, [*rare], "the end is lost")
            lines = [e.line for e in ab[first - 2 : first + 3]]
            again = any(one == other for one, other in pairwise(lines))
            assert rest_unseen(run, spin, spin.rest_ns, made) == (again and not rare)
    assert not rest_unseen(run, spin, spin.rest_ns, corruptions.Corrupted(run.edges, [], "nothing"))


@pytest.mark.parametrize(("slots", "spaces"), [(100, 50), (200, 50)])
def test_only_one_pulse_of_a_rocking_wheel_on_few_slots_may_be_lost_unseen(slots: int, spaces: int) -> None:
    run = money.make_run(Random(18056), money.Wheel(spaces=spaces, slots=slots, button=False), spins=1)
    spin = run.spins[0]
    pulses = corruptions.whole_pulses(run.edges, "wheel_a")
    for pair in (pulses[10], pulses[-1], pulses[-2]):
        made = corruptions.Corrupted(corruptions.without(run.edges, pair), [], "a pulse is lost")
        late = spin.furthest_ns <= run.edges[pair[0]].t_ns and run.edges[pair[1]].t_ns <= spin.rest_ns
        assert pulse_unseen(run, spin, made) == (late and slots < 4 * spaces)
    two = corruptions.without(run.edges, [*pulses[-1], *pulses[-2]])
    assert not pulse_unseen(run, spin, corruptions.Corrupted(two, [], "two pulses are lost"))


@pytest.mark.parametrize(("slots", "spaces"), [(100, 50), (200, 50)])
def test_only_one_edge_of_a_rocking_wheel_on_few_slots_may_come_early_unseen(slots: int, spaces: int) -> None:
    run = money.make_run(Random(18056), money.Wheel(spaces=spaces, slots=slots, button=False), spins=1)
    spin = run.spins[0]
    for at, by_ns, few in ((-1, -20_000_000, True), (-1, 20_000_000, False), (20, -1_000_000, False)):
        edge = [e for e in run.edges if e.line == "wheel_a" and e.t_ns <= spin.rest_ns][at]
        moved = edge._replace(t_ns=edge.t_ns + by_ns)
        shown = sorted([moved, *(e for e in run.edges if e != edge)], key=lambda e: e.t_ns)
        made = corruptions.Corrupted(shown, [], "an edge comes at another time")
        assert pulse_unseen(run, spin, made) == (few and slots < 4 * spaces)


@pytest.mark.parametrize("slots", [100, 200, 400])
def test_the_last_edge_of_a_line_on_a_rocking_wheel_may_be_lost_unseen(slots: int) -> None:
    run = money.make_run(Random(18056), money.Wheel(spaces=50, slots=slots, button=False), spins=1)
    spin = run.spins[0]
    last = [e for e in run.edges if e.line == "wheel_a" and e.t_ns <= spin.rest_ns]
    for gone, unseen in ((last[-1], True), (last[-2], False), (last[20], False)):
        made = corruptions.Corrupted([e for e in run.edges if e != gone], [], "an edge is lost")
        assert pulse_unseen(run, spin, made) == unseen


@pytest.mark.parametrize(
    ("before", "moved", "unseen"), [(18, 12, True), (18, 8, False), (18, 0, False), (300, 12, False)]
)
def test_slots_of_a_slow_wheel_are_lost_unseen_where_the_index_moved_by_as_many(
    before: int, moved: int, unseen: bool
) -> None:
    """A hand may have held the slow wheel. Of a quick one, or where the index came as before, there is no outcome."""
    run = money.make_run(Random(27), clean=True, kinds=("plain",), turns=5.4)
    (spin,) = run.spins
    true = [e for e in run.edges if e.line in ("wheel_a", "wheel_b") and e.t_ns > spin.start_ns]
    *_, crossed_ns = (e.t_ns for e in run.edges if e.line == "wheel_index" and e.level)
    first = sum(e.t_ns < crossed_ns for e in true) - before
    index = [e for e in run.edges if e.line == "wheel_index" and e.t_ns >= crossed_ns]
    places = [sum(one.t_ns <= e.t_ns for one in true) + moved - 1 for e in index]
    late = [e._replace(t_ns=true[place].t_ns + 100_000) for e, place in zip(index, places, strict=True)]
    gone = {*true[first : first + 12], *index}
    edges = sorted([*(e for e in run.edges if e not in gone), *late], key=lambda e: e.t_ns)
    made = corruptions.Corrupted(edges, [], "lost and moved")
    assert held_unseen(run, spin, made) == unseen
    outcomes = [s.data["result"]["space"] for s in judge.money_events(run, made) if s.type == "round.outcome"]
    assert len(outcomes) == unseen
    assert spin.space not in outcomes


def test_an_object_is_unseen_where_no_beam_shows_more_than_noise_during_the_spin() -> None:
    wheel = roulette.recommended_wheel(Random(5))
    run = roulette.make_run(Random(5), wheel, spins=1, kinds=("object_early",))
    (spin,) = run.spins
    others = [e for e in run.edges if e.line not in wheel.object_lines]

    outcome_ns = spin.rest_ns + 10 * S

    def unseen(*pulses: tuple[str, int, int], lone: Sequence[Edge] = (), lost: Sequence[EdgesLost] = ()) -> bool:
        edges = [
            edge for line, at_ns, for_ns in pulses for edge in (Edge(line, 1, at_ns), Edge(line, 0, at_ns + for_ns))
        ]
        made = corruptions.Corrupted([*others, *edges, *lone], list(lost), "its beams show other pulses")
        return object_unseen(run, spin, outcome_ns, made)

    assert unseen()
    assert unseen(("object", spin.launch_ns + S, S // 1000), ("object_2", spin.rest_ns + S, S))
    for line in wheel.object_lines:
        kept = [e for e in run.edges if e.line == line]
        noisy = [*others, *kept, Edge(line, 1, run.until_ns - 2), Edge(line, 0, run.until_ns - 1)]
        made = corruptions.Corrupted(noisy, [], "one beam has noise, the other is dead")
        assert not object_unseen(run, spin, outcome_ns, made)
        assert not unseen((line, spin.launch_ns + S, S // 100))
        assert not unseen((line, spin.launch_ns - S, 2 * S))
        for t_ns in (spin.launch_ns - S, outcome_ns + S):
            assert unseen(lone=[Edge(line, 0, 0), Edge(line, 0, t_ns)])
            assert unseen(lost=[EdgesLost(line, Loss.OVERFLOW, t_ns, 2)])
        for t_ns in (spin.launch_ns + S, spin.rest_ns + S):
            assert not unseen(lone=[Edge(line, 0, 0), Edge(line, 0, t_ns)])
            assert not unseen(lost=[EdgesLost(line, Loss.OVERFLOW, t_ns, 2)])
            assert unseen(lost=[EdgesLost("pocket", Loss.OVERFLOW, t_ns, 2)])


class DuePulse(NamedTuple):
    """The pulse that the ball would have given at its next sensor after the last, or at the one before the first."""

    line: str
    t_ns: int
    width_ns: int
    leg_ns: int
    turns: float

    def edges(self, late_ns: int = 0, width: float = 1.0) -> list[Edge]:
        begins_ns = self.t_ns + late_ns
        return [Edge(self.line, 1, begins_ns), Edge(self.line, 0, begins_ns + round(self.width_ns * width))]


def due_pulse(run: roulette.RouletteRun, *, after: bool) -> DuePulse:
    (spin,), deg = run.spins, run.wheel.sensors_deg
    pulses = sorted(
        (run.edges[rise].t_ns, run.edges[fall].t_ns - run.edges[rise].t_ns, number)
        for number in range(3)
        for rise, fall in corruptions.whole_pulses(run.edges, f"ball_{number + 1}")
    )
    assert len(pulses) == len(spin.passes_ns)
    (one_ns, _, one), (two_ns, width_ns, two) = pulses[-2:] if after else pulses[1::-1]
    way = spin.ball_way if after else -spin.ball_way
    ahead_deg, number = min(((deg[k] - deg[two]) * way % 360 or 360.0, k) for k in range(3))
    leg_ns = round((two_ns - one_ns) * ahead_deg / ((deg[two] - deg[one]) * way % 360))
    return DuePulse(f"ball_{number + 1}", two_ns + leg_ns, width_ns, leg_ns, ahead_deg / 360)


def with_pulses(run: roulette.RouletteRun, *more: Edge, lost: Sequence[EdgesLost] = ()) -> corruptions.Corrupted:
    return corruptions.Corrupted(sorted([*run.edges, *more], key=lambda e: e.t_ns), list(lost), "false pulses")


@pytest.mark.parametrize("after", [True, False])
def test_a_false_pulse_is_unseen_where_the_ball_was_due_by_time_and_width_alone(after: bool) -> None:
    run = roulette.make_run(Random(5), roulette.recommended_wheel(Random(5)), spins=1, kinds=("plain",), count=11)
    (spin,), due = run.spins, due_pulse(run, after=after)

    def turns(*more: Edge, lost: Sequence[EdgesLost] = ()) -> float:
        return pass_unseen(run, spin, with_pulses(run, *more, lost=lost))

    assert turns(*due.edges()) == pytest.approx(due.turns)
    assert turns(*due.edges(width=2.0)) == turns(*due.edges(width=0.5)) == 0.0
    for part in (0.4, 0.3, -0.15 if after else -0.3):
        assert turns(*due.edges(late_ns=round(part * due.leg_ns))) == 0.0
    for other in {"ball_1", "ball_2", "ball_3"} - {due.line}:
        assert turns(*due._replace(line=other).edges()) == 0.0
    assert turns(*due.edges(), lost=[EdgesLost(due.line, Loss.LATE, due.t_ns, 1)]) == 0.0
    assert turns(*due.edges(), *due.edges(late_ns=due.leg_ns // 2)) == 0.0
    assert turns(*due.edges(), *due.edges(late_ns=due.leg_ns // 2, width=0.01)) == pytest.approx(due.turns)


def test_an_outcome_of_a_spin_that_one_false_pulse_made_long_enough_is_excused_and_no_other() -> None:
    run = roulette.make_run(Random(2), roulette.recommended_wheel(Random(2)), spins=1, kinds=("plain",), count=12)
    due = due_pulse(run, after=True)
    (spin,) = run.spins
    assert spin.measurable < 4 <= spin.longer(due.turns).measurable
    made = with_pulses(run, *due.edges())
    seen = judge.roulette_events(run, made)
    assert len(judge.false_roulette_outcomes(run, seen)) == 1
    assert judge.false_roulette_outcomes(run, seen, made) == []
    told = with_pulses(run, *due.edges(), lost=[EdgesLost(due.line, Loss.LATE, due.t_ns, 1)])
    assert len(judge.false_roulette_outcomes(run, seen, told)) == 1


# --- the life of a wheel -------------------------------------------------------------------------------------------


def worn_out(wear: Wear, seed: int = 5) -> tuple[list[Edge], list[Edge]]:
    """The edges of a run as they are, and as worn parts give them."""
    wheel = roulette.recommended_wheel(Random(seed))
    edges = roulette.make_run(Random(seed), wheel, kinds=("object_early",)).edges
    return edges, worn_edges(edges, wear, Random(1))


def test_a_wheel_that_is_as_new_has_the_lines_of_one_without_wear() -> None:
    edges, shown = worn_out(AS_NEW)
    assert shown == edges


def test_each_worn_part_changes_its_own_lines_and_no_others() -> None:
    for wear, lines in (
        (Wear(width=0.75), {"ball_1", "ball_2", "ball_3"}),
        (Wear(missed=(0.0, 0.5, 0.0)), {"ball_2"}),
        (Wear(late=0.2), {"rotor_b"}),
        (Wear(bounces=0.1), {"rotor_a", "rotor_b"}),
        (Wear(blind="object_2"), {"object_2"}),
    ):
        edges, shown = worn_out(wear)
        assert {edge.line for edge in {*edges} ^ {*shown}} == lines
        for line in lines:
            levels = [edge.level for edge in shown if edge.line == line]
            assert all(one != other for one, other in pairwise(levels))


def test_late_counts_narrow_pulses_and_a_blind_beam_are_as_much_as_the_wear_says() -> None:
    edges, shown = worn_out(Wear(width=0.75, blind="object"))
    for line in ("ball_1", "ball_2", "ball_3"):
        pulses = [[b.t_ns - a.t_ns for a, b in _pulses_of(some, line)] for some in (edges, shown)]
        assert [narrow / wide for wide, narrow in zip(*pulses, strict=True)] == pytest.approx([0.75] * len(pulses[0]))
    assert [edge for edge in shown if edge.line == "object"] == [Edge("object", 0, 0)]


def test_a_worn_wheel_is_out_of_level_by_its_tilt_and_reads_the_same_otherwise() -> None:
    wheel = roulette.recommended_wheel(Random(5))
    new, tilted = (roulette.make_run(Random(5), wheel, wear=wear).rare for wear in (AS_NEW, Wear(tilt_deg=0.04)))
    by = {
        (one.line, round(other.value - one.value, 6))
        for one, other in zip(new, tilted, strict=True)
        if isinstance(one, Reading) and isinstance(other, Reading)
    }
    assert by == {("level_x", 0.04), ("level_y", 0.0)}


def test_a_share_of_the_edges_bounces_and_b_is_late_by_a_part_of_a_count() -> None:
    edges, shown = worn_out(Wear(bounces=0.1))
    assert (len(shown) - len(edges)) / 2 == pytest.approx(0.1 * len(edges), rel=0.15)
    edges, shown = worn_out(Wear(late=0.2))
    turned = [edge for edge in edges if edge.line in ("rotor_a", "rotor_b") and edge.t_ns]
    late_ns = [edge.t_ns for edge in shown if edge.line == "rotor_b" and edge.t_ns]
    by_ns = [
        min(edge.t_ns - before.t_ns, after.t_ns - edge.t_ns) / 5
        for before, edge, after in zip(turned, turned[1:], turned[2:], strict=False)
        if edge.line == "rotor_b"
    ]
    true_ns = [edge.t_ns for edge in turned[1:-1] if edge.line == "rotor_b"]
    assert [t_ns + by for t_ns, by in zip(true_ns, by_ns, strict=True)] == pytest.approx(
        [t_ns for t_ns in late_ns if turned[0].t_ns < t_ns < turned[-1].t_ns], abs=1.0
    )


def _pulses_of(edges: list[Edge], line: str) -> list[tuple[Edge, Edge]]:
    return [(edges[rise], edges[fall]) for rise, fall in corruptions.whole_pulses(edges, line)]


def test_parts_wear_until_they_are_exchanged_and_each_beam_is_blind_on_one_day_of_its_life() -> None:
    life = [worn(RUNS_A_DAY * day, sensors=3) for day in range(2701)]
    assert max(one.rotor_loss for one in life) > 2.0
    assert max(one.ball_loss for one in life) > 1.45
    assert min(one.width for one in life) < 0.8
    assert max(max(one.missed) for one in life) > 0.04
    assert max(abs(one.tilt_deg) for one in life) < 0.06  # of the 0.15 that shut the table
    assert [day for day, one in enumerate(life) if one.blind == "object"] == [1099, 2199]
    assert [day for day, one in enumerate(life) if one.blind == "object_2"] == [549, 1649]


def test_a_worn_wheel_has_its_outcomes_and_a_blind_beam_hides_nothing_from_the_other() -> None:
    blind = range(1099 * RUNS_A_DAY, 1099 * RUNS_A_DAY + 30)
    judged = [roulette_round(n, corruptions.nothing, recommended=True, wear=worn(n, sensors=3)) for n in blind]
    assert [(one.report(), one.invisible) for one in judged if one.wrong or one.invisible] == []
    assert any("object_early" in one.corruption for one in judged)
    assert 10 * sum(one.refused for one in judged) <= sum(one.sound for one in judged) > 5
