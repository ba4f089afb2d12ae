"""Plays of a skill-stop machine: a token spins the reels, the player stops each, and the win lines are read.

    open ──token──► spinning ──each button stops its own reel──► all at rest ──boards' test──► outcome ──► open
                       ├── `longest_s` of the model: the house parks the others, and no line awards
                       └── door, fault, test mode, power ──► held: the reels are stopped; then those that the player had
                           stopped are brought back, and the others spin again

What the reels show while no play is on is the last valid result: after a power cut, a fault, or a void play they turn
back to it before a token is taken (9 NYCRR 5319.54(e)). Whether a reel is a motor's or a picture's, this is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from controller.games.machines.game import MachineParts
from controller.games.machines.proven_sensors import SENSOR_STUCK, ProvenSensors
from controller.games.machines.win_lines import HOME, PlayModel, lines_shown, parking
from controller.table.faults import Fault, LatchedFault
from controller.table.phase import OPEN, RUNNING
from drivers.base.driver import Observation
from drivers.base.sensor_tests import SensorsTested
from drivers.base.spun_reels import ImageProof, ReelFailed, ReelHalted, ReelStands, ReelsTrouble, SpunReels
from feed.events import Evidence, StoppedImage

SENSORS: Final = "sensors"
"""What holds the plays until the boards have tested their sensors."""
REELS: Final = "reels"
"""What holds a play while its reels are brought back."""
RECALL: Final = "recall"
"""What holds the plays while the last ones are recalled on the display."""
RETRY_NS: Final = 1_000_000_000
"""The end of a play's time waits this long at a time while its reels are still brought back (ours)."""


class MachineDisplay(Protocol):
    """A display of the machine that shows its plays."""

    def refresh(self, t_ns: int, stops: Sequence[int | None], standing: Sequence[LatchedFault]) -> None:
        """Something may have changed. `stops` are those of the play, None for a reel that is to spin; `standing` are
        the faults that are latched, oldest first.
        """


class SkillStopResults:
    """The results of a model's plays: the stops of its reels, and what its win lines award."""

    named_by: Final = "stops"

    def __init__(self, model: PlayModel) -> None:
        self._model = model
        self.reels = len(model.reels)

    def of(self, stops: list[int], by_player: list[bool]) -> dict[str, Any]:
        """The result of stops; a line with a reel that the player did not stop awards nothing."""
        lines = lines_shown(self._model, stops, by_player)
        return {
            "stops": stops,
            "lines": [{"line": line.line, "symbols": line.symbols, "award": line.award} for line in lines],
            "award": sum(line.award for line in lines),
        }

    def named(self, name: str) -> dict[str, Any]:
        """The result of stops like `3-0-17`, as if the player had stopped every reel."""
        words = name.split("-")
        last = self._model.symbols - 1
        if len(words) != self.reels or not all(
            word.isascii() and word.isdecimal() and len(word) <= 3 and int(word) <= last for word in words
        ):
            raise ValueError(
                f"stops {name!r}: give {self.reels} stops such as {'-'.join(['0'] * self.reels)}, 0 to {last}"
            )
        return self.of([int(word) for word in words], [True] * self.reels)

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `named` reads."""
        return "-".join(map(str, result["stops"]))

    def won(self, result: Mapping[str, Any]) -> int:
        """The award of all lines."""
        award: int = result["award"]
        return award

    def is_stop(self, stop: object) -> bool:
        """Whether the reels have such a stop."""
        return stop in range(self._model.symbols)

    def are_stops(self, stops: object) -> bool:
        """Whether these are stops of all reels."""
        return isinstance(stops, list) and len(stops) == self.reels and all(map(self.is_stop, stops))

    def parked(self, stops: Sequence[int | None]) -> Sequence[int]:
        """Where the house parks the reels that the player has not stopped (None); the others are where they are."""
        return parking(self._model, stops)


class PlayedReels:
    """The reels of the play that is on: where each was stopped, and by whom."""

    def __init__(self, reels: int) -> None:
        self.stops: list[int | None] = [None] * reels
        """None while a reel is to spin."""
        self.by_player = [False] * reels
        self.awarded: int | None = None
        """What the play has awarded, once that is recorded."""
        self.spun: set[int] = set()
        """The reels that spin, or have stopped since: of several that stop at once, one is reported first."""
        self.tests = False
        """Whether the boards were asked to test their sensors, as all reels are stopped."""
        self._pressed_ns: list[int | None] = [None] * reels
        self._proofs: list[ImageProof | None] = [None] * reels

    @property
    def free(self) -> list[int]:
        """The reels that are not stopped yet."""
        return [number for number, stop in enumerate(self.stops, 1) if stop is None]

    @property
    def state(self) -> dict[str, Any]:
        """Which reels are stopped, where, by whom, and what was awarded."""
        state: dict[str, Any] = {"stops": list(self.stops), "by_player": list(self.by_player)}
        return state if self.awarded is None else {**state, "awarded": self.awarded}

    def resume(self, state: Mapping[str, Any], results: SkillStopResults) -> None:
        """Continues from `state`, as far as its stops are those of these reels."""
        stops, by_player = state.get("stops"), state.get("by_player")
        if isinstance(stops, list) and isinstance(by_player, list) and len(stops) == len(by_player) == len(self.stops):
            self.stops = [stop if results.is_stop(stop) else None for stop in stops]
            self.by_player = [bool(by) for by in by_player]
            self.awarded = state.get("awarded")

    def stop(self, seen: ReelStands) -> None:
        """A reel is stopped."""
        at = seen.reel - 1
        self.stops[at], self.by_player[at], self._pressed_ns[at] = seen.stop, seen.by_player, seen.pressed_ns
        self._proofs[at] = seen.proof

    def evidence(self, against: str = "") -> Evidence:
        """Who stopped each reel, when, why it is there, and what is against that."""
        return Evidence(
            detail=against,
            pressed_ns=list(self._pressed_ns),
            stopped_by=["player" if by else "house" for by in self.by_player],
            images=[None if proof is None else _published(proof) for proof in self._proofs]
            if any(self._proofs)
            else None,
        )


class SkillStopPlays:
    """The plays of one machine; see `controller.games.machines.game.Plays`."""

    fallen: Final = 0
    """Nothing falls."""

    def __init__(
        self,
        parts: MachineParts,
        model: PlayModel,
        reels: SpunReels,
        reels_device: str,
        display: MachineDisplay | None = None,
        test: Callable[[int], None] | None = None,
    ) -> None:
        """`reels_device` is the name of the reels in the table's file. `display` shows the plays, if it has one; `test`
        has the boards of the reels test their sensors, if they do.
        """
        self.results = SkillStopResults(model)
        self.recall = PlayRecall(parts, shown=display is not None)
        self._report = parts.report
        self._account = parts.account
        self._current = parts.current
        self._reels = reels
        self._reels_device = reels_device
        self._display = display
        self._standing: tuple[LatchedFault, ...] = ()
        """The faults that are latched, oldest first."""
        self._longest_ns = round(model.longest_s * 1e9)
        self._shown = [HOME] * self.results.reels
        """The stops of the last valid result."""
        self._play = PlayedReels(self.results.reels)
        self._sensors = ProvenSensors(parts.report, parts.current, reels_device, test)
        if not self._sensors.sound:
            parts.current.begin_held(SENSORS)
        parts.current.watch(self._update)
        parts.records.watch(self._refresh)

    # --- what every machine has --------------------------------------------------------------------------------------

    @property
    def state(self) -> dict[str, Any]:
        """Which reels are stopped, where, by whom, what was awarded, and what is against the result."""
        return self._play.state | self._sensors.state

    @property
    def stops_shown(self) -> tuple[int, ...]:
        """The stops of the last valid result."""
        return tuple(self._shown)

    def reset(self) -> None:
        """A new play begins; the reels of a void one go back to the last valid result."""
        self._play = PlayedReels(self.results.reels)
        self._sensors.reset()

    def restore(self, carried: Mapping[str, Any]) -> None:
        """What the reels show is the last result that is valid."""
        self._show_last_valid()

    def ruled(self, t_ns: int) -> None:
        """The reels turn to the last result that is valid now, as they would after a restart."""
        self._show_last_valid()
        self._current.change(t_ns)

    def _show_last_valid(self) -> None:
        for ruling in self._current.recent.newest_first:
            stops: Any = (ruling.stands.result or {}).get("stops")
            if ruling.stands.verdict == "outcome" and self.results.are_stops(stops):
                self._shown = list(stops)
                return
        self._shown = [HOME] * self.results.reels

    def resume(self, t_ns: int, state: Mapping[str, Any]) -> None:
        """The play continues with the reels that were stopped, and its whole time from now on."""
        self._play.resume(state, self.results)
        self._sensors.resume(state)
        self._current.end_held(SENSORS)  # its reels turn, and are proven at its end
        self._current.set_time(t_ns, self._longest_ns)

    def token(self, t_ns: int) -> None:
        """A token spins the reels; while they spin, it belongs to the player."""
        if self._current.phase is OPEN:
            self._current.begin(t_ns, self._longest_ns)
            self._drive(t_ns)
            return
        self._account.token_in(1)
        self._account.write(t_ns, "hand_pay_due", tokens=1, detail="it was inserted while the reels turned")

    def postpones(self, seen: Observation) -> bool:
        """Nothing waits: no token is taken while reels turn."""
        return False

    def next_postponed(self, t_ns: int) -> Observation | None:
        """Nothing has waited."""
        return None

    def run_due(self, t_ns: int) -> None:
        """The player's time is over: the house stops what still turns."""
        parked = self.results.parked(self._play.stops)
        for number in self._play.free:
            if self._reels.aim_of(number) == "player":
                self._reels.stop_at(number, parked[number - 1], t_ns)
        if self._play.free:
            self._current.set_time(t_ns, RETRY_NS)

    def faults_changed(self, t_ns: int, standing: tuple[LatchedFault, ...]) -> None:
        """The display shows the faults that are latched."""
        self._standing = standing
        self._refresh(t_ns)

    # --- the reels ---------------------------------------------------------------------------------------------------

    def _update(self, t_ns: int) -> None:
        self._drive(t_ns)
        self._refresh(t_ns)

    def _refresh(self, t_ns: int) -> None:
        if self._display is not None:
            self._display.refresh(t_ns, self._play.stops, self._standing)

    def _drive(self, t_ns: int) -> None:
        """Has the reels do what the play wants now: stop, go back to where they were, or spin."""
        current, play = self._current, self._play
        if current.phase not in (OPEN, RUNNING) or current.is_held_beside(REELS, SENSORS):
            play.spun.clear()
            for number in range(1, self.results.reels + 1):
                self._reels.halt(number, t_ns)
            return
        away = self._away(self._shown if current.phase is OPEN else play.stops)
        if away:
            self._bring_back(away, t_ns)
        elif current.is_held_by(REELS):
            current.let_go(t_ns, REELS)
        elif current.phase is RUNNING and not play.free:
            if self._is_proven(t_ns):
                self._end(t_ns)
        elif current.phase is RUNNING:
            self._spin(t_ns)

    def _away(self, wanted: Sequence[int | None]) -> list[tuple[int, int]]:
        """The reels that are elsewhere than they are wanted, and where those are wanted."""
        return [
            (number, stop)
            for number, stop in enumerate(wanted, 1)
            if stop is not None and self._reels.stop_of(number) != stop
        ]

    def _bring_back(self, away: Sequence[tuple[int, int]], t_ns: int) -> None:
        """Reels that are elsewhere hold the play, and are brought where they are wanted."""
        self._play.spun.clear()
        if not self._current.is_held_by(REELS):
            self._current.hold(t_ns, REELS)
            return
        for number, stop in away:
            if self._reels.aim_of(number) == "player":
                self._reels.halt(number, t_ns)
            elif self._reels.aim_of(number) is None:
                self._reels.place(number, stop, t_ns)

    def _spin(self, t_ns: int) -> None:
        spun = self._play.spun
        for number in self._play.free:
            stands = number in spun and self._reels.stop_of(number) is not None
            if self._reels.aim_of(number) is None and not stands:
                spun.add(number)
                self._reels.spin(number, t_ns)

    def take(self, seen: Observation) -> None:
        """Takes what the reels report."""
        if isinstance(seen, ReelStands):
            self._stands(seen)
        elif isinstance(seen, SensorsTested):
            self._tested(seen)
        elif isinstance(seen, ReelHalted):
            self._drive(seen.t_ns)
        elif isinstance(seen, ReelFailed):
            self._report.fault(Fault(seen.t_ns, seen.fault, seen.detail, device=self._reels_device))
        elif isinstance(seen, ReelsTrouble) and seen.fails:
            self._report.fault(Fault(seen.t_ns, seen.fault, seen.detail, seen.cause, self._reels_device))
        elif isinstance(seen, ReelsTrouble):
            self._report.cause_gone(seen.t_ns, seen.cause, self._reels_device)

    def _stands(self, seen: ReelStands) -> None:
        t_ns = seen.t_ns
        if self._current.phase is RUNNING and self._current.playable and self._play.stops[seen.reel - 1] is None:
            self._play.stop(seen)
            by = "the player" if seen.by_player else "the house"
            self._account.write(t_ns, "reel_stopped", detail=f"reel {seen.reel} at stop {seen.stop}, by {by}")
        self._drive(t_ns)

    def _is_proven(self, t_ns: int) -> bool:
        """Whether a test since all reels are stopped has shown what their sensors are worth; if not, has one made."""
        if self._play.awarded is not None:
            return True
        if not self._play.tests:
            self._play.tests = True
            self._sensors.ask(t_ns)
        return self._sensors.is_decided

    def _tested(self, seen: SensorsTested) -> None:
        """The boards have tested their sensors: with one that fails nothing is played."""
        self._sensors.tested(seen)
        self._drive(seen.t_ns)
        self._sensors.report(seen)
        if self._sensors.sound and self._current.is_held_by(SENSORS):
            self._current.let_go(seen.t_ns, SENSORS)

    def _end(self, t_ns: int) -> None:
        """All reels are stopped: the award is recorded once, then the outcome is published."""
        play = self._play
        stops = [stop for stop in play.stops if stop is not None]
        result = self.results.of(stops, play.by_player)
        award = result["award"]
        if self._sensors.against and play.awarded is None:
            self._current.unresolved(t_ns, SENSOR_STUCK, play.evidence(self._sensors.against), [result])
            return
        if play.awarded is None and award:
            play.awarded = award
            self._account.award(self._current.number, award)
            self._account.write(t_ns, "award", tokens=award)
        self._shown = stops
        self._current.end(t_ns, result, award, play.evidence())
        if award and not self._account.paying:
            self._account.write(t_ns, "hand_pay_due", tokens=award, detail="the machine has no hopper")


class PlayRecall:
    """The last plays on the display of a machine, while a person has them shown: nothing is played then."""

    def __init__(self, parts: MachineParts, *, shown: bool) -> None:
        """`shown` is whether the machine has a display."""
        self._account = parts.account
        self._current = parts.current
        self._can_show = shown

    def begin(self, t_ns: int, by: str) -> str | None:
        """A person has the last plays shown. Returns why not, if not."""
        if not self._can_show:
            return "this machine has no screen: `feltwire journal recall` has its last plays"
        if self._current.is_held_by(RECALL):
            return "the last plays are shown already"
        if self._current.phase is RUNNING:
            return f"play {self._current.number} is on: wait for its end"
        self._current.hold(t_ns, RECALL)
        self._account.write(t_ns, "recall_begun", by=by)
        return None

    def end(self, t_ns: int, by: str) -> str | None:
        """A person has seen the last plays. Returns why not, if not."""
        if not self._current.is_held_by(RECALL):
            return "the last plays are not shown"
        self._account.write(t_ns, "recall_ended", by=by)
        self._current.let_go(t_ns, RECALL)
        return None


def _published(proof: ImageProof) -> StoppedImage:
    """Why a reel on a screen stopped where it is, for the evidence."""
    return StoppedImage(
        image=proof.image,
        lit_ns=proof.lit_ns,
        by=proof.by,
        latency_ms=proof.latency_ms,
        error_ms=proof.error_ms,
        possible=list(proof.possible),
        measured_ms=proof.measured_ms,
    )
