"""The messages that boards are made of."""

from __future__ import annotations

import json
from typing import Any

from feed import events
from feed.subscriber import Fact, Filled, Halted, Joined, Position, Restarted, Rewritten, Trouble, Waiting
from scoreboard.hall import Hall, HallService, Message
from tests.fakes.board_site import PlayedTable, roulette


def made() -> tuple[Hall, HallService]:
    hall = Hall("g1")
    return hall, hall.add_service("ipc:///a")


def read(messages: list[Message]) -> list[dict[str, Any]]:
    return [json.loads(message.body) for message in messages]


def take(service: HallService, table: PlayedTable, *made: events.Event) -> list[dict[str, Any]]:
    states = {table.name: table.state}
    return [message for event in made for message in read(service.item(Fact(event, b""), states))]


def test_every_durable_event_gives_the_whole_board_with_the_next_revision() -> None:
    _, service = made()
    table = PlayedTable("r-1", "roulette", simulated=True)
    messages = take(service, table, table.open(), table.bets())
    assert [(one["type"], one["key"], one["revision"]) for one in messages] == [
        ("board", "sim/r-1", 1),
        ("board", "sim/r-1", 2),
    ]
    assert messages[-1]["board"]["simulated"] is True
    assert (messages[-1]["board"]["epoch"], messages[-1]["board"]["sequence"]) == ("e1", 2)


def test_progress_is_a_message_of_its_own_without_a_revision_of_the_board() -> None:
    hall, service = made()
    table = PlayedTable("r-1", "roulette")
    take(service, table, table.open(), table.bets())
    (message,) = take(service, table, table.event(events.RoundProgress, revolutions=2, lap_s=0.5))
    assert message == {
        "type": "motion",
        "key": "r-1",
        "revision": 2,
        "motion": {"round": 1, "revolutions": 2, "lap_s": 0.5},
    }
    # A page that comes now has it in its board.
    (board,) = read(hall.missing({}))
    assert board["board"]["motion"] == message["motion"]


def test_a_page_that_was_away_gets_what_it_does_not_have() -> None:
    hall, service = made()
    one, other = PlayedTable("r-1", "roulette"), PlayedTable("r-2", "roulette")
    take(service, one, one.open())
    take(service, other, other.open(), other.bets())
    assert [message.key for message in hall.missing({})] == ["r-1", "r-2"]
    assert [message.key for message in hall.missing({"r-1": 1, "r-2": 1})] == ["r-2"]
    assert hall.missing({"r-1": 1, "r-2": 2}) == []
    assert [message.key for message in hall.missing({}, hall.keys_named("r-2"))] == ["r-2"]
    assert json.loads(hall.hello().body)["boards"] == ["r-1", "r-2"]


def test_tables_of_one_name_at_two_services_are_two() -> None:
    hall, service = made()
    other = hall.add_service("ipc:///b")
    table = PlayedTable("r-1", "roulette")
    event = table.open()
    (alone,) = take(service, table, event)
    assert "service" not in alone["board"]
    # From the moment in which both are known, each states its service, to pages that have the first one, too.
    second, first = take(other, table, event)
    assert [(one["key"], one["revision"], one["board"]["service"]) for one in (first, second)] == [
        ("r-1@1", 2, "ipc:///a"),
        ("r-1@2", 1, "ipc:///b"),
    ]
    assert hall.keys == ["r-1@1", "r-1@2"]
    assert hall.keys_named("r-1") == ["r-1@1", "r-1@2"]
    assert hall.keys_named("r-1@1") == ["r-1@1"]
    assert [one["board"]["service"] for one in read(hall.missing({}))] == ["ipc:///a", "ipc:///b"]
    (later,) = take(service, table, table.bets())
    assert (later["key"], later["revision"], later["board"]["service"]) == ("r-1@1", 3, "ipc:///a")


def test_a_simulated_table_and_a_real_one_of_one_id_are_told_apart_by_that() -> None:
    hall, service = made()
    other = hall.add_service("ipc:///b")
    real, simulated = PlayedTable("r-1", "roulette"), PlayedTable("r-1", "roulette", simulated=True)
    take(service, real, real.open())
    (message,) = take(other, simulated, simulated.open())
    assert (message["key"], message["board"].get("service")) == ("sim/r-1@2", None)


def test_a_rewritten_history_takes_every_number_away_until_the_table_is_joined_again() -> None:
    _, service = made()
    table = PlayedTable("r-1", "roulette")
    take(service, table, table.open(), *table.played([roulette(17)]))
    rewritten = Rewritten(table="r-1", held=Position("e1", 6), journal=Position("e2", 3), why="other events")
    (message,) = read(service.item(rewritten, {}))
    assert message["board"] == {"table": "r-1", "game": "", "simulated": False, "status": "waiting"}
    shorter = PlayedTable("r-1", "roulette", epoch="e2")
    shorter.open()
    (again,) = read(service.item(Joined(table="r-1", snapshot=shorter.state.snapshot()), {"r-1": shorter.state}))
    assert again["revision"] == message["revision"] + 1
    assert again["board"].get("outcomes", []) == []


def test_a_service_that_cannot_journal_is_a_fault_until_it_is_started_again() -> None:
    _, service = made()
    table = PlayedTable("r-1", "roulette")
    take(service, table, table.open(), table.bets())
    states = {"r-1": table.state}
    (halted,) = read(service.item(Halted(table="r-1"), states))
    assert halted["board"]["status"] == "halted"
    (again,) = read(service.item(Restarted(table="r-1", epoch="e2", previous=Position("e1", 2)), states))
    assert again["board"]["status"] == "place_bets"


def test_services_and_their_troubles_are_in_every_beat() -> None:
    hall, service = made()
    service.item(Waiting(table="", endpoint="ipc:///a"), {})
    service.item(Trouble(table="", detail="no answer"), {})
    assert json.loads(hall.beat({}, 7).body) == {
        "type": "beat",
        "at": 7,
        "silent": {},
        "services": [{"name": "ipc:///a", "connected": False, "trouble": "no answer"}],
    }
    table = PlayedTable("r-1", "roulette")
    take(service, table, table.open())
    beat = json.loads(hall.beat({"r-1": 250}, 8).body)
    assert (beat["silent"], beat["services"][0]["connected"]) == ({"r-1": 250}, True)
    assert json.loads(hall.beat({}, 7).body)["silent"] == {"r-1": None}
    assert json.loads(hall.beat({}, 7, 72_900_000).body)["day_ms"] == 72_900_000


def test_a_service_of_which_no_table_is_current_is_not_received() -> None:
    _, service = made()
    for name in ("r-1", "r-2"):
        table = PlayedTable(name, "roulette")
        take(service, table, table.open())
    for silent_ms, received in (
        ({"r-1": 3_000, "r-2": None}, True),
        ({"r-1": 3_001, "r-2": None}, False),
        ({"r-1": 250, "r-2": 60_000}, True),
    ):
        service.aged(silent_ms)
        assert service.status.connected is received


def test_why_a_table_is_not_current_is_in_the_beat_until_it_is() -> None:
    _, service = made()
    table = PlayedTable("r-1", "roulette", simulated=True)
    take(service, table, table.open())
    service.aged({"sim/r-1": 9_000, "r-2": 0})
    service.item(Trouble(table="r-1", simulated=True, detail="the history does not answer"), {})
    assert service.status.trouble == "sim/r-1: the history does not answer"
    # Facts that come meanwhile show nothing of the history; the heartbeats of a complete table do.
    take(service, table, table.bets())
    assert service.status.trouble
    service.aged({"sim/r-1": 500, "r-2": 0})
    assert service.status.trouble == ""
    service.aged({"sim/r-1": 9_000, "r-2": 0})
    assert service.status.trouble
    service.item(Filled(table="r-1", simulated=True, first=3, last=4), {})
    assert service.status.trouble == ""


def test_events_of_a_table_that_is_not_joined_are_not_shown() -> None:
    _, service = made()
    table = PlayedTable("r-1", "roulette")
    event = table.open()
    assert service.item(Fact(event, b""), {}) == []
