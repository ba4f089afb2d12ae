"""The durable events of one table, made one by one: for whoever counts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from feed.data import StatisticsKey, type_of
from feed.events import (
    CarriedStateChanged,
    Data,
    DeviceCleared,
    DeviceFault,
    DeviceWarning,
    Event,
    Evidence,
    Outcome,
    ProcedureViolation,
    RoundCorrected,
    TableClosed,
    TableOpened,
    Unresolved,
    Verdict,
    Void,
    encode,
)

START = datetime(2026, 7, 4, 20, tzinfo=UTC)
POCKETS = [str(number) for number in range(37)]
NS = 1_000_000_000


class TableHistory:
    """Each event comes a number of seconds after the one before; `mono_ns` runs with the wall time."""

    def __init__(
        self,
        table: str = "roulette-1",
        *,
        game: str = "roulette",
        simulated: bool = False,
        values: Sequence[int | str] = POCKETS,
        field: str = "pocket",
        start: datetime = START,
    ) -> None:
        self.table, self.game, self.simulated = table, game, simulated
        self.bodies: list[bytes] = []
        self.events: list[Event] = []
        self.epoch = "e1"
        self.time = start
        self.mono_ns = 0
        self._keys = [StatisticsKey(field=field, values=[*values])]
        self._round = 0

    def later(self, seconds: float) -> TableHistory:
        """Time passes."""
        self.time += timedelta(seconds=seconds)
        self.mono_ns += round(seconds * NS)
        return self

    def restart(self) -> TableHistory:
        """Another start of the service."""
        self.epoch = f"e{int(self.epoch[1:]) + 1}"
        self.mono_ns = 0
        return self

    def put(self, kind: type[Data], **fields: Any) -> TableHistory:
        """An event of this kind."""
        common: dict[str, Any] = {
            "table": self.table,
            "game": self.game,
            "simulated": self.simulated,
            "mono_ns": self.mono_ns,
        }
        data = kind(**common, **fields)
        number = len(self.bodies) + 1
        event = Event(
            id=f"{self.table}.{self.epoch}.{number}",
            source=f"/tables/{self.table}",
            type=type_of(kind),
            time=self.time.isoformat().replace("+00:00", "Z"),
            sequence=f"{number:020d}",
            data=data,
        )
        self.events.append(event)
        self.bodies.append(encode(event))
        return self

    def open(self, *, device: str = "wheel", driver: str = "roulette_wheel", **more: str) -> TableHistory:
        """The table opens."""
        devices = [{"device": device, "driver": driver, **more}, {"device": "dealer", "driver": "buttons"}]
        return self.put(
            TableOpened, rules="njac-13:47-20", software="feltwire 0.1.0", devices=devices, statistics=self._keys
        )

    def close(self) -> TableHistory:
        """It closes."""
        return self.put(TableClosed, reason="end of the evening")

    def outcome(self, result: Mapping[str, Any], **measured: Any) -> TableHistory:
        """A round with this result."""
        self._round += 1
        fields = {"round": self._round, "result": dict(result), "winning": [], "rule": "13:47-20.32(k)"}
        return self.put(Outcome, **fields, evidence=Evidence(**measured))

    def pocket(self, pocket: str, **measured: Any) -> TableHistory:
        """A spin of roulette."""
        return self.outcome({"pocket": pocket, "index": 0, "color": "red"}, **measured)

    def void(self, reason: str = "ball_direction", rule: str = "13:47-20.32(m)1") -> TableHistory:
        """A void round."""
        self._round += 1
        return self.put(Void, round=self._round, call="No spin", reason=reason, rule=rule, evidence=Evidence())

    def unresolved(self, reason: str = "no_number_read") -> TableHistory:
        """A round that the dealer has to call."""
        self._round += 1
        return self.put(Unresolved, round=self._round, reason=reason, rule="ours", evidence=Evidence(), candidates=[])

    def corrected(self, number: int, old: Verdict, new: Verdict, *, confirmed: bool = False) -> TableHistory:
        """A person corrects a round."""
        fields = {"by": "anna", "from_": old, "to": new, "why": "camera", "confirmed": confirmed}
        return self.put(RoundCorrected, round=number, **fields)

    def fault(self, fault: str = "sensor_missing", *, blocks: bool = True, again: bool = False) -> TableHistory:
        """A fault of the wheel."""
        fields = {"device": "wheel", "fault": fault, "detail": "ball_2 is silent", "blocks_play": blocks}
        return self.put(DeviceFault, **fields, before_restart=again)

    def cleared(self, fault: str = "sensor_missing") -> TableHistory:
        """Somebody clears it."""
        return self.put(DeviceCleared, device="wheel", fault=fault, by="anna")

    def warned(self, warning: str = "wheel_bias") -> TableHistory:
        """A warning of the wheel."""
        return self.put(DeviceWarning, device="wheel", warning=warning, detail="17 came 40 times")

    def violation(self) -> TableHistory:
        """Somebody departs from the procedure."""
        return self.put(
            ProcedureViolation, round=max(1, self._round), reason="no_more_bets_after_drop", rule="13:47-20.32(j)2"
        )

    def course(self, number: int) -> TableHistory:
        """An event that is counted as an event, and as nothing else."""
        return self.put(CarriedStateChanged, round=number, act="point", course={})

    def unknown(self) -> TableHistory:
        """An outcome of a version that nobody knows yet."""
        self.violation()
        self.bodies[-1] = self.bodies[-1].replace(b"procedure.violation.v1", b"round.outcome.v2")
        return self


def outcome_of(pocket: str) -> Verdict:
    """A verdict of roulette."""
    return Verdict(verdict="outcome", result={"pocket": pocket, "index": 0, "color": "red"})


VOID = Verdict(verdict="void", reason="dealer_call")
UNRESOLVED = Verdict(verdict="unresolved", reason="no_number_read")
