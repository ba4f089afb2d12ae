from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.capture.command_text import read_command
from hal.merge import Merge, MergeError
from hal.values import Batch, Command, Edge, EdgesLost, Frame, Loss, Rare, Reading

LATENESS_NS = {"chip": 0, "board": 50, "link": 200}
LINES = {"chip": ["rotor_a", "rotor_b"], "board": ["ball_1", "ball_2", "level_x"], "link": ["wheel_serial"]}


def drain(merge: Merge) -> tuple[list[Edge], list[Rare]]:
    """Takes until there is nothing more; checks that each batch keeps the promises of a batch."""
    edges: list[Edge] = []
    rare: list[Rare] = []
    before_ns = merge.watermark_ns
    while (batch := merge.take()) is not None:
        check_batch(batch, before_ns)
        before_ns = batch.until_ns
        edges += batch.edges
        rare += batch.rare
    return edges, rare


def check_batch(batch: Batch, before_ns: int) -> None:
    assert batch.until_ns >= before_ns
    for times in ([edge.t_ns for edge in batch.edges], [value.t_ns for value in batch.rare]):
        assert times == sorted(times)
        assert all(before_ns <= t_ns <= batch.until_ns for t_ns in times)


@st.composite
def histories(draw: st.DrawFn) -> dict[str, list[Edge | Rare]]:
    """What happened, by source, in the order of time; no line changes twice at one instant."""
    history: dict[str, list[Edge | Rare]] = {}
    for source, lines in LINES.items():
        moments = draw(st.sets(st.tuples(st.integers(0, 400), st.sampled_from(lines)), max_size=25))
        values: list[Edge | Rare] = []
        for t_ns, line in sorted(moments):
            if line == "level_x":
                values.append(Reading(line, t_ns / 7, t_ns))
            elif line == "wheel_serial":
                values.append(Frame(line, b"%d" % t_ns, t_ns))
            else:
                values.append(Edge(line, draw(st.integers(0, 1)), t_ns))
        history[source] = values
    return history


def play(
    history: dict[str, list[Edge | Rare]],
    delay_ns: Callable[[str], int],
    steps_ns: Sequence[int],
) -> tuple[list[Edge], list[Rare]]:
    """Delivers a history, each value with its own delay, and lets time pass in these steps."""
    merge = Merge()
    for source, lateness_ns in LATENESS_NS.items():
        merge.add(source, lateness_ns, LINES[source])
    arrivals: list[tuple[int, str, Edge | Rare]] = []
    for source, values in history.items():
        line_free_ns: dict[str, int] = {}
        for value in values:
            line = value.link if isinstance(value, Frame) else getattr(value, "line", "")
            # A source keeps the order of each line: a change cannot overtake the one before it.
            at_ns = max(value.t_ns + delay_ns(source), line_free_ns.get(line, 0))
            line_free_ns[line] = at_ns
            arrivals.append((at_ns, source, value))
    arrivals.sort(key=lambda arrival: arrival[0])
    edges: list[Edge] = []
    rare: list[Rare] = []
    start_ns = -1
    for now_ns in [*sorted(steps_ns), 10_000]:
        for source in LATENESS_NS:
            come = [v for at_ns, of, v in arrivals if of == source and start_ns < at_ns <= now_ns]
            merge.deliver(
                source,
                [v for v in come if isinstance(v, Edge)],
                [v for v in come if not isinstance(v, Edge)],
            )
        # What arrives at this very instant has arrived; a value as late as its source allows comes in time.
        merge.pass_to(now_ns)
        start_ns = now_ns
        some_edges, some_rare = drain(merge)
        edges += some_edges
        rare += some_rare
    assert merge.held == 0
    return edges, rare


@settings(max_examples=60, deadline=None)
@given(histories(), st.data())
def test_late_and_shuffled_arrival_within_the_stated_lateness_changes_nothing(
    history: dict[str, list[Edge | Rare]], data: st.DataObject
) -> None:
    at_once = play(history, lambda source: 0, [])
    steps_ns = data.draw(st.lists(st.integers(0, 700), max_size=30))
    shuffled = play(history, lambda source: data.draw(st.integers(0, LATENESS_NS[source])), steps_ns)
    assert shuffled == at_once
    assert not any(isinstance(value, EdgesLost) for value in at_once[1])
    everything = [value for values in history.values() for value in values]
    assert Counter(at_once[0]) + Counter(at_once[1]) == Counter(everything)


@settings(max_examples=60, deadline=None)
@given(histories(), st.data())
def test_whatever_comes_later_than_stated_is_reported(
    history: dict[str, list[Edge | Rare]], data: st.DataObject
) -> None:
    steps_ns = data.draw(st.lists(st.integers(0, 700), max_size=30))
    edges, rare = play(history, lambda source: data.draw(st.integers(0, 600)), steps_ns)
    late: Counter[str] = Counter()
    for value in rare:
        if isinstance(value, EdgesLost):
            assert value.cause is Loss.LATE
            assert value.missing is not None
            late[value.line] += value.missing
    given_of = Counter(_line(value) for values in history.values() for value in values)
    came_of = Counter(_line(value) for value in [*edges, *rare] if not isinstance(value, EdgesLost))
    assert came_of + late == given_of


def _line(value: Edge | Rare) -> str:
    return value.link if isinstance(value, Frame) else getattr(value, "line", "command")


def test_the_watermark_is_that_of_the_slowest_source() -> None:
    merge = Merge()
    merge.add("a")
    merge.add("b")
    merge.deliver("a", [Edge("x", 1, 10), Edge("x", 0, 40)])
    merge.until("a", 50)
    assert merge.take() is None
    merge.deliver("b", [Edge("y", 1, 20)])
    merge.until("b", 30)
    assert merge.take() == Batch([Edge("x", 1, 10), Edge("y", 1, 20)], [], 30)
    assert merge.take() is None


def test_time_passes_without_an_edge() -> None:
    merge = Merge()
    merge.add("a")
    merge.until("a", 50)
    assert merge.take() == Batch([], [], 50)


def test_at_one_time_the_source_added_first_is_first_and_then_the_line_name_decides() -> None:
    merge = Merge()
    merge.add("z")
    merge.add("a")
    merge.deliver("a", [Edge("a2", 1, 5), Edge("a1", 1, 5), Edge("a1", 0, 5)])
    merge.deliver("z", [Edge("z1", 1, 5)])
    merge.pass_to(5)
    batch = merge.take()
    assert batch is not None
    assert batch.edges == [Edge("z1", 1, 5), Edge("a1", 1, 5), Edge("a1", 0, 5), Edge("a2", 1, 5)]


class PlainMerge:
    """The rules of the merge, word by word: everything is looked through at every `take`."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.until_ns = dict.fromkeys(names, 0)
        self.held: list[tuple[int, int, str, Edge]] = []
        self.rare: list[tuple[int, int, str, Rare]] = []
        self.late: Counter[str] = Counter()
        self.restamped: list[Rare] = []
        self.watermark_ns = 0

    def deliver(self, source: str, edges: Sequence[Edge], commands: Sequence[Command]) -> None:
        for edge in edges:
            if edge.t_ns <= self.watermark_ns:
                self.late[edge.line] += 1
            else:
                self.held.append((edge.t_ns, self.names.index(source), edge.line, edge))
        for command in commands:
            if command.t_ns <= self.watermark_ns:
                self.restamped.append(command._replace(t_ns=self.watermark_ns))
            else:
                self.rare.append((command.t_ns, self.names.index(source), "", command))

    def remove(self, source: str) -> None:
        gone_ns = [t_ns for t_ns, place, *_ in [*self.held, *self.rare] if self.names[place] == source]
        end_ns = max(self.until_ns.pop(source), *gone_ns, self.watermark_ns)
        line = f"{source}_line"
        self.rare.append((end_ns, self.names.index(source), line, EdgesLost(line, Loss.UNPLUGGED, end_ns)))

    def take(self) -> Batch | None:
        first: list[Rare] = [EdgesLost(*late) for late in self._losses()]
        first += self.restamped
        until_ns = min(self.until_ns.values())
        edges = [last for t_ns, *_, last in sorted(self.held, key=lambda held: held[:3]) if t_ns <= until_ns]
        rare = [last for t_ns, *_, last in sorted(self.rare, key=lambda held: held[:3]) if t_ns <= until_ns]
        if until_ns == self.watermark_ns and not first and not rare:
            return None
        self.held = [held for held in self.held if held[0] > until_ns]
        self.rare = [held for held in self.rare if held[0] > until_ns]
        self.late.clear()
        self.restamped, self.watermark_ns = [], until_ns
        return Batch(edges, first + rare, until_ns)

    def _losses(self) -> list[tuple[str, Loss, int, int]]:
        return [(line, Loss.LATE, self.watermark_ns, count) for line, count in sorted(self.late.items())]


def test_each_batch_is_that_of_a_merge_that_looks_through_everything() -> None:
    names = ["z", "a", "m"]
    for seed in range(100):
        rng = Random(seed)
        merge, plain = Merge(), PlainMerge(names)
        for name in names:
            merge.add(name, lines=[f"{name}_line"])
        merge.pass_to(0)
        merge.take()
        for _ in range(25):
            name = rng.choice([*plain.until_ns])
            if len(plain.until_ns) > 1 and rng.random() < 0.1:
                merge.remove(name, 0)
                plain.remove(name)
            else:
                near_ns = range(plain.watermark_ns - 1, plain.watermark_ns + 5)
                edges = [
                    Edge(rng.choice("xyv"), rng.randrange(2), rng.choice(near_ns)) for _ in range(rng.randrange(4))
                ]
                if rng.random() < 0.6:
                    edges.sort(key=attrgetter("t_ns", "line"))
                commands = [read_command("void", rng.choice(near_ns)) for _ in range(rng.random() < 0.2)]
                merge.deliver(name, edges, commands)
                plain.deliver(name, edges, commands)
                t_ns = rng.choice(near_ns)
                merge.until(name, t_ns)
                plain.until_ns[name] = max(plain.until_ns[name], t_ns)
            if rng.random() < 0.8:
                assert merge.take() == plain.take(), seed


def test_a_late_edge_is_reported_at_the_watermark_and_never_out_of_order() -> None:
    merge = Merge()
    merge.add("a")
    merge.until("a", 100)
    merge.take()
    merge.deliver("a", [Edge("x", 1, 100), Edge("x", 0, 99), Edge("x", 1, 101)])
    assert merge.take() == Batch([], [EdgesLost("x", Loss.LATE, 100, 2)], 100)
    merge.until("a", 200)
    assert merge.take() == Batch([Edge("x", 1, 101)], [], 200)


def test_a_late_edge_behind_one_in_time_is_reported_too() -> None:
    merge = Merge()
    merge.add("a")
    merge.until("a", 100)
    merge.take()
    merge.deliver("a", [Edge("x", 1, 101), Edge("y", 1, 99)])
    assert merge.take() == Batch([], [EdgesLost("y", Loss.LATE, 100, 1)], 100)
    merge.until("a", 200)
    assert merge.take() == Batch([Edge("x", 1, 101)], [], 200)


def test_late_readings_and_frames_are_reported_as_lost_and_a_command_and_a_loss_are_reported_late() -> None:
    merge = Merge()
    merge.add("a")
    merge.until("a", 100)
    merge.take()
    rare: list[Rare] = [
        Reading("level_x", 0.1, 5),
        Frame("wheel_serial", b"17", 6),
        read_command("void why=spill", 7),
        EdgesLost("x", Loss.OVERFLOW, 8, 3),
    ]
    merge.deliver("a", [], rare)
    batch = merge.take()
    assert batch is not None
    assert batch.rare == [
        EdgesLost("level_x", Loss.LATE, 100, 1),
        EdgesLost("wheel_serial", Loss.LATE, 100, 1),
        read_command("void why=spill", 100),
        EdgesLost("x", Loss.OVERFLOW, 100, 3),
    ]


def test_a_source_that_is_removed_gives_its_last_edges_and_then_its_lines_are_unplugged() -> None:
    merge = Merge()
    merge.add("chip", lines=["y"])
    merge.add("board", lines=["x2", "x1"])
    merge.deliver("board", [Edge("x1", 1, 30)])
    merge.until("board", 30)
    merge.deliver("chip", [Edge("y", 1, 35)])
    merge.until("chip", 100)
    merge.take()
    merge.remove("board", t_ns=40)
    assert merge.take() == Batch(
        [Edge("y", 1, 35)],
        [EdgesLost("x1", Loss.UNPLUGGED, 40), EdgesLost("x2", Loss.UNPLUGGED, 40)],
        100,
    )


def test_when_the_last_source_goes_nothing_is_kept_back() -> None:
    merge = Merge()
    merge.add("a", lines=["x"])
    merge.deliver("a", [Edge("x", 1, 30)])
    merge.remove("a", t_ns=20)
    assert merge.take() == Batch([Edge("x", 1, 30)], [EdgesLost("x", Loss.UNPLUGGED, 30)], 30)
    assert merge.take() is None


def test_a_source_may_come_back_under_its_name() -> None:
    merge = Merge()
    merge.add("a", lines=["x"])
    merge.until("a", 10)
    merge.take()
    merge.remove("a", t_ns=10)
    merge.add("a", lines=["x"])
    merge.deliver("a", [Edge("x", 1, 15)])
    merge.until("a", 20)
    assert drain(merge) == ([Edge("x", 1, 15)], [EdgesLost("x", Loss.UNPLUGGED, 10)])


def test_while_a_source_stalls_memory_is_bounded_and_what_found_no_room_is_reported() -> None:
    merge = Merge(max_held=100)
    merge.add("fast")
    merge.add("stalled")
    for k in range(1000):
        merge.deliver("fast", [Edge("x", k & 1, 10 + k)], [Reading("level_x", 0.0, 10 + k)])
        merge.until("fast", 10 + k)
        assert merge.take() is None
        assert merge.held <= 200
    merge.until("stalled", 5_000)
    merge.until("fast", 5_000)
    edges, rare = drain(merge)
    assert edges == [Edge("x", k & 1, 10 + k) for k in range(100)]
    assert [value for value in rare if isinstance(value, EdgesLost)] == [
        EdgesLost("level_x", Loss.OVERFLOW, 110, 900),
        EdgesLost("x", Loss.OVERFLOW, 110, 900),
    ]
    merge.deliver("fast", [Edge("x", 1, 6_000)])
    merge.pass_to(7_000)
    assert drain(merge) == ([Edge("x", 1, 6_000)], [])


def test_a_command_and_an_unplugged_line_are_kept_even_without_room() -> None:
    merge = Merge(max_held=1)
    merge.add("a")
    kept: list[Rare] = [Reading("r", 0.0, 1), read_command("void", 2), EdgesLost("x", Loss.UNPLUGGED, 3)]
    merge.deliver("a", [], kept)
    merge.until("a", 9)
    assert drain(merge) == ([], kept)


def test_mistakes_of_a_source_are_refused_by_name() -> None:
    merge = Merge()
    merge.add("a")
    with pytest.raises(MergeError, match="'a' was already added"):
        merge.add("a")
    with pytest.raises(MergeError, match=r"no source named 'b' \(there is: a\)"):
        merge.deliver("b", [Edge("x", 1, 1)])
    with pytest.raises(MergeError, match="-1 ns"):
        merge.add("c", max_lateness_ns=-1)
    with pytest.raises(MergeError, match="max_held"):
        Merge(max_held=0)
