"""Plays of a skill-stop machine: a token spins the reels, the player stops each, and the win lines are read.

    open ──token──► spinning ──each button stops its own reel──► all stand: outcome ──► open
                       ├── `longest_s` of the model: the house parks the others, and no line awards
                       └── door, fault, test mode, power ──► held: the reels stand; then those that the player had
                           stopped are brought back, and the others spin anew

What the reels show while no play is on is the last valid result: after a power cut, a fault, or a void play they turn
back to it before a token is taken (9 NYCRR 5319.54(e)). Whether a reel is a motor's or a picture's, this is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from controller.games.machines.account import CoinDevices
from controller.games.machines.game import MachineGame, MachineOptions
from controller.games.machines.rules import MachineRules
from controller.games.machines.win_lines import HOME, PlayModel, lines_shown, parking
from controller.table.faults import CauseGone, Fault, LatchedFault
from controller.table.game import GameContext
from controller.table.phase import OPEN, RUNNING
from controller.table.recent import Ruling
from controller.table.wording import counted
from drivers.base.driver import Observation
from drivers.base.spun_reels import ImageProof, ReelFailed, ReelHalted, ReelStands, ReelsTrouble, SpunReels
from drivers.coins.observations import TokenPassed
from feed import events
from feed.events import Evidence, StoppedImage, WinningBet
from feed.state import TableState

REELS: Final = "reels"
"""What holds a play while its reels are brought back."""
RECALL: Final = "recall"
"""What holds the plays while the last ones are recalled on the display."""
RETRY_NS: Final = 1_000_000_000
"""The end of a play's time waits so long at a time while its reels are still brought back (ours)."""


class MachineDisplay(Protocol):
    """A display of the machine that shows how a game stands."""

    def refresh(self, game: SkillStopGame, t_ns: int) -> None:
        """Something of the game may have changed."""


class SkillStopGame(MachineGame):
    """The plays of one machine."""

    names_result_by = "stops"

    def __init__(
        self,
        context: GameContext,
        rules: MachineRules,
        options: MachineOptions,
        model: PlayModel,
        model_hash: str,
        reels: SpunReels,
        reels_device: str,
        coins: CoinDevices | None = None,
        display: MachineDisplay | None = None,
    ) -> None:
        """`reels_device` is the name of the reels in the table's file. `coins` is the coin equipment, where tokens do
        not come through a chute, or a hopper pays the awards. `display` shows how the machine stands, if it has one.
        """
        super().__init__(context, rules, model_hash, coins)
        self._reel_model = model
        self._reels = reels
        self._reels_device = reels_device
        self._display = display
        self.standing: tuple[LatchedFault, ...] = ()
        """The faults that are latched, oldest first."""
        self._count = len(model.reels)
        self._longest_ns = round(model.longest_s * 1e9)
        self._token_value = options.token_value
        self._shown = [HOME] * self._count
        """The stops of the last valid result."""
        self.reset()

    # --- what every machine has --------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new play begins."""
        self._stops: list[int | None] = [None] * self._count
        """Where each reel of the play stands; None while it is to spin."""
        self._by_player = [False] * self._count
        self._pressed_ns: list[int | None] = [None] * self._count
        self._proofs: list[ImageProof | None] = [None] * self._count
        self._spun: set[int] = set()
        """The reels that spin, or have come to stand since: of several that stand at once, one is reported first."""
        self._awarded: int | None = None
        """What the play has awarded, once that is recorded."""

    @property
    def staked(self) -> int:
        """The token of the play."""
        return 1

    def won_by(self, result: Mapping[str, Any]) -> int:
        """The award of all lines."""
        award: int = result["award"]
        return award

    def void_play(self) -> None:
        """The reels go back to the last valid result."""
        self.reset()

    @property
    def play_state(self) -> dict[str, Any] | None:
        """Which reels stand, where, who stopped them, and what was awarded."""
        if self.phase is not RUNNING and self._held is not RUNNING:
            return None
        state: dict[str, Any] = {"stops": list(self._stops), "by_player": list(self._by_player)}
        return state if self._awarded is None else {**state, "awarded": self._awarded}

    def restore(self, state: TableState) -> None:
        """As every machine; what the reels show is the last result that stands."""
        super().restore(state)
        self._show_last_valid()

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """As every machine; the reels turn to the last result that stands now, as they would after a restart."""
        super().ruled(t_ns, ruling)
        self._show_last_valid()
        self._update(t_ns)

    def _show_last_valid(self) -> None:
        for ruling in self.recent.newest_first:
            stops: Any = (ruling.stands.result or {}).get("stops")
            if ruling.stands.verdict == "outcome" and self._are_stops(stops):
                self._shown = list(stops)
                return
        self._shown = [HOME] * self._count

    def _are_stops(self, stops: Any) -> bool:
        symbols = range(self._reel_model.symbols)
        return isinstance(stops, list) and len(stops) == self._count and all(stop in symbols for stop in stops)

    def resume_play(self, t_ns: int, state: Mapping[str, Any]) -> None:
        """The play goes on with the reels that stood, and its whole time from now on."""
        stops, by_player = state.get("stops"), state.get("by_player")
        if isinstance(stops, list) and isinstance(by_player, list) and len(stops) == len(by_player) == self._count:
            symbols = range(self._reel_model.symbols)
            self._stops = [stop if stop in symbols else None for stop in stops]
            self._by_player = [bool(by) for by in by_player]
            self._awarded = state.get("awarded")
        self.run_due_ns = t_ns + self._longest_ns

    def token(self, t_ns: int, seen: TokenPassed) -> None:
        """A token spins the reels; while they spin, it belongs to the player."""
        if self.phase is not OPEN:
            self.account.token_in(1)
            self.write(t_ns, "hand_pay_due", tokens=1, detail="it came in while the reels turned")
            return
        self.phase = RUNNING
        self.account.token_in(1)
        self.account.stake(1, self.round)
        self.run_due_ns = t_ns + self._longest_ns
        self.write(t_ns, "play_begun", tokens=1)
        self.report(events.RoundStarted, t_ns)
        self._drive(t_ns)

    def run_due(self, t_ns: int) -> None:
        """The player's time is over: the house stops what still turns."""
        parked = parking(self._reel_model, self._stops)
        for number in self._free():
            if self._reels.aim_of(number) == "player":
                self._reels.stop_at(number, parked[number - 1], t_ns)
        if self._free():
            self.run_due_ns = t_ns + RETRY_NS

    def _free(self) -> list[int]:
        """The reels of the play that do not stand yet."""
        return [number for number, stop in enumerate(self._stops, 1) if stop is None]

    # --- the reels ---------------------------------------------------------------------------------------------------

    def _update(self, t_ns: int) -> None:
        super()._update(t_ns)
        self._drive(t_ns)
        self._refresh(t_ns)

    def _record(self, t_ns: int, act: str, *, tokens: int | None = None, by: str = "", detail: str = "") -> None:
        super()._record(t_ns, act, tokens=tokens, by=by, detail=detail)
        self._refresh(t_ns)

    def faults_changed(self, t_ns: int, standing: tuple[LatchedFault, ...]) -> None:
        """The display shows the faults that stand."""
        self.standing = standing
        self._refresh(t_ns)

    def begin_recall(self, t_ns: int, by: str) -> str | None:
        """A person has the last plays shown. Returns why not, if not."""
        if self._display is None:
            return "this machine has no screen: `feltwire journal recall` has its last plays"
        if self.is_held_by(RECALL):
            return "the last plays are shown already"
        if self.phase is RUNNING:
            return f"play {self.round} is on: wait for its end"
        self.hold(t_ns, RECALL)
        self.write(t_ns, "recall_begun", by=by)
        return None

    def end_recall(self, t_ns: int, by: str) -> str | None:
        """A person has seen the last plays. Returns why not, if not."""
        if not self.is_held_by(RECALL):
            return "the last plays are not shown"
        self.write(t_ns, "recall_ended", by=by)
        self.let_go(t_ns, RECALL)
        return None

    def _refresh(self, t_ns: int) -> None:
        if self._display is not None:
            self._display.refresh(self, t_ns)

    def _drive(self, t_ns: int) -> None:
        """Has the reels do what the play wants now: stand, go back to where they stood, or spin."""
        if self.phase not in (OPEN, RUNNING) or self._holds - {REELS}:
            self._spun.clear()
            for number in range(1, self._count + 1):
                self._reels.halt(number, t_ns)
            return
        wanted = self._shown if self.phase is OPEN else self._stops
        away = [
            (number, stop)
            for number, stop in enumerate(wanted, 1)
            if stop is not None and self._reels.stop_of(number) != stop
        ]
        if away:
            self._spun.clear()
            if REELS not in self._holds:
                self.hold(t_ns, REELS)
                return
            for number, stop in away:
                if self._reels.aim_of(number) == "player":
                    self._reels.halt(number, t_ns)
                elif self._reels.aim_of(number) is None:
                    self._reels.place(number, stop, t_ns)
        elif REELS in self._holds:
            self.let_go(t_ns, REELS)
        elif self.phase is RUNNING and not self._free():
            self._end(t_ns)
        elif self.phase is RUNNING:
            for number in self._free():
                stands = number in self._spun and self._reels.stop_of(number) is not None
                if self._reels.aim_of(number) is None and not stands:
                    self._spun.add(number)
                    self._reels.spin(number, t_ns)

    def handle_machine(self, seen: Observation) -> None:
        """Takes what the reels report."""
        if isinstance(seen, ReelStands):
            self._stands(seen)
        elif isinstance(seen, ReelHalted):
            self._drive(seen.t_ns)
        elif isinstance(seen, ReelFailed):
            self.events.append(Fault(seen.t_ns, seen.fault, seen.detail, device=self._reels_device))
        elif isinstance(seen, ReelsTrouble) and seen.fails:
            self.events.append(Fault(seen.t_ns, seen.fault, seen.detail, seen.cause, self._reels_device))
        elif isinstance(seen, ReelsTrouble):
            self.events.append(CauseGone(seen.t_ns, seen.cause, self._reels_device))

    def _stands(self, seen: ReelStands) -> None:
        t_ns, at = seen.t_ns, seen.reel - 1
        if self.phase is RUNNING and self.playable and self._stops[at] is None:
            self._stops[at], self._by_player[at], self._pressed_ns[at] = seen.stop, seen.by_player, seen.pressed_ns
            self._proofs[at] = seen.proof
            by = "the player" if seen.by_player else "the house"
            self.write(t_ns, "reel_stopped", detail=f"reel {seen.reel} at stop {seen.stop}, by {by}")
        self._drive(t_ns)

    def _end(self, t_ns: int) -> None:
        """All reels stand: the award is recorded once, then the outcome is published."""
        stops = [stop for stop in self._stops if stop is not None]
        result = self._result(stops, self._by_player)
        if self._awarded is None and result["award"]:
            self._awarded = result["award"]
            self.account.award(self.round, self._awarded)
            self.write(t_ns, "award", tokens=self._awarded)
        self._shown = stops
        evidence = Evidence(
            pressed_ns=list(self._pressed_ns),
            stopped_by=["player" if by else "house" for by in self._by_player],
            images=[None if proof is None else _published(proof) for proof in self._proofs]
            if any(self._proofs)
            else None,
        )
        self.end_play(t_ns, result, evidence)
        if result["award"] and not self.account.paying:
            self.write(t_ns, "hand_pay_due", tokens=result["award"], detail="the machine has no hopper")

    # --- results -----------------------------------------------------------------------------------------------------

    @property
    def stops_shown(self) -> tuple[int, ...]:
        """The stops of the last valid result."""
        return tuple(self._shown)

    @property
    def stops_of_play(self) -> tuple[int | None, ...]:
        """The stops of the play that is on; None where a reel is to spin."""
        return tuple(self._stops)

    def _result(self, stops: list[int], by_player: list[bool]) -> dict[str, Any]:
        lines = lines_shown(self._reel_model, stops, by_player)
        return {
            "stops": stops,
            "lines": [{"line": line.line, "symbols": line.symbols, "award": line.award} for line in lines],
            "award": sum(line.award for line in lines),
        }

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of stops like `3-0-17`, as if the player had stopped every reel."""
        words = name.split("-")
        last = self._reel_model.symbols - 1
        if len(words) != self._count or not all(
            word.isascii() and word.isdecimal() and len(word) <= 3 and int(word) <= last for word in words
        ):
            raise ValueError(
                f"stops {name!r}: give {self._count} stops such as {'-'.join(['0'] * self._count)}, 0 to {last}"
            )
        return self._result([int(word) for word in words], [True] * self._count)

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return "-".join(map(str, result["stops"]))

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The award is paid in tokens: no bet is paid beside it; what it is worth is in the notice."""
        award = result["award"]
        if not award:
            return [], []
        return [], [f"{counted(award, 'token')} won: ${award * self._token_value} of imitation money"]


def _published(proof: ImageProof) -> StoppedImage:
    """Why a reel on a screen stands where it stands, as evidence has it."""
    return StoppedImage(
        image=proof.image,
        lit_ns=proof.lit_ns,
        by=proof.by,
        latency_ms=proof.latency_ms,
        error_ms=proof.error_ms,
        possible=list(proof.possible),
        measured_ms=proof.measured_ms,
    )
