"""What is printed of a table: its last rounds with their verdicts in force."""

from __future__ import annotations

from scoreboard.board import Live, view_of
from scoreboard.evening import EveningRound, evening_of
from tests.fakes.board_site import TIME, PlayedTable, roulette


def rounds_of(table: PlayedTable) -> list[EveningRound]:
    return evening_of("k", table.state, view_of(table.state, Live()), 10).rounds


def test_rounds_have_their_times_and_the_verdict_that_counts() -> None:
    table = PlayedTable("roulette-1", "roulette")
    table.open()
    table.played([roulette(5)])
    table.bets()
    table.void("ball_direction")
    table.settle()
    table.played([roulette(7), roulette(9)])
    table.correct(3, roulette(7), roulette(8))
    table.correct(4, roulette(9), None)
    table.bets()
    table.unresolved("no_number_read", [roulette(1)])
    assert rounds_of(table) == [
        EveningRound(1, TIME, "outcome", roulette(5)),
        EveningRound(2, TIME, "void", reason="ball_direction", call="No spin"),
        EveningRound(3, TIME, "outcome", roulette(8), corrected=True),
        EveningRound(4, TIME, "void", reason="dealer_call", corrected=True),
        EveningRound(5, TIME, "unresolved", reason="no_number_read"),
    ]


def test_outcomes_are_those_that_the_table_counts_and_it_says_from_where_on_nothing_is_missing() -> None:
    table = PlayedTable("roulette-1", "roulette")
    table.open(history=20)
    assert evening_of("k", table.state, view_of(table.state, Live()), None).whole_from == 0
    table.played(roulette(number % 36) for number in range(1, 41))
    printed = evening_of("k", table.state, view_of(table.state, Live()), 10)
    assert [one.round for one in printed.rounds] == [*range(11, 41)]
    assert printed.whole_from == 31
