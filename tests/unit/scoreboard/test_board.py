"""What a board shows of a table, by the events so far."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feed import events
from feed.state import TableState
from scoreboard.board import BoardView, Live, view_of
from tests.fakes.board_site import PlayedTable, baccarat, roulette


class Watched(PlayedTable):
    """A table, and its board after every event."""

    def __init__(self, game: str = "roulette") -> None:
        super().__init__("t-1", game)
        self.live = Live()

    def event(self, kind: type[events.Data], **fields: Any) -> events.Event:
        made = super().event(kind, **fields)
        self.live.event(made)
        return made

    @property
    def view(self) -> BoardView:
        return view_of(self.state, self.live)


@pytest.fixture
def table() -> Watched:
    made = Watched()
    made.open()
    return made


def test_a_round_from_its_bets_to_its_result(table: Watched) -> None:
    assert (table.view.status, table.view.current) == ("waiting", None)
    table.bets()
    assert (table.view.status, table.view.moving) == ("place_bets", False)
    table.start(direction="clockwise")
    assert (table.view.status, table.view.moving) == ("place_bets", True)
    table.call()
    assert (table.view.status, table.view.moving) == ("no_more_bets", True)
    table.outcome(roulette(17), direction="clockwise", winning=[("straight 17", "35 to 1")])
    view = table.view
    assert (view.status, view.moving) == ("result", False)
    assert view.current is not None and (view.current.round, view.current.result["pocket"]) == (1, "17")
    assert (view.winning, view.direction) == ([["straight 17", "35 to 1"]], "clockwise")
    table.settle()
    assert table.view.status == "result"


def test_a_number_is_new_only_in_its_own_round(table: Watched) -> None:
    table.played([roulette(17)])
    assert table.view.current is not None
    table.bets()
    assert table.view.current is None
    assert [outcome.result["pocket"] for outcome in table.view.outcomes] == ["17"]


def test_the_last_twenty_newest_first_and_statistics_over_their_window(table: Watched) -> None:
    table.played(roulette(number % 37) for number in range(130))
    view = table.view
    assert [outcome.round for outcome in view.outcomes] == [*range(130, 110, -1)]
    assert view.counted == 100
    assert sum(count for _, count in view.statistics["pocket"]) == 100


def test_a_void_round_has_its_call_and_reason_and_no_number(table: Watched) -> None:
    table.played([roulette(17)])
    table.bets()
    table.void("ball_direction")
    view = table.view
    assert (view.status, view.call, view.reason, view.current) == ("void", "No spin", "ball_direction", None)
    assert len(view.outcomes) == 1


def test_an_unresolved_round_names_what_is_possible_until_the_dealer_calls_it(table: Watched) -> None:
    table.bets()
    table.unresolved("no_number_read", [roulette(5), roulette("00")])
    assert (table.view.status, [one["pocket"] for one in table.view.candidates]) == ("unresolved", ["5", "00"])
    table.event(
        events.RoundCorrected,
        by="ann",
        from_=events.Verdict(verdict="unresolved", reason="no_number_read"),
        to=events.Verdict(verdict="outcome", result=roulette(5)),
        why="seen",
        confirmed=True,
    )
    view = table.view
    assert (view.status, view.correction) == ("result", None)
    assert view.current is not None and (view.current.result["pocket"], view.current.corrected) == ("5", False)


def test_a_correction_is_shown_and_counted_until_another_round_has_a_verdict(table: Watched) -> None:
    table.played([roulette(17), roulette(20)])
    table.correct(2, roulette(20), roulette(21))
    view = table.view
    assert view.status == "corrected"
    assert view.current is not None and view.current.result["pocket"] == "21" and view.current.corrected
    assert dict(view.statistics["pocket"])["20"] == 0 and dict(view.statistics["pocket"])["21"] == 1
    table.bets()
    view = table.view
    assert view.status == "place_bets"
    assert view.correction is not None
    assert (view.correction.round, view.correction.before.result, view.correction.after.result) == (
        2,
        roulette(20),
        roulette(21),
    )
    table.void("ball_direction")
    assert table.view.correction is None
    assert [outcome.corrected for outcome in table.view.outcomes] == [True, False]


def test_a_correction_to_void_takes_the_number_away(table: Watched) -> None:
    table.played([roulette(17), roulette(20)])
    table.correct(2, roulette(20), None, reason="ball_left_wheel")
    view = table.view
    assert (view.status, view.current, view.reason) == ("corrected", None, "ball_left_wheel")
    assert [outcome.round for outcome in view.outcomes] == [1]
    assert view.counted == 1


def test_the_older_of_two_corrections_is_what_the_newer_one_changes(table: Watched) -> None:
    table.played([roulette(17)])
    table.correct(1, roulette(17), roulette(18))
    table.correct(1, roulette(18), roulette(19))
    correction = table.view.correction
    assert correction is not None
    assert (correction.before.result, correction.after.result) == (roulette(18), roulette(19))


def test_shut_closed_and_halted_come_before_whatever_the_round_is(table: Watched) -> None:
    table.bets()
    table.fault("wheel", "not_level")
    view = table.view
    assert (view.status, [(fault.device, fault.fault) for fault in view.faults]) == ("fault", [("wheel", "not_level")])
    table.event(events.DeviceCleared, device="wheel", fault="not_level", by="ann")
    statuses = [table.view.status]
    table.close()
    statuses.append(table.view.status)
    table.live.halted = True
    statuses.append(table.view.status)
    assert statuses == ["place_bets", "closed", "halted"]


def test_no_number_is_new_at_a_table_that_is_shut(table: Watched) -> None:
    table.bets()
    table.outcome(roulette(17))
    table.fault("wheel", "not_level")
    assert table.view.current is None


def test_what_moves_is_of_this_round_only(table: Watched) -> None:
    table.bets()
    table.start(direction="counter-clockwise")
    table.event(events.RoundProgress, revolutions=3.0, lap_s=0.7)
    motion = table.view.motion
    assert motion is not None
    assert (motion.revolutions, motion.lap_s, motion.direction) == (3.0, 0.7, "counter-clockwise")
    table.outcome(roulette(17))
    table.bets()
    assert table.view.motion is None


def test_the_name_in_each_language_and_the_limits(table: Watched) -> None:
    table.event(
        events.TableOpened,
        rules="r",
        software="s",
        devices=[],
        labels=[events.TableLabel(language="en", name="Wheel"), events.TableLabel(language="es", name="Rueda")],
        limits=[events.StakeLimit(minimum=5, maximum=100)],
        limits_unit="USD",
        notices=[
            events.TableNotice(words="posted", rule="13:47-20.32(g)"),
            events.TableNotice(words="the house's", rule="ours"),
        ],
    )
    view = table.view
    assert view.house == ["the house's"]
    assert view.labels == {"en": "Wheel", "es": "Rueda"}
    assert (view.limits, view.limits_unit) == ([{"minimum": 5, "maximum": 100}], "USD")


def craps(dice: tuple[int, int], decision: str, shooter: int, point: int | None) -> dict[str, Any]:
    result: dict[str, Any] = {"dice": [*dice], "total": sum(dice), "decision": decision, "shooter": shooter}
    return result if point is None else {**result, "point": point}


def test_craps_puck_point_and_the_rolls_of_this_shooter() -> None:
    table = Watched("craps")
    table.open()
    table.played([craps((6, 1), "natural", 1, None), craps((4, 4), "point_set", 1, 8)])
    assert table.view.details | {"rolls": 0} == {"on": True, "point": 8, "shooter": 1, "rolls": 0, "count": 2}
    table.played([craps((5, 2), "seven_out", 1, 8)])
    assert (table.view.details["on"], table.view.details["point"]) == (False, None)
    table.bets(course={"phase": "come_out", "point": None, "shooter": 2})
    assert table.view.details == {"on": False, "point": None, "shooter": 2, "rolls": [], "count": 0}


def test_a_correction_at_craps_moves_the_puck() -> None:
    table = Watched("craps")
    table.open()
    table.played([craps((4, 4), "point_set", 1, 8)])
    table.correct(1, craps((4, 4), "point_set", 1, 8), craps((4, 5), "point_set", 1, 9))
    assert table.view.details["point"] == 9


def test_the_roads_are_of_this_shoe_and_follow_a_correction() -> None:
    table = Watched("baccarat")
    table.open()
    table.played(baccarat(letter) for letter in "BBP")
    assert table.view.details["hands"] == 3
    table.correct(3, baccarat("P"), baccarat("B"))
    assert [cell[2] for cell in table.view.details["roads"]["big"]] == ["banker"] * 3
    table.fault("shoe", "reshuffle_due")
    table.event(events.DeviceCleared, device="shoe", fault="reshuffle_due", by="ann")
    assert table.view.details["hands"] == 0
    table.played([baccarat("T"), baccarat("P")])
    assert [cell[2] for cell in table.view.details["roads"]["bead"]] == ["tie", "player"]
    again = TableState.from_snapshot(table.state.snapshot())
    assert view_of(again, Live()).details == table.view.details


def test_a_game_that_is_not_known_has_its_results_as_they_are() -> None:
    table = Watched("skill_reel")
    table.open()
    table.played([{"award": 10}])
    assert (table.view.details, table.view.outcomes[0].result) == ({}, {"award": 10})


ACTS = st.lists(
    st.sampled_from(
        [
            "bets",
            "call",
            "start",
            "outcome",
            "void",
            "unresolved",
            "settle",
            "correct",
            "fault",
            "clear",
            "close",
            "open",
        ]
    ),
    max_size=60,
)


@settings(max_examples=60)
@given(ACTS, st.randoms(use_true_random=False))
def test_any_order_of_events_gives_a_board_that_never_shows_an_old_number_as_new(acts: list[str], rng: Any) -> None:
    table = Watched()
    table.open()
    for act in acts:
        match act:
            case "outcome":
                table.outcome(roulette(rng.randrange(37)))
            case "void":
                table.void("ball_direction")
            case "unresolved":
                table.unresolved("no_number_read")
            case "correct" if table.round:
                table.correct(rng.randint(1, table.round), roulette(1), rng.choice([None, roulette(rng.randrange(37))]))
            case "fault":
                table.fault("wheel", "not_level")
            case "clear":
                table.event(events.DeviceCleared, device="wheel", fault="not_level", by="ann")
            case "bets" | "call" | "start" | "settle" | "close" | "open":
                getattr(table, act)()
        view = table.view
        if view.current is not None:
            assert view.current.round == table.round
            assert view.status in ("result", "corrected")
            assert view.outcomes[0].result == view.current.result
        assert [one.round for one in view.outcomes] == [
            one.round for one in reversed(table.state.history.outcomes[-20:])
        ]
        # A snapshot shows what the events do, live measurements aside.
        assert view_of(TableState.from_snapshot(table.state.snapshot()), Live()) == msgspec.structs.replace(
            view, motion=None
        )


def test_t2_48_a_machines_board_recalls_its_last_ten_plays_as_they_stand_in_a_fault_too() -> None:
    table = Watched("skill_stop_reel")
    table.open()
    table.event(events.MachineEvent, act="power_on", meters=events.Meters(), credits=0, carried={}, round=None)
    table.played([{"stops": [0], "lines": [], "award": 0}] * 9, stopped_by=["house"])
    table.bets()
    table.start()
    table.void("dealer_call", call="Play void")
    table.played([{"stops": [1], "lines": [], "award": 2}])
    table.fault("reels", "reel_slipped")
    newest, void, *older = table.view.details["recall"]
    assert (newest["round"], newest["verdict"], newest["result"]["award"]) == (11, "outcome", 2)
    assert (void["round"], void["verdict"], void["reason"]) == (10, "void", "dealer_call")
    assert [(one["round"], one["by"]) for one in older] == [(number, ["house"]) for number in range(9, 1, -1)]


def test_a_machine_that_is_open_or_tested_is_not_ready_and_a_fault_comes_first() -> None:
    table = Watched("token_pusher")
    table.open()

    def machine(act: str, credits: int = 0, **meters: int) -> None:
        table.event(
            events.MachineEvent, act=act, meters=events.Meters(**meters), credits=credits, carried={}, round=None
        )

    assert table.view.details == {}
    machine("power_on", credits=3, plays=7, tokens_won=5)

    def status() -> str:
        return table.view.status

    table.bets()
    details = table.view.details
    assert (status(), details["credits"], details["plays"], details["won"]) == ("place_bets", 3, 7, 5)
    assert (details["meters"]["plays"], details["meters"]["door_openings"]) == (7, 0)
    table.start()
    machine("door_opened")
    assert (status(), table.view.moving) == ("door", False)
    machine("test_begun")
    assert status() == "test"
    table.fault("acceptor", "token_jam")
    assert status() == "fault"
    table.close()
    assert status() == "closed"
