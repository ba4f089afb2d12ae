"""The last outcomes of a table and their counts, and the snapshot that carries them."""

from __future__ import annotations

import msgspec
import pytest

from feed import events
from feed.events import Evidence, StatisticsKey, Verdict, decode
from feed.state import Snapshot, TableState, decode_snapshot, encode_snapshot
from feed.statistics import PastOutcome, statistics_of, values_at
from feed.subscriber.items import Fact, ItemQueue, Joined, Missing, Position, Rewritten
from tests.fakes.feed_model import ModelJournal, ModelTable

EVIDENCE = Evidence(revolutions=5)
KEY = StatisticsKey(field="face", values=["$1", "$2", "$5"])
VOIDED = Verdict(verdict="void", reason="dealer_call")


class Player:
    """A table that plays, and the state that follows from its events."""

    def __init__(self, history: int = 20) -> None:
        self.table = ModelTable(ModelJournal(), "wheel-1", "e1")
        self.state = TableState("wheel-1")
        self.frames: list[tuple[bytes, bytes]] = []
        self.open(history)

    def open(self, history: int) -> None:
        about = {"rules": "r", "software": "s", "devices": []}
        self.publish(events.TableOpened, history=history, statistics=[KEY], **about)

    def publish(self, kind: type[events.Data], **fields: object) -> None:
        self.frames.append(self.table.say(kind, **fields))
        self.state.apply(decode(self.frames[-1][1]))

    def outcome(self, number: int, face: str) -> None:
        result = {"face": face}
        self.publish(events.Outcome, round=number, result=result, winning=[], evidence=EVIDENCE, rule="r")

    def correct(self, number: int, to: Verdict, *, confirmed: bool = False) -> None:
        self.publish(events.RoundCorrected, round=number, by="a", from_=VOIDED, to=to, why="", confirmed=confirmed)

    @property
    def counts(self) -> dict[int | str, int]:
        (field,) = self.state.history.statistics.fields
        return {one.value: one.count for one in field.counts}


def given(face: str) -> Verdict:
    return Verdict(verdict="outcome", result={"face": face})


def test_a_result_corrected_counts_as_what_it_is_now() -> None:
    player = Player()
    player.outcome(1, "$1")
    player.correct(1, given("$5"))
    assert player.counts == {"$1": 0, "$2": 0, "$5": 1}
    assert [one.corrected for one in player.state.history.outcomes] == [True]


def test_a_round_that_is_void_after_all_counts_no_more_and_may_count_again() -> None:
    player = Player()
    player.outcome(1, "$1")
    player.outcome(2, "$2")
    player.correct(1, VOIDED)
    assert player.counts == {"$1": 0, "$2": 1, "$5": 0}
    player.correct(1, given("$1"))
    assert player.counts == {"$1": 1, "$2": 1, "$5": 0}
    assert [one.round for one in player.state.history.outcomes] == [1, 2]


def test_a_round_that_the_dealer_called_is_not_corrected() -> None:
    player = Player()
    player.publish(events.Unresolved, round=1, reason="x", rule="r", evidence=EVIDENCE, candidates=[])
    player.correct(1, given("$2"), confirmed=True)
    assert [(one.round, one.corrected) for one in player.state.history.outcomes] == [(1, False)]
    player.correct(1, given("$5"))
    assert [(one.round, one.corrected) for one in player.state.history.outcomes] == [(1, True)]


def test_an_outcome_that_fell_out_of_the_window_comes_back_when_a_newer_one_is_void() -> None:
    player = Player(history=2)
    for number, face in enumerate(("$5", "$1", "$1"), start=1):
        player.outcome(number, face)
    assert player.counts == {"$1": 2, "$2": 0, "$5": 0}
    player.correct(3, VOIDED)
    assert player.counts == {"$1": 1, "$2": 0, "$5": 1}


def test_a_table_that_plays_another_game_counts_anew() -> None:
    player = Player()
    player.outcome(1, "$1")
    opened = msgspec.json.decode(player.table.open()[1])
    opened["data"]["game"] = "roulette"
    player.state.apply(decode(msgspec.json.encode(opened)))
    assert player.state.history.outcomes == ()


def test_a_value_that_the_table_did_not_publish_is_counted_after_the_others() -> None:
    outcome = PastOutcome(round=1, time="", result={"face": "joker"})
    (field,) = statistics_of([KEY], [outcome]).fields
    assert [(one.value, one.count) for one in field.counts] == [("$1", 0), ("$2", 0), ("$5", 0), ("joker", 1)]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("dice", [4, 4, 1]),
        ("player.total", [9]),
        ("player.cards", ["9s", "Kd"]),
        ("point", []),
        ("nothing", []),
        ("dice.total", []),
        ("wins", []),
        ("player", []),
    ],
)
def test_a_field_of_a_result_is_found_inside_others_and_in_lists(field: str, values: list[int | str]) -> None:
    result = {
        "dice": [4, 4, 1],
        "player": {"total": 9, "cards": ["9s", "Kd"]},
        "point": None,
        "wins": True,
    }
    assert values_at(result, field) == values


def test_a_snapshot_that_is_longer_than_a_frame_leaves_out_the_older_outcomes() -> None:
    player = Player(history=1000)
    for number in range(1, 301):
        player.outcome(number, "$1")
    whole = player.state.snapshot()
    most = 12_000
    body = encode_snapshot(whole, most)
    assert len(body) <= most < len(encode_snapshot(whole))
    shot = decode_snapshot(body)
    assert shot.outcomes == whole.outcomes[-len(shot.outcomes) :] != []
    assert shot.statistics == statistics_of([KEY], shot.outcomes)


def test_a_snapshot_of_an_older_version_has_no_history() -> None:
    state = TableState.from_snapshot(decode_snapshot(b'{"table":"t-1","epoch":"e","last":3}'))
    assert (state.history.outcomes, state.history.limit, state.history.statistics.fields) == ((), 100, [])


class TestASubscriber:
    def test_keeps_the_counts_of_a_table_that_it_joined(self) -> None:
        player, queue = Player(), ItemQueue()
        player.outcome(1, "$1")
        queue.add([Joined(table="wheel-1", snapshot=player.state.snapshot())])
        before = len(player.frames)
        player.outcome(2, "$5")
        player.correct(1, given("$2"))
        queue.add(Fact(decode(body), body) for _, body in player.frames[before:])
        while queue:
            queue.next()
        assert queue.states["wheel-1"].snapshot() == player.state.snapshot()
        assert player.counts == {"$1": 0, "$2": 1, "$5": 1}

    def test_has_the_state_after_the_item_delivered_and_not_a_later_one(self) -> None:
        player, queue = Player(), ItemQueue()
        player.outcome(1, "$1")
        player.outcome(2, "$1")
        queue.add(Fact(decode(body), body) for _, body in player.frames)
        for last in (1, 2, 3):
            queue.next()
            assert queue.states["wheel-1"].last == last

    def test_has_no_state_of_a_table_whose_beginning_it_does_not_know(self) -> None:
        player, queue = Player(), ItemQueue()
        player.outcome(1, "$1")
        queue.add(Fact(decode(body), body) for _, body in player.frames[1:])
        queue.next()
        assert queue.states == {}

    def test_forgets_a_state_when_the_journal_lost_what_it_rests_on(self) -> None:
        player, queue = Player(), ItemQueue()
        player.outcome(1, "$1")
        shot = player.state.snapshot()
        lost = Rewritten(table="wheel-1", held=Position("e1", 2), journal=Position("e1", 1), why="lost")
        queue.add([Joined(table="wheel-1", snapshot=shot), lost])
        queue.next()
        assert "wheel-1" in queue.states
        queue.next()
        assert queue.states == {}

    def test_forgets_a_state_when_its_events_come_again_with_another_content(self) -> None:
        player, queue = Player(), ItemQueue()
        player.outcome(1, "$1")
        _, body = player.frames[-1]
        queue.add([Joined(table="wheel-1", snapshot=player.state.snapshot()), Fact(decode(body), body)])
        queue.next()
        queue.next()
        assert queue.states == {}

    def test_forgets_a_state_when_events_are_archived_that_it_never_had(self) -> None:
        player, queue = Player(), ItemQueue()
        queue.add([Joined(table="wheel-1", snapshot=player.state.snapshot())])
        queue.add([Missing(table="wheel-1", first=2, last=9)])
        queue.next()
        queue.next()
        assert queue.states == {}


def test_a_snapshot_keeps_every_field_over_the_wire() -> None:
    player = Player()
    player.outcome(1, "$1")
    player.correct(1, given("$2"))
    shot = player.state.snapshot()
    assert decode_snapshot(encode_snapshot(shot)) == shot
    assert isinstance(shot, Snapshot)
