"""Spins and stops the reels of a skill-stop machine, and supervises each of them.

    spin ────► turns, home came, armed ──button──► stopped at a symbol: ReelStands, by the player
                       └──stop_at─────────────────► stopped at that stop: ReelStands, by the house
    place ───► turns, home came ──at its next coming──► stopped at that stop: ReelStands, by the house
    any of them ──► slipped, blocked, without home, halted, refused, silent: ReelFailed, with the reel's number

Nothing stops a reel before its home has come once in this turning: what moved it while it was at rest shows then,
before it can count. A reel that slipped is one whose home came more than half a symbol from its place (OAC
325:85-15-47(11)). Where it is, is known only while nothing was reported that contradicts it: a reel that failed is
placed again before it counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from drivers.base.board_counter import BoardCounter
from drivers.base.driver import NEVER_NS, Observation
from drivers.base.sensor_tests import SensorsFound, SensorTestAnswered, SensorTests, tested
from drivers.base.spun_reels import Aim, ReelFailed, ReelHalted, ReelStands
from drivers.reels.reels import (
    HomeCame,
    HomeHolds,
    ReelRefused,
    ReelsConfig,
    ReelsCounted,
    ReelSeen,
    ReelsReachable,
    ReelsUnreachable,
    StopPressed,
    refused_words,
)
from drivers.reels.reels_wire import UNKNOWN_STEP, links_of, place_of, reel_at
from drivers.reels.view import ReelsView
from hal.board.carried import carried
from hal.board.message import BoardCommand
from hal.board.messages import (
    AcceptCommand,
    AcceptorCommand,
    AllSafeCommand,
    ArmCommand,
    CountsCommand,
    ReelCommand,
    RefusalCode,
    SetCommand,
    SpinCommand,
    StopCommand,
    TestCommand,
)
from hal.values import Output, SendFrame

DISARMED_NS: Final = 250_000_000
"""After its button was disarmed, a report this much later shows whether a press was in time (ours)."""
PLACED_S: Final = 12.0
"""A reel that is stopped by the house stops within this long: two slow turns and the ramp (ours)."""
UP_NS: Final = 15_000_000_000
"""A board that is not up yet must be by then: it is opened and proven in some seconds (ours)."""
SETTLED_NS: Final = 300_000_000
"""This long after a reel is stopped, its home sensor may still change at the edge of the tab (ours)."""
TRY_AGAIN_NS: Final = 500_000_000
"""From a refused command to the acceptor to the next try (ours)."""
SPIN_MS: Final = 30_000
"""The board stops a reel by itself after this long (docs/boards-wiring.md)."""


@dataclass
class _Reel:
    """What is known of one reel."""

    stop: int | None = None
    """Where it is; None while it turns, or is not known."""
    stood_step: int | None = None
    """The step at which its board reported it then."""
    stood_ns: int = 0
    """When it was reported as standing there."""
    aim: Aim | None = None
    """Who is to stop it; None while it is commanded nothing."""
    target: int | None = None
    """The stop where the house stops it."""
    seen: ReelSeen | None = None
    """The last report."""
    sent: bool = True
    """Whether the command was sent: it waits until the board is up, and the reel is stopped."""
    proven: bool = False
    """Whether its board's count can be held against its home: not before it has been at a stop."""
    armed: bool = False
    turned: bool = False
    """Whether a report showed it turning since the command."""
    homes: int = 0
    """Times its home came since the command."""
    pressed_ns: int | None = None
    """The last press of its button that can have stopped it."""
    button_ns: int | None = None
    """When its board reported that the button stops it: a press after that did not."""
    disarmed_ns: int | None = None
    """When the house took it from the player."""
    answer_ns: int = NEVER_NS
    """When it must have been reported as turning."""
    stand_ns: int = NEVER_NS
    """When it must be at rest."""
    held: bool = False
    """Whether its board wants its fault acknowledged before it turns again."""


class ReelsActuator:
    """The commands of the reels; see `drivers.base.actuator.Actuator`."""

    observes: frozenset[type[Observation]] = frozenset(
        {
            ReelSeen,
            ReelRefused,
            ReelsReachable,
            ReelsUnreachable,
            ReelsCounted,
            StopPressed,
            HomeCame,
            HomeHolds,
            SensorsFound,
            SensorTestAnswered,
        }
    )

    def __init__(self, config: ReelsConfig, name: str = "reels") -> None:
        self.name = name
        self.outputs: list[Output] = []
        self._config = config
        self._symbols = 20
        self._steps_per_s = 200
        self._reels = {reel: _Reel() for reel in range(1, config.reels + 1)}
        self._up: set[str] = set()
        """The links whose board can be commanded."""
        self._silent: set[str] = set()
        """The links whose board must be sent `all_safe` before it turns anything."""
        links = links_of(config.reels)
        self._tests = {link: SensorTests(partial(self._command, link)) for link in links}
        self._acceptor_link = links[0]
        self.acceptor = BoardCounter(partial(self._command, links[0]), config.pulse_ms) if config.acceptor else None
        """The acceptor on the first board; None where tokens come in elsewhere."""
        self._counts = False
        """Whether its counter is known in this session."""
        self._again_ns = NEVER_NS
        """When the refused command is sent to the acceptor again."""

    # --- what it is ----------------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int:
        """When a report is overdue, or the acceptor's command is sent again."""
        accept_ns = NEVER_NS if self.acceptor is None else min(self.acceptor.due_ns, self._again_ns)
        tests_ns = min(tests.due_ns for tests in self._tests.values())
        return min(accept_ns, tests_ns, min(min(reel.answer_ns, reel.stand_ns) for reel in self._reels.values()))

    def stop_of(self, reel: int) -> int | None:
        """Where a reel is stopped; None while it turns, or is not known."""
        return self._reels[reel].stop

    def aim_of(self, reel: int) -> Aim | None:
        """Who is to stop a reel that turns."""
        return self._reels[reel].aim

    def view(self, t_ns: int) -> ReelsView:
        """What the reels are commanded."""
        words = {"player": "turns until its button is pressed", "house": "turns to a stop", "halt": "is being stopped"}
        turning = tuple(number for number, reel in self._reels.items() if reel.aim)
        facts = tuple(
            (f"reel {number}", words[reel.aim] if reel.aim else "-" if reel.stop is None else f"stop {reel.stop}")
            for number, reel in self._reels.items()
        )
        steps = tuple(reel.seen.step if reel.seen else None for reel in self._reels.values())
        return ReelsView(facts=facts, a_turn=self._config.steps, turning=turning, steps=steps)

    def set_up(self, symbols: int, steps_per_s: int) -> None:
        """The machine's model: this many symbols on each reel, turned at this speed."""
        self._symbols, self._steps_per_s = symbols, steps_per_s

    def step_of(self, stop: int) -> int:
        return stop * self._config.steps // self._symbols

    # --- commands ------------------------------------------------------------------------------------------------

    def spin(self, number: int, t_ns: int) -> None:
        """Spins a reel until its button is pressed."""
        self._begin(number, "player", None, t_ns)

    def place(self, number: int, stop: int, t_ns: int) -> None:
        """Turns a reel to a stop."""
        self._begin(number, "house", stop, t_ns)

    def stop_at(self, number: int, stop: int, t_ns: int) -> None:
        """The player's time is over: a reel that still turns free is stopped there by the house."""
        reel = self._reels[number]
        if reel.aim != "player":
            return
        reel.aim, reel.target, reel.disarmed_ns = "house", stop, t_ns
        reel.stand_ns = t_ns + round(PLACED_S * 1e9)
        self._send(number, ArmCommand(place_of(number)[1], 0), t_ns)

    def test_sensors(self, t_ns: int) -> None:
        """Has the boards test their sensors: `SensorsTested` follows, once each of them is up and has done so."""
        for link, tests in self._tests.items():
            if link in self._up:
                tests.ask(t_ns)

    def halt(self, number: int, t_ns: int) -> None:
        """Stops a reel as soon as it can, wherever that is."""
        reel = self._reels[number]
        if reel.aim is None or reel.aim == "halt":
            return
        if not reel.sent:
            self._forget(reel)
            return
        reel.aim, reel.target, reel.answer_ns = "halt", None, NEVER_NS
        reel.stand_ns = t_ns + round(PLACED_S * 1e9)
        self._send(number, ArmCommand(place_of(number)[1], 0), t_ns)
        self._send(number, StopCommand(place_of(number)[1], UNKNOWN_STEP), t_ns)

    def rest(self, t_ns: int) -> list[Output]:
        """Every board makes its outputs safe: the reels are stopped."""
        links = links_of(len(self._reels))
        return [SendFrame(link, carried(AllSafeCommand()), t_ns) for link in links]

    def _begin(self, number: int, aim: Aim, target: int | None, t_ns: int) -> None:
        reel = self._reels[number]
        reel.stop, reel.aim, reel.target = None, aim, target
        reel.turned, reel.armed, reel.homes = False, False, 0
        reel.pressed_ns = reel.button_ns = reel.disarmed_ns = None
        reel.stand_ns, reel.sent = NEVER_NS, False
        if place_of(number)[0] not in self._up:
            reel.answer_ns = t_ns + UP_NS
        elif reel.seen is not None and reel.seen.moving:
            reel.answer_ns = t_ns + round(PLACED_S * 1e9)  # it brakes still
        elif self._tests[place_of(number)[0]].at_rest:
            # What its home sensor shows in the test must not count as a turn.
            reel.answer_ns = t_ns + round(PLACED_S * 1e9)
        else:
            self._turn(number, reel, t_ns)

    def _turn(self, number: int, reel: _Reel, t_ns: int) -> None:
        """Sends what has a reel turn."""
        config = self._config
        link, local = place_of(number)
        if link in self._silent:
            self._make_safe(link, t_ns)
        if reel.held:
            reel.held = False
            self._send(number, SetCommand(local, 0, 0), t_ns)
        setting = ReelCommand(
            local,
            self._symbols,
            config.spin_ms,
            min(config.slip, self._symbols),
            config.steps,
            config.home_least,
            config.home_most,
            int(number in config.turned_round),
            int(config.held),
        )
        self._send(number, setting, t_ns)
        self._send(number, SpinCommand(local, self._steps_per_s, SPIN_MS), t_ns)
        if reel.aim != "player":
            reel.stand_ns = t_ns + round(PLACED_S * 1e9)
        reel.answer_ns = t_ns + config.answer_ms * 1_000_000
        reel.sent = True

    def _turn_waiting(self, link: str, t_ns: int) -> None:
        """A test of a board is over: the reels that waited for it turn."""
        for number in self._numbers_of(link):
            reel = self._reels[number]
            if not reel.sent and not (reel.seen is not None and reel.seen.moving):
                self._turn(number, reel, t_ns)

    def _numbers_of(self, link: str) -> list[int]:
        return [number for number in self._reels if place_of(number)[0] == link]

    def _send(self, number: int, command: BoardCommand, t_ns: int) -> None:
        self.outputs.append(SendFrame(place_of(number)[0], carried(command), t_ns))

    def _make_safe(self, link: str, t_ns: int) -> None:
        """A board that fell silent does nothing before it is sent `all_safe`; what was on there is off then."""
        self._silent.discard(link)
        self.outputs.append(SendFrame(link, carried(AllSafeCommand()), t_ns))
        if self.acceptor is not None and link == self._acceptor_link:
            self.acceptor.command_again(t_ns)

    # --- the acceptor --------------------------------------------------------------------------------------------

    def _command(self, link: str, command: BoardCommand, t_ns: int) -> None:
        if link in self._up:
            self.outputs.append(SendFrame(link, carried(command), t_ns))

    def _counted(self, acceptor: BoardCounter, seen: ReelsCounted) -> list[Observation]:
        found = acceptor.counted(seen.t_ns, seen.tokens_in)
        if not self._counts:
            self._counts = True
            acceptor.command_again(seen.t_ns)
        return found

    def _tell_acceptor(self, acceptor: BoardCounter, t_ns: int) -> None:
        """Sends it again; where its board fell silent, once no reel there is commanded anything."""
        self._again_ns = NEVER_NS
        link = self._acceptor_link
        if not self._counts:
            acceptor.begin(t_ns)
        elif link not in self._silent:
            acceptor.command_again(t_ns)
        elif all(reel.aim is None for number, reel in self._reels.items() if place_of(number)[0] == link):
            self._make_safe(link, t_ns)
        else:
            self._again_ns = t_ns + TRY_AGAIN_NS

    # --- observations and time -----------------------------------------------------------------------------------

    def observe(self, seen: Observation) -> list[Observation]:
        """Takes what the boards and the sensors report."""
        found: list[Observation] = []
        if isinstance(seen, ReelSeen):
            self._see(self._reels[seen.reel], seen, found)
        elif isinstance(seen, ReelRefused):
            self._refused(seen, found)
        elif isinstance(seen, ReelsReachable):
            self._up.add(seen.link)
            self._tests[seen.link].begin(seen.t_ns)
            if self.acceptor is not None and seen.link == self._acceptor_link:
                self._counts, self._again_ns = False, NEVER_NS
                self.acceptor.begin(seen.t_ns)
            for number, reel in self._reels.items():
                if place_of(number)[0] == seen.link and not reel.sent:
                    reel.seen = None
                    self._turn(number, reel, seen.t_ns)
        elif isinstance(seen, ReelsUnreachable):
            self._up.discard(seen.link)
            self._tests[seen.link].end()
            if self.acceptor is not None and seen.link == self._acceptor_link:
                self._counts, self._again_ns = False, NEVER_NS
                self.acceptor.end()
            for number in self._reels:
                if place_of(number)[0] == seen.link:
                    self._lost(number, seen, found)
        elif isinstance(seen, ReelsCounted) and self.acceptor is not None:
            found += self._counted(self.acceptor, seen)
        elif isinstance(seen, StopPressed):
            reel = self._reels[seen.reel]
            may = reel.button_ns is None or seen.pressed_ns <= reel.button_ns
            if reel.aim is not None and reel.armed and may:
                reel.pressed_ns = seen.pressed_ns
        elif isinstance(seen, HomeCame):
            self._reels[seen.reel].homes += 1
        elif isinstance(seen, HomeHolds):
            self._moved(seen, found)
        elif isinstance(seen, SensorTestAnswered):
            self._tests[seen.link].answered(seen.t_ns)
        elif isinstance(seen, SensorsFound):
            self._tests[seen.link].found(seen.shorted, seen.dark)
            found.append(tested(seen.t_ns, [*self._tests.values()]))
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Meets the deadlines up to `t_ns`."""
        found: list[Observation] = []
        if self.acceptor is not None and min(self.acceptor.due_ns, self._again_ns) <= t_ns:
            self._tell_acceptor(self.acceptor, t_ns)
        for link, tests in self._tests.items():
            if tests.due(t_ns, stands=all(self._reels[number].aim is None for number in self._numbers_of(link))):
                self._turn_waiting(link, t_ns)
                found.append(tested(t_ns, [*self._tests.values()]))
        for number, reel in self._reels.items():
            if reel.answer_ns <= t_ns:
                what = "did not report that it turns in time" if reel.sent else "is not up, or it did not come to rest"
                detail = f"its board {what}"
                self._fail(number, "reel_not_answering", detail, reel.answer_ns, found)
            elif reel.stand_ns <= t_ns:
                detail = f"it was to stop within {PLACED_S:g} s, and no report showed that it did"
                self._fail(number, "reel_not_answering", detail, reel.stand_ns, found)
        return found

    def _see(self, reel: _Reel, seen: ReelSeen, found: list[Observation]) -> None:
        before, reel.seen = reel.seen, seen
        number, t_ns = seen.reel, seen.t_ns
        if seen.why:
            reel.held = True
        if seen.by_button and reel.armed and reel.button_ns is None:
            reel.button_ns = t_ns
        slipped = before is not None and before.slips != seen.slips and seen.why == 0
        if reel.aim is None:
            # Its board restarted, or it is at rest: a reel that nobody commands does not turn.
            if reel.stop is not None and (seen.moving or slipped or seen.step != reel.stood_step):
                self._fail(number, "reel_moved", "it was reported elsewhere than where it stopped", t_ns, found)
            return
        if not reel.sent:
            if not seen.moving:
                self._turn(number, reel, t_ns)
        elif slipped and (reel.proven or reel.homes > 1):
            self._slipped(number, reel, seen, found)
        elif seen.moving:
            reel.turned, reel.answer_ns = True, NEVER_NS
            self._steer(number, reel, seen)
        elif reel.turned or seen.why:
            self._stands(number, reel, seen, slipped, found)

    def _steer(self, number: int, reel: _Reel, seen: ReelSeen) -> None:
        """Arms its button once; or stops it, again at each report: a reel that waits to begin forgets it."""
        if reel.aim == "halt":
            self._send(number, StopCommand(place_of(number)[1], UNKNOWN_STEP), seen.t_ns)
            return
        if reel.homes == 0 or seen.step is None:
            return
        if reel.aim == "player" and not reel.armed:
            reel.armed = True
            self._send(number, ArmCommand(place_of(number)[1], 1), seen.t_ns)
        if reel.aim != "house" or reel.target is None:
            return
        if reel.disarmed_ns is not None and (seen.by_button or seen.t_ns < reel.disarmed_ns + DISARMED_NS):
            return  # it may be the player yet who has stopped it
        self._send(number, StopCommand(place_of(number)[1], self.step_of(reel.target)), seen.t_ns)

    def _stands(self, number: int, reel: _Reel, seen: ReelSeen, slipped: bool, found: list[Observation]) -> None:
        t_ns = seen.t_ns
        if seen.why == 1:
            detail = "its home was not seen in two turns: it is jammed, does not turn freely, or its sensor is blind"
            self._fail(number, "reel_jammed", detail, t_ns, found)
            return
        if seen.why == 2:
            detail = (
                "its home sensor stayed dark: something is in it, the reel is jammed with its flag in it, or it is dead"
            )
            self._fail(number, "reel_home_blocked", detail, t_ns, found)
            return
        if reel.aim == "halt":
            self._forget(reel)
            found.append(ReelHalted(t_ns=t_ns, reel=number))
            return
        stop = None if seen.step is None else self._stop_at(seen.step)
        if stop is None and seen.step is not None and not slipped:
            # Home came as it stopped, and corrected the count by less than half a symbol: it is where it was to stop.
            stop = self._stop_at((seen.step + seen.off) % self._config.steps)
        if (
            stop is None
            or seen.step is None
            or (reel.target is not None and stop != reel.target and not seen.by_button)
        ):
            where = "where it is, is not known" if seen.step is None else f"it is at step {seen.step}"
            detail = f"its board halted it ({where}): the supply, the dead-man, or its longest time"
            self._fail(number, "reel_halted", detail, t_ns, found)
            return
        if reel.aim == "player" and not seen.by_button:
            self._fail(number, "reel_halted", "its board stopped it before the player did", t_ns, found)
            return
        pressed_ns = reel.pressed_ns if seen.by_button else None
        self._forget(reel)
        reel.stop, reel.stood_step, reel.stood_ns, reel.proven = stop, seen.step, t_ns, True
        found.append(
            ReelStands(
                t_ns=t_ns, reel=number, stop=stop, step=seen.step, by_player=seen.by_button, pressed_ns=pressed_ns
            )
        )

    def _stop_at(self, step: int) -> int | None:
        """The stop that has this step."""
        stop = round(step * self._symbols / self._config.steps) % self._symbols
        return next(
            (one for one in (stop, stop + 1, stop - 1) if 0 <= one < self._symbols and self.step_of(one) == step), None
        )

    def _slipped(self, number: int, reel: _Reel, seen: ReelSeen, found: list[Observation]) -> None:
        off = f"home came {abs(seen.off)} steps {'late' if seen.off > 0 else 'early'}, more than half a symbol"
        if reel.homes <= 1:
            detail = f"{off}, as it began to turn: it was moved while it was stopped, or slipped as it stopped or began"
            self._fail(number, "reel_moved", detail, seen.t_ns, found)
        else:
            self._fail(
                number, "reel_slipped", f"{off}: it slips on its shaft, or the motor loses steps", seen.t_ns, found
            )

    def _moved(self, seen: HomeHolds, found: list[Observation]) -> None:
        reel = self._reels[seen.reel]
        if reel.aim is None and reel.stop is not None and seen.since_ns >= reel.stood_ns + SETTLED_NS:
            self._fail(seen.reel, "reel_moved", "its home sensor changed while it was stopped", seen.t_ns, found)

    def _refused(self, seen: ReelRefused, found: list[Observation]) -> None:
        if isinstance(seen.command, TestCommand):
            self._tests[seen.link].refused(seen.t_ns)
            self._turn_waiting(seen.link, seen.t_ns)
            return
        local = getattr(seen.command, "reel", None)
        if seen.why == RefusalCode.SILENT:
            self._silent.add(seen.link)
        if self.acceptor is not None and isinstance(seen.command, AcceptCommand | AcceptorCommand | CountsCommand):
            self.acceptor.refused(seen.command, seen.why)
            self._again_ns = seen.t_ns + TRY_AGAIN_NS
            return
        if not isinstance(local, int) or reel_at(seen.link, local) not in self._reels:
            return
        number = reel_at(seen.link, local)
        reel = self._reels[number]
        if seen.why == RefusalCode.HELD_SAFE:
            reel.held = True
        if reel.aim is None or isinstance(seen.command, StopCommand):
            return
        if isinstance(seen.command, ArmCommand) and not seen.command.on:
            return
        self._fail(number, "reel_halted", refused_words(seen.command, seen.why), seen.t_ns, found)

    def _lost(self, number: int, seen: ReelsUnreachable, found: list[Observation]) -> None:
        reel = self._reels[number]
        reel.seen = None
        if reel.aim is not None or reel.stop is not None:
            self._fail(number, "reel_not_answering", seen.detail, seen.t_ns, found)

    def _fail(self, number: int, fault: str, detail: str, t_ns: int, found: list[Observation]) -> None:
        """Nothing is known of it any more; if it turns, it is stopped."""
        reel = self._reels[number]
        if reel.seen is not None and reel.seen.moving:
            self._send(number, StopCommand(place_of(number)[1], UNKNOWN_STEP), t_ns)
        self._forget(reel)
        reel.stop, reel.proven = None, False
        found.append(ReelFailed(t_ns=t_ns, reel=number, fault=fault, detail=f"reel {number}: {detail}"))

    def _forget(self, reel: _Reel) -> None:
        reel.aim = reel.target = reel.disarmed_ns = reel.pressed_ns = reel.button_ns = None
        reel.answer_ns = reel.stand_ns = NEVER_NS
        reel.sent = True
