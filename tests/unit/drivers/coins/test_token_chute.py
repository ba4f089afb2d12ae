"""The chute's two optos: direction, strings, jams, and what proves no token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.coins.observations import TokenDoubt, TokenPassed, TokenWayClear
from drivers.coins.token_chute import TokenChute, TokenChuteConfig
from hal.values import Edge, EdgesLost, Loss

MS = 1_000_000
OPTO = {"1": "token_in_1", "2": "token_in_2"}


class Chute:
    """A chute with both optos free at time 0."""

    def __init__(self) -> None:
        self.driver = TokenChute(TokenChuteConfig())
        self.t_ms = 0.0
        self.seen: list[Observation] = []
        self.move("1- 2-", 0)

    def move(self, story: str, each_ms: float = 10) -> list[str]:
        """`1+` covers opto 1, `2-` frees opto 2; each this long after the one before. Returns what is reported."""
        first = len(self.seen)
        for word in story.split():
            self.t_ms += each_ms
            edge = Edge(OPTO[word[0]], int(word[1] == "+"), round(self.t_ms * MS))
            self.seen += self.driver.edges([edge])
        return words(self.seen[first:])

    def wait(self, ms: float) -> list[str]:
        self.t_ms += ms
        return words(self.driver.due(round(self.t_ms * MS)))


def words(seen: list[Observation]) -> list[str]:
    names = {TokenPassed: "token", TokenWayClear: "clear", SensorDead: "dead", SensorAlive: "alive"}
    return [one.code if isinstance(one, TokenDoubt) else names[type(one)] for one in seen]


@pytest.mark.parametrize(
    ("story", "reported"),
    [
        ("1+ 2+ 1- 2-", ["token"]),
        ("1+ 2+ 1- 2- 1+ 2+ 1- 2-", ["token", "token"]),
        ("1+ 1-", []),
        ("1+ 2+ 2- 1-", []),
        ("2+ 1+ 2- 1-", ["token_backwards"]),
        ("1+ 2+ 1- 1+ 2- 1-", ["token_stringed"]),
        ("1+ 2+ 1- 1+ 1- 2-", ["token_stringed"]),
        ("2+ 2-", ["pulse_length"]),
        ("1+ 1- 2+ 2-", ["pulse_length"]),
    ],
)
def test_what_the_order_of_the_optos_proves(story: str, reported: list[str]) -> None:
    assert Chute().move(story) == reported


def test_a_token_is_dated_when_it_came_to_the_mouth() -> None:
    chute = Chute()
    chute.move("1+ 2+ 1- 2-")
    (token,) = (one for one in chute.seen if isinstance(one, TokenPassed))
    assert (token.passed_ns, token.t_ns) == (10 * MS, 40 * MS)


@pytest.mark.parametrize(("each_ms", "reported"), [(0.1, "pulse_length"), (0.66, "pulse_length"), (0.67, "token")])
def test_a_pass_faster_than_any_token_is_a_doubt_at_any_time(each_ms: float, reported: str) -> None:
    """It lasts as long as three changes, of which the shortest time is 2 ms."""
    chute = Chute()
    chute.wait(60_000)
    assert chute.move("1+ 2+ 1- 2-", each_ms) == [reported]


def test_a_jam_is_reported_once_and_its_end_too() -> None:
    chute = Chute()
    assert chute.move("1+ 2+") == []
    assert chute.wait(999) == []
    assert chute.wait(2) == ["token_jam"]
    assert chute.wait(5000) == []
    assert chute.move("1- 2-") == ["clear", "token_unproven"]
    assert chute.move("1+ 2+ 1- 2-") == ["token"]


def test_a_token_that_was_stuck_at_the_mouth_and_taken_out_is_none() -> None:
    chute = Chute()
    chute.move("1+")
    assert chute.wait(1100) == ["token_jam"]
    assert chute.move("1-") == ["clear"]


def test_a_token_in_the_way_at_the_start_proves_nothing() -> None:
    driver = TokenChute(TokenChuteConfig())
    seen = driver.edges([Edge("token_in_1", 1, 0), Edge("token_in_2", 1, 0)])
    seen += driver.edges([Edge("token_in_1", 0, 9 * MS), Edge("token_in_2", 0, 19 * MS)])
    assert words(seen) == []


def test_lost_changes_are_a_doubt_and_an_unplugged_opto_a_dead_sensor() -> None:
    chute = Chute()
    chute.move("1+")
    lost = chute.driver.lost(EdgesLost("token_in_1", Loss.OVERFLOW, 30 * MS))
    assert words(lost) == ["edges_lost"]
    gone = chute.driver.lost(EdgesLost("token_in_2", Loss.UNPLUGGED, 40 * MS))
    assert words(gone) == ["dead", "edges_lost"]
    chute.t_ms = 50
    assert chute.move("1- 2-") == ["alive"]
    assert chute.move("1+ 2+ 1- 2-") == ["token"]


def test_a_repeated_level_in_a_pass_is_no_token() -> None:
    assert Chute().move("1+ 1+ 2+ 1- 2-") == ["token_unproven"]


def test_a_jam_shorter_than_a_pass_is_refused() -> None:
    (problem,) = TokenChuteConfig(shortest_ms=50, jam_ms=100).problems()
    assert problem[0] == "jam_ms"


@given(st.lists(st.tuples(st.sampled_from(["1+", "1-", "2+", "2-"]), st.integers(1, 1500)), max_size=60))
def test_no_more_tokens_than_passes_of_both_optos(moves: list[tuple[str, int]]) -> None:
    chute = Chute()
    tokens = 0
    for story, later_ms in moves:
        tokens += chute.wait(later_ms).count("token")
        tokens += chute.move(story, 0).count("token")
    edges = [story for story, _ in moves]
    assert tokens <= min(edges.count("1+"), edges.count("2+"))
