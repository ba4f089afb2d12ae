"""Plays of a token pusher: a token, and what falls to the player until the next token or for a time.

    open ──token in──► running ──next token, or `play_s` without one──► outcome: tokens in, tokens won
                          ├── a token falls to the player: won, and it lies in the tray
                          ├── a token falls to the house
                          └── tilted: the play ends with what fell before, and the machine is shut

What falls while no play is on, or behind an open door, is nobody's: it is recorded apart. The machine gives nothing out
by itself: what falls to the player is paid by falling.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Meta

from controller.games.machines.account import CoinDevices
from controller.games.machines.board_coins import BoardCoins
from controller.games.machines.game import MACHINE, MachineGame, MachineOptions
from controller.games.machines.rules import MachineRules
from controller.table.faults import CauseGone, Fault
from controller.table.game import GameContext
from controller.table.phase import OPEN, RUNNING
from controller.table.wording import counted
from drivers.base.board_counter import MODULUS, MOST_NEW
from drivers.base.driver import Observation
from drivers.coins.observations import TokenPassed
from drivers.pusher.bed import FallsLost, ShelfMoves, ShelfStands, Tilted, TokenFell
from drivers.pusher.board import BoardGarbled, BoardSensors
from drivers.pusher.board_actuator import BoardSilent, PusherBoardActuator, ShelfBlocked, TokensWon
from feed import events
from feed.events import Evidence, WinningBet
from hal.board.messages import KINDS

BED: Final = "bed"
BOARD: Final = "board"
TILT: Final = "tilt"
SHELF: Final = "shelf"
PROVEN: Final = frozenset({"token", "win_a", "win_b", "shaft"})
"""The inputs of the board without which nothing counts."""
BLOCKED: Final = {
    "stalled": "no pulse of the shelf's shaft",
    "over_current": "the shelf's motor draws too much",
    "unlimited": "the board does not limit what the shelf's motor may draw, as motor_most_a wants it",
}
"""Why its board has switched the shelf's motor off."""
MOST_TOKENS: Final = 999
"""Won in one play, as a person may name it."""


class TokenPusherOptions(MachineOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a token pusher's plays under `[game]`."""

    play_s: Annotated[
        float,
        Meta(ge=2, le=120, description="a play without another token ends so long after its own (ours)"),
    ] = 8.0


class TokenPusher(MachineGame):
    """The plays of one token pusher."""

    def __init__(
        self,
        context: GameContext,
        rules: MachineRules,
        options: TokenPusherOptions,
        model: str,
        coins: CoinDevices | None = None,
        board: PusherBoardActuator | None = None,
    ) -> None:
        """`coins` is the coin equipment, where tokens do not come through a chute; `board` is the machine's own board,
        which then is the coin equipment too.
        """
        super().__init__(context, rules, model, coins if board is None else BoardCoins(board.acceptor, board))
        self._board = board
        self._won: int | None = None
        """The board's counter of falls, as it is recorded."""
        if board is not None:
            self._holds.add(BOARD)
        self._play_ns = round(options.play_s * 1e9)
        self._token_value = options.token_value
        self._shelf_stands = False
        self.reset()

    # --- what every machine has --------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new play begins."""
        self._falls: list[int] = []
        """When each token of this play fell to the player."""

    @property
    def staked(self) -> int:
        """The token of the play."""
        return 1

    @property
    def fallen(self) -> int:
        """What has fallen to the player since."""
        return len(self._falls)

    def won_by(self, result: Mapping[str, Any]) -> int:
        """What fell, or what a person named."""
        won: int = result["tokens_won"]
        return won

    def void_play(self) -> None:
        """What fell before lies in the tray, and stays won."""
        self._falls = []

    @property
    def play_state(self) -> dict[str, Any] | None:
        """The token of the play, and what has fallen since."""
        running = self.phase is RUNNING or self._held is RUNNING
        return {"falls_ns": list(self._falls)} if running else None

    def resume_play(self, t_ns: int, state: Mapping[str, Any]) -> None:
        """The play goes on, with its whole time from now on."""
        self._falls = [int(fell_ns) for fell_ns in state.get("falls_ns", ())]
        self.run_due_ns = t_ns + self._play_ns

    def token(self, t_ns: int, seen: TokenPassed) -> None:
        """A token ends the play before it, and begins one."""
        if self.phase is RUNNING:
            self._end(t_ns, "token")
        if self.phase is not OPEN:
            return
        self.phase = RUNNING
        self.account.token_in(1)
        self.account.stake(1, self.round)
        self.run_due_ns = t_ns + self._play_ns
        self.write(t_ns, "play_begun", tokens=1)
        self.report(events.RoundStarted, t_ns)

    def run_due(self, t_ns: int) -> None:
        """No other token came."""
        if self.phase is RUNNING:
            self._end(t_ns, "time")

    def handle_machine(self, seen: Observation) -> None:
        """Takes what the bed reports."""
        t_ns = seen.t_ns
        if isinstance(seen, TokenFell):
            self._fell(seen)
        elif isinstance(seen, FallsLost):
            self.events.append(Fault(t_ns, "falls_lost", seen.detail, device=BED))
        elif isinstance(seen, TokensWon):
            self._won_counted(seen)
        elif isinstance(seen, BoardSilent):
            (self.hold if seen.silent else self.let_go)(t_ns, BOARD)
        elif isinstance(seen, BoardSensors):
            self._sensors_tested(seen)
        elif isinstance(seen, BoardGarbled):
            self.warn(t_ns, BOARD, "line_garbled", seen.detail)
        elif isinstance(seen, ShelfBlocked):
            self._blocked(seen)
        elif isinstance(seen, ShelfStands):
            detail = "the shelf stands: no pulse of its shaft; switch the motor off, and look for what blocks it"
            self.events.append(Fault(t_ns, "shelf_stalled", detail, cause=SHELF, device=BED))
        elif isinstance(seen, ShelfMoves):
            self.events.append(CauseGone(t_ns, SHELF, BED))
        elif isinstance(seen, Tilted):
            self._tilted(t_ns, seen.tilted)

    # --- the machine's own board ------------------------------------------------------------------------------------

    @property
    def own_state(self) -> dict[str, Any]:
        """The board's counter of falls: what falls while the service is off is in it."""
        return {} if self._won is None else {"won": self._won}

    def restore_own(self, carried: Mapping[str, Any]) -> None:
        """Goes on from the counter as it was recorded."""
        won = carried.get("won")
        self._won = won if isinstance(won, int) else None
        if self._board is not None:
            self._board.restore_won(self._won)

    def _update(self, t_ns: int) -> None:
        super()._update(t_ns)
        if self._board is not None:
            self._board.run_shelf(self.playable, t_ns)
            if self.playable:
                self._board.sound_alarm(False, t_ns)

    def _blocked(self, seen: ShelfBlocked) -> None:
        """The board has switched the motor off: the alarm sounds until a person has seen to it."""
        detail = f"{BLOCKED[seen.why]}: the board has switched the motor off; look for what blocks it"
        self.events.append(Fault(seen.t_ns, "shelf_stalled", detail, device=BED))
        if self._board is not None:
            self._board.sound_alarm(True, seen.t_ns)

    def _won_counted(self, seen: TokensWon) -> None:
        """The counter of falls has moved: what fell belongs to the play that is on, over a power cut too."""
        t_ns, before = seen.t_ns, seen.before
        self._won = seen.counter
        new = 0 if before is None else (seen.counter - before) % MODULUS
        in_play = self.phase is RUNNING and not self._holds - {BOARD}
        if new > MOST_NEW or before is None:
            self.write(t_ns, "falls_counted", detail=f"the board's counter of falls is {seen.counter}")
        elif self.testing:
            self.write(t_ns, "test_fall", tokens=new, detail="to the player")
        elif in_play:
            self._falls += [t_ns] * new
            self.account.fell(self.round, new)
            self.write(t_ns, "falls", tokens=new)
            self.report(events.RoundProgress, t_ns, tokens_won=len(self._falls))
        else:
            self.account.count(tokens_paid=new, tokens_overpaid=new)
            self.write(t_ns, "falls_out_of_play", tokens=new)
        if new > MOST_NEW:
            detail = f"its counter was {before} and is {seen.counter}: it is another board, or its store is lost"
            self.events.append(Fault(t_ns, "falls_lost", detail, device=BOARD))

    def _sensors_tested(self, seen: BoardSensors) -> None:
        """The board has tested its sensors: one that is not proven counts nothing."""
        names = KINDS["pusher"].inputs
        for found, what in ((seen.shorted, "shorted, or lit from elsewhere"), (seen.dark, "cut, dead, or active")):
            for number, (name, _) in enumerate(names):
                if found >> number & 1 and name in PROVEN:
                    self.events.append(Fault(seen.t_ns, "sensor_stuck", f"{name} is {what}", device=BOARD))

    # --- falls and tilts ---------------------------------------------------------------------------------------------

    def _fell(self, seen: TokenFell) -> None:
        t_ns = seen.t_ns
        if self.testing:
            self.write(t_ns, "test_fall", tokens=1, detail=f"to the {seen.side}")
        elif seen.side == "house":
            self.account.count(tokens_to_house=1)
            self.write(t_ns, "falls_to_house", tokens=1)
        elif self.phase is RUNNING and self.playable:
            self._falls.append(seen.fell_ns)
            self.account.fell(self.round, 1)
            self.write(t_ns, "falls", tokens=1)
            self.report(events.RoundProgress, t_ns, tokens_won=len(self._falls))
        else:
            self.account.count(tokens_paid=1, tokens_overpaid=1)
            self.write(t_ns, "falls_out_of_play", tokens=1)

    def _tilted(self, t_ns: int, tilted: bool) -> None:
        if not tilted:
            self.events.append(CauseGone(t_ns, TILT, MACHINE))
            return
        if self.phase is RUNNING and self.playable:
            self._end(t_ns, "tilt")
        detail = "the machine was tilted or pushed: what falls from now on is not won"
        self.events.append(Fault(t_ns, "tilt", detail, cause=TILT, device=MACHINE))

    def _end(self, t_ns: int, by: str) -> None:
        result = {"tokens_in": 1, "tokens_won": len(self._falls)}
        self.end_play(t_ns, result, Evidence(falls_ns=list(self._falls), ended_by=by))

    # --- results -----------------------------------------------------------------------------------------------------

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of so many tokens won."""
        if not (
            name.isascii() and name.isdecimal() and len(name) <= len(str(MOST_TOKENS)) and int(name) <= MOST_TOKENS
        ):
            raise ValueError(f"tokens {name!r}: give how many tokens the player won, 0 to {MOST_TOKENS}")
        return {"tokens_in": 1, "tokens_won": int(name)}

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """What fell is paid by falling: no bet is paid beside it; what it is worth is in the notice."""
        won = result["tokens_won"]
        if not won:
            return [], []
        return [], [f"{counted(won, 'token')} won: ${won * self._token_value} of imitation money"]
