"""Plays of a token pusher: a token, and what falls to the player until the next token or for a time.

    open ──token in──► running ──next token, or `play_s` without one──► ended ──board's test──► outcome: tokens in, won
                          ├── a token falls to the player: won, and it is in the tray
                          ├── a token falls to the house
                          └── tilted: the play ends with what fell before, and the machine is shut

A board that works by itself tests its sensors after each play; what ends the play, and what comes before that test is
over, waits for it. Where a sensor fails the play is `unresolved`.

What falls while no play is on, or behind an open door, is nobody's: it is recorded apart. The machine gives nothing out
by itself: what falls to the player is paid by falling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from controller.games.machines.coin_handling import MACHINE
from controller.games.machines.game import MachineOptions, MachineParts
from controller.games.machines.proven_sensors import SENSOR_STUCK, ProvenSensors
from controller.table.faults import Fault, LatchedFault
from controller.table.phase import OPEN, RUNNING
from drivers.base.board_counter import MODULUS, MOST_NEW, AcceptSet, TokensCounted
from drivers.base.driver import Observation
from drivers.base.sensor_tests import SensorsTested
from drivers.base.token_pulses import PulseNotCounted
from drivers.pusher.bed import FallsLost, ShelfMoves, ShelfStands, Tilted, TokenFell
from drivers.pusher.board import BoardGarbled
from drivers.pusher.board_actuator import (
    BoardSilent,
    HopperCounted,
    HopperMark,
    HopperRanAway,
    PusherBoardActuator,
    ShelfBlocked,
    TokensWon,
)
from feed import events
from feed.events import Evidence
from hal.wording import counted

BED: Final = "bed"
BOARD: Final = "board"
TILT: Final = "tilt"
SHELF: Final = "shelf"
RUNAWAY: Final = "hopper_runaway"
WAITING: Final = frozenset({TokensCounted, AcceptSet, PulseNotCounted, TokensWon, Tilted})
"""What a board reports of tokens, falls and tilts: in the order in which it came."""
BLOCKED: Final = {
    "stalled": "no pulse of the shelf's shaft",
    "over_current": "the shelf's motor draws too much",
    "held": "its stop was not reported",
    "unlimited": "the board does not limit what the shelf's motor may draw, as motor_most_a wants it",
}
"""Why its board has switched the shelf's motor off."""
MOST_TOKENS: Final = 999
"""Won in one play, as a person may name it."""


class TokenPusherOptions(MachineOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a token pusher's plays under `[game]`."""

    play_s: Annotated[
        float,
        Meta(ge=2, le=120, description="a play without another token ends this long after its own (ours)"),
    ] = 8.0


class PusherResults:
    """The results of a play: how many tokens fell to the player."""

    named_by: Final = "tokens"

    def of(self, won: int) -> dict[str, Any]:
        """The result of this many tokens won."""
        return {"tokens_in": 1, "tokens_won": won}

    def named(self, name: str) -> dict[str, Any]:
        """The result of this many tokens won."""
        if not (
            name.isascii() and name.isdecimal() and len(name) <= len(str(MOST_TOKENS)) and int(name) <= MOST_TOKENS
        ):
            raise ValueError(f"tokens {name!r}: give how many tokens the player won, 0 to {MOST_TOKENS}")
        return self.of(int(name))

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `named` reads."""
        return str(result["tokens_won"])

    def won(self, result: Mapping[str, Any]) -> int:
        """What fell, or what a person named."""
        won: int = result["tokens_won"]
        return won


class PusherPlays:
    """The plays of one token pusher; see `controller.games.machines.game.Plays`."""

    def __init__(
        self, parts: MachineParts, options: TokenPusherOptions, board: PusherBoardActuator | None = None
    ) -> None:
        """`board` is the machine's own board, if it has one."""
        self.results = PusherResults()
        self._report = parts.report
        self._account = parts.account
        self._current = parts.current
        self._play_ns = round(options.play_s * 1e9)
        self._falls: list[int] = []
        """When each token of this play fell to the player."""
        test = None if board is None else board.test_sensors
        self._sensors = ProvenSensors(parts.report, parts.current, BOARD, test)
        self._board = None if board is None else BoardPlays(parts, board, self._sensors, self._won)
        self._ended_by = ""
        """What has ended the play whose sensors are not proven yet; empty where none has."""
        self._waiting: list[Observation] = []
        """What the board has reported since."""
        self._late_ns = 0
        """How long ago that was which is taken now."""
        if board is not None:
            parts.current.watch(self._prove_still)
        self._takers: Mapping[type[Observation], Callable[[Any], None]] = {
            TokenFell: self._fell,
            FallsLost: self._falls_lost,
            ShelfStands: self._shelf_stopped,
            ShelfMoves: self._shelf_moves,
            Tilted: self._tilted,
            **({} if self._board is None else {**self._board.takers, SensorsTested: self._tested}),
        }

    # --- what every machine has --------------------------------------------------------------------------------------

    @property
    def state(self) -> dict[str, Any]:
        """What has fallen since the token of the play, and what is against its result."""
        return {"falls_ns": list(self._falls), **self._sensors.state}

    @property
    def fallen(self) -> int:
        """What has fallen to the player in this play."""
        return len(self._falls)

    def reset(self) -> None:
        """A new play begins. What fell in a void one is in the tray, and stays won."""
        self._falls, self._ended_by = [], ""
        self._sensors.reset()

    def restore(self, carried: Mapping[str, Any]) -> None:
        """The board counts on from what was recorded; the bed keeps nothing."""
        if self._board is not None:
            self._board.restore(carried)

    def resume(self, t_ns: int, state: Mapping[str, Any]) -> None:
        """The play continues, with its whole time from now on."""
        self._falls = [int(fell_ns) for fell_ns in state.get("falls_ns", ())]
        self._sensors.resume(state)
        self._current.set_time(t_ns, self._play_ns)

    def token(self, t_ns: int) -> None:
        """A token ends the play before it, and begins one."""
        if self._current.phase is RUNNING:
            self._end(t_ns, "token")
        if self._current.phase is OPEN:
            self._current.begin(t_ns, self._play_ns - self._late_ns)

    def run_due(self, t_ns: int) -> None:
        """No other token came."""
        if self._current.phase is RUNNING and not self._prove(t_ns, "time"):
            self._end(t_ns, "time")

    def postpones(self, seen: Observation) -> bool:
        """What a board reports waits from the end of a play until its sensors are proven."""
        waits = self._board is not None and type(seen) in WAITING and self._ends(seen, seen.t_ns)
        if waits:
            self._waiting.append(seen)
        return waits

    def _ends(self, seen: Observation, t_ns: int) -> bool:
        """Whether the play has ended, or does with this, and is not proven yet."""
        if not self._ended_by and self._current.phase is RUNNING and self._current.playable:
            if isinstance(seen, TokensCounted) and seen.tokens:
                self._prove(t_ns, "token")
            elif isinstance(seen, Tilted) and seen.tilted:
                self._prove(t_ns, "tilt")
        return bool(self._ended_by)

    def next_postponed(self, t_ns: int) -> Observation | None:
        """The next of what waited, with the time at which it is taken: events are in the order of their times."""
        self._late_ns = 0
        if not self._waiting or self._ends(self._waiting[0], t_ns):
            return None
        seen = self._waiting.pop(0)
        self._late_ns = max(0, t_ns - seen.t_ns)
        return msgspec.structs.replace(seen, t_ns=max(t_ns, seen.t_ns))

    def _prove(self, t_ns: int, ended_by: str) -> bool:
        """The play has ended: has the board test its sensors. Returns False where nothing does."""
        if self._board is None:
            return False
        if not self._ended_by:
            self._ended_by = ended_by
            self._sensors.ask(t_ns)
        return True

    def _tested(self, seen: SensorsTested) -> None:
        """The board has tested its sensors: a play that has ended is proven by it, or is not."""
        if self._board is None:
            return
        self._sensors.tested(seen)
        if self._ended_by and self._current.phase is RUNNING and self._sensors.is_decided:
            self._end(seen.t_ns, self._ended_by)
        self._board.tested(seen)

    def _prove_still(self, t_ns: int) -> None:
        """A play that has ended goes on after a fault: its sensors are tested now."""
        if self._ended_by and self._current.phase is RUNNING:
            self._sensors.ask(t_ns)

    def ruled(self, t_ns: int) -> None:
        """What fell is in the tray, whatever is ruled: nothing moves."""

    def faults_changed(self, t_ns: int, standing: tuple[LatchedFault, ...]) -> None:
        """A token pusher has no display; its board hears that a person has cleared its hopper."""
        if self._board is not None:
            self._board.faults_changed(t_ns, standing)

    def take(self, seen: Observation) -> None:
        """Takes what bed and board report."""
        taker = self._takers.get(type(seen))
        if taker is not None:
            taker(seen)

    # --- falls, the shelf, and tilts ---------------------------------------------------------------------------------

    def _fell(self, seen: TokenFell) -> None:
        t_ns = seen.t_ns
        if self._current.testing:
            self._account.write(t_ns, "test_fall", tokens=1, detail=f"to the {seen.side}")
        elif seen.side == "house":
            self._account.count(tokens_to_house=1)
            self._account.write(t_ns, "falls_to_house", tokens=1)
        elif self._current.phase is RUNNING and self._current.playable:
            self._won(t_ns, [seen.fell_ns])
        else:
            self._account.count(tokens_paid=1, tokens_overpaid=1)
            self._account.write(t_ns, "falls_out_of_play", tokens=1)

    def _won(self, t_ns: int, fell_ns: list[int]) -> None:
        """Tokens fell to the player in the play."""
        self._falls += [fell - self._late_ns for fell in fell_ns]
        self._account.fell(self._current.number, len(fell_ns))
        self._account.write(t_ns, "falls", tokens=len(fell_ns))
        self._report.event(events.RoundProgress, t_ns, tokens_won=len(self._falls))

    def _falls_lost(self, seen: FallsLost) -> None:
        self._report.fault(Fault(seen.t_ns, "falls_lost", seen.detail, device=BED))

    def _shelf_stopped(self, seen: ShelfStands) -> None:
        detail = "the shelf is at rest: no pulse of its shaft; switch the motor off, and look for what blocks it"
        self._report.fault(Fault(seen.t_ns, "shelf_stalled", detail, cause=SHELF, device=BED))

    def _shelf_moves(self, seen: ShelfMoves) -> None:
        self._report.cause_gone(seen.t_ns, SHELF, BED)

    def _tilted(self, seen: Tilted) -> None:
        t_ns = seen.t_ns
        if not seen.tilted:
            self._report.cause_gone(t_ns, TILT, MACHINE)
            return
        if self._current.phase is RUNNING and self._current.playable:
            self._end(t_ns, "tilt")
        detail = "the machine was tilted or pushed: what falls from now on is not won"
        self._report.fault(Fault(t_ns, "tilt", detail, cause=TILT, device=MACHINE))

    def _end(self, t_ns: int, by: str) -> None:
        won, against = len(self._falls), self._sensors.against
        self._ended_by = ""
        evidence = Evidence(falls_ns=list(self._falls), ended_by=by, detail=against)
        if against:
            self._current.unresolved(t_ns, SENSOR_STUCK, evidence, [])
        else:
            self._current.end(t_ns, self.results.of(won), won, evidence)


class BoardPlays:
    """What the machine's own board reports of its shelf, its sensors, and its counters of falls and paid tokens."""

    def __init__(
        self,
        parts: MachineParts,
        board: PusherBoardActuator,
        sensors: ProvenSensors,
        won: Callable[[int, list[int]], None],
    ) -> None:
        """`sensors` are the board's; `won(t_ns, fell_ns)` is called for tokens that fell to the player in a play."""
        self._report = parts.report
        self._account = parts.account
        self._current = parts.current
        self._board = board
        self._won = won
        self._counter: int | None = None
        """The board's counter of falls, as it is recorded."""
        self._mark: HopperMark | None = None
        """The board, and its counter of paid tokens, as they are recorded."""
        self._runaway = False
        """Whether the fault of a hopper that pays unasked is latched."""
        self._reached = False
        """Whether its board can be reached, and its counters are known."""
        self._sensors = sensors
        self.takers: Mapping[type[Observation], Callable[[Any], None]] = {
            TokensWon: self._counted,
            HopperCounted: self._left,
            HopperRanAway: self._ran_away,
            BoardSilent: self._silent,
            BoardGarbled: self._garbled,
            ShelfBlocked: self._blocked,
        }
        """What takes each observation of the board."""
        parts.records.carry(self._carried)
        parts.current.begin_held(BOARD)
        parts.current.watch(self._drive)

    def _carried(self) -> Mapping[str, Any]:
        """The counters: what falls or leaves while the service is off is in them."""
        carried: dict[str, Any] = {} if self._counter is None else {"won": self._counter}
        return carried if self._mark is None else {**carried, "hopper": self._mark._asdict()}

    def restore(self, carried: Mapping[str, Any]) -> None:
        """Continues from the counters as they were recorded."""
        won = carried.get("won")
        self._counter = won if isinstance(won, int) else None
        self._board.restore_won(self._counter)
        match carried.get("hopper"):
            case {"serial": int() | None as serial, "paid_out": int() as paid_out}:
                self._mark = HopperMark(serial, paid_out)
        self._board.restore_mark(self._mark)

    def faults_changed(self, t_ns: int, standing: tuple[LatchedFault, ...]) -> None:
        """A person who has cleared its hopper has seen to it: its board may pay again."""
        before, self._runaway = self._runaway, any((one.device, one.fault) == (BOARD, RUNAWAY) for one in standing)
        if before and not self._runaway:
            self._board.clear_hopper(t_ns)

    def _drive(self, t_ns: int) -> None:
        playable = self._current.playable
        self._board.run_shelf(playable, t_ns)
        if playable:
            self._board.sound_alarm(False, t_ns)

    def _silent(self, seen: BoardSilent) -> None:
        self._reached = not seen.silent
        if seen.silent:
            self._sensors.lost()
        self._hold(seen.t_ns)

    def _hold(self, t_ns: int) -> None:
        """Nothing is played before the board is there, and its sensors are proven."""
        held = not (self._reached and self._sensors.sound)
        if held != self._current.is_held_by(BOARD):
            (self._current.hold if held else self._current.let_go)(t_ns, BOARD)

    def _garbled(self, seen: BoardGarbled) -> None:
        self._report.warn(seen.t_ns, BOARD, "line_garbled", seen.detail)

    def _blocked(self, seen: ShelfBlocked) -> None:
        """The board has switched the motor off: the alarm sounds until a person has seen to it."""
        detail = f"{BLOCKED[seen.why]}: the board has switched the motor off; look for what blocks it"
        self._report.fault(Fault(seen.t_ns, "shelf_stalled", detail, device=BED))
        self._board.sound_alarm(True, seen.t_ns)

    def _counted(self, seen: TokensWon) -> None:
        """The counter of falls has moved: what fell belongs to the play that is on, over a power cut too."""
        t_ns, before = seen.t_ns, seen.before
        self._counter = seen.counter
        new = 0 if before is None else (seen.counter - before) % MODULUS
        if new > MOST_NEW or before is None:
            self._account.write(t_ns, "falls_counted", detail=f"the board's counter of falls is {seen.counter}")
        elif self._current.testing:
            self._account.write(t_ns, "test_fall", tokens=new, detail="to the player")
        elif self._current.phase is RUNNING and not self._current.is_held_beside(BOARD):
            self._won(t_ns, [t_ns] * new)
        else:
            self._account.count(tokens_paid=new, tokens_overpaid=new)
            self._account.write(t_ns, "falls_out_of_play", tokens=new)
        if new > MOST_NEW:
            detail = f"its counter was {before} and is {seen.counter}: it is another board, or its store is lost"
            self._report.fault(Fault(t_ns, "falls_lost", detail, device=BOARD))

    def _left(self, seen: HopperCounted) -> None:
        """The counter of paid tokens has moved: what is of no payout was given out, and nobody was owed it."""
        t_ns, tokens, before = seen.t_ns, seen.tokens, self._mark
        self._mark = seen.mark
        if before is not None and before.serial not in (None, seen.mark.serial):
            detail = f"the board has the serial number {seen.mark.serial}; it was {before.serial}"
            self._account.write(t_ns, "device_identified", detail=detail)
        if not tokens:
            return
        detail = f"{counted(tokens, 'token')} left the hopper that no payout has"
        if self._current.testing:
            self._account.write(t_ns, "test_fall", tokens=tokens, detail=detail)
        elif self._account.left_unasked(t_ns, tokens, detail):
            self._report.fault(Fault(t_ns, RUNAWAY, detail, device=BOARD))

    def _ran_away(self, seen: HopperRanAway) -> None:
        """Its board pays nothing more before a person has seen to it."""
        self._report.fault(Fault(seen.t_ns, RUNAWAY, seen.detail, device=BOARD))

    def tested(self, seen: SensorsTested) -> None:
        """The board has tested its sensors: with one that fails nothing is played."""
        self._sensors.report(seen)
        self._hold(seen.t_ns)
