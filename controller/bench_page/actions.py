"""What a person may do on the page, and why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from controller.bench_page.output_test import OutputTest, OutputTestError
from controller.bench_page.said import Said
from controller.games.assembly import secret_links
from controller.games.base.spec import spec_of
from controller.live.live_table import LiveTable
from controller.table.commands import CommandError
from drivers.dealer.buttons import BUTTONS
from hal.clock import Clock, FastClock

if TYPE_CHECKING:
    from simulators.base.source import SimulatedSource

BENCH: Final = "bench"
"""The person in whose name the page orders."""
MOST_SPEED: Final = 50.0
"""Times real time (ours): beyond it nobody can follow, and a Pi has enough to do."""
LIVE_ORDERS: Final = frozenset({"open", "close", "clear"})
"""What may be ordered where the devices are real: the bench's own table moves nothing."""


class ActionError(Exception):
    """An action that is not carried out; the message says why, and what to do."""


class Actions:
    """The actions of one page."""

    def __init__(self, live: LiveTable, simulated: SimulatedSource | None, clock: Clock, test: OutputTest) -> None:
        self._live = live
        self._simulated = simulated
        self._clock = clock
        self._test = test
        self._machine = spec_of(live.config).machine
        self.supervised = False
        """Whether the simulated supervisor clears faults whose causes are gone, and calls what waits."""
        self._acts: dict[str, Callable[[Mapping[str, Any]], Said]] = {
            "order": self._order,
            "arm": self._arm,
            "speed": self._speed,
            "hold": self._hold,
            "play": self._play,
            "by_hand": self._by_hand,
            "press": self._press,
            "supervised": self._supervise,
            "truth": self._truth,
            "test": self._light,
        }

    def carry_out(self, asked: Mapping[str, Any]) -> Said:
        """Carries an action out; returns what was done.

        Raises:
            ActionError: it is none, or cannot be carried out now.
        """
        name = asked.get("action")
        act = self._acts.get(name) if isinstance(name, str) else None
        if act is None:
            raise ActionError(f"there is no such action; there are {', '.join(self._acts)}")
        return act(asked)

    # --- on any table ---

    def _order(self, asked: Mapping[str, Any]) -> Said:
        verb = _text(asked, "verb")
        known = spec_of(self._live.config).order_names
        if verb not in known:
            raise ActionError(f"{verb}: this table takes {', '.join(known)}")
        if self._simulated is None and verb not in LIVE_ORDERS:
            allowed = ", ".join(sorted(LIVE_ORDERS))
            raise ActionError(f"{verb}: the devices are real and the bench only reads them; it takes {allowed}")
        given = asked.get("given", {})
        if not isinstance(given, dict) or not all(isinstance(k, str) and isinstance(v, str) for k, v in given.items()):
            raise ActionError("given: an order has keys and values, both of them text")
        if verb in ("clear", "open", "close", "confirm", "correct") or verb.startswith("inspect"):
            given = {**given, "by": BENCH}
        try:
            refused = self._live.command(verb, given, f"bench-{self._clock.now_ns()}")
        except CommandError as error:
            raise ActionError(str(error)) from error
        if refused is not None:
            raise ActionError(refused)
        return Said("done.ordered", {"verb": verb})

    # --- on simulated devices alone ---

    def _arm(self, asked: Mapping[str, Any]) -> Said:
        from simulators.base.faults import FaultError

        source = self._source()
        fault = asked.get("fault")
        if fault is not None and not isinstance(fault, str):
            raise ActionError("fault: the name of one, or null for none")
        try:
            source.arm(fault)
        except FaultError as error:
            raise ActionError(str(error)) from error
        return Said("done.no_fault") if fault is None else Said("done.fault", {"fault": fault})

    def _speed(self, asked: Mapping[str, Any]) -> Said:
        self._source()
        speed = asked.get("speed")
        if isinstance(speed, bool) or not isinstance(speed, int | float) or not 0 <= speed <= MOST_SPEED:
            raise ActionError(f"speed: a number from 0, at which time stops, to {MOST_SPEED:g}")
        if not isinstance(self._clock, FastClock):
            raise ActionError("speed: only simulated time can be changed")
        self._clock.set_speed(float(speed))
        return Said("done.speed", {"n": f"{speed:g}"}) if speed else Said("done.time_stops")

    def _hold(self, asked: Mapping[str, Any]) -> Said:
        source = self._source()
        if not source.can_wait:
            raise ActionError("this simulated table plays by itself: its rounds cannot wait")
        source.held = _flag(asked)
        return Said("done.held" if source.held else "done.not_held")

    def _play(self, asked: Mapping[str, Any]) -> Said:
        source = self._source()
        if not source.held:
            raise ActionError("rounds follow by themselves; hold them first, to play each by hand")
        source.play()
        return Said("done.played")

    def _by_hand(self, asked: Mapping[str, Any]) -> Said:
        source = self._source()
        source.by_hand = _flag(asked)
        person = "attendant" if self._machine else "dealer"
        return Said(f"done.{person}.you" if source.by_hand else f"done.{person}.simulated")

    def _press(self, asked: Mapping[str, Any]) -> Said:
        source = self._source()
        button = _text(asked, "button")
        if button not in BUTTONS or button not in source.lines:
            there = ", ".join(line for line in BUTTONS if line in source.lines) or "none"
            raise ActionError(f"{button}: this table has no such button; it has {there}")
        source.press(button, self._clock.now_ns())
        return Said("done.pressed", {"button": button})

    def _supervise(self, asked: Mapping[str, Any]) -> Said:
        self._source()
        self.supervised = _flag(asked)
        return Said("done.supervised" if self.supervised else "done.not_supervised")

    def _truth(self, asked: Mapping[str, Any]) -> Said:
        truth = self._source().truth
        if secret_links(self._live.config):
            raise ActionError("the truth of a table with cards names cards that are not exposed: it is sealed")
        return Said("done.nothing_played") if truth is None else Said("done.truth", {"truth": truth.detail})

    def _source(self) -> SimulatedSource:
        if self._simulated is None:
            raise ActionError("the devices of this table are real: the bench only reads them")
        return self._simulated

    # --- on real devices alone ---

    def _light(self, asked: Mapping[str, Any]) -> Said:
        line = _text(asked, "line")
        if self._live.state != "closed":
            raise ActionError(f"{line}: lamps are tested with the table closed; close it first")
        try:
            self._test.light(line)
        except OutputTestError as error:
            raise ActionError(str(error)) from error
        return Said("done.lit", {"line": line})


def _text(asked: Mapping[str, Any], key: str) -> str:
    value = asked.get(key)
    if not isinstance(value, str):
        raise ActionError(f"{key}: expected a text")
    return value[:200]


def _flag(asked: Mapping[str, Any]) -> bool:
    value = asked.get("on")
    if not isinstance(value, bool):
        raise ActionError("on: expected true or false")
    return value
