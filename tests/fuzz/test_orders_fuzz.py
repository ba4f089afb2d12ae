"""Random commands: each is answered once, and the events of the table stay in order."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.games.catalogue import ORDERS as EVERY_ORDER
from feed import events
from feed.state import TableState
from hal.capture.command_text import read_command
from hal.values import Batch, Edge
from tests.tables.money_lines import TURN, MoneyLines, S, money_toml
from tests.tables.orders import CommandBench

KEYS = ("round", "space", "pocket", "reason", "why", "by", "device", "checks", "force", "id", "speed")
VALUES = (
    *("1", "2", "3", "99", "-1", "", "ann", "wheel", "dealer_call", "power_loss", "true", "false", "x" * 600),
    *("turns_freely,pegs_and_indicator,parts_secure", "turns_freely", "spill on the layout", "%3D", "0"),
)
TEXTS = st.one_of(
    st.text(max_size=40),
    st.builds(
        lambda verb, given_: " ".join([verb, *(f"{key}={value}" for key, value in given_.items())]),
        st.sampled_from([*EVERY_ORDER, "quit", "dance"]),
        st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=5),
    ),
)
ORDERS = st.lists(st.tuples(st.integers(min_value=0, max_value=60 * S), TEXTS), max_size=25)
VERDICTS = (events.Outcome, events.Void, events.Unresolved)


@cache
def evening() -> tuple[list[Edge], int]:
    """Three spins, one of them too short."""
    lines = MoneyLines().rest(3)
    for counts in (4 * TURN, TURN, 5 * TURN):
        lines.call().spin(counts).rest(8)
    return lines.edges(), lines.now_ns


@pytest.mark.parametrize("opens", [True, False])
@given(orders=ORDERS)
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
def test_any_orders_at_any_time_are_answered_and_break_nothing(opens: bool, orders: list[tuple[int, str]]) -> None:
    edges, until_ns = evening()
    rare = [read_command(f"{text} id=n{n}", t_ns) for n, (t_ns, text) in enumerate(sorted(orders))]
    until_ns = max([until_ns, *(one.t_ns for one in rare)])
    bench = CommandBench(money_toml(), opens=opens)
    bench.feed(Batch(edges, [*rare], until_ns))
    answers = bench.table.answers()
    assert len(answers) == len(rare)
    assert all(answer.reason for answer in answers)
    durable = [event for event in bench.said if event.seq is not None]
    assert [event.seq for event in durable] == list(range(1, len(durable) + 1))
    rounds = [event.data.round for event in bench.said if isinstance(event.data, VERDICTS)]
    assert len(set(rounds)) == len(rounds), "a round has two verdicts"
    known = {event.id for event in bench.said}
    assert all(set(answer.event_ids) <= known for answer in answers)
    open_now = False
    for event in bench.said:
        if isinstance(event.data, events.TableOpened | events.TableClosed):
            open_now = isinstance(event.data, events.TableOpened)
        assert open_now or not isinstance(event.data, events.RoundOpened | events.Outcome), "a round at a closed table"
    state = TableState("wheel-1")
    for event in bench.said:
        state.apply(event)
    assert state.state == ("closed" if bench.table.state == "inspecting" else bench.table.state)
