"""The fold of a table's events."""

from __future__ import annotations

import msgspec
import pytest

from controller.bench.simulation import simulate
from controller.games.load import check_text
from feed import events
from feed.events import Event, Evidence, Unknown, Verdict, decode, encode
from feed.state import RECENT_ROUNDS, Snapshot, TableState
from tests.fakes.feed_model import ModelJournal, ModelTable

EVIDENCE = Evidence(revolutions=5)


class Said:
    """A table that talks, and the fold of what it said."""

    def __init__(self) -> None:
        self.table = ModelTable(ModelJournal(), "wheel-1", "e1")
        self.state = TableState("wheel-1")
        self.events: list[Event] = []
        self.take(self.table.open())

    def take(self, frames: tuple[bytes, bytes]) -> None:
        self.events.append(decode(frames[1]))
        self.state.apply(self.events[-1])

    def say(self, kind: type[events.Data], **fields: object) -> None:
        self.take(self.table.say(kind, **fields))

    def outcome(self, number: int) -> None:
        self.say(events.RoundOpened, round=number)
        self.say(
            events.Outcome, round=number, result={"face": "$2"}, winning=[], evidence=EVIDENCE, rule="13:47-20.29(b)3"
        )


@pytest.fixture
def said() -> Said:
    return Said()


def test_a_round_goes_through_its_phases(said: Said) -> None:
    phases = []
    for kind, fields in (
        (events.RoundOpened, {}),
        (events.NoMoreBets, {"by": "dealer", "rule": "r"}),
        (events.RoundStarted, {}),
        (events.Outcome, {"result": {"face": "$1"}, "winning": [], "evidence": EVIDENCE, "rule": "r"}),
        (events.Settled, {"by": "auto"}),
    ):
        said.say(kind, round=1, **fields)
        phases.append((said.state.phase, said.state.bets_closed, said.state.unfinished_round))
    assert phases == [
        ("open", False, 1),
        ("no_more_bets", True, 1),
        ("running", True, 1),
        ("settling", True, None),
        ("settled", True, None),
    ]


def test_a_call_during_the_run_closes_the_bets_of_a_round_that_runs_on(said: Said) -> None:
    said.say(events.RoundOpened, round=1)
    said.say(events.RoundStarted, round=1)
    said.say(events.NoMoreBets, round=1, by="auto", rule="r")
    assert (said.state.phase, said.state.bets_closed) == ("running", True)


VOIDED = Verdict(verdict="void", reason="dealer_call")
GIVEN = Verdict(verdict="outcome", result={"face": "$5"})


def test_a_result_corrected_to_void_and_back_is_settling(said: Said) -> None:
    said.outcome(1)
    said.say(events.RoundCorrected, round=1, by="ann", from_=GIVEN, to=VOIDED, why="x")
    assert said.state.phase == "void"
    said.say(events.RoundCorrected, round=1, by="ann", from_=VOIDED, to=GIVEN, why="y")
    assert said.state.phase == "settling"


def test_a_void_round_corrected_to_a_result_stays_void(said: Said) -> None:
    said.say(events.RoundOpened, round=1)
    said.say(events.Void, round=1, call="No spin", reason="ball_direction", rule="r", evidence=EVIDENCE)
    said.say(events.RoundCorrected, round=1, by="ann", from_=VOIDED, to=GIVEN, why="x")
    assert said.state.phase == "void"


def test_only_the_last_rounds_are_kept(said: Said) -> None:
    for number in range(1, 15):
        said.outcome(number)
    assert [record.round for record in said.state.rounds] == list(range(15 - RECENT_ROUNDS, 15))
    assert said.state.record(3) is None


def test_a_correction_keeps_the_first_verdict(said: Said) -> None:
    said.outcome(1)
    said.say(
        events.RoundCorrected,
        round=1,
        by="ann",
        from_=Verdict(verdict="outcome", result={"face": "$2"}),
        to=Verdict(verdict="outcome", result={"face": "$5"}),
        why="misread",
    )
    record = said.state.record(1)
    assert record is not None
    assert record.corrected
    assert record.result == {"face": "$2"}
    assert record.stands.result == {"face": "$5"}
    assert (record.corrections[0].by, record.corrections[0].why) == ("ann", "misread")


def test_a_round_that_a_person_confirmed_is_settling(said: Said) -> None:
    said.say(events.RoundOpened, round=1)
    said.say(events.Unresolved, round=1, reason="no_number_read", rule="r", evidence=EVIDENCE, candidates=[{"a": 1}])
    assert said.state.phase == "unresolved"
    to = Verdict(verdict="outcome", result={"a": 1})
    from_ = Verdict(verdict="unresolved", reason="no_number_read")
    said.say(events.RoundCorrected, round=1, by="ann", from_=from_, to=to, why="", confirmed=True)
    assert said.state.phase == "settling"
    assert said.state.rounds[0].stands == to


def test_a_correction_of_a_round_no_longer_kept_changes_nothing(said: Said) -> None:
    from_, to = Verdict(verdict="void"), Verdict(verdict="void", reason="dealer_call")
    said.say(events.RoundCorrected, round=9, by="ann", from_=from_, to=to, why="")
    assert said.state.rounds == ()


def test_a_fault_that_blocks_play_shuts_the_table_until_it_is_cleared(said: Said) -> None:
    assert said.state.state == "open"
    said.say(events.DeviceFault, device="wheel", fault="dead", detail="a", blocks_play=True)
    said.say(events.DeviceFault, device="lamp", fault="dead", detail="b", blocks_play=False)
    assert said.state.state == "shut"
    assert [fault.device for fault in said.state.faults] == ["wheel", "lamp"]
    said.say(events.DeviceCleared, device="wheel", fault="dead", by="ann")
    assert said.state.state == "open"
    said.say(events.TableClosed, reason="stop")
    assert said.state.state == "closed"
    assert [fault.device for fault in said.state.faults] == ["lamp"]


def test_a_fault_published_again_keeps_the_time_of_its_first_event(said: Said) -> None:
    said.say(events.DeviceFault, device="wheel", fault="dead", detail="a", blocks_play=True)
    first = said.state.faults[0].since
    event = said.table.say(
        events.DeviceFault, device="wheel", fault="dead", detail="b", blocks_play=True, before_restart=True
    )
    said.state.apply(msgspec.structs.replace(decode(event[1]), time="2030-01-01T00:00:00.000000Z"))
    assert (said.state.faults[0].since, said.state.faults[0].detail) == (first, "b")


def test_inspections_are_kept_by_device(said: Said) -> None:
    said.say(events.InspectionPassed, device="wheel", checks=["level"], by="ann")
    said.say(events.InspectionFailed, device="ball", checks=["size"], by="ann")
    assert said.state.inspections == {"wheel": True, "ball": False}


def test_an_event_applied_already_or_not_durable_changes_nothing(said: Said) -> None:
    said.outcome(1)
    before = said.state.snapshot()
    said.state.apply(said.events[0])
    said.say(events.RoundProgress, round=7, revolutions=1)
    assert said.state.snapshot() == before


def test_an_event_of_an_unknown_type_counts_and_changes_nothing_else(said: Said) -> None:
    said.outcome(1)
    before = said.state.snapshot()
    body = said.table.say(events.Settled, round=1, by="auto")[1].replace(b"round.settled.v1", b"round.sung.v1")
    event = decode(body)
    assert isinstance(event.data, Unknown)
    said.state.apply(event)
    assert said.state.snapshot() == msgspec.structs.replace(before, last=event.seq)


def test_a_fold_that_begins_within_a_round_has_the_state_of_its_events() -> None:
    state = TableState("wheel-1")
    table = ModelTable(ModelJournal(), "wheel-1", "e1")
    state.apply(decode(table.say(events.RoundStarted, round=7)[1]))
    assert (state.round, state.phase, state.unfinished_round) == (7, "running", 7)
    verdict = table.say(events.Void, round=7, call="No spin", reason="power_loss", rule="r", evidence=EVIDENCE)
    state.apply(decode(verdict[1]))
    assert (state.phase, state.unfinished_round) == ("void", None)
    assert state.rounds[0].stands == Verdict(verdict="void", reason="power_loss")


def test_an_event_of_another_table_is_refused(said: Said) -> None:
    with pytest.raises(ValueError, match=r"wheel-2.*given wheel-1\.e1\.1"):
        TableState("wheel-2").apply(said.events[0])


@pytest.mark.parametrize("game", ["roulette", "money_wheel"])
def test_a_snapshot_at_any_event_continues_to_the_same_state(game: str) -> None:
    config = check_text(f'[table]\nid = "t-1"\ngame = "{game}"\n[lines]\nbackend = "sim"\n').tables[0]
    said = [event for played in simulate(config, 12, 3, {}) for event in played.events]
    whole = TableState("t-1")
    for event in said:
        whole.apply(decode(encode(event)))
    assert len(whole.rounds) == RECENT_ROUNDS
    for place in range(0, len(said), 7):
        state = TableState("t-1")
        for event in said[:place]:
            state.apply(event)
        carried = msgspec.json.decode(msgspec.json.encode(state.snapshot()), type=Snapshot)
        state = TableState.from_snapshot(carried)
        assert state.snapshot() == carried
        for event in said[place:]:
            state.apply(event)
        assert state.snapshot() == whole.snapshot()


@pytest.mark.parametrize(
    ("acts", "door_open", "testing"),
    [
        (["power_on"], False, False),
        (["power_on", "door_opened"], True, False),
        (["power_on", "door_opened", "token_in"], True, False),
        (["power_on", "door_opened", "door_closed"], False, False),
        (["power_on", "test_begun", "test_token"], False, True),
        (["power_on", "test_begun", "door_opened", "test_ended"], True, False),
        (["power_on", "test_begun", "door_opened", "power_on"], False, False),
    ],
)
def test_a_machine_has_its_door_and_its_test_mode(said: Said, acts: list[str], door_open: bool, testing: bool) -> None:
    for credits, act in enumerate(acts):
        meters = events.Meters(plays=credits)
        said.say(events.MachineEvent, act=act, meters=meters, credits=credits, carried={"of": act})
    machine = said.state.machine
    assert machine is not None
    assert (machine.door_open, machine.testing) == (door_open, testing)
    assert (machine.credits, machine.meters.plays, machine.carried) == (len(acts) - 1, len(acts) - 1, {"of": acts[-1]})
    assert TableState.from_snapshot(said.state.snapshot()).machine == machine


def test_what_is_to_be_paid_by_hand_is_so_until_it_is_paid(said: Said) -> None:
    due: list[bool] = []
    for act, credits in (("award", 20), ("hand_pay_due", 20), ("power_on", 20), ("door_opened", 20), ("hand_paid", 0)):
        said.say(events.MachineEvent, act=act, meters=events.Meters(), credits=credits, carried={})
        assert said.state.machine is not None
        due.append(said.state.machine.hand_pay)
    assert due == [False, True, True, True, False]


PAYMENT = {"hand": "flush", "round": 1, "paid": {"4": 5000, "2": 5000}}


def test_the_meter_of_a_progressive_wager_is_known_over_verdicts_and_to_whoever_joins_late(said: Said) -> None:
    meters: list[tuple[int, dict[str, object] | None]] = []

    def note() -> None:
        snapshot = msgspec.json.decode(msgspec.json.encode(said.state.snapshot()), type=Snapshot)
        progressive = TableState.from_snapshot(snapshot).progressive
        assert progressive == said.state.progressive == snapshot.progressive
        assert progressive is not None
        paid = progressive.payment
        meters.append((progressive.meter_cents, None if paid is None else msgspec.to_builtins(paid)))

    said.say(events.RoundOpened, round=1, course={"hands": 2, "meter_cents": 1_000_000})
    note()
    said.say(events.CarriedStateChanged, round=1, act="progressive_wagers", course={"meter_cents": 1_000_140})
    note()
    said.say(events.Outcome, round=1, result={}, winning=[], evidence=EVIDENCE, rule="r")
    note()
    paid = {"meter_cents": 900_126, "payment": {**PAYMENT, "from_meter": 100_014, "by": "ann", "why": "asked"}}
    said.say(events.CarriedStateChanged, round=1, act="progressive_paid", course=paid)
    note()
    said.say(events.Settled, round=1, by="dealer")
    note()
    said.say(events.RoundOpened, round=2, course=paid)
    said.say(events.Void, round=2, call="Round void", reason="dealer_call", rule="ours", evidence=EVIDENCE)
    note()
    assert meters == [
        (1_000_000, None),
        (1_000_140, None),
        (1_000_140, None),
        (900_126, PAYMENT),
        (900_126, PAYMENT),
        (900_126, PAYMENT),
    ]


def test_a_snapshot_that_an_older_version_kept_has_its_meter_in_the_state_carried(said: Said) -> None:
    said.say(events.RoundOpened, round=1, course={"meter_cents": 1_000_000})
    said.say(events.Outcome, round=1, result={}, winning=[], evidence=EVIDENCE, rule="r")
    older = msgspec.json.decode(msgspec.json.encode(said.state.snapshot()))
    del older["progressive"]
    progressive = TableState.from_snapshot(msgspec.convert(older, Snapshot)).progressive
    assert progressive is not None
    assert progressive.meter_cents == 1_000_000


@pytest.mark.parametrize(
    "course",
    [
        None,
        {"phase": "point"},
        {"meter_cents": "1000"},
        {"meter_cents": -1},
        {"meter_cents": 1.5},
        {"meter_cents": 1000, "payment": {"hand": "flush"}},
        {"meter_cents": 1000, "payment": [1]},
    ],
)
def test_a_table_whose_carried_state_has_no_meter_that_can_be_read_has_none(
    said: Said, course: dict[str, object] | None
) -> None:
    said.say(events.RoundOpened, round=1, course={"meter_cents": 1_000_000})
    said.say(events.Outcome, round=1, result={}, winning=[], evidence=EVIDENCE, rule="r")
    said.say(events.RoundOpened, round=2, course=course)
    assert said.state.progressive is None
    assert said.state.snapshot().progressive is None
