"""What a broker holds of tables: topics and payloads. No I/O, no clock.

    <prefix>/status                      {"tables": {"roulette-1": "live", "sim/wheel-1": "stale"}}
    <prefix>/<table>/state               the state of a table, and its last ten rounds: `StateMessage`
    <prefix>/sim/<table>/state           ... of a simulated one
    <discovery>/device/<node>/config     how Home Assistant shows the table

A table that the status does not name is stale. The last will is the status that names none.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

import msgspec

from bridges.mqtt.keys import MqttKeys
from bridges.mqtt.words import WORDS
from feed.codes import Code, Phase, State
from feed.state import RoundRecord, StandingFault, TableState
from hal.version import VERSION

Signal = Literal["live", "stale", "halted", "behind"]
"""Whether what is published of a table is current: `stale`: its service is silent; `halted`: its journal failed, and no
round goes on; `behind`: events are missing, and were asked for."""

EXPIRY_S: Final = 10
"""What is retained is gone after this time, unless it is renewed (ours)."""
LONGEST_SHOWN: Final = 255
"""Characters of a state in Home Assistant."""


class BrokerMessage(NamedTuple):
    """A retained message."""

    topic: str
    payload: bytes
    expires: bool = True
    """Whether the broker drops it after `EXPIRY_S`. How an entity is shown stays: it holds no result."""


class RoundMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A round with its verdict in force."""

    id: str
    """The id of the event that gave the verdict in force: another one after each correction. A client that drops
    doubles by it sees each final state once. `<table>.<round>.<seq>` where an older version of the service kept the
    state, so that the event's epoch is not known."""
    round: int
    time: str
    """Of the first verdict, by the clock of the table's computer."""
    verdict: Literal["outcome", "void", "unresolved"]
    shown: str
    """The result in a few characters: the value that the table counts, or the verdict where there is no outcome."""
    result: dict[str, Any] | None = None
    reason: Code = ""
    """Why it is void or unresolved."""
    call: str = ""
    """What the dealer calls in a void round."""
    corrected: bool = False
    """Whether a person changed the verdict."""


class StateMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of a table, as it was true at `as_of`."""

    table: str
    game: str
    simulated: bool
    """A bench table. Never to be shown as a real one."""
    house_rules: bool
    """Played by the house's own rules."""
    as_of: str
    """When its service last confirmed it, by the clock of the table's computer."""
    state: State
    round: int
    phase: Phase
    phase_since: str
    last: int
    """The number of the last event in it."""
    signal: Signal = "live"
    """Left out while it is live: that a table is live, its status states alone, which the last will takes back."""
    faults: list[StandingFault]
    rounds: list[RoundMessage]
    """The last ones with a verdict, oldest first."""


class StatusMessage(msgspec.Struct, frozen=True):
    """Which tables are live."""

    tables: dict[str, Signal]


_JSON: Final = msgspec.json.Encoder(order="deterministic")


def status(prefix: str, signals: dict[str, Signal]) -> BrokerMessage:
    """The status of the bridge."""
    return BrokerMessage(f"{prefix}/status", _JSON.encode(StatusMessage(signals)))


def state_topic(prefix: str, name: str) -> str:
    """The topic of a table's state."""
    return f"{prefix}/{name}/state"


def state_message(state: TableState, signal: Signal) -> StateMessage:
    """The state of a table, without the time at which it was true."""
    keys = [key.field for key in state.history.keys]
    return StateMessage(
        table=state.table,
        game=state.game,
        simulated=state.simulated,
        house_rules=state.house_rules,
        signal=signal,
        as_of="",
        state=state.state,
        round=state.round,
        phase=state.phase,
        phase_since=state.phase_since,
        last=state.last,
        faults=[*state.faults],
        rounds=[_round(state.table, record, keys) for record in state.rounds],
    )


def encode_state(prefix: str, name: str, message: StateMessage, as_of: str) -> BrokerMessage:
    """The message of a state that was true at a time."""
    return BrokerMessage(state_topic(prefix, name), _JSON.encode(msgspec.structs.replace(message, as_of=as_of)))


def _round(table: str, record: RoundRecord, keys: list[str]) -> RoundMessage:
    stands = record.stands
    is_first = not record.corrections
    decided = record if is_first else record.corrections[-1]
    return RoundMessage(
        id=f"{table}.{decided.epoch or record.round}.{decided.sequence}",
        round=record.round,
        time=record.time,
        verdict=stands.verdict,
        shown=_shown(stands.result, keys) if stands.result is not None else stands.verdict,
        result=stands.result,
        reason=stands.reason or "",
        call=record.call if is_first else "",
        corrected=any(not correction.confirmed for correction in record.corrections),
    )


def _shown(result: dict[str, Any], keys: list[str]) -> str:
    """The value by which the table counts the result; of a game that counts none, the whole of it."""
    value: Any = result
    for part in keys[0].split(".") if keys else ():
        value = value.get(part) if isinstance(value, dict) else None
    if value is None or isinstance(value, (dict, list)):
        value = _JSON.encode(result).decode()
    return str(value)[:LONGEST_SHOWN]


def discovery(keys: MqttKeys, name: str, state: TableState) -> BrokerMessage:
    """How Home Assistant (2024.11 or later) shows a table: one device with its entities. None has a command topic."""
    words = WORDS[keys.language]
    node = f"{keys.prefix}/{name}".replace("/", "_")
    topic, status_topic = state_topic(keys.prefix, name), f"{keys.prefix}/status"
    signal = f"value_json.tables.get('{name}', 'stale')"
    last = "value_json.rounds[-1]"

    def of_bridge(key: str, label: str, template: str, platform: str = "sensor", **more: Any) -> dict[str, Any]:
        return {
            "platform": platform,
            "name": label,
            "unique_id": f"{node}_{key}",
            "state_topic": status_topic,
            "value_template": template,
            "qos": 1,
            **more,
        }

    def entity(key: str, label: str, template: str, platform: str = "sensor", **more: Any) -> dict[str, Any]:
        """What is unavailable while the table is not live, and where neither a last will nor a renewal arrives."""
        available = f"{{{{ 'online' if {signal} == 'live' else 'offline' }}}}"
        return of_bridge(key, label, template, platform) | {
            "state_topic": topic,
            "expire_after": EXPIRY_S,
            "availability": [{"topic": status_topic, "value_template": available}],
            **more,
        }

    names = {one.language.partition("-")[0]: one.name for one in reversed(state.labels)}
    first = state.labels[0].name if state.labels else state.table
    label = names.get(keys.language, first)
    device: dict[str, Any] = {
        "identifiers": [node],
        "name": f"{words.simulation} {label}" if state.simulated else label,
        "manufacturer": "Feltwire",
        "model": f"{state.game}, {words.house_rules}" if state.house_rules else state.game,
    }
    components = {
        "result": entity(
            "result",
            words.result,
            f"{{{{ {last}.shown if value_json.rounds else None }}}}",
            json_attributes_topic=topic,
            json_attributes_template=f"{{{{ ({last} if value_json.rounds else {{}}) | tojson }}}}",
        ),
        "round": entity("round", words.round, "{{ value_json.round }}"),
        "phase": entity("phase", words.phase, "{{ value_json.phase or None }}"),
        "table": entity("table", words.table, "{{ value_json.state }}"),
        "fault": entity(
            "fault",
            words.fault,
            "{{ 'ON' if value_json.faults else 'OFF' }}",
            platform="binary_sensor",
            device_class="problem",
            json_attributes_topic=topic,
            json_attributes_template="{{ {'faults': value_json.faults} | tojson }}",
        ),
        # Why the others are unavailable. It is so itself after this time without a bridge: the last will comes once.
        "signal": of_bridge(
            "signal",
            words.signal,
            f"{{{{ {signal} | upper }}}}",
            expire_after=EXPIRY_S,
            entity_category="diagnostic",
        ),
        # Never unavailable while the broker is there. Each renewal begins the delay again, and without one it is off.
        "connectivity": of_bridge(
            "connectivity",
            words.connectivity,
            f"{{{{ 'ON' if {signal} == 'live' else 'OFF' }}}}",
            platform="binary_sensor",
            device_class="connectivity",
            off_delay=EXPIRY_S,
            entity_category="diagnostic",
        ),
    }
    origin = {"name": "Feltwire", "sw_version": VERSION}
    payload = {"device": device, "origin": origin, "components": components}
    return BrokerMessage(f"{keys.discovery}/device/{node}/config", _JSON.encode(payload), expires=False)
