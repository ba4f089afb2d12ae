"""Runs one table for the page, as the service would, except for its journal and its feed: nothing is kept or published.

On simulated devices it has a clock of its own, whose speed can be changed. On real ones it only reads: it claims no
output, and what the table commands is dropped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from controller.bench_page.actions import Actions
from controller.bench_page.line_display import LineDisplay, LinePart, Measure
from controller.bench_page.notes import Note, NoteTaker
from controller.bench_page.output_test import OutputTest
from controller.bench_page.said import Said
from controller.bench_page.situation import Situation, VerdictWatch, is_machine, situation_of
from controller.bench_page.wiring_shown import NO_USE, LineShown, WiringShown, lines_shown, wiring_shown
from controller.captures.capture_store import CaptureRequest
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of, secret_links
from controller.games.base.spec import spec_of
from controller.live.live_table import NOT_HAD, LiveTable, Onlooker
from controller.live.pending_faults import ServiceFault
from controller.live.wire_watch import WIRES, WIRES_FAILED
from controller.live.wiring import wire
from controller.rules.profile import is_house
from controller.service.event_lines import words_of
from controller.table.orders.order import CommandResult
from controller.table.table import Table
from drivers.base.device_spec import Kind
from drivers.base.driver import Observation
from drivers.base.observed import ObservedDriver
from drivers.base.view import DeviceView, Viewed
from drivers.dealer.view import ButtonsView
from feed import events
from feed.events import Event
from hal.clock import NS_PER_S, Clock, FastClock
from hal.lines import LineError
from hal.loop import sleep_ns
from hal.plain_text import plain

TICK_NS: Final = 10_000_000
UPDATE_NS: Final = 40_000_000
"""25 updates a second (ours): a person sees no more."""
MEASURES_EVERY: Final = 5
"""Updates from one to the next that has the numbers of all lines."""
HISTORY_NS: Final = 60 * NS_PER_S
"""What a browser that connects gets of the lines' past (ours)."""
HISTORY_EDGES: Final = 1500
"""Edges of a line in that past that are given one by one (ours)."""
KEPT_NOTES: Final = 300
KEPT_EVENTS: Final = 120

ENCODER: Final = msgspec.json.Encoder()


class EventShown(msgspec.Struct, frozen=True):
    """One event in words."""

    t_ns: int
    kind: str
    round: int | None
    words: str


class Answer(msgspec.Struct, frozen=True):
    """What became of an order."""

    done: bool
    words: str


class SimulatedFaultShown(msgspec.Struct, frozen=True):
    """A fault that can be injected."""

    name: str
    physical: bool
    explanation: str
    expected: str


class Play(msgspec.Struct, frozen=True):
    """How the simulated devices are played."""

    held: bool
    by_hand: bool
    supervised: bool
    armed: str | None
    fault: str | None
    """Of the round that is played, shown once it is over; None for none."""
    playing: bool


class BenchSession(msgspec.Struct, frozen=True):
    """What does not change while the bench runs."""

    table: str
    game: str
    backend: str
    rules: str
    house_rules: bool
    """Whether the rules are the house's own: the page shows HOUSE RULES."""
    simulated: bool
    """Whether the devices can be played and spoilt from the page."""
    emulated: bool
    """Whether they are simulated behind emulated boards: they play by themselves."""
    lines: list[LineShown]
    wiring: list[WiringShown]
    devices: list[tuple[str, str]]
    """Names and kinds."""
    faults: list[SimulatedFaultShown]
    buttons: list[str]
    orders: list[str]
    lamps: list[str]
    """Real lamps that can be tested while the table is closed."""
    can_wait: bool
    machine: bool
    """Whether it is a machine: an attendant is at it, and no dealer."""


class DeviceShown(msgspec.Struct, frozen=True):
    """A device at one time."""

    device: str
    half: str
    """`driver`, or `actuator` for what is commanded."""
    view: DeviceView


class Update(msgspec.Struct, frozen=True, tag_field="message", tag="update", omit_defaults=True):
    """What happened since the update before. Times are nanoseconds since the origin."""

    number: int
    from_ns: int
    until_ns: int
    speed: float
    lines: dict[str, LinePart]
    views: list[DeviceShown]
    notes: list[Note] = []
    more_notes: int = 0
    events: list[EventShown] = []
    answers: list[Answer] = []
    measures: dict[str, Measure] | None = None
    situation: Situation | None = None
    play: Play | None = None


class Hello(msgspec.Struct, frozen=True, tag_field="message", tag="hello"):
    """What a browser gets first."""

    token: str
    """What actions need; only a page of this origin can read it."""
    session: BenchSession
    update: Update
    """The past, and everything as it is now."""


class BenchHost:
    """One table, its display and its actions."""

    def __init__(self, config: TableConfig, clock: Clock, *, seed: int) -> None:
        """`clock` is a `FastClock` for simulated devices, and the computer's for real ones.

        Raises:
            LineError: this computer cannot have such lines or links.
        """
        self.config = config
        self.clock = clock
        self._origin_ns = clock.now_ns()
        self._wiring = wire(config, clock, {}, seed)
        self._wiring.read_only = not config.backend.simulated
        sealed = secret_links(config)
        self._notes = NoteTaker(secret_devices(config).__contains__, self._origin_ns)
        self.live = LiveTable(
            config,
            self._wiring,
            clock,
            epoch="bench",
            onlooker=Onlooker(self._take_lines, self._observe),
            opens=True,
        )
        there = {line for source in self._wiring.sources for line in source.lines}
        kinds: dict[str, Kind] = {
            line: use.kind
            for line, use in config.uses.items()
            if line in there or use.kind == "output" or config.wired(line)
        }
        kinds |= {line: "input" for line in there if line not in kinds}
        self._kinds = kinds
        self._sealed = sealed
        self.display = LineDisplay(kinds, sealed, origin_ns=self._origin_ns)
        self._verdicts = VerdictWatch(config.game, self._origin_ns)
        self._wiring.shown = self.display.output
        self.output_test = OutputTest(config, clock)
        self.actions = Actions(self.live, self._wiring.simulated, clock, self.output_test)
        self._events: list[EventShown] = []
        self._answers: list[Answer] = []
        self._kept_events: deque[EventShown] = deque(maxlen=KEPT_EVENTS)
        self._kept_notes: deque[Note] = deque(maxlen=KEPT_NOTES)
        self._number = 0
        self._until_ns = 0
        self._situation: Situation | None = None
        self._play: Play | None = None
        self.session = self._session_of(kinds)

    # --- life ----------------------------------------------------------------------------------------------------

    def open(self) -> LineError | None:
        """Opens wires and table. Returns why the wires cannot be opened: they are tried again, and shown."""
        standing: list[ServiceFault] = []
        failed: LineError | None = None
        try:
            self.live.open_wires()
        except LineError as error:
            failed = error
            standing.append(ServiceFault(WIRES, WIRES_FAILED, f"{error}; {self.live.remedy}", NOT_HAD))
        self._take_events(self.live.open(standing))
        return failed

    def close(self) -> None:
        """Ends the table, and lets every wire go."""
        self.output_test.stop()
        self.live.close("the bench ends")

    async def run(self, updated: Callable[[bytes], None]) -> None:
        """Runs the table until it is cancelled; `updated` gets each update, encoded."""
        wanted = UPDATE_NS // TICK_NS
        since = 0
        while True:
            self.tick()
            since += 1
            if since >= wanted:
                since = 0
                updated(ENCODER.encode(self.update()))
            await sleep_ns(TICK_NS)

    def tick(self) -> None:
        """Processes what the lines did since the last tick."""
        clock = self.clock
        if isinstance(clock, FastClock) and clock.speed == 0:
            return
        result = self.live.tick()
        self._take_events(result.events)
        for answer in result.results:
            self._take_answer(answer)
        if self.actions.supervised:
            self.live.supervise()
        self.output_test.due(clock.now_ns())

    # --- what the page is sent -----------------------------------------------------------------------------------

    def update(self) -> Update:
        """What happened since the update before."""
        self._number += 1
        now_ns = max(self.live.memory.until_ns, self._origin_ns)
        from_ns, self._until_ns = self._until_ns, now_ns - self._origin_ns
        notes, more = self._notes.update()
        self._kept_notes.extend(notes)
        published, self._events = self._events, []
        self._kept_events.extend(published)
        answers, self._answers = self._answers, []
        situation = situation_of(self.live.table, self._verdicts.last, now_ns)
        play = self._play_of()
        changed = situation if situation != self._situation else None
        played = play if play != self._play else None
        self._situation, self._play = situation, play
        measures = self.display.measures(now_ns) if self._number % MEASURES_EVERY == 0 else None
        return Update(
            number=self._number,
            from_ns=from_ns,
            until_ns=self._until_ns,
            speed=self.clock.speed if isinstance(self.clock, FastClock) else 1.0,
            lines=self.display.update(),
            views=views_of(self.live.table, now_ns),
            notes=notes,
            more_notes=more,
            events=published,
            answers=answers,
            measures=measures,
            situation=changed,
            play=played,
        )

    def hello(self, token: str = "") -> bytes:
        """The first message for a browser that connects, encoded: the past, and everything as it is now."""
        now_ns = max(self.live.memory.until_ns, self._origin_ns)
        until_ns = self._until_ns + self._origin_ns
        from_ns = max(until_ns - HISTORY_NS, self._origin_ns)
        past = LineDisplay(
            self._kinds, self._sealed, origin_ns=self._origin_ns, most_edges=HISTORY_EDGES, bins=400, most_frames=60
        )
        cut = self.live.memory.cut(from_ns, until_ns)
        if cut is not None:
            from_ns = max(cut.start_ns, from_ns)
            past.take(cut.batch)
        lines = past.update()
        if cut is not None:
            for line, level in cut.levels.items():
                part = lines.setdefault(line, LinePart())
                if not part.edges or part.edges[0][0] > from_ns - self._origin_ns:
                    part.edges.insert(0, (from_ns - self._origin_ns, level))
        update = Update(
            number=self._number,
            from_ns=from_ns - self._origin_ns,
            until_ns=self._until_ns,
            speed=self.clock.speed if isinstance(self.clock, FastClock) else 1.0,
            lines=lines,
            views=views_of(self.live.table, now_ns),
            notes=list(self._kept_notes),
            events=list(self._kept_events),
            measures=self.display.measures(now_ns),
            situation=situation_of(self.live.table, self._verdicts.last, now_ns),
            play=self._play_of(),
        )
        return ENCODER.encode(Hello(token, self.session, update))

    def wanted(self) -> CaptureRequest | None:
        """The last minutes of the lines, to be rendered as a capture, in a thread too; None before anything came."""
        memory = self.live.memory
        cut = memory.cut(memory.held_ns, memory.until_ns)
        if cut is None or cut.batch.until_ns <= cut.start_ns:
            return None
        name = f"{self.config.id}-{self._until_ns // 1_000_000}ms"
        return CaptureRequest(self.config.id, name, cut, memory.capture_lines(name), cut.complete)

    def act(self, asked: Mapping[str, Any]) -> Said:
        """Carries out what a person asks for on the page.

        Raises:
            ActionError: it is not carried out, and why.
        """
        return self.actions.carry_out(asked)

    # --- taking --------------------------------------------------------------------------------------------------

    def _take_lines(self, batch: Any) -> None:
        self.display.take(batch)

    def _observe(self, device: str, found: Sequence[Observation]) -> None:
        self._notes.take(device, found)

    def _take_events(self, published: Sequence[Event]) -> None:
        self._verdicts.take(published)
        shown = [event_shown(event, self._origin_ns) for event in published if not isinstance(event.data, _UNSHOWN)]
        self._events += shown
        if published and not self._wiring.read_only:
            self.live.show(published)

    def _take_answer(self, answer: CommandResult) -> None:
        self._answers.append(Answer(answer.accepted, plain(answer.reason)))

    def _play_of(self) -> Play | None:
        source = self._wiring.simulated
        if source is None:
            return None
        playing = source.truth is not None
        return Play(
            held=source.held,
            by_hand=source.by_hand,
            supervised=self.actions.supervised,
            armed=source.armed,
            fault=source.fault,
            playing=playing,
        )

    def _session_of(self, kinds: Mapping[str, Kind]) -> BenchSession:
        config, source = self.config, self._wiring.simulated
        shown = [line for line in lines_shown(config) if line.name in kinds]
        known = {line.name for line in shown}
        extra = [
            LineShown(
                name,
                kind,
                "table",
                "a line of the simulated table",
                "",
                Said("place.none"),
                proposed=False,
                sealed=False,
            )
            for name, kind in kinds.items()
            if name not in known
        ]
        faults: list[SimulatedFaultShown] = []
        if source is not None:
            from simulators.base.faults import faults_for

            faults = [
                SimulatedFaultShown(one.name, one.physical, one.explanation, one.expected)
                for one in faults_for(geometry_of(config))
                if one.name != "none"
            ]
        buttons = [] if source is None else [line for line in shown_buttons() if line in source.lines]
        return BenchSession(
            table=config.id,
            game=config.game,
            backend=config.lines.backend,
            rules=config.rules,
            house_rules=is_house(config.rules),
            simulated=source is not None,
            emulated=source is None and config.simulated,
            lines=[*shown, *extra],
            wiring=wiring_shown(config),
            devices=[(device.name, device.driver) for device in config.devices.values()],
            faults=faults,
            buttons=buttons,
            orders=spec_of(config).order_names,
            lamps=list(self.output_test.lamps),
            can_wait=source is not None and source.can_wait,
            machine=spec_of(config).machine,
        )


_UNSHOWN: Final = (events.Heartbeat,)


def shown_buttons() -> tuple[str, ...]:
    """The buttons of a table, in the order in which the page has them."""
    from drivers.dealer.buttons import BUTTONS

    return tuple(BUTTONS)


def secret_devices(config: TableConfig) -> frozenset[str]:
    """The devices whose observations may name what is not exposed yet: those that have a secret link."""
    devices = config.devices.values()
    return frozenset(device.name for device in devices if device.spec.secrets(device.config))


def event_shown(event: Event, origin_ns: int) -> EventShown:
    """An event in words."""
    data = event.data
    return EventShown(data.mono_ns - origin_ns, type(data).kind, getattr(data, "round", None), words_of(event))


def views_of(table: Table, t_ns: int) -> list[DeviceShown]:
    """What every driver and actuator of a table makes of its device, those that give a view."""
    found: list[DeviceShown] = []
    machine = is_machine(table)
    for driver in table.drivers:
        inner = driver.driver if isinstance(driver, ObservedDriver) else driver
        if isinstance(inner, Viewed):
            view = inner.view(t_ns)
            if machine and isinstance(view, ButtonsView):
                view = msgspec.structs.replace(view, buttons=tuple(b for b in view.buttons if b not in NO_USE))
            found.append(DeviceShown(inner.name, "driver", view))
    for actuator in table.actuators:
        if isinstance(actuator, Viewed):
            found.append(DeviceShown(actuator.name, "actuator", actuator.view(t_ns)))
    return found
