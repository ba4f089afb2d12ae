"""Whatever the wire breaks, and whenever the board begins again: no command is lost, repeated or half done, and every
edge is told once, in order, or told as lost with the right number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from hal.board.edge_stream import BoardEdge
from hal.board.errors import BoardError, SessionEndedError
from hal.board.identity import ExpectedBoard
from hal.board.message import BoardAnswer
from hal.board.messages import KINDS, NameBoardCommand, OkAnswer, RefusedAnswer, Reset
from hal.board.session import Session
from tests.fakes.board_host import BoardHost, Watch
from tests.fakes.board_wire import NONE, BoardWire, Faults
from tests.fakes.model_board import ModelBoard

MS = 1_000_000
S = 1000 * MS
WHEEL = KINDS["wheel"]
REFUSED_TAGS = 7
"""Every so many commands is one that the board refuses."""


class Result(NamedTuple):
    """What became of a command, and when it was told."""

    result: BoardAnswer | BoardError
    life: int
    t_ns: int


class Story:
    """A host and a board, what was submitted, and what became of it."""

    def __init__(self, rng: Random, ppm: float) -> None:
        self.rng = rng
        self.board = ModelBoard(WHEEL, ppm=ppm, ticks=(1 << 32) - 4_000_000)
        numbers = iter(range(1, 1 << 20))
        self.session = Session("wheel", ExpectedBoard(WHEEL, (1, 0, 0), bytes(4)), lambda: next(numbers))
        self.host = BoardHost(self.session, self.board)
        self.wire = BoardWire(self.board, self.session, NONE, rng, self.host.heard)
        self.wire.latency_in = lambda: rng.randrange(300_000)
        self.wire.latency_out = lambda: rng.randrange(300_000)
        self.results: dict[int, list[Result]] = {}
        self.plugged = True
        self.wire.plug()

    def submit(self, count: int) -> None:
        """Submits commands that can be told from each other."""
        for _ in range(count):
            tag = len(self.results) + 1
            told = self.results[tag] = []
            self.session.submit(NameBoardCommand(tag), self._noting(told))
        self.wire.pump()

    def _noting(self, told: list[Result]) -> Callable[[BoardAnswer | BoardError], None]:
        return lambda result: told.append(Result(result, self.board.life, self.wire.now_ns))

    def edges(self, count: int, apart_ns: int) -> None:
        """Changes inputs from now on."""
        for i in range(count):
            self.wire.at(self.wire.now_ns + i * apart_ns, self._change)

    def _change(self) -> None:
        line = self.rng.randrange(8)
        self.board.edge(line, 1 - (self.board.levels >> line & 1), self.wire.now_ns)

    def miss(self, changes: int) -> None:
        """An input changes faster than the board can see."""
        self.board.miss(self.rng.randrange(8), changes, self.wire.now_ns)

    def reset(self) -> None:
        """The board begins again."""
        self.board.reset(self.wire.now_ns, self.rng.choice(list(Reset)), self.rng.randrange(1, 40) * MS)

    def freeze(self, for_ns: int) -> None:
        """The board does nothing for a while."""
        self.board.frozen = True
        life = self.board.life

        def thaw() -> None:
            if self.board.life == life:
                self.board.frozen = False

        self.wire.at(self.wire.now_ns + for_ns, thaw)

    def cable(self) -> None:
        """The cable is pulled, or put in."""
        self.plugged = not self.plugged
        if self.plugged:
            self.wire.plug()
        else:
            self.wire.unplug()

    def wait(self, for_ns: int) -> None:
        """Time passes."""
        self.wire.run(self.wire.now_ns + for_ns)

    def settle(self) -> None:
        """All is well again, for long enough."""
        self.wire.faults = NONE
        if not self.plugged:
            self.cable()
        self.wait(12 * S)

    # --- what must hold ----------------------------------------------------------------------------------------------

    def check_commands(self) -> None:
        """Each was told once; carried out exactly once if answered, at most once if not; all in order."""
        carried = [done for done in self.board.carried if isinstance(done.command, NameBoardCommand)]
        times = Counter(done.command.serial for done in carried if isinstance(done.command, NameBoardCommand))
        serials = [done.command.serial for done in carried if isinstance(done.command, NameBoardCommand)]
        assert serials == sorted(serials)
        for tag, told in self.results.items():
            assert len(told) == 1, f"command {tag} was told {len(told)} times"
            result = told[0].result
            if isinstance(result, OkAnswer):
                assert times[tag] == 1
            elif isinstance(result, RefusedAnswer):
                assert times[tag] == 0
            else:
                assert isinstance(result, SessionEndedError)
                assert times[tag] <= (1 if result.may_be_done else 0)

    def check_edges(self, watch: Watch, complete: bool) -> None:
        """Each edge of a session was told once, in order, with its time; or as lost."""
        assert not watch.early
        assert watch.untils == sorted(watch.untils)
        if watch.truth is None:
            assert not watch.told
            return
        number = 0
        lost_for_want_of_room = 0
        for i, told in enumerate(watch.told):
            if isinstance(told, BoardEdge):
                if told.found:
                    continue
                edge = watch.truth.history[number]
                assert (told.line, told.level) == (edge.line, edge.level)
                assert told.ticks == edge.ticks
                number += 1
            elif lost_for_want_of_room and told.missing == 1 and self._goes_on(watch, i, number):
                # A state between a loss and the edges behind it has the levels before the loss: those of a later state
                # prove a change once more.
                continue
            else:
                skipped = range(number, number + told.missing)
                lost_for_want_of_room += sum(1 for i in skipped if i not in watch.truth.history)
                number += told.missing
        times = [told.t_ns for told in watch.told]
        assert times == sorted(times)
        assert number <= watch.truth.next
        if complete:
            assert number == watch.truth.next
            assert lost_for_want_of_room == watch.truth.lost
            assert watch.levels == {line: self.board.levels >> line & 1 for line in range(8)}
            assert watch.missing == watch.stream.lost

    @staticmethod
    def _goes_on(watch: Watch, after: int, number: int) -> bool:
        """Whether the next edge that was told is the one of this number."""
        assert watch.truth is not None
        edge = watch.truth.history.get(number)
        following = (told for told in watch.told[after + 1 :] if isinstance(told, BoardEdge) and not told.found)
        told = next(following, None)
        return edge is not None and told is not None and told.ticks == edge.ticks


def told_as_found(watch: Watch) -> int:
    return sum(1 for told in watch.told if isinstance(told, BoardEdge) and told.found)


FAULTS = st.builds(
    Faults,
    flip=st.sampled_from([0, 0, 0.001, 0.003, 0.01, 0.03]),
    drop=st.sampled_from([0, 0, 0.001, 0.003, 0.01, 0.03]),
    repeat=st.sampled_from([0, 0, 0.001, 0.01]),
    delay=st.sampled_from([0, 0, 0.001, 0.01]),
    delay_ns=st.sampled_from([2 * MS, 40 * MS, 1500 * MS]),
    twice=st.sampled_from([0, 0, 0.1, 0.5]),
)
STEPS = st.one_of(
    st.tuples(st.just("wait"), st.integers(0, 400 * MS)),
    st.tuples(st.just("wait"), st.integers(0, 5 * S)),
    st.tuples(st.just("submit"), st.integers(1, 40)),
    st.tuples(st.just("edges"), st.integers(1, 600), st.sampled_from([10_000, 100_000, 300_000, MS, 7 * MS])),
    st.tuples(st.just("miss"), st.integers(1, 5)),
    st.tuples(st.just("faults"), FAULTS),
    st.tuples(st.just("reset")),
    st.tuples(st.just("freeze"), st.integers(1, 3 * S)),
    st.tuples(st.just("stop_host"), st.integers(1, 3 * S)),
    st.tuples(st.just("cable")),
)


def play(story: Story, steps: list[tuple[object, ...]]) -> None:
    """Does what the steps say."""
    for name, *arguments in steps:
        if name == "faults":
            (story.wire.faults,) = arguments  # type: ignore[assignment]
        elif name == "stop_host":
            story.wire.stop_host(*arguments)  # type: ignore[arg-type]
        else:
            getattr(story, str(name))(*arguments)


def check(seed: int, ppm: float, steps: list[tuple[object, ...]]) -> None:
    story = Story(Random(seed), ppm)
    play(story, [("wait", S), *steps])
    story.settle()
    # A broken frame that passes for a sound one is what no CRC of 16 bits can exclude.
    assume(not story.wire.fooled)
    assert story.session.up
    story.check_commands()
    for watch in story.host.watches:
        story.check_edges(watch, complete=watch is story.host.watch)
    event(f"sessions: {min(len(story.wire.ups), 5)}")
    event(f"found levels: {bool(sum(map(told_as_found, story.host.watches)))}")


ANY_STORY = {
    "seed": st.integers(0, 1 << 30),
    "ppm": st.floats(-5000, 5000),
    "steps": st.lists(STEPS, max_size=12),
}


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(**ANY_STORY)
def test_no_command_and_no_edge_is_lost_or_told_twice_whatever_happens(
    seed: int, ppm: float, steps: list[tuple[object, ...]]
) -> None:
    check(seed, ppm, steps)


@pytest.mark.soak
@settings(max_examples=3000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(**ANY_STORY)
def test_no_command_and_no_edge_is_lost_or_told_twice_whatever_happens_at_length(
    seed: int, ppm: float, steps: list[tuple[object, ...]]
) -> None:
    check(seed, ppm, steps)


def busy(seed: int, faults: Faults, for_s: int) -> Story:
    """A table at play: edges in bursts, and a command now and then, over a link with these faults."""
    rng = Random(seed)
    story = Story(rng, rng.uniform(-5000, 5000))
    story.wire.faults = faults
    story.wait(3 * S)
    for _ in range(for_s):
        story.edges(rng.randrange(40, 400), rng.choice((200_000, 500_000, 2 * MS)))
        story.submit(rng.randrange(4))
        story.wait(S)
    return story


def check_one_in_1000(seed: int, for_s: int) -> None:
    kind = Random(seed)
    flip = kind.uniform(0, 0.001)
    story = busy(seed, Faults(flip=flip, drop=0.001 - flip), for_s)
    assert len(story.wire.ups) == 1 and not story.wire.downs
    story.wire.faults = NONE
    story.wait(S)
    assert not story.wire.fooled
    story.check_commands()
    (watch,) = story.host.watches
    story.check_edges(watch, complete=True)
    assert watch.missing == 0
    assert all(isinstance(told[0].result, OkAnswer) for told in story.results.values())


@pytest.mark.parametrize("seed", range(4))
def test_with_one_byte_in_1000_broken_both_ways_nothing_is_lost_and_the_board_stays_up(seed: int) -> None:
    check_one_in_1000(seed, 20)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 160))
def test_with_one_byte_in_1000_broken_both_ways_nothing_is_lost_and_the_board_stays_up_at_length(seed: int) -> None:
    check_one_in_1000(seed, 120)


@pytest.mark.parametrize("seed", range(6))
def test_with_one_byte_in_100_broken_both_ways_the_board_does_not_stay_up(seed: int) -> None:
    flip = Random(seed).uniform(0, 0.01)
    story = busy(seed, Faults(flip=flip, drop=0.01 - flip), 20)
    assert not story.session.up
    up_ns = sum(down.t_ns - up.t_ns for up, down in zip(story.wire.ups, story.wire.downs, strict=False))
    assert up_ns < 4 * S
    assert "too bad to play on" in story.wire.downs[-1].reason


def test_5000_edges_a_second_and_bursts_of_60_at_50_khz_come_whole_over_a_good_wire() -> None:
    story = Story(Random(1), 2000.0)
    story.wait(3 * S)
    story.edges(15_000, 200_000)
    story.wait(3 * S)
    for _ in range(10):
        story.edges(60, 20_000)
        story.wait(100 * MS)
    story.settle()
    (watch,) = story.host.watches
    story.check_edges(watch, complete=True)
    assert (len(watch.edges), watch.missing) == (15_000 + 600 + 8, 0)
