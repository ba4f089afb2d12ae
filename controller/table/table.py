"""A table: its devices, its game, its latched faults, and its events, in order and numbered.

A table is fed batches and gives events and outputs. Live, in a replay and in a simulation it is the same code, and
however a stream is cut into batches, the bytes are equal:

    batch ──► drivers, each to its end ──► observations in the order of time ──┐
                                                                               ▼ one by one
                        outputs ◄── actuators ◄──commands── game ◄── actuators' reports, observations

Between two observations time passes deadline by deadline, in game and actuators, and each fault is latched before the
next deadline is met. Of observations at one instant those of the first driver come first, orders last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

import msgspec

from controller.table.bias import BiasWatch
from controller.table.decoding import Decoding, UnknownLine
from controller.table.durable import JOURNALLED, record_of
from controller.table.event_sequencer import EventSequencer, Identity
from controller.table.faults import CauseGone, Fault, FaultLatch, LatchedFault
from controller.table.inspection import InspectionPlan, Inspections, no_inspection
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.book import VERBS, AnsweredCommands, carry_out
from controller.table.orders.order import CommandResult, OrderRefused, Verb
from controller.table.repeats import REPEATED, RepeatWatch
from controller.table.round_watch import COUNTED, KeptCounts, RoundWatch, Watched
from controller.table.rounds import Game
from controller.table.undecided import NOTHING_DECIDED, UndecidedWatch
from controller.table.wear_watch import WHEEL_WEAR, WearWatch
from drivers.base.actuator import Actuator, HearsRefusals
from drivers.base.driver import NEVER_NS, Driver, MeasuresWear, Observation, SensorAlive, SensorDead
from drivers.dealer.buttons import ButtonPressed
from drivers.wheel.condition import WheelMeasured
from feed import events
from feed.events import Data, Event, WearHistory
from feed.state import TableState
from hal.capture.command_text import text_without_id
from hal.values import Batch, Command, Frame, Output

SUPERVISOR_KEY: Final = "supervisor_key"
"""The key switch with which a supervisor clears faults: whoever holds the key is the named person."""


DAY_S: Final = 86_400

OPTIONAL_LINES: Final = frozenset({"dealer_void", "dealer_settled", "supervisor_key"})
"""Lines without which the table can still be played."""

_moment: Final = attrgetter("t_ns")


COMMON: Final = frozenset({SensorDead, SensorAlive, ButtonPressed, UnknownLine, WheelMeasured})
"""The observations that mean the same whatever is played on the table; all others are the game's."""


class Table:
    """One table at work."""

    def __init__(
        self,
        identity: Identity,
        game: Game,
        drivers: Sequence[Driver],
        time_of: Callable[[int], str],
        *,
        actuators: Sequence[Actuator] = (),
        verbs: Mapping[str, Verb] | None = None,
        games_of_order: Mapping[str, Sequence[str]] | None = None,
        opens: bool = True,
        inspection: InspectionPlan | None = None,
        bias: BiasWatch | None = None,
        repeats: RepeatWatch | None = None,
        watch: RoundWatch | None = None,
        wear: WearWatch | None = None,
        kept: KeptCounts | None = None,
        sequence: int = 0,
        ephemeral: int = 0,
    ) -> None:
        """Without `opens` the table begins closed, and a person opens it. `sequence` and `ephemeral` number the last
        events before, where this table continues from another. `verbs` are the orders that it takes;
        `games_of_order` has the games of those that only some games take.
        """
        self.identity = identity
        self.game = game
        self.rounds = rounds = game.rounds
        rounds.judged_by(game)
        self._can = rounds.can
        self.faults = FaultLatch()
        inspections = Inspections(inspection or no_inspection(game.device))
        self.lifecycle = TableLifecycle(identity, rounds, self.faults, inspections, self._emit_after_game)
        self._opens = opens
        self._bias = bias
        self._repeats = repeats
        self._watch = watch
        self._wear = wear
        self._kept = kept
        self._time_of = time_of
        self._undecided = UndecidedWatch()
        self._answered = AnsweredCommands()
        self._answers: list[CommandResult] = []
        self._decoding = Decoding(drivers)
        self.drivers = self._decoding.drivers
        self.actuators = tuple(actuators)
        self._observers = {kind: actuator for actuator in actuators for kind in actuator.observes}
        self._not_of_game = COMMON | {Command} | self._observers.keys()
        """Types of what comes and is not handed to the game as it is."""
        self._verbs = VERBS if verbs is None else verbs
        self._games_of_order = games_of_order
        self._sequencer = EventSequencer(identity, time_of, sequence, ephemeral)
        self._emit = self._sequencer.emit
        self._emit_own = self._sequencer.emit_own
        self._take = self._sequencer.take
        self._warnings = self._sequencer.warnings
        self._warned: set[str] = set()

    @property
    def sequence(self) -> int:
        """The number of the last durable event."""
        return self._sequencer.sequence

    @property
    def ephemeral(self) -> int:
        """The number of the last event that is not durable."""
        return self._sequencer.ephemeral

    @property
    def next_due_ns(self) -> int | None:
        """When the table next wants to know that time has passed."""
        due_ns = min(
            self._decoding.next_due_ns, self.rounds.next_due_ns, *(actuator.next_due_ns for actuator in self.actuators)
        )
        due_ns = min(due_ns, self._undecided.due_ns, self._warnings.due_ns)
        if self._can.deadlines is not None:
            due_ns = min(due_ns, self._can.deadlines.next_due_ns)
        return due_ns if due_ns < NEVER_NS else None

    @property
    def awaits_journal(self) -> bool:
        """Whether something waits until a record is durable; an order of `durable` states that it is."""
        return self._can.journal is not None and self._can.journal.awaits_journal

    @property
    def identities(self) -> Mapping[str, Mapping[str, str]]:
        """What devices have reported of themselves, by their names: who made them, their numbers."""
        return {} if self._can.identifies is None else self._can.identifies.identities

    @property
    def identified(self) -> Sequence[str]:
        """The devices that report who they are, by their names in `identities`."""
        return () if self._can.identifies is None else self._can.identifies.identified

    def recovery(self) -> list[tuple[str, dict[str, str]]]:
        """The orders with which simulated staff bring the table back: verb and keys, without who sends them."""
        return self.rounds.recovery() if self._can.recovers is None else self._can.recovers.recovery()

    @property
    def state(self) -> str:
        """`closed`, `inspecting`, `open`, or `shut` by a fault."""
        return self.lifecycle.state

    def restore(self, state: TableState) -> None:
        """Continues from what the journal holds, before `open`: numbers, the last rounds, faults, how the table
        stood."""
        self._sequencer.sequence = state.last
        self.rounds.report.round = state.round
        if state.game == self.identity.game:
            self.rounds.restore(state)
            if self._can.restores is not None:
                self._can.restores.restore(state)
            if self._repeats is not None:
                self._repeats.restore(state)
        # Of the wheel of this game, whatever was played since.
        history = state.wear_of.get(self.identity.game)
        if self._wear is not None and history is not None:
            self._wear.restore(history)
        if self._kept is not None and history is not None and history.counts is not None:
            self._kept.restore(history.counts)
        self.lifecycle.restore(state)

    def open(self, t_ns: int) -> list[Event]:
        """Begins: the table opens with its first round, or is closed until a person opens it."""
        if self._wear is not None:
            self._wear.forget(self._day(t_ns))
        self._measure_wear()
        begins_anew = self._kept is not None and self._kept.begin(self._day(t_ns))
        self.lifecycle.begin(t_ns, self._opens)
        if begins_anew:
            self._publish_condition(t_ns)
        # From now on silence counts, however late the first batch comes.
        self._decoding.begin(t_ns)
        for actuator in self.actuators:
            actuator.due(t_ns)
        self._collect()
        return self._take()

    def close(self, t_ns: int, reason: str) -> list[Event]:
        """The service ends. A round that has no verdict yet is void; one that has keeps it."""
        history = None if self._wear is None else self._wear.published(at_end=True)
        if history is not None or (self._kept is not None and self._kept.is_new):
            self._publish_condition(t_ns, history)
        for warning in self._warnings.end(t_ns):
            self._emit(warning)
        self.lifecycle.close(t_ns, reason)
        return self._take()

    def feed(self, batch: Batch) -> list[Event]:
        """Takes what the wires did up to `batch.until_ns`; returns the events that follow from it."""
        self._go_through(self._decoding.decode(batch))
        self._pass_time(batch.until_ns)
        return self._take()

    def _go_through(self, seen: Sequence[Observation | Command]) -> None:
        """Takes observations and orders one by one, after time has passed to each. Most are the game's alone."""
        rounds, report, undecided, warnings = self.rounds, self.rounds.report, self._undecided, self._warnings
        handle: Callable[[Any], None] = self.game.handle
        more_deadlines = bool(self.actuators) or self._can.deadlines is not None
        for one in seen:
            t_ns = one.t_ns
            if rounds.next_due_ns < t_ns or undecided.due_ns < t_ns or warnings.due_ns < t_ns or more_deadlines:
                self._pass_time(t_ns - 1)
            if type(one) not in self._not_of_game:
                handle(one)
            elif isinstance(one, Command):
                self._command(one)
            else:
                self._observe(one)
            if report.events:
                self._collect()

    def answers(self) -> list[CommandResult]:
        """What became of the orders since the last call, where they had an id."""
        answers, self._answers = self._answers, []
        return answers

    def outputs(self) -> list[Output]:
        """What is to be done at outputs since the last call, by time. It waits for nothing: what moves must stop."""
        outputs: list[Output] = []
        for actuator in self.actuators:
            if actuator.outputs:
                outputs += actuator.outputs
                actuator.outputs = []
        outputs.sort(key=_moment)
        return outputs

    def shown(self) -> list[Frame]:
        """The secret frames whose content was exposed since the last call."""
        report = self.rounds.report
        shown, report.shown = report.shown, []
        return shown

    def rest(self, t_ns: int) -> list[Output]:
        """What puts to rest all that its outputs may have set going, whatever is known of it."""
        return [output for actuator in self.actuators for output in actuator.rest(t_ns)]

    def heartbeat(self, t_ns: int, last: int, head: str, state: str | None = None) -> Event:
        """The event with how far the journal is; `state` where the service knows better."""
        epoch = self.identity.epoch
        self._emit_own(events.Heartbeat, t_ns, epoch=epoch, last=last, head=head, state=state or str(self.state))
        return self._take()[-1]

    def raise_fault(
        self, device: str, fault: str, detail: str, t_ns: int, *, blocks_play: bool = True, cause: str = ""
    ) -> list[Event]:
        """Latches a fault that the service found. While its `cause` is there it cannot be cleared."""
        if cause:
            self.faults.appears(device, fault, cause)
        self._latch(t_ns, device, fault, detail, blocks_play)
        self._collect()
        return self._take()

    def cause_gone(self, device: str, cause: str) -> None:
        """The cause of a fault is gone. The fault stays latched until a person clears it."""
        self.faults.goes(device, cause)

    def outputs_refused(self, names: Collection[str]) -> None:
        """These outputs, and no others, take no command now."""
        for actuator in self.actuators:
            if isinstance(actuator, HearsRefusals):
                actuator.outputs_refused(names)

    def warn(self, device: str, warning: str, detail: str, t_ns: int) -> list[Event]:
        """Publishes a warning of what the service found."""
        self._emit_after_game(events.DeviceWarning, t_ns, device=device, warning=warning, detail=detail)
        return self._take()

    # --- from observations to events -----------------------------------------------------------------------------

    def _pass_time(self, t_ns: int) -> None:
        """Lets time pass to `t_ns` in game and actuators, deadline by deadline."""
        rounds, deadlines = self.rounds, self._can.deadlines
        while True:
            rounds_ns = rounds.next_due_ns
            due_ns = min(rounds_ns, self._undecided.due_ns, self._warnings.due_ns)
            if deadlines is not None:
                due_ns = min(due_ns, deadlines.next_due_ns)
            for actuator in self.actuators:
                due_ns = min(due_ns, actuator.next_due_ns)
            if due_ns > t_ns:
                return
            if rounds_ns == due_ns:
                rounds.due(due_ns)
            elif deadlines is not None and deadlines.next_due_ns == due_ns:
                deadlines.due(due_ns)
            elif self._warnings.due_ns == due_ns:
                for warning in self._warnings.due(due_ns):
                    self._emit(warning)
            else:
                for actuator in self.actuators:
                    if actuator.next_due_ns == due_ns:
                        self._report(actuator.due(due_ns))
                        break
                else:
                    detail = self._undecided.overdue()
                    self._latch(due_ns, self.game.device, NOTHING_DECIDED, detail, blocks_play=False)
            if rounds.report.events:
                self._collect()

    def _observe(self, seen: Observation) -> None:
        """An actuator takes the observations of its device; the game receives its reports, and all others."""
        actuator = self._observers.get(type(seen))
        if actuator is None:
            self._handle(seen)
        else:
            self._report(actuator.observe(seen))

    def _report(self, reports: Iterable[Observation]) -> None:
        for report in reports:
            self._handle(report)
            if self.rounds.report.events:
                self._collect()

    def _handle(self, seen: Observation) -> None:
        """Takes what means the same in every game: sensors that fail and recover, buttons. The rest is the game's."""
        if type(seen) not in COMMON:
            self.game.handle(seen)
        elif isinstance(seen, WheelMeasured):
            if self._wear is not None:
                if self._wear.measured(seen.values, self._day(seen.t_ns)):
                    self._watch_wear(self._wear, seen.t_ns)
                if (history := self._wear.published()) is not None:
                    self._publish_condition(seen.t_ns, history)
        elif isinstance(seen, UnknownLine):
            detail = f"values arrive from {seen.line}, which no device of the table has"
            self._warn_once(seen.t_ns, "unknown_line", detail)
        elif isinstance(seen, SensorDead | SensorAlive):
            if self._can.sensors is None or not self._can.sensors.ignores(seen):
                self._sensor(seen)
        elif isinstance(seen, ButtonPressed) and seen.button == SUPERVISOR_KEY:
            self.lifecycle.turn_key(seen.t_ns, SUPERVISOR_KEY)
        elif isinstance(seen, ButtonPressed):
            self.rounds.press(seen)

    def _warn_once(self, t_ns: int, warning: str, detail: str) -> None:
        if detail not in self._warned:
            self._warned.add(detail)
            self._emit_own(events.DeviceWarning, t_ns, device="table", warning=warning, detail=detail)

    def _sensor(self, seen: SensorDead | SensorAlive) -> None:
        device = self._decoding.owner_of(seen.line)
        if isinstance(seen, SensorAlive):
            self.faults.goes(device, seen.line)
            return
        self.faults.appears(device, seen.fault, seen.line)
        self._latch(seen.t_ns, device, seen.fault, seen.detail, seen.line not in OPTIONAL_LINES)

    def _collect(self) -> None:
        """Takes what the game reported: events to be numbered, faults to be latched."""
        report = self.rounds.report
        publishes_ns: int | None = None
        while report.events:
            reported, report.events = report.events, []
            for one in reported:
                if isinstance(one, Fault):
                    device = one.device or self.game.device
                    if one.cause:
                        self.faults.appears(device, one.fault, one.cause)
                    self._latch(one.t_ns, device, one.fault, one.detail, one.blocks_play)
                elif isinstance(one, CauseGone):
                    self.faults.goes(one.device or self.game.device, one.cause)
                else:
                    self._emit(one)
                    self._undecided.see(one)
                    if type(one) is not events.RoundProgress:
                        # The most frequent event, which no watch looks at.
                        self._watch_bias(one)
                        self._watch_repeats(one)
                        if self._watch is not None and (watched := self._watch.see(one)):
                            self._warn_of(watched, one)
                        if type(one) in COUNTED and self._kept is not None and self._kept.see(one):
                            publishes_ns = one.mono_ns
        if publishes_ns is not None:
            self._publish_condition(publishes_ns)

    def _watch_bias(self, data: Data) -> None:
        """Dice or a wheel that do not fall as fair ones would: it is reported, and changes nothing."""
        if self._bias is None:
            return
        if isinstance(data, events.RoundCorrected):
            self._bias.corrected(data.round, data.to.result)
        elif isinstance(data, events.Outcome):
            for bias in self._bias.outcome(data.round, data.result):
                warning = f"{bias.device}_bias"
                self._emit_own(
                    events.DeviceWarning,
                    data.mono_ns,
                    device=self.game.device,
                    warning=warning,
                    detail=bias.detail,
                    round=data.round,
                )

    def _watch_repeats(self, data: Data) -> None:
        """A reader that gives one result again and again: it is reported, or shuts the table once bets are settled."""
        run = None if self._repeats is None else self._repeats.see(data)
        if run is None or self._repeats is None:
            return
        if self._repeats.shuts:
            self._latch(data.mono_ns, self.game.device, REPEATED, run.detail, blocks_play=True)
        else:
            self._warn_of([Watched(REPEATED, run.detail)], data)

    def _warn_of(self, watched: Iterable[Watched], data: Data) -> None:
        """What the rounds show of device and dealer beside their results: it is reported, and changes nothing."""
        for warning, detail, device in watched:
            self._emit_own(
                events.DeviceWarning,
                data.mono_ns,
                device=device or self.game.device,
                warning=warning,
                detail=detail,
                round=self.rounds.report.round,
            )

    def _measure_wear(self) -> None:
        """Says to the drivers how many spins the watch over wear needs."""
        to_learn = None if self._wear is None else self._wear.to_learn
        for driver in self.drivers:
            if isinstance(driver, MeasuresWear):
                driver.measure_wear(to_learn)

    def _watch_wear(self, watch: WearWatch, t_ns: int) -> None:
        """What a block of spins shows of the wheel's wear: it is reported, and changes nothing."""
        device, number = self.game.device, self.rounds.report.round
        for detail in watch.judge(self._day(t_ns)):
            warning = {"device": device, "warning": WHEEL_WEAR, "detail": detail, "round": number}
            self._emit_after_game(events.DeviceWarning, t_ns, **warning)
        # Not every spin that is to be measured has values, and a wheel may be learnt again.
        self._measure_wear()

    def _day(self, t_ns: int) -> float:
        """Days since 1970."""
        return datetime.fromisoformat(self._time_of(t_ns)).timestamp() / DAY_S

    def _publish_condition(self, t_ns: int, history: WearHistory | None = None) -> None:
        """What the watches have measured and counted of the device: a restart continues with it."""
        if history is None:
            history = WearHistory() if self._wear is None else self._wear.kept()
        if self._kept is not None:
            history = msgspec.structs.replace(history, counts=self._kept.published())
        self._emit_after_game(events.DeviceCondition, t_ns, device=self.game.device, history=history)

    def _latch(self, t_ns: int, device: str, fault: str, detail: str, blocks_play: bool) -> None:
        if not self.faults.latch(LatchedFault(device, fault, detail, blocks_play)):
            return
        self._emit_own(
            events.DeviceFault,
            t_ns,
            device=device,
            fault=fault,
            detail=detail,
            blocks_play=blocks_play,
            round=self.rounds.report.round or None,
        )
        if self._watch is not None:
            latched = self._sequencer.pending[-1].data
            self._warn_of(self._watch.see(latched), latched)
        if self._can.faults is not None:
            self._can.faults.faults_changed(t_ns, self.faults.standing)
        if blocks_play:
            self.rounds.shut(t_ns, fault, detail)

    # --- what people send ----------------------------------------------------------------------------------------

    def _command(self, command: Command) -> None:
        """Carries an order out, and reports the result: to the feed where it is refused, to its sender always."""
        if command.verb == JOURNALLED and (record := record_of(command)) is not None:
            if self._can.journal is not None:
                self._can.journal.journalled(record, command.t_ns)
            self._collect()
            return
        before = self._answered.before(command) if command.id else None
        if before is not None:
            self._answers.append(before)
            return
        first = len(self._sequencer.pending)
        try:
            happened, accepted = carry_out(command, self.lifecycle, self._verbs, self._games_of_order), True
        except OrderRefused as refused:
            happened, accepted = str(refused), False
        self._collect()
        if not accepted:
            detail = f"{happened} (sent: {text_without_id(command)})"
            self._emit_own(events.DeviceWarning, command.t_ns, device="table", warning="command_refused", detail=detail)
        if command.id:
            ids = tuple(event.id for event in self._sequencer.pending[first:] if event.sequence is not msgspec.UNSET)
            answer = CommandResult(command, accepted, happened, ids)
            self._answered.keep(answer)
            self._answers.append(answer)

    def _emit_after_game(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Emits an event of the table's own, after those of the game."""
        self._collect()
        self._emit_own(kind, t_ns, **fields)
