"""What a broker is given of tables, without a broker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import jinja2
import pytest

from bridges.mqtt.keys import MqttKeys
from bridges.mqtt.messages import EXPIRY_S, LONGEST_SHOWN, BrokerMessage, discovery
from bridges.mqtt.mirror import GONE_AFTER, Mirror
from bridges.mqtt.words import WORDS
from feed.data import TableLabel
from feed.events import Data, Evidence, Outcome, RoundCorrected, RoundOpened, Unresolved, Verdict, Void, decode
from feed.state import TableState, decode_snapshot
from feed.subscriber import Fact, Fresh, Item, Joined, Missing, Position, Rewritten, Stale
from hal.version import VERSION
from tests.fakes.feed_model import ModelJournal, ModelTable

KEYS = MqttKeys("mqtt://127.0.0.1", "feltwire", "unused")
PROOF: Any = {"evidence": Evidence(), "rule": "ours"}
STATUS, STATE = "feltwire/status", "feltwire/wheel-1/state"
CONFIG = "homeassistant/device/feltwire_wheel-1/config"


class Bench:
    """A mirror, and the table that it mirrors."""

    def __init__(self, keys: MqttKeys = KEYS, *, simulated: bool = False) -> None:
        self.journal = ModelJournal()
        self.table = ModelTable(self.journal, "wheel-1", "e1", simulated=simulated)
        self.states: dict[str, TableState] = {}
        self.joined_again: list[str] = []
        self.mirror = Mirror(keys, self.states, self.joined_again.append)
        self.broker: dict[str, Any] = {}
        self.published: list[tuple[str, Any]] = []
        self.name = "sim/wheel-1" if simulated else "wheel-1"

    def join(self) -> None:
        """The table is open, and its snapshot comes."""
        self.table.open()
        body = self.journal.snapshot("wheel-1")
        assert body is not None
        snapshot = decode_snapshot(body)
        self.states[self.name] = TableState.from_snapshot(snapshot)
        self.take(Joined(table="wheel-1", simulated=snapshot.simulated, snapshot=snapshot))

    def say(self, kind: type[Data], **fields: Any) -> None:
        """An event of the table."""
        _, body = self.table.say(kind, **fields)
        event = decode(body)
        self.states[self.name].apply(event)
        self.take(Fact(event, body))

    def beat(self, state: str = "open") -> None:
        """Its heartbeat."""
        _, body = self.table.heartbeat(state)
        self.take(Fact(decode(body), body))

    def take(self, item: Item) -> None:
        self.mirror.take(item)
        self.deliver()

    def deliver(self) -> list[BrokerMessage]:
        """What is published now."""
        messages = [message for some in self.mirror.passes() for message in some]
        for message in messages:
            value = json.loads(message.payload)
            self.broker[message.topic] = value
            self.published.append((message.topic, value))
        return messages


@pytest.fixture
def live() -> Bench:
    bench = Bench()
    bench.join()
    bench.beat()
    return bench


def test_a_table_is_there_with_its_first_heartbeat(live: Bench) -> None:
    """Not with a later renewal: its entities are there as soon as it is seen."""
    assert live.broker[STATUS] == {"tables": {"wheel-1": "live"}}
    assert live.broker["homeassistant/device/feltwire_wheel-1/config"]["device"]["name"] == "wheel-1"
    assert "signal" not in live.broker[STATE], "a state that is retained never states that it is live"


def test_nothing_is_published_that_the_broker_has(live: Bench) -> None:
    live.published.clear()
    for _ in range(5):
        live.beat()
    assert live.published == []


def test_a_renewal_publishes_what_expires_with_its_new_time(live: Bench) -> None:
    live.beat()
    live.mirror.renew()
    renewed = {message.topic: message for message in live.deliver()}
    assert set(renewed) == {STATUS, STATE}
    assert all(message.expires for message in renewed.values())
    live.mirror.renew(shown=True)
    shown = [message for message in live.deliver() if not message.expires]
    assert [message.topic for message in shown] == ["homeassistant/device/feltwire_wheel-1/config"]


def test_the_time_of_a_state_is_that_of_the_last_thing_received(live: Bench) -> None:
    body = json.loads(live.table.heartbeat()[1]) | {"time": "2026-01-31T20:07:00.000000Z"}
    encoded = json.dumps(body).encode()
    live.take(Fact(decode(encoded), encoded))
    live.mirror.renew()
    live.deliver()
    assert live.broker[STATE]["as_of"] == "2026-01-31T20:07:00.000000Z"
    live.take(Stale(table="wheel-1", silent_ns=3))
    live.mirror.renew()
    live.deliver()
    assert live.broker[STATE]["as_of"] == "2026-01-31T20:07:00.000000Z", "it is as old as it was"


@pytest.mark.parametrize(
    ("happens", "signal"),
    [
        (lambda bench: bench.take(Stale(table="wheel-1", silent_ns=3)), "stale"),
        (lambda bench: bench.beat("halted"), "halted"),
        (lambda bench: (bench.table.say(RoundOpened, round=9), bench.beat()), "behind"),
    ],
)
def test_a_table_is_named_as_live_no_longer_than_its_state_is(happens: Any, signal: str, live: Bench) -> None:
    live.published.clear()
    happens(live)
    assert live.published[0] == (STATUS, {"tables": {}}), "first it is no longer live"
    assert live.published[1][0] == STATE
    assert live.published[1][1]["signal"] == signal
    assert live.published[-1] == (STATUS, {"tables": {"wheel-1": signal}})
    live.take(Fresh(table="wheel-1", silent_ns=9))
    live.published.clear()
    if signal == "behind":
        live.states["wheel-1"].apply(decode(live.journal.bodies("wheel-1")[-1]))
    live.beat()
    topics = [topic for topic, _ in live.published]
    if topics:
        assert topics.index(STATE) < len(topics) - 1
        assert live.published[-1] == (STATUS, {"tables": {"wheel-1": "live"}}), "and at last it is live again"
    assert live.broker[STATUS] == {"tables": {"wheel-1": "live"}}


@pytest.mark.parametrize(
    "notice",
    [
        Missing(table="wheel-1", first=1, last=2),
        Rewritten(table="wheel-1", held=Position("e1", 9), journal=Position("e1", 2), why="cut off"),
    ],
)
def test_a_history_that_is_another_one_is_joined_again(notice: Item, live: Bench) -> None:
    del live.states["wheel-1"]
    live.take(notice)
    assert live.joined_again == ["wheel-1"]
    assert live.broker[STATUS] == {"tables": {}}


def test_another_connection_begins_with_no_table_that_is_live(live: Bench) -> None:
    """The broker may hold what a bridge before published, with a status that has not expired."""
    live.published.clear()
    live.mirror.forget()
    live.deliver()
    assert live.published[0] == (STATUS, {"tables": {}})
    assert live.published[-1] == (STATUS, {"tables": {"wheel-1": "live"}})
    assert live.mirror.will == BrokerMessage(STATUS, b'{"tables":{}}', expires=False)


def test_a_table_that_becomes_stale_while_its_state_is_published_is_not_named_as_live(live: Bench) -> None:
    live.mirror.forget()
    passes = live.mirror.passes()
    given = [next(passes), next(passes)]
    assert [message.topic for message in given[1]] == ["homeassistant/device/feltwire_wheel-1/config", STATE]
    live.mirror.take(Stale(table="wheel-1", silent_ns=3))
    given += passes
    statuses = [json.loads(one.payload) for some in given for one in some if one.topic == STATUS]
    assert statuses == [{"tables": {}}]
    live.deliver()
    assert (live.broker[STATE]["signal"], live.broker[STATUS]) == ("stale", {"tables": {"wheel-1": "stale"}})


def test_each_round_has_its_verdict_in_force_and_another_id_after_a_correction(live: Bench) -> None:
    live.say(RoundOpened, round=1)
    live.say(Outcome, round=1, winning=[], result={"space": 4, "face": "joker"}, **PROOF)
    live.say(RoundOpened, round=2)
    live.say(Void, round=2, call="No spin", reason="wheel_revolutions", **PROOF)
    live.say(RoundOpened, round=3)
    live.say(Unresolved, round=3, reason="no_number_read", candidates=[], **PROOF)
    before = live.broker[STATE]["rounds"]
    assert [(one["verdict"], one.get("call", ""), one.get("reason", "")) for one in before] == [
        ("outcome", "", ""),
        ("void", "No spin", "wheel_revolutions"),
        ("unresolved", "", "no_number_read"),
    ]
    to = Verdict(verdict="outcome", result={"space": 5, "face": "$1"})
    live.say(RoundCorrected, round=3, by="ann", why="seen", from_=Verdict(verdict="unresolved"), to=to)
    after = live.broker[STATE]["rounds"]
    assert after[:2] == before[:2]
    assert after[2]["verdict"] == "outcome"
    assert after[2]["result"] == {"space": 5, "face": "$1"}
    assert [one["id"] for one in (*before, after[2])] == [f"wheel-1.e1.{seq}" for seq in (3, 5, 7, 8)]


def test_another_journal_repeats_no_id_and_an_older_state_without_epochs_keeps_its_own(live: Bench) -> None:
    def ids(bench: Bench) -> list[str]:
        bench.say(RoundOpened, round=1)
        bench.say(Unresolved, round=1, reason="no_number_read", candidates=[], **PROOF)
        first = bench.broker[STATE]["rounds"][-1]["id"]
        to = Verdict(verdict="outcome", result={"space": 5, "face": "$1"})
        bench.say(RoundCorrected, round=1, by="ann", why="", from_=Verdict(verdict="unresolved"), to=to)
        return [first, bench.broker[STATE]["rounds"][-1]["id"]]

    other = Bench()
    other.table = ModelTable(other.journal, "wheel-1", "e2")
    other.join()
    other.beat()
    assert not {*ids(live)} & {*ids(other)}
    body = live.journal.snapshot("wheel-1")
    assert body is not None
    kept = json.loads(body)
    for event in (kept["rounds"][0], *kept["rounds"][0]["corrections"]):
        assert event.pop("epoch") == "e1"
    old = Bench()
    old.states["wheel-1"] = TableState.from_snapshot(decode_snapshot(json.dumps(kept).encode()))
    old.beat()
    assert old.broker[STATE]["rounds"][0]["id"] == "wheel-1.1.4"


def test_of_a_table_that_is_not_played_a_broker_is_given_nothing(live: Bench) -> None:
    """Its history is in the journal, and no service plays it: a message that removes its entities holds."""
    bench = Bench()
    bench.join()
    bench.take(Stale(table="wheel-1", silent_ns=3, had_heartbeat=False))
    bench.mirror.renew(shown=True)
    bench.deliver()
    assert (bench.broker, bench.mirror.signals) == ({STATUS: {"tables": {}}}, {})
    bench.take(Fresh(table="wheel-1", silent_ns=3))
    bench.beat()
    assert bench.broker == live.broker
    assert "" not in [state["as_of"] for topic, state in bench.published if topic == STATE]


def opened(bench: Bench, name: str, epoch: str) -> ModelTable:
    """A table of the service that begins with this start."""
    table = ModelTable(bench.journal, name, epoch)
    table.open()
    body = bench.journal.snapshot(name)
    assert body is not None
    bench.states[name] = TableState.from_snapshot(decode_snapshot(body))
    return table


def beat(bench: Bench, table: ModelTable, count: int = 1) -> None:
    for _ in range(count):
        _, body = table.heartbeat()
        bench.take(Fact(decode(body), body))


def test_a_table_that_the_service_was_started_without_is_named_no_more_until_it_is_back(
    live: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    live.take(Stale(table="wheel-1", silent_ns=3))
    other = opened(live, "wheel-2", "e2")
    beat(live, other, GONE_AFTER - 1)
    assert live.broker[STATUS] == {"tables": {"wheel-1": "stale", "wheel-2": "live"}}, "its first event may be late"
    beat(live, other)
    assert live.broker[STATUS] == {"tables": {"wheel-2": "live"}}
    assert live.mirror.signals == {"wheel-2": "live"}, "a probe does not wait for it"
    assert caplog.text.count("wheel-1: the service was started without it: it is not named any more") == 1
    live.published.clear()
    live.mirror.forget()
    live.deliver()
    beat(live, other)
    assert not [topic for topic, _ in live.published if "wheel-1" in topic], "its state expires, its entities stay"
    assert shown(live, "signal") == ("", "STALE")
    del live.broker[CONFIG]
    beat(live, opened(live, "wheel-2", "e3"), GONE_AFTER - 1)
    live.take(Fresh(table="wheel-1", silent_ns=99))
    beat(live, opened(live, "wheel-1", "e3"), GONE_AFTER + 1)
    assert live.broker[STATUS] == {"tables": {"wheel-1": "live", "wheel-2": "live"}}
    assert CONFIG in live.broker, "a person removed its entities meanwhile, and it is back"


def test_a_table_that_is_silent_while_the_service_runs_on_stays_stale(live: Bench) -> None:
    live.take(Stale(table="wheel-1", silent_ns=3))
    beat(live, opened(live, "wheel-2", "e1"), 3 * GONE_AFTER)
    assert live.broker[STATUS] == {"tables": {"wheel-1": "stale", "wheel-2": "live"}}


def test_a_simulated_table_has_topics_and_a_name_of_its_own() -> None:
    bench = Bench(MqttKeys("mqtt://127.0.0.1", "feltwire", "unused", simulated=True), simulated=True)
    bench.join()
    bench.beat()
    assert bench.broker["feltwire/sim/wheel-1/state"]["simulated"] is True
    shown = bench.broker["homeassistant/device/feltwire_sim_wheel-1/config"]
    assert shown["device"]["name"] == "SIMULATION wheel-1"


def every(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key of a payload with its value."""
    match value:
        case dict():
            for key, inner in value.items():
                yield key, inner
                yield from every(inner)
        case list():
            for inner in value:
                yield from every(inner)


def shown(bench: Bench, entity: str) -> tuple[str, str]:
    """Whether an entity is available, and its state, as Home Assistant derives them with its templates."""
    component = bench.broker["homeassistant/device/feltwire_wheel-1/config"]["components"][entity]
    templates = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)

    def rendered(topic: str, template: str) -> str:
        return templates.from_string(template).render(value_json=bench.broker[topic])

    available = [rendered(one["topic"], one["value_template"]) for one in component.get("availability", [])]
    if "json_attributes_template" in component:
        json.loads(rendered(component["json_attributes_topic"], component["json_attributes_template"]))
    return ",".join(available), rendered(component["state_topic"], component["value_template"])


def test_what_home_assistant_shows_of_a_table_is_unavailable_once_it_is_not_live(live: Bench) -> None:
    live.say(RoundOpened, round=1)
    live.beat()
    assert shown(live, "result") == ("online", "None")
    live.say(Outcome, round=1, winning=[], result={"space": 4, "face": "joker"}, **PROOF)
    live.beat()
    assert shown(live, "result") == ("online", '{"face":"joker","space":4}')
    assert shown(live, "round") == ("online", "1")
    assert shown(live, "phase") == ("online", "settling")
    assert shown(live, "table") == ("online", "open")
    assert shown(live, "fault") == ("online", "OFF")
    assert shown(live, "signal") == ("", "LIVE")
    live.take(Stale(table="wheel-1", silent_ns=3))
    assert {shown(live, one)[0] for one in ("result", "round", "phase", "table", "fault")} == {"offline"}
    assert shown(live, "signal") == ("", "STALE")
    live.broker[STATUS] = json.loads(live.mirror.will.payload)
    assert shown(live, "result")[0] == "offline"
    assert shown(live, "signal") == ("", "STALE")


class Shown:
    """An entity, as Home Assistant shows it over time (`binary_sensor.py` and `sensor.py` of its MQTT integration):
    each message on its topic begins `expire_after` and `off_delay` again, also one that repeats the state."""

    def __init__(self, bench: Bench, entity: str) -> None:
        self._bench, self._entity = bench, entity
        self._config = bench.broker[CONFIG]["components"][entity]
        self._value, self._at_s = "unknown", 0.0

    def receive(self, topic: str, at_s: float) -> None:
        """A message on a topic, which the bench's broker has."""
        if topic == self._config["state_topic"]:
            self._value, self._at_s = shown(self._bench, self._entity)[1], at_s

    def state(self, at_s: float) -> str:
        """What is shown at a time, of an entity whose broker is there."""
        age_s = at_s - self._at_s
        if age_s >= self._config.get("expire_after", 1e9) or shown(self._bench, self._entity)[0] == "offline":
            return "unavailable"
        if self._value == "ON" and age_s >= self._config.get("off_delay", 1e9):
            return "OFF"
        return self._value


def will(bench: Bench) -> None:
    """The bridge ends."""
    bench.broker[STATUS] = json.loads(bench.mirror.will.payload)


@pytest.mark.parametrize(
    ("death", "renewed", "within_s", "signals"),
    [
        (will, False, 0, ["STALE", "STALE", "unavailable", "unavailable"]),
        (lambda bench: None, False, EXPIRY_S, ["LIVE", "LIVE", "unavailable", "unavailable"]),
        (lambda bench: bench.take(Stale(table="wheel-1", silent_ns=3)), True, 0, ["STALE"] * 4),
        (lambda bench: bench.beat("halted"), True, 0, ["HALTED"] * 4),
    ],
    ids=["bridge", "bridge and broker together", "service", "journal"],
)
def test_whatever_ends_the_connectivity_of_a_table_is_off_and_stays_so(
    death: Any, renewed: bool, within_s: int, signals: list[str], live: Bench
) -> None:
    entities = {one: Shown(live, one) for one in ("connectivity", "signal", "result")}

    def renew(at_s: float) -> None:
        live.mirror.renew()
        for message in live.deliver():
            for one in entities.values():
                one.receive(message.topic, at_s)

    def states(at_s: float) -> list[str]:
        return [one.state(at_s) for one in entities.values()]

    for at_s in range(0, 31, 3):
        assert at_s == 0 or states(at_s - 0.1)[:2] == ["ON", "LIVE"], "each renewal begins the delay again"
        renew(at_s)
    death(live)
    if within_s == 0:
        for one in entities.values():
            one.receive(STATUS, 30)
    seen = []
    for at_s in (30, 39, 40, 3600):
        if renewed:
            renew(at_s)
        found = states(at_s)
        assert found[0] == ("OFF" if at_s >= 30 + within_s else "ON")
        assert found[2] == "unavailable" or at_s < 30 + within_s
        seen.append(found[1])
    assert seen == signals, "it is what states why, and not what states that"


def test_no_entity_takes_a_command_and_each_has_an_id_of_its_own(live: Bench) -> None:
    payload = live.broker["homeassistant/device/feltwire_wheel-1/config"]
    assert not [key for key, _ in every(payload) if "command" in key or "set" in key]
    ids = [value for key, value in every(payload) if key == "unique_id"]
    assert len(set(ids)) == len(ids) == 7
    assert payload["origin"] == {"name": "Feltwire", "sw_version": VERSION}
    assert {one["platform"] for one in payload["components"].values()} == {"sensor", "binary_sensor"}


def test_the_result_is_the_value_that_the_table_counts_and_fits_a_state() -> None:
    state = TableState("roulette-1")
    state.labels = [TableLabel(language="en-US", name="Table 7"), TableLabel(language="de", name="Tisch 7", short="7")]
    bench = Bench()
    bench.join()
    bench.beat()
    bench.say(RoundOpened, round=1)
    bench.say(Outcome, round=1, winning=[], result={"text": "x" * 5000}, **PROOF)
    assert len(bench.broker[STATE]["rounds"][-1]["shown"]) == LONGEST_SHOWN
    for language in WORDS:
        message = discovery(MqttKeys("mqtt://127.0.0.1", "u", "f", language=language), "roulette-1", state)
        assert json.loads(message.payload)["device"]["name"] == ("Tisch 7" if language == "de" else "Table 7")


@pytest.mark.parametrize("seed", range(8))
def test_whatever_a_table_does_the_broker_ends_as_its_state_is(seed: int) -> None:
    """And in between no state that was stated live was another one than its last."""
    random, bench = Random(seed), Bench()
    bench.join()
    for _ in range(60):
        match random.randrange(8):
            case 0:
                bench.beat()
            case 1:
                bench.take(Stale(table="wheel-1", silent_ns=3))
            case 2:
                bench.take(Fresh(table="wheel-1", silent_ns=3))
            case 3:
                bench.mirror.forget()
            case 4:
                bench.mirror.renew(shown=random.random() < 0.5)
            case _:
                event = decode(bench.table.something(random)[1])
                if event.seq is not None:
                    bench.states["wheel-1"].apply(event)
                    bench.take(Fact(event, b""))
        bench.deliver()
    bench.take(Fresh(table="wheel-1", silent_ns=3))
    bench.beat()
    assert bench.broker[STATUS] == {"tables": {"wheel-1": "live"}}
    assert bench.broker[STATE]["last"] == bench.states["wheel-1"].last
    held: dict[str, Any] = {}
    for topic, value in bench.published:
        held[topic] = value
        if held.get(STATUS, {}).get("tables", {}).get("wheel-1") == "live":
            assert "signal" not in held[STATE]


@pytest.mark.parametrize("table", ["a/b", "#", "+", "it's", "{{ 7 }}", "A", "a.b", "é"])
def test_a_table_whose_name_means_something_else_to_a_broker_is_not_published(table: str) -> None:
    bench = Bench()
    bench.table = ModelTable(bench.journal, table, "e1")
    _, body = bench.table.heartbeat()
    event = decode(body)
    bench.states[table] = TableState(table)
    bench.take(Fact(event, body))
    assert bench.published == [(STATUS, {"tables": {}})]
